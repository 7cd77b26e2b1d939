package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/pace"
	"github.com/mcpgen/mcpgen/runtime/internal/tasksupport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Tool is a tool that clients can call (server/tools of every revision).
type Tool struct {
	// Definition is the Tool object in the list, such as a *mcp.Tool or a wire.Object. Its
	// name identifies the tool in calls.
	Definition wire.Appender

	// Call runs the tool. Arguments is "{}" if the client sent none. The result is a
	// CallToolResult.
	//
	// An error becomes a result with isError and the error's text, which the client's model reads.
	// An error that is a *jsonrpc.Error becomes the response of the call itself. A panic and an
	// error that is a *Defect are logged. The client does not get the text of a panic.
	Call func(ctx context.Context, arguments wire.Object) (wire.Appender, error)

	// Name, if not empty, asserts that Definition is valid and has this name, as generated
	// code knows. The definition is then not read before tools are listed. A tool with an
	// invalid one is not listed.
	Name string

	// Scopes are those that the access token of a caller must have, see [runtime.Authorize]. They
	// are not part of the definition, so clients do not see them.
	Scopes []string

	// Err, if not nil, is why the tool could not be made. Adding the tool returns it.
	Err error
}

// NewTool returns a tool with a handler whose result has a type, such as
// *mcp.CallToolResult.
func NewTool[R wire.Appender](definition wire.Appender, call func(ctx context.Context, arguments wire.Object) (R, error)) Tool {
	if call == nil {
		return Tool{Definition: definition}
	}
	return Tool{Definition: definition, Call: func(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
		return untyped(call(ctx, arguments))
	}}
}

// untyped returns the result of a handler, or nil if it is the zero value of its type, such
// as a nil pointer.
func untyped[R wire.Appender](result R, err error) (wire.Appender, error) {
	var none R
	if err != nil || wire.Appender(result) == wire.Appender(none) {
		return nil, err
	}
	return result, nil
}

// Defect is an error that reveals a mistake in a tool, such as a result that violates the
// tool's output schema. The catalog logs it.
type Defect struct{ Err error }

// Error returns the text of Err.
func (d *Defect) Error() string { return d.Err.Error() }

// Unwrap returns Err.
func (d *Defect) Unwrap() error { return d.Err }

// tool is a Tool in a catalog.
type tool struct {
	call  func(ctx context.Context, arguments wire.Object) (wire.Appender, error)
	check func(arguments wire.Object) error // nil accepts everything

	unread wire.Appender                  // the definition
	parsed atomic.Pointer[readDefinition] // nil until the definition is read
}

// readDefinition is the result of reading a definition.
type readDefinition struct {
	definition
	err error
}

// add implements Item.
func (t Tool) add(a *addition, room int) error {
	d := definition{key: t.Name}
	checker := a.catalog.opts.Checker
	deferred := t.Name != "" && t.Err == nil && checker == nil
	if !deferred {
		var err error
		d, err = kindTool.define(t.Definition)
		if t.Err != nil {
			return kindTool.error(d.key, t.Err)
		}
		if err != nil {
			return err
		}
	}
	if t.Call == nil {
		return kindTool.error(d.key, errors.New("no function Call"))
	}
	var check func(wire.Object) error
	if checker != nil {
		var err error
		if check, err = checker(wire.Object(d.text)); err != nil {
			return kindTool.error(d.key, err)
		}
	}
	kept, err := a.tools.add(kindTool, d, t.Scopes, room)
	if err != nil {
		return err
	}
	kept.call, kept.check, kept.unread = t.Call, check, t.Definition
	if !deferred {
		kept.parsed.Store(&readDefinition{definition: d})
	}
	return nil
}

// read returns the definition, reading it on first use. Concurrent first uses may each
// read it.
func (t *tool) read() *readDefinition {
	if known := t.parsed.Load(); known != nil {
		return known
	}
	d, err := kindTool.define(t.unread)
	known := &readDefinition{d, err}
	t.parsed.Store(known)
	return known
}

// readTool returns the text of the definition of a tool for a revision.
func readTool(it *item[tool], revision string) (string, error) {
	d := it.value.read()
	if d.err == nil && d.key != it.key {
		return "", kindTool.error(it.key, fmt.Errorf("the definition has the name %.100q", d.key))
	}
	if d.err != nil || !lacksValues(revision) {
		return d.text, d.err
	}
	var c convert.Conversion
	text := convert.PlainSchemas(&c, wire.Raw(d.text))
	return string(text), c.Err()
}

