package streamable

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// losing is an http.RoundTripper that loses responses to tools/call after the server has handled the request.
type losing struct {
	http.RoundTripper
	losses atomic.Int64 // still to come
}

func (l *losing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.GetBody == nil {
		return l.RoundTripper.RoundTrip(r)
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	resp, err := l.RoundTripper.RoundTrip(r)
	if err == nil && strings.Contains(string(text), `"tools/call"`) && l.losses.Add(-1) >= 0 {
		resp.Body.Close()
		return nil, io.ErrUnexpectedEOF
	}
	return resp, err
}

// TestLostCallsAreRepeated checks that a call whose answer is lost is sent again if the server has listed the
// tool as one that only reads or is idempotent, a few times, and that any other is reported as lost.
func TestLostCallsAreRepeated(t *testing.T) {
	for _, revision := range []string{r11, r07} {
		for _, row := range []struct {
			tool   string
			losses int64
			calls  int64
			lost   bool
		}{
			{"reads", 2, 3, false},
			{"idempotent", 1, 2, false},
			{"reads", 100, 4, true},
			{"writes", 1, 1, true},
			{"unhinted", 1, 1, true},
			{"unlisted", 1, 1, true},
		} {
			t.Run(revision+" "+row.tool, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var calls atomic.Int64
					h := base.With(mcptest.Handlers{
						"tools/list": func(context.Context, *runtime.Message) (wire.Appender, error) {
							return wire.Raw(`{"tools":[
								{"name":"reads","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
								{"name":"idempotent","inputSchema":{"type":"object"},"annotations":{"idempotentHint":true,"readOnlyHint":false}},
								{"name":"writes","inputSchema":{"type":"object"},"annotations":{"idempotentHint":false,"readOnlyHint":"true"}},
								{"name":"unhinted","inputSchema":{"type":"object"}}]}`), nil
						},
						"tools/call": func(context.Context, *runtime.Message) (wire.Appender, error) {
							calls.Add(1)
							return wire.Raw(`{"content":[]}`), nil
						},
					})
					bind := func(d runtime.Direction) runtime.Binding {
						b := h.Bind(revision, d)
						if revision == r07 {
							b.Methods = append(b.Methods, runtime.Method{Name: "server/discover", Kind: jsonrpc.Request, Direction: runtime.ToServer})
						}
						return b
					}
					server := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1", Logger: discard}, bind(runtime.ToServer))
					r := newMemoryRig(t, server, Options{})
					way := &losing{RoundTripper: r.Client().Transport}
					transport, err := NewTransport(r.URL, ClientOptions{HTTPClient: &http.Client{Transport: way}})
					if err != nil {
						t.Fatal(err)
					}
					s, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1", Logger: discard}, bind(runtime.ToClient)).Connect(t.Context(), transport)
					if err != nil {
						t.Fatal(err)
					}
					defer s.Close()
					if err := s.Call(t.Context(), "tools/list", nil, nil); err != nil {
						t.Fatal(err)
					}
					way.losses.Store(row.losses)
					err = s.Call(t.Context(), "tools/call", wire.Raw(`{"name":"`+row.tool+`"}`), nil)
					if _, lost := errors.AsType[*runtime.LostError](err); lost != row.lost || !lost && err != nil || calls.Load() != row.calls {
						t.Errorf("%d calls, error %v; want %d, lost %t", calls.Load(), err, row.calls, row.lost)
					}
				})
			})
		}
	}
}
