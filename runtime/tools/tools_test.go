package tools_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/tools/contract"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The tools of the tests, in the form of generated code.
var (
	shout = &tools.Item{Kind: "tool", Key: "shout",
		Definition: wire.Object(`{"name":"shout","inputSchema":{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer","default":1}},"required":["text"]},"outputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}`),
		Input:      checkWords,
		Output:     checkWords,
	}
	draw = &tools.Item{Kind: "tool", Key: "draw", Definition: wire.Object(`{"name":"draw","inputSchema":{"type":"object"}}`), Input: checkWords}
)

func checkWords(c *schema.Checker) {
	if !c.Object(wire.KindObject) {
		return
	}
	var seen uint64
	for c.Member() {
		switch c.Name() {
		case "text":
			seen |= 1
			c.Value(wire.KindString)
		case "n":
			c.Value(wire.KindInteger)
		default:
			c.Pass()
		}
	}
	if seen != 1 {
		c.Missing([]string{"text"}, seen)
	}
}

// words is the type of arguments and results.
type words struct {
	text string
	n    int64
	raw  wire.Raw // written instead, if not ""
}

// DecodeJSON implements wire.Value.
func (w *words) DecodeJSON(r *wire.Reader) error {
	*w = words{n: 1} // its default
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "text":
			w.text = r.ReadString()
		case "n":
			w.n = r.ReadInt64()
		default:
			r.Skip()
		}
	}
	return r.Err()
}

// AppendJSON implements wire.Appender.
func (w *words) AppendJSON(dst []byte) ([]byte, error) {
	if w.raw != "" {
		return w.raw.AppendJSON(dst)
	}
	dst, err := wire.AppendString(append(dst, `{"text":`...), w.text)
	return append(dst, '}'), err
}

func newWords() *words { return new(words) }

// handle is the handler of the tests' tools. The text selects what it does.
func handle(in *words) (*words, error) {
	switch in.text {
	case "error":
		return nil, errors.New("nobody listens")
	case "protocol":
		return nil, jsonrpc.Errorf(jsonrpc.CodeServerBusy, "not now")
	case "panic":
		panic("secret")
	case "nothing":
		return nil, nil
	case "bad":
		return &words{raw: `{"text":7}`}, nil
	case "odd":
		return &words{text: "\xff"}, nil
	}
	return &words{text: strings.Repeat(strings.ToUpper(in.text), int(in.n))}, nil
}

// connect connects a client to a server of the tools.
func connect(t *testing.T, options tools.Options, client runtime.Binding, items ...catalog.Item) *runtime.Session {
	t.Helper()
	items = append(items,
		tools.Structured(shout, options, newWords, func(_ context.Context, in *words) (*words, error) { return handle(in) }),
		tools.Content(draw, options, newWords, func(_ context.Context, in *words) ([]mcp.ContentBlock, error) {
			return []mcp.ContentBlock{
				&mcp.TextContent{Text: in.text},
				&mcp.AudioContent{Data: "", MIMEType: "audio/wav"},
				&mcp.ResourceLink{Name: "r", URI: "file:///r"},
			}, nil
		}),
	)
	s, err := mcp.NewServer(mcp.ServerOptions{Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}, items...)
	if err != nil {
		t.Fatal(err)
	}
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, client).Connect(t.Context(), contract.Connect(t, s))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func newest(t *testing.T, options tools.Options, items ...catalog.Item) *runtime.Session {
	return connect(t, options, mcp.BindClient(mcp.UnimplementedClient{}), items...)
}

// F27
func TestHandlerErrors(t *testing.T) {
	for _, row := range []struct {
		text string
		want string
	}{
		{"error", `tool "shout": nobody listens`},
		{"panic", `tool "shout": the tool failed unexpectedly`},
		{"nothing", `tool "shout": the tool returned no result`},
		{"bad", `tool "shout": the tool's result does not match its output schema: at /text: `},
		{"odd", `tool "shout": the tool's result cannot be encoded`},
		{"protocol", `not now`},
	} {
		_, err := tools.Call(t.Context(), newest(t, tools.Options{}), shout, &words{text: row.text}, new(words))
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s", row.text, err, row.want)
		}
		if _, ok := errors.AsType[*jsonrpc.Error](err); ok != (row.text == "protocol") {
			t.Errorf("%s: got %T", row.text, err)
		}
	}
}

// TestUncheckedOutput lets the server send an invalid result, which the client detects.
//
// F25
func TestUncheckedOutput(t *testing.T) {
	session := newest(t, tools.Options{UncheckedOutput: true})
	_, err := tools.Call(t.Context(), session, shout, &words{text: "bad"}, new(words))
	bad, ok := errors.AsType[*tools.ResultError](err)
	if !ok || !strings.Contains(string(bad.Result), `"structuredContent":{"text":7}`) || !strings.Contains(err.Error(), "at /text: ") {
		t.Errorf("got %v", err)
	}
	if _, ok := errors.AsType[*wire.ValidationError](err); !ok {
		t.Errorf("got %T", err)
	}
	if _, err = tools.Call(t.Context(), session, &tools.Item{Kind: "tool", Key: "draw", Output: checkWords}, &words{text: "a"}, new(words)); err == nil || !strings.Contains(err.Error(), "there is no structured content") {
		t.Errorf("a result without structured content: %v", err)
	}
	_, err = tools.CallContent(t.Context(), session, draw, &words{text: "a"}, func(wire.Object) ([]wire.Raw, error) { return nil, errors.New("what?") })
	if _, ok := errors.AsType[*tools.ResultError](err); !ok {
		t.Errorf("content that is not read: %v", err)
	}
}

