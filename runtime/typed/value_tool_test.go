package typed_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/tools/contract"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type item struct {
	ID   string `json:"id"`
	Next *item  `json:"next,omitempty"`
}

// results are tools whose results are not objects.
func results() []catalog.Item {
	return []catalog.Item{
		typed.ValueTool(wire.Object(`{"name":"items"}`), func(ctx context.Context, in *struct {
			N int `json:"n"`
		}) ([]item, error) {
			if in.N < 0 {
				tools.ResultOf(ctx).IsError = true
				tools.ResultOf(ctx).Content = []wire.Appender{&mcp.TextContent{Text: "too few"}}
				return nil, nil
			}
			return make([]item, in.N), nil
		}),
		typed.ValueTool(wire.Object(`{"name":"word"}`), func(context.Context, *struct{}) (string, error) { return "a \"word\"", nil }),
		typed.ValueTool(wire.Object(`{"name":"count"}`), func(context.Context, *struct{}) (int64, error) { return 1<<53 + 1, nil }),
		typed.ValueTool(wire.Object(`{"name":"none","outputSchema":{"type":["string","null"]}}`), func(context.Context, *struct{}) (*string, error) { return nil, nil }),
		typed.ValueTool(wire.Object(`{"name":"absent"}`), func(context.Context, *struct{}) (*item, error) { return nil, nil }),
		typed.ValueTool(wire.Object(`{"name":"pointer"}`), func(context.Context, *struct{}) (*int, error) { return new(7), nil }),
		typed.ValueTool(wire.Object(`{"name":"object"}`), func(context.Context, *struct{}) (item, error) { return item{ID: "a"}, nil }),
	}
}

// TestValueTool calls tools whose results are not objects in every revision. Before 2026-07-28, their
// schemas are not listed and their results are text.
//
// F26
func TestValueTool(t *testing.T) {
	c := catalog.New(catalog.Options{})
	if err := c.Add(results()...); err != nil {
		t.Fatal(err)
	}
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "test", Version: "1"}, results()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, binding := range generated.ClientBindings() {
		session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, binding).Connect(t.Context(), contract.Connect(t, server))
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		list, err := tools.List(t.Context(), session, "tool")
		if err != nil || len(list) != 7 {
			t.Fatalf("%s: %v %s", binding.Revision, err, list)
		}
		values := binding.Revision >= "2026-07-28"
		for i, tool := range list[:6] {
			if _, ok := tool.Get("outputSchema"); ok != values {
				t.Errorf("%s: tool %d is listed as %s", binding.Revision, i, tool)
			}
		}
		if values {
			const want = `{"$defs":{"item":{"properties":{"id":{"type":"string"},"next":{"$ref":"#/$defs/item"}},"additionalProperties":false,"type":"object","required":["id"]}},"items":{"$ref":"#/$defs/item"},"type":"array"}`
			if got, _ := list[0].Get("outputSchema"); !wire.Equal(got, want) {
				t.Errorf("the schema of items is %s", got)
			}
			if got, _ := list[5].Get("outputSchema"); !wire.Equal(got, `{"type":["integer","null"]}`) {
				t.Errorf("the schema of a pointer is %s", got)
			}
		}
		for _, row := range []struct{ name, arguments, want string }{
			{"items", `{"n":2}`, `[{"id":""},{"id":""}]`},
			{"items", `{"n":0}`, `[]`},
			{"word", `{}`, `"a \"word\""`},
			{"count", `{}`, `9007199254740993`},
			{"none", `{}`, `null`},
			{"absent", `{}`, `null`},
			{"pointer", `{}`, `7`},
			{"object", `{}`, `{"id":"a"}`},
		} {
			result, err := tools.CallRaw(t.Context(), session, row.name, wire.Raw(row.arguments))
			if err != nil {
				t.Errorf("%s: %s: %v", binding.Revision, row.name, err)
				continue
			}
			structured, _ := result.Get("structuredContent")
			if want := row.want; values && string(structured) != want || !values && row.name != "object" && structured != "" {
				t.Errorf("%s: %s: the structured content is %s", binding.Revision, row.name, structured)
			}
			text, _ := wire.AppendString(nil, row.want)
			if !strings.Contains(string(result), fmt.Sprintf(`{"type":"text","text":%s}`, text)) {
				t.Errorf("%s: %s: there is no text %s in %s", binding.Revision, row.name, text, result)
			}
		}
		if _, err := tools.CallRaw(t.Context(), session, "items", wire.Raw(`{"n":-1}`)); err == nil || err.Error() != `tool "items": too few` {
			t.Errorf("%s: a failed tool: %v", binding.Revision, err)
		}
	}
	// A catalog without converter leaves out the same.
	listed, err := tools.List(t.Context(), connect(t, c, "2025-11-25"), "tool")
	if err != nil || strings.Contains(fmt.Sprint(listed[:6]), "outputSchema") {
		t.Errorf("%v %s", err, listed)
	}
}

// TestValueToolErrors adds tools of types without a schema.
func TestValueToolErrors(t *testing.T) {
	for _, tool := range []catalog.Tool{
		typed.ValueTool(wire.Object(`{"name":"a"}`), func(context.Context, *[]string) (string, error) { return "", nil }),
		typed.ValueTool(wire.Object(`{"name":"a"}`), func(context.Context, *struct{}) (chan int, error) { return nil, nil }),
		typed.ValueTool(nil, func(context.Context, *struct{}) (string, error) { return "", nil }),
	} {
		if err := catalog.New(catalog.Options{}).Add(tool); err == nil {
			t.Errorf("%+v was added", tool)
		}
	}
}
