package everything

import (
	"context"
	"strings"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// client returns the typed caller for requests to the client.
func client(ctx context.Context) mcp.ClientCaller { return mcp.NewClientCaller(runtime.CallOf(ctx)) }

// properties are the members of a form.
type properties = wire.Map[mcp.PrimitiveSchemaDefinition]

// ask elicits with a form and returns the answer as text.
func ask(ctx context.Context, message string, form properties, required ...string) ([]mcp.ContentBlock, error) {
	answer, err := client(ctx).Elicit(ctx, &mcp.ElicitRequestFormParams{
		Message:         message,
		RequestedSchema: mcp.FormSchema{Properties: form, Required: required},
	})
	return asText("User response: ", answer, err)
}

// asText returns an answer of the client as text.
func asText(prefix string, answer wire.Appender, err error) ([]mcp.ContentBlock, error) {
	if err != nil {
		return nil, err
	}
	said, err := wire.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return blocks(text(prefix + string(said)))
}

// Form implements the tool "form".
func (h *Handlers) Form(ctx context.Context, _ *FormInput) ([]mcp.ContentBlock, error) {
	return ask(ctx, "Who?", properties{
		{Name: "name", Value: &mcp.StringSchema{Default: new("Ada")}},
		{Name: "age", Value: &mcp.NumberSchema{Type: mcp.NumberSchemaTypeInteger, Default: new(30.0)}},
		{Name: "colour", Value: &mcp.TitledSingleSelectEnumSchema{OneOf: []mcp.EnumOption{{Const: "r", Title: "Red"}, {Const: "g", Title: "Green"}}, Default: new("r")}},
		{Name: "size", Value: &mcp.UntitledSingleSelectEnumSchema{Enum: []string{"S", "M"}, Title: new("Size")}},
	})
}

// Choices implements the tool "choices".
func (h *Handlers) Choices(ctx context.Context, _ *ChoicesInput) ([]mcp.ContentBlock, error) {
	return ask(ctx, "Which?", properties{
		{Name: "toppings", Value: &mcp.UntitledMultiSelectEnumSchema{Items: mcp.UntitledMultiSelectEnumSchemaItems{Enum: []string{"a", "b"}}}},
	})
}

// Page implements the tool "page".
func (h *Handlers) Page(ctx context.Context, _ *PageInput) ([]mcp.ContentBlock, error) {
	answer, err := client(ctx).Elicit(ctx, &mcp.ElicitRequestURLParams{Message: "Look.", ElicitationID: "1", URL: "https://example.com/"})
	if err != nil {
		return nil, err
	}
	if err := client(ctx).ElicitationComplete(ctx, &mcp.ElicitationCompleteNotificationParams{ElicitationID: "1"}); err != nil {
		return nil, err
	}
	return asText("User response: ", answer, nil)
}

// TestElicitation implements the tool "test_elicitation".
func (h *Handlers) TestElicitation(ctx context.Context, in *TestElicitationInput) ([]mcp.ContentBlock, error) {
	return ask(ctx, in.Message, properties{
		{Name: "username", Value: &mcp.StringSchema{Description: new("The user's name")}},
		{Name: "email", Value: &mcp.StringSchema{Description: new("The user's email address")}},
	}, "username", "email")
}

// TestElicitationSep1034Defaults implements the tool "test_elicitation_sep1034_defaults".
func (h *Handlers) TestElicitationSep1034Defaults(ctx context.Context, _ *TestElicitationSep1034DefaultsInput) ([]mcp.ContentBlock, error) {
	return ask(ctx, "Please check these defaults.", properties{
		{Name: "name", Value: &mcp.StringSchema{Default: new("John Doe")}},
		{Name: "age", Value: &mcp.NumberSchema{Type: mcp.NumberSchemaTypeInteger, Default: new(30.0)}},
		{Name: "score", Value: &mcp.NumberSchema{Type: mcp.NumberSchemaTypeNumber, Default: new(95.5)}},
		{Name: "status", Value: &mcp.UntitledSingleSelectEnumSchema{Enum: []string{"active", "inactive", "pending"}, Default: new("active")}},
		{Name: "verified", Value: &mcp.BooleanSchema{Default: new(true)}},
	})
}

// TestElicitationSep1330Enums implements the tool "test_elicitation_sep1330_enums".
func (h *Handlers) TestElicitationSep1330Enums(ctx context.Context, _ *TestElicitationSep1330EnumsInput) ([]mcp.ContentBlock, error) {
	titled := []mcp.EnumOption{{Const: "value1", Title: "First Option"}, {Const: "value2", Title: "Second Option"}, {Const: "value3", Title: "Third Option"}}
	return ask(ctx, "Please choose.", properties{
		{Name: "untitledSingle", Value: &mcp.UntitledSingleSelectEnumSchema{Enum: []string{"option1", "option2", "option3"}}},
		{Name: "titledSingle", Value: &mcp.TitledSingleSelectEnumSchema{OneOf: titled}},
		{Name: "legacyEnum", Value: &mcp.LegacyTitledEnumSchema{
			Enum:      []string{"opt1", "opt2", "opt3"},
			EnumNames: []string{"Option One", "Option Two", "Option Three"},
		}},
		{Name: "untitledMulti", Value: &mcp.UntitledMultiSelectEnumSchema{
			Items: mcp.UntitledMultiSelectEnumSchemaItems{Enum: []string{"option1", "option2", "option3"}},
		}},
		{Name: "titledMulti", Value: &mcp.TitledMultiSelectEnumSchema{Items: mcp.TitledMultiSelectEnumSchemaItems{AnyOf: titled}}},
	})
}

// Sample implements the tool "sample".
func (h *Handlers) Sample(ctx context.Context, _ *SampleInput) ([]mcp.ContentBlock, error) {
	answer, err := client(ctx).CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{
		{Role: mcp.RoleUser, Meta: `{"a":1}`, Content: mcp.SamplingMessageContentList{
			&mcp.TextContent{Text: "one", Annotations: &mcp.Annotations{LastModified: new("2025-01-01T00:00:00Z")}},
			&mcp.ImageContent{Data: "aQ==", MIMEType: "image/png"},
		}},
		{Role: mcp.RoleAssistant, Content: mcp.SamplingMessageContentList{text("two")}},
	}})
	return asText("", answer, err)
}

