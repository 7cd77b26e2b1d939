package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The revisions that tests speak.
const (
	r06 = "2025-06-18"
	r11 = "2025-11-25"
)

const (
	headerSession = headers.Session
	headerLast    = headers.LastID
)

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func initialize(revision string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, revision)
}

// call returns a request.
func call(id any, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":%q,"params":%s}`, id, method, params)
}

// handlers of a hand-written binding, by method.
type handlers map[string]func(ctx context.Context, m *runtime.Message) (wire.Appender, error)

func (h handlers) bind(revision string, d runtime.Direction) runtime.Binding {
	return runtime.Binding{Revision: revision, Direction: d, Handle: func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		if f, ok := h[m.Method]; ok {
			return f(ctx, m)
		}
		return nil, runtime.MethodNotFound(m.Method)
	}}
}

func (h handlers) with(more handlers) handlers {
	all := handlers{}
	for _, m := range []handlers{h, more} {
		for k, f := range m {
			all[k] = f
		}
	}
	return all
}

func echo(_ context.Context, m *runtime.Message) (wire.Appender, error) {
	return wire.Raw(m.Object()), nil
}

// base has the methods of most tests' servers.
var base = handlers{
	"echo": echo,
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
	"wait": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	},
	"notifications/initialized": func(context.Context, *runtime.Message) (wire.Appender, error) { return nil, nil },
}

// echoing answers the requests of "ask" as a client.
var echoing = handlers{"client/echo": echo}

var discard = slog.New(slog.DiscardHandler)

func newRuntimeServer(h handlers, opts runtime.ServerOptions, revisions ...string) *runtime.Server {
	opts.Name, opts.Version = "probe", "1"
	var bindings []runtime.Binding
	for _, r := range revisions {
		bindings = append(bindings, h.bind(r, runtime.ToServer))
	}
	return runtime.NewServer(opts, bindings...)
}

type userKey struct{}

// authenticated is a middleware that trusts the X-User header.
func authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, r.Header.Get("X-User"))))
	})
}

func userOf(r *http.Request) (string, error) {
	user, _ := r.Context().Value(userKey{}).(string)
	if user == "" {
		return "", errors.New("nobody")
	}
	return user, nil
}

// event is one event of a stream under test.
type event struct{ id, data string }

// streamOf reads n events, or all of them if n is 0.
func streamOf(t testing.TB, body io.Reader, n int) []event {
	t.Helper()
	var events []event
	reader := eventstream.NewReader(body, 1<<20)
	for n == 0 || len(events) < n {
		e, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("after %d events: %v", len(events), err)
		}
		events = append(events, event{e.ID, e.Data})
	}
	return events
}

// serve calls a handler without a network, for tests in a bubble of testing/synctest.
func serve(ctx context.Context, h http.Handler, method, body string, header ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	serveTo(ctx, w, h, method, body, header...)
	return w
}

// serveTo is serve with a response of the caller.
func serveTo(ctx context.Context, w http.ResponseWriter, h http.Handler, method, body string, header ...string) {
	r := httptest.NewRequestWithContext(ctx, method, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	h.ServeHTTP(w, r)
}

// syncBuffer is a buffer that several goroutines write to.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// String returns what was written.
func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
