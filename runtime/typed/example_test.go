package typed_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A tool is a Go function. Its schemas are derived from its types.
func Example() {
	type input struct {
		Name  string `json:"name" jsonschema:"minLength=1" jsonschema_description:"Who is greeted."`
		Times int    `json:"times,omitempty" jsonschema:"minimum=1,maximum=3,default=1"`
	}
	type output struct {
		Greeting string `json:"greeting"`
	}

	c := catalog.New(catalog.Options{})
	err := typed.AddTool(c, typed.Tool{Name: "greet", Description: "Greets somebody."},
		func(ctx context.Context, in *input) (*output, error) {
			if in.Name == "nobody" {
				return nil, fmt.Errorf("there is nobody to greet")
			}
			return &output{strings.Repeat("Hello ", in.Times) + in.Name}, nil
		})
	if err != nil {
		log.Fatal(err)
	}

	// In a real server, the binding is a generated BindServer, and Serve runs it.
	below := runtime.Binding{Revision: "2025-11-25", Direction: runtime.ToServer}
	server := runtime.NewServer(runtime.ServerOptions{
		Name: "example", Version: "1", Capabilities: wire.Raw(`{"tools":{}}`),
	}, c.Over(below))
	for _, request := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"name":"nobody"}}}`,
	} {
		transport := stdio.New(strings.NewReader(request), struct{ io.Writer }{os.Stdout})
		if err := server.Resume(context.Background(), transport, runtime.Handshake{Revision: "2025-11-25"}); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"greeting\":\"Hello Ada\"}"}],"structuredContent":{"greeting":"Hello Ada"}}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"there is nobody to greet"}],"isError":true}}
}
