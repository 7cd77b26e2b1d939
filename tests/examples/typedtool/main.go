package main

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/typed"
)

type Input struct {
	City string `json:"city" jsonschema:"minLength=1"`
}

type Output struct {
	Degrees float64 `json:"degrees"`
}

func weather(ctx context.Context, in *Input) (*Output, error) { return &Output{Degrees: 21}, nil }

func main() {
	tool := typed.Tool(&mcp.Tool{Name: "get_weather"}, weather)
	stdio.Main(mcp.NewServer(mcp.ServerOptions{Name: "weather", Version: "1.0.0"}, tool))
}
