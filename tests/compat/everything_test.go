package compat

import (
	"context"
	"fmt"
	"testing"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The server of these tests is written once, against the newest revision, and uses all
// that it has. It asks nobody which revision is spoken.

const icons = `"icons":[{"src":"https://example.com/icon.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}]`

// everything is the server's handler beside its catalog.
type everything struct{ mcp.UnimplementedServer }

// newEverything makes the server, and the catalog for changes while it serves.
func newEverything(t *testing.T, o ladder.Options) (*runtime.Server, *catalog.Catalog) {
	t.Helper()
	c := catalog.New(catalog.Options{Convert: ladder.Converter(mcp.Revision, o)})
	addTools(t, c)
	addRest(t, c)
	return runtime.NewServer(runtime.ServerOptions{
		Name: "everything", Version: "1.0.0", Title: "All there is", Instructions: "Try everything.",
		Capabilities: &mcp.ServerCapabilities{
			Completions: "{}",
			Logging:     "{}",
			Prompts:     &mcp.ServerCapabilitiesPrompts{ListChanged: new(true)},
			Resources:   &mcp.ServerCapabilitiesResources{ListChanged: new(true), Subscribe: new(true)},
			Tools:       &mcp.ServerCapabilitiesTools{ListChanged: new(true)},
			Tasks:       &mcp.ServerCapabilitiesTasks{List: "{}", Cancel: "{}"},
		},
	}, ladder.Serve(c.Over(mcp.BindServer(everything{})), o)...), c
}

// tool makes a tool of a definition's members beside its name and schema.
func tool(name, more string, call func(ctx context.Context) (*mcp.CallToolResult, error)) catalog.Tool {
	definition := fmt.Sprintf(`{"name":%q,%s"inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}}`, name, more)
	return catalog.Tool{
		Definition: wire.Object(definition),
		Call: func(ctx context.Context, _ wire.Object) (wire.Appender, error) {
			result, err := call(ctx)
			if err != nil {
				return nil, err
			}
			return result, nil
		},
	}
}

func text(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

func addTools(t *testing.T, c *catalog.Catalog) {
	t.Helper()
	err := c.Add(
		tool("content", `"title":"All content","description":"Says it in every way.","annotations":{"readOnlyHint":true},"execution":{"taskSupport":"optional"},`+
			`"outputSchema":{"type":"object","properties":{"sum":{"type":"number"}}},"_meta":{"com.example/a":1},`+icons+`,`, content),
		tool("structured", `"title":"A number","annotations":{"title":"Number, with a hint"},`, func(context.Context) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: `{"sum":1.5}`}, nil
		}),
		tool("background", `"execution":{"taskSupport":"required"},`, func(context.Context) (*mcp.CallToolResult, error) {
			return text("done"), nil
		}),
		tool("form", "", func(ctx context.Context) (*mcp.CallToolResult, error) {
			return elicit(ctx, &mcp.ElicitRequestFormParams{Message: "Who?", Mode: new("form"), RequestedSchema: mcp.ElicitRequestFormParamsRequestedSchema{
				Schema: new("https://json-schema.org/draft/2020-12/schema"),
				Properties: wire.Map[mcp.PrimitiveSchemaDefinition]{
					{Name: "age", Value: &mcp.NumberSchema{Type: mcp.NumberSchemaTypeInteger, Default: new(30.0)}},
					{Name: "colour", Value: &mcp.TitledSingleSelectEnumSchema{OneOf: []mcp.EnumOption{{Const: "r", Title: "Red"}, {Const: "g", Title: "Green"}}, Default: new("r")}},
					{Name: "size", Value: &mcp.UntitledSingleSelectEnumSchema{Enum: []string{"S", "M"}, Title: new("Size")}},
					{Name: "name", Value: &mcp.StringSchema{Default: new("Ada")}},
				},
			}})
		}),
		tool("choices", "", func(ctx context.Context) (*mcp.CallToolResult, error) {
			return elicit(ctx, &mcp.ElicitRequestFormParams{Message: "Which?", RequestedSchema: mcp.ElicitRequestFormParamsRequestedSchema{
				Properties: wire.Map[mcp.PrimitiveSchemaDefinition]{
					{Name: "toppings", Value: &mcp.UntitledMultiSelectEnumSchema{Items: mcp.UntitledMultiSelectEnumSchemaItems{Enum: []string{"a", "b"}}}},
				},
			}})
		}),
		tool("page", "", func(ctx context.Context) (*mcp.CallToolResult, error) {
			return elicit(ctx, &mcp.ElicitRequestURLParams{Message: "Look.", ElicitationID: "1", URL: "https://example.com/"})
		}),
		tool("sample", "", func(ctx context.Context) (*mcp.CallToolResult, error) {
			return sample(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{
				{Role: mcp.RoleUser, Meta: `{"a":1}`, Content: mcp.SamplingMessageContentList{
					&mcp.TextContent{Text: "one", Annotations: &mcp.Annotations{LastModified: new("2025-01-01T00:00:00Z")}},
					&mcp.ImageContent{Data: "aQ==", MIMEType: "image/png"},
				}},
				{Role: mcp.RoleAssistant, Content: mcp.SamplingMessageContentList{&mcp.TextContent{Text: "two"}}},
			}})
		}),
		tool("sample_audio", "", func(ctx context.Context) (*mcp.CallToolResult, error) {
			return sample(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{
				{Role: mcp.RoleUser, Content: &mcp.AudioContent{Data: "YQ==", MIMEType: "audio/wav"}},
			}})
		}),
		tool("sample_tools", "", func(ctx context.Context) (*mcp.CallToolResult, error) {
			return sample(ctx, &mcp.CreateMessageRequestParams{
				MaxTokens: 10, Messages: []mcp.SamplingMessage{}, Tools: []mcp.Tool{{Name: "t"}}, ToolChoice: &mcp.ToolChoice{},
			})
		}),
		tool("roots", "", func(ctx context.Context) (*mcp.CallToolResult, error) {
			list, err := mcp.NewClientCaller(runtime.CallOf(ctx)).ListRoots(ctx, nil)
			if err != nil {
				return nil, err
			}
			return text("%d roots", len(list.Roots)), nil
		}),
		tool("news", "", func(ctx context.Context) (*mcp.CallToolResult, error) {
			call := runtime.CallOf(ctx)
			token, _ := call.ProgressToken()
			client := mcp.NewClientCaller(call)
			if err := client.Progress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1, Total: new(2.0), Message: new("half")}); err != nil {
				return nil, err
			}
			if err := call.Progress(ctx, 2, new(2.0), "all"); err != nil {
				return nil, err
			}
			if err := client.LoggingMessage(ctx, &mcp.LoggingMessageNotificationParams{Level: mcp.LoggingLevelInfo, Data: `{"a":1}`}); err != nil {
				return nil, err
			}
			if err := client.ElicitationComplete(ctx, &mcp.ElicitationCompleteNotificationParams{ElicitationID: "1"}); err != nil {
				return nil, err
			}
			return text("told"), nil
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
}

