package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime"
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

	// Name, where there is one, says that Definition is good and has this name, as
	// generated code knows. It is then checked when the tools are listed for the first
	// time, and not when the tool is added; one that is not good is left out of the list.
	Name string
}

// tool is a Tool as it is kept.
type tool struct {
	call  func(ctx context.Context, arguments wire.Object) (wire.Appender, error)
	check func(arguments wire.Object) error // nil: anything goes

	unread wire.Object // the definition, if it has not been checked
	once   sync.Once   // reads it for
	tasks  execution.Support
}

// support is what the definition says of tasks.
func (t *tool) support() execution.Support {
	t.once.Do(func() {
		if t.unread != "" {
			d, _ := kindTool.define(t.unread)
			t.tasks = d.tasks
		}
	})
	return t.tasks
}

// AddTools adds tools; one whose name is taken replaces the other in its place. An error
// is about a definition, and then none is added.
func (c *Catalog) AddTools(tools ...Tool) error {
	if len(tools) == 0 {
		return nil
	}
	err := add(c.tools, tools, func(t Tool) (definition, *tool, error) {
		d, err := c.defineTool(&t)
		if err != nil {
			return d, nil, err
		}
		kept := &tool{call: t.Call, tasks: d.tasks}
		if d.unread {
			kept.unread = t.Definition
		}
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

// defineTool is kindTool.define, put off where that can be.
func (c *Catalog) defineTool(t *Tool) (definition, error) {
	if t.Name == "" || c.opts.Checker != nil {
		return kindTool.define(t.Definition)
	}
	return definition{text: string(t.Definition), key: t.Name, unread: true}, nil
}

// readTool is the text of a definition that was put off, unless it is not good.
func (c *Catalog) readTool(name, text string) (string, bool) {
	d, err := kindTool.define(wire.Object(text))
	if err == nil && d.key != name {
		err = fmt.Errorf("catalog: the definition is of the tool %.100q", d.key)
	}
	if err != nil {
		c.log.Error("tool left out of the list", "tool", name, "error", err)
	}
	return d.text, err == nil
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
	return cmp.Or(t.support(), execution.Forbidden)
}

// callTool answers tools/call ("Error Handling" in server/tools: an unknown tool is an
// error of the protocol, what goes wrong in one is a result).
func (c *Catalog) callTool(ctx context.Context, p *callParams) (wire.Appender, error) {
	t, ok := c.tools.get(p.name)
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool: %.100q", p.name)
	}
	if c.opts.CallRate > 0 {
		if err := c.sessionOf(ctx).calls.admit(); err != nil {
			return nil, err
		}
	}
	result, err := c.run(ctx, t, p)
	if err == nil && result == nil {
		return nil, fmt.Errorf("catalog: tool %.100q returned no result", p.name)
	}
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return nil, err
	}
	if err != nil && context.Cause(ctx) == runtime.ErrShutdown {
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
