package main

import (
	"context"
	"errors"
	"fmt"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// scenarios are the actions of the client in each scenario of the suite.
var scenarios = map[string]func(context.Context, mcp.ServerCaller) error{
	"initialize":                          initialize,
	"tools_call":                          callTool("add_numbers", `{"a":5,"b":3}`),
	"elicitation-sep1034-client-defaults": callTool("test_client_elicitation_defaults", `{}`),
	"sse-retry":                           callTool("test_reconnection", `{}`),
	"json-schema-2020-12-preservation":    echoSchema,
}

// tools returns all tools of the server.
func tools(ctx context.Context, server mcp.ServerCaller) ([]mcp.Tool, error) {
	var all []mcp.Tool
	params := &mcp.PaginatedRequestParams{}
	for {
		page, err := server.ListTools(ctx, params)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Tools...)
		if page.NextCursor == nil {
			return all, nil
		}
		params.Cursor = page.NextCursor
	}
}

// initialize lists the tools, if the server has any.
func initialize(ctx context.Context, server mcp.ServerCaller) error {
	err := listTools(ctx, server)
	if _, ok := errors.AsType[*runtime.CapabilityError](err); ok {
		return nil
	}
	return err
}

func listTools(ctx context.Context, server mcp.ServerCaller) error {
	_, err := tools(ctx, server)
	return err
}

// callTool returns a scenario that lists the tools and calls one of them.
func callTool(name string, arguments wire.Object) func(context.Context, mcp.ServerCaller) error {
	return func(ctx context.Context, server mcp.ServerCaller) error {
		if err := listTools(ctx, server); err != nil {
			return err
		}
		return call(ctx, server, name, arguments)
	}
}

func call(ctx context.Context, server mcp.ServerCaller, name string, arguments wire.Object) error {
	result, err := server.CallTool(ctx, &mcp.CallToolRequestParams{Name: name, Arguments: arguments})
	if err != nil {
		return err
	}
	if result.IsError != nil && *result.IsError {
		return fmt.Errorf("the tool %s failed", name)
	}
	return nil
}

// echoSchema sends the schema of one tool to another tool, which compares it with the original.
func echoSchema(ctx context.Context, server mcp.ServerCaller) error {
	all, err := tools(ctx, server)
	if err != nil {
		return err
	}
	for _, tool := range all {
		if tool.Name != "json_schema_2020_12_tool" {
			continue
		}
		schema, err := wire.Marshal(&tool.InputSchema)
		if err != nil {
			return err
		}
		arguments, err := wire.ObjectOf(wire.Members{{Name: "schema", Value: wire.Raw(schema)}})
		if err != nil {
			return err
		}
		return call(ctx, server, "json_schema_echo", arguments)
	}
	return errors.New("the server has no tool json_schema_2020_12_tool")
}
