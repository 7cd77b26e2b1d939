package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// filled is a catalog with a few of everything.
func filled(t testing.TB, opts catalog.Options) *catalog.Catalog {
	c := catalog.New(opts)
	tool := func(name string, call func(context.Context, wire.Object) (wire.Appender, error)) catalog.Tool {
		e := echo(name)
		e.Call = call
		return e
	}
	must(t, c.Add(
		echo("echo"),
		tool("fail", func(context.Context, wire.Object) (wire.Appender, error) {
			return nil, errors.New("no \"luck\"\xff")
		}),
		tool("panic", func(context.Context, wire.Object) (wire.Appender, error) { panic("secret") }),
		tool("protocol", func(context.Context, wire.Object) (wire.Appender, error) {
			return nil, fmt.Errorf("wrapped: %w", &jsonrpc.Error{Code: jsonrpc.CodeURLElicitationRequired, Message: "go there", Data: `{"x":1}`})
		}),
		tool("nothing", func(context.Context, wire.Object) (wire.Appender, error) { return nil, nil }),
	))
	must(t, c.Add(
		catalog.Prompt{
			Definition: wire.Object(`{"name":"ask","arguments":[{"name":"who","required":true},{"name":"how"}]}`),
			Get: func(_ context.Context, a map[string]string) (wire.Appender, error) {
				return wire.Object(fmt.Sprintf(`{"description":"%s %s","messages":[]}`, a["who"], a["how"])), nil
			},
			Completers: map[string]catalog.Completer{
				"how": catalog.OneOf("loud", "low", "kindly"),
			},
		},
		catalog.Prompt{
			Definition: wire.Object(`{"name":"plain"}`),
			Get: func(_ context.Context, a map[string]string) (wire.Appender, error) {
				return nil, errors.New("secret")
			},
		},
	))
	must(t, c.Add(catalog.Resource{
		Definition: wire.Object(`{"uri":"test://a","name":"a"}`),
		Read:       contents,
	}, catalog.Resource{
		Definition: wire.Object(`{"uri":"test://gone","name":"gone"}`),
		Read: func(context.Context, string) (wire.Appender, error) {
			return nil, fmt.Errorf("deleted: %w", catalog.ErrNoResource)
		},
	}))
	must(t, c.Add(catalog.Template{
		Definition: wire.Object(`{"uriTemplate":"test://t/{id}/{+path}","name":"t"}`),
		Read: func(_ context.Context, uri string, v catalog.Variables) (wire.Appender, error) {
			return wire.Object(fmt.Sprintf(`{"contents":[{"uri":%q,"text":"%s|%s"}]}`, uri, v.Get("id"), v.Get("path"))), nil
		},
		Completers: map[string]catalog.Completer{"id": func(_ context.Context, value string, settled map[string]string) (catalog.Completion, error) {
			var all catalog.Completion
			for i := range 150 {
				all.Values = append(all.Values, fmt.Sprint(value, settled["path"], i))
			}
			return all, nil
		}},
	}, catalog.Template{
		Definition: wire.Object(`{"uriTemplate":"test://l{/list*}","name":"l"}`),
		Read: func(_ context.Context, uri string, v catalog.Variables) (wire.Appender, error) {
			return wire.Object(fmt.Sprintf(`{"contents":[{"uri":%q,"text":%q}]}`, uri, v.Get("list"))), nil
		},
	}))
	must(t, c.Add(catalog.NewTemplate(wire.Object(`{"uriTemplate":"test://m{?tag*,q}","name":"m"}`), func(_ context.Context, uri string, v catalog.Variables) (wire.Object, error) {
		return wire.Object(fmt.Sprintf(`{"contents":[{"uri":%q,"text":%q}]}`, uri, fmt.Sprint(len(v["tag"]), v))), nil
	})))
	return c
}

func contents(_ context.Context, uri string) (wire.Appender, error) {
	return wire.Object(fmt.Sprintf(`{"contents":[{"uri":%q,"text":"text"}]}`, uri)), nil
}

