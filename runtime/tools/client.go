package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Error is the error of a tool that ran and failed: a result with isError.
type Error struct {
	Tool string
	// Content is the text of the result's text blocks, a line end between two.
	Content string
	// Result is the whole result.
	Result wire.Object
}

// Error tells the tool and what it said.
func (e *Error) Error() string {
	if e.Content == "" {
		return fmt.Sprintf("tool %q failed", e.Tool)
	}
	return fmt.Sprintf("tool %q: %s", e.Tool, e.Content)
}

// ResultError tells that the result of a tool is not what its definition promises.
type ResultError struct {
	Tool   string
	Result wire.Object
	// Err says why; it is a *wire.ValidationError when the output schema is broken.
	Err error
}

// Error tells every problem with its pointer.
func (e *ResultError) Error() string {
	return fmt.Sprintf("tool %q: %s", e.Tool, explain("the result is not what the definition promises", e.Err))
}

// Unwrap returns Err.
func (e *ResultError) Unwrap() error { return e.Err }

// Call calls a tool with a structured result and returns out, a pointer into which it was
// decoded, or nil with an error. A tool that failed gives an *[Error], a result that does
// not fit the output schema a *[ResultError]. From a server of a revision without
// structuredContent the result is the JSON of the first text block. What c decodes into a
// [wire.Object] is taken for well formed.
//
//go:noinline
func Call[Out wire.Value](ctx context.Context, c runtime.Caller, t *Tool, in wire.Appender, out Out) (Out, error) {
	if err := t.call(ctx, c, in, out); err != nil {
		var none Out
		return none, err
	}
	return out, nil
}

func (t *Tool) call(ctx context.Context, c runtime.Caller, in wire.Appender, out wire.Value) error {
	result, text, err := call(ctx, c, t.Name, in)
	if err != nil {
		return err
	}
	if text == "" {
		if text = wire.Raw(firstText(result)); !isObject(text) {
			return &ResultError{t.Name, result, errors.New("it has no structured content")}
		}
	}
	if err := schema.Decode(text, t.Output, out); err != nil {
		return &ResultError{t.Name, result, err}
	}
	return nil
}

// CallContent calls a tool whose result is content blocks, which decode reads from the
// CallToolResult.
func CallContent[Block any](ctx context.Context, c runtime.Caller, t *Tool, in wire.Appender, decode func(wire.Object) ([]Block, error)) ([]Block, error) {
	result, err := CallRaw(ctx, c, t.Name, in)
	if err != nil {
		return nil, err
	}
	blocks, err := decode(result)
	if err != nil {
		return nil, &ResultError{t.Name, result, err}
	}
	return blocks, nil
}

// CallRaw calls a tool and returns its CallToolResult. A tool that failed gives an
// *[Error], a result without any content a *[ResultError].
func CallRaw(ctx context.Context, c runtime.Caller, name string, arguments wire.Appender) (wire.Object, error) {
	result, _, err := call(ctx, c, name, arguments)
	return result, err
}

// call is CallRaw that returns the result's structured content besides, "" when it has none.
func call(ctx context.Context, c runtime.Caller, name string, arguments wire.Appender) (result wire.Object, structured wire.Raw, err error) {
	m := struct { // makes one allocation of the two
		params callParams
		result wire.Object
	}{params: callParams{name, arguments}}
	if err := c.Call(ctx, "tools/call", &m.params, &m.result); err != nil {
		return "", "", err
	}
	result = m.result
	r := wire.NewStringReader(string(result))
	hasContent := false
	for r.BeginObject(); r.Member(); {
		member, value := r.Name(), r.Take()
		switch {
		case member == "content":
			hasContent = value.Kind() == wire.KindArray
		case member == "structuredContent" && value != "null": // as some servers write that there is none
			structured = value
		case member == "isError" && value == "true":
			return "", "", &Error{name, texts(result), result}
		}
	}
	if !hasContent && structured == "" {
		return "", "", &ResultError{name, result, errors.New("it has neither content, which every revision demands, nor structured content")}
	}
	return result, structured, nil
}

// callParams are the params of tools/call.
type callParams struct {
	name      string
	arguments wire.Appender
}

// AppendJSON implements wire.Appender.
func (p *callParams) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := wire.AppendString(append(dst, `{"name":`...), p.name)
	if err != nil {
		return dst, err
	}
	if dst, err = p.arguments.AppendJSON(append(dst, `,"arguments":`...)); err != nil {
		return dst, wire.In(err, "arguments")
	}
	return append(dst, '}'), nil
}

// textBlocks yields the texts of a result's text blocks.
func textBlocks(result wire.Object, yield func(string) bool) {
	content, _ := result.Get("content")
	if content.Kind() != wire.KindArray {
		return
	}
	r := wire.NewStringReader(string(content))
	for r.BeginArray(); r.Element(); {
		if r.Kind() != wire.KindObject {
			r.Skip()
			continue
		}
		block := r.ReadObject()
		if stringMember(block, "type") == "text" && !yield(stringMember(block, "text")) {
			return
		}
	}
}

// texts joins the text blocks.
func texts(result wire.Object) string {
	var all []string
	textBlocks(result, func(text string) bool {
		all = append(all, text)
		return true
	})
	return strings.Join(all, "\n")
}

// firstText is the first text block.
func firstText(result wire.Object) string {
	first := ""
	textBlocks(result, func(text string) bool {
		first = text
		return false
	})
	return first
}

// isObject reports whether a text that came as a string is a JSON object.
func isObject(text wire.Raw) bool {
	r := wire.NewStringReader(string(text))
	o := r.ReadObject()
	r.End()
	return r.Err() == nil && o != ""
}
