package tasks_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// named records the header Mcp-Name of requests for each value of Mcp-Method.
type named struct {
	http.RoundTripper
	mu    sync.Mutex
	names map[string][]string
}

func (n *named) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	method := r.Header.Get("Mcp-Method")
	n.names[method] = append(n.names[method], r.Header.Get("Mcp-Name"))
	n.mu.Unlock()
	return n.RoundTripper.RoundTrip(r)
}

// TestTaskHeaders checks that requests about a task have its id in the header Mcp-Name, by which a proxy
// may choose the replica.
//
// X19
func TestTaskHeaders(t *testing.T) {
	e := newExtended(t, nil, "", &counter{}, func(o *tasks.Options, _ *runtime.ServerOptions) { o.PollInterval = time.Millisecond })
	handler := streamable.NewHandler(e.server, streamable.Options{})
	web := httptest.NewServer(handler)
	defer web.Close()
	defer handler.Close()

	seen := &named{RoundTripper: http.DefaultTransport, names: map[string][]string{}}
	transport, err := streamable.NewTransport(web.URL, streamable.ClientOptions{HTTPClient: &http.Client{Transport: seen}})
	if err != nil {
		t.Fatal(err)
	}
	answers := runtime.Handlers{"elicitation/create": func(context.Context, *runtime.Message) (wire.Appender, error) {
		return wire.Object(`{"action":"decline"}`), nil
	}}
	ctx, leave := context.WithCancel(t.Context())
	var ids []string
	client := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1", Capabilities: wire.Raw(`{"elicitation":{}}`)},
		tasks.ExtendClient(answers.Bind(mcp20260728.Revision, mcp20260728.Methods), tasks.ClientOptions{
			Created: func(_ context.Context, id string) {
				if ids = append(ids, id); len(ids) == 2 {
					leave() // which cancels the second task
				}
			},
		}))
	session, err := client.Connect(t.Context(), transport)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	caller := mcp20260728.NewServerCaller(session)
	if _, err := caller.CallTool(ctx, &mcp20260728.CallToolRequestParams{Name: "ask"}); err != nil {
		t.Fatal(err)
	}
	if _, err := caller.CallTool(ctx, &mcp20260728.CallToolRequestParams{Name: "sleep"}); err == nil {
		t.Error("a call whose context has ended has a result")
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	for method, id := range map[string]string{"tasks/get": ids[0], "tasks/update": ids[0], "tasks/cancel": ids[1]} {
		if names := seen.names[method]; len(names) == 0 || names[0] != id {
			t.Errorf("X19: %s has the names %q, want %q", method, names, id)
		}
	}
}
