package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// gated is a table whose methods need capabilities.
var gated = []runtime.Method{
	{Name: "initialize", Kind: jsonrpc.Request, Direction: runtime.ToServer},
	{Name: "ping", Kind: jsonrpc.Request, Direction: runtime.ToServer | runtime.ToClient},
	{Name: "tools/call", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "tools"},
	{Name: "resources/subscribe", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "resources.subscribe"},
	{Name: "logging/setLevel", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "logging"},
	{Name: "roots/list", Kind: jsonrpc.Request, Direction: runtime.ToClient, Capability: "roots"},
	{Name: "sampling/createMessage", Kind: jsonrpc.Request, Direction: runtime.ToClient, Capability: "sampling"},
	{Name: "elicitation/create", Kind: jsonrpc.Request, Direction: runtime.ToClient, Capability: "elicitation"},
	{Name: "tasks/list", Kind: jsonrpc.Request, Direction: runtime.ToServer | runtime.ToClient, Capability: "tasks.list"},
	{Name: "notifications/initialized", Kind: jsonrpc.Notification, Direction: runtime.ToServer},
	{Name: "notifications/cancelled", Kind: jsonrpc.Notification, Direction: runtime.ToServer | runtime.ToClient},
	{Name: "notifications/progress", Kind: jsonrpc.Notification, Direction: runtime.ToServer | runtime.ToClient},
	{Name: "notifications/message", Kind: jsonrpc.Notification, Direction: runtime.ToClient, Capability: "logging"},
	{Name: "notifications/tools/list_changed", Kind: jsonrpc.Notification, Direction: runtime.ToClient, Capability: "tools.listChanged"},
	{Name: "notifications/roots/list_changed", Kind: jsonrpc.Notification, Direction: runtime.ToServer, Capability: "roots.listChanged"},
}

// bindGated is bind with the methods of gated.
func (s side) bindGated(revision string, d runtime.Direction) runtime.Binding {
	b := s.bind(revision, d)
	b.Methods = gated
	return b
}

// spied is an end of a pair that counts what is sent of its own accord, and not as an
// answer.
type spied struct {
	runtime.Transport
	own atomic.Int32
}

func (s *spied) Send(ctx context.Context, m runtime.Outgoing) error {
	if m.Kind != jsonrpc.Response {
		s.own.Add(1)
	}
	return s.Transport.Send(ctx, m)
}

