package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// lists describes the list of each kind of items.
var lists = []struct{ kind, noun, method, member, key string }{
	{"tool", "tools", "tools/list", "tools", "name"},
	{"prompt", "prompts", "prompts/list", "prompts", "name"},
	{"resource", "resources", "resources/list", "resources", "uri"},
	{"template", "resource templates", "resources/templates/list", "resourceTemplates", "uriTemplate"},
}

// List returns the definitions of all items of a kind that a server has, page by page. The kinds are those of [Item].
func List(ctx context.Context, c runtime.Caller, kind string) ([]wire.Object, error) {
	var method, member string
	for _, l := range lists {
		if l.kind == kind {
			method, member = l.method, l.member
		}
	}
	if method == "" {
		return nil, fmt.Errorf("there is no list of the kind %q", kind)
	}
	var all []wire.Object
	for item, err := range runtime.All(func(cursor *string) (items []wire.Object, next *string, err error) {
		var params wire.Appender
		if cursor != nil {
			params = object{text("cursor", *cursor)}
		}
		var result wire.Object
		if err := c.Call(ctx, method, params, &result); err != nil {
			return nil, nil, err
		}
		list, _ := result.Get(member)
		if list.Kind() != wire.KindArray {
			return nil, nil, fmt.Errorf("the result of %s has no array %q", method, member)
		}
		r := list.Reader()
		items = wire.ReadList(r, (*wire.Object).DecodeJSON)
		if cursor, ok := result.Get("nextCursor"); ok && cursor.Kind() != wire.KindString && cursor.Kind() != wire.KindNull {
			return nil, nil, fmt.Errorf("the nextCursor of %s is not a string, so the rest of the list cannot be requested", method)
		}
		return items, new(result.GetString("nextCursor")), r.Err()
	}) {
		if err != nil {
			return nil, err
		}
		all = append(all, *item)
	}
	return all, nil
}

