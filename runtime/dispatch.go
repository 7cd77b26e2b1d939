package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// bound is a binding with the tables and functions that are needed to handle its messages. It is
// immutable.
//
// The exception is what a stateless server's side offers, which changes with the catalog.
type bound struct {
	Binding
	stateless bool           // see Binding.Stateless
	rows      map[string]row // by method
	codes     []int64        // of the errors that the revision defines
	needs     []string       // the capabilities that rows refer to; the first is "", for none
	serve     Handler        // handle within the middleware

	offered *offers // nil except on a stateless server's side
}

func bind(b Binding, around layers) *bound {
	ready := &bound{Binding: b, stateless: b.Stateless()}
	ready.serve = around.handler(ready.handle)
	ready.tabulate()
	return ready
}

// terms returns the terms of messages under the binding. They consist of the peer's Implementation and
// capabilities and of this side's capabilities; "" means unknown.
func (b *bound) terms(info, peer, own wire.Object) *terms {
	return &terms{
		revision:     b.Revision,
		handle:       b.serve,
		info:         info,
		capabilities: peer,
		declared:     own,
		bound:        b,
		peer:         b.grants(peer),
		own:          b.grants(own),
	}
}

// handle calls Binding.Handle and adds what the runtime does itself: checks of results, the log
// level, and fallback.
func (b *bound) handle(ctx context.Context, method string, params wire.Raw) (wire.Appender, error) {
	if b.Handle == nil {
		return b.fallback(ctx, method, params, MethodNotFound(method))
	}
	if c := CallOf(ctx); b.offered != nil && c != nil {
		params, err := c.resume(params)
		if err != nil {
			return nil, err
		}
		result, err := b.handleOnce(ctx, method, params)
		return c.answered(ctx, result, err)
	}
	return b.handleOnce(ctx, method, params)
}

// handleOnce is handle for one of the rounds of a request.
func (b *bound) handleOnce(ctx context.Context, method string, params wire.Raw) (wire.Appender, error) {
	result, err := b.Handle(ctx, method, params)
	switch {
	case err != nil:
		return b.fallback(ctx, method, params, err)
	case method == methodListRoots && b.Direction == ToClient:
		return checkRoots(result)
	case method == methodElicit && b.Direction == ToClient:
		return checkForm(params, result)
	case method == methodSetLevel && b.Direction == ToServer:
		if err := CallOf(ctx).setAcceptedLevel(params); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// fallback answers server/discover, subscriptions/listen, ping and logging/setLevel if the implementation does not. For other methods it
// returns err.
func (b *bound) fallback(ctx context.Context, method string, params wire.Raw, err error) (wire.Appender, error) {
	if !isMethodNotFound(err) || len(b.rows) > 0 && b.rows[method].kind != jsonrpc.Request {
		return nil, err
	}
	switch {
	case method == methodDiscover && b.offered != nil:
		return b.offered.server.discovery(b)
	case method == methodListen && b.offered != nil:
		return CallOf(ctx).listen(ctx, params)
	case method == methodPing:
		return emptyResult, nil
	case method == methodSetLevel && len(b.rows) > 0 && b.Direction == ToServer:
		if err := CallOf(ctx).setLogLevel(params); err != nil {
			return nil, err
		}
		return emptyResult, nil
	}
	return nil, err
}

// emptyResult is the result of methods that return nothing.
const emptyResult = wire.Raw("{}")

// declare returns the capabilities that a session of the binding declares, given those in the options.
func (b Binding) declare(capabilities wire.Appender) (wire.Appender, error) {
	if b.Capabilities == nil {
		return capabilities, nil
	}
	return b.Capabilities(capabilities)
}

// bindAll checks the bindings of one side and sorts them, newest revision first.
func bindAll(side Direction, bindings []Binding, around layers) ([]*bound, error) {
	if len(bindings) == 0 {
		return nil, errors.New("runtime: no binding")
	}
	var all []*bound
	for _, b := range bindings {
		switch {
		case b.Revision == "":
			return nil, errors.New("runtime: a binding without a revision")
		case b.Direction != side:
			return nil, fmt.Errorf("runtime: the binding of %s is for messages %s, not %s", b.Revision, b.Direction, side)
		}
		at, found := slices.BinarySearchFunc(all, b.Revision, func(other *bound, revision string) int {
			return strings.Compare(revision, other.Revision)
		})
		if found {
			return nil, fmt.Errorf("runtime: two bindings of %s", b.Revision)
		}
		all = slices.Insert(all, at, bind(b, around))
	}
	return all, nil
}

// ofEra returns the bindings of revisions with or without sessions, in their order.
func ofEra(bindings []*bound, stateless bool) []*bound {
	var of []*bound
	for _, b := range bindings {
		if b.stateless == stateless {
			of = append(of, b)
		}
	}
	return of
}

func revisions(bindings []*bound) []string {
	names := make([]string, len(bindings))
	for i, b := range bindings {
		names[i] = b.Revision
	}
	return names
}
