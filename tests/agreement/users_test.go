package agreement

//lint:file-ignore SA1019 the variant of another revision is one of sampling, which is deprecated there

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// library is a way to read and write the structs of users.
type library struct {
	name      string
	marshal   func(v any) ([]byte, error)
	unmarshal func(text []byte, v any) error
}

var libraries = []library{
	{"encoding/json", json.Marshal, json.Unmarshal},
	{"json/v2", func(v any) ([]byte, error) { return jsonv2.Marshal(v) }, func(text []byte, v any) error { return jsonv2.Unmarshal(text, v) }},
}

// TestUsersStructs holds generated types in a struct of a user: as fields, pointers, elements, keys and values of
// maps.
func TestUsersStructs(t *testing.T) {
	type page struct {
		ID      mcp.RequestId                 `json:"id,omitzero"`
		Pointer *mcp.RequestId                `json:"pointer,omitzero"`
		Tool    mcp.Tool                      `json:"tool"`
		Other   *mcp.Tool                     `json:"other,omitzero"`
		Blocks  []mcp.ContentBlockBox         `json:"blocks,omitzero"`
		Values  map[string]mcp.Implementation `json:"values,omitzero"`
		Level   mcp.LoggingLevel              `json:"level,omitzero"`
	}
	const tool = `{"inputSchema":{"type":"object"},"name":"a"}`
	for _, l := range libraries {
		for _, text := range []string{
			`{"tool":` + tool + `}`,
			`{"id":9007199254740993,"pointer":"x","tool":` + tool + `,"other":` + tool + `,"blocks":[{"type":"text","text":"b"},{"type":"new"}],"values":{"e":{"name":"f","version":"1"}},"level":"debug"}`,
		} {
			var p page
			if err := l.unmarshal([]byte(text), &p); err != nil {
				t.Errorf("%s: %v\n%s", l.name, err, text)
				continue
			}
			got, err := l.marshal(p)
			if diff := cmp.Diff(text, string(got)); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got)\n%s", l.name, err, diff)
			}
		}
		for _, wrong := range []string{`{"id":true}`, `{"id":1.5}`, `{"pointer":[]}`, `{"tool":{}}`, `{"blocks":[{"type":"text"}]}`} {
			if err := l.unmarshal([]byte(wrong), new(page)); err == nil {
				t.Errorf("%s: no error for %s", l.name, wrong)
			}
		}
	}
	keys := map[mcp.RequestId]int{wire.IDOf(1): 1, wire.IDOf("1"): 2}
	if len(keys) != 2 || keys[wire.IDOf(1)] != 1 {
		t.Errorf("1 and \"1\" are the same key: %v", keys)
	}
}

// TestEmbedded holds what the README says about embedding: the promoted methods write and read the generated type
// alone, and Extra is the place for more members.
func TestEmbedded(t *testing.T) {
	type priced struct {
		mcp.Tool
		Cost int `json:"cost"`
	}
	tool := mcp.Tool{Name: "a"}
	for _, l := range libraries {
		whole, err := l.marshal(priced{tool, 5})
		if err != nil || strings.Contains(string(whole), "cost") {
			t.Errorf("%s: %s, %v: the README says that cost is not written", l.name, whole, err)
		}
		more := tool
		more.Extra.Set("cost", "5")
		text, err := l.marshal(more)
		if err != nil || !strings.Contains(string(text), `"cost":5`) {
			t.Errorf("%s: %s, %v", l.name, text, err)
		}
		var back mcp.Tool
		if err := l.unmarshal(text, &back); err != nil {
			t.Errorf("%s: %v", l.name, err)
		}
		if cost, _ := back.Extra.Get("cost"); cost != "5" {
			t.Errorf("%s: the cost is %q", l.name, cost)
		}
	}
}

