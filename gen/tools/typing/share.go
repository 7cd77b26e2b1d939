package typing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/names"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// document is a schema of an item: the input or output of a tool, or the arguments of a prompt or template.
type document struct {
	// item is the JSON Pointer of the item, and owner its name.
	item, owner string
	// name is the name of the type of the document, about the words for the document in comments.
	name, about string
	kind        documentKind
	// api means that the item calls an operation of an API, whose description the definitions come from.
	api bool
}

// documentKind says which way the values of a document go. As text, it distinguishes the names of types.
type documentKind string

const (
	inputs  documentKind = "Input"
	outputs documentKind = "Output"
)

// named reports whether an identifier says nothing but what the values of the document are. Many servers in Python
// have titles such as "get_weatherArguments".
func (d *document) named(identifier string) bool {
	item := strings.TrimSuffix(d.name, string(d.kind))
	return identifier == item || identifier == d.name || identifier == item+"Arguments"
}

// origin is where a declaration comes from.
type origin struct {
	*document
	// goName and definition are the names that the schema gives its type: its x-go-name, and its name if it is
	// a definition. They are "" if it gives none.
	goName, definition string
	// within is the name without that of the document if the type is a definition or a part of one, and otherwise "".
	within string
	// pointer is the place of the definition.
	pointer string
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

// share makes equal declarations one type, so that values of one can be used for another. Equal declarations of one
// document become one declaration. Those of several documents keep their names, as aliases of the first, because a
// name must not depend on the other items of the list. So do those with names of their own; those with one name
// become one declaration.
func (t *typer) share() {
	class := t.equals()
	t.promote(class)
	one := map[*ir.Decl]*ir.Decl{} // the declaration that stands for another
	first := map[string]*ir.Decl{} // by class
	type place struct {
		class, goName string
		*document
	}
	own := map[place]*ir.Decl{}
	places := map[*ir.Decl][]*ir.Decl{} // equal declarations of the document
	var kept []*ir.Decl
	for _, d := range t.decls {
		o := t.origins[d]
		at := place{class[d], o.goName, o.document}
		if o.goName != "" {
			at.document = nil
		}
		if same := own[at]; same != nil {
			one[d] = same
			places[same] = append(places[same], d)
			if t.origins[same].item != o.item {
				t.shared[same] = true
			}
			continue
		}
		own[at], one[d] = d, d
		kept = append(kept, d)
		places[d] = []*ir.Decl{d}
		if o.goName != "" {
			t.give(d, o)
		}
	}
	for _, d := range kept {
		t.comment(d, places[d])
		redirect(d, places[d], one)
	}
	for _, value := range t.values {
		redirectType(value, one)
	}
	for _, named := range []bool{true, false} { // a type with a name of its own is no alias of one with that of an item
		for _, d := range kept {
			if (t.origins[d].goName != "") != named {
				continue
			}
			if to := first[class[d]]; to == nil {
				first[class[d]] = d
			} else {
				to.Unions = merged(to.Unions, d.Unions)
				t.aliases[d], d.Type, d.Unions = d.Type, &ir.Ref{Decl: to}, nil
			}
		}
	}
	t.decls = kept
	slices.SortFunc(t.decls, byName)
}

// merged returns the unions of two equal types, sorted by name. A type needs the methods of a variant if one that
// is its alias is a variant.
func merged(a, b []*ir.Decl) []*ir.Decl {
	all := slices.Concat(a, b)
	slices.SortFunc(all, byName)
	return slices.Compact(all)
}

// promote gives a definition of an API that is the same in all of its operations, and its parts, names of their
// own, as an x-go-name does.
func (t *typer) promote(class map[*ir.Decl]string) {
	named := map[string][]*ir.Decl{}
	for _, d := range t.decls {
		if o := t.origins[d]; o.api && o.within != "" && o.goName == "" {
			named[o.within] = append(named[o.within], d)
		}
	}
	for name, all := range named {
		differs := func(d *ir.Decl) bool { return class[d] != class[all[0]] }
		if !names.IsExported(name) || t.taken[name] != "" || t.taken["Unknown"+name] != "" || named["Unknown"+name] != nil || slices.ContainsFunc(all, differs) {
			continue
		}
		for _, d := range all {
			o := t.origins[d]
			o.goName, o.pointer, d.Name = name, d.Pointer, name
		}
	}
}

// give gives a declaration the name from its x-go-name, and takes that name.
func (t *typer) give(d *ir.Decl, o *origin) {
	if !names.IsExported(d.Name) || t.taken[d.Name] != "" || t.taken["Unknown"+d.Name] != "" {
		t.owner = o.owner
		t.failf(o.pointer+"/"+jsonschema.GoName, "%q cannot be the Go name of a type: it must be an exported identifier that nothing else has", d.Name)
		return
	}
	t.taken[d.Name], t.taken["Unknown"+d.Name] = o.item, o.item
}

// comment completes the comment of a declaration, which stands for several equal ones.
func (t *typer) comment(d *ir.Decl, equal []*ir.Decl) {
	o := t.origins[d]
	places := places{}
	text := ""
	for _, other := range equal {
		from := t.origins[other]
		places.add(from, other)
		text = cmp.Or(text, from.doc(other))
	}
	head := ""
	switch {
	case t.shared[d] && o.definition != "":
		head = "is a definition of several items"
	case t.shared[d]:
		head = "is a part of a definition of several items"
	case len(places) > 1 || len(places[0].paths) > 1:
		head = "is " + places.String()
	case d.Path == "" && len(d.Unions) == 0:
		head, text = "holds "+o.about, d.Doc
	default:
		head, text = "is "+places.String(), d.Doc
	}
	d.Doc = d.Name + " " + head + "."
	if text != "" {
		d.Doc += "\n\n" + text
	}
}

// places describes where the values of a type are, for comments.
type places []struct {
	before, after string // the words around the paths
	paths         []string
}

// add adds the place of a declaration.
func (p *places) add(o *origin, d *ir.Decl) {
	before, path, after := "the type of ", wordsOf(d.Path), " in "+o.about
	if len(d.Unions) > 0 {
		before = "a variant of "
	}
	if path == "" {
		path, after = o.about, ""
	}
	if last := len(*p) - 1; last >= 0 && (*p)[last].before == before && (*p)[last].after == after {
		if place := &(*p)[last]; !slices.Contains(place.paths, path) {
			place.paths = append(place.paths, path)
		}
		return
	}
	*p = append(*p, places{{before, after, []string{path}}}...)
}

func (p places) String() string {
	texts := make([]string, len(p))
	for i, place := range p {
		last := len(place.paths) - 1
		paths := place.paths[last]
		if last > 0 {
			paths = strings.Join(place.paths[:last], ", ") + " and " + paths
		}
		texts[i] = place.before + paths + place.after
	}
	return strings.Join(texts, ", and ")
}

// wordsOf returns the words for a path: "tags", "the elements of tags", or "the elements of the values of labels".
func wordsOf(path string) string {
	if array, ok := strings.CutSuffix(path, "[]"); ok {
		return "the elements of " + cmp.Or(wordsOf(array), "the list")
	}
	if values, ok := strings.CutSuffix(path, "{}"); ok {
		return "the values of " + cmp.Or(wordsOf(values), "the members")
	}
	return path
}

// redirect changes the references in a declaration, which stands for several equal ones, so that they lead to the
// declarations that stand for others.
func redirect(d *ir.Decl, equal []*ir.Decl, one map[*ir.Decl]*ir.Decl) {
	redirectType(d.Type, one)
	if u, ok := d.Type.(*ir.Union); ok {
		ir.WalkDecision(u.Decision, func(d ir.Decision) {
			switch d := d.(type) {
			case *ir.Leaf:
				d.Variant.Decl = one[d.Variant.Decl]
			case *ir.ByPresence:
				for _, g := range d.Guards {
					g.Variant.Decl = one[g.Variant.Decl]
				}
			}
		})
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
	for _, other := range equal {
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
