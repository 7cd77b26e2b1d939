package tools

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

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
func (r *reply) finish(t *Tool, o Options, out wire.Appender) (_ wire.Appender, err error) {
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
		if _, err := wire.AppendObject(nil, r.result.Meta); err != nil {
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
		if block == nil {
			return dst, defect("block %d of the tool's result is nil", i)
		}
		if dst, err = block.AppendJSON(dst); err != nil {
			return dst, defect("block %d of the tool's result cannot be encoded: %w", i, err)
		}
	}
	return dst, nil
}

// MayHave implements runtime.KnownMembers.
func (r *reply) MayHave(name string) bool {
	switch name {
	case "content", "structuredContent", "isError":
		return true
	case "_meta":
		return r.result.Meta != ""
	}
	return false
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