// TestManyProblems checks the limit on the problems reported for a value.
func TestManyProblems(t *testing.T) {
	many := &tools.Item{Kind: "tool", Definition: wire.Object(`{"name":"many","inputSchema":{"type":"object"}}`), Input: func(c *schema.Checker) {
		for c.Object(wire.KindObject); c.Member(); {
			c.Value(wire.KindString)
		}
	}}
	arguments := []byte{'{'}
	for i := range 500 {
		arguments = append(wire.AppendName(arguments, fmt.Sprintf("m%d", i)), '7')
	}
	handler := func(context.Context, *words) (*words, error) { return &words{}, nil }
	_, err := tools.Structured(many, tools.Options{}, newWords, handler).Call(t.Context(), wire.Object(append(arguments, '}')))
	if err == nil || !strings.Contains(err.Error(), "500 problems:") || !strings.Contains(err.Error(), "at /m99: ") || strings.Contains(err.Error(), "/m100") || !strings.HasSuffix(err.Error(), "- and 400 more") {
		t.Errorf("got %v", err)
	}
}

// defined returns the items of a package with definitions of tools.
func defined(definitions ...wire.Object) (items []*tools.Item) {
	for _, definition := range definitions {
		items = append(items, &tools.Item{Kind: "tool", Definition: definition})
	}
	return items
}

// F29
func TestCheck(t *testing.T) {
	// The server's list has several pages.
	session := newest(t, tools.Options{}, catalog.New(catalog.Options{PageSize: 1}))
	if err := tools.Check(t.Context(), session, []*tools.Item{draw, shout}); err != nil {
		t.Errorf("the same tools: %v", err)
	}
	old := []wire.Object{
		`{"name":"gone","inputSchema":{}}`,
		wire.Object(strings.NewReplacer(`"integer"`, `"number"`, `"required":["text"]}`, `"required":["text","n"],"a/b":1}`).Replace(string(shout.Definition))),
	}
	err := tools.Check(t.Context(), session, defined(old...))
	without := append(defined(old...), &tools.Item{Kind: "prompt", Key: "p", Definition: `{"name":"p"}`})
	both := tools.Check(t.Context(), session, without)
	_, lacks := errors.AsType[*runtime.CapabilityError](both)
	if drift, ok := errors.AsType[*tools.Drift](both); !ok || !lacks {
		t.Errorf("a server with other tools and no prompts: %v, %v", drift, both)
	}
	drift, ok := errors.AsType[*tools.Drift](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	want := &tools.Drift{
		List:    "tools",
		Added:   []string{"draw"},
		Removed: []string{"gone"},
		Changed: []tools.Change{
			{Tool: "shout", Pointer: "/inputSchema/properties/n/type", Old: `"number"`, New: `"integer"`},
			{Tool: "shout", Pointer: "/inputSchema/required/1", Old: `"n"`},
			{Tool: "shout", Pointer: "/inputSchema/a~1b", Old: `1`},
			{Tool: "shout", Pointer: "/outputSchema/required/1", Old: `"n"`},
			{Tool: "shout", Pointer: "/outputSchema/a~1b", Old: `1`},
		},
	}
	if diff := cmp.Diff(want, drift); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := err.Error(); !strings.Contains(got, `changed "shout" at /inputSchema/properties/n/type: "integer", was "number"`) || !strings.Contains(got, `removed "gone"`) {
		t.Errorf("says %s", got)
	}
}

// TestCheckWithoutTasks checks a list with tasks in a session of a revision that has none.
func TestCheckWithoutTasks(t *testing.T) {
	session := connect(t, tools.Options{}, mcp20260728.BindClient(mcp20260728.UnimplementedClient{}))
	want := []wire.Object{
		wire.Object(strings.Replace(string(draw.Definition), "{", `{"execution":{"taskSupport":"optional"},`, 1)),
		shout.Definition,
		`{"name":"slow","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`,
	}
	if err := tools.Check(t.Context(), session, defined(want...)); err != nil {
		t.Error(err)
	}
	if drift := tools.Compare(want[:1], []wire.Object{draw.Definition}); drift == nil {
		t.Error("Compare ignores execution")
	}
}

// TestCompareTypes checks that a live schema without the type "object" equals one with it, because
// generation adds it, and that other types are a change.
func TestCompareTypes(t *testing.T) {
	known := wire.Object(`{"name":"a","inputSchema":{"type":"object","minProperties":1},"outputSchema":{"type":"object"}}`)
	for _, test := range []struct {
		live    wire.Object
		changed bool
	}{
		{`{"name":"a","inputSchema":{"minProperties":1},"outputSchema":true}`, false},
		{`{"name":"a","inputSchema":{"type":["object","null"],"minProperties":1},"outputSchema":{}}`, false},
		{`{"name":"a","inputSchema":{"type":"string","minProperties":1},"outputSchema":{}}`, true},
		{`{"name":"a","inputSchema":{},"outputSchema":{}}`, true},
		{`{"name":"a","inputSchema":{"minProperties":1}}`, true},
	} {
		if drift := tools.Compare([]wire.Object{known}, []wire.Object{test.live}); (drift != nil) != test.changed {
			t.Errorf("%s: %v", test.live, drift)
		}
	}
}
