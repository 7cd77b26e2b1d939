package streamable

import (
	"errors"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// checkSessionID returns the session that a request names in the header Mcp-Session-Id, after [Handler.Enter]. The
// error is a *web.Refusal if the request has no id or an unknown revision, if the user has no session with the id, or if
// the session cannot be loaded (section Session Management, 2 and 3). The session keeps its negotiated revision,
// whichever supported revision the request names.
func (h *Handler) checkSessionID(r *http.Request) (s *Session, err error) {
	if revision := r.Header.Get(headerRevision); revision != "" && !h.speaks(revision) {
		return nil, errRevision
	}
	id := r.Header.Get(headerSession)
	if id == "" {
		return nil, errSessionID
	}
	var key string
	if h.opts.Sharing != nil {
		s, err = h.opts.Sharing.Find(r, id)
	} else if key, err = h.Key(r, id); err == nil {
		s = h.Enter(key)
	}
	if _, refused := errors.AsType[*web.Refusal](err); err != nil && !refused {
		h.log.Error("a session could not be loaded", "error", err)
		err = web.Refuse(http.StatusServiceUnavailable, "unavailable: the session cannot be loaded")
	}
	if err == nil && s == nil {
		err = h.sessions.refusal()
	}
	return s, err
}

// Key returns the key of the session that the user of a request has opened with an id. It consists of the user and the
// id. An error refuses the request.
func (h *Handler) Key(r *http.Request, id string) (string, error) {
	if strings.Contains(id, ":") {
		return "", errNoSession // otherwise part of it could pass for a user or a part of one
	}
	user, err := h.user(r)
	if err != nil {
		return "", err
	}
	return keyOf(user, id), nil
}

// keyOf returns the key of the session that a user knows by an id: the user, a colon and the id, or the id alone if
// there is no user. The id of another user's session therefore gives a key without a session ("Session Hijacking" in
// basic/security_best_practices, 2025-11-25).
func keyOf(user, id string) string {
	if user == "" {
		return id
	}
	return user + ":" + id
}

// userOf returns the user of the session with a key, or "" if there is none.
func userOf(key string) string { return key[:max(strings.LastIndexByte(key, ':'), 0)] }

// user returns the user that sent a request. An error is a *web.Refusal.
func (h *Handler) user(r *http.Request) (string, error) {
	if h.opts.User == nil {
		return runtime.PrincipalOf(r.Context()), nil
	}
	user, err := h.opts.User(r)
	if err != nil {
		h.log.Warn("request refused", "reason", "the user is not known", "error", err)
		return "", errUser
	}
	return user, nil
}