// SampleAudio implements the tool "sample_audio".
func (h *Handlers) SampleAudio(ctx context.Context, _ *SampleAudioInput) ([]mcp.ContentBlock, error) {
	answer, err := client(ctx).CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{
		{Role: mcp.RoleUser, Content: &mcp.AudioContent{Data: "YQ==", MIMEType: "audio/wav"}},
	}})
	return asText("", answer, err)
}

// SampleTools implements the tool "sample_tools".
func (h *Handlers) SampleTools(ctx context.Context, _ *SampleToolsInput) ([]mcp.ContentBlock, error) {
	answer, err := client(ctx).CreateMessage(ctx, &mcp.CreateMessageRequestParams{
		MaxTokens: 10, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: text("one")}},
		Tools: []mcp.Tool{{Name: "t"}}, ToolChoice: &mcp.ToolChoice{Mode: new(mcp.ToolChoiceModeAuto)},
	})
	return asText("", answer, err)
}

// TestSampling implements the tool "test_sampling".
func (h *Handlers) TestSampling(ctx context.Context, in *TestSamplingInput) ([]mcp.ContentBlock, error) {
	answer, err := client(ctx).CreateMessage(ctx, &mcp.CreateMessageRequestParams{
		MaxTokens: 100,
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: text(in.Prompt)}},
	})
	if err == nil {
		if said, ok := answer.Content.(*mcp.TextContent); ok {
			return blocks(text("LLM response: " + said.Text))
		}
	}
	return asText("LLM response: ", answer, err)
}

// Roots implements the tool "roots".
func (h *Handlers) Roots(ctx context.Context, _ *RootsInput) ([]mcp.ContentBlock, error) {
	list, err := client(ctx).ListRoots(ctx, nil)
	if err != nil {
		return nil, err
	}
	var uris []string
	for _, root := range list.Roots {
		uris = append(uris, root.URI)
	}
	return blocks(text(strings.Join(uris, "\n")))
}
