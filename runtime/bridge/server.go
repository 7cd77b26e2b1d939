package bridge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// handle handles a message of the server, and the questions in its results.
func (l *link) handle(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
	method, params := m.Method, wire.Raw(m.Object())
	if method == methodPing {
		return nil, runtime.MethodNotFound(method) // the runtime answers it
	}
	select {
	case <-l.opened:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	own := runtime.CallOf(ctx)
	p, within := ctx.Value(clientRequestKey{}).(*clientRequest)
	switch {
	case method == methodProgress:
		l.reported(ctx, params)
		return nil, nil
	case slices.Contains(ofRequests, method):
		return nil, nil
	case own.ID().IsZero() && !within:
		return nil, l.announce(ctx, method, params)
	case l.conn == nil:
		return l.await(ctx, method, params)
	}
	session, err := l.conn.sessionOf(ctx)
	if err != nil {
		return nil, failure(method, "client", err)
	}
	caller := runtime.Caller(session)
	if within {
		caller = p.call
	} else if newest := l.newest(); newest != nil {
		caller = newest
	}
	answer, err := l.ask(ctx, caller, method, params, own)
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// ask sends a request of the server to a client. Own is the call of the server's request, to which the
// client's progress is reported.
func (l *link) ask(ctx context.Context, to runtime.Caller, method string, params wire.Raw, own *runtime.Call) (wire.Raw, error) {
	params, follow := withToken(params, "")
	if follow && own != nil {
		ctx = runtime.WithProgress(ctx, func(p runtime.Progress) {
			l.progress(ctx, own, p.Params, l.of.revision.ID, l.native.ID)
		})
	}
	var answer wire.Raw
	err := l.to(to).Call(ctx, method, runtime.ParamsOf(params), &answer)
	return answer, failure(method, "client", err)
}

// announce passes a notification of the server on.
func (l *link) announce(ctx context.Context, method string, params wire.Raw) error {
	if l.conn == nil {
		return l.announceStateless(ctx, method, params)
	}
	session, err := l.conn.sessionOf(ctx)
	if err != nil {
		return nil // no client can get it
	}
	caller := runtime.Caller(session)
	if newest := l.newest(); newest != nil && !l.isNews(method) {
		caller = newest
	}
	return l.tell(ctx, caller, method, params)
}

// announceStateless passes a notification on to the clients that listen for it, or to the newest request.
func (l *link) announceStateless(ctx context.Context, method string, params wire.Raw) error {
	if l.isNews(method) {
		l.mu.Lock()
		listeners := slices.Collect(maps.Keys(l.listeners))
		l.mu.Unlock()
		for _, listener := range listeners {
			listener.put(runtime.Notification{Method: method, Params: params})
		}
		return nil
	}
	newest := l.newest()
	if newest == nil {
		l.bridge.lose(ctx, l.native.ID, l.of.revision.ID, method, "", "not sent: without a session, a notification belongs to a request, and there is none")
		return nil
	}
	return l.tell(ctx, newest, method, params)
}

// tell sends a notification to a client. One that the client cannot get is a loss.
func (l *link) tell(ctx context.Context, to runtime.Caller, method string, params wire.Raw) error {
	err := l.to(to).Notify(ctx, method, runtime.ParamsOf(params))
	_, unknown := errors.AsType[*runtime.MethodError](err)
	_, lacks := errors.AsType[*runtime.CapabilityError](err)
	if unknown || lacks || errors.Is(err, runtime.ErrNotRequested) {
		l.bridge.lose(ctx, l.native.ID, l.of.revision.ID, method, "", "not sent: %v", err)
		return nil
	}
	return err
}

// isNews reports whether a notification of the server is about a list or a resource, and thus belongs to no
// request. Such a notification needs a part of a capability, such as tools.listChanged.
func (l *link) isNews(method string) bool {
	i := slices.IndexFunc(l.native.Methods, func(m runtime.Method) bool { return m.Name == method && m.Kind == jsonrpc.Notification })
	return i >= 0 && strings.Contains(l.native.Methods[i].Capability, ".")
}
