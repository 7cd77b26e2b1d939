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
	for _, list := range want.lists() {
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

// list is one of the lists of a server.
type list struct {
	noun, method, member, key string
	definitions               []wire.Object
}

func (i *Items) lists() []list {
	prompts := list{noun: "prompts", method: "prompts/list", member: "prompts", key: "name"}
	for _, p := range i.Prompts {
		prompts.definitions = append(prompts.definitions, p.Definition)
	}
	resources := list{noun: "resources", method: "resources/list", member: "resources", key: "uri"}
	for _, r := range i.Resources {
		resources.definitions = append(resources.definitions, r.Definition)
	}
	templates := list{noun: "resource templates", method: "resources/templates/list", member: "resourceTemplates", key: "uriTemplate"}
	for _, t := range i.Templates {
		templates.definitions = append(templates.definitions, t.Definition)
	}
	return []list{prompts, resources, templates}
}

// List returns the entries of all pages of a list. Method is that of the request, such as
// "prompts/list", and member that of the result, such as "prompts".
func List(ctx context.Context, c runtime.Caller, method, member string) ([]wire.Object, error) {
	var all []wire.Object
	for entry, err := range runtime.All(func(cursor *string) (entries []wire.Object, next *string, err error) {
		var params wire.Appender
		if cursor != nil {
			params = members{{"cursor", text(*cursor)}}
		}
		var result wire.Object
		if err := c.Call(ctx, method, params, &result); err != nil {
			return nil, nil, err
		}
		list, _ := result.Get(member)
		if list.Kind() != wire.KindArray {
			return nil, nil, fmt.Errorf("the result has no array %q", member)
		}
		r := wire.NewStringReader(string(list))
		for r.BeginArray(); r.Element(); {
			entries = append(entries, r.ReadObject())
		}
		return entries, new(result.GetString("nextCursor")), r.Err()
	}) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		all = append(all, *entry)
	}
	return all, nil
}
