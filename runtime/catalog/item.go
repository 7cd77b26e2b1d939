package catalog

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/tasksupport"
)

// Item is something that a server offers: a [Tool], a [Prompt], a [Resource] or a
// [Template]. In [Collect], a [*Catalog] is an item too, and in [NewServer] there can be [Tasks].
type Item interface {
	// add adds the item to an addition. At most room items are still to come.
	add(a *addition, room int) error
}

// TaskKeeper lets clients call tools as tasks. A *tasks.Tasks is one.
type TaskKeeper interface {
	// Wrap wraps the binding of a revision. Support reports whether a tool can be called as a task.
	Wrap(below runtime.Binding, support func(tool string) tasksupport.Support) runtime.Binding
}

// Tasks returns an item of [NewServer]: clients can call those tools as tasks whose definitions say so in
// execution.taskSupport. Of several such items, the last one counts, so that a program can replace that of a
// generated server.
func Tasks(k TaskKeeper) Item { return keptTasks{k} }

type keptTasks struct{ TaskKeeper }

// add implements Item.
func (keptTasks) add(*addition, int) error {
	return errors.New("catalog: tasks can only be an item of NewServer")
}

// addition holds the items of one call of Add. The catalog gets all of them or none.
type addition struct {
	catalog   *Catalog
	tools     batch[tool]
	prompts   batch[prompt]
	resources batch[resource]
	templates batch[template]
}

// batch holds new items of one list.
type batch[T any] struct {
	items []*item[T]
	byKey map[string]*item[T]
}

// add adds an item to the batch and returns its value, which the caller sets. It returns an
// error if the batch has an item with that key, or for a scope that is not one. At most room items are still to come.
func (b *batch[T]) add(k *kind, d definition, scopes []string, room int) (*T, error) {
	if b.byKey == nil {
		b.items, b.byKey = make([]*item[T], 0, room), make(map[string]*item[T], room)
	}
	if b.byKey[d.key] != nil {
		return nil, k.error(d.key, fmt.Errorf("two items have this %s", k.required[0]))
	}
	scopes, err := checkScopes(scopes)
	if err != nil {
		return nil, k.error(d.key, err)
	}
	it := &item[T]{key: d.key, text: d.text, scopes: scopes}
	b.items, b.byKey[d.key] = append(b.items, it), it
	return &it.value, nil
}

// Add adds items. An item with the name or URI of an item in the catalog replaces it and
// takes its place in the list. If a definition is invalid, a handler is missing, or two of
// the items have the same name or URI, Add adds nothing and returns an error that describes
// every such item.
func (c *Catalog) Add(items ...Item) error {
	a := addition{catalog: c}
	var errs []error
	for i, it := range items {
		if it == nil {
			errs = append(errs, fmt.Errorf("catalog: item %d is nil", i))
		} else if err := it.add(&a, len(items)-i); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	c.announce(c.tools.put(&a.tools) | c.prompts.put(&a.prompts) | c.resources.put(&a.resources) | c.templates.put(&a.templates))
	return nil
}

// add implements Item.
func (c *Catalog) add(*addition, int) error {
	return errors.New("catalog: a catalog cannot be added to a catalog")
}

// Collect returns the [*Catalog] among the items, or a new one if there is none, with all
// other items added to it. The options apply to a new catalog. For an existing one, only
// Convert and Logger apply, where its own options leave them nil.
//
// It is what the constructors of servers call: a program that changes what its server
// offers passes a catalog to them and keeps it.
func Collect(o Options, items ...Item) (*Catalog, error) {
	var c *Catalog
	var others []Item
	for _, it := range items {
		given, ok := it.(*Catalog)
		switch {
		case !ok:
			others = append(others, it)
		case given == nil:
			return nil, errors.New("catalog: the catalog is nil")
		case c != nil:
			return nil, errors.New("catalog: there are two catalogs among the items")
		default:
			c = given
		}
	}
	if c == nil {
		c = New(o)
	} else {
		c.adopt(o)
	}
	return c, c.Add(others...)
}

// adopt applies the options that the catalog's own options leave nil.
func (c *Catalog) adopt(o Options) {
	if c.opts.Convert == nil {
		c.opts.Convert = o.Convert
	}
	if c.opts.Logger == nil {
		c.opts.Logger = o.Logger
	}
}
