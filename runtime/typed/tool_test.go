package typed_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/schema/fallback"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/tools/contract"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type search struct {
	Query string   `json:"query" jsonschema:"minLength=2"`
	Limit uint64   `json:"limit,omitempty" jsonschema:"default=10,maximum=50"`
	Tags  []string `json:"tags,omitempty"`
}

type found struct {
	Hits  []string       `json:"hits"`
	Limit uint64         `json:"limit"`
	Facet map[string]int `json:"facet"`
	Score float64        `json:"score" jsonschema:"minimum=0"`
}

func find(_ context.Context, in *search) (*found, error) {
	switch in.Query {
	case "fail":
		return nil, errors.New("the index is gone")
	case "panic":
		panic("oh")
	case "nothing":
		return nil, nil
	case "refuse":
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "not today")
	case "negative":
		return &found{Score: -1}, nil
	}
	return &found{Hits: in.Tags, Limit: in.Limit}, nil
}

// connect serves a catalog and connects to it in a revision.
func connect(t *testing.T, c *catalog.Catalog, revision string) *runtime.Session {
	t.Helper()
	server, err := mcp.NewServer(mcp.ServerOptions{Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}, c)
	if err != nil {
		t.Fatal(err)
	}
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"},
		runtime.Binding{Revision: revision, Direction: runtime.ToClient})
	session, err := client.Connect(t.Context(), contract.Connect(t, server))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func TestTool(t *testing.T) {
	c := catalog.New(catalog.Options{})
	err := c.Add(typed.Tool(wire.Object(`{"name":"search","title":"Search","description":"Finds \"things\".","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`), find))
	if err != nil {
		t.Fatal(err)
	}
	session := connect(t, c, "2025-11-25")
	list, err := tools.List(t.Context(), session, "tool")
	if err != nil {
		t.Fatal(err)
	}
	const definition = `{"name":"search","title":"Search","description":"Finds \"things\".",` +
		`"inputSchema":{"type":"object","properties":{"query":{"type":"string","minLength":2},"limit":{"type":"integer","minimum":0,"maximum":50,"default":10},` +
		`"tags":{"type":"array","items":{"type":"string"}}},"required":["query"],"additionalProperties":false},"annotations":{"readOnlyHint":true},` +
		`"outputSchema":{"type":"object","properties":{"hits":{"type":"array","items":{"type":"string"}},"limit":{"type":"integer","minimum":0},` +
		`"facet":{"type":"object","additionalProperties":{"type":"integer"}},"score":{"type":"number","minimum":0}},` +
		`"required":["hits","limit","facet","score"],"additionalProperties":false}}`
	if !slices.Equal(list, []wire.Object{definition}) {
		t.Errorf("list %s", list)
	}
	for _, test := range []struct{ arguments, want string }{
		{`{"query":"it"}`, `"structuredContent":{"hits":[],"limit":10,"facet":{},"score":0}`},
		{`{"query":"it","limit":0,"tags":["x"]}`, `"structuredContent":{"hits":["x"],"limit":0,"facet":{},"score":0}`},
		{`{"query":"it","limit":3.0,"tags":["1.50"]}`, `"structuredContent":{"hits":["1.50"],"limit":3,"facet":{},"score":0}`},
		{`{"query":"it","limit":2e1}`, `"limit":20`},
		{`{"query":"i","limit":51}`, `"isError":true`},
		{`{"query":"i","limit":51}`, `/query`},
		{`{"query":"i","limit":51}`, `/limit`},
		{`{}`, `query`},
		{`{"Query":"it"}`, `Query`},
		{`{"query":"it","limit":-1}`, `/limit`},
		{`{"query":"fail"}`, `{"content":[{"type":"text","text":"the index is gone"}],"isError":true}`},
		{`{"query":"panic"}`, `"isError":true`},
		{`{"query":"nothing"}`, `"isError":true`},
		{`{"query":"negative"}`, `/score`},
	} {
		result, err := tools.CallRaw(t.Context(), session, "search", wire.Raw(test.arguments))
		text := string(result)
		if failed, ok := errors.AsType[*tools.Error](err); ok {
			text, err = string(failed.Result), nil
		}
		if err != nil || !strings.Contains(text, test.want) {
			t.Errorf("%s: %s, %v, want %s", test.arguments, text, err, test.want)
		}
	}
	if _, err := tools.CallRaw(t.Context(), session, "search", wire.Raw(`{"query":"refuse"}`)); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("an error of the protocol: %v", err)
	}
}

