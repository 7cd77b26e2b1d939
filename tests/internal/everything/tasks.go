package everything

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// jobs returns the fixtures that the conformance suite has for the tasks extension.
func jobs() []catalog.Item {
	return []catalog.Item{
		job("greet", "forbidden", func(_ context.Context, arguments wire.Object) (string, error) {
			return fmt.Sprintf("Hello, %s!", arguments.GetString("name")), nil
		}),
		job("slow_compute", "optional", func(ctx context.Context, arguments wire.Object) (string, error) {
			seconds, _ := arguments.Get("seconds")
			n, _ := strconv.ParseFloat(string(seconds), 64)
			return "computed", sleep(ctx, time.Duration(n*float64(time.Second)))
		}),
		job("failing_job", "required", func(ctx context.Context, _ wire.Object) (string, error) {
			if err := sleep(ctx, time.Second); err != nil {
				return "", err
			}
			return "", errJob
		}),
		job("protocol_error_job", "optional", func(context.Context, wire.Object) (string, error) {
			return "", jsonrpc.Errorf(jsonrpc.CodeInternalError, "the job cannot be done")
		}),
		job("confirm_delete", "optional", func(ctx context.Context, _ wire.Object) (string, error) { return "deleted", agree(ctx) }),
		job("multi_input", "optional", func(ctx context.Context, _ wire.Object) (string, error) {
			return "done", runtime.Together(ctx, agree, name)
		}),
		job("test_tool_with_task", "required", func(ctx context.Context, _ wire.Object) (string, error) {
			who, err := askName(ctx)
			if err != nil {
				return "", err
			}
			if err := tasks.Begin(ctx); err != nil {
				return "", err
			}
			return "for " + who, nil
		}),
	}
}

// errJob is the error of a tool, which is part of its result.
var errJob = errors.New("the job has failed")

// late names the tool that becomes a task after it has asked.
func late(tool string) bool { return tool == "test_tool_with_task" }

// job returns a tool with a level of task support.
func job(name, support string, f func(context.Context, wire.Object) (string, error)) catalog.Item {
	return catalog.Tool{
		Definition: wire.Object(`{"name":"` + name + `","description":"A job that may run as a task.","inputSchema":{"type":"object"},"execution":{"taskSupport":"` + support + `"}}`),
		Call: func(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
			said, err := f(ctx, arguments)
			if err == errJob {
				return wire.Object(`{"content":[],"isError":true}`), nil
			}
			if err != nil {
				return nil, err
			}
			content, err := wire.NewObject(wire.Member{Name: "type", Value: `"text"`}, wire.Member{Name: "text", Value: wire.Raw(strconv.Quote(said))})
			if err != nil {
				return nil, err
			}
			return wire.Object(`{"content":[` + string(content) + `]}`), nil
		},
	}
}

// agree asks the user to agree.
func agree(ctx context.Context) error {
	_, err := ask(ctx, "Shall I?", properties{{Name: "confirm", Value: &mcp.BooleanSchema{}}}, "confirm")
	return err
}

// askName asks for the user's name and returns the answer as text.
func askName(ctx context.Context) (string, error) {
	ctx = runtime.WithInputKey(ctx, "user_name")
	content, err := ask(ctx, "What is your name?", properties{{Name: "name", Value: &mcp.StringSchema{}}}, "name")
	if err != nil {
		return "", err
	}
	said, err := wire.Marshal(content[0])
	return string(said), err
}
