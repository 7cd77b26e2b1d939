package streamable

import (
	"errors"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// answer writes a whole response as one JSON text.
func (h *Handler) answer(r *web.Response, status int, m *runtime.Outgoing) error {
	if status == http.StatusServiceUnavailable {
		r.Header().Set("Retry-After", web.RetryAfter)
	}
	if denied, ok := errors.AsType[*runtime.DeniedError](m.Err); ok {
		r.Header()["Www-Authenticate"] = denied.Challenges
	}
	h.countAnswer(m)
	err := r.JSON(status, m.Text)
	if err == web.ErrBudget {
		err = r.JSON(http.StatusInternalServerError, h.lostAnswer(m))
	}
	if err == nil && m.Abandoned {
		err = r.Flush()
	}
	return err
}

// countAnswer counts a request that the server has refused because of load.
func (h *Handler) countAnswer(m *runtime.Outgoing) {
	switch {
	case m.NotBegun:
		h.refusals.Add(web.ReasonDraining)
	case m.Refused && m.Code() == jsonrpc.CodeServerBusy:
		h.refusals.Add(web.ReasonSession)
	}
}

// sessionStatus returns the HTTP status of an answer in a session, which is 200 also for errors of handlers.
func sessionStatus(m *runtime.Outgoing) int {
	denied, ok := errors.AsType[*runtime.DeniedError](m.Err)
	switch {
	case ok:
		return denied.Status
	case m.NotBegun:
		return http.StatusServiceUnavailable
	case m.Refused && m.Code() == jsonrpc.CodeHeaderMismatch: // the message belongs to no session, although its headers say so
		return http.StatusBadRequest
	case m.ID.IsZero() && len(m.Text) > 0 && m.Text[0] == '{' || m.ID.Is(wire.ScalarNull): // the text was not a message with an id
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// statelessStatus returns the HTTP status of an answer to a request without a session. The protocol gives some codes a
// status of their own, and status 400 to a request without the right _meta. Other errors of handlers get status 200: some
// clients treat a different status as a failure of the transport.
func statelessStatus(m *runtime.Outgoing) int {
	if denied, ok := errors.AsType[*runtime.DeniedError](m.Err); ok {
		return denied.Status
	}
	switch m.Code() {
	case 0:
		return http.StatusOK
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case jsonrpc.CodeHeaderMismatch, jsonrpc.CodeMissingCapability, jsonrpc.CodeUnsupportedVersion:
		return http.StatusBadRequest
	case jsonrpc.CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	switch {
	case m.NotBegun:
		return http.StatusServiceUnavailable
	case m.Refused:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// lostAnswer returns the error in place of an answer for which Options.MaxBytes leaves no room.
func (h *Handler) lostAnswer(m *runtime.Outgoing) []byte {
	h.log.Warn("answer lost: too many bytes wait for clients", "bytes", len(m.Text))
	return replaced(m, "the answer of %d bytes is lost, because too many bytes wait for clients that do not read; the request was handled", len(m.Text))
}

// replaced returns the text of an error that takes the place of an answer.
func replaced(m *runtime.Outgoing, format string, args ...any) []byte {
	text, _ := jsonrpc.AppendError(nil, m.ID, jsonrpc.Errorf(jsonrpc.CodeInternalError, format, args...)) // an id that was read can be written
	return text
}
