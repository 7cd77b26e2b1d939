package bridge

import (
	"context"
	"iter"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	methodSubscribe   = "resources/subscribe"
	methodUnsubscribe = "resources/unsubscribe"
	methodAck         = "notifications/subscriptions/acknowledged"
)

// listen bridges subscriptions/listen of a client without a session. At a server with sessions, the session subscribes
// to the resources.
func (l *link) listen(ctx context.Context, call *runtime.Call, params wire.Object) (wire.Appender, error) {
	asked, _ := params.Get("notifications")
	if asked.Kind() != wire.KindObject {
		return call.Listen(ctx, params, func(context.Context, *runtime.ServerSession) {}) // it returns an error
	}
	hearing, end := context.WithCancel(ctx)
	defer end()
	next, stop := iter.Pull2(l.session.Listen(hearing, wire.Object(asked)))
	defer stop()
	first, err, ok := next()
	if !ok {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, refusedListen(err)
	}
	honoured := wire.Raw("{}")
	if acknowledged, _ := wire.Object(first.Params).Get("notifications"); acknowledged.Kind() == wire.KindObject {
		honoured = acknowledged
	}
	return call.Listen(ctx, wire.Object(`{"notifications":`+honoured+`}`), func(ctx context.Context, s *runtime.ServerSession) {
		defer context.AfterFunc(ctx, end)() // a goroutine that waits for ctx would take 3 KB
		for {
			n, err, ok := next()
			switch {
			case !ok || err != nil:
				return
			case n.Method == methodAck:
				l.tellAll(ctx, s, wire.Object(honoured)) // notifications may have been lost
			case l.notifyClient(ctx, s, n.Method, n.Params) != nil:
				return
			}
		}
	})
}

// tellAll tells a client that everything that it listens to may have changed.
func (l *link) tellAll(ctx context.Context, s *runtime.ServerSession, honoured wire.Object) {
	for _, m := range l.native.Methods {
		values, ok := honoured.Get(m.Filter)
		switch {
		case m.Filter == "" || !ok:
		case m.FilterParam == "":
			_ = l.notifyClient(ctx, s, m.Name, "")
		default:
			for _, value := range values.Elements() {
				_ = l.notifyClient(ctx, s, m.Name, `{"`+wire.Raw(m.FilterParam)+`":`+value+`}`)
			}
		}
	}
}

// refusedListen returns the error for a client whose subscription the server refuses. It must not be
// MethodNotFound, because the runtime would then answer the request itself.
func refusedListen(err error) error {
	err = failure(methodListen, "server", err)
	if e, ok := err.(*jsonrpc.Error); ok && e.Code == jsonrpc.CodeMethodNotFound {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "the server has no subscriptions: %.500s", e.Message)
	}
	return err
}
