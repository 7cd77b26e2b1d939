package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/execution"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Tool is a tool that clients can call (server/tools of every revision).
type Tool struct {
	// Definition is the Tool object in the list. Its name is how the tool is called.
	Definition wire.Object

	// Call runs the tool. Arguments is "{}" when the client gave none. The result is a
	// CallToolResult. An error is made one with isError and the error's text, which the
	// client's model reads; so is a panic, without its text. An error that is a
	// *jsonrpc.Error is answered as such: the call itself was wrong.
	Call func(ctx context.Context, arguments wire.Object) (wire.Appender, error)
}

// tool is a Tool as it is kept.
type tool struct {
	call  func(ctx context.Context, arguments wire.Object) (wire.Appender, error)
	check func(arguments wire.Object) error // nil: anything goes
	tasks execution.Support
}

// AddTools adds tools; one whose name is taken replaces the other in its place. An error
// is about a definition, and then none is added.
func (c *Catalog) AddTools(tools ...Tool) error {
	if len(tools) == 0 {
		return nil
	}
	err := add(c.tools, tools, func(t Tool) (definition, *tool, error) {
		d, err := kindTool.define(t.Definition)
		if err != nil {
			return d, nil, err
		}
		kept := &tool{call: t.Call, tasks: d.tasks}
		if t.Call == nil {
			return d, nil, fmt.Errorf("catalog: tool %.100q: no Call", d.key)
		}
		if c.opts.Checker != nil {
			if kept.check, err = c.opts.Checker(wire.Object(d.text)); err != nil {
				return d, nil, fmt.Errorf("catalog: tool %.100q: %w", d.key, err)
			}
		}
		return d, kept, nil
	})
	if err == nil {
		c.announce(toolsChanged)
	}
	return err
}

// RemoveTools removes the tools of these names and returns how many there were. Calls
// that are running go on.
func (c *Catalog) RemoveTools(names ...string) int {
	n := c.tools.remove(names)
	if n > 0 {
		c.announce(toolsChanged)
	}
	return n
}

// TaskSupport says whether a tool can be called as a task: the execution.taskSupport of its
// definition. It is what tasks.Options want to be told. A tool that does not say cannot
// be ("Tool-Level Negotiation" in basic/utilities/tasks of 2025-11-25); one that is not
// there can, so that whoever calls it learns that.
func (c *Catalog) TaskSupport(tool string) execution.Support {
	t, ok := c.tools.get(tool)
	if !ok {
		return execution.Optional
	}
	return cmp.Or(t.tasks, execution.Forbidden)
}

// callTool answers tools/call ("Error Handling" in server/tools: an unknown tool is an
// error of the protocol, what goes wrong in one is a result).
func (c *Catalog) callTool(ctx context.Context, p *callParams) (wire.Appender, error) {
	t, ok := c.tools.get(p.name)
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool: %.100q", p.name)
	}
	if err := c.sessionOf(ctx).admitCall(); err != nil {
		return nil, err
	}
	result, err := c.run(ctx, t, p)
	if err == nil && result == nil {
		return nil, fmt.Errorf("catalog: tool %.100q returned no result", p.name)
	}
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return nil, err
	}
	if err != nil {
		return failure(err.Error()), nil
	}
	return result, nil
}

// errPanic is what a client learns of a panic.
var errPanic = errors.New("the tool failed unexpectedly")

func (c *Catalog) run(ctx context.Context, t *tool, p *callParams) (result wire.Appender, err error) {
	defer func() {
		if v := recover(); v != nil {
			c.log.Error("tool panicked", "tool", p.name, "panic", v, "stack", string(debug.Stack()))
			result, err = nil, errPanic
		}
	}()
	if t.check != nil {
		if err := t.check(p.arguments); err != nil {
			return nil, err
		}
	}
	return t.call(ctx, p.arguments)
}

// failure is a CallToolResult that tells of an error.
type failure string

// AppendJSON implements wire.Appender.
func (f failure) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"content":[{"type":"text","text":`...)
	dst, err := wire.AppendString(dst, strings.ToValidUTF8(string(f), "\uFFFD"))
	return append(dst, `}],"isError":true}`...), err
}
