package streamable

import (
	"context"
	"io"
	"net/http"
	"slices"

	"github.com/mcpgen/mcpgen/runtime"
)

// revisionAssumed is the revision of a request without a session that does not name one (section
// Protocol Version Header).
const revisionAssumed = "2025-03-26"

// postAlone serves a message without a session: it opens one for the message alone. A request other
// than initialize is served under the revision that it names.
func (h *Handler) postAlone(c *connection, initialize bool) error {
	s := h.newSession("", "")
	var handshake runtime.Handshake
	if !initialize {
		revision, err := h.revisionOf(c.request)
		if err != nil {
			return err
		}
		s.negotiated, handshake.Revision = revision, revision
	}
	if err := h.open(s, c.request, handshake); err != nil {
		return err
	}
	stop := context.AfterFunc(c.request.Context(), func() { s.end(runtime.ErrClosed) })
	defer stop()
	sent, err := h.exchange(newStream(s), c)
	if sent {
		s.end(io.EOF)
	} else {
		s.end(runtime.ErrClosed) // no client can get the answer or cancel the request
	}
	return err
}

// revisionOf returns the revision of a request without a session.
func (h *Handler) revisionOf(r *http.Request) (string, error) {
	revision := r.Header.Get(headerRevision)
	switch {
	case revision == "" && len(h.revisions) > 0 && !slices.Contains(h.revisions, revisionAssumed):
		return h.revisions[0], nil
	case revision == "":
		return revisionAssumed, nil
	case !h.speaks(revision):
		return "", errUnspoken
	}
	return revision, nil
}