// TestAnswers asks for everything, rightly and wrongly.
func TestAnswers(t *testing.T) {
	c := connect(t, serve(t, filled(t, catalog.Options{}), everything))
	defer c.close()
	long := strings.Repeat("x", 9000)
	for _, row := range []struct {
		method string
		params wire.Raw
		want   string
	}{
		{"tools/list", ``, `{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"fail","inputSchema":{"type":"object"}},{"name":"panic","inputSchema":{"type":"object"}},{"name":"protocol","inputSchema":{"type":"object"}},{"name":"nothing","inputSchema":{"type":"object"}}]}`},
		{"tools/list", `{"_meta":{"progressToken":7},"other":1}`, `{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"fail","inputSchema":{"type":"object"}},{"name":"panic","inputSchema":{"type":"object"}},{"name":"protocol","inputSchema":{"type":"object"}},{"name":"nothing","inputSchema":{"type":"object"}}]}`},
		{"tools/list", `{"_meta":{"progressToken":1.5}}`, `-32602 invalid params: /_meta/progressToken: expected a string or an integer, found 1.5`},
		{"tools/list", `{"_meta":[]}`, `-32602 invalid params: /_meta: expected an object, found an array`},
		{"tools/list", `{"cursor":null}`, `{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"fail","inputSchema":{"type":"object"}},{"name":"panic","inputSchema":{"type":"object"}},{"name":"protocol","inputSchema":{"type":"object"}},{"name":"nothing","inputSchema":{"type":"object"}}]}`},
		{"tools/list", `{"cursor":""}`, `-32602 invalid params: /cursor: not a cursor of this list`},
		{"tools/call", `{"name":"echo","arguments":{"b":1.0,"a":"\u00e9"}}`, `{"content":[],"structuredContent":{"b":1.0,"a":"\u00e9"}}`},
		{"tools/call", `{"name":"echo"}`, `{"content":[],"structuredContent":{}}`},
		{"tools/call", `{"name":"echo","other":{"ttl":1}}`, `{"content":[],"structuredContent":{}}`},
		{"tools/call", `{"name":"fail"}`, `{"content":[{"type":"text","text":"no \"luck\"�"}],"isError":true}`},
		{"tools/call", `{"name":"panic"}`, `{"content":[{"type":"text","text":"the tool failed unexpectedly"}],"isError":true}`},
		{"tools/call", `{"name":"protocol"}`, `-32042 go there {"x":1}`},
		{"tools/call", `{"name":"nothing"}`, `-32603 internal error`},
		{"tools/call", `{"name":"Echo"}`, `-32602 unknown tool: "Echo"`},
		{"tools/call", ``, `-32602 invalid params: missing member "name"`},
		{"tools/call", `{"Name":"echo"}`, `-32602 invalid params: missing member "name"`},
		{"tools/call", `{"name":1}`, `-32602 invalid params: /name: expected a string, found a number`},
		{"tools/call", `{"name":"echo","arguments":[]}`, `-32602 invalid params: /arguments: expected an object, found an array`},
		{"tools/call", `{"name":"echo","arguments":null,"_meta":null}`, `{"content":[],"structuredContent":{}}`},
		{"tools/call", `{"name":null}`, `-32602 invalid params: /name: expected a string, found null`},
		{"prompts/list", `{}`, `{"prompts":[{"name":"ask","arguments":[{"name":"who","required":true},{"name":"how"}]},{"name":"plain"}]}`},
		{"prompts/get", `{"name":"ask","arguments":{"who":"Ada","how":"low"}}`, `{"description":"Ada low","messages":[]}`},
		{"prompts/get", `{"name":"ask","arguments":{"how":"low"}}`, `-32602 invalid params: /arguments: missing argument "who"`},
		{"prompts/get", `{"name":"ask"}`, `-32602 invalid params: /arguments: missing argument "who"`},
		{"prompts/get", `{"name":"ask","arguments":{"who":1}}`, `-32602 invalid params: /arguments/who: expected a string, found a number`},
		{"prompts/get", `{"name":"plain"}`, `-32603 internal error`},
		{"prompts/get", `{"name":"none"}`, `-32602 unknown prompt: "none"`},
		{"prompts/get", `{}`, `-32602 invalid params: missing member "name"`},
		{"resources/list", ``, `{"resources":[{"uri":"test://a","name":"a"},{"uri":"test://gone","name":"gone"}]}`},
		{"resources/templates/list", ``, `{"resourceTemplates":[{"uriTemplate":"test://t/{id}/{+path}","name":"t"},{"uriTemplate":"test://l{/list*}","name":"l"},{"uriTemplate":"test://m{?tag*,q}","name":"m"}]}`},
		{"resources/read", `{"uri":"test://a"}`, `{"contents":[{"uri":"test://a","text":"text"}]}`},
		{"resources/read", `{"uri":"test://t/1%202/a/b"}`, `{"contents":[{"uri":"test://t/1%202/a/b","text":"1 2|a/b"}]}`},
		{"resources/read", `{"uri":"test://m?tag=a&tag=b%2Cc&q=d,e"}`, `{"contents":[{"uri":"test://m?tag=a&tag=b%2Cc&q=d,e","text":"2 map[q:[d,e] tag:[a b,c]]"}]}`},
		{"resources/read", `{"uri":"test://m"}`, `{"contents":[{"uri":"test://m","text":"0 map[]"}]}`},
		{"resources/read", `{"uri":"test://l/x/y"}`, `{"contents":[{"uri":"test://l/x/y","text":"x,y"}]}`},
		{"resources/read", `{"uri":"test://gone"}`, `-32002 resource not found {"uri":"test://gone"}`},
		{"resources/read", `{"uri":"test://A"}`, `-32002 resource not found {"uri":"test://A"}`},
		{"resources/read", `{"uri":"test://t/1"}`, `-32002 resource not found {"uri":"test://t/1"}`},
		{"resources/read", `{"uri":"a"}`, `-32602 invalid params: /uri: must be in the format uri, is "a"`},
		{"resources/read", wire.Raw(`{"uri":"test://` + long + `"}`), `-32602 invalid params: /uri: must not be longer than 2048 bytes`},
		{"resources/read", ``, `-32602 invalid params: missing member "uri"`},
		{"resources/subscribe", `{"uri":"test://a"}`, `{}`},
		{"resources/subscribe", `{"uri":"test://t/1/2"}`, `{}`},
		{"resources/subscribe", `{"uri":"test://b"}`, `-32002 resource not found {"uri":"test://b"}`},
		{"resources/unsubscribe", `{"uri":"test://a"}`, `{}`},
		{"resources/unsubscribe", `{"uri":"test://b"}`, `{}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"ask"},"argument":{"name":"how","value":"lo"}}`, `{"completion":{"values":["loud","low"],"total":2,"hasMore":false}}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"ask"},"argument":{"name":"who","value":""}}`, `{"completion":{"values":[],"hasMore":false}}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"ask"},"argument":{"name":"why","value":""}}`, `-32602 invalid params: /argument/name: unknown argument "why"`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"why","value":""}}`, `-32602 unknown prompt: "none"`},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"test://none"},"argument":{"name":"why","value":""}}`, `-32602 unknown resource template: "test://none"`},
		{"completion/complete", `{"ref":{"type":"ref/tool","name":"echo"},"argument":{"name":"why","value":""}}`, `-32602 invalid params: /ref/type: must be "ref/prompt" or "ref/resource"`},
		{"completion/complete", `{"ref":{"type":"ref/resource","name":"echo"},"argument":{"name":"why","value":""}}`, `-32602 invalid params: /ref: missing member "uri"`},
		{"completion/complete", `{"ref":{"name":"echo"},"argument":{"name":"why","value":""}}`, `-32602 invalid params: /ref: missing member "type"`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"ask"}}`, `-32602 invalid params: missing member "argument"`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"ask"},"argument":{"name":"how"}}`, `-32602 invalid params: /argument: missing member "value"`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"ask"},"argument":{"name":"how","value":"l"},"context":{"arguments":{"a":1}}}`, `-32602 invalid params: /context/arguments/a: expected a string, found a number`},
	} {
		if got := c.ask(row.method, row.params); got != row.want {
			t.Errorf("%s %.100s:\n got %s\nwant %s", row.method, row.params, got, row.want)
		}
	}
	got := c.ask("completion/complete", `{"ref":{"type":"ref/resource","uri":"test://t/{id}/{+path}"},"argument":{"name":"id","value":"v"},"context":{"arguments":{"path":"p"}}}`)
	if n := strings.Count(got, `"vp`); n != 100 || !strings.HasSuffix(got, `"vp99"],"hasMore":true}}`) {
		t.Errorf("completion: %d values: %s", n, got)
	}
}

