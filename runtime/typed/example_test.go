package typed_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// answer prints the server's responses to requests, one after the other.
func answer(server *runtime.Server, requests ...string) {
	for _, request := range requests {
		transport := &stdio.Transport{In: strings.NewReader(request), Out: struct{ io.Writer }{os.Stdout}}
		if err := server.Resume(context.Background(), transport, runtime.Handshake{Revision: mcp.Revision}); err != nil {
			log.Fatal(err)
		}
	}
}

// A tool is a Go function. Its schemas are derived from its types.
func ExampleTool() {
	type Input struct {
		Name  string `json:"name" jsonschema:"minLength=1" jsonschema_description:"Who is greeted."`
		Times int    `json:"times,omitempty" jsonschema:"minimum=1,maximum=3,default=1"`
	}
	type Output struct {
		Greeting string `json:"greeting"`
	}
	greet := func(ctx context.Context, in *Input) (*Output, error) {
		if in.Name == "nobody" {
			return nil, fmt.Errorf("there is nobody to greet")
		}
		return &Output{strings.Repeat("Hello ", in.Times) + in.Name}, nil
	}

	tool := typed.Tool(&mcp.Tool{Name: "greet", Description: new("Greets somebody.")}, greet)
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "example", Version: "1.0.0"}, tool)
	if err != nil {
		log.Fatal(err)
	}
	answer(server, // stdio.Serve(ctx, server) in a program
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"name":"nobody"}}}`,
	)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"greeting\":\"Hello Ada\"}"}],"structuredContent":{"greeting":"Hello Ada"}}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"there is nobody to greet"}],"isError":true}}
}

// A handler adds content blocks, _meta and isError to its structured result.
func ExampleTool_result() {
	type Input struct{}
	type Output struct {
		Degrees float64 `json:"degrees"`
	}
	measure := func(ctx context.Context, _ *Input) (*Output, error) {
		r := tools.ResultOf(ctx)
		r.Content = []wire.Appender{&mcp.TextContent{Text: "It is 21 °C."}}
		r.Meta = `{"example.com/sensor":7}`
		return &Output{21}, nil
	}

	server, err := mcp.NewServer(mcp.ServerOptions{Name: "example", Version: "1.0.0"}, typed.Tool(&mcp.Tool{Name: "measure"}, measure))
	if err != nil {
		log.Fatal(err)
	}
	answer(server, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"measure"}}`)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"It is 21 °C."}],"structuredContent":{"degrees":21},"_meta":{"example.com/sensor":7}}}
}

// A tool without an output schema returns content blocks.
func ExampleContentTool() {
	type Input struct {
		Text string `json:"text"`
	}
	shout := func(_ context.Context, in *Input) ([]mcp.ContentBlock, error) {
		return []mcp.ContentBlock{&mcp.TextContent{Text: strings.ToUpper(in.Text)}}, nil
	}

	server, err := mcp.NewServer(mcp.ServerOptions{Name: "example", Version: "1.0.0"}, typed.ContentTool(&mcp.Tool{Name: "shout"}, shout))
	if err != nil {
		log.Fatal(err)
	}
	answer(server, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shout","arguments":{"text":"hello"}}}`)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"HELLO"}]}}
}

// The arguments of a prompt and the variables of a template are structs, too.
func ExamplePrompt() {
	type Arguments struct {
		City string `json:"city" jsonschema:"enum=Lima,enum=Oslo"`
		Days int    `json:"days,omitempty" jsonschema:"minimum=1,default=3"`
	}
	report := func(ctx context.Context, in *Arguments) (*mcp.GetPromptResult, error) {
		text := &mcp.TextContent{Text: fmt.Sprintf("Describe %d days in %s.", in.Days, in.City)}
		return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: text}}}, nil
	}

	prompt := typed.Prompt(&mcp.Prompt{Name: "report"}, report)
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "example", Version: "1.0.0"}, prompt)
	if err != nil {
		log.Fatal(err)
	}
	answer(server,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`,
		`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"report","arguments":{"city":"Oslo"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"report","arguments":{"city":"Oslo","days":"1.5"}}}`,
	)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"report","arguments":[{"name":"city","required":true},{"name":"days"}]}]}}
	// {"jsonrpc":"2.0","id":2,"result":{"messages":[{"content":{"type":"text","text":"Describe 3 days in Oslo."},"role":"user"}]}}
	// {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"invalid params: /arguments/days: must be an integer, found 1.5"}}
}
