package everything

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
)

var icons = []mcp.Icon{{Src: "https://example.com/icon.png", MIMEType: new("image/png"), Sizes: []string{"48x48"}, Theme: new(mcp.IconThemeDark)}}

// messages returns one message of the user for each block.
func messages(blocks ...mcp.ContentBlock) (*mcp.GetPromptResult, error) {
	result := &mcp.GetPromptResult{}
	for _, block := range blocks {
		result.Messages = append(result.Messages, mcp.PromptMessage{Role: mcp.RoleUser, Content: block})
	}
	return result, nil
}

func prompts() []catalog.Item {
	required := func(name, description string) mcp.PromptArgument {
		return mcp.PromptArgument{Name: name, Description: &description, Required: new(true)}
	}
	return []catalog.Item{
		catalog.NewPrompt(&mcp.Prompt{
			Name: "greet", Title: new("A greeting"), Description: new("Greets."), Icons: icons, Meta: `{"a":1}`,
			Arguments: []mcp.PromptArgument{{Name: "who", Title: new("Whom"), Required: new(true)}},
		}, func(_ context.Context, a map[string]string) (*mcp.GetPromptResult, error) {
			result, err := messages(
				text("Greet "+a["who"]),
				&mcp.AudioContent{Data: "YQ==", MIMEType: "audio/wav"},
				&mcp.ResourceLink{Name: "link", URI: "file:///l"},
			)
			result.Description = new("A greeting")
			return result, err
		}).Complete("who", catalog.OneOf("Ada", "Alan")),
		catalog.NewPrompt(&mcp.Prompt{Name: "test_simple_prompt", Description: new("A prompt without arguments.")},
			func(context.Context, map[string]string) (*mcp.GetPromptResult, error) {
				return messages(text("This is a simple prompt for testing."))
			}),
		catalog.NewPrompt(&mcp.Prompt{
			Name: "test_prompt_with_arguments", Description: new("A prompt with two arguments."),
			Arguments: []mcp.PromptArgument{required("arg1", "The first argument"), required("arg2", "The second argument")},
		}, func(_ context.Context, a map[string]string) (*mcp.GetPromptResult, error) {
			return messages(text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])))
		}).
			Complete("arg1", catalog.OneOf("test", "tested", "testing")).
			Complete("arg2", catalog.OneOf("paris", "park", "party")),
		catalog.NewPrompt(&mcp.Prompt{
			Name: "test_prompt_with_embedded_resource", Description: new("A prompt with a resource in it."),
			Arguments: []mcp.PromptArgument{required("resourceUri", "The URI of the resource")},
		}, func(_ context.Context, a map[string]string) (*mcp.GetPromptResult, error) {
			return messages(embedded(a["resourceUri"], "Embedded resource content for testing."), text("Please process the embedded resource above."))
		}),
		catalog.NewPrompt(&mcp.Prompt{Name: "test_prompt_with_image", Description: new("A prompt with an image.")},
			func(context.Context, map[string]string) (*mcp.GetPromptResult, error) {
				return messages(image(), text("Please analyze the image above."))
			}),
	}
}
