package wire_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A message is one that is measured.
type message struct {
	name  string
	value wire.Value
	fresh func() wire.Value // to decode into
	std   func() any        // the same for encoding/json, if there is a fair comparison
}

// text is what the value encodes to.
func (m message) text(tb testing.TB) []byte {
	tb.Helper()
	text, err := wire.Marshal(m.value)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func messages() []message {
	return []message{
		{"params", params(), func() wire.Value { return new(mcp.CallToolRequestParams) }, func() any { return new(stdParams) }},
		{"result", result(), func() wire.Value { return new(mcp.CallToolResult) }, func() any { return new(stdResult) }},
		{"list", list(100), func() wire.Value { return new(mcp.ListToolsResult) }, nil},
		{"blob", blob(1 << 20), func() wire.Value { return new(mcp.ReadResourceResult) }, nil},
	}
}

// growing are messages of any size.
func growing() []growth {
	return []growth{
		{"content", func(n int) wire.Value { return content(10 * n) }, func() wire.Value { return new(mcp.CallToolResult) }},
		{"list", func(n int) wire.Value { return list(3 * n) }, func() wire.Value { return new(mcp.ListToolsResult) }},
		{"blob", func(n int) wire.Value { return blob(1000 * n) }, func() wire.Value { return new(mcp.ReadResourceResult) }},
		{"extra", func(n int) wire.Value { return extra(30 * n) }, func() wire.Value { return new(mcp.CallToolResult) }},
		{"escapes", func(n int) wire.Value { return escapes(10 * n) }, func() wire.Value { return new(mcp.CallToolResult) }},
		{"structured", func(n int) wire.Value { return structured(30 * n) }, func() wire.Value { return new(mcp.CallToolResult) }},
	}
}

type growth struct {
	name  string
	value func(times int) wire.Value
	fresh func() wire.Value
}

// message is the message that is a number of times the smallest one.
func (g growth) message(times int) message {
	return message{name: g.name, value: g.value(times), fresh: g.fresh}
}

// params are those of a small call, 110 bytes of JSON.
func params() *mcp.CallToolRequestParams {
	return &mcp.CallToolRequestParams{
		Name:      "get_weather",
		Arguments: `{"city":"Lisbon","units":"metric","days":3,"hourly":false,"language":"pt"}`,
	}
}

// result is a typical answer to tools/call: three content blocks and
// structured content, 1.5 KB of JSON.
func result() *mcp.CallToolResult {
	report := strings.Repeat("The build of module 7 took 12.5 s and left 3 warnings.\n", 10)
	return &mcp.CallToolResult{
		Content: []mcp.ContentBlock{
			&mcp.TextContent{Text: report},
			&mcp.ImageContent{Data: strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", 15), MIMEType: "image/png"},
			&mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: "file:///build/log.txt", MIMEType: new("text/plain"), Text: "ok 1\nok 2\nok 3\n"}},
		},
		StructuredContent: wire.Object(`{"module":7,"seconds":12.5,"warnings":[{"file":"a.go","line":3,"text":"unused variable count"},{"file":"b.go","line":41,"text":"shadowed err"},{"file":"c.go","line":7,"text":"missing doc comment"}],"passed":true,"log":null,"tags":["build","linux","amd64"],"environment":{"os":"linux","cores":2,"memory":25769803776}}`),
		IsError:           new(false),
	}
}

// list is the answer to tools/list of n tools, 400 bytes of JSON each.
func list(n int) *mcp.ListToolsResult {
	x := &mcp.ListToolsResult{}
	for i := range n {
		x.Tools = append(x.Tools, mcp.Tool{
			Name:        "read_file_" + strconv.Itoa(i),
			Title:       new("Read file " + strconv.Itoa(i)),
			Description: new("Reads a file from the disk and returns its content, line by line.\nLines are numbered from one."),
			InputSchema: mcp.ToolInputSchema{
				Properties: wire.Map[wire.Object]{
					{Name: "path", Value: `{"type":"string","description":"Where the file is"}`},
					{Name: "offset", Value: `{"type":"integer","minimum":0}`},
					{Name: "limit", Value: `{"type":"integer","maximum":1000}`},
				},
				Required: []string{"path"},
			},
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: new(true)},
		})
	}
	return x
}

// blob is the answer to resources/read of size bytes in base64.
func blob(size int) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{&mcp.BlobResourceContents{
		URI: "file:///build/app", MIMEType: new("application/octet-stream"), Blob: strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", size/24),
	}}}
}

// content is the answer to tools/call of n blocks of text.
func content(n int) *mcp.CallToolResult {
	x := &mcp.CallToolResult{}
	for i := range n {
		x.Content = append(x.Content, &mcp.TextContent{Text: "Line " + strconv.Itoa(i) + ": the build took 12.5 s and left 3 warnings.\n"})
	}
	return x
}

// extra is an answer to tools/call with n members that no revision has.
func extra(n int) *mcp.CallToolResult {
	x := &mcp.CallToolResult{}
	for i := range n {
		x.Extra.Set("member_"+strconv.Itoa(i), "[1,null,true]")
	}
	return x
}

// escapes is an answer to tools/call of n lines with much to escape.
func escapes(n int) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.ContentBlock{
		&mcp.TextContent{Text: strings.Repeat("\"C:\\temp\"\t\x01 é日本😀 and so on until the line ends\r\n", n)},
	}}
}

// structured is an answer to tools/call with structured content of n members and as
// many objects, with escapes in the names.
func structured(n int) *mcp.CallToolResult {
	var b strings.Builder
	b.WriteString(`{"all":[`)
	for i := range n {
		b.WriteString(`{"number":` + strconv.Itoa(i) + `,"a\u0062c":{}},`)
	}
	b.WriteString(`0]`)
	for i := range n {
		b.WriteString(`,"name_` + strconv.Itoa(i) + `":[]`)
	}
	b.WriteString(`}`)
	return &mcp.CallToolResult{StructuredContent: wire.Object(b.String())}
}

// The messages as one would write them for encoding/json: a struct for all
// kinds of content, told apart by its type member.
type (
	stdParams struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
	}
	stdResult struct {
		Content           []stdContent    `json:"content"`
		StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
		IsError           *bool           `json:"isError,omitempty"`
	}
	stdContent struct {
		Type     string       `json:"type"`
		Text     string       `json:"text,omitempty"`
		Data     string       `json:"data,omitempty"`
		MIMEType string       `json:"mimeType,omitempty"`
		Resource *stdResource `json:"resource,omitempty"`
	}
	stdResource struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType,omitempty"`
		Text     string `json:"text,omitempty"`
		Blob     string `json:"blob,omitempty"`
	}
)
