package tools_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// texts is the box of a list of texts, or of null.
type texts struct{ Value []string }

func (x *texts) DecodeJSON(r *wire.Reader) error {
	*x = texts{}
	if !r.ReadNull() {
		x.Value = r.ReadStrings()
	}
	return r.Err()
}

func (x *texts) AppendJSON(dst []byte) ([]byte, error) {
	if x.Value == nil {
		return append(dst, "null"...), nil
	}
	raw, err := wire.RawOf(x.Value)
	return append(dst, raw...), err
}

var split = &tools.Item{Kind: "tool", Key: "split",
	Definition: `{"name":"split","inputSchema":{"type":"object","properties":{"free":true}},"outputSchema":{"type":["array","null"],"items":{"type":"string"}}}`,
	Input:      checkWords,
	Output: func(c *schema.Checker) {
		if c.Array(wire.KindArray | wire.KindNull) {
			for c.Element() {
				c.Value(wire.KindString)
			}
		}
	},
}

// aSplit is a tool whose result is a list or null.
func aSplit() catalog.Item {
	return tools.Value(split, tools.Options{}, newWords, func(ctx context.Context, in *words) ([]string, error) {
		switch in.text {
		case "":
			return nil, nil
		case "error":
			return nil, errors.New("no text")
		case "failed":
			tools.ResultOf(ctx).IsError = true
			tools.ResultOf(ctx).Content = []wire.Appender{&mcp.TextContent{Text: "failed"}}
			return []string{"not sent"}, nil
		case "picture":
			tools.ResultOf(ctx).Content = []wire.Appender{&mcp.ImageContent{MIMEType: "image/png"}}
		}
		return strings.Fields(in.text), nil
	}, func(v []string) *texts { return &texts{v} })
}

// TestValue calls a tool whose result is not an object in every revision, through the client of the
// tool.
//
// F23 F24 F26
func TestValue(t *testing.T) {
	for _, binding := range generated.ClientBindings() {
		session := connect(t, tools.Options{}, binding, aSplit())
		for _, row := range []struct {
			text string
			want []string
		}{{"a b", []string{"a", "b"}}, {" ", []string{}}, {"", nil}, {"picture", []string{"picture"}}} {
			got, err := tools.Call(t.Context(), session, split, &words{text: row.text}, new(texts))
			if err != nil || !slices.Equal(got.Value, row.want) || (got.Value == nil) != (row.want == nil) {
				t.Errorf("%s: %q: got %v, %v", binding.Revision, row.text, got, err)
			}
		}
		for text, want := range map[string]string{"error": `tool "split": no text`, "failed": `tool "split": failed`} {
			_, err := tools.Call(t.Context(), session, split, &words{text: text}, new(texts))
			failed, ok := errors.AsType[*tools.Error](err)
			if !ok || err.Error() != want || strings.Contains(string(failed.Result), "not sent") {
				t.Errorf("%s: %q: got %v", binding.Revision, text, err)
			}
		}
		if err := tools.Check(t.Context(), session, []*tools.Item{split, shout, draw}); err != nil && binding.Revision >= "2025-06-18" {
			t.Errorf("%s: %v", binding.Revision, err)
		}
		other := wire.Object(strings.Replace(string(split.Definition), "true", "false", 1))
		if err := tools.Check(t.Context(), session, defined(other, shout.Definition, draw.Definition)); err == nil || !strings.Contains(err.Error(), "/inputSchema/properties/free") {
			t.Errorf("%s: another schema: %v", binding.Revision, err)
		}
	}
}
