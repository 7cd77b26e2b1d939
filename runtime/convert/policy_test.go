package convert_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestPolicy has a row for each thing that the policy says in other words, with what it
// tells of it.
func TestPolicy(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy func(*convert.Conversion, wire.Raw) wire.Raw
		value  wire.Raw
		want   wire.Raw
		told   string // pointers of the losses, or of a refusal after an exclamation mark
	}{
		{"audio", convert.AudioAsResource, `{"type":"audio","data":"YQ==","mimeType":"audio/wav","annotations":{"priority":1},"x":2}`,
			`{"type":"resource","resource":{"uri":"urn:mcp:audio:b29877a1aa4c3939","mimeType":"audio/wav","blob":"YQ=="},"annotations":{"priority":1},"x":2}`, "."},
		{"link", convert.LinkAsText, `{"type":"resource_link","name":"n","uri":"file:///a","mimeType":"text/plain","description":"d","size":1,"annotations":{}}`,
			`{"type":"text","text":"n <file:///a> (text/plain) - d","annotations":{}}`, "."},
		{"link without words", convert.LinkAsText, `{"type":"resource_link","name":"n","uri":"file:///a"}`,
			`{"type":"text","text":"n <file:///a>"}`, "."},
		{"structured, and no text", convert.StructuredAsText, `{"content":[],"structuredContent":{"a":"\""}}`,
			`{"content":[{"type":"text","text":"{\"a\":\"\\\"\"}"}]}`, "/structuredContent"},
		{"structured, and text", convert.StructuredAsText, `{"content":[{"type":"text","text":"t"}],"structuredContent":{"a":1}}`,
			`{"content":[{"type":"text","text":"t"}]}`, "/structuredContent"},
		{"title", convert.TitleAsHint, `{"name":"n","title":"t"}`, `{"name":"n","annotations":{"title":"t"}}`, "/title"},
		{"two titles", convert.TitleAsHint, `{"name":"n","title":"t","annotations":{"title":"u"}}`, `{"name":"n","annotations":{"title":"u"}}`, "/title"},
		{"turns", convert.PiecesAsTurns, `{"messages":[{"role":"user","content":[1,2]},{"role":"user","content":3}]}`,
			`{"messages":[{"role":"user","content":1},{"role":"user","content":2},{"role":"user","content":3}]}`, "/messages"},
		{"a turn of one piece", convert.PiecesAsTurns, `{"messages":[{"role":"user","content":[1]}]}`,
			`{"messages":[{"role":"user","content":1}]}`, "/messages/0/content"},
		{"turns of one piece each", convert.PiecesAsTurns, `{"messages":[{"content":{}}]}`, `{"messages":[{"content":{}}]}`, ""},
		{"texts", convert.PiecesAsOne, `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, `{"type":"text","text":"a\nb"}`, "."},
		{"one picture", convert.PiecesAsOne, `[{"type":"image"}]`, `{"type":"image"}`, "."},
		{"text and picture", convert.PiecesAsOne, `[{"type":"text","text":"a"},{"type":"image"}]`, "", "!"},
		{"no tools", convert.NoSamplingTools, `{"tools":[],"a":1}`, `{"a":1}`, "/tools"},
		{"tools", convert.NoSamplingTools, `{"tools":[{}]}`, "", "!/tools"},
		{"options", convert.TitlesAsNames, `{"type":"string","oneOf":[{"const":"r","title":"Red"}]}`,
			`{"type":"string","enum":["r"],"enumNames":["Red"]}`, "/oneOf"},
		{"forms", convert.FormsOnly, `{"elicitation":{"form":{},"url":{}}}`, `{"elicitation":{"form":{},"url":{}}}`, ""},
		{"no mode", convert.FormsOnly, `{"elicitation":{}}`, `{"elicitation":{}}`, ""},
		{"pages", convert.FormsOnly, `{"elicitation":{"url":{}},"roots":{}}`, `{"roots":{}}`, "/elicitation"},
		{"task", convert.TaskOnly, `{"execution":{"taskSupport":"required"}}`, "", "!/execution/taskSupport"},
		{"task or not", convert.TaskOnly, `{"execution":{"taskSupport":"optional"}}`, `{"execution":{"taskSupport":"optional"}}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c convert.Conversion
			got := tt.policy(&c, tt.value)
			var told []string
			for _, l := range c.Losses() {
				told = append(told, l.Pointer)
				if l.Pointer == "" {
					told[len(told)-1] = "."
				}
			}
			if err, ok := c.Err().(*convert.Error); ok {
				told = append(told, "!"+err.Pointer)
			} else if !wire.Equal(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if strings.Join(told, " ") != tt.told {
				t.Errorf("told of %q, not %q", told, tt.told)
			}
		})
	}
}
