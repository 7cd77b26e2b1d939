// Package hostile sends invalid, incomplete and unexpected input to a server with generated
// code, over stdio and over HTTP, and checks the answers. It contains only tests.
package hostile

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/generated/mcp20250326"
	"github.com/mcpgen/mcpgen/generated/mcp20250618"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// subjectVariable makes the test binary act as the server: "stdio", "http", which listens on a
// free port and prints the address, or "hasty", which does the same with short timeouts.
const subjectVariable = "MCPGEN_HOSTILE_SUBJECT"

func TestMain(m *testing.M) {
	over := os.Getenv(subjectVariable)
	if over == "" {
		os.Exit(m.Run())
	}
	if err := subject(over); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// subject is the server that the tests start as a process.
func subject(over string) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	c := catalog.New(catalog.Options{Logger: log})
	if err := addTools(c); err != nil {
		return err
	}
	server := runtime.NewServer(runtime.ServerOptions{
		Name: "subject", Version: "1",
		Capabilities: &mcp.ServerCapabilities{Logging: "{}", Tools: &mcp.ServerCapabilitiesTools{}},
		Logger:       log,
	},
		c.Over(mcp.BindServer(mcp.UnimplementedServer{})),
		c.Over(mcp20250618.BindServer(mcp20250618.UnimplementedServer{})),
		c.Over(mcp20250326.BindServer(mcp20250326.UnimplementedServer{})),
		c.Over(mcp20241105.BindServer(mcp20241105.UnimplementedServer{})),
	)
	if over == "stdio" {
		return stdio.Serve(context.Background(), server)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", listener.Addr())
	if over == "http" {
		return streamable.NewServer(streamable.NewHandler(server, streamable.Options{StreamAfter: -1})).Serve(listener)
	}
	s := streamable.NewServer(streamable.NewHandler(server, streamable.Options{IOTimeout: hasty, StreamAfter: -1}))
	s.ReadHeaderTimeout = hasty
	return s.Serve(listener)
}

func addTools(c *catalog.Catalog) error {
	return c.Add(
		// these definitions have members of every revision
		catalog.Tool{Definition: wire.Object(`{"name":"greet","title":"Greet","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`), Call: greet},
		catalog.Tool{Definition: wire.Object(`{"name":"count","inputSchema":{"type":"object","properties":{"to":{"type":"integer"}}}}`), Call: count},
		catalog.Tool{Definition: wire.Object(`{"name":"large","inputSchema":{"type":"object","properties":{"size":{"type":"integer"}}}}`), Call: large},
		catalog.Tool{Definition: wire.Object(`{"name":"later","inputSchema":{"type":"object"}}`), Call: later},
		catalog.Tool{Definition: wire.Object(`{"name":"again_resource","inputSchema":{"type":"object"}}`), Call: again[mcp.EmbeddedResource]},
		catalog.Tool{Definition: wire.Object(`{"name":"again_text","inputSchema":{"type":"object"}}`), Call: again[mcp.TextContent]},
		catalog.Tool{Definition: wire.Object(`{"name":"again_tool","inputSchema":{"type":"object"}}`), Call: again[mcp.Tool]},
	)
}

// text returns a result with one text block.
func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: s}}}
}

func greet(context.Context, wire.Object) (wire.Appender, error) { return text("hello"), nil }

// count returns its argument.
func count(_ context.Context, arguments wire.Object) (wire.Appender, error) {
	to, ok := wire.NewStringReader(string(arguments)).PeekInt64("to")
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid arguments: to is not an integer")
	}
	return text(fmt.Sprint("counted to ", to)), nil
}

// large returns a text of a size.
func large(_ context.Context, arguments wire.Object) (wire.Appender, error) {
	size, ok := wire.NewStringReader(string(arguments)).PeekInt64("size")
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid arguments: size is not an integer")
	}
	return text(strings.Repeat("x", int(size))), nil
}

// later answers with members that the oldest revision lacks.
func later(context.Context, wire.Object) (wire.Appender, error) {
	return &mcp.CallToolResult{
		Content: []mcp.ContentBlock{
			&mcp.AudioContent{Data: "", MIMEType: "audio/wav"},
			&mcp.ResourceLink{Name: "a", URI: "file:///a"},
		},
		StructuredContent: `{"sum":3}`,
	}, nil
}

// again decodes its arguments as a T and returns their encoding.
func again[T any, P interface {
	*T
	wire.Value
}](_ context.Context, arguments wire.Object) (wire.Appender, error) {
	var v T
	if err := wire.UnmarshalString(string(arguments), P(&v)); err != nil {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid arguments: %v", err)
	}
	encoded, err := P(&v).AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.ContentBlock{}, StructuredContent: wire.Object(encoded)}, nil
}
