// Package mcptest has servers and clients whose methods are functions of a test, and the messages that they exchange.
package mcptest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Initialized is the notification that ends the handshake.
const Initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// Initialize returns the request of a handshake.
func Initialize(revision string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, revision)
}

// Call returns a request.
func Call(id any, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":%q,"params":%s}`, id, method, params)
}

// Handlers are the methods of a hand-written binding.
type Handlers map[string]runtime.Handler

// With returns the handlers with more of them.
func (h Handlers) With(more Handlers) Handlers {
	all := maps.Clone(h)
	maps.Copy(all, more)
	return all
}

// Stateless is the first revision without sessions.
const Stateless = "2026-07-28"

// Bind returns a binding. For a revision with sessions, it has no method table, so that it may send everything.
func (h Handlers) Bind(revision string, d runtime.Direction) runtime.Binding {
	b := runtime.Binding{Revision: revision, Direction: d, Handle: func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		if f, ok := h[m.Method]; ok {
			return f(ctx, m)
		}
		return nil, runtime.MethodNotFound(m.Method)
	}}
	if revision >= Stateless {
		b.Methods = h.table()
	}
	return b
}

// table returns the method table of a revision without sessions.
func (h Handlers) table() []runtime.Method {
	all := []runtime.Method{{Name: "notifications/n", Kind: jsonrpc.Notification, Direction: runtime.ToClient}}
	for name := range h {
		m := runtime.Method{Name: name, Kind: jsonrpc.Request, Direction: runtime.ToServer}
		switch {
		case strings.HasPrefix(name, "notifications/"):
			m.Kind = jsonrpc.Notification
		case name == "tools/call":
			m.NameParam = "name"
		case name == "resources/read":
			m.NameParam = "uri"
		}
		all = append(all, m)
	}
	return all
}

// Echo returns the params of a request as its result.
func Echo(_ context.Context, m *runtime.Message) (wire.Appender, error) {
	return wire.Raw(m.Object()), nil
}

// Server has the methods of most tests' servers.
var Server = Handlers{
	"echo": Echo,
	// note sends two notifications before its answer.
	"note": func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(m.Object())
		for i := range 2 {
			if err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", wire.Raw(fmt.Sprintf(`{"i":%d}`, i))); err != nil {
				return nil, err
			}
		}
		return params, nil
	},
	// ask asks the client and returns its answer.
	"ask": func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		var result wire.Raw
		err := runtime.CallOf(ctx).Call(ctx, "client/echo", wire.Raw(m.Object()), &result)
		return result, err
	},
	// wait waits until it is cancelled.
	"wait": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	},
	"notifications/initialized": func(context.Context, *runtime.Message) (wire.Appender, error) { return nil, nil },
}

// Client answers the requests of the server's method ask.
var Client = Handlers{"client/echo": Echo}

// StressVariable sets the size of tests of many sessions: "sessions,calls of each". Set it to "1000,100" for the load
// that servers are designed for.
const StressVariable = "MCPGEN_STRESS"

// Slow is a transport whose Close waits until Closing is closed.
type Slow struct {
	runtime.Transport
	Closing <-chan struct{}
}

// Close implements runtime.Outbox.
func (s Slow) Close() error {
	<-s.Closing
	return s.Transport.Close()
}

// StressSize returns the size of tests of many sessions.
func StressSize(t *testing.T) (sessions, calls int) {
	size := cmp.Or(os.Getenv(StressVariable), "100,30")
	if _, err := fmt.Sscanf(size, "%d,%d", &sessions, &calls); err != nil {
		t.Fatalf("%s=%s: %v", StressVariable, size, err)
	}
	return sessions, calls
}
