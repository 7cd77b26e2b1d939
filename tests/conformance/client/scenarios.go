package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/mcpgen/mcpgen/generated/mcp"
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
	"json-schema-ref-no-deref":            listTools,
	"request-metadata":                    initialize,
	"sep-2322-client-request-state":       answerTools,
	"http-standard-headers":               useFirst,
	"http-custom-headers":                 callTools,
	"http-invalid-tool-headers":           callListed,
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

// answerTools calls the tools that ask the client, or that do not.
func answerTools(ctx context.Context, server mcp.ServerCaller) error {
	var errs []error
	for _, name := range []string{"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"} {
		errs = append(errs, call(ctx, server, name, "{}"))
	}
	return errors.Join(errs...)
}

// useFirst lists tools, resources and prompts, and uses the first of each.
func useFirst(ctx context.Context, server mcp.ServerCaller) error {
	all, err := tools(ctx, server)
	if err != nil {
		return err
	}
	if err := call(ctx, server, all[0].Name, "{}"); err != nil {
		return err
	}
	for resource, err := range server.Resources(ctx) {
		if err != nil {
			return err
		}
		if _, err := server.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: resource.URI}); err != nil {
			return err
		}
	}
	for prompt, err := range server.Prompts(ctx) {
		if err != nil {
			return err
		}
		_, err := server.GetPrompt(ctx, &mcp.GetPromptRequestParams{Name: prompt.Name})
		return err
	}
	return nil
}

// callTools lists the tools and makes the calls that the suite asks for.
func callTools(ctx context.Context, server mcp.ServerCaller) error {
	var do struct {
		ToolCalls []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
	if err := json.Unmarshal([]byte(os.Getenv(contextVariable)), &do); err != nil {
		return fmt.Errorf("%s: %w", contextVariable, err)
	}
	if err := listTools(ctx, server); err != nil {
		return err
	}
	for _, c := range do.ToolCalls {
		if err := call(ctx, server, c.Name, wire.Object(c.Arguments)); err != nil {
			return err
		}
	}
	return nil
}

// callListed calls every tool in the list. The client leaves out those with invalid headers.
func callListed(ctx context.Context, server mcp.ServerCaller) error {
	all, err := tools(ctx, server)
	if err != nil {
		return err
	}
	for _, tool := range all {
		if err := call(ctx, server, tool.Name, `{"region":"us-west1"}`); err != nil {
			return err
		}
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
