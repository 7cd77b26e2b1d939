package tools

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options say how tools are run. The zero value will do.
type Options struct {
	// UncheckedOutput lets results leave that do not fit the tool's output schema.
	UncheckedOutput bool
}

// Structured makes a tool of a handler with a typed result. In and Out are pointers, so
// that all tools share the code of this function, unless it is inlined. Fresh makes what the arguments are
// decoded into; defaults, when not nil, is called with them before the handler is. The
// result goes out as structuredContent, in revisions that have it, and as JSON in a text
// block. An error and a panic of the handler become results with isError; an error that is
// a *jsonrpc.Error is answered as such. The tool's arguments must be well formed, as those of a
// message are.
//
//go:noinline
func Structured[In wire.Value, Out wire.Appender](t *Tool, o Options, fresh func() In, defaults func(In), h func(context.Context, In) (Out, error)) catalog.Tool {
	return catalog.Tool{Name: t.Name, Definition: t.Definition, Call: func(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
		in := fresh()
		if err := t.read(ctx, arguments, in); err != nil {
			return nil, err
		}
		if defaults != nil {
			defaults(in)
		}
		out, err := h(ctx, in)
		if err != nil {
			return nil, err
		}
		var none Out
		if wire.Appender(out) == wire.Appender(none) {
			return nil, errors.New("the tool returned no result")
		}
		return t.result(ctx, o, out)
	}}
}

// result checks and keeps the text of a structured result.
func (t *Tool) result(ctx context.Context, o Options, out wire.Appender) (wire.Appender, error) {
	text, err := marshal(out)
	if err != nil {
		return nil, fmt.Errorf("the tool's result cannot be written: %w", err)
	}
	if t.Output != nil && !o.UncheckedOutput {
		if err := schema.Check(wire.Raw(text), t.Output); err != nil {
			return nil, errors.New(explain("the tool's result does not fit its output schema", err))
		}
	}
	if revisionOf(ctx) < revisionStructured {
		return unstructured(text), nil
	}
	return structured(text), nil
}

// Content makes a tool of a handler whose result is content blocks. What the negotiated
// revision has no block for goes out as a text block with the JSON of the block.
// Otherwise it is as Structured.
//
//go:noinline
func Content[In wire.Value, Block wire.Appender](t *Tool, _ Options, fresh func() In, defaults func(In), h func(context.Context, In) ([]Block, error)) catalog.Tool {
	return catalog.Tool{Name: t.Name, Definition: t.Definition, Call: func(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
		in := fresh()
		if err := t.read(ctx, arguments, in); err != nil {
			return nil, err
		}
		if defaults != nil {
			defaults(in)
		}
		blocks, err := h(ctx, in)
		if err != nil {
			return nil, err
		}
		text, err := marshal(content[Block]{blocks, revisionOf(ctx)})
		return written(text), err
	}}
}

// marshal is wire.Marshal without the copy that would make a string of the text.
func marshal(v wire.Appender) (string, error) {
	text, err := wire.Marshal(v)
	return unsafe.String(unsafe.SliceData(text), len(text)), err
}

// revisionOf is the negotiated revision; outside of calls it is "".
func revisionOf(ctx context.Context) string {
	if call := runtime.CallOf(ctx); call != nil {
		return call.Revision()
	}
	return ""
}

// read checks and decodes arguments. What is wrong with them the model reads, which may
// then mend it; before 2025-11-25 it is an error of the protocol ("Error Handling" in
// server/tools).
func (t *Tool) read(ctx context.Context, arguments wire.Object, in wire.Value) error {
	if arguments == "" {
		arguments = "{}"
	}
	err := schema.Decode(wire.Raw(arguments), t.Input, in)
	if err == nil {
		return nil
	}
	text := explain("invalid arguments", err)
	if revisionOf(ctx) >= revisionInputError {
		return errors.New(text)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}