// revisionValues is the revision since which structured results are any JSON values. Before it, they and
// their schemas are objects. Definitions may be written for it whatever the revision of the server's
// types, because a definition may be a text.
const revisionValues = "2026-07-28"

// lacksValues reports whether structured results are objects in a revision.
func lacksValues(revision string) bool { return revision != "" && revision < revisionValues }

// asText is a result in a revision whose structured results are objects.
type asText struct{ wire.Appender }

// AppendJSON implements wire.Appender. Another structured result is sent as text.
func (a asText) AppendJSON(dst []byte) ([]byte, error) {
	start := len(dst)
	dst, err := a.Appender.AppendJSON(dst)
	if err != nil {
		return dst, err
	}
	result := wire.Raw(dst[start:])
	if _, ok := wire.Object(result).Get("structuredContent"); !ok {
		return dst, nil
	}
	var c convert.Conversion
	return append(dst[:start], convert.StructuredValueAsText(&c, result)...), c.Err()
}

// RemoveTools removes the tools with these names and returns how many there were. Calls in
// progress continue.
func (c *Catalog) RemoveTools(names ...string) int { return c.tools.remove(names) }

// TaskSupport returns the execution.taskSupport of a tool's definition, which says whether the tool
// can be called as a task. It fits Support in tasks.Options. A tool whose definition does not say
// it cannot be ("Tool-Level Negotiation" in basic/utilities/tasks of 2025-11-25). For an unknown
// tool it returns optional, so that a call reports that there is no such tool.
func (c *Catalog) TaskSupport(tool string) tasksupport.Support {
	t, ok := c.tools.get(tool)
	if !ok {
		return tasksupport.Optional
	}
	return cmp.Or(t.read().tasks, tasksupport.Forbidden)
}

// headersOf returns the headers of a tool's calls, nil for an unknown tool.
func (c *Catalog) headersOf(tool string) *headers.Table {
	t, ok := c.tools.get(tool)
	if !ok {
		return nil
	}
	return t.read().headers
}

// callTool handles tools/call. An unknown tool is a protocol error, and a failure of a tool
// is a result ("Error Handling" in server/tools).
func (c *Catalog) callTool(ctx context.Context, p *callParams) (wire.Appender, error) {
	t, ok := c.tools.view().items[p.name]
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool: %.100q", p.name)
	}
	if err := runtime.Authorize(ctx, t.scopes); err != nil {
		return nil, err
	}
	if c.opts.CallRate > 0 {
		if wait := c.limiter(c.sessionOf(ctx)).Admit(1); wait > 0 {
			return nil, pace.Error(jsonrpc.CodeServerBusy, "tool calls", wait)
		}
	}
	result, err := c.run(ctx, &t.value, p)
	if err == nil && result == nil {
		return nil, kindTool.error(p.name, errors.New("the tool returned no result"))
	}
	if err == nil {
		if lacksValues(spokenIn(ctx)) && t.value.read().values {
			return asText{result}, nil
		}
		return result, nil
	}
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok || lacking(ctx, err) {
		return nil, err
	}
	if context.Cause(ctx) == runtime.ErrShutdown {
		return nil, err
	}
	if _, ok := errors.AsType[*Defect](err); ok {
		c.opts.Logger.Error("a tool is defective", "tool", p.name, "error", err)
	}
	return failure(err.Error()), nil
}

// lacking reports whether a tool has failed because the client of a stateless request has not declared a
// capability, which is a protocol error ("_meta" in basic, 2026-07-28).
func lacking(ctx context.Context, err error) bool {
	e, ok := errors.AsType[*runtime.CapabilityError](err)
	call := runtime.CallOf(ctx)
	return ok && !e.Own && call != nil && call.Stateless()
}

// errPanic is the error that a client gets for a panic.
var errPanic = errors.New("the tool failed unexpectedly")

func (c *Catalog) run(ctx context.Context, t *tool, p *callParams) (result wire.Appender, err error) {
	defer func() {
		if v := recover(); v != nil {
			c.opts.Logger.Error("a tool panicked", "tool", p.name, "panic", v, "stack", string(debug.Stack()))
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

// failure is a CallToolResult with isError and a text.
type failure string

// AppendJSON implements wire.Appender.
func (f failure) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"content":[{"type":"text","text":`...)
	dst, err := wire.AppendString(dst, strings.ToValidUTF8(string(f), "\uFFFD"))
	return append(dst, `}],"isError":true}`...), err
}
