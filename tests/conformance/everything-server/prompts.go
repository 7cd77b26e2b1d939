package main

import (
	"context"
	"fmt"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// messages is a result of messages of the user with these contents.
func messages(blocks ...mcp.ContentBlock) *mcp.GetPromptResult {
	result := &mcp.GetPromptResult{}
	for _, block := range blocks {
		result.Messages = append(result.Messages, mcp.PromptMessage{Role: mcp.RoleUser, Content: block})
	}
	return result
}

func addPrompts(c *catalog.Catalog) error {
	return c.Add(
		catalog.Prompt{
			Definition: wire.Object(`{"name":"test_simple_prompt","description":"A prompt without arguments."}`),
			Get: func(context.Context, map[string]string) (wire.Appender, error) {
				return messages(&mcp.TextContent{Text: "This is a simple prompt for testing."}), nil
			},
		},
		catalog.Prompt{
			Definition: wire.Object(`{"name":"test_prompt_with_arguments","description":"A prompt with two arguments.","arguments":[
				{"name":"arg1","description":"The first argument","required":true},
				{"name":"arg2","description":"The second argument","required":true}]}`),
			Get: func(_ context.Context, a map[string]string) (wire.Appender, error) {
				return messages(&mcp.TextContent{
					Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]),
				}), nil
			},
			Completers: map[string]catalog.Completer{
				"arg1": catalog.OneOf("test", "tested", "testing"),
				"arg2": catalog.OneOf("paris", "park", "party"),
			},
		},
		catalog.Prompt{
			Definition: wire.Object(`{"name":"test_prompt_with_embedded_resource","description":"A prompt with a resource in it.","arguments":[
				{"name":"resourceUri","description":"The URI of the resource","required":true}]}`),
			Get: func(_ context.Context, a map[string]string) (wire.Appender, error) {
				return messages(
					embedded(a["resourceUri"], "Embedded resource content for testing."),
					&mcp.TextContent{Text: "Please process the embedded resource above."},
				), nil
			},
		},
		catalog.Prompt{
			Definition: wire.Object(`{"name":"test_prompt_with_image","description":"A prompt with an image."}`),
			Get: func(context.Context, map[string]string) (wire.Appender, error) {
				return messages(image(), &mcp.TextContent{Text: "Please analyze the image above."}), nil
			},
		},
	)
}
