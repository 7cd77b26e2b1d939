package lower

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/spec"
)

// union lowers the branches of an anyOf to variants. A branch that is a union
// itself gives its variants; one that is not an object gets a declaration of
// its own, because only a declared type can be a variant.
func (l *lowerer) union(decl *ir.Decl, s *schema.Schema, at place) {
	u := decl.Type.(*ir.Union)
	for i, branch := range s.AnyOf {
		for _, v := range l.variants(branch, at, i) {
			addVariant(u, v)
		}
	}
}

// addVariant adds a variant that a union does not have yet.
func addVariant(u *ir.Union, v *ir.Variant) {
	if !slices.ContainsFunc(u.Variants, func(have *ir.Variant) bool { return have.Decl == v.Decl }) {
		u.Variants = append(u.Variants, v)
	}
}

func (l *lowerer) variants(s *schema.Schema, at place, i int) []*ir.Variant {
	l.refuseConst(s)
	if s.Ref != "" {
		def := l.definition(s.Ref)
		target := l.doc.Lookup(s.Ref)
		for target.Ref != "" {
			def, target = l.definition(target.Ref), l.doc.Lookup(target.Ref)
		}
		switch {
		case target.AnyOf != nil:
			return l.nested(target, place{def.Path, def.Name})
		case target.AllOf != nil || target.IsObject() && l.isStruct(target):
			return []*ir.Variant{{Decl: def, Boxed: true}}
		}
		// Aliases of builtin types cannot be variants; wrap them.
		return l.wrapped(&ir.Ref{Decl: def}, target, at, i)
	}
	if s.AnyOf != nil {
		return l.nested(s, at.branch(i))
	}
	for _, def := range l.doc.Definitions {
		if s.Types != nil && s.Types[0] == "array" && schema.Equal(def.Schema, s) {
			return []*ir.Variant{{Decl: l.definition(def.Name)}}
		}
	}
	if ref, ok := l.lowerType(s, at.branch(i)).(*ir.Ref); ok {
		if _, isEnum := l.resolveOrigin(ref.Decl); !isEnum {
			return []*ir.Variant{{Decl: ref.Decl, Boxed: true}}
		}
		return []*ir.Variant{{Decl: ref.Decl}}
	}
	return l.wrapped(nil, s, at, i)
}

func (l *lowerer) resolveOrigin(d *ir.Decl) (*schema.Schema, bool) {
	s := l.origin[d]
	return s, s != nil && s.Enum != nil
}

func (l *lowerer) nested(s *schema.Schema, at place) []*ir.Variant {
	var all []*ir.Variant
	for i, branch := range s.AnyOf {
		all = append(all, l.variants(branch, at, i)...)
	}
	return all
}

// wrapped declares a type for a branch that is no object: SamplingMessageContentList.
func (l *lowerer) wrapped(t ir.Type, s *schema.Schema, at place, i int) []*ir.Variant {
	suffix := "Scalar"
	if len(s.Types) == 1 {
		suffix = map[string]string{"array": "List", "object": "Object", "string": "String", "integer": "Number", "number": "Number", "boolean": "Boolean", "null": "Null"}[s.Types[0]]
	} else if s.Types == nil {
		l.fail(s, "a variant that accepts anything cannot be told apart")
		return nil
	}
	path := at.branch(i).path
	name, _ := l.overlay.name(path)
	if name == "" {
		name = at.name + suffix
		if _, taken := l.decls[name]; taken {
			name = at.branch(i).name
		}
	}
	decl := &ir.Decl{Name: name, Path: path, Pointer: s.Pointer}
	if other, ok := l.decls[name]; ok {
		l.fail(s, "the variant at %s has the Go name %s, which the type at %s has too (%s): an overlay row can name it", path, name, other.Path, other.Pointer)
		return nil
	}
	l.decls[name] = decl
	l.origin[decl] = s
	if t == nil {
		t = l.lowerType(s, place{path, name})
	}
	decl.Type = t
	return []*ir.Variant{{Decl: decl}}
}