// TestOlderRevision checks that, in an older revision, invalid arguments are a protocol
// error and results have no structured content.
func TestOlderRevision(t *testing.T) {
	c := catalog.New(catalog.Options{})
	if err := c.Add(typed.Tool(&mcp.Tool{Name: "search"}, find)); err != nil {
		t.Fatal(err)
	}
	session := connect(t, c, "2025-03-26")
	result, err := tools.CallRaw(t.Context(), session, "search", wire.Raw(`{"query":"it"}`))
	if err != nil || result != `{"content":[{"type":"text","text":"{\"hits\":[],\"limit\":10,\"facet\":{},\"score\":0}"}]}` {
		t.Errorf("%s, %v", result, err)
	}
	_, err = tools.CallRaw(t.Context(), session, "search", wire.Raw(`{"query":"x"}`))
	if refused, ok := errors.AsType[*jsonrpc.Error](err); !ok || refused.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("bad arguments: %v", err)
	}
}

// TestToolErrors checks that adding a tool reports why it could not be made.
func TestToolErrors(t *testing.T) {
	for _, test := range []struct {
		tool catalog.Tool
		want string
	}{
		{typed.Tool(&mcp.Tool{}, find), `catalog: tool "": `},
		{typed.Tool(nil, find), `the definition is missing`},
		{typed.Tool[search, found](&mcp.Tool{Name: "x"}, nil), `tool "x": the function is nil`},
		{typed.ValueTool[search, int](&mcp.Tool{Name: "x"}, nil), `the function is nil`},
		{typed.ContentTool[search, mcp.ContentBlock](&mcp.Tool{Name: "x"}, nil), `the function is nil`},
		{typed.Tool(wire.Object(`[]`), find), `expected an object`},
		{typed.Tool(&mcp.Tool{Name: "x"}, func(context.Context, *[]string) (*found, error) { return nil, nil }), `catalog: tool "x": arguments: []string: must be a struct or a map`},
		{typed.Tool(&mcp.Tool{Name: "x"}, func(context.Context, *search) (*string, error) { return nil, nil }), `catalog: tool "x": result: string: must be`},
		{typed.Tool(&mcp.Tool{Name: "x"}, func(context.Context, *struct{ F func() }) (*found, error) { return nil, nil }), "func()"},
		{typed.Tool(wire.Object(`{"name":"x","inputSchema":{"type":"object","required":7}}`), find), `tool "x": arguments: `},
		{typed.Tool(wire.Object(`{"name":"x","inputSchema":[]}`), find), `tool "x": arguments: `},
		{typed.ContentTool(&mcp.Tool{Name: "x"}, func(context.Context, *int) ([]mcp.ContentBlock, error) { return nil, nil }), `tool "x": arguments: int: must be`},
		{typed.Tool(&mcp.Tool{Name: "x"}, func(context.Context, *struct {
			P string `json:"p" jsonschema:"pattern=("`
		}) (*found, error) {
			return nil, nil
		}), "pattern"},
		{typed.Tool(&mcp.Tool{Name: "x"}, func(context.Context, *wrongDefault) (*found, error) { return nil, nil }), `the default "small" of "word" is not valid: must be in capitals`},
		{typed.ValueTool(&mcp.Tool{Name: "x"}, func(context.Context, *wrongDefault) (int, error) { return 0, nil }), `the default "small"`},
		{typed.ContentTool(&mcp.Tool{Name: "x"}, func(context.Context, *wrongDefault) ([]mcp.ContentBlock, error) { return nil, nil }), `the default "small"`},
	} {
		_, err := mcp.NewServer(mcp.ServerOptions{}, test.tool)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// TestExplicitSchema checks that a schema in the definition takes precedence.
func TestExplicitSchema(t *testing.T) {
	const definition = `{"name":"search","inputSchema":{"type":"object","properties":{"query":{"enum":["it"],"default":"it"}}},"outputSchema":{"type":"object"}}`
	c := catalog.New(catalog.Options{})
	if err := c.Add(typed.Tool(wire.Object(definition), find)); err != nil {
		t.Fatal(err)
	}
	session := connect(t, c, "2025-11-25")
	list, err := tools.List(t.Context(), session, "tool")
	if err != nil || len(list) != 1 || !strings.Contains(string(list[0]), `{"enum":["it"],"default":"it"}`) || !strings.Contains(string(list[0]), `"hits"`) {
		t.Errorf("list %s, %v", list, err)
	}
	if result, err := tools.CallRaw(t.Context(), session, "search", wire.Raw(`{}`)); err != nil || !strings.Contains(string(result), `"hits":[]`) {
		t.Errorf("the default: %s, %v", result, err)
	}
	if _, err := tools.CallRaw(t.Context(), session, "search", wire.Raw(`{"query":"other"}`)); err == nil || !strings.Contains(err.Error(), "/query") {
		t.Errorf("other arguments: %v", err)
	}
}

// TestCompile adds tools with a pattern that package regexp cannot match, and a definition whose schema has a
// keyword that is not covered.
func TestCompile(t *testing.T) {
	type input struct {
		Word string `json:"word" jsonschema:"pattern=^(?!x)"`
	}
	find := func(context.Context, *input) ([]mcp.ContentBlock, error) { return nil, nil }
	for _, definition := range []wire.Object{
		`{"name":"t"}`,
		`{"name":"t","inputSchema":{"type":"object","not":{"properties":{"word":{"pattern":"^x"}}}}}`,
	} {
		if err := typed.ContentTool(definition, find).Err; err == nil || !strings.Contains(err.Error(), "set Compile of tools.Options to fallback.Compile") {
			t.Errorf("%s: %v", definition, err)
		}
		tool := typed.ContentTool(definition, find, tools.Options{Compile: fallback.Compile})
		if tool.Err != nil {
			t.Errorf("%s: %v", definition, tool.Err)
			continue
		}
		if _, err := tool.Call(t.Context(), `{"word":"y"}`); err != nil {
			t.Errorf("%s: %v", definition, err)
		}
		if _, err := tool.Call(t.Context(), `{"word":"xy"}`); err == nil || !strings.Contains(err.Error(), "invalid arguments") {
			t.Errorf("%s: %v", definition, err)
		}
	}
}

// TestNilResults calls a tool whose result has nil pointers that its tags do not leave out. They are written as null,
// so the output schema allows that.
func TestNilResults(t *testing.T) {
	type part struct {
		N int `json:"n"`
	}
	type choice struct {
		typed.OneOf
		Part *part
		Text *string
	}
	type Paging struct {
		Next int `json:"next"`
	}
	type result struct {
		*Paging
		Count  *int       `json:"count"`
		Part   *part      `json:"part" jsonschema:"a part"`
		When   *time.Time `json:"when"`
		Any    *any       `json:"any"`
		Choice *choice    `json:"choice"`
		Self   *result    `json:"self"`
		Quoted *int       `json:"quoted,string"`
		Left   *int       `json:"left,omitempty"`

		List  []*part          `json:"list"`
		Pair  [2]*int          `json:"pair"`
		Map   map[string]*part `json:"map"`
		Lists [][]*result      `json:"lists"`
	}
	tool := typed.Tool(wire.Object(`{"name":"t"}`), func(_ context.Context, in *part) (*result, error) {
		out := &result{List: []*part{nil, in}, Map: map[string]*part{"a": nil, "b": in}, Lists: [][]*result{nil, {nil}}}
		if in.N > 0 {
			out.Choice = &choice{Text: new("x")}
		}
		return out, nil
	})
	definition, err := wire.MarshalString(tool.Definition)
	if err != nil {
		t.Fatal(err)
	}
	schema, _ := wire.Raw(definition).At("/outputSchema/properties")
	const self = `{"anyOf":[{"$ref":"#/$defs/result"},{"type":"null"}]}`
	const nilPart = `{"type":["object","null"],"properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`
	want := `{"next":{"type":"integer"},"count":{"type":["integer","null"]},
		"part":{"type":["object","null"],"properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false,"description":"a part"},
		"when":{"type":["string","null"],"format":"date-time"},"any":{},
		"choice":{"anyOf":[{"anyOf":[{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false},{"type":"string"}]},{"type":"null"}]},
		"self":` + self + `,"quoted":{"type":["string","null"]},"left":{"type":"integer"},
		"list":{"type":"array","items":` + nilPart + `},"pair":{"type":"array","minItems":2,"maxItems":2,"items":{"type":["integer","null"]}},
		"map":{"type":"object","additionalProperties":` + nilPart + `},"lists":{"type":"array","items":{"type":"array","items":` + self + `}}}`
	if !wire.Equal(schema, wire.Raw(want)) {
		t.Errorf("got %s, want %s", schema, want)
	}
	for _, arguments := range []wire.Object{`{"n":0}`, `{"n":1}`} {
		if _, err := tool.Call(t.Context(), arguments); err != nil {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}
