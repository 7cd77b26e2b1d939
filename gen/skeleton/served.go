package skeleton

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// served returns an error for each item of a list that the server would refuse. A generated server reads definitions
// when they are first listed, which is too late to find a mistake in them.
func served(list *tools.List) error {
	var errs []error
	c := catalog.New(catalog.Options{})
	add := func(name, pointer string, item catalog.Item) {
		err := c.Add(item)
		if err == nil {
			return
		}
		problems := []wire.Problem{{Message: err.Error()}}
		if invalid, ok := errors.AsType[*wire.ValidationError](err); ok {
			problems = invalid.Problems
		} else if at, ok := errors.AsType[*wire.Error](err); ok {
			problems = []wire.Problem{{Pointer: at.Pointer, Message: at.Problem}}
		}
		for _, p := range problems {
			errs = append(errs, &tools.Error{Tool: name, Pointer: pointer + p.Pointer, Problem: p.Message})
		}
	}
	for _, t := range list.Tools {
		call := func(context.Context, wire.Object) (wire.Object, error) { return "", nil }
		add(t.Name, t.Pointer, catalog.NewTool(t.Definition, call).Require(t.Scopes...))
	}
	for _, i := range list.Items {
		add(i.Name, i.Pointer, servedItem(i))
	}
	return errors.Join(errs...)
}

// servedItem returns an item of a catalog that is never called.
func servedItem(i *tools.Item) catalog.Item {
	switch i.Kind {
	case tools.Prompts:
		get := func(context.Context, map[string]string) (wire.Object, error) { return "", nil }
		return catalog.NewPrompt(i.Definition, get).Require(i.Scopes...)
	case tools.Resources:
		read := func(context.Context, string) (wire.Object, error) { return "", nil }
		return catalog.NewResource(i.Definition, read).Require(i.Scopes...)
	}
	read := func(context.Context, string, catalog.Variables) (wire.Object, error) { return "", nil }
	return catalog.NewTemplate(i.Definition, read).Require(i.Scopes...)
}
