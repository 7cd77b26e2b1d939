package compat

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated"
	ladder "github.com/mcpgen/mcpgen/generated/compat"
	extension "github.com/mcpgen/mcpgen/generated/ext/tasks"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/generated/mcp20250326"
	"github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/everything"
)

// way is a way to build a server.
type way struct {
	name  string
	build func(items []catalog.Item) (*runtime.Server, error)
	// only, if not "", is the only revision that the server speaks.
	only string
}

// TestDeclared checks, for every way to build a server and every revision, that the server answers each method
// that its capabilities promise by the method table of the revision, and knows no method of a capability that
// it does not declare.
func TestDeclared(t *testing.T) {
	for of, items := range map[string][]catalog.Item{"everything": offered(), "tools": offered()[:1], "nothing": nil} {
		for _, w := range ways() {
			t.Run(w.name+"/"+of, func(t *testing.T) {
				server, err := w.build(items)
				if err != nil {
					t.Fatal(err)
				}
				checkDeclared(t, w.only, func(t *testing.T) runtime.Transport {
					near, far := inproc.Pair()
					served := make(chan error, 1)
					go func() { served <- server.Serve(context.Background(), far) }()
					t.Cleanup(func() {
						near.Close()
						if err := <-served; err != nil {
							t.Error(err)
						}
					})
					return near
				})
			})
		}
	}
}

// TestMockDeclared checks the same for the server of mcpgen mock.
func TestMockDeclared(t *testing.T) {
	dir := t.TempDir()
	program, list := filepath.Join(dir, "mcpgen"), filepath.Join(dir, "list.json")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/mcpgen").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, text := range []string{
		`{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`,
		`{"tools":[],"prompts":[{"name":"p","arguments":[{"name":"a","x-mcp-enum":["b"]}]}],"resources":[{"uri":"test://r","name":"r"}],"resourceTemplates":[{"uriTemplate":"test://t/{a}","name":"t"}]}`,
	} {
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		checkDeclared(t, "", func(t *testing.T) runtime.Transport {
			transport := stdio.Command(exec.Command(program, "mock", list))
			if err := transport.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { transport.Close() })
			return transport
		})
	}
}

func serverOptions() runtime.ServerOptions {
	return runtime.ServerOptions{Name: "s", Version: "1", Logger: slog.New(slog.DiscardHandler)}
}

// ways returns every way to build a server.
func ways() []way {
	all := []way{
		{name: "mcp.NewServer", build: func(items []catalog.Item) (*runtime.Server, error) {
			return mcp.NewServer(serverOptions(), items...)
		}},
		{name: "generated", build: func(items []catalog.Item) (*runtime.Server, error) {
			return everything.NewServer(&everything.Handlers{Catalog: catalog.New(catalog.Options{})}, serverOptions(), items...)
		}},
		{name: "everything with tasks", build: func([]catalog.Item) (*runtime.Server, error) {
			server, _, err := everything.New(everything.Options{Tasks: true, Logger: serverOptions().Logger})
			return server, err
		}},
	}
	for _, r := range []struct {
		base  func() runtime.Binding
		whole func() runtime.Binding
	}{
		{mcp20241105.BindBase, func() runtime.Binding { return mcp20241105.BindServer(mcp20241105.UnimplementedServer{}) }},
		{mcp20250326.BindBase, func() runtime.Binding { return mcp20250326.BindServer(mcp20250326.UnimplementedServer{}) }},
		{mcp20250618.BindBase, func() runtime.Binding { return mcp20250618.BindServer(mcp20250618.UnimplementedServer{}) }},
		{mcp20251125.BindBase, func() runtime.Binding { return mcp20251125.BindServer(mcp20251125.UnimplementedServer{}) }},
		{mcp20260728.BindBase, func() runtime.Binding { return mcp20260728.BindServer(mcp20260728.UnimplementedServer{}) }},
	} {
		native := r.base().Revision
		all = append(all, way{name: "compat.NewServer/" + native, build: func(items []catalog.Item) (*runtime.Server, error) {
			return ladder.NewServer(r.base(), serverOptions(), items...)
		}}, way{name: "compat.NewServer with tasks/" + native, build: func(items []catalog.Item) (*runtime.Server, error) {
			return ladder.NewServer(r.base(), serverOptions(), append(items, catalog.Tasks(tasks.New(tasks.Options{})))...)
		}})
		for name, bind := range map[string]func() runtime.Binding{"BindBase": r.base, "BindServer": r.whole} {
			all = append(all,
				bound("catalog over "+name+"/"+native, native, func(c *catalog.Catalog, _ *tasks.Tasks) []runtime.Binding {
					return []runtime.Binding{c.Over(bind())}
				}),
				bound("tasks over catalog over "+name+"/"+native, native, func(c *catalog.Catalog, k *tasks.Tasks) []runtime.Binding {
					return []runtime.Binding{k.Over(c.Over(bind()))}
				}),
				bound("compat.Serve over catalog over "+name+"/"+native, "", func(c *catalog.Catalog, _ *tasks.Tasks) []runtime.Binding {
					return ladder.Serve(c.Over(bind()), ladder.Options{})
				}),
				bound("catalog over compat.Serve over "+name+"/"+native, "", func(c *catalog.Catalog, _ *tasks.Tasks) []runtime.Binding {
					all := ladder.Serve(bind(), ladder.Options{})
					for i := range all {
						all[i] = c.Over(all[i])
					}
					return all
				}),
				bound("compat.Serve over tasks over catalog over "+name+"/"+native, "", func(c *catalog.Catalog, k *tasks.Tasks) []runtime.Binding {
					return ladder.Serve(k.Over(c.Over(bind())), ladder.Options{})
				}),
				bound("tasks over compat.Serve over catalog over "+name+"/"+native, "", func(c *catalog.Catalog, k *tasks.Tasks) []runtime.Binding {
					all := ladder.Serve(c.Over(bind()), ladder.Options{})
					for i := range all {
						all[i] = k.Over(all[i])
					}
					return all
				}),
			)
		}
	}
	return all
}