func content(context.Context) (*mcp.CallToolResult, error) {
	notes := &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}, LastModified: new("2025-01-01T00:00:00Z"), Priority: new(0.5)}
	return &mcp.CallToolResult{
		StructuredContent: `{"sum":1.5}`,
		Meta:              `{"com.example/r":true}`,
		Content: []mcp.ContentBlock{
			&mcp.TextContent{Text: "text", Meta: `{"a":1}`, Annotations: notes},
			&mcp.ImageContent{Data: "aQ==", MIMEType: "image/png", Annotations: notes},
			&mcp.AudioContent{Data: "YQ==", MIMEType: "audio/wav", Meta: `{"a":1}`, Annotations: notes},
			&mcp.ResourceLink{
				Name: "link", URI: "file:///l", Title: new("A link"), Description: new("to somewhere"), MIMEType: new("text/plain"),
				Size: new(int64(7)), Annotations: notes, Icons: []mcp.Icon{{Src: "https://example.com/i.png"}},
			},
			&mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: "file:///e", Text: "embedded", Meta: `{"a":1}`}, Annotations: notes, Meta: `{"a":1}`},
		},
	}, nil
}

func elicit(ctx context.Context, params mcp.ElicitRequestParams) (*mcp.CallToolResult, error) {
	answer, err := mcp.NewClientCaller(runtime.CallOf(ctx)).Elicit(ctx, params)
	if err != nil {
		return nil, err
	}
	said, err := wire.Marshal(answer)
	return text("%s", said), err
}

func sample(ctx context.Context, params *mcp.CreateMessageRequestParams) (*mcp.CallToolResult, error) {
	answer, err := mcp.NewClientCaller(runtime.CallOf(ctx)).CreateMessage(ctx, params)
	if err != nil {
		return nil, err
	}
	said, err := wire.Marshal(answer)
	return text("%s", said), err
}

func addRest(t *testing.T, c *catalog.Catalog) {
	t.Helper()
	prompt := catalog.Prompt{
		Definition: wire.Object(`{"name":"greet","title":"A greeting","description":"Greets.","arguments":[{"name":"who","title":"Whom","required":true}],"_meta":{"a":1},`) + icons + `}`,
		Get: func(_ context.Context, arguments map[string]string) (wire.Appender, error) {
			return &mcp.GetPromptResult{Description: new("A greeting"), Messages: []mcp.PromptMessage{
				{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "Greet " + arguments["who"]}},
				{Role: mcp.RoleUser, Content: &mcp.AudioContent{Data: "YQ==", MIMEType: "audio/wav"}},
				{Role: mcp.RoleUser, Content: &mcp.ResourceLink{Name: "link", URI: "file:///l"}},
			}}, nil
		},
		Completers: map[string]catalog.Completer{"who": catalog.OneOf("Ada", "Alan")},
	}
	read := func(_ context.Context, uri string) (wire.Appender, error) {
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{
			&mcp.TextResourceContents{URI: uri, Text: "text", Meta: `{"a":1}`},
			&mcp.BlobResourceContents{URI: uri, Blob: "YQ==", MIMEType: new("audio/wav")},
		}}, nil
	}
	about := `"title":"A title","description":"A description","mimeType":"text/plain","annotations":{"priority":1,"lastModified":"2025-01-01T00:00:00Z"},"_meta":{"a":1},` + icons + `}`
	for _, err := range []error{
		c.Add(prompt),
		c.Add(catalog.Resource{Definition: wire.Object(`{"uri":"file:///r","name":"r","size":7,` + about), Read: read}),
		c.Add(catalog.Template{Definition: wire.Object(`{"uriTemplate":"file:///t/{x}","name":"t",` + about),
			Read: func(ctx context.Context, uri string, _ map[string]string) (wire.Appender, error) {
				return read(ctx, uri)
			}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}
