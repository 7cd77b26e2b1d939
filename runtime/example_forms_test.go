package runtime_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// hurried is a client whose user accepts every form and fills in nothing.
type hurried struct{ mcp.UnimplementedClient }

func (hurried) Elicit(context.Context, mcp.ElicitRequestParams) (mcp.ElicitResponse, error) {
	return &mcp.ElicitResult{Action: mcp.ElicitActionAccept}, nil
}

// A client completes the form of its user with the defaults of the server.
func ExampleFillDefaults() {
	export := func(ctx context.Context, _ wire.Object) (*mcp.CallToolResult, error) {
		asked, err := mcp.NewClientCaller(runtime.CallOf(ctx)).Elicit(ctx, &mcp.ElicitRequestFormParams{
			Message: "How should the notes be exported?",
			RequestedSchema: mcp.FormSchema{
				Properties: wire.Map[mcp.PrimitiveSchemaDefinition]{
					{Name: "format", Value: &mcp.StringSchema{Default: new("pdf")}},
					{Name: "images", Value: &mcp.BooleanSchema{Default: new(true)}},
					{Name: "title", Value: &mcp.StringSchema{}},
				},
			},
		})
		if err != nil {
			return nil, err
		}
		for _, field := range asked.Content {
			fmt.Println(field.Name, field.Value.(mcp.ElicitResultContentScalar).Scalar)
		}
		return &mcp.CallToolResult{}, nil
	}
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "notes", Version: "1.0.0"}, catalog.NewTool(&mcp.Tool{Name: "export"}, export))
	if err != nil {
		log.Fatal(err)
	}
	client := runtime.NewClient(runtime.ClientOptions{
		Name: "app", Version: "1.0.0",
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ClientCapabilitiesElicitation{}},
	}, runtime.FillDefaults(mcp.BindClient(hurried{})))

	ctx := context.Background()
	near, far := inproc.Pair()
	go server.Serve(ctx, far)
	session, err := client.Connect(ctx, near)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	if _, err := mcp.NewServerCaller(session).CallTool(ctx, &mcp.CallToolRequestParams{Name: "export"}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// format "pdf"
	// images true
}
