package typing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// document is a schema of an item: the input or output of a tool, or the arguments of a prompt or template.
type document struct {
	// itemKind is the kind of the item, item its JSON Pointer, owner its name, and prefix its Go name.
	itemKind, item, owner, prefix string
	// name is the name of the type of the document, about the words for the document in comments.
	name, about string
	kind        documentKind
}

// documentKind says which way the values of a document go. As text, it distinguishes the names of types.
type documentKind string

const (
	inputs    documentKind = "Input"
	outputs   documentKind = "Output"
	forClient documentKind = "Arguments" // inputs without defaults, for the client of a server
)

// origin is where a declaration comes from.
type origin struct {
	*document
	// goName, definition and title are the names that the schema gives its type: its x-go-name and its name
	// if it is a definition, and its title. They are "" if it gives none.
	goName, definition, title string
	// pointer is the place of the definition.
	pointer string
	// path is the name of the type without that of the document.
	path string
	// member means that the comment of the declaration is about the member with the type. The comment of
	// the member's field says the same.
	member bool
}

// doc returns the comment of a declaration that is about the type itself.
func (o *origin) doc(d *ir.Decl) string {
	if o.member {
		return ""
	}
	return d.Doc
}

// group is declarations that are equal.
type group struct {
	// decls are the declarations, in the order in which they were made. The first stands for all.
	decls []*ir.Decl
	// first is the first of their names, items the number of items that have them.
	first string
	items int
	// given means that a schema names the type by x-go-name.
	given bool
	kind  documentKind
	// base is the name of the type without that of the item.
	base string
}

// share replaces equal declarations by one, names those that several items have, and completes the
// comments. A name depends on the other items as little as possible, so that a new item hardly changes
// those that are there.
func (t *typer) share() {
	groups := t.groups()
	one := map[*ir.Decl]*ir.Decl{}
	for _, g := range groups {
		for _, d := range g.decls {
			one[d] = g.decls[0]
			if g.named() {
				delete(t.taken, d.Name)
				delete(t.taken, "Unknown"+d.Name)
			}
		}
	}
	t.decls = nil
	for _, g := range groups {
		if g.named() {
			t.nameGroup(g)
		}
		t.comment(g)
		t.decls = append(t.decls, g.decls[0])
		t.shared[g.decls[0]] = g.items > 1
	}
	for _, g := range groups {
		redirect(g, one)
	}
	for _, value := range t.values {
		redirectType(value, one)
	}
	slices.SortFunc(t.decls, byName)
}

// groups returns the groups of equal declarations in the order in which they get their names: those with a
// given name first, then those that most items have.
func (t *typer) groups() []*group {
	class := t.equals()
	byClass := map[string]*group{}
	var all []*group
	for _, d := range t.decls {
		g := byClass[class[d]]
		if g == nil {
			g = &group{first: d.Name}
			byClass[class[d]] = g
			all = append(all, g)
		}
		g.decls = append(g.decls, d)
		g.first = min(g.first, d.Name)
	}
	for _, g := range all {
		items := map[string]bool{}
		kinds := map[documentKind]bool{}
		for _, d := range g.decls {
			o := t.origins[d]
			items[o.item], kinds[o.kind] = true, true
			g.given = g.given || o.goName != ""
		}
		g.items, g.kind = len(items), outputs
		switch {
		case kinds[inputs]:
			g.kind = inputs
		case !kinds[outputs]:
			g.kind = forClient
		}
		g.base = t.base(g)
	}
	slices.SortFunc(all, func(a, b *group) int {
		return cmp.Or(before(a.given, b.given), b.items-a.items, strings.Compare(a.base, b.base), before(a.kind == inputs, b.kind == inputs), strings.Compare(a.first, b.first))
	})
	return all
}

