package tools

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Error reports that a tool ran and failed, with a result that has isError.
type Error struct {
	Tool string
	// Content is the text of the result's text blocks, joined by newlines.
	Content string
	// Result is the whole result.
	Result wire.Object
}

// Error returns the tool's name and the text of its result.
func (e *Error) Error() string {
	if e.Content == "" {
		return fmt.Sprintf("tool %q failed", e.Tool)
	}
	return fmt.Sprintf("tool %q: %s", e.Tool, e.Content)
}

// ResultError reports that the result of a tool does not match its definition.
type ResultError struct {
	Tool   string
	Result wire.Object
	// Err is the reason. It is a *wire.ValidationError if the result violates the output
	// schema.
	Err error
}

// Error returns all problems with their pointers.
func (e *ResultError) Error() string {
	return fmt.Sprintf("tool %q: %s", e.Tool, explain("the result does not match the definition", e.Err))
}

// Unwrap returns Err.
func (e *ResultError) Unwrap() error { return e.Err }

// Call calls a tool with a structured result, decodes the result into out and returns out,
// or nil with an error. It returns an *[Error] if the tool fails, and a *[ResultError] if
// the result is not valid under the output schema. In a revision without structuredContent,
// the result is the JSON of the first text block. If c decodes into a [wire.Object], its
// text must be well-formed.
//
//go:noinline
func Call[Out wire.Decoder](ctx context.Context, c runtime.Caller, t *Item, in wire.Appender, out Out) (Out, error) {
	if err := t.call(ctx, c, in, out); err != nil {
		var none Out
		return none, err
	}
	return out, nil
}

func (t *Item) call(ctx context.Context, c runtime.Caller, in wire.Appender, out wire.Decoder) error {
	result, text, err := call(ctx, c, t.Key, in)
	if err != nil {
		return err
	}
	if text == "" {
		if text = t.unstructured(result); text == "" {
			return &ResultError{t.Key, result, errors.New("there is no structured content")}
		}
	}
	if err := schema.Decode(text, t.Output, out); err != nil {
		return &ResultError{t.Key, result, err}
	}
	return nil
}

// CallContent calls a tool whose result is content blocks. decode reads them from the
// CallToolResult.
func CallContent[Block any](ctx context.Context, c runtime.Caller, t *Item, in wire.Appender, decode func(wire.Object) ([]Block, error)) ([]Block, error) {
	result, err := CallRaw(ctx, c, t.Key, in)
	if err != nil {
		return nil, err
	}
	blocks, err := decode(result)
	if err != nil {
		return nil, &ResultError{t.Key, result, err}
	}
	return blocks, nil
}

// CallRaw calls a tool and returns its CallToolResult. It returns an *[Error] if the tool fails,
// and a *[ResultError] for a result without content.
func CallRaw(ctx context.Context, c runtime.Caller, name string, arguments wire.Appender) (wire.Object, error) {
	result, _, err := call(ctx, c, name, arguments)
	return result, err
}

// call is CallRaw that also returns the result's structured content, or "".
func call(ctx context.Context, c runtime.Caller, name string, arguments wire.Appender) (result wire.Object, structured wire.Raw, err error) {
	m := struct { // one allocation for both
		params callParams
		result wire.Object
	}{params: callParams{name, arguments}}
	if err := c.Call(ctx, "tools/call", &m.params, &m.result); err != nil {
		return "", "", err
	}
	result = m.result
	r := wire.Raw(result).Reader()
	hasContent := false
	for r.BeginObject(); r.Member(); {
		member, value := r.Name(), r.ReadRaw()
		switch {
		case member == "content":
			hasContent = value.Kind() == wire.KindArray
		case member == "structuredContent" && value != "null": // some servers write null for absent
			structured = value
		case member == "isError" && value == "true":
			return "", "", &Error{name, strings.Join(slices.Collect(texts(result)), "\n"), result}
		}
	}
	if !hasContent && structured == "" {
		return "", "", &ResultError{name, result, errors.New("it has neither content, which every revision requires, nor structured content")}
	}
	return result, structured, nil
}

// callParams holds the params of tools/call.
type callParams struct {
	name      string
	arguments wire.Appender
}

// AppendJSON implements wire.Appender.
func (p *callParams) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.ObjectWriter(dst)
	w.String("name", p.name)
	w.Value("arguments", given(p.arguments))
	return w.Close()
}

// given returns the arguments of a call, which are none if a caller has passed nil.
func given(arguments wire.Appender) wire.Appender {
	if wire.IsNil(arguments) {
		return wire.Object("{}")
	}
	return arguments
}

// texts yields the texts of a result's text blocks.
func texts(result wire.Object) iter.Seq[string] {
	return func(yield func(string) bool) {
		content, _ := result.Get("content")
		for _, block := range content.Elements() {
			if wire.Object(block).GetString("type") == "text" && !yield(wire.Object(block).GetString("text")) {
				return
			}
		}
	}
}

// unstructured returns the JSON of a result whose structured content is absent or null, or "". Null
// is a value if the output schema allows it.
func (t *Item) unstructured(result wire.Object) wire.Raw {
	if null, ok := result.Get("structuredContent"); ok && t.Output != nil && schema.Check(null, t.Output) == nil {
		return null
	}
	first := ""
	for first = range texts(result) {
		break
	}
	value, _ := wire.Parse(first)
	return value
}
