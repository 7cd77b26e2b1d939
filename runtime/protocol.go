package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// protocol is a binding with the tables and Handlers that its messages need. It is immutable, except for what the server
// of a stateless revision offers, which changes with the catalog.
type protocol struct {
	Binding
	stateless bool               // see Binding.Stateless
	rows      map[string]*Method // by name
	codes     []int64            // of the errors that the revision defines
	serve     Handler            // of messages of the peer: handle within the rounds and the middleware
	send      Handler            // of messages to the peer: sendChecked within Around of the binding

	server   *Server    // of a stateless revision; otherwise nil
	offering sync.Mutex // held while last is replaced
	last     atomic.Pointer[offer]
}

// bind returns the protocol of a binding. Around is the middleware of the option Receiving.
func bind(b Binding, around layers) *protocol {
	ready := &protocol{Binding: b, stateless: b.Stateless(), send: sendChecked}
	ready.serve = ready.handle
	if ready.stateless && b.Direction == ToServer {
		ready.serve = inRounds(ready.serve)
	}
	ready.serve = around.around(ready.serve)
	if b.Around != nil {
		ready.send = b.Around(sendChecked)
	}
	ready.tabulate()
	return ready
}

// bindAll checks the bindings of one side and sorts them, newest revision first.
func bindAll(side Direction, bindings []Binding, around layers) ([]*protocol, error) {
	if len(bindings) == 0 {
		return nil, errors.New("runtime: no binding")
	}
	var all []*protocol
	for _, b := range bindings {
		switch {
		case b.Revision == "":
			return nil, errors.New("runtime: a binding without a revision")
		case b.Direction != side:
			return nil, fmt.Errorf("runtime: the binding of %s is for messages %s, not %s", b.Revision, b.Direction, side)
		}
		at, found := slices.BinarySearchFunc(all, b.Revision, func(other *protocol, revision string) int {
			return strings.Compare(revision, other.Revision)
		})
		if found {
			return nil, fmt.Errorf("runtime: two bindings of %s", b.Revision)
		}
		all = slices.Insert(all, at, bind(b, around))
	}
	return all, nil
}

// tabulate fills b.rows and b.codes.
func (b *protocol) tabulate() {
	b.rows = make(map[string]*Method, len(b.Methods))
	for i := range b.Methods {
		m := &b.Methods[i]
		b.rows[m.Name] = m
		if m.Errors != nil {
			b.codes = m.Errors
		}
	}
}

// noRow is the row of a method that the table does not have.
var noRow Method

// row returns the row of a method.
func (b *protocol) row(method string) *Method {
	if r := b.rows[method]; r != nil {
		return r
	}
	return &noRow
}

// defines reports whether an error in a revision without sessions may have a code: one that JSON-RPC, this runtime
// or the revision defines, or one outside the range that JSON-RPC reserves. Codes from -32099 to -32020 that the
// revision does not define must not be sent, those from -32019 to -32000 and all others should not ("Error Codes"
// in basic, 2026-07-28).
func (b *protocol) defines(code int64) bool {
	switch code {
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams, jsonrpc.CodeInternalError,
		jsonrpc.CodeHeaderMismatch, jsonrpc.CodeMissingCapability, jsonrpc.CodeUnsupportedVersion:
		return true
	}
	return code < -32768 || code > -32000 || slices.Contains(b.codes, code)
}

// handle calls Binding.Handle and adds what the runtime does itself: checks of results, the log
// level, and fallback.
func (b *protocol) handle(ctx context.Context, m *Message) (wire.Appender, error) {
	if b.Handle == nil {
		return b.fallback(ctx, m, MethodNotFound(m.Method))
	}
	handle := b.Handle
	if (m.Method == methodSubscribe || m.Method == methodUnsubscribe) && b.Direction == ToServer && !b.stateless && !b.Forwards {
		handle = b.subscription
	}
	result, err := handle(ctx, m)
	switch {
	case err != nil:
		return b.fallback(ctx, m, err)
	case m.Method == methodListRoots && b.Direction == ToClient:
		return checkRoots(result)
	case m.Method == methodElicit && b.Direction == ToClient:
		return checkForm(m.Object(), result)
	case m.Method == methodSetLevel && b.Direction == ToServer && !b.stateless:
		if level := LogLevel(m.Object().GetString("level")); level.severity() >= 0 { // others have no effect
			err = CallOf(ctx).Session().setLogLevel(ctx, level)
		}
	}
	return result, err
}

// fallback answers server/discover, subscriptions/listen, ping and logging/setLevel if the implementation does
// not. For other methods it returns err.
func (b *protocol) fallback(ctx context.Context, m *Message, err error) (wire.Appender, error) {
	method := m.Method
	if !isMethodNotFound(err) || len(b.rows) > 0 && b.row(method).Kind != jsonrpc.Request {
		return nil, err
	}
	switch {
	case method == methodDiscover && b.server != nil:
		return b.server.discovery(b)
	case method == methodListen && b.server != nil:
		return CallOf(ctx).Listen(ctx, m.Object(), nil)
	case method == methodPing:
		return emptyResult, nil
	case method == methodSetLevel && len(b.rows) > 0 && b.Direction == ToServer:
		return emptyResult, CallOf(ctx).Session().setLogLevel(ctx, LogLevel(m.Object().GetString("level")))
	}
	return nil, err
}

// ofEra returns the bindings of revisions with or without sessions, in their order.
func ofEra(bindings []*protocol, stateless bool) []*protocol {
	var of []*protocol
	for _, b := range bindings {
		if b.stateless == stateless {
			of = append(of, b)
		}
	}
	return of
}

// ofRevision returns the binding of a revision, or nil.
func ofRevision(bindings []*protocol, revision string) *protocol {
	for _, b := range bindings {
		if b.Revision == revision {
			return b
		}
	}
	return nil
}

func revisions(bindings []*protocol) []string {
	names := make([]string, len(bindings))
	for i, b := range bindings {
		names[i] = b.Revision
	}
	return names
}