// TestEmbeddedIsFound applies the pattern of the README to this file, which embeds a type.
func TestEmbeddedIsFound(t *testing.T) {
	readme, err := os.ReadFile("../../generated/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, pattern, _ := strings.Cut(string(readme), "grep -rnE '")
	pattern, _, ok := strings.Cut(pattern, "'")
	source, err := os.ReadFile("users_test.go")
	if err != nil || !ok {
		t.Fatal(err, pattern)
	}
	if found := regexp.MustCompile("(?m)"+pattern).FindAllString(string(source), -1); len(found) != 1 || strings.TrimSpace(found[0]) != "mcp.Tool" {
		t.Errorf("%s finds %q", pattern, found)
	}
}

// TestLimits holds what the README says about numbers, constants and base64.
func TestLimits(t *testing.T) {
	var progress mcp.ProgressNotificationParams
	if err := wire.UnmarshalString(`{"progressToken":9007199254740993,"progress":9007199254740993,"x":9007199254740993}`, &progress); err != nil {
		t.Fatal(err)
	}
	if got, want := progress.String(), `{"progress":9007199254740992,"progressToken":9007199254740993,"x":9007199254740993}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var result mcp20260728.EmptyResult
	if err := wire.UnmarshalString(`{}`, &result); err != nil || result.ResultType != "complete" {
		t.Errorf("a result without a type: %v, %v", result, err)
	}
	image := &mcp.ImageContent{Data: "no base64!", MIMEType: "image/png"}
	if _, err := wire.DecodeBase64(image.Data); wire.Validate(image) != nil || err == nil {
		t.Errorf("base64 is checked: %v, %v", wire.Validate(image), err)
	}
	var text mcp.TextContent
	if err := wire.UnmarshalString(`{"type":"text","text":"a"}`, &text); err != nil || text.Type != "text" || mcp.Text("a").Type != "" {
		t.Errorf("a decoded constant: %v, %v", text, err)
	}
}

// TestMissingVariants checks that a nil pointer in a union is an error and no panic, and that a variant of another
// revision is reported.
func TestMissingVariants(t *testing.T) {
	for _, block := range []mcp.ContentBlock{nil, (*mcp.TextContent)(nil)} {
		result := &mcp.CallToolResult{Content: []mcp.ContentBlock{block}}
		if _, err := wire.Marshal(result); err == nil || !strings.Contains(err.Error(), "/content/0") {
			t.Errorf("%#v is written: %v", block, err)
		}
		if err := wire.Validate(result); err == nil || !strings.Contains(err.Error(), "at /content/0: is missing") {
			t.Errorf("%#v is valid: %v", block, err)
		}
		if text, err := json.Marshal(mcp.ContentBlockBox{V: block}); err != nil || string(text) != "null" {
			t.Errorf("%#v: %s, %v", block, text, err)
		}
	}
	foreign := mcp.SamplingMessageContentBlock(&mcp20260728.ToolResultContent{ToolUseID: "a", Content: []mcp.ContentBlock{mcp.Text("b")}})
	err := wire.Validate(&mcp.SamplingMessageContentBlockBox{V: foreign})
	if err == nil || !strings.Contains(err.Error(), "no variant of SamplingMessageContentBlock") {
		t.Errorf("a variant of 2026-07-28 in a union of 2025-11-25: %v", err)
	}
}

// TestConstructors makes content with the functions for it.
func TestConstructors(t *testing.T) {
	result := &mcp.CallToolResult{Content: []mcp.ContentBlock{mcp.Text("a"), mcp.Image([]byte("png"), "image/png")}}
	text, err := wire.Marshal(result)
	want := `{"content":[{"type":"text","text":"a"},{"type":"image","data":"cG5n","mimeType":"image/png"}]}`
	if err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	properties := wire.Map[mcp.PrimitiveSchemaDefinition](nil).With("b", &mcp.StringSchema{}).With("a", &mcp.BooleanSchema{})
	shared := properties.With("c", &mcp.BooleanSchema{})
	_ = properties.With("d", &mcp.BooleanSchema{})
	if shared[2].Name != "c" || properties.Len() != 2 || properties[0].Name != "b" {
		t.Errorf("With changes other maps: %v, %v", properties, shared)
	}
	if replaced := properties.With("b", &mcp.BooleanSchema{}); replaced.Len() != 2 || properties[0].Value == replaced[0].Value {
		t.Error("With changes the map that it is called on")
	}
}

// TestSharedTypes checks that a type that means the same in two revisions is the same.
func TestSharedTypes(t *testing.T) {
	var text any = mcp.Text("a")
	if _, ok := text.(*mcp20260728.TextContent); !ok {
		t.Errorf("the text of 2025-11-25 is a %T", text)
	}
}
