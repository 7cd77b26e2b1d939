package purity

//lint:file-ignore SA1019 What a later revision deprecates is part of the revisions here.

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// onGoSDK is the server on the official Go SDK.
var onGoSDK = subject{"github.com/modelcontextprotocol/go-sdk", func(t *testing.T, in io.ReadCloser, out io.WriteCloser) changes {
	ignore := func(context.Context, *mcp.SubscribeRequest) error { return nil }
	s := mcp.NewServer(&mcp.Implementation{Name: "everything", Version: "1.0.0", Title: "All there is"}, &mcp.ServerOptions{
		Instructions:     instructions,
		SubscribeHandler: ignore,
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error {
			return nil
		},
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"Ada", "Alan"}, Total: 2}}, nil
		},
	})
	addGoSDK(s)
	go s.Run(t.Context(), &mcp.IOTransport{Reader: in, Writer: out})
	return changes{
		updated: func() {
			if err := s.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "file:///r"}); err != nil {
				t.Error(err)
			}
		},
		removed: func() { s.RemoveTools("roots") },
	}
}}

func addGoSDK(s *mcp.Server) {
	icons := []mcp.Icon{{Source: icon, MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: mcp.IconThemeDark}}
	notes := &mcp.Annotations{Audience: []mcp.Role{"user"}, LastModified: modified, Priority: 0.5}
	meta := mcp.Meta{"a": 1}
	sum := json.RawMessage(`{"sum":1.5}`)
	text := func(text string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	// An error that a tool returns directly would be a protocol error.
	add := func(tool mcp.Tool, call func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		tool.InputSchema = json.RawMessage(inputSchema)
		s.AddTool(&tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			result, err := call(ctx, r)
			if err != nil {
				result = text(err.Error())
				result.IsError = true
			}
			return result, nil
		})
	}
	elicit := func(params *mcp.ElicitParams) func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, err := r.Session.Elicit(ctx, params)
			if err != nil {
				return nil, err
			}
			return text(answer.Action), nil
		}
	}
	sample := func(content mcp.Content) func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{
				MaxTokens: 10, Messages: []*mcp.SamplingMessage{{Role: "user", Content: content}},
			})
			if err != nil {
				return nil, err
			}
			return text(answer.Model), nil
		}
	}
	add(mcp.Tool{
		Name: "content", Title: "All content", Description: "Says it in every way.", Icons: icons, Meta: meta,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}, OutputSchema: json.RawMessage(outputSchema),
	}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: sum, Meta: meta, Content: []mcp.Content{
			&mcp.TextContent{Text: "text", Meta: meta, Annotations: notes},
			&mcp.ImageContent{Data: []byte("i"), MIMEType: "image/png", Annotations: notes},
			&mcp.AudioContent{Data: []byte("a"), MIMEType: "audio/wav", Annotations: notes},
			&mcp.ResourceLink{
				Name: "link", URI: "file:///l", Title: "A link", Description: "to somewhere", MIMEType: "text/plain",
				Size: new(int64(7)), Annotations: notes,
			},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///e", Text: "embedded", Meta: meta}, Annotations: notes},
		}}, nil
	})
	add(mcp.Tool{Name: "structured", OutputSchema: json.RawMessage(outputSchema)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result := text(string(sum))
		result.StructuredContent = sum
		return result, nil
	})
	add(mcp.Tool{Name: "form"}, elicit(&mcp.ElicitParams{Message: "Who?", Mode: "form", RequestedSchema: json.RawMessage(formSchema)}))
	add(mcp.Tool{Name: "page"}, elicit(&mcp.ElicitParams{Message: "Look.", Mode: "url", ElicitationID: "1", URL: "https://example.com/"}))
	add(mcp.Tool{Name: "sample"}, sample(&mcp.TextContent{Text: "one", Annotations: notes}))
	add(mcp.Tool{Name: "sample_audio"}, sample(&mcp.AudioContent{Data: []byte("a"), MIMEType: "audio/wav"}))
	add(mcp.Tool{Name: "sample_tools"}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := r.Session.CreateMessageWithTools(ctx, &mcp.CreateMessageWithToolsParams{
			MaxTokens: 10, Messages: []*mcp.SamplingMessageV2{{Role: "user", Content: []mcp.Content{&mcp.TextContent{Text: "one"}}}},
			Tools: []*mcp.Tool{{Name: "t", InputSchema: json.RawMessage(inputSchema)}}, ToolChoice: &mcp.ToolChoice{Mode: "auto"},
		})
		if err != nil {
			return nil, err
		}
		return text(answer.Model), nil
	})
	add(mcp.Tool{Name: "roots"}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if _, err := r.Session.ListRoots(ctx, nil); err != nil {
			return nil, err
		}
		return text("listed"), nil
	})
	add(mcp.Tool{Name: "news"}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half",
		}); err != nil {
			return nil, err
		}
		if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: map[string]any{"a": 1}}); err != nil {
			return nil, err
		}
		if err := r.Session.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{ElicitationID: "1"}); err != nil {
			return nil, err
		}
		return text("told"), nil
	})

	s.AddPrompt(&mcp.Prompt{
		Name: "greet", Title: "A greeting", Description: "Greets.", Icons: icons, Meta: meta,
		Arguments: []*mcp.PromptArgument{{Name: "who", Title: "Whom", Required: true}},
	}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Description: "A greeting", Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: "Greet " + r.Params.Arguments["who"]}},
			{Role: "user", Content: &mcp.AudioContent{Data: []byte("a"), MIMEType: "audio/wav"}},
			{Role: "user", Content: &mcp.ResourceLink{Name: "link", URI: "file:///l", Description: "to somewhere", MIMEType: "text/plain"}},
		}}, nil
	})
	read := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
			{URI: r.Params.URI, Text: "text", MIMEType: "text/plain", Meta: meta},
			{URI: r.Params.URI, Blob: []byte("a"), MIMEType: "audio/wav"},
		}}, nil
	}
	s.AddResource(&mcp.Resource{
		URI: "file:///r", Name: "r", Size: 7, Title: "A title", Description: "A description", MIMEType: "text/plain",
		Meta: meta, Annotations: notes, Icons: icons,
	}, read)
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: "file:///t/{x}", Name: "t", Title: "A title", Description: "A description", MIMEType: "text/plain",
		Meta: meta, Annotations: notes, Icons: icons,
	}, read)
}
