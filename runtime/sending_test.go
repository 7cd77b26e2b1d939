package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/generated/mcp20250326"
	"github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The capabilities that are needed for anything.
const (
	allOfServer = `{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},` +
		`"tools":{"listChanged":true},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`
	allOfClient = `{"roots":{"listChanged":true},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}},` +
		`"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}}`
)

// spoken are the two sides of every revision.
var spoken = []struct{ server, client runtime.Binding }{
	{mcp20241105.BindServer(mcp20241105.UnimplementedServer{}), mcp20241105.BindClient(mcp20241105.UnimplementedClient{})},
	{mcp20250326.BindServer(mcp20250326.UnimplementedServer{}), mcp20250326.BindClient(mcp20250326.UnimplementedClient{})},
	{mcp20250618.BindServer(mcp20250618.UnimplementedServer{}), mcp20250618.BindClient(mcp20250618.UnimplementedClient{})},
	{mcp20251125.BindServer(mcp20251125.UnimplementedServer{}), mcp20251125.BindClient(mcp20251125.UnimplementedClient{})},
}

// TestSending checks what each side may send in each revision: what the revision's table
// has, and of all that other tables have nothing else.
func TestSending(t *testing.T) {
	var methods []string
	for _, s := range spoken {
		for _, m := range s.server.Methods {
			methods = append(methods, m.Name)
		}
	}
	methods = append(methods, "x/y", "notifications/x")
	slices.Sort(methods)
	methods = slices.Compact(methods)

	for _, s := range spoken {
		t.Run(s.server.Revision, func(t *testing.T) {
			a, b := inproc.Pair()
			serverEnd, clientEnd := &spied{Transport: a}, &spied{Transport: b}
			opened := make(chan *runtime.ServerSession, 1)
			binding := whenOpened(s.server, func(s *runtime.ServerSession) { opened <- s })
			server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(allOfServer)}, binding)
			ended := make(chan error, 1)
			go func() { ended <- server.Serve(t.Context(), serverEnd) }()
			session, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1", Capabilities: wire.Raw(allOfClient)}, s.client).Connect(t.Context(), clientEnd)
			if err != nil {
				t.Fatal(err)
			}
			sent := 0
			for _, side := range []struct {
				runtime.Caller
				to  runtime.Direction
				end *spied
			}{{session, runtime.ToServer, clientEnd}, {<-opened, runtime.ToClient, serverEnd}} {
				for _, method := range methods {
					kind, send := jsonrpc.Request, func() error { return side.Call(t.Context(), method, nil, nil) }
					if strings.HasPrefix(method, "notifications/") {
						kind, send = jsonrpc.Notification, func() error { return side.Notify(t.Context(), method, nil) }
					}
					has := slices.ContainsFunc(s.server.Methods, func(m runtime.Method) bool {
						return m.Name == method && m.Kind == kind && m.Direction&side.to != 0
					})
					var want *runtime.MethodError
					if !has {
						want = &runtime.MethodError{Method: method, Kind: kind, To: side.to, Revision: s.server.Revision}
					}
					before := side.end.own.Load()
					got, _ := errors.AsType[*runtime.MethodError](send())
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s %s (-want +got):\n%s", method, side.to, diff)
					}
					if side.end.own.Load() > before != has {
						t.Errorf("%s %s: sent although it was refused, or not sent", method, side.to)
					}
					if has {
						sent++
					}
				}
			}
			t.Logf("%d of %d methods sent", sent, 2*len(methods))
			if err := errors.Join(session.Close(), <-ended); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMethodError checks that a request is not sent as a notification, nor the other way
// round, and what the error says.
func TestMethodError(t *testing.T) {
	session, end := connect(t, newServer(t, tools, runtime.ServerOptions{}, r06), newClient(nil, r06))
	defer end()
	for _, row := range []struct {
		err  error
		want string
	}{
		{session.Notify(t.Context(), "tools/call", nil), `runtime: revision 2025-06-18 has no notification "tools/call" that is sent to server`},
		{session.Call(t.Context(), "notifications/initialized", nil, nil), `runtime: revision 2025-06-18 has no request "notifications/initialized" that is sent to server`},
		{session.Call(t.Context(), "roots/list", nil, nil), `runtime: revision 2025-06-18 has no request "roots/list" that is sent to server`},
	} {
		if fmt.Sprint(row.err) != row.want {
			t.Errorf("got %v, want %s", row.err, row.want)
		}
	}
}

// TestLeftOut checks that log messages and progress are not sent where the revision or
// the capabilities do not have them, and that this is no error.
func TestLeftOut(t *testing.T) {
	tell := func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		c := runtime.CallOf(ctx)
		return wire.Raw(`{}`), errors.Join(
			c.Log(ctx, runtime.LogAlert, "", nil), c.Session().Log(ctx, runtime.LogAlert, "", nil),
			c.Progress(ctx, 1, nil, ""))
	}
	for _, s := range spoken {
		for _, row := range []struct {
			capabilities string
			without      string // methods that begin with it are not in the table
			want         int32  // messages besides the answers to initialize and the call
		}{
			{`{"tools":{},"logging":{}}`, "-", 3},
			{`{"tools":{}}`, "-", 1},
			{`{"tools":{},"logging":{}}`, "notifications/message", 1},
			{`{"tools":{},"logging":{}}`, "notifications/", 0},
		} {
			t.Run(s.server.Revision+row.capabilities+row.without, func(t *testing.T) {
				b := side{"tell": tell}.bind(s.server.Revision, runtime.ToServer)
				b.Methods = slices.DeleteFunc(slices.Clone(s.server.Methods), func(m runtime.Method) bool { return strings.HasPrefix(m.Name, row.without) })
				near, far := inproc.Pair()
				spy := &spied{Transport: far}
				ended := make(chan error, 1)
				go func() {
					ended <- runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(row.capabilities)}, b).Serve(t.Context(), spy)
				}()
				session, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, s.client).Connect(t.Context(), near)
				if err != nil {
					t.Fatal(err)
				}
				if err := session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"tell","_meta":{"progressToken":1}}`), nil); err != nil {
					t.Error(err)
				}
				if err := errors.Join(session.Close(), <-ended); err != nil {
					t.Error(err)
				}
				if got := spy.own.Load(); got != row.want {
					t.Errorf("%d messages, want %d", got, row.want)
				}
			})
		}
	}
}