// bound is a way that gives NewServer bindings.
func bound(name, only string, bindings func(*catalog.Catalog, *tasks.Tasks) []runtime.Binding) way {
	return way{name: name, only: only, build: func(items []catalog.Item) (*runtime.Server, error) {
		c := catalog.New(catalog.Options{Logger: serverOptions().Logger})
		if err := c.Add(items...); err != nil {
			return nil, err
		}
		server := runtime.NewServer(serverOptions(), bindings(c, tasks.New(tasks.Options{Support: c.TaskSupport}))...)
		return server, server.Err()
	}}
}

// offered returns an item of each kind.
func offered() []catalog.Item {
	type in struct{}
	return []catalog.Item{
		typed.ContentTool(wire.Object(`{"name":"t","execution":{"taskSupport":"optional"}}`), func(context.Context, *in) ([]wire.Appender, error) {
			return nil, nil
		}),
		catalog.Prompt{
			Definition: wire.Object(`{"name":"p","arguments":[{"name":"a"}]}`),
			Get: func(context.Context, map[string]string) (wire.Appender, error) {
				return wire.Object(`{"messages":[]}`), nil
			},
		}.Complete("a", catalog.OneOf("b")),
		catalog.Resource{
			Definition: wire.Object(`{"uri":"test://r","name":"r"}`),
			Read: func(context.Context, string) (wire.Appender, error) {
				return wire.Object(`{"contents":[]}`), nil
			},
		},
	}
}

// asked are params of requests, by method.
var asked = map[string]string{
	"completion/complete":   `"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}`,
	"logging/setLevel":      `"level":"error"`,
	"prompts/get":           `"name":"p"`,
	"resources/read":        `"uri":"test://r"`,
	"resources/subscribe":   `"uri":"test://r"`,
	"resources/unsubscribe": `"uri":"test://r"`,
	"subscriptions/listen":  `"notifications":{"toolsListChanged":true}`,
	"tasks/cancel":          `"taskId":"unknown"`,
	"tasks/get":             `"taskId":"unknown"`,
	"tasks/result":          `"taskId":"unknown"`,
	"tasks/update":          `"taskId":"unknown","inputResponses":{}`,
	"tools/call":            `"name":"t"`,
}

// checkDeclared calls each method of each revision. Dial returns a new connection with the server.
func checkDeclared(t *testing.T, only string, dial func(*testing.T) runtime.Transport) {
	for _, r := range generated.Revisions() {
		if only != "" && r.ID != only {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			c := &rawClient{t: t, transport: mcptest.NewRaw(dial(t)), stateless: !slices.ContainsFunc(r.Methods, func(m runtime.Method) bool { return m.Name == "initialize" })}
			capabilities := c.begin(r.ID)
			methods := r.Methods
			if c.stateless {
				methods = slices.Concat(methods, extension.Extension.Methods)
			}
			for _, m := range methods {
				if m.Kind != jsonrpc.Request || m.Direction&runtime.ToServer == 0 || m.Name == "initialize" {
					continue
				}
				declared := m.Capability == "" || runtime.Declares(capabilities, m.Capability)
				if m.Extension != "" {
					extensions, _ := capabilities.Get("extensions")
					_, declared = wire.Object(extensions).Get(m.Extension)
				}
				code, answer := c.ask(m.Name, asked[m.Name])
				if known := code != jsonrpc.CodeMethodNotFound; known != declared {
					t.Errorf("%s, which needs %q, declared: %t, is answered with %s", m.Name, m.Capability+m.Extension, declared, answer)
				}
			}
			if c.stateless {
				c.listens(capabilities)
			}
		})
	}
}

// rawClient is a client that sends what a test says.
type rawClient struct {
	t         *testing.T
	transport *mcptest.Raw
	stateless bool
	revision  string
	ids       int
}

