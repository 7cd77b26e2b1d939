package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/tools/contract"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// checkAB accepts objects whose members a and b are strings, of which a is required.
func checkAB(c *schema.Checker) {
	var seen uint64
	if !c.Object(wire.KindObject) {
		return
	}
	for c.Member() {
		switch c.Name() {
		case "a":
			seen |= 1
			c.Value(wire.KindString)
		case "b":
			c.Enum(c.Value(wire.KindString), `"x"`, `"y z"`)
		default:
			c.Pass()
		}
	}
	if seen != 1 {
		c.Missing([]string{"a"}, seen)
	}
}

var (
	ask      = &tools.Item{Kind: "prompt", Key: "ask", Definition: `{"name":"ask","arguments":[{"name":"a"},{"name":"b"}]}`, Input: checkAB, Blank: []string{"b"}}
	about    = &tools.Item{Kind: "resource", Key: "x://about", Definition: `{"uri":"x://about","name":"about","mimeType":"text/plain"}`}
	note     = &tools.Item{Kind: "template", Key: "x://h/{a}{/list*}{?b}", Definition: `{"uriTemplate":"x://h/{a}{/list*}{?b}","name":"note"}`, Input: checkAB, Exploded: []string{"list"}}
	fresh    = func() *wire.Object { return new(wire.Object) }
	contents = func(uri, text string) wire.Object {
		return wire.Object(`{"contents":[{"uri":"` + uri + `","text":"` + strings.ReplaceAll(text, `"`, `'`) + `"}]}`)
	}
)

// session returns a session with a server of the items.
func session(t *testing.T) *runtime.Session {
	t.Helper()
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "items", Version: "1"},
		tools.ServePrompt(ask, fresh, func(_ context.Context, in *wire.Object) (wire.Object, error) {
			return wire.Object(`{"messages":[{"role":"user","content":{"type":"text","text":"` + strings.ReplaceAll(string(*in), `"`, `'`) + `"}}]}`), nil
		}).Complete("b", catalog.OneOf("x", "y z")),
		tools.ServeText(about, "A \"text\"."),
		tools.ServeTemplate(note, fresh, func(_ context.Context, uri string, in *wire.Object) (wire.Object, error) {
			return contents(uri, string(*in)), nil
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, mcp.BindClient(mcp.UnimplementedClient{}))
	s, err := client.Connect(t.Context(), contract.Connect(t, server))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestPrompt(t *testing.T) {
	s := session(t)
	for _, test := range []struct{ in, want string }{
		{`{"b":"x","a":"1","c":"2"}`, `'text':'{'a':'1','b':'x','c':'2'}'`}, // sorted, as maps have no order
		{`{"a":"ü"}`, `{'a':'ü'}`},
		{`{"a":"","b":""}`, `'text':'{'a':''}'`}, // a field that was left blank
		{`{}`, `-32602: invalid params: /arguments: missing member 'a'`},
		{`{"a":"1","b":"z"}`, `-32602: invalid params: /arguments/b: must be one of 'x', 'y z', found 'z'`},
	} {
		var result wire.Object
		got := ""
		if _, err := tools.GetPrompt(t.Context(), s, ask, wire.Object(test.in), &result); err != nil {
			got = err.Error()
		} else {
			got = string(result)
		}
		if got = strings.ReplaceAll(got, `"`, `'`); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s, want %s", test.in, got, test.want)
		}
	}
}

