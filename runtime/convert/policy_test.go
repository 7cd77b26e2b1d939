package convert_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestPolicy checks what each function of the policy returns and records.
func TestPolicy(t *testing.T) {
	for _, tt := range []struct {
		name    string
		policy  func(*convert.Conversion, wire.Raw) wire.Raw
		value   wire.Raw
		want    wire.Raw
		records string // pointers of the losses ("." is the root); of a refusal after "!"
	}{
		{"audio", convert.Policy("AudioAsResource"), `{"type":"audio","data":"YQ==","mimeType":"audio/wav","annotations":{"priority":1},"x":2}`,
			`{"type":"resource","resource":{"uri":"urn:mcp:audio:b29877a1aa4c3939","mimeType":"audio/wav","blob":"YQ=="},"annotations":{"priority":1},"x":2}`, "."},
		{"link", convert.Policy("LinkAsText"), `{"type":"resource_link","name":"n","uri":"file:///a","mimeType":"text/plain","description":"d","size":1,"annotations":{}}`,
			`{"type":"text","text":"n <file:///a> (text/plain) - d","annotations":{}}`, "."},
		{"link without description", convert.Policy("LinkAsText"), `{"type":"resource_link","name":"n","uri":"file:///a"}`,
			`{"type":"text","text":"n <file:///a>"}`, "."},
		{"structured without text", convert.Policy("StructuredAsText"), `{"content":[],"structuredContent":{"a":"\""}}`,
			`{"content":[{"type":"text","text":"{\"a\":\"\\\"\"}"}]}`, "/structuredContent"},
		{"structured with text", convert.Policy("StructuredAsText"), `{"content":[{"type":"text","text":"t"}],"structuredContent":{"a":1}}`,
			`{"content":[{"type":"text","text":"t"}]}`, "/structuredContent"},
		// F26
		{"structured object", convert.Policy("StructuredValueAsText"), `{"content":[],"structuredContent":{}}`, `{"content":[],"structuredContent":{}}`, ""},
		{"structured list", convert.Policy("StructuredValueAsText"), `{"content":[],"structuredContent":[1.50]}`,
			`{"content":[{"type":"text","text":"[1.50]"}]}`, "/structuredContent"},
		{"structured null", convert.Policy("StructuredValueAsText"), `{"content":[{"type":"text","text":"t"}],"structuredContent":null}`,
			`{"content":[{"type":"text","text":"t"}]}`, "/structuredContent"},
		{"schemas of properties", convert.Policy("PlainSchemas"), `{"inputSchema":{"type":"object","properties":{"a":true,"b":false,"c":{"type":"null"}}},"outputSchema":{"type":"object","properties":{"a":true}}}`,
			`{"inputSchema":{"type":"object","properties":{"a":{},"b":{"not":{}},"c":{"type":"null"}}},"outputSchema":{"type":"object","properties":{"a":{}}}}`, ""},
		{"schema of a list", convert.Policy("PlainSchemas"), `{"inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}`, `{"inputSchema":{"type":"object"}}`, "/outputSchema"},
		{"schema of any output", convert.Policy("PlainSchemas"), `{"inputSchema":{"type":"object"},"outputSchema":{}}`, `{"inputSchema":{"type":"object"}}`, "/outputSchema"},
		{"elicitation without an ID", convert.Policy("NameElicitation"), `{"url":"https://a/"}`, `{"url":"https://a/","elicitationId":"url-1b854cb2f181850c"}`, ""},
		{"elicitation with an ID", convert.Policy("NameElicitation"), `{"url":"https://a/","elicitationId":"1"}`, `{"url":"https://a/","elicitationId":"1"}`, ""},
		{"few values", convert.Policy("FirstValues"), `{"values":["a"],"total":1}`, `{"values":["a"],"total":1}`, ""},
		{"many values", convert.Policy("FirstValues"), wire.Raw(`{"values":[` + strings.Repeat(`"a",`, 100) + `"b"]}`),
			wire.Raw(`{"values":[` + strings.Repeat(`"a",`, 99) + `"a"],"hasMore":true}`), "/values"},
		{"title", convert.Policy("TitleAsAnnotation"), `{"name":"n","title":"t"}`, `{"name":"n","annotations":{"title":"t"}}`, "/title"},
		{"two titles", convert.Policy("TitleAsAnnotation"), `{"name":"n","title":"t","annotations":{"title":"u"}}`, `{"name":"n","annotations":{"title":"u"}}`, "/title"},
		{"messages of several blocks", convert.Policy("SplitMessages"), `{"messages":[{"role":"user","content":[1,2]},{"role":"user","content":3}]}`,
			`{"messages":[{"role":"user","content":1},{"role":"user","content":2},{"role":"user","content":3}]}`, "/messages"},
		{"a message of one block in an array", convert.Policy("SplitMessages"), `{"messages":[{"role":"user","content":[1]}]}`,
			`{"messages":[{"role":"user","content":1}]}`, "/messages/0/content"},
		{"messages of one block", convert.Policy("SplitMessages"), `{"messages":[{"content":{}}]}`, `{"messages":[{"content":{}}]}`, ""},
		{"texts", convert.Policy("JoinBlocks"), `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, `{"type":"text","text":"a\nb"}`, "."},
		{"one image", convert.Policy("JoinBlocks"), `[{"type":"image"}]`, `{"type":"image"}`, "."},
		{"text and image", convert.Policy("JoinBlocks"), `[{"type":"text","text":"a"},{"type":"image"}]`, "", "!"},
		{"no tools", convert.Policy("RefuseTools"), `{"tools":[],"a":1}`, `{"a":1}`, "/tools"},
		{"tools", convert.Policy("RefuseTools"), `{"tools":[{}]}`, "", "!/tools"},
		{"options", convert.Policy("OptionsAsEnumNames"), `{"type":"string","oneOf":[{"const":"r","title":"Red"}]}`,
			`{"type":"string","enum":["r"],"enumNames":["Red"]}`, "/oneOf"},
		{"options without titles", convert.Policy("OptionsAsEnumNames"), `{"oneOf":[{"const":"r"},{"const":"g","title":"Green"}]}`,
			`{"enum":["r","g"],"enumNames":["r","Green"]}`, "/oneOf"},
		{"an option without a value", convert.Policy("OptionsAsEnumNames"), `{"oneOf":[{"const":"r","title":"Red"},{"title":"X"}]}`, "", "!/oneOf/1"},
		{"an option that is a number", convert.Policy("OptionsAsEnumNames"), `{"oneOf":[{"const":1,"title":"One"}]}`, "", "!/oneOf/0"},
		{"an empty option", convert.Policy("OptionsAsEnumNames"), `{"oneOf":[{}]}`, "", "!/oneOf/0"},
		{"an option that is no object", convert.Policy("OptionsAsEnumNames"), `{"oneOf":["r"]}`, "", "!/oneOf/0"},
		{"forms and URLs", convert.Policy("DropURLElicitation"), `{"elicitation":{"form":{},"url":{}}}`, `{"elicitation":{"form":{},"url":{}}}`, ""},
		{"no elicitation mode", convert.Policy("DropURLElicitation"), `{"elicitation":{}}`, `{"elicitation":{}}`, ""},
		{"URLs only", convert.Policy("DropURLElicitation"), `{"elicitation":{"url":{}},"roots":{}}`, `{"roots":{}}`, "/elicitation"},
		{"task required", convert.Policy("RefuseTaskTool"), `{"execution":{"taskSupport":"required"}}`, "", "!/execution/taskSupport"},
		{"task optional", convert.Policy("RefuseTaskTool"), `{"execution":{"taskSupport":"optional"}}`, `{"execution":{"taskSupport":"optional"}}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c convert.Conversion
			got := tt.policy(&c, tt.value)
			var records []string
			for _, l := range c.Losses() {
				records = append(records, l.Pointer)
				if l.Pointer == "" {
					records[len(records)-1] = "."
				}
			}
			if err, ok := c.Err().(*convert.Error); ok {
				records = append(records, "!"+err.Pointer)
			} else if !wire.Equal(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if strings.Join(records, " ") != tt.records {
				t.Errorf("records %q, want %q", records, tt.records)
			}
		})
	}
}

// TestPolicies checks that rows can name every function of the file.
func TestPolicies(t *testing.T) {
	src, err := os.ReadFile("policy.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range regexp.MustCompile(`(?m)^func (\w)(\w*)\(c \*Conversion, \w+ wire\.Raw\) wire\.Raw`).FindAllStringSubmatch(string(src), -1) {
		all = append(all, strings.ToUpper(f[1])+f[2])
	}
	slices.Sort(all)
	if known := convert.Policies(); !slices.Equal(known, all) {
		t.Errorf("the functions are %q, of which rows can name %q", all, known)
	}
}