// decide gives every union its decision.
func (l *lowerer) decide() {
	for _, decl := range l.sortedDecls() {
		u, ok := decl.Type.(*ir.Union)
		if !ok {
			continue
		}
		if row := l.overlay.contextOf(decl.Name); row != nil {
			l.byContext(decl, u, row)
			continue
		}
		d := decider{l: l, union: decl}
		u.Decision = d.decide(u.Variants)
	}
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
		if _, ok := object(v); !ok {
			l.failAt(decl.Pointer, "the overlay says that %s is known from its context, and its variant %s is no object with members", decl.Name, v.Decl.Name)
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
	l.failAt(decl.Pointer, "the overlay names %s as the variant of %s that accepts all, and it is none of its variants", r.it.Catchall, decl.Name)
}

// decider finds the decision of one union: by kind, then by a const member,
// then by members that must be there, then by overlay rows.
type decider struct {
	l     *lowerer
	union *ir.Decl
}

func (d *decider) decide(from []*ir.Variant) ir.Decision {
	if len(from) == 0 {
		return nil
	}
	if byKind := d.byKind(from); byKind != nil {
		return byKind
	}
	return d.sameKind(from)
}

// byKind always looks at the kind first, so that a decoder never asks for the
// members of something that is no object.
func (d *decider) byKind(from []*ir.Variant) ir.Decision {
	cases := map[ir.Kind][]*ir.Variant{}
	for _, v := range from {
		for _, kind := range kinds(v.Decl.Type) {
			cases[kind] = append(cases[kind], v)
		}
	}
	byKind := &ir.ByKind{}
	for _, kind := range []ir.Kind{ir.KindObject, ir.KindArray, ir.KindString, ir.KindNumber, ir.KindBoolean, ir.KindNull} {
		if len(cases[kind]) > 0 {
			byKind.Cases = append(byKind.Cases, ir.KindCase{Kind: kind, Then: d.sameKind(cases[kind])})
		}
	}
	return byKind
}

func (d *decider) sameKind(from []*ir.Variant) ir.Decision {
	if len(from) == 1 {
		return &ir.Leaf{Variant: from[0]}
	}
	if byConst := d.byConst(from); byConst != nil {
		return byConst
	}
	return d.byPresence(from)
}

// byConst looks for the member whose possible values split the variants best.
func (d *decider) byConst(from []*ir.Variant) ir.Decision {
	var best *ir.ByConst
	var bestScore int
	first, ok := object(from[0])
	if !ok {
		return nil
	}
	for _, f := range first.Fields {
		cases, absent, ok := split(from, f.Wire)
		if !ok {
			continue
		}
		largest := len(absent)
		for _, c := range cases {
			largest = max(largest, len(c.variants))
		}
		if largest == len(from) {
			continue
		}
		score := len(cases)*2 - len(absent)
		if best != nil && score <= bestScore {
			continue
		}
		best, bestScore = &ir.ByConst{Member: f.Wire}, score
		for _, c := range cases {
			best.Cases = append(best.Cases, ir.ConstCase{Value: c.value, Then: d.sameKind(c.variants)})
		}
		if len(absent) > 0 {
			best.Absent = d.sameKind(absent)
		}
	}
	if best == nil {
		return nil
	}
	return best
}

type constCase struct {
	value    any
	variants []*ir.Variant
}

// split sorts the variants by the values a member can have. It fails when one
// of them lets the member have any value.
func split(from []*ir.Variant, member string) (cases []constCase, absent []*ir.Variant, ok bool) {
	for _, v := range from {
		values, optional, ok := closedValues(v, member)
		if !ok {
			return nil, nil, false
		}
		if optional {
			absent = append(absent, v)
		}
		for _, value := range values {
			if len(cases) > 0 && reflect.TypeOf(value) != reflect.TypeOf(cases[0].value) {
				return nil, nil, false // one look ahead finds strings or numbers, not both
			}
			i := slices.IndexFunc(cases, func(c constCase) bool { return c.value == value })
			if i < 0 {
				i = len(cases)
				cases = append(cases, constCase{value: value})
			}
			cases[i].variants = append(cases[i].variants, v)
		}
	}
	slices.SortFunc(cases, func(a, b constCase) int { return cmp.Compare(fmt.Sprint(a.value), fmt.Sprint(b.value)) })
	return cases, absent, true
}

// closedValues returns the values a variant's schema allows a member.
func closedValues(v *ir.Variant, member string) (values []any, optional, ok bool) {
	f := field(v, member)
	if f == nil {
		return nil, false, false
	}
	if f.Const != nil {
		return []any{f.Const}, !f.Required, true
	}
	if enum, isEnum := ir.Resolve(f.Type).(*ir.Enum); isEnum {
		for _, value := range enum.Values {
			values = append(values, value.Wire)
		}
		return values, !f.Required, true
	}
	return nil, false, false
}

func object(v *ir.Variant) (*ir.Object, bool) {
	o, ok := ir.Resolve(v.Decl.Type).(*ir.Object)
	return o, ok
}

func field(v *ir.Variant, member string) *ir.Field {
	o, ok := object(v)
	if !ok {
		return nil
	}
	for _, f := range o.Fields {
		if f.Wire == member {
			return f
		}
	}
	return nil
}

// kinds returns the JSON kinds a type's values have.
func kinds(t ir.Type) []ir.Kind {
	switch t := ir.Resolve(t).(type) {
	case *ir.Object, *ir.Map, *ir.Open:
		return []ir.Kind{ir.KindObject}
	case *ir.Array:
		return []ir.Kind{ir.KindArray}
	case *ir.String, *ir.Enum:
		return []ir.Kind{ir.KindString}
	case *ir.Integer, *ir.Number:
		return []ir.Kind{ir.KindNumber}
	case *ir.Boolean:
		return []ir.Kind{ir.KindBoolean}
	case *ir.Scalar:
		var all []ir.Kind
		for _, k := range []struct {
			in   bool
			kind ir.Kind
		}{{t.Kinds.Text, ir.KindString}, {t.Kinds.Integer || t.Kinds.Number, ir.KindNumber}, {t.Kinds.Boolean, ir.KindBoolean}, {t.Kinds.Null, ir.KindNull}} {
			if k.in {
				all = append(all, k.kind)
			}
		}
		return all
	}
	return nil
}