// before returns -1 if only a holds, 1 if only b holds, and 0 otherwise.
func before(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// base returns the name that a group's type has without the name of an item: that of x-go-name, else that of
// the definition, else the title, else the names of the members that lead to it. Of several names it is the
// one that most items have, and of these the shortest.
func (t *typer) base(g *group) string {
	for _, name := range []func(*ir.Decl) string{
		func(d *ir.Decl) string { return t.origins[d].goName },
		func(d *ir.Decl) string { return t.origins[d].definition },
		func(d *ir.Decl) string { return t.origins[d].title },
		func(d *ir.Decl) string { return t.origins[d].path },
	} {
		items := map[string]map[string]bool{}
		for _, d := range g.decls {
			if name := name(d); name != "" {
				if items[name] == nil {
					items[name] = map[string]bool{}
				}
				items[name][t.origins[d].item] = true
			}
		}
		best := ""
		for name, of := range items {
			n := cmp.Or(len(items[best])-len(of), len(name)-len(best), strings.Compare(name, best))
			if best == "" || n < 0 {
				best = name
			}
		}
		if best != "" {
			return best
		}
	}
	return "" // a whole input or output
}

// named reports whether a group gets another name than the declaration alone.
func (g *group) named() bool { return g.given || len(g.decls) > 1 }

// nameGroup names the type of a group.
func (t *typer) nameGroup(g *group) {
	d := g.decls[0]
	o := t.origins[d]
	var names []string
	switch {
	case g.given || g.items > 1:
		names = []string{g.base, g.base + string(g.kind)}
		switch {
		case g.kind == forClient:
			names = names[1:]
		case g.kind == inputs && g.given:
			names = names[:1]
		}
	case slices.ContainsFunc(g.decls, func(other *ir.Decl) bool { return (t.origins[other].kind == outputs) != (o.kind == outputs) }):
		names = []string{o.prefix + g.base}
	}
	free := func(name string) bool {
		return isExported(name) && t.taken[name] == "" && t.taken["Unknown"+name] == ""
	}
	if i := slices.IndexFunc(names, free); i >= 0 {
		d.Name = names[i]
	} else if g.given {
		i := slices.IndexFunc(g.decls, func(d *ir.Decl) bool { return t.origins[d].goName == g.base })
		o = t.origins[g.decls[i]]
		t.owner = o.owner
		t.failf(o.pointer+"/"+jsonschema.GoName, "%q cannot be the Go name of a type: it must be an exported identifier that nothing else has", g.base)
		return
	} else {
		own := d.Name
		if g.items > 1 {
			own = g.first
		}
		d.Name = own
		for i := 2; !free(d.Name); i++ {
			d.Name = fmt.Sprintf("%s%d", own, i)
		}
	}
	t.taken[d.Name], t.taken["Unknown"+d.Name] = d.Pointer, d.Pointer
}

// comment completes the comment of a group's type.
func (t *typer) comment(g *group) {
	d := g.decls[0]
	o := t.origins[d]
	var places, kinds []string // places without those for clients, which repeat others
	text := ""
	for _, other := range g.decls {
		from := t.origins[other]
		if at := from.place(other); (from.kind != forClient || g.kind == forClient) && !slices.Contains(places, at) {
			places = append(places, at)
		}
		if !slices.Contains(kinds, from.itemKind) {
			kinds = append(kinds, from.itemKind)
		}
		text = cmp.Or(text, from.doc(other))
	}
	head := ""
	switch {
	case g.items > 1 && len(kinds) == 1:
		head = fmt.Sprintf("is the type of equal schemas in several %ss", kinds[0])
	case g.items > 1:
		head = "is the type of equal schemas in several items"
	case len(places) > 1:
		head = "is " + strings.Join(places, ", and ")
	case d.Path == "" && len(d.Unions) == 0:
		head, text = "holds "+o.about, d.Doc
	default:
		head, text = "is "+places[0], d.Doc
	}
	d.Doc = d.Name + " " + head + "."
	if text != "" {
		d.Doc += "\n\n" + text
	}
}

// place returns the words for a declaration in comments.
func (o *origin) place(d *ir.Decl) string {
	of := o.about
	if d.Path != "" {
		of = places(d.Path) + " in " + of
	}
	if len(d.Unions) > 0 {
		return "a variant of " + of
	}
	return "the type of " + of
}

// places returns the words for a path: "tags", "the elements of tags" or "the values of labels".
func places(path string) string {
	if array, ok := strings.CutSuffix(path, "[]"); ok {
		return "the elements of " + cmp.Or(array, "the list")
	}
	if values, ok := strings.CutSuffix(path, "{}"); ok {
		return "the values of " + cmp.Or(values, "the members")
	}
	return path
}

// redirect lets the references in a group's declaration lead to the declarations that stand for others.
func redirect(g *group, one map[*ir.Decl]*ir.Decl) {
	d := g.decls[0]
	redirectType(d.Type, one)
	if u, ok := d.Type.(*ir.Union); ok {
		redirectVariants(u.Decision, one)
		var distinct []*ir.Variant
		for _, v := range u.Variants {
			v.Decl = one[v.Decl]
			if !slices.ContainsFunc(distinct, func(other *ir.Variant) bool { return other.Decl == v.Decl }) {
				distinct = append(distinct, v)
			}
		}
		u.Variants = distinct
	}
	var unions []*ir.Decl
	for _, other := range g.decls {
		for _, u := range other.Unions {
			if !slices.Contains(unions, one[u]) {
				unions = append(unions, one[u])
			}
		}
	}
	slices.SortFunc(unions, byName)
	d.Unions = unions
}

func redirectType(of ir.Type, one map[*ir.Decl]*ir.Decl) {
	ir.Walk(of, func(t ir.Type) {
		if ref, ok := t.(*ir.Ref); ok {
			ref.Decl = one[ref.Decl]
		}
	})
}

func redirectVariants(d ir.Decision, one map[*ir.Decl]*ir.Decl) {
	switch d := d.(type) {
	case *ir.Leaf:
		d.Variant.Decl = one[d.Variant.Decl]
	case *ir.ByKind:
		for _, c := range d.Cases {
			redirectVariants(c.Then, one)
		}
	case *ir.ByConst:
		for _, c := range d.Cases {
			redirectVariants(c.Then, one)
		}
		redirectVariants(d.Absent, one)
	case *ir.ByPresence:
		for _, g := range d.Guards {
			g.Variant.Decl = one[g.Variant.Decl]
		}
	}
}
