package catalog_test

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
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A server with a tool and a resource template. The binding below the catalog is empty
// here; a generated BindBase makes one that knows the revision's methods, and the types of its package make definitions and results.
func Example() {
	c := catalog.New(catalog.Options{CallRate: 100})
	err := c.Add(catalog.Tool{
		Definition: wire.Object(`{"name":"shout","inputSchema":{"type":"object","properties":{"what":{"type":"string"}}}}`),
		Call: func(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
			what, ok := arguments.Get("what")
			if !ok {
				return nil, fmt.Errorf("shout what?")
			}
			text := wire.Raw(strings.ToUpper(string(what)))
			return wire.Object(`{"content":[{"type":"text","text":` + text + `}]}`), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	err = c.Add(catalog.Template{
		Definition: wire.Object(`{"uriTemplate":"square://{n}","name":"squares"}`),
		Read: func(ctx context.Context, uri string, variables map[string]string) (wire.Appender, error) {
			var n int
			if _, err := fmt.Sscan(variables["n"], &n); err != nil {
				return nil, catalog.ErrNoResource
			}
			return wire.Object(fmt.Sprintf(`{"contents":[{"uri":%q,"text":"%d"}]}`, uri, n*n)), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}

	below := runtime.Binding{Revision: "2025-11-25", Direction: runtime.ToServer}
	server := runtime.NewServer(runtime.ServerOptions{
		Name: "example", Version: "1",
		Capabilities: wire.Raw(`{"tools":{"listChanged":true},"resources":{}}`),
	}, c.Over(below))

	// One after the other, so that the answers come in order.
	for _, request := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shout","arguments":{"what":"hello"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shout"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"square://12"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"square://x"}}`,
	} {
		err := server.Resume(context.Background(), stdio.New(strings.NewReader(request), struct{ io.Writer }{os.Stdout}), runtime.Handshake{Revision: "2025-11-25"})
		if err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"HELLO"}]}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"shout what?"}],"isError":true}}
	// {"jsonrpc":"2.0","id":3,"result":{"contents":[{"uri":"square://12","text":"144"}]}}
	// {"jsonrpc":"2.0","id":4,"error":{"code":-32002,"message":"resource not found","data":{"uri":"square://x"}}}
}
