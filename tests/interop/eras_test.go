package interop

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// The kinds of clients and servers: for revisions with sessions, without them, and for both.
var eraKinds = []string{"session", "stateless", "both"}

// eraOf returns the era in which a client talks to a server, "" if it cannot ("Compatibility Matrix"
// in basic/versioning, 2026-07-28).
func eraOf(client, server string) string {
	switch {
	case client == "both" && server == "both":
		return "stateless"
	case client == "both":
		return server
	case server == "both" || client == server:
		return client
	}
	return ""
}

// ofKind removes the bindings of the revisions that a kind does not speak.
func ofKind(kind string, bindings []runtime.Binding) []runtime.Binding {
	return slices.DeleteFunc(bindings, func(b runtime.Binding) bool {
		return kind == "session" && b.Stateless() || kind == "stateless" && !b.Stateless()
	})
}

// eraServer returns a server of a kind, with one tool.
func eraServer(kind string) *runtime.Server {
	c := catalog.New(catalog.Options{Convert: compat.Converter(mcp.Revision, compat.Options{})})
	add := catalog.NewTool(&mcp.Tool{Name: "add", Description: new("Adds.")}, func(_ context.Context, in wire.Object) (*mcp.CallToolResult, error) {
		var numbers struct{ A, B int }
		if err := json.Unmarshal([]byte(in), &numbers); err != nil {
			return nil, err
		}
		text, err := json.Marshal(numbers.A + numbers.B)
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: string(text)}}}, err
	})
	if err := c.Add(add); err != nil {
		panic(err)
	}
	options := runtime.ServerOptions{Name: kind, Version: "1.0.0", Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}}}
	return runtime.NewServer(options, ofKind(kind, compat.Serve(c.Over(mcp.BindBase()), compat.Options{}))...)
}

// eraArgument makes the test binary serve over standard input and output:
//
//	interop.test era KIND
const eraArgument = "era"

func serveEra(kind string) int {
	if err := stdio.Serve(context.Background(), eraServer(kind)); err != nil {
		return 1
	}
	return 0
}

// outcome is what a client has seen.
type outcome struct {
	Revision string   `json:"revision"`
	Tools    []string `json:"tools"`
	Text     string   `json:"text"`
	Error    string   `json:"error"`
}

// eraClient calls the tool as a client of a kind.
func eraClient(ctx context.Context, kind string, transport runtime.Transport) (o outcome) {
	bindings := ofKind(kind, compat.Client(mcp.BindClient(mcp.UnimplementedClient{}), compat.Options{}))
	session, err := runtime.NewClient(runtime.ClientOptions{Name: kind, Version: "1.0.0"}, bindings...).Connect(ctx, transport)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	defer session.Close()
	o.Revision = session.Revision()
	server := mcp.NewServerCaller(session)
	for tool, err := range server.Tools(ctx) {
		if err != nil {
			return outcome{Error: err.Error()}
		}
		o.Tools = append(o.Tools, tool.Name)
	}
	result, err := server.CallTool(ctx, &mcp.CallToolRequestParams{Name: "add", Arguments: `{"a":1,"b":2}`})
	if err != nil {
		return outcome{Error: err.Error()}
	}
	o.Text = result.Content[0].(*mcp.TextContent).Text
	return o
}

// TestEras has each kind of client call each kind of server, over stdio and HTTP. One side is ours, or
// both; the other is on the official TypeScript SDKs.
func TestEras(t *testing.T) {
	t.Parallel()
	npm.Need(t, ".")
	for _, sides := range []struct{ client, server string }{{"mcpgen", "mcpgen"}, {"mcpgen", "typescript"}, {"typescript", "mcpgen"}} {
		for _, way := range []string{"stdio", "http"} {
			for _, clientKind := range eraKinds {
				for _, serverKind := range eraKinds {
					// V18, V19, V20, V21, V22, V23, V24
					name := sides.client + " to " + sides.server + " over " + way + ": " + clientKind + " to " + serverKind
					t.Run(name, func(t *testing.T) {
						ctx := testkit.Context(t)
						got := meet(ctx, t, sides.client, clientKind, sides.server, serverKind, way)
						checkEra(t, eraOf(clientKind, serverKind), got)
					})
				}
			}
		}
	}
}

// checkEra checks what a client has seen of a server in an era, which is "" if it could not connect.
func checkEra(t *testing.T, era string, got outcome) {
	t.Helper()
	if era == "" {
		if got.Error == "" {
			t.Errorf("got %+v, want an error", got)
		}
		t.Logf("error: %s", got.Error)
		return
	}
	stateless := got.Revision >= "2026-07-28"
	if got.Error != "" || got.Text != "3" || !slices.Equal(got.Tools, []string{"add"}) || stateless != (era == "stateless") {
		t.Errorf("got %+v, want the era %q", got, era)
	}
}

// meet starts a server and returns what a client sees of it.
func meet(ctx context.Context, t *testing.T, client, clientKind, server, serverKind, way string) outcome {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := []string{self, eraArgument, serverKind}
	if server == "typescript" {
		command = []string{"node", "eras_server.mjs", serverKind, way}
	}
	target := command
	if way == "http" {
		target = []string{eraURL(t, server, serverKind, command)}
	}
	if client == "typescript" {
		out, err := exec.CommandContext(ctx, "node", append([]string{"eras_client.mjs", clientKind, way}, target...)...).Output()
		if err != nil {
			t.Fatalf("node: %v", err)
		}
		var o outcome
		if err := json.Unmarshal(out, &o); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return o
	}
	if way == "stdio" {
		process := stdio.Command(exec.Command(target[0], target[1:]...))
		process.ProbeWait = -1 // these servers answer, however busy the machine is
		return eraClient(ctx, clientKind, process)
	}
	transport, err := streamable.NewTransport(target[0], streamable.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return eraClient(ctx, clientKind, transport)
}

// eraURL starts a server over HTTP and returns its URL.
func eraURL(t *testing.T, server, kind string, command []string) string {
	t.Helper()
	if server == "typescript" {
		url, _ := startHTTP(t, exec.Command(command[0], command[1:]...), "url=")
		return url
	}
	handler := streamable.NewHandler(eraServer(kind), streamable.Options{})
	web := httptest.NewServer(handler)
	t.Cleanup(func() {
		handler.Close()
		web.Close()
	})
	return web.URL
}
