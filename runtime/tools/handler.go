package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options configure how tools are run. The zero value is ready to use.
type Options struct {
	// UncheckedOutput sends results without validating them against the output schema.
	UncheckedOutput bool
}

// Structured returns a tool whose handler has a typed result. Fresh returns a new value to
// decode the arguments into. Defaults, if not nil, is called with the decoded arguments.
// The result is sent as structuredContent and as JSON in a text block; [ResultOf] gives the
// handler access to the rest of the result. An error or a panic of the handler becomes a
// result with isError; an error that is a *jsonrpc.Error becomes the error response of the
// call. A result that violates the output schema is a [catalog.Defect]. The text of the
// arguments must be well-formed, as it is in a received message.
//
// In and Out are pointers, so that all tools share the code of this function, unless it is
// inlined.
//
//go:noinline
func Structured[In wire.Value, Out wire.Appender](t *Tool, o Options, fresh func() In, defaults func(In), h func(context.Context, In) (Out, error)) catalog.Tool {
	return t.item(func(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
		in := fresh()
		if err := t.read(ctx, arguments, in); err != nil {
			return nil, err
		}
		if defaults != nil {
			defaults(in)
		}
		r := &reply{Context: ctx}
		out, err := h(r, in)
		if err != nil {
			return nil, err
		}
		var none Out
		if wire.Appender(out) == wire.Appender(none) {
			return r.finish(t, o, nil)
		}
		return r.finish(t, o, out)
	})
}

// Value is Structured for a result that is not an object, such as a slice or a string. Box puts it
// into a value with a codec. If the handler sets IsError of [ResultOf], the result is not sent.
//
// Revisions before 2026-07-28 do not have such results; the catalog lists the tool without its
// output schema in their sessions, and sends the text block alone.
//
//go:noinline
func Value[In wire.Value, T any, Out wire.Appender](t *Tool, o Options, fresh func() In, defaults func(In), h func(context.Context, In) (T, error), box func(T) Out) catalog.Tool {
	return Structured(t, o, fresh, defaults, func(ctx context.Context, in In) (out Out, err error) {
		v, err := h(ctx, in)
		if err != nil || ResultOf(ctx).IsError {
			return out, err
		}
		return box(v), nil
	})
}

// Content returns a tool whose handler returns content blocks. In all other respects it is
// like Structured.
//
//go:noinline
func Content[In wire.Value, Block wire.Appender](t *Tool, o Options, fresh func() In, defaults func(In), h func(context.Context, In) ([]Block, error)) catalog.Tool {
	return t.item(func(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
		in := fresh()
		if err := t.read(ctx, arguments, in); err != nil {
			return nil, err
		}
		if defaults != nil {
			defaults(in)
		}
		r := &reply{Context: ctx}
		blocks, err := h(r, in)
		if err != nil {
			return nil, err
		}
		r.blocks = make([]wire.Appender, len(blocks))
		for i, block := range blocks {
			r.blocks[i] = block
		}
		return r.finish(t, o, nil)
	})
}

// item returns the tool for a catalog.
func (t *Tool) item(call func(ctx context.Context, arguments wire.Object) (wire.Appender, error)) catalog.Tool {
	return catalog.Tool{Name: t.Name, Definition: &t.Definition, Call: call, Scopes: t.Scopes}
}

// revisionOf returns the negotiated revision, or "" outside of calls.
func revisionOf(ctx context.Context) string {
	if call := runtime.CallOf(ctx); call != nil {
		return call.Revision()
	}
	return ""
}

// read validates and decodes arguments. Problems become an error of the tool, so that the
// model can read and fix them; before 2025-11-25, they are a protocol error ("Error
// Handling" in server/tools).
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

// defect returns an error that reveals a mistake in the tool.
func defect(format string, args ...any) error {
	return &catalog.Defect{Err: fmt.Errorf(format, args...)}
}
