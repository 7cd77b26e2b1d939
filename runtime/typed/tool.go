package typed

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/dynamic"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Tool returns a tool with schemas derived from the types of its handler. In and Out are structs or
// maps. The definition is a Tool object, such as a *mcp.Tool or a wire.Object, without schemas. A
// schema in the definition takes precedence over the derived one, unless it only says that the
// value is an object; the type must then fit the schema.
//
// The arguments of the handler are valid under the input schema and include its defaults. An error becomes a result
// with isError, whose text the client's model reads, except for a *jsonrpc.Error, which is the error of the call
// itself. [tools.ResultOf] gives access to the content blocks, _meta and isError of the result.
//
// If a type has no schema, adding the tool to a server or a catalog returns the error.
func Tool[In, Out any](definition wire.Appender, h func(ctx context.Context, in *In) (*Out, error), options ...tools.Options) catalog.Tool {
	t := describe[In](definition, options)
	out := t.output(reflect.TypeFor[Out](), true)
	return t.listed(tools.Structured(&t.Tool, t.options, t.fresh, nil, func(ctx context.Context, in *value) (*value, error) {
		result, err := h(ctx, of[In](in))
		if result == nil || err != nil {
			return nil, err
		}
		return &value{v: reflect.ValueOf(result).Elem(), shape: out}, nil
	}))
}

// ValueTool is Tool for a handler whose result has any type, such as []Item or string. The result is
// not sent if the handler sets IsError of [tools.ResultOf].
//
// Since revision 2026-07-28, structured results are any values. In sessions of older revisions, a
// result that is not an object is sent as text, and the list has no output schema for it.
func ValueTool[In, Out any](definition wire.Appender, h func(ctx context.Context, in *In) (Out, error), options ...tools.Options) catalog.Tool {
	t := describe[In](definition, options)
	out := t.output(reflect.TypeFor[Out](), false)
	run := func(ctx context.Context, in *value) (Out, error) { return h(ctx, of[In](in)) }
	return t.listed(tools.Value(&t.Tool, t.options, t.fresh, nil, run, func(result Out) *value {
		return &value{v: reflect.ValueOf(&result).Elem(), shape: out}
	}))
}

// ContentTool is Tool for a handler that returns content blocks, such as
// []mcp.ContentBlock. The tool has no output schema.
func ContentTool[In any, Block wire.Appender](definition wire.Appender, h func(ctx context.Context, in *In) ([]Block, error), options ...tools.Options) catalog.Tool {
	t := describe[In](definition, options)
	return t.listed(tools.Content(&t.Tool, t.options, t.fresh, nil, func(ctx context.Context, in *value) ([]Block, error) {
		return h(ctx, of[In](in))
	}))
}

// described is a tool whose arguments have a Go type.
type described struct {
	tools.Tool
	given    wire.Appender // the definition of the program
	err      error         // why it could not be made
	options  tools.Options
	in       *shape
	defaults wire.Object // the input schema of the definition, if there is one that may have defaults
}

// describe returns a tool with the input schema of its definition or of In.
func describe[In any](definition wire.Appender, options []tools.Options) *described {
	t := &described{given: definition}
	if len(options) > 0 {
		t.options = options[0]
	}
	own := false
	t.Definition, t.err = textOf(definition)
	if t.in, own, t.Input = t.schema(reflect.TypeFor[In](), "inputSchema", "arguments", true); own {
		if schema, _ := t.Definition.Get("inputSchema"); strings.Contains(string(schema), "default") || strings.Contains(string(schema), `\`) {
			t.defaults = wire.Object(schema)
		}
	}
	return t
}

// output sets the output schema of a tool to that of its definition or of a type.
func (t *described) output(of reflect.Type, objects bool) (out *shape) {
	out, _, t.Output = t.schema(of, "outputSchema", "result", objects)
	return out
}

// fresh returns a value for arguments.
func (t *described) fresh() *value {
	return &value{v: reflect.New(t.in.t).Elem(), shape: t.in, given: t.defaults}
}

// listed returns the tool with a definition that is read when the tool is added, because it
// may be invalid.
func (t *described) listed(tool catalog.Tool) catalog.Tool {
	if t.err != nil {
		return catalog.Tool{Definition: t.given, Err: t.err}
	}
	tool.Name = ""
	return tool
}

// schema returns the shape of a type and the function that checks its values against their schema, which
// is a member of the definition. If the definition has no such schema of its own, it gets that of the type,
// whose values must be objects if objects is set. It does nothing after an error.
func (t *described) schema(of reflect.Type, member, what string, objects bool) (s *shape, own bool, check func(*schema.Checker)) {
	if t.err != nil {
		return nil, false, nil
	}
	var text wire.Raw
	s, err := shapeOf(of, what == "result")
	if err == nil {
		text, err = derive(s, t.compile)
	}
	given, ok := t.Definition.Get(member)
	switch own = ok && !bare(given); {
	case err != nil:
	case own:
		text = given
	case objects && !declares(wire.Object(text), "object"):
		err = fmt.Errorf("%s: must be a struct or a map, whose values are JSON objects", of)
	default:
		t.Definition, err = t.Definition.With(member, text)
	}
	if err == nil {
		check, err = t.compile(text)
	}
	if err != nil {
		t.err = fmt.Errorf("%s: %w", what, err)
	}
	return s, own, check
}

// compile returns the check of a schema.
func (t *described) compile(text wire.Raw) (func(*schema.Checker), error) {
	check, err := dynamic.Compile(text)
	if !errors.Is(err, dynamic.ErrNotCovered) {
		return check, err
	}
	if t.options.Compile == nil {
		return nil, fmt.Errorf("%w: set Compile of tools.Options to fallback.Compile", err)
	}
	return t.options.Compile(string(text))
}

// bare reports whether a schema only says that values are objects.
func bare(schema wire.Raw) bool {
	return schema.Kind() == wire.KindObject && wire.Object(schema).Len() == 1 && declares(wire.Object(schema), "object")
}

// declares reports whether a schema has a type.
func declares(schema wire.Object, name string) bool { return schema.GetString("type") == name }
