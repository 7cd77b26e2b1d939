package tools

import (
	"cmp"
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
	// Compile compiles the schemas of package typed that dynamic.Compile does not cover, such as those with
	// a pattern that looks ahead. It is fallback.Compile, for example, which a server links only if it is
	// set. Without it, adding such a tool is an error.
	Compile func(text string) (func(*schema.Checker), error)
}

// Structured returns a tool whose handler has a typed result. Fresh returns a new value to decode the arguments into,
// which sets absent members to their defaults. The result is sent as structuredContent and as JSON in a text block;
// [ResultOf] gives the handler access to the rest of the result. An error or a panic of the handler becomes a result
// with isError; an error that is a *jsonrpc.Error becomes the error response of the call. A result that violates the
// output schema is a [catalog.Defect]. The text of the arguments must be well-formed, as it is in a received message.
//
// In and Out are pointers, so that all tools share the code of this function, unless it is
// inlined.
//
//go:noinline
func Structured[In wire.Decoder, Out wire.Appender](t *Item, o Options, fresh func() In, h func(context.Context, In) (Out, error)) catalog.Tool {
	return serve(t, o, fresh, func(r *reply, in In) (wire.Appender, error) {
		out, err := h(r, in)
		if err != nil || wire.IsNil(out) {
			return nil, err
		}
		return out, nil
	})
}

// Value is Structured for a result that is not an object, such as a slice or a string. Box puts it
// into a value with a codec. If the handler sets IsError of [ResultOf], the result is not sent.
//
// Revisions before 2026-07-28 do not have such results; the catalog lists the tool without its
// output schema in their sessions, and sends the text block alone.
//
//go:noinline
func Value[In wire.Decoder, T any, Out wire.Appender](t *Item, o Options, fresh func() In, h func(context.Context, In) (T, error), box func(T) Out) catalog.Tool {
	return Structured(t, o, fresh, func(ctx context.Context, in In) (out Out, err error) {
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
func Content[In wire.Decoder, Block wire.Appender](t *Item, o Options, fresh func() In, h func(context.Context, In) ([]Block, error)) catalog.Tool {
	return serve(t, o, fresh, func(r *reply, in In) (wire.Appender, error) {
		blocks, err := h(r, in)
		r.blocks = make([]wire.Appender, len(blocks))
		for i, block := range blocks {
			r.blocks[i] = block
		}
		return nil, err
	})
}

// serve returns a tool for a catalog. The handler h returns the structured result, or nil for none. "" stands for no
// arguments.
func serve[In wire.Decoder](t *Item, o Options, fresh func() In, h func(*reply, In) (wire.Appender, error)) catalog.Tool {
	return catalog.Tool{Name: t.Key, Definition: &t.Definition, Scopes: t.Scopes, Call: func(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
		in := fresh()
		if err := schema.Decode(wire.Raw(cmp.Or(arguments, "{}")), t.Input, in); err != nil {
			return nil, invalid(ctx, err)
		}
		r := &reply{Context: ctx}
		out, err := h(r, in)
		if err != nil {
			return nil, err
		}
		return r.finish(t, o, out)
	}}
}

// invalid returns the error for arguments that are not valid. It is an error of the tool, so that the
// model can read and fix them; before 2025-11-25, it is a protocol error ("Error Handling" in server/tools).
func invalid(ctx context.Context, err error) error {
	text := explain("invalid arguments", err)
	if call := runtime.CallOf(ctx); call != nil && call.Revision() >= revisionInputError {
		return errors.New(text)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}

// defect returns an error that reveals a mistake in the tool.
func defect(format string, args ...any) error {
	return &catalog.Defect{Err: fmt.Errorf(format, args...)}
}

// Result holds the members of a CallToolResult other than the value that a handler returns.
// A handler gets it from [ResultOf] and sets its fields before it returns. They have no
// effect if the handler returns an error.
type Result struct {
	// Content holds content blocks. For a tool with an output schema, they replace the text
	// block that repeats the structured value as JSON. For a tool without one, they follow
	// the blocks that the handler returns.
	Content []wire.Appender
	// Meta is the member _meta; "" leaves it out.
	Meta wire.Object
	// IsError reports to the client's model that the tool failed. A handler with a
	// structured result may then return nil, so that the result has only Content.
	IsError bool
}

// ResultOf returns the rest of the result of the call that the context of a handler belongs
// to. In other contexts, it returns a Result that is not sent.
func ResultOf(ctx context.Context) *Result {
	if r, ok := ctx.Value(resultKey{}).(*Result); ok {
		return r
	}
	return new(Result)
}

// resultKey is the key of the *Result in the context of a handler.
type resultKey struct{}

// reply is the context of a handler and then the CallToolResult of its call. It is both, so
// that a call needs only one allocation for them.
type reply struct {
	context.Context
	result     Result
	blocks     []wire.Appender // what a handler of content returned; nil for other handlers
	content    string          // all blocks with commas between them; "" if the content repeats structured
	structured string          // JSON; "" if there is none
}

// Value implements context.Context.
func (r *reply) Value(key any) any {
	if key == (resultKey{}) {
		return &r.result
	}
	return r.Context.Value(key)
}

// finish encodes the structured result, if there is one, and the content blocks, and checks everything.
func (r *reply) finish(t *Item, o Options, out wire.Appender) (_ wire.Appender, err error) {
	if out != nil {
		if r.structured, err = wire.MarshalString(out); err != nil {
			return nil, defect("the tool's result cannot be encoded: %w", err)
		}
		if t.Output != nil && !o.UncheckedOutput {
			if err := schema.Check(wire.Raw(r.structured), t.Output); err != nil {
				return nil, defect("%s", explain("the tool's result does not match its output schema", err))
			}
		}
	}
	if r.blocks == nil && r.structured == "" && !r.result.IsError {
		return nil, defect("the tool returned no result")
	}
	if r.blocks = append(r.blocks, r.result.Content...); len(r.blocks) > 0 {
		if r.content, err = wire.MarshalString((*contentOf)(r)); err != nil {
			return nil, err
		}
	}
	if r.result.Meta != "" {
		if _, err := r.result.Meta.AppendJSON(nil); err != nil {
			return nil, defect("the _meta of the tool's result cannot be encoded: %w", err)
		}
	}
	return r, nil
}

// contentOf encodes the content blocks of a reply, with commas between them.
type contentOf reply

// AppendJSON implements wire.Appender.
func (c *contentOf) AppendJSON(dst []byte) (_ []byte, err error) {
	for i, block := range c.blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		if wire.IsNil(block) {
			return dst, defect("block %d of the tool's result is nil", i)
		}
		if dst, err = block.AppendJSON(dst); err != nil {
			return dst, defect("block %d of the tool's result cannot be encoded: %w", i, err)
		}
	}
	return dst, nil
}

// AppendJSON implements wire.Appender.
func (r *reply) AppendJSON(dst []byte) (_ []byte, err error) {
	dst = append(dst, `{"content":[`...)
	if r.content == "" && r.structured != "" {
		if dst, err = wire.AppendString(append(dst, `{"type":"text","text":`...), r.structured); err != nil {
			return dst, err
		}
		dst = append(dst, '}')
	}
	dst = append(append(dst, r.content...), ']')
	if r.structured != "" {
		dst = append(append(dst, `,"structuredContent":`...), r.structured...)
	}
	if r.result.Meta != "" {
		dst = append(append(dst, `,"_meta":`...), r.result.Meta...)
	}
	if r.result.IsError {
		dst = append(dst, `,"isError":true`...)
	}
	return append(dst, '}'), nil
}
