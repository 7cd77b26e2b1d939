package agreement

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
)

// TestUnions decodes unions outside of generated types: with a function, and in a box inside a
// struct that encoding/json decodes.
func TestUnions(t *testing.T) {
	const (
		known   = `{"type":"text","text":"a"}`
		unknown = `{"type":"video","url":"b"}`
	)
	block, err := mcp.DecodeContentBlock([]byte(known))
	if diff := cmp.Diff(mcp.ContentBlock(&mcp.TextContent{Type: "text", Text: "a"}), block); diff != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
	block, err = mcp.DecodeContentBlock([]byte(unknown))
	if diff := cmp.Diff(mcp.ContentBlock(&mcp.UnknownContentBlock{Raw: unknown}), block); diff != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
	for _, text := range []string{`{"type":"text"}`, `{"type":"text","text":"a"}x`, ``} {
		if _, err := mcp.DecodeContentBlock([]byte(text)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}

	type page struct {
		Blocks []mcp.ContentBlockBox          `json:"blocks"`
		ByName map[string]mcp.ContentBlockBox `json:"byName"`
		Tool   mcp.CallToolResult             `json:"tool"`
	}
	const want = `{"blocks":[` + known + `,` + unknown + `],"byName":{"x":` + known + `},"tool":{"content":[` + known + `]}}`
	var p page
	if err := json.Unmarshal([]byte(want), &p); err != nil {
		t.Fatal(err)
	}
	if _, ok := p.Blocks[1].V.(*mcp.UnknownContentBlock); !ok {
		t.Errorf("the second block has the type %T", p.Blocks[1].V)
	}
	got, err := json.Marshal(p)
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
	if err := json.Unmarshal([]byte(`{"blocks":[{"type":"text"}]}`), &p); err == nil {
		t.Error("no error for a block without its text")
	}
}
