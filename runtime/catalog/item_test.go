package catalog_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The items of the tests, with definitions of generated types.
var (
	aTool = catalog.NewTool(&mcp.Tool{Name: "t"}, func(context.Context, wire.Object) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{}, nil
	})
	aPrompt = catalog.NewPrompt(&mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "a"}}}, func(context.Context, map[string]string) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{}, nil
	})
	aResource = catalog.NewResource(&mcp.Resource{Name: "r", URI: "a:b"}, func(context.Context, string) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{}, nil
	})
	aTemplate = catalog.NewTemplate(&mcp.ResourceTemplate{Name: "u", URITemplate: "a:{x}"}, func(context.Context, string, catalog.Variables) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{}, nil
	})
)

// join opens a session with a server, in the revision of a client's binding.
func join(t *testing.T, server *runtime.Server, binding runtime.Binding) *runtime.Session {
	t.Helper()
	near, far := inproc.Pair()
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.Background(), far) }()
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, binding).Connect(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return session
}

// TestCapabilities checks that the items decide the capabilities, in each revision, unless the
// options declare some.
func TestCapabilities(t *testing.T) {
	const (
		logging   = `"logging":{}`
		tools     = `"tools":{"listChanged":true}`
		prompts   = `"prompts":{"listChanged":true}`
		resources = `"resources":{"listChanged":true,"subscribe":true}`
	)
	complete := catalog.OneOf("x")
	for name, row := range map[string]struct {
		items    []catalog.Item
		declared wire.Appender
		want     string
	}{
		"nothing":             {nil, nil, logging},
		"an empty catalog":    {[]catalog.Item{catalog.New(catalog.Options{})}, nil, logging},
		"a tool":              {[]catalog.Item{aTool}, nil, logging + "," + tools},
		"a prompt":            {[]catalog.Item{aPrompt}, nil, logging + "," + prompts},
		"a completed prompt":  {[]catalog.Item{aPrompt.Complete("a", complete)}, nil, `"completions":{},` + logging + "," + prompts},
		"a resource":          {[]catalog.Item{aResource}, nil, logging + "," + resources},
		"a template":          {[]catalog.Item{aTemplate}, nil, logging + "," + resources},
		"a complete template": {[]catalog.Item{aTemplate.Complete("x", complete)}, nil, `"completions":{},` + logging + "," + resources},
		"everything":          {[]catalog.Item{aTool, aPrompt, aResource, aTemplate}, nil, logging + "," + prompts + "," + resources + "," + tools},
		"declared":            {[]catalog.Item{aTool, aPrompt}, &mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}}, `"tools":{}`},
	} {
		server, err := mcp.NewServer(mcp.ServerOptions{Capabilities: row.declared}, row.items...)
		must(t, err)
		for _, client := range sessionBindings() {
			want := "{" + row.want + "}"
			if client.Revision == "2024-11-05" {
				want = strings.Replace(want, `"completions":{},`, "", 1)
			}
			if got := join(t, server, client).ServerCapabilities(); !wire.Equal(wire.Raw(got), wire.Raw(want)) {
				t.Errorf("%s in %s: got %s, want %s", name, client.Revision, got, want)
			}
		}
	}
}

// TestConstructorErrors checks that constructors of servers report every mistake.
func TestConstructorErrors(t *testing.T) {
	other := catalog.NewTool(wire.Object(`{"name":"o","inputSchema":{"type":"string"}}`), aTool.Call)
	for name, row := range map[string]struct {
		items []catalog.Item
		want  []string // parts of the error
	}{
		"duplicate tool":     {[]catalog.Item{aTool, aPrompt, aTool}, []string{`catalog: tool "t": two items have this name`}},
		"duplicate prompt":   {[]catalog.Item{aPrompt, aPrompt}, []string{`catalog: prompt "p": two items have this name`}},
		"duplicate resource": {[]catalog.Item{aResource, aResource}, []string{`catalog: resource "a:b": two items have this uri`}},
		"duplicate template": {[]catalog.Item{aTemplate, aTemplate}, []string{`catalog: resource template "a:{x}": two items have this uriTemplate`}},
		"all of them":        {[]catalog.Item{aTool, aTool, other, nil}, []string{`two items`, `tool "o": wire: at /inputSchema: the schema's type must be "object"`, `item 3 is nil`}},
		"no name":            {[]catalog.Item{catalog.NewTool(&mcp.Tool{}, aTool.Call)}, []string{`catalog: tool "": wire: at /name: must not be empty`}},
		"no definition":      {[]catalog.Item{catalog.NewTool(nil, aTool.Call)}, []string{`catalog: tool "": the definition is missing`}},
		"no handler":         {[]catalog.Item{catalog.NewTool[*mcp.CallToolResult](&mcp.Tool{Name: "x"}, nil)}, []string{`catalog: tool "x": no function Call`}},
		"an invalid value":   {[]catalog.Item{catalog.NewResource(&mcp.Resource{Name: "r", URI: "a:b", Annotations: &mcp.Annotations{Priority: new(2.0)}}, aResource.Read)}, []string{`catalog: resource "a:b": `, `/annotations/priority`}},
		"a bad template":     {[]catalog.Item{catalog.NewTemplate(&mcp.ResourceTemplate{Name: "u", URITemplate: "a:{"}, aTemplate.Read)}, []string{`catalog: resource template "a:{": `, `/uriTemplate`}},
		"no such argument":   {[]catalog.Item{aPrompt.Complete("b", catalog.OneOf("x"))}, []string{`catalog: prompt "p": there is no argument "b" to complete`}},
		"two catalogs":       {[]catalog.Item{catalog.New(catalog.Options{}), catalog.New(catalog.Options{})}, []string{`two catalogs`}},
		"a nil catalog":      {[]catalog.Item{(*catalog.Catalog)(nil)}, []string{`the catalog is nil`}},
	} {
		_, err := mcp.NewServer(mcp.ServerOptions{}, row.items...)
		for _, want := range row.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", name, err, want)
			}
		}
	}
	if _, err := mcp.NewServer(mcp.ServerOptions{Capabilities: (*mcp.ServerCapabilities)(nil)}); err == nil {
		t.Error("nil capabilities were accepted")
	}
	if _, err := compat.NewServer(runtime.Binding{Revision: "2000-01-01", Direction: runtime.ToServer}, runtime.ServerOptions{}); err == nil || !strings.Contains(err.Error(), "2000-01-01") {
		t.Errorf("unknown revision: %v", err)
	}
	if err := catalog.New(catalog.Options{}).Add(catalog.New(catalog.Options{})); err == nil {
		t.Error("a catalog was added to a catalog")
	}
}

