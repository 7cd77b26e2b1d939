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

// Tool describes a tool to clients. Its schemas are derived from the handler's types.
type Tool struct {
	// Name identifies the tool in calls.
	Name string
	// Title is for people, Description for the model. Both are optional.
	Title, Description string
	// More holds further members of the definition, such as annotations and icons.
	More wire.Members

	tools.Options
}

// Handler runs a tool. The arguments are valid under the schema of In and include its
// defaults. An error becomes a result of the tool that the client's model reads, except for
// a *jsonrpc.Error, which is the error of the call itself.
type Handler[In, Out any] = func(ctx context.Context, in *In) (*Out, error)

// AddTool adds a tool to a catalog, with schemas derived from the types of its handler. In
// and Out are structs or maps. It returns an error, and adds nothing, if a type has no
// schema or if the catalog rejects the tool.
func AddTool[In, Out any](c *catalog.Catalog, t Tool, h Handler[In, Out]) error {
	made, err := NewTool(t, h)
	if err != nil {
		return err
	}
	return c.AddTools(made)
}

// NewTool returns a tool for a catalog. See AddTool.
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
	made.Name = "" // the definition has not been checked yet
	return made, nil
}

// schemaOf returns the schema of a type and the function that checks values against it.
func schemaOf[T any]() (text wire.Raw, check func(*schema.Checker), err error) {
	if text, err = derive[T](); err == nil {
		check, err = fallback.Compile(string(text))
	}
	return text, check, err
}

// definition returns the tool's definition as tools/list returns it.
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
	return wire.NewObject(append(members, t.More...)...)
}
