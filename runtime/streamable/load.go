package streamable

import (
	"net/http"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/pace"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// DefaultMaxCallers is how many callers a handler remembers for their rates.
const DefaultMaxCallers = web.DefaultMaxCallers

// Load limits the JSON-RPC requests of clients, in sessions and without. A public server should set it.
// Zero means no limit in addition to those of Options and runtime.Limits. Notifications and the answers
// of clients are not limited, since calls in flight wait for them.
//
// A caller is the user that Options.User returns or, without one, the address that Options.Address
// returns. Requests without either are only limited together.
//
// A request beyond a limit is not begun. It is refused with the header Retry-After and a JSON-RPC error that
// has its id, with the code jsonrpc.CodeServerBusy, or jsonrpc.CodeUnavailable in revisions without sessions.
type Load struct {
	// MaxInFlight limits the requests in flight of all callers. Further ones get status 503. A request
	// is in flight until its handler has returned, even if its client has closed the connection.
	// subscriptions/listen does not count, see MaxListeners in runtime.ServerOptions. A batch counts as
	// its requests; one that is larger than a limit is admitted when nothing else is in flight.
	MaxInFlight int
	// MaxInFlightPerCaller limits the requests in flight of each caller. Further ones get status 429.
	MaxInFlightPerCaller int

	// Rate limits the requests per second of each caller, on average. Further ones get status 429, and
	// the member retryAfterMs of the error's data says when the next one is admitted.
	Rate float64
	// Burst is how many requests of a caller may come at once. 0 means those of one second at Rate, and
	// at least one.
	Burst int
	// MaxCallers limits the callers without a request in flight that are remembered because of their
	// rate. A new one replaces the one that has sent nothing for longest. 0 means DefaultMaxCallers.
	MaxCallers int
}

func (o *Options) traffic() *web.Load {
	l := o.Load
	if l.Burst <= 0 {
		l.Burst = int(min(l.Rate, 1<<31-1))
	}
	return web.NewLoad(web.LoadLimits{
		InFlight: l.MaxInFlight, PerCaller: l.MaxInFlightPerCaller,
		Pace:       pace.Limit{PerSecond: l.Rate, Burst: l.Burst},
		MaxCallers: l.MaxCallers, Address: o.Address,
	})
}

// methodListen is the method of requests that last as long as their clients like.
const methodListen = "subscriptions/listen"

// admit counts the requests that a connection has brought. The connection then has an admission until
// the stream that answers takes it, or until release.
func (h *Handler) admit(c *connection) error {
	if h.traffic == nil {
		return nil
	}
	user, err := web.User(h.opts.User).Name(c.request, h.log)
	if err == nil {
		c.admission, err = h.enter(c.request, user, &c.in, false)
	}
	return err
}

// release ends the admission of requests that no stream answers.
func (c *connection) release() {
	c.admission.Leave()
	c.Body.Release()
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

// enter counts the requests in a message. The refusal has the id of a single request.
func (h *Handler) enter(r *http.Request, user string, in *runtime.Incoming, stateless bool) (*web.Admission, error) {
	if h.traffic == nil {
		return nil, nil
	}
	text := in.Content()
	a, err := h.traffic.Enter(r, user, arriving(text), web.CodeBusy(stateless))
	return a, web.For(text.ID, err)
}

// arriving returns the number of requests in a text. What is not a message counts as a request, because it is
// answered too.
func arriving(text *jsonrpc.Text) (n web.Arriving) {
	count := func(m *jsonrpc.Message, err error) {
		if err == nil && m.Kind != jsonrpc.Request {
			return
		}
		n.All++
		if m.Method != methodListen {
			n.InFlight++
		}
	}
	switch {
	case !text.IsBatch:
		count(&text.Message, text.Err)
	case text.Err != nil:
		n.All = 1
	}
	for i := range text.Batch {
		count(&text.Batch[i].Message, text.Batch[i].Err)
	}
	return n
}

// countAnswer counts a request that the server has refused because of load.
func (h *Handler) countAnswer(m *runtime.Outgoing) {
	switch {
	case m.NotBegun:
		h.refusals.Add(web.ReasonDraining)
	case m.Refused && m.Code == jsonrpc.CodeServerBusy:
		h.refusals.Add(web.ReasonSession)
	}
}
