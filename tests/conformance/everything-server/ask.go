package main

import (
	"context"
	"fmt"
	"strings"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The revisions that brought something which a fixture needs.
const (
	revisionAudio       = "2025-03-26"
	revisionElicitation = "2025-06-18" // and structured results
	revisionForms       = "2025-11-25" // defaults of every type, titled and multiple choices
)

// addAskingTools adds the tools that ask the client for something.
func addAskingTools(c *catalog.Catalog) error {
	return c.Add(
		catalog.Tool{
			Definition: wire.Object(`{"name":"test_sampling","description":"Has the client's model continue a prompt.",
				"inputSchema":{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}}`),
			Call: sample,
		},
		catalog.Tool{
			Definition: wire.Object(`{"name":"test_elicitation","description":"Asks the user for a name and an address.",
				"inputSchema":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}}`),
			Call: elicit,
		},
		tool(`{"name":"test_elicitation_sep1034_defaults","description":"Asks the user with a form that is filled in already.","inputSchema":{"type":"object"}}`,
			func(ctx context.Context) (*mcp.CallToolResult, error) {
				return ask(ctx, revisionForms, "Please check these defaults.", nil, defaultsForm())
			}),
		tool(`{"name":"test_elicitation_sep1330_enums","description":"Asks the user to choose, in five ways.","inputSchema":{"type":"object"}}`,
			func(ctx context.Context) (*mcp.CallToolResult, error) {
				return ask(ctx, revisionForms, "Please choose.", nil, choicesForm())
			}),
		tool(`{"name":"test_list_roots","description":"Returns the URIs of the client's roots, one in a line.","inputSchema":{"type":"object"}}`, listRoots),
	)
}

// stringArgument is an argument that must be there.
func stringArgument(arguments wire.Object, name string) (string, error) {
	raw, ok := arguments.Get(name)
	if !ok {
		return "", fmt.Errorf("the argument %q is missing", name)
	}
	r := wire.NewStringReader(string(raw))
	s := r.ReadString()
	if err := r.Err(); err != nil {
		return "", fmt.Errorf("the argument %q: %w", name, err)
	}
	return s, nil
}

func sample(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
	prompt, err := stringArgument(arguments, "prompt")
	if err != nil {
		return nil, err
	}
	message, err := mcp.NewClientCaller(runtime.CallOf(ctx)).CreateMessage(ctx, &mcp.CreateMessageRequestParams{
		MaxTokens: 100,
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: prompt}}},
	})
	if err != nil {
		return nil, err
	}
	switch content := message.Content.(type) {
	case *mcp.TextContent:
		return text("LLM response: " + content.Text), nil
	default:
		said, err := wire.Marshal(message)
		return text("LLM response: " + string(said)), err
	}
}

func elicit(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
	message, err := stringArgument(arguments, "message")
	if err != nil {
		return nil, err
	}
	result, err := ask(ctx, revisionElicitation, message, []string{"username", "email"}, wire.Map[mcp.PrimitiveSchemaDefinition]{
		{Name: "username", Value: &mcp.StringSchema{Description: new("The user's name")}},
		{Name: "email", Value: &mcp.StringSchema{Description: new("The user's email address")}},
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// ask shows the user a form, of a sort that there is since a revision, and returns what
// was filled in.
func ask(ctx context.Context, since, message string, required []string, form wire.Map[mcp.PrimitiveSchemaDefinition]) (*mcp.CallToolResult, error) {
	call := runtime.CallOf(ctx)
	if call.Revision() < since {
		return nil, fmt.Errorf("revision %s has no such form", call.Revision())
	}
	answer, err := mcp.NewClientCaller(call).Elicit(ctx, &mcp.ElicitRequestFormParams{
		Message:         message,
		RequestedSchema: mcp.ElicitRequestFormParamsRequestedSchema{Properties: form, Required: required},
	})
	if err != nil {
		return nil, err
	}
	said, err := wire.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return text("User response: " + string(said)), nil
}

// defaultsForm has a default for each type of field.
func defaultsForm() wire.Map[mcp.PrimitiveSchemaDefinition] {
	return wire.Map[mcp.PrimitiveSchemaDefinition]{
		{Name: "name", Value: &mcp.StringSchema{Default: new("John Doe")}},
		{Name: "age", Value: &mcp.NumberSchema{Type: mcp.NumberSchemaTypeInteger, Default: new(30.0)}},
		{Name: "score", Value: &mcp.NumberSchema{Type: mcp.NumberSchemaTypeNumber, Default: new(95.5)}},
		{Name: "status", Value: &mcp.UntitledSingleSelectEnumSchema{Enum: []string{"active", "inactive", "pending"}, Default: new("active")}},
		{Name: "verified", Value: &mcp.BooleanSchema{Default: new(true)}},
	}
}

// choicesForm has a field of each sort of enum.
func choicesForm() wire.Map[mcp.PrimitiveSchemaDefinition] {
	titled := []mcp.EnumOption{
		{Const: "value1", Title: "First Option"},
		{Const: "value2", Title: "Second Option"},
		{Const: "value3", Title: "Third Option"},
	}
	return wire.Map[mcp.PrimitiveSchemaDefinition]{
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
	}
}

func listRoots(ctx context.Context) (*mcp.CallToolResult, error) {
	list, err := mcp.NewClientCaller(runtime.CallOf(ctx)).ListRoots(ctx, nil)
	if err != nil {
		return nil, err
	}
	var uris []string
	for _, root := range list.Roots {
		uris = append(uris, root.URI)
	}
	return text(strings.Join(uris, "\n")), nil
}