// TestOutgoingCapabilities checks for both sides what may be sent: the capability that
// is wanting, "" for none.
func TestOutgoingCapabilities(t *testing.T) {
	for _, c := range []struct {
		name           string
		client, server string // their capabilities
		from           runtime.Direction
		method         string
		params         wire.Raw
		want           string
		own            bool
	}{
		{name: "request, not declared", from: runtime.ToServer, method: "tools/call", want: "tools"},
		{name: "request, empty object", server: `{"tools":{}}`, from: runtime.ToServer, method: "tools/call"},
		{name: "request, false", server: `{"tools":false}`, from: runtime.ToServer, method: "tools/call", want: "tools"},
		{name: "request, null", server: `{"tools":null}`, from: runtime.ToServer, method: "tools/call", want: "tools"},
		{name: "request, own capability does not count", client: `{"tools":{}}`, from: runtime.ToServer, method: "tools/call", want: "tools"},
		{name: "leaf, parent only", server: `{"resources":{}}`, from: runtime.ToServer, method: "resources/subscribe", want: "resources.subscribe"},
		{name: "leaf, true", server: `{"resources":{"subscribe":true}}`, from: runtime.ToServer, method: "resources/subscribe"},
		{name: "leaf, false", server: `{"resources":{"subscribe":false}}`, from: runtime.ToServer, method: "resources/subscribe", want: "resources.subscribe"},
		{name: "leaf, parent no object", server: `{"resources":true}`, from: runtime.ToServer, method: "resources/subscribe", want: "resources.subscribe"},
		{name: "leaf, an object", server: `{"tasks":{"list":{}}}`, from: runtime.ToServer, method: "tasks/list"},
		{name: "both sides may ask, only the client answers", client: `{"tasks":{"list":{}}}`, from: runtime.ToServer, method: "tasks/list", want: "tasks.list"},
		{name: "both sides may ask, the client answers", client: `{"tasks":{"list":{}}}`, from: runtime.ToClient, method: "tasks/list"},
		{name: "ping", from: runtime.ToServer, method: "ping"},
		{name: "to the client", from: runtime.ToClient, method: "roots/list", want: "roots"},
		{name: "to the client, declared", client: `{"roots":{}}`, from: runtime.ToClient, method: "roots/list"},

		{name: "notification, not declared", server: `{"tools":{}}`, from: runtime.ToClient, method: "notifications/tools/list_changed", want: "tools.listChanged", own: true},
		{name: "notification, declared", server: `{"tools":{"listChanged":true}}`, from: runtime.ToClient, method: "notifications/tools/list_changed"},
		{name: "notification of a client", client: `{"roots":{"listChanged":false}}`, from: runtime.ToServer, method: "notifications/roots/list_changed", want: "roots.listChanged", own: true},
		{name: "notification of a client, declared", client: `{"roots":{"listChanged":true}}`, from: runtime.ToServer, method: "notifications/roots/list_changed"},
		{name: "progress", from: runtime.ToClient, method: "notifications/progress"},

		{name: "sampling", client: `{"sampling":{}}`, from: runtime.ToClient, method: "sampling/createMessage", params: `{"messages":["tools"]}`},
		{name: "sampling with tools", client: `{"sampling":{}}`, from: runtime.ToClient, method: "sampling/createMessage", params: `{"tools":[]}`, want: "sampling.tools"},
		{name: "sampling with tools, declared", client: `{"sampling":{"tools":{}}}`, from: runtime.ToClient, method: "sampling/createMessage", params: `{"tools":[],"toolChoice":{}}`},
		{name: "sampling with a choice", client: `{"sampling":{}}`, from: runtime.ToClient, method: "sampling/createMessage", params: `{"toolChoice":{}}`, want: "sampling.tools"},
		{name: "form", client: `{"elicitation":{}}`, from: runtime.ToClient, method: "elicitation/create", params: `{"mode":"form"}`},
		{name: "form by default", client: `{"elicitation":{}}`, from: runtime.ToClient, method: "elicitation/create", params: `{"message":"mode"}`},
		{name: "form, named", client: `{"elicitation":{"form":{},"url":{}}}`, from: runtime.ToClient, method: "elicitation/create", params: `{"message":""}`},
		{name: "form, only url", client: `{"elicitation":{"url":{}}}`, from: runtime.ToClient, method: "elicitation/create", params: `{"message":""}`, want: "elicitation.form"},
		{name: "form, only url, by name", client: `{"elicitation":{"url":{}}}`, from: runtime.ToClient, method: "elicitation/create", params: `{"mode":"form"}`, want: "elicitation.form"},
		{name: "url", client: `{"elicitation":{"url":{}}}`, from: runtime.ToClient, method: "elicitation/create", params: `{"mode":"url"}`},
		{name: "url, not declared", client: `{"elicitation":{}}`, from: runtime.ToClient, method: "elicitation/create", params: `{"mode":"url"}`, want: "elicitation.url"},
		{name: "no elicitation", client: `{}`, from: runtime.ToClient, method: "elicitation/create", params: `{"mode":"form"}`, want: "elicitation"},
		{name: "no elicitation, url", client: `{}`, from: runtime.ToClient, method: "elicitation/create", params: `{"mode":"url"}`, want: "elicitation.url"},
		{name: "task", server: `{"tools":{}}`, from: runtime.ToServer, method: "tools/call", params: `{"name":"echo","task":{}}`, want: "tasks.requests.tools.call"},
		{name: "task among the arguments", server: `{"tools":{}}`, from: runtime.ToServer, method: "tools/call", params: `{"name":"echo","arguments":{"task":{}}}`},
		{name: "task, declared", server: `{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}`, from: runtime.ToServer, method: "tools/call", params: `{"name":"echo","task":{}}`},
		{name: "task of a client", client: `{"sampling":{}}`, from: runtime.ToClient, method: "sampling/createMessage", params: `{"task":{}}`, want: "tasks.requests.sampling.createMessage"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.server == "" {
				c.server = `{}`
			}
			if c.client == "" {
				c.client = `{}`
			}
			try := func(from runtime.Caller, spy *spied) {
				before := spy.own.Load()
				var params wire.Appender
				if c.params != "" {
					params = c.params
				}
				var err error
				if len(c.method) > 14 && c.method[:14] == "notifications/" {
					err = from.Notify(t.Context(), c.method, params)
				} else {
					err = from.Call(t.Context(), c.method, params, nil)
				}
				got, _ := errors.AsType[*runtime.CapabilityError](err)
				var want *runtime.CapabilityError
				if c.want != "" {
					want = &runtime.CapabilityError{Method: c.method, Capability: c.want, Own: c.own}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
				if sent := spy.own.Load() > before; sent == (want != nil) {
					t.Errorf("sent: %t", sent)
				}
			}
			a, b := inproc.Pair()
			serverEnd, clientEnd := &spied{Transport: a}, &spied{Transport: b}
			tried := make(chan struct{})
			server := runtime.NewServer(runtime.ServerOptions{Capabilities: wire.Raw(c.server)}, tools.with(side{
				"notifications/initialized": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
					defer close(tried)
					if c.from == runtime.ToClient {
						try(runtime.CallOf(ctx), serverEnd)
					}
					return nil, nil
				},
			}).bindGated(r11, runtime.ToServer))
			ended := make(chan error, 1)
			go func() { ended <- server.Serve(t.Context(), serverEnd) }()
			session, err := runtime.NewClient(runtime.ClientOptions{Capabilities: wire.Raw(c.client)}, side{}.bindGated(r11, runtime.ToClient)).Connect(t.Context(), clientEnd)
			if err != nil {
				t.Fatal(err)
			}
			<-tried
			if c.from == runtime.ToServer {
				try(session, clientEnd)
			}
			if err := errors.Join(session.Close(), <-ended); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestIncomingCapabilities checks that a side does not answer what it has not declared,
// though it could, and ignores notifications that the peer may not send.
func TestIncomingCapabilities(t *testing.T) {
	for _, c := range []struct {
		own, peer string
		answer    string // to tools/call
		changes   int    // notifications that reach their handler
	}{
		{`{"tools":{}}`, `{"roots":{"listChanged":true}}`, answered("1", `\{\}`), 1},
		{`{}`, `{"roots":{}}`, refused("1", "-32601", `method not found: .*tools/call.*`), 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			changes := 0
			server := runtime.NewServer(runtime.ServerOptions{Capabilities: wire.Raw(c.own)}, tools.with(side{
				"notifications/roots/list_changed": func(context.Context, *runtime.Message) (wire.Appender, error) {
					changes++
					return nil, nil
				},
			}).bindGated(r11, runtime.ToServer))
			conn := dial(t.Context(), t, server)
			conn.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"%s","capabilities":%s,"clientInfo":{"name":"test","version":"1"}}}`, r11, c.peer), initialized)
			conn.replies()
			conn.send(toolCall("1", "echo", "{}"))
			match(t, conn.replies(), []string{c.answer})
			conn.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
			match(t, conn.replies(), []string{answered("2", `\{\}`)})
			if changes != c.changes {
				t.Errorf("%d notifications handled, want %d", changes, c.changes)
			}
			conn.hangUp()
		})
	}
}

// TestResumedCapabilities checks what is allowed in a session without a handshake: what
// this side has declared, or would have, and anything of a peer that is not known.
func TestResumedCapabilities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		try := func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			c := runtime.CallOf(ctx)
			for _, err := range []error{c.Notify(ctx, "notifications/message", wire.Raw(`{"level":"info","data":1}`)), c.Notify(ctx, "notifications/tools/list_changed", nil)} {
				if err != nil {
					got = append(got, err.(*runtime.CapabilityError).Capability)
				}
			}
			go c.Call(ctx, "roots/list", nil, nil)
			return wire.Raw(`{}`), nil
		}
		server := runtime.NewServer(runtime.ServerOptions{Capabilities: wire.Raw(`{"tools":{},"logging":{}}`)},
			tools.with(side{"try": try}).bindGated(r11, runtime.ToServer))
		for _, own := range []wire.Object{"", `{"tools":{"listChanged":true}}`} {
			tr := newRouted()
			go server.Resume(t.Context(), tr, runtime.Handshake{Revision: r11, Capabilities: own})
			tr.in <- runtime.Incoming{Text: toolCall("1", "try", "{}")}
			tr.take()
			close(tr.in)
			synctest.Wait()
		}
		if diff := cmp.Diff([]string{"tools.listChanged", "logging"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestBadCapabilities checks that capabilities that are no object open no session.
func TestBadCapabilities(t *testing.T) {
	_, b := inproc.Pair()
	if _, err := runtime.NewClient(runtime.ClientOptions{Capabilities: wire.Raw(`[]`)}, side{}.bindGated(r11, runtime.ToClient)).Connect(t.Context(), b); err == nil {
		t.Error("connected")
	}
}
