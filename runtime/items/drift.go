package items

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Items are the prompts, resources and templates that a package was generated from.
type Items struct {
	Prompts   []*Prompt
	Resources []*Resource
	Templates []*Template
}

// Check compares what a server offers with the items. It returns nil if they are the same, and
// joins a *[tools.Drift] for each list that differs. It does not request the list of a kind
// without items.
func Check(ctx context.Context, c runtime.Caller, want *Items) error {
	var errs []error
	for _, list := range []struct {
		noun, method, member, key string
		definitions               []wire.Object
	}{
		{"prompts", "prompts/list", "prompts", "name", definitions(want.Prompts, func(p *Prompt) wire.Object { return p.Definition })},
		{"resources", "resources/list", "resources", "uri", definitions(want.Resources, func(r *Resource) wire.Object { return r.Definition })},
		{"resource templates", "resources/templates/list", "resourceTemplates", "uriTemplate", definitions(want.Templates, func(t *Template) wire.Object { return t.Definition })},
	} {
		if len(list.definitions) == 0 {
			continue
		}
		live, err := List(ctx, c, list.method, list.member)
		if err != nil {
			return err
		}
		if d := tools.CompareItems(list.noun, list.key, list.definitions, live); d != nil {
			errs = append(errs, d)
		}
	}
	return errors.Join(errs...)
}

func definitions[T any](items []T, of func(T) wire.Object) []wire.Object {
	var all []wire.Object
	for _, item := range items {
		all = append(all, of(item))
	}
	return all
}

// List returns the entries of all pages of a list. Method is that of the request, such as
// "prompts/list", and member that of the result, such as "prompts".
func List(ctx context.Context, c runtime.Caller, method, member string) ([]wire.Object, error) {
	all, err := tools.ListItems(ctx, c, method, member)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return all, nil
}
