package examples

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var png = []byte("png")

// forecast returns text, an image and structure.
func forecast(context.Context, wire.Object) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{
		Content:           []mcp.ContentBlock{mcp.Text("sunny"), mcp.Image(png, "image/png")},
		StructuredContent: wire.MustObject(map[string]any{"sky": "sunny"}),
	}, nil
}

// show reads the variants of a union.
func show(result *mcp.CallToolResult) {
	for _, block := range result.Content {
		switch block := block.(type) {
		case *mcp.TextContent:
			fmt.Println("text", block.Text)
		case *mcp.ImageContent:
			fmt.Println("image", block.MIMEType)
		default:
			fmt.Println("other", block)
		}
	}
}

type greeting struct {
	Name string `json:"name"`
}

// greet is a tool whose schema comes from a struct.
var greet = typed.ContentTool(&mcp.Tool{Name: "greet", Description: new("Greets.")}, func(_ context.Context, in *greeting) ([]mcp.ContentBlock, error) {
	return []mcp.ContentBlock{mcp.Text("Hello, " + in.Name + "!")}, nil
})

// pasted returns a tool whose schema is a JSON text.
func pasted() catalog.Tool {
	tool := &mcp.Tool{
		Name:        "forecast",
		InputSchema: wire.Must[mcp.ToolInputSchema](`{"type": "object", "properties": {"city": {"type": "string"}}}`),
	}
	return catalog.NewTool(tool, forecast)
}

// Shirt is a form.
type Shirt struct {
	Size string `json:"size" jsonschema:"enum=small,enum=large"`
	Gift bool   `json:"gift,omitempty" jsonschema_description:"Whether to wrap it."`
}

// size asks the client's user with a form.
func size(ctx context.Context, _ *none) ([]mcp.ContentBlock, error) {
	shirt, action, err := typed.Elicit[Shirt](ctx, "Which size?")
	if err != nil {
		return nil, err
	}
	if shirt == nil { // the action is "decline" or "cancel"
		return nil, errors.New("no shirt: " + action)
	}
	return []mcp.ContentBlock{mcp.Text("size " + shirt.Size)}, nil
}

// write asks the model of the client.
func write(ctx context.Context, _ *none) ([]mcp.ContentBlock, error) {
	said, err := mcp.NewClientCaller(runtime.CallOf(ctx)).CreateMessage(ctx, &mcp.CreateMessageRequestParams{
		MaxTokens: 10,
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.Text("A poem, please.")}},
	})
	if err != nil {
		return nil, err
	}
	return []mcp.ContentBlock{said.Content.(*mcp.TextContent)}, nil
}

// The five things that most servers and clients write.
func Example_snippets() {
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "server", Version: "1"}, greet, pasted(),
		typed.ContentTool(&mcp.Tool{Name: "size"}, size), typed.ContentTool(&mcp.Tool{Name: "write"}, write))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	near, far := inproc.Pair()
	go server.Serve(ctx, far)
	session, err := mcp.Connect(ctx, near, mcp.ClientOptions{
		Name: "client", Version: "1",
		Elicit: func(context.Context, mcp.ElicitRequestParams) (*mcp.ElicitResult, error) {
			content := wire.Map[mcp.ElicitResultContent](nil).With("size", mcp.ElicitResultContentScalar{Scalar: wire.ScalarOf("large")})
			return &mcp.ElicitResult{Action: mcp.ElicitActionAccept, Content: content}, nil
		},
		CreateMessage: func(context.Context, *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: mcp.RoleAssistant, Model: "a model", Content: mcp.Text("Roses are red.")}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for _, call := range []*mcp.CallToolRequestParams{
		{Name: "greet", Arguments: `{"name":"Ada"}`}, {Name: "forecast", Arguments: `{"city":"Lisbon"}`}, {Name: "size"}, {Name: "write"},
	} {
		result, err := session.CallTool(ctx, call)
		if err != nil {
			log.Fatal(err)
		}
		show(result)
	}
	fmt.Println(mcp.Tool{Name: "bare"})
	// Output:
	// text Hello, Ada!
	// text sunny
	// image image/png
	// text size large
	// text Roses are red.
	// {"inputSchema":{"type":"object"},"name":"bare"}
}