func TestResources(t *testing.T) {
	s := session(t)
	var result wire.Object
	if _, err := tools.ReadResource(t.Context(), s, about, nil, &result); err != nil {
		t.Fatal(err)
	}
	if want := `[{"uri":"x://about","mimeType":"text/plain","text":"A \"text\"."}]`; !strings.Contains(string(result), want) {
		t.Errorf("got %s, want %s", result, want)
	}
	for _, test := range []struct{ in, uri, variables string }{
		{`{"a":"1/2"}`, "x://h/1%2F2", `{'a':'1/2'}`},
		{`{"a":"","b":"y z"}`, "x://h/?b=y%20z", `{'a':'','b':'y z'}`},
		{`{"a":"1","list":["p","q,r/s","%2C","日"]}`, "x://h/1/p/q%2Cr%2Fs/%252C/%E6%97%A5", `{'a':'1','list':['p','q,r/s','%2C','日']}`},
		{`{"a":"1","list":[]}`, "x://h/1", `{'a':'1'}`},
		{`{"a":"1","list":[""]}`, "x://h/1/", `{'a':'1','list':['']}`},
	} {
		uri, err := note.Expand(wire.Object(test.in))
		if err != nil || uri != test.uri {
			t.Errorf("%s: got %s, %v, want %s", test.in, uri, err, test.uri)
		}
		if _, err := tools.ReadResource(t.Context(), s, note, wire.Object(test.in), &result); err != nil {
			t.Errorf("%s: %v", test.in, err)
		} else if !strings.Contains(string(result), `"text":"`+test.variables+`"`) {
			t.Errorf("%s: got %s, want %s", test.in, result, test.variables)
		}
	}
	_, err := tools.ReadResource(t.Context(), s, note, wire.Object(`{"a":"1","b":"z"}`), &result)
	if refused, ok := errors.AsType[*jsonrpc.Error](err); !ok || refused.Code != jsonrpc.CodeResourceNotFound {
		t.Errorf("a variable that is not valid: %v", err)
	}
	if _, err := tools.ReadResource(t.Context(), s, note, wire.Object(`{"a":1}`), &result); err == nil || !strings.Contains(err.Error(), `the variables of "x://h/{a}{/list*}{?b}"`) {
		t.Errorf("a variable that is not a string: %v", err)
	}
	if _, err := note.Expand(wire.Object(`{"a":"1","list":"p"}`)); err == nil || !strings.Contains(err.Error(), "at /list, byte 16: expected an array") {
		t.Errorf("a list that is a string: %v", err)
	}
}

func TestComplete(t *testing.T) {
	var result wire.Object
	if _, err := tools.Complete(t.Context(), session(t), ask, "b", "y", map[string]string{"a": "1"}, &result); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(result), `"values":["y z"]`) {
		t.Errorf("got %s", result)
	}
}

// TestScopes checks that items need the scopes of the list.
func TestScopes(t *testing.T) {
	prompt, resource, template := *ask, *about, *note
	prompt.Scopes, resource.Scopes, template.Scopes = []string{"p"}, []string{"r"}, []string{"t"}
	got := [][]string{
		tools.ServePrompt(&prompt, fresh, func(context.Context, *wire.Object) (wire.Object, error) { return "", nil }).Scopes,
		tools.ServeText(&resource, "").Scopes,
		tools.ServeTemplate(&template, fresh, func(context.Context, string, *wire.Object) (wire.Object, error) { return "", nil }).Scopes,
	}
	if diff := cmp.Diff([][]string{{"p"}, {"r"}, {"t"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCheckAll compares the server with lists that differ.
func TestCheckAll(t *testing.T) {
	s := session(t)
	all := []*tools.Item{ask, about, note}
	if err := tools.Check(t.Context(), s, all); err != nil {
		t.Error(err)
	}
	err := tools.Check(t.Context(), s, []*tools.Item{
		{Kind: "prompt", Key: "other", Definition: `{"name":"other"}`},
		{Kind: "resource", Definition: `{"uri":"x://about","name":"was"}`},
		note,
	})
	if _, ok := errors.AsType[*tools.Drift](err); !ok {
		t.Fatalf("got %v", err)
	}
	const want = `the list of prompts has changed:
removed "other"
added "ask"
the list of resources has changed:
changed "x://about" at /name: "about", was "was"
changed "x://about" at /mimeType: "text/plain" was added`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// page is a server with one answer to each request.
type page struct {
	runtime.Caller
	result string
}

func (p page) Call(_ context.Context, _ string, _ wire.Appender, result wire.Value) error {
	return wire.UnmarshalString(p.result, result)
}

// TestListCursor checks that a list whose rest cannot be requested is an error.
func TestListCursor(t *testing.T) {
	for result, want := range map[string]string{
		`{"tools":[{"name":"a"}]}`:                   "",
		`{"tools":[{"name":"a"}],"nextCursor":null}`: "",
		`{"tools":[{"name":"a"}],"nextCursor":2}`:    "the nextCursor of tools/list is not a string, so the rest of the list cannot be requested",
	} {
		all, err := tools.List(t.Context(), page{result: result}, "tool")
		if want == "" && (err != nil || len(all) != 1) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: %v, %v", result, all, err)
		}
	}
}
