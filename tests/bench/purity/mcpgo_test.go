package purity

//lint:file-ignore SA1019 What a later revision deprecates is part of the revisions here.

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// onMCPGo is the server on mark3labs/mcp-go.
var onMCPGo = subject{"github.com/mark3labs/mcp-go", func(t *testing.T, in io.ReadCloser, out io.WriteCloser) changes {
	// The last options declare what the server requests from the client, as the library's
	// documentation asks.
	s := server.NewMCPServer("everything", "1.0.0",
		server.WithTitle("All there is"),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(true),
		server.WithPromptCapabilities(true),
		server.WithResourceCapabilities(true, true),
		server.WithLogging(),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(names{}),
		server.WithElicitation(),
		server.WithRoots(),
	)
	s.EnableSampling()
	addMCPGo(s)
	lines := server.NewStdioServer(s)
	lines.SetErrorLogger(log.New(io.Discard, "", 0))
	go lines.Listen(t.Context(), in, out)
	return changes{
		updated: func() {
			s.SendNotificationToAllClients(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": "file:///r"})
		},
		removed: func() { s.DeleteTools("roots") },
	}
}}

// names completes the argument of the prompt.
type names struct{}

// CompletePromptArgument implements server.PromptCompletionProvider.
func (names) CompletePromptArgument(context.Context, string, mcp.CompleteArgument, mcp.CompleteContext) (*mcp.Completion, error) {
	return &mcp.Completion{Values: []string{"Ada", "Alan"}, Total: 2}, nil
}

func addMCPGo(s *server.MCPServer) {
	icons := []mcp.Icon{{Src: icon, MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: mcp.IconThemeDark}}
	notes := mcp.Annotated{Annotations: &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}, LastModified: modified, Priority: new(0.5)}}
	raw := map[string]any{"a": 1}
	meta := mcp.NewMetaFromMap(raw)
	sum := map[string]any{"sum": 1.5}
	audio := mcp.NewAudioContent("YQ==", "audio/wav")
	add := func(tool mcp.Tool, call server.ToolHandlerFunc) {
		tool.InputSchema = mcp.ToolInputSchema{Type: "object", Properties: map[string]any{}}
		// An error that a tool returns directly would be a protocol error.
		s.AddTool(tool, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			result, err := call(ctx, r)
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			return result, nil
		})
	}
	output := mcp.ToolOutputSchema{Type: "object", Properties: map[string]any{"sum": map[string]any{"type": "number"}}}
	elicit := func(params mcp.ElicitationParams) server.ToolHandlerFunc {
		return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: params})
			if err != nil {
				return nil, err
			}
			return mcp.NewToolResultText(string(answer.Action)), nil
		}
	}
	sample := func(params mcp.CreateMessageParams) server.ToolHandlerFunc {
		return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			params.MaxTokens = 10
			answer, err := s.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: params})
			if err != nil {
				return nil, err
			}
			return mcp.NewToolResultText(answer.Model), nil
		}
	}
	message := func(content mcp.Content) []mcp.SamplingMessage {
		return []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: content}}
	}
	add(mcp.Tool{
		Name: "content", Title: "All content", Description: "Says it in every way.", Icons: icons, Meta: meta,
		Annotations: mcp.ToolAnnotation{ReadOnlyHint: new(true)}, OutputSchema: output,
	}, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		link := mcp.NewResourceLink("file:///l", "link", "to somewhere", "text/plain")
		link.Title, link.Size, link.Annotated = "A link", new(int64(7)), notes
		return &mcp.CallToolResult{Result: mcp.Result{Meta: meta}, StructuredContent: sum, Content: []mcp.Content{
			mcp.TextContent{Type: "text", Text: "text", Meta: meta, Annotated: notes},
			mcp.ImageContent{Type: "image", Data: "aQ==", MIMEType: "image/png", Annotated: notes},
			mcp.AudioContent{Type: "audio", Data: "YQ==", MIMEType: "audio/wav", Annotated: notes},
			link,
			mcp.EmbeddedResource{Type: "resource", Resource: mcp.TextResourceContents{URI: "file:///e", Text: "embedded", Meta: raw}, Annotated: notes},
		}}, nil
	})
	add(mcp.Tool{Name: "structured", OutputSchema: output}, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultStructured(sum, `{"sum":1.5}`), nil
	})
	add(mcp.Tool{Name: "form"}, elicit(mcp.ElicitationParams{Message: "Who?", Mode: mcp.ElicitationModeForm, RequestedSchema: json.RawMessage(formSchema)}))
	add(mcp.Tool{Name: "page"}, elicit(mcp.ElicitationParams{Message: "Look.", Mode: mcp.ElicitationModeURL, ElicitationID: "1", URL: "https://example.com/"}))
	add(mcp.Tool{Name: "sample"}, sample(mcp.CreateMessageParams{Messages: message(mcp.TextContent{Type: "text", Text: "one", Annotated: notes})}))
	add(mcp.Tool{Name: "sample_audio"}, sample(mcp.CreateMessageParams{Messages: message(audio)}))
	add(mcp.Tool{Name: "sample_tools"}, sample(mcp.CreateMessageParams{
		Messages:   message(mcp.NewTextContent("one")),
		Tools:      []mcp.Tool{{Name: "t", InputSchema: mcp.ToolInputSchema{Type: "object"}}},
		ToolChoice: &mcp.ToolChoice{Mode: mcp.ToolChoiceModeAuto},
	}))
	add(mcp.Tool{Name: "roots"}, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if _, err := s.RequestRoots(ctx, mcp.ListRootsRequest{}); err != nil {
			return nil, err
		}
		return mcp.NewToolResultText("listed"), nil
	})
	add(mcp.Tool{Name: "news"}, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": r.Params.Meta.ProgressToken, "progress": 1, "total": 2, "message": "half",
		}); err != nil {
			return nil, err
		}
		if err := s.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "", map[string]any{"a": 1})); err != nil {
			return nil, err
		}
		if err := s.SendElicitationComplete(ctx, server.ClientSessionFromContext(ctx), "1"); err != nil {
			return nil, err
		}
		return mcp.NewToolResultText("told"), nil
	})

	s.AddPrompt(mcp.Prompt{
		Name: "greet", Title: "A greeting", Description: "Greets.", Icons: icons, Meta: meta,
		Arguments: []mcp.PromptArgument{{Name: "who", Title: "Whom", Required: true}},
	}, func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return mcp.NewGetPromptResult("A greeting", []mcp.PromptMessage{
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Greet "+r.Params.Arguments["who"])),
			mcp.NewPromptMessage(mcp.RoleUser, audio),
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewResourceLink("file:///l", "link", "to somewhere", "text/plain")),
		}), nil
	})
	read := func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{
			mcp.TextResourceContents{URI: r.Params.URI, Text: "text", MIMEType: "text/plain", Meta: raw},
			mcp.BlobResourceContents{URI: r.Params.URI, Blob: "YQ==", MIMEType: "audio/wav"},
		}, nil
	}
	s.AddResource(mcp.Resource{
		URI: "file:///r", Name: "r", Size: new(int64(7)), Title: "A title", Description: "A description", MIMEType: "text/plain",
		Meta: meta, Annotated: notes, Icons: icons,
	}, read)
	template := mcp.NewResourceTemplate("file:///t/{x}", "t", mcp.WithTemplateTitle("A title"),
		mcp.WithTemplateDescription("A description"), mcp.WithTemplateMIMEType("text/plain"))
	template.Meta, template.Annotated, template.Icons = meta, notes, icons
	s.AddResourceTemplate(template, read)
}
