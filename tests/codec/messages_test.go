package codec

import (
	"strconv"
	"strings"
	"testing"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A message is one that is measured. Its text is what its value encodes to.
type message struct {
	name  string
	value wire.Value
	fresh func() wire.Value // to decode into
}

func messages() []message {
	return []message{
		{"request", request(), func() wire.Value { return new(mcp.CallToolRequest) }},
		{"result", result(), func() wire.Value { return new(mcp.CallToolResult) }},
		{"list", list(100), func() wire.Value { return new(mcp.ListToolsResult) }},
		{"blob", blob(1 << 20), func() wire.Value { return new(mcp.ReadResourceResult) }},
	}
}

func (m message) text(tb testing.TB) []byte {
	tb.Helper()
	text, err := wire.Marshal(m.value)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// request is a small call, 140 bytes of JSON.
func request() *mcp.CallToolRequest {
	return &mcp.CallToolRequest{Params: mcp.CallToolRequestParams{
		Name:      "get_weather",
		Arguments: `{"city":"Lisbon","units":"metric","days":3,"hourly":false,"language":"pt"}`,
	}}
}

// list is the answer to tools/list of n tools, 400 bytes of JSON each.
func list(n int) *mcp.ListToolsResult {
	x := &mcp.ListToolsResult{}
	for i := range n {
		tool := mcp.Tool{
			Name:        "read_file_" + strconv.Itoa(i),
			Title:       new("Read file " + strconv.Itoa(i)),
			Description: new("Reads a file from the disk and returns its content, line by line.\nLines are numbered from one."),
			InputSchema: mcp.ToolInputSchema{
				Properties: map[string]wire.Object{
					"path":   `{"type":"string","description":"Where the file is"}`,
					"offset": `{"type":"integer","minimum":0}`,
					"limit":  `{"type":"integer","maximum":1000}`,
				},
				Required: []string{"path"},
			},
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: new(true)},
		}
		x.Tools = append(x.Tools, tool)
	}
	return x
}

// blob is the answer to resources/read of size bytes in base64.
func blob(size int) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{
		&mcp.BlobResourceContents{URI: "file:///build/app", MIMEType: new("application/octet-stream"), Blob: strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", size/24)},
	}}
}

// content is the answer to tools/call with n blocks of text, 100 bytes of JSON each.
func content(n int) *mcp.CallToolResult {
	x := &mcp.CallToolResult{}
	for i := range n {
		x.Content = append(x.Content, &mcp.TextContent{Text: "Line " + strconv.Itoa(i) + ": the build took 12.5 s and left 3 warnings.\n"})
	}
	return x
}
