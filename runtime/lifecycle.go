package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file holds all that knows of the initialize handshake, by which revisions up to
// 2025-11-25 open a session.

// implementation is one side's introduction: what goes into clientInfo or serverInfo.
type implementation struct{ name, title, version string }

func (i implementation) append(dst []byte, revision string) ([]byte, error) {
	dst, err := wire.AppendString(append(dst, `{"name":`...), i.name)
	if err != nil {
		return dst, wire.In(err, "name")
	}
	if i.title != "" && revision >= revisionTitle {
		if dst, err = wire.AppendString(append(dst, `,"title":`...), i.title); err != nil {
			return dst, wire.In(err, "title")
		}
	}
	if dst, err = wire.AppendString(append(dst, `,"version":`...), i.version); err != nil {
		return dst, wire.In(err, "version")
	}
	return append(dst, '}'), nil
}

// greeting is the params or the result of initialize, as far as both sides' lifecycle
// reads and writes it.
type greeting struct {
	revision     string
	capabilities wire.Object
	info         wire.Object
	instructions string // results only
}

// read reads a greeting whose Implementation is the member info. It copies what it reads,
// because the session keeps it and must not keep the whole message.
func (g *greeting) read(text wire.Raw, info string) error {
	r := wire.NewStringReader(string(text))
	var seen [1]uint64
	var extra wire.Members
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "protocolVersion":
			r.Once(&seen[0], 0)
			g.revision = strings.Clone(r.ReadString())
		case "capabilities":
			r.Once(&seen[0], 1)
			g.capabilities = r.ReadObject().Clone()
		case info:
			r.Once(&seen[0], 2)
			g.info = r.ReadObject().Clone()
		case "instructions":
			if r.Once(&seen[0], 3); !r.ReadNull() { // as some servers write that there are none
				g.instructions = strings.Clone(r.ReadString())
			}
		default:
			*extra.Entry(r) = r.ReadRaw()
		}
	}
	if seen[0]&0b111 != 0b111 {
		r.Missing(seen[:], "protocolVersion", "capabilities", info)
	}
	return r.Err()
}

// appendGreeting writes one; capabilities may be nil.
func appendGreeting(dst []byte, revision string, capabilities wire.Appender, info string, self implementation, instructions string) ([]byte, error) {
	dst, err := wire.AppendString(append(dst, `{"protocolVersion":`...), revision)
	if err != nil {
		return dst, wire.In(err, "protocolVersion")
	}
	dst = append(dst, `,"capabilities":`...)
	if capabilities == nil {
		dst = append(dst, "{}"...)
	} else if dst, err = capabilities.AppendJSON(dst); err != nil {
		return dst, wire.In(err, "capabilities")
	}
	if dst, err = self.append(wire.AppendName(dst, info), revision); err != nil {
		return dst, wire.In(err, info)
	}
	if instructions != "" {
		if dst, err = wire.AppendString(append(dst, `,"instructions":`...), instructions); err != nil {
			return dst, wire.In(err, "instructions")
		}
	}
	return append(dst, '}'), nil
}

// objectOf is the text of capabilities; nil is an empty object.
func objectOf(capabilities wire.Appender) (wire.Object, error) {
	if capabilities == nil {
		return "{}", nil
	}
	text, err := wire.Marshal(capabilities)
	if err == nil && wire.Object(text).Kind() != wire.KindObject {
		err = errors.New("not an object")
	}
	if err != nil {
		return "", fmt.Errorf("runtime: capabilities: %w", err)
	}
	return wire.Object(text), nil
}

// appendFunc is a wire.Appender made of a function.
type appendFunc func(dst []byte) ([]byte, error)

// AppendJSON calls f.
func (f appendFunc) AppendJSON(dst []byte) ([]byte, error) { return f(dst) }

// Reasons why a message is not handled.
var (
	errNotInitialized     = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session is not initialized")
	errAlreadyInitialized = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session is already initialized")
	errNotARequest        = errors.New("runtime: a request without an id")
)

// admit says how the binding handles a message of a session that is open.
func (b *bound) admit(m jsonrpc.Message, t *terms) (admission, error) {
	switch r := b.rows[m.Method]; {
	case m.Kind == jsonrpc.Request && (r.kind == jsonrpc.Notification || !t.own.has(r.need)):
		return admission{}, MethodNotFound(m.Method)
	case m.Kind == jsonrpc.Notification && r.kind == jsonrpc.Request:
		return admission{}, errNotARequest
	case m.Kind == jsonrpc.Notification && !t.peer.has(r.need):
		return admission{}, &CapabilityError{Method: m.Method, Capability: b.needs[r.need]}
	}
	return admission{terms: t, handle: t.handle}, nil
}

// admitEarly says how a message is handled before the handshake is over: only a ping
// is answered. A method that none of the bindings knows is not found, rather than not
// yet allowed, so that a peer can find out at once that it does not exist here.
func admitEarly(m jsonrpc.Message, bindings []*bound) (admission, error) {
	if m.Kind == jsonrpc.Request && m.Method == methodPing {
		pong := func(context.Context, string, wire.Raw) (wire.Appender, error) { return emptyResult, nil }
		return admission{terms: &terms{}, handle: pong, inline: true}, nil
	}
	for _, b := range bindings {
		if len(b.rows) == 0 || b.rows[m.Method].kind != 0 {
			return admission{}, errNotInitialized
		}
	}
	return admission{}, MethodNotFound(m.Method)
}

// serverLifecycle is a server's side of one session.
type serverLifecycle struct {
	server *Server
	bound  *bound // nil before initialize is answered
	terms  *terms
	ready  bool // the client has sent notifications/initialized

	session *ServerSession
}

