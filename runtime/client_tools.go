package runtime

import (
	"fmt"

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
// transport cannot call ("Schema Extension" in basic/transports/streamable-http, 2026-07-28).
func (p *peer) readTools(result wire.Raw) (wire.Raw, []wire.Deviation) {
	reader, ok := p.transport.(ToolReader)
	if !ok {
		return result, nil
	}
	list, _ := wire.Object(result).Get("tools")
	if list.Kind() != wire.KindArray {
		return result, nil
	}
	var out []wire.Deviation
	tools := list.Elements()
	kept := tools[:0]
	for i, tool := range tools {
		if tool.Kind() == wire.KindObject {
			if err := reader.ReadTool(wire.Object(tool)); err != nil {
				out = append(out, wire.Deviation{
					Pointer: fmt.Sprintf("/tools/%d", i),
					Problem: fmt.Sprintf("the tool %.100q cannot be called: %v; left out", wire.Object(tool).GetString("name"), err),
					LeftOut: true,
				})
				continue
			}
		}
		kept = append(kept, tool)
	}
	if len(out) == 0 {
		return result, nil
	}
	text := []byte{'['}
	for _, tool := range kept {
		text = append(wire.AppendComma(text), tool...)
	}
	with, err := wire.Object(result).With("tools", wire.Raw(append(text, ']')))
	if err != nil {
		return result, nil // the result is well-formed, so that With does not fail
	}
	return wire.Raw(with), out
}
