package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// clientEra is a client's side of a connection: of a session, or of requests that carry their own terms
// (era_client_stateless.go). Which of them it is depends on the server (probe.go).
type clientEra struct {
	sessionEra
	of *Client
	stateless
	tools listed
}

// opened is what a client knows about a server. It is immutable.
type opened struct {
	greeting
	terms   *terms
	guessed bool // the server was silent to server/discover, which does not show that it has no other revisions
}

// errAfterProbe is the error of initialize if the server has answered the probe meanwhile.
var errAfterProbe = errors.New("runtime: the server has answered server/discover after all")

// unknownID implements era. A client does not answer text that is not a message, such as a line of
// the server's log, because the server does not expect answers to it.
func (e *clientEra) unknownID() (wire.Scalar, bool) { return wire.Scalar{}, false }

func (e *clientEra) admit(m jsonrpc.Message, _ headers.Header) (admission, error) {
	switch {
	case e.terms == nil:
		return admitEarly(m, e.of.bindings)
	case e.terms.stateless() && m.Kind == jsonrpc.Request:
		return admission{}, fmt.Errorf("runtime: revision %s has no requests of servers", e.terms.revision)
	}
	return e.terms.admit(m)
}

// initialize opens a session: it sends initialize with the revision of a binding and, if the client has a
// binding for the revision in the answer, notifications/initialized. If ctx ends, no cancellation is
// sent, because initialize cannot be cancelled.
func (e *clientEra) initialize(ctx context.Context, b *bound) (*opened, error) {
	own, err := e.of.capabilities(b)
	if err != nil {
		return nil, err
	}
	var server *opened
	params := appendFunc(func(dst []byte) ([]byte, error) {
		return appendGreeting(dst, b.Revision, own, "clientInfo", e.of.self(), "")
	})
	accept := func(r engine.Reply) engine.Reply {
		switch {
		case e.terms != nil:
			r.Err = errAfterProbe
		case r.Err == nil:
			server, r.Err = e.accept(r.Result, own)
		}
		return r
	}
	if err := e.peer.ask(ctx, &request{method: methodInitialize, params: params, accept: accept}, nil); err != nil {
		return nil, err
	}
	return server, e.peer.notify(ctx, server.terms, methodInitialized, nil)
}

// capabilities returns what the client declares under a binding.
func (c *Client) capabilities(b *bound) (wire.Object, error) {
	declared, err := b.declare(c.opts.Capabilities)
	if err != nil {
		return "", err
	}
	return objectOf(declared)
}

// accept processes the answer to initialize. The goroutine that reads calls it, so that the next message
// of the server is handled under the revision of the answer.
func (e *clientEra) accept(result wire.Raw, own wire.Object) (*opened, error) {
	var server opened
	if err := server.read(result, "serverInfo"); err != nil {
		return nil, prefix.Errorf("runtime: result of initialize: %w", err)
	}
	for _, b := range e.of.bindings {
		if b.Revision == server.revision && !b.stateless {
			server.terms = b.terms(server.info, server.capabilities, own)
			if err := e.negotiated(server.terms); err != nil {
				return nil, err
			}
			return &server, nil
		}
	}
	return nil, &VersionError{Answered: server.revision, Bound: revisions(ofEra(e.of.bindings, false))}
}