// begin returns the capabilities of the server.
func (c *rawClient) begin(revision string) wire.Object {
	c.revision = revision
	method, params := "initialize", `"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}`
	if c.stateless {
		method, params = "server/discover", ""
	}
	code, answer := c.ask(method, params)
	if code != 0 {
		c.t.Fatalf("%s: %s", method, answer)
	}
	if spoken := answer.GetString("protocolVersion"); !c.stateless && spoken != revision {
		c.t.Fatalf("the server answers with %s", spoken)
	}
	if !c.stateless {
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	capabilities, _ := answer.Get("capabilities")
	return wire.Object(capabilities)
}

func (c *rawClient) send(text string) {
	c.t.Helper()
	if err := c.transport.Send(c.t.Context(), runtime.Outgoing{Text: []byte(text)}); err != nil {
		c.t.Fatal(err)
	}
}

// ask sends a request and returns the code of the error, or 0, and the answer. The answer to a request that
// listens is its acknowledgement.
func (c *rawClient) ask(method, params string) (int64, wire.Object) {
	c.t.Helper()
	c.ids++
	if c.stateless {
		if params != "" {
			params += ","
		}
		params += `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + c.revision + `","io.modelcontextprotocol/clientCapabilities":{"extensions":{"` + extension.Extension.Name + `":{}}}}`
	}
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, c.ids, method, params))
	for {
		in, err := c.transport.Receive(c.t.Context())
		if err != nil {
			c.t.Fatalf("%s: %v", method, err)
		}
		m, err := jsonrpc.Parse(in.Text)
		switch {
		case err != nil:
			c.t.Fatal(err)
		case m.Kind == jsonrpc.Response && m.ID.String() != fmt.Sprint(c.ids): // of a listener before
		case m.Kind == jsonrpc.Response && m.Error != nil:
			return m.Error.Code, wire.Object(in.Text)
		case m.Kind == jsonrpc.Response:
			return 0, wire.Object(m.Result)
		case m.Method == "notifications/subscriptions/acknowledged":
			return 0, wire.Object(m.Params)
		}
	}
}

// listens checks that a listener gets the notifications that the capabilities promise.
func (c *rawClient) listens(capabilities wire.Object) {
	c.t.Helper()
	read, _ := c.ask("resources/read", asked["resources/read"])
	for member, value := range map[string]string{
		"toolsListChanged": "true", "promptsListChanged": "true", "resourcesListChanged": "true", "resourceSubscriptions": `["test://r"]`,
	} {
		path := strings.TrimSuffix(member, "ListChanged") + ".listChanged"
		if member == "resourceSubscriptions" {
			if path = "resources.subscribe"; read != 0 { // there is no such resource
				continue
			}
		}
		_, answer := c.ask("subscriptions/listen", fmt.Sprintf(`"notifications":{%q:%s}`, member, value))
		notifications, _ := answer.Get("notifications")
		honoured, _ := wire.Object(notifications).Get(member)
		if declared := runtime.Declares(capabilities, path); (string(honoured) == value) != declared {
			c.t.Errorf("%s, declared: %t, is acknowledged with %s", path, declared, answer)
		}
	}
}

// subscriber is a server written for a revision without sessions, which has no request to subscribe.
type subscriber struct {
	mcp20260728.UnimplementedServer
}

// TestSubscribeInSession checks that a client with a session subscribes to a resource of a server that is
// written for a revision without sessions, and gets its updates.
func TestSubscribeInSession(t *testing.T) {
	const update = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://r"}}`
	items := catalog.New(catalog.Options{})
	if err := items.Add(offered()...); err != nil {
		t.Fatal(err)
	}
	var server *runtime.Server
	byHand := mcp20260728.BindServer(subscriber{})
	byHand.Listen = func(_ context.Context, _, uri string) error {
		if uri != "test://r" {
			return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "no such resource")
		}
		return nil
	}
	for name, w := range map[string]struct {
		native  runtime.Binding
		options runtime.ServerOptions
		updated func()
	}{
		"catalog": {items.Over(mcp20260728.BindBase()), runtime.ServerOptions{}, func() { items.ResourceUpdated("test://r") }},
		"by hand": {byHand, runtime.ServerOptions{Capabilities: wire.Raw(`{"resources":{"subscribe":true}}`)}, func() {
			if err := server.Publish("notifications/resources/updated", wire.Object(`{"uri":"test://r"}`)); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w.options.Name, w.options.Version = "s", "1"
			server = runtime.NewServer(w.options, ladder.Serve(w.native, ladder.Options{})...)
			near, far := mcptest.Pair()
			go server.Serve(context.Background(), far)
			defer near.Close()
			c := &rawClient{t: t, transport: near}
			c.begin(mcp20251125.Revision)
			for params, want := range map[string]int64{`"uri":"test://r"`: 0, `"uri":"test://none"`: jsonrpc.CodeInvalidParams, ``: jsonrpc.CodeInvalidParams} {
				if code, answer := c.ask("resources/subscribe", params); code != want && !(want != 0 && code == -32002) {
					t.Errorf("a subscription with %s is answered with %s", params, answer)
				}
			}
			w.updated()
			in, err := near.Receive(t.Context())
			if err != nil || in.Text != update {
				t.Errorf("an update is %s, %v", in.Text, err)
			}
			if code, answer := c.ask("resources/unsubscribe", `"uri":"test://r"`); code != 0 {
				t.Errorf("the end of a subscription is answered with %s", answer)
			}
		})
	}
}
