package typed

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/fallback"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Handler runs a tool. The arguments are valid under the input schema and include its
// defaults. An error becomes a result with isError, whose text the client's model reads,
// except for a *jsonrpc.Error, which is the error of the call itself. [tools.ResultOf]
// gives access to the content blocks, _meta and isError of the result.
type Handler[In, Out any] = func(ctx context.Context, in *In) (*Out, error)

// Tool returns a tool with schemas derived from the types of its handler. In and Out are structs or
// maps. The definition is a Tool object, such as a *mcp.Tool or a wire.Object, without schemas. A
// schema in the definition takes precedence over the derived one, unless it only says that the
// value is an object; the type must then fit the schema.
//
// If a type has no schema, adding the tool to a server or a catalog returns the error.
func Tool[In, Out any](definition wire.Appender, h Handler[In, Out], options ...tools.Options) catalog.Tool {
	t, err := describe[In](definition)
	if err == nil {
		t.Output, err = schemaOf[Out](&t.Definition, "outputSchema", "result", true)
	}
	if err != nil {
		return catalog.Tool{Definition: definition, Err: err}
	}
	return listed(tools.Structured(&t.Tool, only(options), fresh[In], t.complete, func(ctx context.Context, in *value[In]) (*value[Out], error) {
		if in.err != nil {
			return nil, in.err
		}
		out, err := h(ctx, &in.v)
		if out == nil || err != nil {
			return nil, err
		}
		return &value[Out]{v: *out}, nil
	}))
}

// ValueTool is Tool for a handler whose result has any type, such as []Item or string. The result is
// not sent if the handler sets IsError of [tools.ResultOf].
//
// Since revision 2026-07-28, structured results are any values. In sessions of older revisions, a
// result that is not an object is sent as text, and the list has no output schema for it.
func ValueTool[In, Out any](definition wire.Appender, h func(ctx context.Context, in *In) (Out, error), options ...tools.Options) catalog.Tool {
	t, err := describe[In](definition)
	if err == nil {
		t.Output, err = schemaOf[Out](&t.Definition, "outputSchema", "result", false)
	}
	if err != nil {
		return catalog.Tool{Definition: definition, Err: err}
	}
	run := func(ctx context.Context, in *value[In]) (out Out, err error) {
		if in.err != nil {
			return out, in.err
		}
		return h(ctx, &in.v)
	}
	return listed(tools.Value(&t.Tool, only(options), fresh[In], t.complete, run, func(v Out) *value[Out] { return &value[Out]{v: v} }))
}

// ContentTool is Tool for a handler that returns content blocks, such as
// []mcp.ContentBlock. The tool has no output schema.
func ContentTool[In any, Block wire.Appender](definition wire.Appender, h func(ctx context.Context, in *In) ([]Block, error), options ...tools.Options) catalog.Tool {
	t, err := describe[In](definition)
	if err != nil {
		return catalog.Tool{Definition: definition, Err: err}
	}
	return listed(tools.Content(&t.Tool, only(options), fresh[In], t.complete, func(ctx context.Context, in *value[In]) ([]Block, error) {
		if in.err != nil {
			return nil, in.err
		}
		return h(ctx, &in.v)
	}))
}

// described is a tool with arguments of type In.
type described[In any] struct {
	tools.Tool
	defaults *defaults
}

// describe returns a tool with the input schema of its definition or of In.
func describe[In any](definition wire.Appender) (*described[In], error) {
	t := new(described[In])
	if definition == nil {
		return t, fmt.Errorf("the definition is missing")
	}
	text, err := wire.MarshalString(definition)
	if err != nil {
		return t, err
	}
	t.Definition = wire.Object(text)
	if t.Input, err = schemaOf[In](&t.Definition, "inputSchema", "arguments", true); err != nil {
		return t, err
	}
	schema, _ := t.Definition.Get("inputSchema")
	t.defaults = defaultsOf(schema)
	return t, nil
}

// complete sets missing arguments to their defaults.
func (t *described[In]) complete(in *value[In]) { in.complete(t.defaults) }

func fresh[In any]() *value[In] { return new(value[In]) }

// only returns the only element of a list of options, or the zero Options.
func only(options []tools.Options) tools.Options {
	if len(options) == 0 {
		return tools.Options{}
	}
	return options[0]
}

// listed returns the tool with a definition that is read when the tool is added, because it
// may be invalid.
func listed(t catalog.Tool) catalog.Tool {
	t.Name = ""
	return t
}

// schemaOf returns the function that checks values of T against their schema. The schema is
// a member of the definition. If the definition has no such schema, it gets that of T, whose values
// must be objects if objects is set.
func schemaOf[T any](definition *wire.Object, member, what string, objects bool) (check func(*schema.Checker), err error) {
	text, _ := definition.Get(member)
	if of := wire.Object(text); text == "" || text.Kind() == wire.KindObject && of.Len() == 1 && declares(of, "object") {
		if text, err = derive[T](objects); err == nil {
			*definition, err = definition.With(member, text)
		}
	}
	if err == nil {
		check, err = fallback.Compile(string(text))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return check, nil
}

// declares reports whether a schema has a type.
func declares(schema wire.Object, name string) bool {
	of, _ := schema.Get("type")
	return of == wire.Raw(`"`+name+`"`)
}
