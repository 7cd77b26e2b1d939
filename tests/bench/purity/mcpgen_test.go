package purity

import (
	"context"
	"fmt"
	"io"
	"testing"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// onMcpgen is the server on this project.
var onMcpgen = subject{"github.com/mcpgen/mcpgen", func(t *testing.T, in io.ReadCloser, out io.WriteCloser) changes {
	c := catalog.New(catalog.Options{Convert: ladder.Converter(mcp.Revision, ladder.Options{})})
	addMcpgen(t, c)
	server := runtime.NewServer(runtime.ServerOptions{
		Name: "everything", Version: "1.0.0", Title: "All there is", Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{
			Completions: "{}",
			Logging:     "{}",
			Prompts:     &mcp.ServerCapabilitiesPrompts{ListChanged: new(true)},
			Resources:   &mcp.ServerCapabilitiesResources{ListChanged: new(true), Subscribe: new(true)},
			Tools:       &mcp.ServerCapabilitiesTools{ListChanged: new(true)},
		},
	}, ladder.Serve(c.Over(mcp.BindServer(struct{ mcp.UnimplementedServer }{})), ladder.Options{})...)
	go server.Serve(t.Context(), &stdio.Transport{In: in, Out: out})
	return changes{
		updated: func() { c.ResourceUpdated("file:///r") },
		removed: func() { c.RemoveTools("roots") },
	}
}}

func addMcpgen(t *testing.T, c *catalog.Catalog) {
	const icons = `"icons":[{"src":"` + icon + `","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}]`
	const annotations = `"annotations":{"audience":["user"],"priority":0.5,"lastModified":"` + modified + `"}`
	text := func(format string, args ...any) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
	}
	tool := func(name, more string, call func(context.Context, *runtime.Call, mcp.ClientCaller) (*mcp.CallToolResult, error)) catalog.Tool {
		return catalog.Tool{
			Definition: wire.Object(fmt.Sprintf(`{"name":%q,%s"inputSchema":%s}`, name, more, inputSchema)),
			Call: func(ctx context.Context, _ wire.Object) (wire.Appender, error) {
				now := runtime.CallOf(ctx)
				result, err := call(ctx, now, mcp.NewClientCaller(now))
				if err != nil {
					return nil, err
				}
				return result, nil
			},
		}
	}
	elicit := func(params mcp.ElicitRequestParams) func(context.Context, *runtime.Call, mcp.ClientCaller) (*mcp.CallToolResult, error) {
		return func(ctx context.Context, _ *runtime.Call, client mcp.ClientCaller) (*mcp.CallToolResult, error) {
			answer, err := client.Elicit(ctx, params)
			if err != nil {
				return nil, err
			}
			said, err := wire.Marshal(answer)
			return text("%s", said), err
		}
	}
	sample := func(params *mcp.CreateMessageRequestParams) func(context.Context, *runtime.Call, mcp.ClientCaller) (*mcp.CallToolResult, error) {
		return func(ctx context.Context, _ *runtime.Call, client mcp.ClientCaller) (*mcp.CallToolResult, error) {
			answer, err := client.CreateMessage(ctx, params)
			if err != nil {
				return nil, err
			}
			said, err := wire.Marshal(answer)
			return text("%s", said), err
		}
	}
	notes := &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}, LastModified: new(modified), Priority: new(0.5)}
	read := func(_ context.Context, uri string) (wire.Appender, error) {
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{
			&mcp.TextResourceContents{URI: uri, Text: "text", MIMEType: new("text/plain"), Meta: `{"a":1}`},
			&mcp.BlobResourceContents{URI: uri, Blob: "YQ==", MIMEType: new("audio/wav")},
		}}, nil
	}
	const about = `"title":"A title","description":"A description","mimeType":"text/plain","_meta":{"a":1},` + annotations + "," + icons + `}`
	for _, err := range []error{
		c.Add(
			tool("content", `"title":"All content","description":"Says it in every way.","annotations":{"readOnlyHint":true},"outputSchema":`+outputSchema+`,"_meta":{"a":1},`+icons+`,`,
				func(context.Context, *runtime.Call, mcp.ClientCaller) (*mcp.CallToolResult, error) {
					return &mcp.CallToolResult{StructuredContent: `{"sum":1.5}`, Meta: `{"a":1}`, Content: []mcp.ContentBlock{
						&mcp.TextContent{Text: "text", Meta: `{"a":1}`, Annotations: notes},
						&mcp.ImageContent{Data: "aQ==", MIMEType: "image/png", Annotations: notes},
						&mcp.AudioContent{Data: "YQ==", MIMEType: "audio/wav", Annotations: notes},
						&mcp.ResourceLink{
							Name: "link", URI: "file:///l", Title: new("A link"), Description: new("to somewhere"), MIMEType: new("text/plain"),
							Size: new(int64(7)), Annotations: notes,
						},
						&mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: "file:///e", Text: "embedded", Meta: `{"a":1}`}, Annotations: notes},
					}}, nil
				}),
			tool("structured", `"outputSchema":`+outputSchema+`,`, func(context.Context, *runtime.Call, mcp.ClientCaller) (*mcp.CallToolResult, error) {
				result := text(`{"sum":1.5}`)
				result.StructuredContent = `{"sum":1.5}`
				return result, nil
			}),
			tool("form", "", elicit(&mcp.ElicitRequestFormParams{Message: "Who?", Mode: new("form"), RequestedSchema: mcp.ElicitRequestFormParamsRequestedSchema{
				Properties: wire.Map[mcp.PrimitiveSchemaDefinition]{
					{Name: "name", Value: &mcp.StringSchema{Default: new("Ada")}},
					{Name: "colour", Value: &mcp.TitledSingleSelectEnumSchema{OneOf: []mcp.EnumOption{{Const: "r", Title: "Red"}, {Const: "g", Title: "Green"}}}},
				},
			}})),
			tool("page", "", elicit(&mcp.ElicitRequestURLParams{Message: "Look.", ElicitationID: "1", URL: "https://example.com/"})),
			tool("sample", "", sample(&mcp.CreateMessageRequestParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{
				{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "one", Annotations: notes}},
			}})),
			tool("sample_audio", "", sample(&mcp.CreateMessageRequestParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{
				{Role: mcp.RoleUser, Content: &mcp.AudioContent{Data: "YQ==", MIMEType: "audio/wav"}},
			}})),
			tool("sample_tools", "", sample(&mcp.CreateMessageRequestParams{
				MaxTokens: 10, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "one"}}},
				Tools: []mcp.Tool{{Name: "t"}}, ToolChoice: &mcp.ToolChoice{Mode: new(mcp.ToolChoiceModeAuto)},
			})),
			tool("roots", "", func(ctx context.Context, _ *runtime.Call, client mcp.ClientCaller) (*mcp.CallToolResult, error) {
				list, err := client.ListRoots(ctx, nil)
				if err != nil {
					return nil, err
				}
				return text("%d roots", len(list.Roots)), nil
			}),
			tool("news", "", func(ctx context.Context, call *runtime.Call, client mcp.ClientCaller) (*mcp.CallToolResult, error) {
				if err := call.Progress(ctx, 1, new(2.0), "half"); err != nil {
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
		),
		c.Add(catalog.Prompt{
			Definition: wire.Object(`{"name":"greet","title":"A greeting","description":"Greets.","arguments":[{"name":"who","title":"Whom","required":true}],"_meta":{"a":1},`) + icons + `}`,
			Get: func(_ context.Context, arguments map[string]string) (wire.Appender, error) {
				return &mcp.GetPromptResult{Description: new("A greeting"), Messages: []mcp.PromptMessage{
					{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "Greet " + arguments["who"]}},
					{Role: mcp.RoleUser, Content: &mcp.AudioContent{Data: "YQ==", MIMEType: "audio/wav"}},
					{Role: mcp.RoleUser, Content: &mcp.ResourceLink{Name: "link", URI: "file:///l", Description: new("to somewhere"), MIMEType: new("text/plain")}},
				}}, nil
			},
			Completers: map[string]catalog.Completer{"who": catalog.OneOf("Ada", "Alan")},
		}),
		c.Add(catalog.Resource{Definition: wire.Object(`{"uri":"file:///r","name":"r","size":7,`) + about, Read: read}),
		c.Add(catalog.Template{Definition: wire.Object(`{"uriTemplate":"file:///t/{x}","name":"t",`) + about,
			Read: func(ctx context.Context, uri string, _ map[string]string) (wire.Appender, error) {
				return read(ctx, uri)
			}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}
