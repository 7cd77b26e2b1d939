package main

import (
	"context"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The files that fixtures send, in base64.
const (
	// A picture of one red pixel.
	png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	// A recording of nothing, mono, 8 kHz.
	wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
)

// tool makes a tool without arguments of a definition and what it returns.
func tool(definition wire.Object, result func(context.Context) (*mcp.CallToolResult, error)) catalog.Tool {
	return catalog.Tool{
		Definition: definition,
		Call: func(ctx context.Context, _ wire.Object) (wire.Appender, error) {
			r, err := result(ctx)
			if err != nil {
				return nil, err // and not a nil pointer that is not nil as a wire.Appender
			}
			return r, nil
		},
	}
}

// content is a result of these blocks.
func content(blocks ...mcp.ContentBlock) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: blocks}
}

// text is a result of one text block.
func text(s string) *mcp.CallToolResult { return content(&mcp.TextContent{Text: s}) }

func image() mcp.ContentBlock { return &mcp.ImageContent{Data: png, MIMEType: "image/png"} }

// embedded is a block with a resource of plain text.
func embedded(uri, s string) mcp.ContentBlock {
	return &mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: uri, MIMEType: new("text/plain"), Text: s}}
}

// addContentTools adds the tools that are about what a result can contain.
func addContentTools(c *catalog.Catalog) error {
	return c.Add(
		tool(`{"name":"test_simple_text","description":"Returns a text.","inputSchema":{"type":"object"}}`,
			func(context.Context) (*mcp.CallToolResult, error) {
				return text("This is a simple text response for testing."), nil
			}),
		tool(`{"name":"test_image_content","description":"Returns an image.","inputSchema":{"type":"object"}}`,
			func(context.Context) (*mcp.CallToolResult, error) { return content(image()), nil }),
		tool(`{"name":"test_audio_content","description":"Returns a sound.","inputSchema":{"type":"object"}}`,
			func(ctx context.Context) (*mcp.CallToolResult, error) {
				if runtime.CallOf(ctx).Revision() < revisionAudio {
					return text("A sound, which this revision has no content for."), nil
				}
				return content(&mcp.AudioContent{Data: wav, MIMEType: "audio/wav"}), nil
			}),
		tool(`{"name":"test_embedded_resource","description":"Returns a resource.","inputSchema":{"type":"object"}}`,
			func(context.Context) (*mcp.CallToolResult, error) {
				return content(embedded("test://embedded-resource", "This is an embedded resource content.")), nil
			}),
		tool(`{"name":"test_multiple_content_types","description":"Returns a text, an image and a resource.","inputSchema":{"type":"object"}}`,
			func(context.Context) (*mcp.CallToolResult, error) {
				return content(
					&mcp.TextContent{Text: "Multiple content types test:"},
					image(),
					embedded("test://mixed-content-resource", "A resource among other things."),
				), nil
			}),
		tool(`{"name":"test_error_handling","description":"Fails.","inputSchema":{"type":"object"}}`,
			func(context.Context) (*mcp.CallToolResult, error) {
				failed := text("This tool intentionally returns an error for testing.")
				failed.IsError = new(true)
				return failed, nil
			}),
	)
}
