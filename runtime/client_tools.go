package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ToolReader is a client's Transport that has to know the definitions of the tools it calls.
type ToolReader interface {
	// ReadTool is called for each definition in a result of tools/list of a revision without sessions.
	// If it returns an error, the transport cannot call the tool, and the client leaves it out of the
	// list. It is called concurrently.
	ReadTool(tool wire.Object) error
}

// readTools passes the tools in a result of tools/list to the transport, and learns from them. It returns the result
// without those that the transport cannot call, and reports them ("Schema Extension" in
// basic/transports/streamable-http, 2026-07-28).
func (cs *clientSide) readTools(ctx context.Context, m *Message, result wire.Raw) wire.Raw {
	list, _ := wire.Object(result).Get("tools")
	if list.Kind() != wire.KindArray {
		return result
	}
	reader, reads := cs.transport.(ToolReader)
	reads = reads && m.sent.peer.asking()
	var out []wire.Deviation
	tools := list.Elements()
	kept := tools[:0]
	for i, tool := range tools {
		if tool.Kind() == wire.KindObject {
			name := wire.Object(tool).GetString("name")
			if reads {
				if err := reader.ReadTool(wire.Object(tool)); err != nil {
					out = append(out, wire.Deviation{
						Pointer: fmt.Sprintf("/tools/%d", i),
						Problem: fmt.Sprintf("the tool %.100q cannot be called: %s; left out", name, prefix.Cut(err)),
						LeftOut: true,
					})
					continue
				}
			}
			cs.tools.learn(name, wire.Object(tool), cs.compileOutput != nil)
		}
		kept = append(kept, tool)
	}
	if len(out) == 0 {
		return result
	}
	cs.report(ctx, &Deviations{Method: methodListTools, All: out})
	with, err := wire.Object(result).With("tools", wire.ArrayOf(kept))
	if err != nil {
		return result // it is well-formed, so that With does not fail
	}
	return wire.Raw(with)
}

// knownTools is what a session knows about the tools that its server has listed. The zero value knows none.
type knownTools struct {
	mu    sync.Mutex
	tools map[string]*knownTool // by name; those with nothing to know are left out
	bytes int                   // of the schemas
}

// knownTool is a tool that a server has listed.
type knownTool struct {
	repeatable bool     // the server says that it only reads, or that calling it again changes nothing more
	schema     wire.Raw // of its output; "" if there is none or outputs are not checked
	compile    sync.Once
	check      func(content wire.Raw) error // nil if the schema cannot be used; valid after compile
}

const (
	// maxListed and maxListedBytes limit what a session keeps about tools. Beyond them, all is forgotten.
	maxListed      = 10_000
	maxListedBytes = 16 << 20
)

// learn remembers what there is to know about a tool.
func (o *knownTools) learn(name string, tool wire.Object, outputs bool) {
	schema, _ := tool.Get("outputSchema")
	if !outputs || schema.Kind() != wire.KindObject {
		schema = ""
	}
	repeatable := isRepeatable(tool)
	o.mu.Lock()
	defer o.mu.Unlock()
	if old := o.tools[name]; old != nil {
		o.bytes -= len(old.schema)
		delete(o.tools, name)
	}
	if schema == "" && !repeatable {
		return
	}
	if o.tools == nil || len(o.tools) >= maxListed || o.bytes+len(schema) > maxListedBytes {
		o.tools, o.bytes = make(map[string]*knownTool), 0
	}
	o.tools[strings.Clone(name)] = &knownTool{repeatable: repeatable, schema: schema.Clone()}
	o.bytes += len(schema)
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
func (o *knownTools) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tools, o.bytes = nil, 0
}

// of returns what is known about the tool that a request calls, or nil.
func (o *knownTools) of(params wire.Object) (name string, tool *knownTool) {
	name = params.GetString("name")
	o.mu.Lock()
	defer o.mu.Unlock()
	return name, o.tools[name]
}

// relist asks for all pages of the server's tools, so that the transport learns which arguments of tools it
// repeats in headers ("Client Behavior" in basic/transports/streamable-http, 2026-07-28). All pages together
// have the time limit of one request.
func (cs *clientSide) relist(ctx context.Context, p *peer) error {
	r, err := p.maySend(jsonrpc.Request, methodListTools, nil)
	if err != nil {
		return err
	}
	limit := cs.limits.patience(ctx, methodListTools).Quiet
	ctx, stop := limited(ctx, limit, 0, &TimeoutError{Method: methodListTools, Quiet: limit})
	defer stop()
	for _, err := range Pages(func(cursor *string) (none struct{}, next *string, err error) {
		var params wire.Appender
		if cursor != nil {
			params = stringParam("cursor", *cursor)
		}
		var page wire.Object
		s := sender{conn: cs.conn, peer: p}
		m := s.message(jsonrpc.Request, methodListTools, params)
		m.sent.into, m.sent.row = &page, r
		if err := s.do(ctx, m, cs.transmit); err != nil {
			return none, nil, err
		}
		return none, new(page.GetString("nextCursor")), nil
	}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkOutput checks the structured content of a tool that has not failed. A result without any content is
// not that of the tool but says, for example, that the call runs as a task.
func (cs *clientSide) checkOutput(m *Message, result wire.Object) error {
	name, tool := cs.tools.of(m.Object())
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
		if tool.check, err = cs.compileOutput(tool.schema); err != nil {
			tool.check = nil
			cs.logger().Warn("the output of a tool is not checked: its schema cannot be used", "tool", fmt.Sprintf("%.100s", name), "error", err)
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
