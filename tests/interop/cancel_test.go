package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// TestTypeScriptCancels cancels calls with the TypeScript clients of both generations, with and
// without earlier events, in every revision that they speak. In sessions, the clients ask for the
// streams of these calls again and then stop. Otherwise, closing the response cancels the call.
// Notifications outside of calls arrive once.
//
// H20
func TestTypeScriptCancels(t *testing.T) {
	t.Parallel()
	npm.Need(t, ".")
	if _, err := os.ReadFile("cancel.mjs"); err != nil {
		t.Fatal(err)
	}
	for _, sdk := range []string{"v1", "v2"} {
		for i, binding := range cancelServer(t) {
			if sdk == "v1" && binding.Stateless() {
				continue // the older client only opens sessions
			}
			t.Run(sdk+"/"+binding.Revision, func(t *testing.T) {
				t.Parallel()
				binding := cancelServer(t)[i] // its own resource, so that no other test changes it
				server := runtime.NewServer(runtime.ServerOptions{
					Name: "cancel", Version: "1.0.0",
					Capabilities: &mcp.ServerCapabilities{
						Tools:     &mcp.ServerCapabilitiesTools{},
						Resources: &mcp.ServerCapabilitiesResources{Subscribe: new(true)},
					},
				}, binding)
				handler := streamable.NewHandler(server, streamable.Options{Retry: 20 * time.Millisecond})
				ts := httptest.NewServer(handler)
				t.Cleanup(ts.Close)
				t.Cleanup(handler.Close)
				p := newProxy(t, ts.URL, nil)
				args := []string{sdk, p.URL}
				if binding.Stateless() {
					args = append(args, binding.Revision)
				}
				got, want := runCancel(t, args...), cancelReport{
					Outcomes:   []any{"cancelled", "cancelled", "cancelled", float64(jsonrpc.CodeInternalError), "hello"},
					Updates:    3,
					Complaints: []string{},
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("the client saw (-want +got):\n%s", diff)
				}
				if binding.Stateless() {
					checkPosts(t, p.list())
					p.log.closed = 3
				} else {
					checkGets(t, p.list())
				}
				check(t, p.log, binding.Revision)
			})
		}
	}
}

// cancelReport is what cancel.mjs prints.
type cancelReport struct {
	Outcomes   []any    `json:"outcomes"`
	Updates    int      `json:"updates"`
	Complaints []string `json:"complaints"`
}

func runCancel(t *testing.T, args ...string) (report cancelReport) {
	t.Helper()
	ctx := testkit.Context(t)
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, "node", append([]string{"cancel.mjs"}, args...)...)
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node cancel.mjs: %v\n%s\n%s", err, out, &log)
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return report
}

// checkGets checks that a client opens one stream for messages outside of calls, and resumes
// each other stream at most once.
func checkGets(t *testing.T, exchanges []exchange) {
	t.Helper()
	own := 0
	var resumed []string
	for _, e := range exchanges {
		switch {
		case e.Method != http.MethodGet:
			if e.Status/100 != 2 {
				t.Errorf("%+v", e)
			}
		case e.Last == "":
			own++
		case slices.Contains(resumed, e.Last):
			t.Errorf("the client resumed a stream twice: %+v", e)
		default:
			resumed = append(resumed, e.Last)
		}
	}
	if own != 1 {
		t.Errorf("%d GETs without Last-Event-ID, want 1", own)
	}
	if len(resumed) == 0 {
		t.Error("no stream was resumed, so nothing was tested")
	}
}

// checkPosts checks that a client of a revision without sessions only sends POSTs, without the ids of
// sessions and events.
func checkPosts(t *testing.T, exchanges []exchange) {
	t.Helper()
	for _, e := range exchanges {
		if e.Method != http.MethodPost || e.Status/100 != 2 || e.Session != "" || e.Last != "" {
			t.Errorf("%+v", e)
		}
	}
}

// cancelServer returns the bindings of a server with calls that end only if they are cancelled. Its tool
// greet answers once three of them have ended.
func cancelServer(t *testing.T) []runtime.Binding {
	t.Helper()
	c := catalog.New(catalog.Options{Convert: ladder.Converter(mcp.Revision, ladder.Options{})})
	text := func(s string) (wire.Appender, error) {
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: s}}}, nil
	}
	begun, ended := make(chan struct{}, 1), make(chan struct{}, 3)
	wait := func(ctx context.Context) (wire.Appender, error) {
		<-ctx.Done()
		ended <- struct{}{}
		return nil, context.Cause(ctx)
	}
	progress := func(ctx context.Context) error {
		return runtime.CallOf(ctx).Progress(ctx, 1, nil, "")
	}
	tools := map[string]func(context.Context) (wire.Appender, error){
		"greet": func(context.Context) (wire.Appender, error) {
			for range 3 {
				<-ended
			}
			return text("hello")
		},
		"steps": func(ctx context.Context) (wire.Appender, error) {
			if err := progress(ctx); err != nil {
				return nil, err
			}
			return wait(ctx)
		},
		"silent": func(ctx context.Context) (wire.Appender, error) {
			begun <- struct{}{}
			return wait(ctx)
		},
		"begun": func(context.Context) (wire.Appender, error) {
			<-begun
			return text("begun")
		},
		"fails": func(ctx context.Context) (wire.Appender, error) {
			if err := progress(ctx); err != nil {
				return nil, err
			}
			return nil, jsonrpc.Errorf(jsonrpc.CodeInternalError, "out of order")
		},
		"touch": func(context.Context) (wire.Appender, error) {
			c.ResourceUpdated("test://watched")
			return text("touched")
		},
	}
	for name, run := range tools {
		err := c.Add(catalog.Tool{
			Definition: wire.Object(`{"name":"` + name + `","inputSchema":{"type":"object"}}`),
			Call:       func(ctx context.Context, _ wire.Object) (wire.Appender, error) { return run(ctx) },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := c.Add(catalog.Resource{
		Definition: wire.Object(`{"uri":"test://watched","name":"watched"}`),
		Read: func(context.Context, string) (wire.Appender, error) {
			return &mcp.ReadResourceResult{}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return ladder.Serve(c.Over(mcp.BindServer(mcp.UnimplementedServer{})), ladder.Options{})
}
