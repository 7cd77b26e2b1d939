// Program items is a server with a tool, a prompt, a resource, a template and completion.
package main

import (
	"context"
	"log"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type cities []string

func (c cities) complete(value string) (*mcp.Completion, error) {
	values := slices.DeleteFunc(slices.Clone(c), func(city string) bool { return !strings.HasPrefix(city, value) })
	return &mcp.Completion{Values: values, Total: len(values)}, nil
}

func (c cities) CompletePromptArgument(_ context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	return c.complete(argument.Value)
}

func (c cities) CompleteResourceArgument(_ context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	return c.complete(argument.Value)
}

type Input struct {
	City string `json:"city"`
}

type Output struct {
	Degrees float64 `json:"degrees"`
}

func weather(ctx context.Context, _ mcp.CallToolRequest, in Input) (Output, error) {
	return Output{Degrees: 21}, nil
}

func report(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := mcp.NewTextContent("Write a weather report for " + request.Params.Arguments["city"] + ".")
	return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, text)}), nil
}

func stations(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, Text: "Lima, Oslo, Passau"}}, nil
}

func station(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	city, _ := strings.CutPrefix(request.Params.URI, "weather://stations/")
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, Text: city + " has one station."}}, nil
}

func main() {
	all := cities{"Lima", "Oslo", "Passau"}
	s := server.NewMCPServer("weather", "1.0.0", server.WithCompletions(),
		server.WithPromptCompletionProvider(all), server.WithResourceCompletionProvider(all))
	tool := mcp.NewTool("get_weather", mcp.WithInputSchema[Input](), mcp.WithOutputSchema[Output]())
	s.AddTool(tool, mcp.NewStructuredToolHandler(weather))
	s.AddPrompt(mcp.NewPrompt("report", mcp.WithArgument("city", mcp.RequiredArgument())), report)
	s.AddResource(mcp.NewResource("weather://stations", "stations"), stations)
	s.AddResourceTemplate(mcp.NewResourceTemplate("weather://stations/{city}", "station"), station)
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}