// TestDefinitions tells what can be added.
func TestTaskSupport(t *testing.T) {
	c := catalog.New(catalog.Options{})
	for _, row := range []struct{ name, execution, want string }{
		{"silent", ``, "forbidden"},
		{"other", `,"execution":{"x":1}`, "forbidden"},
		{"never", `,"execution":{"taskSupport":"forbidden"}`, "forbidden"},
		{"either", `,"execution":{"taskSupport":"optional"}`, "optional"},
		{"always", `,"execution":{"taskSupport":"required"}`, "required"},
	} {
		must(t, c.Add(catalog.Tool{
			Definition: wire.Object(`{"name":"` + row.name + `","inputSchema":{"type":"object"}` + row.execution + `}`),
			Call:       echo("").Call,
		}))
		if got := c.TaskSupport(row.name); string(got) != row.want {
			t.Errorf("%s: got %s", row.name, got)
		}
	}
	if got := c.TaskSupport("unknown"); got != "optional" {
		t.Errorf("unknown tool: got %s", got)
	}
}

// F18, F20, F36
func TestDefinitions(t *testing.T) {
	call := echo("").Call
	get := func(context.Context, map[string]string) (wire.Appender, error) { return nil, nil }
	read := func(context.Context, string, catalog.Variables) (wire.Appender, error) { return nil, nil }
	c := catalog.New(catalog.Options{})
	for _, row := range []struct {
		err  error
		want string // "" is no error
	}{
		{c.Add(catalog.Tool{Definition: wire.Object(` { "name" : "a b" , "x" : 1.0, "inputSchema" : { "type":"object", "$defs":{} } } `), Call: call}), ``},
		{c.Add(catalog.Tool{Definition: wire.Object(`{"name":"a","inputSchema":{"type":"object"},"inputSchema":{"type":"object"}}`), Call: call}), `catalog: tool "": wire: at /inputSchema: duplicate member "inputSchema"`},
		{c.Add(catalog.Tool{Definition: wire.Object(``), Call: call}), `catalog: tool "": wire: expected an object, found nothing`},
		{c.Add(catalog.Tool{Definition: wire.Object(`{"name":"a"}`), Call: call}), `catalog: tool "a": wire: at byte 0: missing member "inputSchema"`},
		{c.Add(catalog.Tool{Definition: wire.Object(`{"inputSchema":{"type":"object"}}`), Call: call}), `missing member "name"`},
		{c.Add(catalog.Tool{Definition: wire.Object(`{"name":"","inputSchema":{"type":"object"}}`), Call: call}), `at /name: must not be empty`},
		{c.Add(catalog.Tool{Definition: wire.Object(`{"name":"a","inputSchema":{"type":"array"}}`), Call: call}), `at /inputSchema: the schema's type must be "object", not "array"`},
		{c.Add(catalog.Tool{Definition: wire.Object(`{"name":"a","inputSchema":{}}`), Call: call}), `/inputSchema`},
		{c.Add(catalog.Tool{Definition: wire.Object(`{"name":"a","inputSchema":{"type":"object"},"outputSchema":[]}`), Call: call}), `/outputSchema`},
		{c.Add(catalog.Tool{Definition: wire.Object(`{"name":"a","description":null,"inputSchema":{"type":"object"}}`), Call: call}), `/description`},
		{c.Add(catalog.Tool{Definition: wire.Object(`{"name":"a","inputSchema":{"type":"object"},"execution":{"taskSupport":"require"}}`), Call: call}), `at /execution/taskSupport: must be "forbidden", "optional" or "required", not "require"`},
		{c.Add(catalog.Tool{Definition: wire.Object(`{"name":"a","inputSchema":{"type":"object"},"execution":[]}`), Call: call}), `/execution`},
		{c.Add(catalog.Tool{Definition: wire.Object(`{"name":"a","inputSchema":{"type":"object"}}`), Call: nil}), `no function Call`},
		{c.Add(catalog.Prompt{Definition: wire.Object(`{"name":"a","arguments":[{"name":"x"},{}]}`), Get: get}), `/arguments/1`},
		{c.Add(catalog.Prompt{Definition: wire.Object(`{"name":"a"}`), Get: get, Completers: map[string]catalog.Completer{"x": nil}}), `there is no argument "x" to complete`},
		{c.Add(catalog.Prompt{Definition: wire.Object(`{"name":"a"}`)}), `no function Get`},
		{c.Add(catalog.Resource{Definition: wire.Object(`{"name":"a"}`), Read: contents}), `missing member "uri"`},
		{c.Add(catalog.Resource{Definition: wire.Object(`{"uri":"a:b"}`), Read: contents}), `missing member "name"`},
		{c.Add(catalog.Resource{Definition: wire.Object(`{"uri":"a","name":"a"}`), Read: contents}), `at /uri: must be in the format uri, is "a"`},
		{c.Add(catalog.Resource{Definition: wire.Object(`{"uri":"a:b","name":"a"}`)}), `no function Read`},
		{c.Add(catalog.Template{Definition: wire.Object(`{"uriTemplate":"a:{","name":"a"}`), Read: read}), `resource template "a:{"`},
		{c.Add(catalog.Template{Definition: wire.Object(`{"uriTemplate":"a:{x}","name":"a"}`)}), `no function Read`},
		{c.Add(catalog.Template{Definition: wire.Object(`{"uriTemplate":"a:{x}","name":"a"}`), Read: read, Completers: map[string]catalog.Completer{"y": nil}}), `there is no argument "y" to complete`},
		{c.Add(), ``},
	} {
		switch {
		case row.want == "" && row.err != nil:
			t.Errorf("got %v", row.err)
		case row.want != "" && (row.err == nil || !strings.Contains(row.err.Error(), row.want)):
			t.Errorf("got %v, want %s", row.err, row.want)
		}
	}
	s := connect(t, serve(t, c, everything))
	defer s.close()
	if got, want := s.ask("tools/list", ``), `{"tools":[{"name":"a b","x":1.0,"inputSchema":{"type":"object","$defs":{}}}]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestChanges adds, replaces and removes.
func TestChanges(t *testing.T) {
	c := catalog.New(catalog.Options{})
	s := connect(t, serve(t, c, everything))
	defer s.close()
	names := func() []string {
		var all []string
		for part := range strings.SplitSeq(s.ask("tools/list", ``), `{"name":"`) {
			if name, _, ok := strings.Cut(part, `","`); ok {
				all = append(all, name)
			}
		}
		return all
	}
	must(t, c.Add(echo("a"), echo("b"), echo("c")))
	replaced := echo("b")
	replaced.Definition = wire.Object(`{"name":"b","description":"new","inputSchema":{"type":"object"}}`)
	must(t, c.Add(replaced, echo("d")))
	if err := c.Add(echo("e"), catalog.Tool{}); err == nil {
		t.Error("added nothing as a tool")
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(s.ask("tools/list", ``), `"description":"new"`) {
		t.Error("not replaced")
	}
	if n := c.RemoveTools("a", "x", "c"); n != 2 {
		t.Errorf("removed %d", n)
	}
	must(t, c.Add(echo("a")))
	if diff := cmp.Diff([]string{"b", "d", "a"}, names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, want := s.ask("tools/call", `{"name":"c"}`), `-32602 unknown tool: "c"`; got != want {
		t.Errorf("got %s", got)
	}
}

// TestChecker tells when arguments are checked.
func TestChecker(t *testing.T) {
	made := 0
	c := catalog.New(catalog.Options{Checker: func(definition wire.Object) (func(wire.Object) error, error) {
		made++
		switch name, _ := definition.Get("name"); name {
		case `"any"`:
			return nil, nil
		case `"bad"`:
			return nil, errors.New("bad schema")
		}
		return func(arguments wire.Object) error {
			if arguments.Len() == 0 {
				return errors.New("at least one argument")
			}
			return nil
		}, nil
	}})
	must(t, c.Add(echo("any"), echo("some")))
	if err := c.Add(echo("bad")); err == nil || err.Error() != `catalog: tool "bad": bad schema` {
		t.Errorf("got %v", err)
	}
	s := connect(t, serve(t, c, everything))
	defer s.close()
	for _, row := range []struct{ params, want string }{
		{`{"name":"any"}`, `{"content":[],"structuredContent":{}}`},
		{`{"name":"some","arguments":{"a":1}}`, `{"content":[],"structuredContent":{"a":1}}`},
		{`{"name":"some"}`, `{"content":[{"type":"text","text":"at least one argument"}],"isError":true}`},
	} {
		if got := s.ask("tools/call", wire.Raw(row.params)); got != row.want {
			t.Errorf("%s: got %s", row.params, got)
		}
	}
	if made != 3 {
		t.Errorf("made %d checkers", made)
	}
}

// TestOver tells who answers what.
func TestOver(t *testing.T) {
	served := 0
	below := runtime.Binding{
		Revision: "2025-11-25", Direction: runtime.ToServer,
		Methods: []runtime.Method{
			{Name: "tools/list", Kind: jsonrpc.Request, Direction: runtime.ToServer},
			{Name: "x/y", Kind: jsonrpc.Request, Direction: runtime.ToServer},
		},
		Handle: func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
			method := message.Method
			return wire.Object(fmt.Sprintf(`{"below":%q}`, method)), nil
		},
		Served: func(*runtime.Server) { served++ },
	}
	b := filled(t, catalog.Options{}).Over(below)
	for method, want := range map[string]string{
		"tools/list": `{"tools":[`, "prompts/list": `{"below":"prompts/list"}`, "x/y": `{"below":"x/y"}`,
	} {
		result, err := b.Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: method})
		must(t, err)
		got, err := wire.Marshal(result)
		if err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%s: got %s, %v", method, got, err)
		}
	}
	if runtime.NewServer(runtime.ServerOptions{}, b); served != 1 {
		t.Errorf("the binding below was told %d times of the server", served)
	}
	// A table that says nothing restricts nothing.
	if result, err := filled(t, catalog.Options{}).Over(runtime.Binding{}).Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "prompts/list"}); err != nil || result == nil {
		t.Errorf("got %v", err)
	}
}