// Check compares what a server offers with items. It returns nil if it is the same, and otherwise joins a *[Drift] for
// each list that differs with the error of each request for a list that fails. It does not request the list of a kind
// without items. In a session of a revision without tasks, it ignores what the definitions of tools say about tasks. In
// one before 2026-07-28, it also ignores the schemas of results that are not objects.
func Check(ctx context.Context, c runtime.Caller, items []*Item) error {
	var errs []error
	for _, l := range lists {
		var want []wire.Object
		for _, i := range items {
			if i.Kind == l.kind {
				want = append(want, i.Definition)
			}
		}
		if want == nil {
			continue
		}
		live, err := List(ctx, c, l.kind)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if s, ok := c.(*runtime.Session); ok && l.kind == "tool" {
			if !s.Has("tasks/get") {
				want = withoutTasks(want)
			}
			if s.Revision() < revisionValues {
				want, live = plainSchemas(want), plainSchemas(live)
			}
		}
		if d := compareItems(l.noun, l.key, want, live); d != nil {
			errs = append(errs, d)
		}
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// withoutTasks returns the definitions as a server lists them in a revision without tasks: it leaves
// out the tools that can only be called as tasks.
func withoutTasks(definitions []wire.Object) []wire.Object {
	var kept []wire.Object
	for _, definition := range definitions {
		execution, ok := definition.Get("execution")
		if !ok {
			kept = append(kept, definition)
			continue
		}
		if wire.Object(execution).GetString("taskSupport") == "required" {
			continue
		}
		kept = append(kept, definition.Without("execution"))
	}
	return kept
}

// plainSchemas returns definitions as revisions before 2026-07-28 have them.
func plainSchemas(definitions []wire.Object) []wire.Object {
	all := make([]wire.Object, len(definitions))
	for i, definition := range definitions {
		all[i] = wire.Object(convert.PlainSchemas(new(convert.Conversion), wire.Raw(definition)))
	}
	return all
}

// Drift describes how a list of tools or other items differs from another list.
type Drift struct {
	// List says what is listed: "tools", "prompts", "resources" or "resource templates".
	List string
	// Added and Removed hold names of tools and prompts, URIs of resources or URI templates.
	Added, Removed []string
	Changed        []Change
}

// Change is a place where the definitions of a tool differ.
type Change struct {
	// Tool is the name of the tool or prompt, the URI of the resource or the URI template.
	Tool string
	// Pointer is a JSON Pointer into the definition.
	Pointer string
	// Old and New are the values there, or "" if there is none.
	Old, New wire.Raw
}

// Compare returns how a list of definitions differs from another, or nil if both have the
// same definitions. The order of tools and of members does not matter.
func Compare(old, new []wire.Object) *Drift { return compareItems("tools", "name", old, new) }

// compareItems is Compare for lists of other items. Key is the member that identifies an item.
func compareItems(list, key string, old, new []wire.Object) *Drift {
	d := Drift{List: list}
	live := make(map[string]wire.Object, len(new))
	for _, definition := range new {
		live[definition.GetString(key)] = definition
	}
	known := make(map[string]bool, len(old))
	for _, definition := range old {
		name := definition.GetString(key)
		known[name] = true
		other, ok := live[name]
		if !ok {
			d.Removed = append(d.Removed, name)
			continue
		}
		d.compare(name, "", wire.Raw(definition), wire.Raw(ofObjects(definition, other)))
	}
	for _, definition := range new {
		if name := definition.GetString(key); !known[name] {
			d.Added = append(d.Added, name)
		}
	}
	if len(d.Added)+len(d.Removed)+len(d.Changed) == 0 {
		return nil
	}
	return &d
}

// ofObjects returns a live definition whose schemas have the type "object" where the definition that a
// client was generated from has it and the server leaves it out, because generation adds it.
func ofObjects(known, live wire.Object) wire.Object {
	for _, keyword := range []string{"inputSchema", "outputSchema"} {
		schema, ok := live.Get(keyword)
		if !ok {
			continue
		}
		if schema == "true" {
			schema = "{}"
		}
		old, _ := known.Get(keyword)
		if wire.Object(old).GetString("type") != "object" || schema.Kind() != wire.KindObject {
			continue
		}
		if kind, _ := wire.Object(schema).Get("type"); kind != "" && kind.Kind() != wire.KindArray {
			continue
		}
		typed, err := wire.Object(schema).With("type", `"object"`)
		if err != nil {
			continue
		}
		if with, err := live.With(keyword, wire.Raw(typed)); err == nil {
			live = with
		}
	}
	return live
}

// compare finds the innermost values that differ.
func (d *Drift) compare(tool, at string, old, new wire.Raw) {
	switch {
	case old != "" && new != "" && wire.Equal(old, new):
	case old.Kind() == wire.KindObject && new.Kind() == wire.KindObject:
		for name, value := range wire.Object(old).All() {
			other, _ := wire.Object(new).Get(name)
			d.compare(tool, wire.ChildPointer(at, name), value, other)
		}
		for name, value := range wire.Object(new).All() {
			if _, ok := wire.Object(old).Get(name); !ok {
				d.compare(tool, wire.ChildPointer(at, name), "", value)
			}
		}
	case old.Kind() == wire.KindArray && new.Kind() == wire.KindArray:
		a, b := old.Elements(), new.Elements()
		for i := range max(len(a), len(b)) {
			d.compare(tool, at+"/"+strconv.Itoa(i), element(a, i), element(b, i))
		}
	default:
		d.Changed = append(d.Changed, Change{tool, at, old, new})
	}
}

func element(all []wire.Raw, i int) wire.Raw {
	if i < len(all) {
		return all[i]
	}
	return ""
}

// maxChanges limits the text of a Drift, in lines.
const maxChanges = 50

// Error lists the items that were added, removed or changed, and the places of the changes.
func (d *Drift) Error() string {
	var text strings.Builder
	text.WriteString("the list of " + cmp.Or(d.List, "tools") + " has changed:")
	lines, left := 0, 0
	line := func(format string, args ...any) {
		if lines++; lines > maxChanges {
			left++
			return
		}
		fmt.Fprintf(&text, "\n"+format, args...)
	}
	for _, name := range d.Removed {
		line("removed %q", name)
	}
	for _, name := range d.Added {
		line("added %q", name)
	}
	for _, c := range d.Changed {
		line("changed %q at %s: %s", c.Tool, c.Pointer, c.describe())
	}
	if left > 0 {
		fmt.Fprintf(&text, "\nand %d more", left)
	}
	return text.String()
}

func (c Change) describe() string {
	switch {
	case c.Old == "":
		return fmt.Sprintf("%.200s was added", c.New)
	case c.New == "":
		return fmt.Sprintf("%.200s was removed", c.Old)
	}
	return fmt.Sprintf("%.200s, was %.200s", c.New, c.Old)
}
