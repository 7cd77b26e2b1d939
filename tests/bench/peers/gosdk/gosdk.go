// Package gosdk is a server on the official Go SDK.
package gosdk

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/tests/bench/peers"
)

// NewServer returns a server with the given number of tools. The library checks arguments and
// results.
func NewServer(tools int) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "weather", Version: "1"}, nil)
	d := peers.Definition()
	for i := range tools {
		mcp.AddTool(s, &mcp.Tool{
			Name: peers.Name(i), Description: d.Description, InputSchema: d.InputSchema, OutputSchema: d.OutputSchema,
		}, weather)
	}
	return s
}

// Register adds a typed tool. The library derives the schemas from the types.
func Register(s *mcp.Server, name string) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: "Tells the weather in a city as it is now."}, weather)
}

func weather(ctx context.Context, r *mcp.CallToolRequest, in peers.Input) (*mcp.CallToolResult, peers.Output, error) {
	if token := r.Params.GetProgressToken(); token != nil {
		if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1}); err != nil {
			return nil, peers.Output{}, err
		}
	}
	return nil, peers.Weather(in), nil
}
