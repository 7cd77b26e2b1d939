// Program items is a server with a tool, a prompt, a resource, a template and completion.
package main

import (
	"context"
	"log"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var cities = []string{"Lima", "Oslo", "Passau"}

type Input struct {
	City string `json:"city"`
}

type Output struct {
	Degrees float64 `json:"degrees"`
}

func weather(ctx context.Context, _ *mcp.CallToolRequest, in *Input) (*mcp.CallToolResult, *Output, error) {
	return nil, &Output{Degrees: 21}, nil
}

func report(ctx context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := &mcp.TextContent{Text: "Write a weather report for " + request.Params.Arguments["city"] + "."}
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: text}}}, nil
}

func stations(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	text := &mcp.ResourceContents{URI: request.Params.URI, Text: "Lima, Oslo, Passau"}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{text}}, nil
}

func station(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	city, _ := strings.CutPrefix(request.Params.URI, "weather://stations/")
	text := &mcp.ResourceContents{URI: request.Params.URI, Text: city + " has one station."}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{text}}, nil
}

func complete(ctx context.Context, request *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	values := slices.DeleteFunc(slices.Clone(cities), func(city string) bool {
		return !strings.HasPrefix(city, request.Params.Argument.Value)
	})
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}}, nil
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "weather", Version: "1.0.0"}, &mcp.ServerOptions{CompletionHandler: complete})
	mcp.AddTool(server, &mcp.Tool{Name: "get_weather"}, weather)
	server.AddPrompt(&mcp.Prompt{Name: "report", Arguments: []*mcp.PromptArgument{{Name: "city", Required: true}}}, report)
	server.AddResource(&mcp.Resource{Name: "stations", URI: "weather://stations"}, stations)
	server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "station", URITemplate: "weather://stations/{city}"}, station)
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
