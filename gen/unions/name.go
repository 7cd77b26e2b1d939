package unions

import (
	"cmp"
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// Naming describes a variant of a union whose schema is not the only one with its Go name.
type Naming struct {
	// Title and Definition are the title of the variant's schema and the name of its
	// definition, or "".
	Title, Definition string
	// Object is the type of the variant, or nil if it is not an object.
	Object *ir.Object
}

// maxTitle is the length of the longest title that makes a name. Longer ones are sentences.
const maxTitle = 40

// Names returns a name for each variant of a union: its title, else the name of its definition,
// else the constant that distinguishes it from the others, else a member that only it requires.
// Names are different or "". They are not Go identifiers yet.
func Names(variants []Naming) []string {
	names := make([]string, len(variants))
	constants, members := constantsOf(variants), ownMembersOf(variants)
	for i, v := range variants {
		title := v.Title
		if len(title) > maxTitle {
			title = ""
		}
		same := func(name func(Naming) string) bool {
			count := 0
			for _, other := range variants {
				if name(other) == name(v) {
					count++
				}
			}
			return count > 1
		}
		if same(func(n Naming) string { return n.Title }) {
			title = ""
		}
		definition := v.Definition
		if same(func(n Naming) string { return n.Definition }) {
			definition = ""
		}
		names[i] = cmp.Or(title, definition, constants[i], members[i])
	}
	for i, name := range names {
		if slices.Index(names, name) < i {
			names[i] = ""
		}
	}
	return names
}

// constantsOf returns the values of the first member that has another constant in each
// variant.
func constantsOf(variants []Naming) []string {
	none := make([]string, len(variants))
	if len(variants) == 0 || variants[0].Object == nil {
		return none
	}
	for _, f := range variants[0].Object.Fields {
		var found []string
		for _, v := range variants {
			if text := constant(v.Object, f.Wire); text != "" && !slices.Contains(found, text) {
				found = append(found, text)
			}
		}
		if len(found) == len(variants) {
			return found
		}
	}
	return none
}

func constant(o *ir.Object, member string) string {
	f := o.Field(member)
	if f == nil {
		return ""
	}
	text, _ := f.Const.(string)
	return text
}

// ownMembersOf returns for each variant the first member that it requires and no other has, if
// each has one.
func ownMembersOf(variants []Naming) []string {
	found := make([]string, len(variants))
	for i, v := range variants {
		if v.Object == nil {
			return make([]string, len(variants))
		}
		for _, f := range v.Object.Fields {
			known := slices.ContainsFunc(variants, func(other Naming) bool {
				return other.Object != nil && other.Object != v.Object &&
					slices.ContainsFunc(other.Object.Fields, func(o *ir.Field) bool { return o.Wire == f.Wire })
			})
			if f.Required && !known {
				found[i] = f.Wire
				break
			}
		}
		if found[i] == "" {
			return make([]string, len(variants))
		}
	}
	return found
}
