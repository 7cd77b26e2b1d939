package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ToolReader is a client's Transport that has to know the definitions of the tools it calls.
type ToolReader interface {
	// ReadTool is called for each definition in a result of tools/list of a revision without sessions.
	// If it returns an error, the transport cannot call the tool, and the client leaves it out of the
	// list. It is called concurrently.
	ReadTool(tool wire.Object) error
}

// readTools passes the tools in a result to the transport. It returns the result without those that the
// transport cannot call, and reports them ("Schema Extension" in basic/transports/streamable-http, 2026-07-28).
func (e *clientSide) readTools(ctx context.Context, result wire.Raw) wire.Raw {
	reader, ok := e.transport.(ToolReader)
	if !ok {
		return result
	}
	list, _ := wire.Object(result).Get("tools")
	if list.Kind() != wire.KindArray {
		return result
	}
	var out []wire.Deviation
	tools := list.Elements()
	kept := tools[:0]
	for i, tool := range tools {
		if tool.Kind() == wire.KindObject {
			if err := reader.ReadTool(wire.Object(tool)); err != nil {
				out = append(out, wire.Deviation{
					Pointer: fmt.Sprintf("/tools/%d", i),
					Problem: fmt.Sprintf("the tool %.100q cannot be called: %s; left out", wire.Object(tool).GetString("name"), prefix.Cut(err)),
					LeftOut: true,
				})
				continue
			}
		}
		kept = append(kept, tool)
	}
	if len(out) == 0 {
		return result
	}
	e.report(ctx, &Deviations{Method: methodListTools, All: out})
	text := []byte{'['}
	for _, tool := range kept {
		text = append(wire.AppendComma(text), tool...)
	}
	with, err := wire.Object(result).With("tools", wire.Raw(append(text, ']')))
	if err != nil {
		return result // it is well-formed, so that With does not fail
	}
	return wire.Raw(with)
}

const (
	// maxListed and maxListedBytes limit what a session keeps about tools. Beyond them, all is forgotten.
	maxListed      = 10_000
	maxListedBytes = 16 << 20
)

// listed is what a session knows about the tools that its server has listed. The zero value knows none.
type listed struct {
	mu    sync.Mutex
	tools map[string]*listedTool // by name; those with nothing to know are left out
	bytes int                    // of the schemas
}

// listedTool is a tool that a server has listed.
type listedTool struct {
	repeatable bool     // the server says that it only reads, or that calling it again changes nothing more
	schema     wire.Raw // of its output; "" if there is none or outputs are not checked
	compile    sync.Once
	check      func(content wire.Raw) error // nil if the schema cannot be used; valid after compile
}

// pass learns from a result of tools/list, and checks one of tools/call.
func (o *listed) pass(p *conn, m *Message, result wire.Raw) error {
	switch {
	case m.Method == methodListTools:
		o.learn(wire.Object(result), p.output != nil)
	case m.Method == methodCallTool && p.output != nil:
		return o.checkResult(p, m, wire.Object(result))
	}
	return nil
}

func (o *listed) learn(result wire.Object, outputs bool) {
	list, _ := result.Get("tools")
	if list.Kind() != wire.KindArray {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, tool := range list.Elements() {
		if tool.Kind() != wire.KindObject {
			continue
		}
		name := wire.Object(tool).GetString("name")
		if old := o.tools[name]; old != nil {
			o.bytes -= len(old.schema)
			delete(o.tools, name)
		}
		schema, _ := wire.Object(tool).Get("outputSchema")
		if !outputs || schema.Kind() != wire.KindObject {
			schema = ""
		}
		repeatable := isRepeatable(wire.Object(tool))
		if schema == "" && !repeatable {
			continue
		}
		if o.tools == nil || len(o.tools) >= maxListed || o.bytes+len(schema) > maxListedBytes {
			o.tools, o.bytes = make(map[string]*listedTool), 0
		}
		o.tools[strings.Clone(name)] = &listedTool{repeatable: repeatable, schema: schema.Clone()}
		o.bytes += len(schema)
	}
}

// isRepeatable reports whether the definition of a tool says that a call that is sent twice has the effects of
// one ("ToolAnnotations" in the schema of revisions from 2025-03-26 on).
func isRepeatable(tool wire.Object) bool {
	hints, _ := tool.Get("annotations")
	reads, _ := wire.Object(hints).Get("readOnlyHint")
	idempotent, _ := wire.Object(hints).Get("idempotentHint")
	return reads == "true" || idempotent == "true"
}

// forget is called when the list has changed.
func (o *listed) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tools, o.bytes = nil, 0
}

// of returns what is known about the tool that a request calls, or nil.
func (o *listed) of(params wire.Object) (name string, tool *listedTool) {
	name = params.GetString("name")
	o.mu.Lock()
	defer o.mu.Unlock()
	return name, o.tools[name]
}

// checkResult checks the structured content of a tool that has not failed. A result without any content is
// not that of the tool but says, for example, that the call runs as a task.
func (o *listed) checkResult(p *conn, m *Message, result wire.Object) error {
	name, tool := o.of(m.Object())
	if tool == nil || tool.schema == "" {
		return nil
	}
	failed, _ := result.Get("isError")
	_, unstructured := result.Get("content")
	content, structured := result.Get("structuredContent")
	if failed == "true" || !unstructured && !structured {
		return nil
	}
	tool.compile.Do(func() {
		var err error
		if tool.check, err = p.output(tool.schema); err != nil {
			tool.check = nil
			p.logger().Warn("the output of a tool is not checked: its schema cannot be used", "tool", fmt.Sprintf("%.100s", name), "error", err)
		}
	})
	if tool.check == nil {
		return nil
	}
	err := errors.New("it has none")
	if structured {
		err = tool.check(content)
	}
	if err != nil {
		err = prefix.Errorf("runtime: result of %s: the structured content of tool %.100q does not match its output schema: %w", m.Method, name, err)
	}
	return err
}
