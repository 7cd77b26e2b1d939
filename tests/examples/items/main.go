package main

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/typed"
)

var tool = typed.Tool(&mcp.Tool{Name: "get_weather"}, weather)

var cities = catalog.OneOf("Lima", "Oslo", "Passau")

var prompt = catalog.NewPrompt(&mcp.Prompt{
	Name:      "report",
	Arguments: []mcp.PromptArgument{{Name: "city", Required: new(true)}},
}, func(ctx context.Context, arguments map[string]string) (*mcp.GetPromptResult, error) {
	text := &mcp.TextContent{Text: "Write a weather report for " + arguments["city"] + "."}
	return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: text}}}, nil
}).Complete("city", cities)

var resource = catalog.NewResource(&mcp.Resource{Name: "stations", URI: "weather://stations"},
	func(ctx context.Context, uri string) (*mcp.ReadResourceResult, error) {
		text := &mcp.TextResourceContents{URI: uri, Text: "Lima, Oslo, Passau"}
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{text}}, nil
	})

var template = catalog.NewTemplate(&mcp.ResourceTemplate{Name: "station", URITemplate: "weather://stations/{city}"},
	func(ctx context.Context, uri string, variables map[string]string) (*mcp.ReadResourceResult, error) {
		text := &mcp.TextResourceContents{URI: uri, Text: variables["city"] + " has one station."}
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{text}}, nil
	}).Complete("city", cities)

type Input struct {
	City string `json:"city" jsonschema:"minLength=1"`
}

type Output struct {
	Degrees float64 `json:"degrees"`
}

func weather(ctx context.Context, in *Input) (*Output, error) { return &Output{Degrees: 21}, nil }

func main() {
	stdio.Main(mcp.NewServer(mcp.ServerOptions{Name: "weather", Version: "1.0.0"}, tool, prompt, resource, template))
}
