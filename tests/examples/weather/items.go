package main

import (
	"context"
	"strings"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
)

// report is a prompt.
var report = catalog.NewPrompt(&mcp.Prompt{
	Name:      "report",
	Arguments: []mcp.PromptArgument{{Name: "city", Required: new(true)}},
}, func(_ context.Context, arguments map[string]string) (*mcp.GetPromptResult, error) {
	text := &mcp.TextContent{Text: "Write a weather report for " + arguments["city"] + "."}
	return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: text}}}, nil
}).Complete("city", catalog.OneOf("Lima", "Oslo", "Passau"))

// stations is a resource.
var stations = catalog.NewResource(&mcp.Resource{Name: "stations", URI: "weather://stations"},
	func(_ context.Context, uri string) (*mcp.ReadResourceResult, error) {
		text := &mcp.TextResourceContents{URI: uri, Text: "Lima\nOslo\nPassau"}
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{text}}, nil
	})

// station is a template for resources.
var station = catalog.NewTemplate(&mcp.ResourceTemplate{Name: "station", URITemplate: "weather://stations/{city}"},
	func(_ context.Context, uri string, variables catalog.Variables) (*mcp.ReadResourceResult, error) {
		text := &mcp.TextResourceContents{URI: uri, Text: strings.ToUpper(variables.Get("city"))}
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{text}}, nil
	}).Complete("city", catalog.OneOf("Lima", "Oslo", "Passau"))