func (l *serverLifecycle) batches() bool { return l.bound != nil && allowsBatches(l.terms.revision) }

func (l *serverLifecycle) unknownID() (wire.Scalar, bool) { return unknownID(l.terms.spoken()), true }

func (l *serverLifecycle) admit(m jsonrpc.Message) (admission, error) {
	if m.Kind == jsonrpc.Request && m.Method == methodInitialize {
		if l.bound != nil {
			return admission{}, errAlreadyInitialized
		}
		return admission{terms: &terms{}, handle: l.server.layers.handler(l.initialize), inline: true}, nil
	}
	if l.bound == nil {
		return admitEarly(m, l.server.bindings)
	}
	l.open()
	if m.Kind == jsonrpc.Notification && !l.ready {
		switch m.Method {
		case methodInitialized:
			l.ready = true
		case methodCancelled:
		default:
			return admission{}, errNotInitialized
		}
	}
	return l.bound.admit(m, l.terms)
}

// initialize answers the request of that name. The binding is asked first; when it has
// no answer, the server's options make one. Either way the result says the revision
// that is spoken from now on.
func (l *serverLifecycle) initialize(ctx context.Context, method string, params wire.Raw) (wire.Appender, error) {
	if params == "" {
		params = "{}"
	}
	var client greeting
	if err := client.read(params, "clientInfo"); err != nil {
		return nil, invalidParams(err)
	}
	b := l.server.choose(client.revision)
	CallOf(ctx).terms = b.terms(client.info, client.capabilities, "")
	result, err := b.handle(ctx, method, params)
	if isMethodNotFound(err) {
		result, err = l.server.greeting(b.Binding)
	}
	if err != nil {
		return nil, err
	}
	text, err := l.settle(result, b.Revision)
	if err != nil {
		return nil, err
	}
	own, _ := wire.Object(text).Get("capabilities")
	l.bound, l.terms = b, b.terms(client.info, client.capabilities, cmp.Or(wire.Object(own).Clone(), "{}"))
	CallOf(ctx).peer.negotiated(l.terms)
	return text, nil
}

// settle encodes the result, so that nothing can fail after the session counts as
// initialized, and puts the negotiated revision in.
func (l *serverLifecycle) settle(result wire.Appender, revision string) (wire.Raw, error) {
	if result == nil {
		return "", errors.New("runtime: the handler of initialize returned no result")
	}
	text, err := wire.Marshal(result)
	if err != nil {
		return "", fmt.Errorf("runtime: result of initialize: %w", err)
	}
	if stringMember(wire.Object(text), "protocolVersion") == revision {
		return wire.Raw(text), nil
	}
	version, err := wire.AppendString(nil, revision)
	if err != nil {
		return "", err
	}
	o, err := wire.Object(text).With("protocolVersion", wire.Raw(version))
	if err != nil {
		return "", fmt.Errorf("runtime: result of initialize: %w", err)
	}
	return wire.Raw(o), nil
}

// clientLifecycle is a client's side of one session.
type clientLifecycle struct {
	client *Client
	peer   *peer
	own    wire.Object // the capabilities sent with initialize
	bound  *bound      // nil before the server has answered
	terms  *terms
}

func (l *clientLifecycle) batches() bool { return l.bound != nil && allowsBatches(l.terms.revision) }

// A server that says what is no message, such as a line of its log, is not told so with
// each: it would have to read what it does not expect.
func (l *clientLifecycle) unknownID() (wire.Scalar, bool) { return wire.Scalar{}, false }

func (l *clientLifecycle) admit(m jsonrpc.Message) (admission, error) {
	if l.bound == nil {
		return admitEarly(m, l.client.bindings)
	}
	return l.bound.admit(m, l.terms)
}

// handshake opens the session: it sends initialize with the newest bound revision and,
// when the server's answer names one that is bound, notifications/initialized.
// It returns what the server said of itself. Initialize is not cancellable, so nothing
// is sent when ctx ends.
func (l *clientLifecycle) handshake(ctx context.Context, p *peer) (*greeting, error) {
	c := l.client
	capabilities, err := c.bindings[0].declare(c.opts.Capabilities)
	if err != nil {
		return nil, err
	}
	if l.own, err = objectOf(capabilities); err != nil {
		return nil, err
	}
	params := appendFunc(func(dst []byte) ([]byte, error) {
		return appendGreeting(dst, c.bindings[0].Revision, l.own, "clientInfo", c.self(), "")
	})
	var server greeting
	apply := func(r reply) reply {
		if r.err == nil {
			r.err = l.accept(&server, r.result)
		}
		return r
	}
	if err := p.ask(ctx, &request{method: methodInitialize, params: params, apply: apply}, nil); err != nil {
		return nil, err
	}
	if err := p.notify(ctx, l.terms, methodInitialized, nil, nil); err != nil {
		return nil, err
	}
	return &server, nil
}

// accept takes the server's answer. It runs on the reading goroutine: what the server
// sends next is handled under the revision it has answered.
func (l *clientLifecycle) accept(server *greeting, result wire.Raw) error {
	if err := server.read(result, "serverInfo"); err != nil {
		return fmt.Errorf("runtime: result of initialize: %w", err)
	}
	for _, b := range l.client.bindings {
		if b.Revision == server.revision {
			l.bound = b
			l.terms = b.terms(server.info, server.capabilities, l.own)
			l.peer.negotiated(l.terms)
			return nil
		}
	}
	return &VersionError{Answered: server.revision, Bound: revisions(l.client.bindings)}
}
