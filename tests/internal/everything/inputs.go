package everything

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// inputs returns the fixtures that the conformance suite has for revisions without sessions: tools and
// a prompt that ask the client, and tools that change the lists. They are written like any other, and
// work in sessions too.
func inputs(c *catalog.Catalog) []catalog.Item {
	var changes atomic.Int64
	items := []catalog.Item{
		fixture("test_missing_capability", "Needs sampling, which a client may lack.", complete),
		fixture("test_streaming_elicitation", "Reports progress and asks the user.", func(ctx context.Context) error {
			if err := runtime.CallOf(ctx).Progress(ctx, 1, new(2.0), "asking"); err != nil {
				return err
			}
			return confirm(ctx)
		}),
		fixture("test_logging_tool", "Logs at several levels.", func(ctx context.Context) error {
			var errs []error
			for _, level := range []runtime.LogLevel{runtime.LogDebug, runtime.LogInfo, runtime.LogError} {
				errs = append(errs, runtime.CallOf(ctx).Log(ctx, level, "everything", wire.ScalarOf("a message")))
			}
			return errors.Join(errs...)
		}),
		fixture("test_trigger_tool_change", "Changes the list of tools.", func(context.Context) error {
			return c.Add(fixture(fmt.Sprintf("test_added_%d", changes.Add(1)), "Was added by another tool.", nothing))
		}),
		fixture("test_trigger_prompt_change", "Changes the list of prompts.", func(context.Context) error {
			name := fmt.Sprintf("test_added_%d", changes.Add(1))
			return c.Add(catalog.NewPrompt(&mcp.Prompt{Name: name, Description: new("Was added by a tool.")},
				func(context.Context, map[string]string) (*mcp.GetPromptResult, error) { return messages(text(name)) }))
		}),
		fixture("test_input_required_result_elicitation", "Asks for the user's name.", name),
		fixture("test_input_required_result_sampling", "Asks the model.", complete),
		fixture("test_input_required_result_list_roots", "Asks for the roots.", list),
		fixture("test_input_required_result_request_state", "Asks for a confirmation.", confirm),
		fixture("test_input_required_result_tampered_state", "Asks for a confirmation.", confirm),
		fixture("test_input_required_result_multiple_inputs", "Asks the user, the model and for the roots at once.", func(ctx context.Context) error {
			return runtime.Together(ctx, name, complete, list)
		}),
		fixture("test_input_required_result_multi_round", "Asks twice, one question after the other.", func(ctx context.Context) error {
			if err := name(ctx); err != nil {
				return err
			}
			return say(ctx, "color", "What is your favorite color?")
		}),
		fixture("test_input_required_result_capabilities", "Asks for what the client can answer.", func(ctx context.Context) error {
			var questions []func(context.Context) error
			for capability, question := range map[string]func(context.Context) error{"elicitation": name, "sampling": complete, "roots": list} {
				if runtime.Declares(runtime.CallOf(ctx).PeerCapabilities(), capability) {
					questions = append(questions, question)
				}
			}
			return runtime.Together(ctx, questions...)
		}),
		catalog.NewPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: new("A prompt that asks for a topic.")},
			func(ctx context.Context, _ map[string]string) (*mcp.GetPromptResult, error) {
				if err := say(ctx, "context", "What is the prompt about?"); err != nil {
					return nil, err
				}
				return messages(text("A prompt for the user."))
			}),
	}
	header := fixture("test_x_mcp_header", "Has a parameter that HTTP requests repeat in a header.", nothing)
	return append(items, header)
}

// fixture returns a tool without parameters, except for the one that HTTP requests repeat in a header.
func fixture(name, description string, f func(context.Context) error) catalog.Item {
	schema := mcp.ToolInputSchema{}
	if name == "test_x_mcp_header" {
		schema.Properties = wire.Map[wire.Object]{{Name: "region", Value: `{"type":"string","x-mcp-header":"Region"}`}}
	}
	definition := &mcp.Tool{Name: name, Description: &description, InputSchema: schema}
	return catalog.NewTool(definition, func(ctx context.Context, _ wire.Object) (*mcp.CallToolResult, error) {
		if err := f(ctx); err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{text("done")}}, nil
	})
}

func nothing(context.Context) error { return nil }

// name asks the user for a name.
func name(ctx context.Context) error {
	ctx = runtime.WithInputKey(ctx, "user_name")
	_, err := ask(ctx, "What is your name?", properties{{Name: "name", Value: &mcp.StringSchema{}}}, "name")
	return err
}

// say asks the user for a text.
func say(ctx context.Context, member, question string) error {
	ctx = runtime.WithInputKey(ctx, member)
	_, err := ask(ctx, question, properties{{Name: member, Value: &mcp.StringSchema{}}}, member)
	return err
}

// confirm asks the user for a confirmation.
func confirm(ctx context.Context) error {
	ctx = runtime.WithInputKey(ctx, "confirm")
	_, err := ask(ctx, "Is that right?", properties{{Name: "ok", Value: &mcp.BooleanSchema{}}}, "ok")
	return err
}

// complete asks the client's model.
func complete(ctx context.Context) error {
	ctx = runtime.WithInputKey(ctx, "capital_question")
	_, err := client(ctx).CreateMessage(ctx, &mcp.CreateMessageRequestParams{
		MaxTokens: 100,
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: text("What is the capital of France?")}},
	})
	return err
}

// list asks for the client's roots.
func list(ctx context.Context) error {
	ctx = runtime.WithInputKey(ctx, "client_roots")
	_, err := client(ctx).ListRoots(ctx, nil)
	return err
}
