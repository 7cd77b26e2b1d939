package everything

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Handlers implements the tools.
type Handlers struct{ Catalog *catalog.Catalog }

var _ Tools = (*Handlers)(nil)

const (
	png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==" // one red pixel
	wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="                                     // no samples, mono, 8 kHz
)

func text(s string) *mcp.TextContent { return &mcp.TextContent{Text: s} }

// blocks returns content blocks as the result of a handler.
func blocks(list ...mcp.ContentBlock) ([]mcp.ContentBlock, error) { return list, nil }

func image() mcp.ContentBlock { return &mcp.ImageContent{Data: png, MIMEType: "image/png"} }

func embedded(uri, s string) mcp.ContentBlock {
	return &mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: uri, MIMEType: new("text/plain"), Text: s}}
}

// Content implements the tool "content".
func (h *Handlers) Content(ctx context.Context, _ *ContentInput) (*ContentOutput, error) {
	notes := &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}, LastModified: new("2025-01-01T00:00:00Z"), Priority: new(0.5)}
	r := tools.ResultOf(ctx)
	r.Meta = `{"com.example/r":true}`
	r.Content = []wire.Appender{
		&mcp.TextContent{Text: "text", Meta: `{"a":1}`, Annotations: notes},
		&mcp.ImageContent{Data: "aQ==", MIMEType: "image/png", Annotations: notes},
		&mcp.AudioContent{Data: "YQ==", MIMEType: "audio/wav", Meta: `{"a":1}`, Annotations: notes},
		&mcp.ResourceLink{
			Name: "link", URI: "file:///l", Title: new("A link"), Description: new("to somewhere"), MIMEType: new("text/plain"),
			Size: new(int64(7)), Annotations: notes, Icons: []mcp.Icon{{Src: "https://example.com/i.png"}},
		},
		&mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: "file:///e", Text: "embedded", Meta: `{"a":1}`}, Annotations: notes, Meta: `{"a":1}`},
	}
	return &ContentOutput{Sum: 1.5}, nil
}

// Structured implements the tool "structured".
func (h *Handlers) Structured(context.Context, *StructuredInput) (*StructuredOutput, error) {
	return &StructuredOutput{Sum: 1.5}, nil
}

// Background implements the tool "background".
func (h *Handlers) Background(context.Context, *BackgroundInput) ([]mcp.ContentBlock, error) {
	return blocks(text("done"))
}

// TestSimpleText implements the tool "test_simple_text".
func (h *Handlers) TestSimpleText(context.Context, *TestSimpleTextInput) ([]mcp.ContentBlock, error) {
	return blocks(text("This is a simple text response for testing."))
}

// TestImageContent implements the tool "test_image_content".
func (h *Handlers) TestImageContent(context.Context, *TestImageContentInput) ([]mcp.ContentBlock, error) {
	return blocks(image())
}

// TestAudioContent implements the tool "test_audio_content".
func (h *Handlers) TestAudioContent(context.Context, *TestAudioContentInput) ([]mcp.ContentBlock, error) {
	return blocks(&mcp.AudioContent{Data: wav, MIMEType: "audio/wav"})
}

// TestEmbeddedResource implements the tool "test_embedded_resource".
func (h *Handlers) TestEmbeddedResource(context.Context, *TestEmbeddedResourceInput) ([]mcp.ContentBlock, error) {
	return blocks(embedded("test://embedded-resource", "This is an embedded resource content."))
}

// TestMultipleContentTypes implements the tool "test_multiple_content_types".
func (h *Handlers) TestMultipleContentTypes(context.Context, *TestMultipleContentTypesInput) ([]mcp.ContentBlock, error) {
	return blocks(text("Multiple content types test:"), image(), embedded("test://mixed-content-resource", "A resource among other things."))
}

// TestErrorHandling implements the tool "test_error_handling".
func (h *Handlers) TestErrorHandling(context.Context, *TestErrorHandlingInput) ([]mcp.ContentBlock, error) {
	//lint:ignore ST1005 The conformance suite requires this text.
	return nil, errors.New("This tool intentionally returns an error for testing.")
}

// JSONSchema202012Tool implements the tool "json_schema_2020_12_tool".
func (h *Handlers) JSONSchema202012Tool(_ context.Context, in *JSONSchema202012ToolInput) ([]mcp.ContentBlock, error) {
	arguments, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	return blocks(text("JSON Schema 2020-12 tool called with: " + string(arguments)))
}

// TestStructuredOutput implements the tool "test_structured_output".
func (h *Handlers) TestStructuredOutput(_ context.Context, in *TestStructuredOutputInput) (*TestStructuredOutputOutput, error) {
	return &TestStructuredOutputOutput{Sum: in.A + in.B}, nil
}
