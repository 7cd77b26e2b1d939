// Package mcpgo is a server on mark3labs/mcp-go.
package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/tests/bench/peers"
)

// NewServer returns a server with the given number of tools. The library checks arguments and
// results only with the options WithInputSchemaValidation and WithOutputSchemaValidation.
func NewServer(tools int, options ...server.ServerOption) *server.MCPServer {
	s := server.NewMCPServer("weather", "1", append(options, server.WithToolCapabilities(true))...)
	d := peers.Definition()
	for i := range tools {
		tool := mcp.NewToolWithRawSchema(peers.Name(i), d.Description, d.InputSchema)
		tool.RawOutputSchema = d.OutputSchema
		s.AddTool(tool, mcp.NewStructuredToolHandler(weather))
	}
	return s
}

// Register adds a typed tool. The library derives the schemas from the types; the output schema
// only if results is set.
func Register(s *server.MCPServer, name string, results bool) {
	options := []mcp.ToolOption{mcp.WithDescription("Tells the weather in a city as it is now."), mcp.WithInputSchema[peers.Input]()}
	if results {
		options = append(options, mcp.WithOutputSchema[peers.Output]())
	}
	s.AddTool(mcp.NewTool(name, options...), mcp.NewStructuredToolHandler(weather))
}

func weather(ctx context.Context, r mcp.CallToolRequest, in peers.Input) (peers.Output, error) {
	if r.Params.Meta != nil && r.Params.Meta.ProgressToken != nil {
		if err := server.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": r.Params.Meta.ProgressToken, "progress": 1,
		}); err != nil {
			return peers.Output{}, err
		}
	}
	return peers.Weather(in), nil
}
