package main

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/typed"
)

type City struct {
	Name string `json:"city" jsonschema:"enum=Lima,enum=Oslo,enum=Passau"`
}

type Weather struct {
	Degrees float64 `json:"degrees"`
}

func weather(ctx context.Context, in *City) (*Weather, error) { return &Weather{Degrees: 21}, nil }

func report(ctx context.Context, in *City) (*mcp.GetPromptResult, error) {
	text := &mcp.TextContent{Text: "Write a weather report for " + in.Name + "."}
	return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: text}}}, nil
}

func station(ctx context.Context, uri string, in *City) (*mcp.ReadResourceResult, error) {
	text := &mcp.TextResourceContents{URI: uri, Text: in.Name + " has one station."}
	return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{text}}, nil
}

func stations(ctx context.Context, uri string) (*mcp.ReadResourceResult, error) {
	text := &mcp.TextResourceContents{URI: uri, Text: "Lima, Oslo, Passau"}
	return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{text}}, nil
}

func main() {
	stdio.Main(mcp.NewServer(mcp.ServerOptions{Name: "weather", Version: "1.0.0"},
		typed.Tool(&mcp.Tool{Name: "get_weather"}, weather),
		typed.Prompt(&mcp.Prompt{Name: "report"}, report),
		typed.Template(&mcp.ResourceTemplate{Name: "station", URITemplate: "weather://stations/{city}"}, station),
		catalog.NewResource(&mcp.Resource{Name: "stations", URI: "weather://stations"}, stations)))
}