// TestRunningServer changes the items of a server while sessions are open.
func TestRunningServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		offers := catalog.New(catalog.Options{})
		server, err := mcp.NewServer(mcp.ServerOptions{}, offers, aTool)
		must(t, err)
		told := make(chan string, 10)
		binding := mcp.BindClient(mcp.UnimplementedClient{})
		binding.Handle = func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
			method := message.Method
			told <- method
			return nil, nil
		}
		session := join(t, server, binding)
		synctest.Wait() // until the server has read notifications/initialized
		must(t, offers.Add(catalog.NewTool(&mcp.Tool{Name: "later"}, aTool.Call)))
		if n := offers.RemoveTools("t"); n != 1 {
			t.Errorf("removed %d tools", n)
		}
		time.Sleep(time.Second)
		if got := <-told; got != "notifications/tools/list_changed" || len(told) != 0 {
			t.Errorf("told %s and %d more", got, len(told))
		}
		var result wire.Raw
		must(t, session.Call(t.Context(), "tools/list", nil, &result))
		if want := wire.Raw(`{"tools":[{"name":"later","inputSchema":{"type":"object"}}]}`); !wire.Equal(result, want) {
			t.Errorf("got %s, want %s", result, want)
		}
	})
}

// TestOlderServer checks a server whose items are written for an older revision.
func TestOlderServer(t *testing.T) {
	server, err := compat.NewServer(mcp20250618.BindBase(), runtime.ServerOptions{}, catalog.NewTool(&mcp20250618.Tool{Name: "t"},
		func(context.Context, wire.Object) (*mcp20250618.CallToolResult, error) {
			return &mcp20250618.CallToolResult{StructuredContent: `{"a":1}`}, nil
		}))
	must(t, err)
	for _, client := range sessionBindings() {
		var result wire.Raw
		must(t, join(t, server, client).Call(t.Context(), "tools/call", wire.Raw(`{"name":"t"}`), &result))
		want := wire.Raw(`{"content":[],"structuredContent":{"a":1}}`)
		if client.Revision < "2025-06-18" {
			want = `{"content":[{"type":"text","text":"{\"a\":1}"}]}`
		}
		if !wire.Equal(result, want) {
			t.Errorf("%s: got %s, want %s", client.Revision, result, want)
		}
	}
}

// sessionBindings returns the bindings of a client for the revisions with sessions.
func sessionBindings() []runtime.Binding {
	return slices.DeleteFunc(generated.ClientBindings(), func(b runtime.Binding) bool { return b.Stateless() })
}

// listed is a result whose values cannot be compared.
type listed struct{ all []string }

func (listed) AppendJSON(dst []byte) ([]byte, error) { return append(dst, `{"content":[]}`...), nil }

// named is a result by pointer.
type named struct{}

func (*named) AppendJSON(dst []byte) ([]byte, error) { return append(dst, `{"content":[]}`...), nil }

// TestResultTypes checks which results of handlers are none: the zero values of types that can be compared.
func TestResultTypes(t *testing.T) {
	for name, test := range map[string]struct {
		tool catalog.Tool
		none bool
	}{
		"a struct with a slice":                 {resulting(listed{}), false},
		"a struct with a slice of values":       {resulting(listed{[]string{"a"}}), false},
		"a pointer":                             {resulting(&named{}), false},
		"a nil pointer":                         {resulting[*named](nil), true},
		"text":                                  {resulting(wire.Object(`{"content":[]}`)), false},
		"no text":                               {resulting(wire.Object("")), true},
		"an interface with a struct of a slice": {resulting[wire.Appender](listed{}), false},
		"a nil interface":                       {resulting[wire.Appender](nil), true},
	} {
		got, err := test.tool.Call(t.Context(), "{}")
		if err != nil || (got == nil) != test.none {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

// resulting returns a tool with a result.
func resulting[R wire.Appender](result R) catalog.Tool {
	return catalog.NewTool(wire.Object(`{"name":"a","inputSchema":{"type":"object"}}`), func(context.Context, wire.Object) (R, error) { return result, nil })
}

// TestNoTaskKeeper has an item for tasks without what keeps them.
func TestNoTaskKeeper(t *testing.T) {
	if _, err := mcp.NewServer(mcp.ServerOptions{}, catalog.Tasks(nil)); err == nil || err.Error() != "catalog: Tasks: the TaskKeeper is nil" {
		t.Errorf("got %v", err)
	}
}
