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

// Tool is what a client is told of a tool beside its schemas.
type Tool struct {
	// Name is how the tool is called.
	Name string
	// Title is for people, Description for the model. Both may be left out.
	Title, Description string
	// More are further members of the definition, such as annotations and icons.
	More wire.Members

	tools.Options
}

// Handler runs a tool. The arguments fit the schema of In, and their defaults are there.
// An error is told to the client's model as the result of the tool; one that is a
// *jsonrpc.Error is an error of the call itself.
type Handler[In, Out any] = func(ctx context.Context, in *In) (*Out, error)

// AddTool adds a tool to a catalog, with the schemas of the types of its handler. In and
// Out are structs or maps. An error is about the types or the name, and then nothing is
// added.
func AddTool[In, Out any](c *catalog.Catalog, t Tool, h Handler[In, Out]) error {
	made, err := NewTool(t, h)
	if err != nil {
		return err
	}
	return c.AddTools(made)
}

// NewTool makes what AddTool adds.
func NewTool[In, Out any](t Tool, h Handler[In, Out]) (catalog.Tool, error) {
	input, checkInput, err := schemaOf[In]()
	if err != nil {
		return catalog.Tool{}, fmt.Errorf("typed: tool %.100q: arguments: %w", t.Name, err)
	}
	output, checkOutput, err := schemaOf[Out]()
	if err != nil {
		return catalog.Tool{}, fmt.Errorf("typed: tool %.100q: result: %w", t.Name, err)
	}
	definition, err := t.definition(input, output)
	if err != nil {
		return catalog.Tool{}, fmt.Errorf("typed: tool %.100q: %w", t.Name, err)
	}
	checked := &tools.Tool{Name: t.Name, Definition: definition, Input: checkInput, Output: checkOutput}
	defaults := defaultsOf(input)
	complete := func(in *value[In]) { in.complete(defaults) }
	fresh := func() *value[In] { return new(value[In]) }
	made := tools.Structured(checked, t.Options, fresh, complete, func(ctx context.Context, in *value[In]) (*value[Out], error) {
		if in.err != nil {
			return nil, in.err
		}
		out, err := h(ctx, &in.v)
		if out == nil || err != nil {
			return nil, err
		}
		return &value[Out]{v: *out}, nil
	})
	made.Name = "" // nobody has checked the definition yet
	return made, nil
}

// schemaOf returns the schema of a type, and what checks values against it.
func schemaOf[T any]() (text wire.Raw, check func(*schema.Checker), err error) {
	if text, err = derive[T](); err == nil {
		check, err = fallback.Compile(string(text))
	}
	return text, check, err
}

// definition is the Tool object of the list.
func (t *Tool) definition(input, output wire.Raw) (wire.Object, error) {
	var members wire.Members
	for _, m := range []struct{ name, text string }{{"name", t.Name}, {"title", t.Title}, {"description", t.Description}} {
		if m.text == "" {
			continue
		}
		quoted, err := wire.AppendString(nil, m.text)
		if err != nil {
			return "", wire.In(err, m.name)
		}
		members = append(members, wire.Member{Name: m.name, Value: wire.Raw(quoted)})
	}
	members = append(members, wire.Member{Name: "inputSchema", Value: input}, wire.Member{Name: "outputSchema", Value: output})
	return wire.ObjectOf(append(members, t.More...)...)
}
