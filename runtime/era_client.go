package runtime

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// clientEra is a client's side of a session.
type clientEra struct {
	sessionEra
	of  *Client
	own wire.Object // the capabilities sent with initialize
}

// unknownID implements era. A client does not answer text that is not a message, such as a line of
// the server's log, because the server does not expect answers to it.
func (e *clientEra) unknownID() (wire.Scalar, bool) { return wire.Scalar{}, false }

func (e *clientEra) admit(m jsonrpc.Message, _ headers.Header) (admission, error) {
	if e.terms == nil {
		return admitEarly(m, e.of.bindings)
	}
	return e.terms.admit(m)
}

// open opens the session: it sends initialize with the newest revision that has sessions and, if the
// client has a binding for the revision in the answer, notifications/initialized. It returns the answer.
// If ctx ends, no cancellation is sent, because initialize cannot be cancelled.
func (e *clientEra) open(ctx context.Context) (*greeting, error) {
	sessions := ofEra(e.of.bindings, false)
	if len(sessions) == 0 {
		return nil, errNoSessions
	}
	newest := sessions[0]
	capabilities, err := newest.declare(e.of.opts.Capabilities)
	if err != nil {
		return nil, err
	}
	if e.own, err = objectOf(capabilities); err != nil {
		return nil, err
	}
	params := appendFunc(func(dst []byte) ([]byte, error) {
		return appendGreeting(dst, newest.Revision, e.own, "clientInfo", e.of.self(), "")
	})
	var server greeting
	accept := func(r engine.Reply) engine.Reply {
		if r.Err == nil {
			r.Err = e.accept(&server, r.Result)
		}
		return r
	}
	if err := e.peer.ask(ctx, &request{method: methodInitialize, params: params, accept: accept}, nil); err != nil {
		return nil, err
	}
	return &server, e.peer.notify(ctx, e.terms, methodInitialized, nil, nil)
}

// accept processes the answer of the server. The goroutine that reads calls it, so that the next
// message of the server is handled under the revision of the answer.
func (e *clientEra) accept(server *greeting, result wire.Raw) error {
	if err := server.read(result, "serverInfo"); err != nil {
		return fmt.Errorf("runtime: result of initialize: %w", err)
	}
	for _, b := range e.of.bindings {
		if !b.stateless && b.Revision == server.revision {
			e.negotiated(b.terms(server.info, server.capabilities, e.own))
			return nil
		}
	}
	return &VersionError{Answered: server.revision, Bound: revisions(ofEra(e.of.bindings, false))}
}
