package typing

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/names"
)

// spot is a place in a document.
type spot struct {
	// base is the name that the names of types there begin with, and trail has their other parts. given is the
	// definition that gives them the base by its x-go-name, or nil if that is the name of the document.
	base  string
	trail []string
	given *origin
	// within means that the place is a definition or within one.
	within bool
	// path is the name of the place in comments.
	path, pointer string
	// siblings are the Go names of the members beside the one that leads here.
	siblings []string
}

// named returns a place whose types have one more part in their names.
func (at spot) named(part string) spot {
	at.trail, at.siblings = append(slices.Clip(at.trail), part), nil
	return at
}

func (at spot) member(wire, goName, pointer string, siblings []string) spot {
	at = at.named(goName)
	at.path, at.pointer, at.siblings = strings.TrimPrefix(at.path+"."+wire, "."), pointer, siblings
	return at
}

func (at spot) element() spot {
	at = at.one("Item")
	at.path += "[]"
	return at
}

func (at spot) value() spot {
	at = at.one("Value")
	at.path += "{}"
	return at
}

// one returns the place of an element of several values. Its name is the singular of their name, unless there
// is none or a member beside them has that name; then it ends in otherwise.
func (at spot) one(otherwise string) spot {
	if last := len(at.trail) - 1; last >= 0 {
		if one := names.Singular(at.trail[last]); one != at.trail[last] && !slices.Contains(at.siblings, one) {
			at.trail = at.trail[:last]
			return at.named(one)
		}
	}
	return at.named(otherwise)
}

// The lengths of names, in bytes.
const (
	longestType     = 60
	longestConstant = 70
)

// typeName returns the name of a type: base and the parts of trail. A part that repeats is written once with a
// count. If the name would be too long, the first parts are left out.
func typeName(base string, trail []string) string {
	var parts []string
	for i := 0; i < len(trail); {
		n := 1
		for i+n < len(trail) && trail[i+n] == trail[i] {
			n++
		}
		part := trail[i]
		if i == 0 {
			switch part { // so that the name is not that of the arguments of another tool
			case string(inputs):
				part = "In"
			case string(outputs):
				part = "Out"
			}
		}
		if n > 1 {
			part = fmt.Sprintf("%s%d", part, n)
		}
		parts = append(parts, part)
		i += n
	}
	for len(parts) > 1 && len(base)+len(strings.Join(parts, "")) > longestType {
		parts = parts[1:]
	}
	return base + shortened(strings.Join(parts, ""), max(longestType-len(base), longestType/3))
}

// shortened returns the words of an identifier that fit in a length.
func shortened(identifier string, longest int) string {
	if len(identifier) <= longest {
		return identifier
	}
	if end := strings.LastIndexFunc(identifier[:longest+1], unicode.IsUpper); end > 0 {
		return identifier[:end]
	}
	return strings.ToValidUTF8(identifier[:longest], "")
}

// newDecl declares a type at a place, and returns the place of what the type consists of. Its name depends on nothing
// but its document, so that it stays the same when other items are added.
func (t *typer) newDecl(at spot) (*ir.Decl, spot) {
	base := typeName(at.base, at.trail)
	name := names.Unique(base, func(name string) bool { return t.here[name] || at.given == nil && t.declaredHere(name) })
	if last := len(at.trail) - 1; name != base && last >= 0 {
		at.trail = append(slices.Clip(at.trail[:last]), at.trail[last]+strings.TrimPrefix(name, base))
	}
	decl := &ir.Decl{Name: name, Path: at.path, Pointer: at.pointer}
	t.decls = append(t.decls, decl)
	from := &origin{document: t.document}
	if at.within {
		from.within = names.Unique(typeName("", at.trail), func(name string) bool { return t.within[name] })
		t.within[from.within] = true
	}
	t.origins[decl] = from
	t.here[name] = true
	if at.given == nil {
		t.take(at.pointer, name, "Unknown"+name)
	} else {
		from.goName, from.pointer = name, at.given.pointer
	}
	return decl, at
}

// declaredHere reports whether a name is taken by the item whose types are being made, or by other generated files.
func (t *typer) declaredHere(name string) bool {
	for _, name := range []string{name, "Unknown" + name} {
		if owner := t.taken[name]; owner == t.document.item || owner == generatedFiles {
			return true
		}
	}
	return false
}

// generatedFiles owns the names that other generated files declare.
const generatedFiles = "other generated files"

// take gives names to the item whose types are being made. It is an error if two items need the same name,
// because a name that distinguishes them would change when another item is added.
func (t *typer) take(pointer string, names ...string) {
	for _, name := range names {
		if owner, ok := t.taken[name]; ok && owner != t.document.item {
			t.failf(pointer, "its type needs the Go name %s, which %s has; x-go-name gives one of the two another", name, owner)
			return
		}
		t.taken[name] = t.document.item
	}
}

// constants returns the names of the constants of an enum. A name that would be too long has fewer words of its value,
// or the number of the value if the words do not distinguish it.
func (t *typer) constants(d *ir.Decl, values []ir.EnumValue) []string {
	wires := make([]string, len(values))
	for i, v := range values {
		wires[i] = v.Wire
	}
	all := t.names.Constants(d.Name, wires, func(name string) bool { return t.declaredHere(name) })
	short, count := make([]string, len(all)), map[string]int{}
	for i, name := range all {
		short[i] = shortened(name, longestConstant)
		count[short[i]]++
	}
	for i, name := range short {
		if name != all[i] && (count[name] > 1 || len(name) <= len(d.Name) || t.declaredHere(name)) {
			short[i] = all[i]
			for number := "Value"; t.declaredHere(short[i]) || short[i] == all[i]; number += "Value" {
				short[i] = fmt.Sprintf("%s%s%d", d.Name, number, i+1)
			}
		}
	}
	return short
}
