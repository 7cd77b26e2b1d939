// Package hostile sends a server on generated code what it should not be sent, over
// standard input and output and over HTTP, or not enough of it, and holds what it answers.
// It holds tests only.
package hostile

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
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

// subjectVariable makes the test binary be the server: "stdio", or "http", which listens
// on a free port and says on standard output where, or "hasty", which does so too.
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
		return server.Serve(context.Background(), &stdio.Transport{})
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
		// What a client may know of a tool by now, in every revision.
		catalog.Tool{Definition: wire.Object(`{"name":"greet","title":"Greet","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`), Call: greet},
		catalog.Tool{Definition: wire.Object(`{"name":"count","inputSchema":{"type":"object","properties":{"to":{"type":"integer"}}}}`), Call: count},
		catalog.Tool{Definition: wire.Object(`{"name":"later","inputSchema":{"type":"object"}}`), Call: later},
		catalog.Tool{Definition: wire.Object(`{"name":"again_resource","inputSchema":{"type":"object"}}`), Call: again[mcp.EmbeddedResource]},
		catalog.Tool{Definition: wire.Object(`{"name":"again_text","inputSchema":{"type":"object"}}`), Call: again[mcp.TextContent]},
		catalog.Tool{Definition: wire.Object(`{"name":"again_tool","inputSchema":{"type":"object"}}`), Call: again[mcp.Tool]},
	)
}

// text is a result of one text block.
func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: s}}}
}

func greet(context.Context, wire.Object) (wire.Appender, error) { return text("hello"), nil }

// count says the number that it was given.
func count(_ context.Context, arguments wire.Object) (wire.Appender, error) {
	to, ok := wire.NewStringReader(string(arguments)).PeekInt64("to")
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid arguments: to is no integer")
	}
	return text(fmt.Sprint("counted to ", to)), nil
}

// later answers with what the oldest revision does not have.
func later(context.Context, wire.Object) (wire.Appender, error) {
	return &mcp.CallToolResult{
		Content: []mcp.ContentBlock{
			&mcp.AudioContent{Data: "", MIMEType: "audio/wav"},
			&mcp.ResourceLink{Name: "a", URI: "file:///a"},
		},
		StructuredContent: `{"sum":3}`,
	}, nil
}

// again decodes its arguments as a T, and answers with what that is encoded to.
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
