// Package unions decides how to distinguish the variants of a union without trying one after the other, which
// would accept values by accident and cost time that a peer controls. The variant is found by JSON kind, then
// by a constant member, then by the members that are present, for which the overlay may have a row. If none of
// these decides, generation fails.
package unions

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Decider finds the decision of one union: by kind, then by a const member, then by the
// presence of required members. Its functions may be nil.
type Decider struct {
	// When returns a path that only values of the variant v have, and whether such a path
	// is known from a source other than the schema.
	When func(v *ir.Variant) (path []string, ok bool)
	Used func(v *ir.Variant)
	// Overlap is called if several variants are strings, or several are numbers. All such values
	// then decode to one of them. If it is nil, Fail is called.
	Overlap func()
	// Fail is called with two variants that cannot be distinguished. If the values of a member would
	// distinguish them but for variant odd, which allows any value there or lacks the member, odd and member are set.
	// Odd may be one of the two.
	Fail func(a, b, odd *ir.Variant, member string)
}

// Decide returns the decision among variants, or nil if there are none. Their types must be
// complete.
func (d *Decider) Decide(from []*ir.Variant) ir.Decision {
	if len(from) == 0 {
		return nil
	}
	return d.byKind(from)
}

// byKind always checks the kind first, so that a decoder never reads members of a value
// that is not an object.
func (d *Decider) byKind(from []*ir.Variant) ir.Decision {
	cases := map[ir.Kind][]*ir.Variant{}
	for _, v := range from {
		for _, kind := range ir.Kinds(v.Decl.Type) {
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

func (d *Decider) sameKind(from []*ir.Variant) ir.Decision {
	if len(from) == 1 {
		return &ir.Leaf{Variant: from[0]}
	}
	if byConst := d.byConst(from); byConst != nil {
		return byConst
	}
	if widest := slices.MaxFunc(from, func(a, b *ir.Variant) int { return width(a) - width(b) }); d.Overlap != nil && !slices.ContainsFunc(from, func(v *ir.Variant) bool { return width(v) == 0 }) {
		d.Overlap()
		return &ir.Leaf{Variant: widest}
	}
	return d.byPresence(from)
}

// width sorts the scalar variants of one kind by the values that decode. It is 0 for others.
func width(v *ir.Variant) int {
	switch t := ir.Resolve(v.Decl.Type).(type) {
	case *ir.Scalar:
		if t.Kinds&(wire.KindInteger|wire.KindNumber) == wire.KindInteger {
			return 2
		}
		return 5
	case *ir.Number:
		return 4
	case *ir.String:
		if *t == (ir.String{}) {
			return 4
		}
		return 3
	case *ir.Integer, *ir.Boolean:
		return 2
	case *ir.Enum:
		return 1
	}
	return 0
}

// byConst chooses the member whose possible values split the variants best.
func (d *Decider) byConst(from []*ir.Variant) ir.Decision {
	first, ok := tagged(from)
	if !ok {
		return nil
	}
	member, best, bestScore := "", constSplit{}, 0
	for _, f := range first.Fields {
		s, ok := d.split(from, f.Wire)
		if !ok {
			continue
		}
		largest := len(s.absent)
		for _, c := range s.cases {
			largest = max(largest, len(c.variants))
		}
		if largest == len(from) {
			continue
		}
		if score := len(s.cases)*2 - len(s.absent); member == "" || score > bestScore {
			member, best, bestScore = f.Wire, s, score
		}
	}
	if member == "" {
		return nil
	}
	decision := &ir.ByConst{Member: member}
	for _, c := range best.cases {
		decision.Cases = append(decision.Cases, ir.ConstCase{Value: c.value, Then: d.sameKind(c.variants)})
	}
	for _, v := range best.without {
		d.Used(v)
	}
	switch {
	case len(best.absent) == 1 && len(best.without) == 1:
		guard := ir.Guard{Variant: best.without[0]}
		if when, _ := d.when(guard.Variant); len(when) > 0 {
			guard.Paths = [][]string{when}
		}
		decision.Absent = &ir.ByPresence{Guards: []ir.Guard{guard}}
	case len(best.absent) > 0:
		decision.Absent = d.sameKind(best.absent)
	}
	return decision
}

// tagged returns the first object of the variants that has a member with known values, and
// false if there is none or a variant is not an object.
func tagged(from []*ir.Variant) (first *ir.Object, ok bool) {
	for _, v := range from {
		o, isObject := object(v)
		if !isObject {
			return nil, false
		}
		if first == nil && slices.ContainsFunc(o.Fields, func(f *ir.Field) bool {
			_, _, closed := closedValues(v, f.Wire)
			return closed
		}) {
			first = o
		}
	}
	return first, first != nil
}

// constSplit groups variants by the values that a member can have.
type constSplit struct {
	cases []constCase
	// absent are the variants whose values may lack the member. Those of without do not
	// declare it, and have a path from When.
	absent, without []*ir.Variant
}

type constCase struct {
	value    any
	variants []*ir.Variant
}

// split groups the variants by the values that a member can have. It fails if a variant
// allows any value for the member, unless a path from When identifies the variant where the member
// is absent.
func (d *Decider) split(from []*ir.Variant, member string) (s constSplit, ok bool) {
	for _, v := range from {
		values, optional, ok := closedValues(v, member)
		if when, known := d.when(v); !ok && known && v.Decl.Field(member) == nil && (len(when) == 0 || when[0] != member) {
			s.without = append(s.without, v)
			optional, ok = true, true
		}
		if !ok {
			return s, false
		}
		if optional {
			s.absent = append(s.absent, v)
		}
		for _, value := range values {
			if len(s.cases) > 0 && reflect.TypeOf(value) != reflect.TypeOf(s.cases[0].value) {
				return s, false // one look-ahead finds strings or numbers, not both
			}
			i := slices.IndexFunc(s.cases, func(c constCase) bool { return c.value == value })
			if i < 0 {
				i = len(s.cases)
				s.cases = append(s.cases, constCase{value: value})
			}
			s.cases[i].variants = append(s.cases[i].variants, v)
		}
	}
	slices.SortFunc(s.cases, func(a, b constCase) int { return cmp.Compare(fmt.Sprint(a.value), fmt.Sprint(b.value)) })
	return s, len(s.cases) > 0
}

// odd returns a variant that keeps a member from distinguishing the others, among which are a
// and b, and that member. It returns nil if there is none.
func odd(from []*ir.Variant, a, b *ir.Variant) (v *ir.Variant, member string) {
	o, ok := object(a)
	if !ok {
		return nil, ""
	}
	for _, f := range o.Fields {
		of, _, known := closedValues(a, f.Wire)
		against, _, alsoKnown := closedValues(b, f.Wire)
		if !known || !alsoKnown || slices.ContainsFunc(of, func(value any) bool { return slices.Contains(against, value) }) {
			continue
		}
		for _, v := range from {
			if _, _, known := closedValues(v, f.Wire); !known {
				return v, f.Wire
			}
		}
	}
	return nil, ""
}

// open returns the one of two variants that allows any string for a member whose values the other one lists, and that
// member. It returns nil if there is none.
func open(a, b *ir.Variant) (v *ir.Variant, member string) {
	for _, pair := range [][2]*ir.Variant{{a, b}, {b, a}} {
		tagged, ok := object(pair[0])
		if !ok {
			return nil, ""
		}
		for _, f := range tagged.Fields {
			rival := pair[1].Decl.Field(f.Wire)
			if _, _, closed := closedValues(pair[0], f.Wire); !closed || rival == nil || rival.Const != nil {
				continue
			}
			if _, text := ir.Resolve(rival.Type).(*ir.String); text {
				return pair[1], f.Wire
			}
		}
	}
	return nil, ""
}

// closedValues returns the values that a variant's schema allows for a member.
func closedValues(v *ir.Variant, member string) (values []any, optional, ok bool) {
	f := v.Decl.Field(member)
	if f == nil {
		return nil, false, false
	}
	if f.Const != nil {
		return []any{f.Const}, !f.Required || f.Default != "", true
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
