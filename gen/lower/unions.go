package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/gen/unions"
	"github.com/mcpgen/mcpgen/spec"
)

// union lowers the branches of an anyOf to variants. A branch that is a union contributes its
// variants. A branch that is not an object gets a declaration, because only a declared type can
// be a variant.
func (l *lowerer) union(decl *ir.Decl, s *schema.Schema, at place) {
	u := decl.Type.(*ir.Union)
	for i, branch := range s.AnyOf {
		for _, v := range l.variants(branch, at, l.branch(s, at, i)) {
			addVariant(u, v)
		}
	}
}

// addVariant adds a variant unless the union has it already.
func addVariant(u *ir.Union, v *ir.Variant) {
	if !slices.ContainsFunc(u.Variants, func(have *ir.Variant) bool { return have.Decl == v.Decl }) {
		u.Variants = append(u.Variants, v)
	}
}

// branch returns the place of the i-th alternative of a union. Its name ends in what
// [unions.Names] finds, and in a number if that is nothing or the name of another type.
func (l *lowerer) branch(union *schema.Schema, at place, i int) place {
	branches := make([]unions.Naming, len(union.AnyOf))
	for j, s := range union.AnyOf {
		branches[j] = unions.Naming{Title: s.Title, Object: outline(s)}
	}
	path, name := fmt.Sprintf("%s|%d", at.path, i), ""
	if word := unions.Names(branches)[i]; word != "" {
		name = at.name + l.names.Exported(word)
	}
	if other := l.decls[name]; name == "" || other != nil && !same(l.origin[other], union.AnyOf[i]) {
		name = fmt.Sprintf("%sOption%d", at.name, i+1)
	}
	return place{path, name}
}

// outline returns the members of an object that Names looks at, and nil for other schemas.
func outline(s *schema.Schema) *ir.Object {
	if !s.IsObject() {
		return nil
	}
	o := &ir.Object{}
	for _, p := range s.Properties {
		o.Fields = append(o.Fields, &ir.Field{Wire: p.Name, Const: p.Schema.Const, Required: slices.Contains(s.Required, p.Name)})
	}
	return o
}

// variants returns the variants of an alternative of the union at a place.
func (l *lowerer) variants(s *schema.Schema, at, branch place) []*ir.Variant {
	if s.Ref != "" {
		def := l.defined[s.Ref]
		target := l.doc.Lookup(s.Ref)
		for target.Ref != "" {
			def, target = l.defined[target.Ref], l.doc.Lookup(target.Ref)
		}
		switch {
		case target.AnyOf != nil:
			return l.nested(target, place{def.Path, def.Name})
		case target.IsObject() && l.isStruct(target):
			return []*ir.Variant{{Decl: def, Boxed: true}}
		}
		// An alias of a builtin type cannot be a variant, because it has no methods.
		return l.wrapped(&ir.Ref{Decl: def}, target, at, branch)
	}
	switch {
	case s.AnyOf != nil:
		return l.nested(s, branch)
	case len(s.Types) > 1:
		return l.wrapped(nil, s, at, branch)
	}
	for _, def := range l.doc.Definitions {
		if s.Types != nil && s.Types[0] == "array" && schema.Equal(def.Schema, s) && l.defined[def.Name].Import == "" {
			return []*ir.Variant{{Decl: l.defined[def.Name]}}
		}
	}
	if ref, ok := l.lowerType(s, branch).(*ir.Ref); ok {
		origin := l.origin[ref.Decl]
		return []*ir.Variant{{Decl: ref.Decl, Boxed: origin == nil || origin.Enum == nil}}
	}
	return l.wrapped(nil, s, at, branch)
}

func (l *lowerer) nested(s *schema.Schema, at place) []*ir.Variant {
	var all []*ir.Variant
	for i, branch := range s.AnyOf {
		all = append(all, l.variants(branch, at, l.branch(s, at, i))...)
	}
	return all
}

