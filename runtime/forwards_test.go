package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// between connects a client and a server of the newest revision. Forwards applies to the client.
func between(t *testing.T, forwards bool, handle runtime.Handler, heard func(method string)) *runtime.Session {
	t.Helper()
	server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(`{"tools":{},"logging":{}}`)},
		runtime.Binding{Revision: mcp20260728.Revision, Direction: runtime.ToServer, Methods: mcp20260728.Methods,
			Handle: func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
				if message.Method == "server/discover" {
					return nil, runtime.MethodNotFound(message.Method) // the runtime answers it
				}
				return handle(ctx, message)
			}})
	near, far := inproc.Pair()
	go server.Serve(context.Background(), far)
	client := runtime.Binding{Revision: mcp20260728.Revision, Direction: runtime.ToClient, Methods: mcp20260728.Methods, Forwards: forwards,
		Handle: func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
			method := message.Method
			heard(method)
			return nil, nil
		}}
	s, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, client).Connect(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestForwards checks what only a binding that forwards may do: send a method that its revision does not have,
// and get a result of an unknown type.
func TestForwards(t *testing.T) {
	for _, forwards := range []bool{false, true} {
		t.Run(fmt.Sprint(forwards), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := between(t, forwards, func(context.Context, *runtime.Message) (wire.Appender, error) {
					return wire.Raw(`{"resultType":"vendor","a":1}`), nil
				}, func(string) {})
				for _, method := range []string{"vendor/method", "tools/call"} {
					var got wire.Object
					err := s.Call(t.Context(), method, wire.Raw(`{"name":"n"}`), &got)
					_, unknown := errors.AsType[*runtime.MethodError](err)
					if forwards && (err != nil || got.GetString("resultType") != "vendor") || !forwards && (err == nil || unknown != (method == "vendor/method")) {
						t.Errorf("%s: %s, %v", method, got, err)
					}
				}
				s.Close()
			})
		})
	}
}

// TestSettle checks that Settle returns when the handlers of all notifications before an answer have returned,
// and when the session ends.
func TestSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		var heard []string
		s := between(t, true, func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			for _, method := range []string{"notifications/vendor/a", "notifications/vendor/b"} {
				if err := runtime.CallOf(ctx).Notify(ctx, method, nil); err == nil {
					t.Error("a server that does not forward has sent an unknown notification")
				}
				if err := runtime.CallOf(ctx).Notify(ctx, "notifications/message", wire.Raw(`{"level":"error","data":1}`)); err != nil {
					t.Error(err)
				}
			}
			return wire.Raw(`{"content":[]}`), nil
		}, func(method string) {
			<-hold
			heard = append(heard, method)
		})
		params := wire.Raw(`{"name":"n","_meta":{"io.modelcontextprotocol/logLevel":"debug"}}`)
		if err := s.Call(t.Context(), "tools/call", params, nil); err != nil {
			t.Fatal(err)
		}
		settled := make(chan struct{})
		go func() {
			s.Settle(t.Context())
			close(settled)
		}()
		synctest.Wait()
		select {
		case <-settled:
			t.Error("Settle has not waited")
		default:
		}
		close(hold)
		<-settled
		if diff := cmp.Diff([]string{"notifications/message", "notifications/message"}, heard); diff != "" {
			t.Error(diff)
		}
		s.Settle(t.Context()) // nothing waits
		s.Close()
		s.Settle(t.Context())
	})
}

// replies is an Outbox that keeps the answers of requests.
type replies struct {
	mu     sync.Mutex
	errors []error
}

func (r *replies) Send(_ context.Context, m runtime.Outgoing) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, m.Err)
	return nil
}

func (r *replies) Close() error { return nil }

// TestForwardedCase checks that a server which passes messages on refuses names that differ in case alone from those
// that the headers of an HTTP request repeat, because the server behind it may ignore case. A server that it is for
// knows its own names.
func TestForwardedCase(t *testing.T) {
	var tools headers.Tools
	if err := tools.Read(`{"name":"a","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		more    string
		refused bool
	}{
		{`"arguments":{"region":"north","zone":"b"}`, false},
		{`"arguments":{"region":"north","Region":"south"}`, true},
		{`"arguments":{"region":"north"},"Name":"b"`, true},
		{`"arguments":{"region":"north"},"Arguments":{"region":"south"}`, true},
		{`"arguments":{"region":"north"},"_Meta":{}`, true},
	} {
		for _, forwards := range []bool{false, true} {
			server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(`{"tools":{}}`)},
				runtime.Binding{Revision: mcp20260728.Revision, Direction: runtime.ToServer, Methods: mcp20260728.Methods, Forwards: forwards, ToolHeaders: tools.Table,
					Handle: func(context.Context, *runtime.Message) (wire.Appender, error) { return wire.Raw(`{"content":[]}`), nil }})
			out := new(replies)
			in, err := server.Open(t.Context(), out, runtime.Handshake{Stateless: true}, func(error) {})
			if err != nil {
				t.Fatal(err)
			}
			if run := in.Accept(runtime.Incoming{
				Text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",` + c.more +
					`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
				Reply:  out,
				Header: headers.Header{headers.Revision: {"2026-07-28"}, headers.Method: {"tools/call"}, headers.Name: {"a"}, "Mcp-Param-Region": {"north"}},
			}); run != nil {
				run()
			}
			if len(out.errors) != 1 || (out.errors[0] != nil) != (c.refused && forwards) {
				t.Errorf("%s, forwards %t: %v", c.more, forwards, out.errors)
			}
			in.Shutdown(t.Context())
		}
	}
}