// wrapped declares a type for a branch that is not an object, such as
// SamplingMessageContentList.
func (l *lowerer) wrapped(t ir.Type, s *schema.Schema, at, branch place) []*ir.Variant {
	suffix := "Scalar"
	if len(s.Types) == 1 {
		suffix = map[string]string{"array": "List", "object": "Object", "string": "String", "integer": "Number", "number": "Number", "boolean": "Boolean", "null": "Null"}[s.Types[0]]
	} else if s.Types == nil && !l.lenient {
		l.fail(s, "a variant that accepts any value cannot be distinguished from the others")
		return nil
	}
	path := branch.path
	name, _ := l.overlay.name(path)
	if name == "" {
		name = at.name + suffix
		if _, taken := l.decls[name]; taken {
			name = branch.name
		}
	}
	if l.lenient && l.decls[name] != nil {
		name = l.free(path)
	}
	decl := &ir.Decl{Name: name, Path: path, Pointer: s.Pointer}
	if other, ok := l.decls[name]; ok {
		l.fail(s, "the variant at %s has the Go name %s, which the type at %s has too (%s); %s", path, name, other.Path, other.Pointer, l.nameRow(path))
		return nil
	}
	l.decls[name] = decl
	l.origin[decl] = s
	if t == nil && len(s.Types) > 1 {
		t = l.scalar(s)
	} else if t == nil {
		t = l.lowerType(s, place{path, name})
	}
	decl.Type = t
	return []*ir.Variant{{Decl: decl}}
}

// decide sets the decision of every union.
func (l *lowerer) decide() {
	for _, decl := range l.sortedDecls() {
		u, ok := decl.Type.(*ir.Union)
		if !ok {
			continue
		}
		if row := first(l.overlay, func(r spec.ContextRow) bool { return r.Union == decl.Name }); row != nil {
			l.byContext(decl, u, row)
			continue
		}
		u.Decision = l.decider(decl).Decide(u.Variants)
	}
}

func (l *lowerer) decider(union *ir.Decl) *unions.Decider {
	return &unions.Decider{
		When: func(v *ir.Variant) ([]string, bool) {
			path, row := l.overlay.when(v.Decl.Name)
			return path, row != nil
		},
		Used: func(v *ir.Variant) {
			_, row := l.overlay.when(v.Decl.Name)
			row.use()
		},
		Overlap: func() {
			if s := l.origin[union]; s != nil {
				l.doc.Keep(s)
			}
		},
		Fail: func(a, b, odd *ir.Variant, member string) {
			if odd == nil {
				l.failName(union.Pointer, "variants %s and %s of %s cannot be distinguished by kind, const or required members; a row of unions in overlay.yaml says how: {variant: %s, when: MEMBER, since: %q}", a.Decl.Name, b.Decl.Name, union.Name, a.Decl.Name, l.doc.Revision)
				return
			}
			if f := odd.Decl.Field(member); f != nil {
				cure := ""
				if _, text := ir.Resolve(f.Type).(*ir.String); text && odd.Decl.Definition {
					cure = fmt.Sprintf("; a row of values in overlay.yaml can fix it: {at: %s.%s, value: VALUE, since: %q}", odd.Decl.Path, member, l.doc.Revision)
				}
				l.failName(union.Pointer, "the constants of member %q cannot distinguish the variants of %s, because variant %s allows any value for %q%s", member, union.Name, odd.Decl.Name, member, cure)
				return
			}
			l.failName(union.Pointer, "the constants of member %q cannot distinguish the variants of %s, because variant %s has no member %q; a row of unions in overlay.yaml says how to recognize %s where %q is absent: {variant: %s, when: %s, since: %q}", member, union.Name, odd.Decl.Name, member, odd.Decl.Name, member, odd.Decl.Name, ownMember(odd), l.doc.Revision)
		},
	}
}

// ownMember returns the first member that a variant requires, and MEMBER if it requires none.
func ownMember(v *ir.Variant) string {
	for _, f := range ir.Resolve(v.Decl.Type).(*ir.Object).Fields {
		if f.Required {
			return f.Wire
		}
	}
	return "MEMBER"
}

func (l *lowerer) sortedDecls() []*ir.Decl {
	var decls []*ir.Decl
	for _, d := range l.decls {
		decls = append(decls, d)
	}
	slices.SortFunc(decls, func(a, b *ir.Decl) int { return strings.Compare(a.Name, b.Name) })
	return decls
}

func (l *lowerer) byContext(decl *ir.Decl, u *ir.Union, r *row[spec.ContextRow]) {
	for _, v := range u.Variants {
		if _, ok := ir.Resolve(v.Decl.Type).(*ir.Object); !ok {
			l.failName(decl.Pointer, "%s: the row says that the variant of %s depends on the request, but variant %s is not an object with members", r.where, decl.Name, v.Decl.Name)
		}
	}
	for i, v := range u.Variants {
		if v.Decl.Name == r.it.Catchall {
			r.use()
			u.Context = true
			u.Variants = slices.Insert(slices.Delete(u.Variants, i, i+1), 0, v)
			u.Decision = &ir.Leaf{Variant: v}
			return
		}
	}
	l.failName(decl.Pointer, "%s: the row names %s as the variant of %s that accepts every value, but it is not one of its variants", r.where, r.it.Catchall, decl.Name)
}
