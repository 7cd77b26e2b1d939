package diff

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

func numberOf(all []*jsonschema.Schema, whole bool) (*number, bool) {
	n := &number{}
	if whole {
		n.Step = big.NewRat(1, 1)
	}
	for _, s := range all {
		n.span = n.and(ends(s))
		if step := rational(string(s.MultipleOf)); step != nil && step.Sign() > 0 {
			n.Step = common(n.Step, step)
		}
	}
	n.Low, n.High = n.Low.onto(n.Step), n.High.onto(n.Step)
	return n, !n.empty()
}

// common returns the least common multiple.
func common(x, y *big.Rat) *big.Rat {
	if x == nil {
		return y
	}
	// lcm(a/b, c/d) = lcm(a, c) / gcd(b, d), the fractions being in lowest terms.
	product := new(big.Int).Mul(x.Num(), y.Num())
	least := new(big.Int).Div(product, new(big.Int).GCD(nil, nil, x.Num(), y.Num()))
	return new(big.Rat).SetFrac(least, new(big.Int).GCD(nil, nil, x.Denom(), y.Denom()))
}

// divides reports whether every multiple of y is a multiple of x.
func divides(x, y *big.Rat) bool {
	switch {
	case x == nil:
		return true
	case y == nil:
		return false
	}
	return new(big.Rat).Quo(y, x).IsInt()
}

func textOf(all []*jsonschema.Schema) (*text, bool) {
	t := &text{}
	for _, s := range all {
		if s.Format != "" {
			t.Formats = append(t.Formats, s.Format)
		}
		if s.Pattern != nil && *s.Pattern != "" {
			t.Patterns = append(t.Patterns, *s.Pattern)
		}
		t.Length = t.Length.and(countSpan(s.MinLength, s.MaxLength))
	}
	for _, list := range []*[]string{&t.Formats, &t.Patterns} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return t, !t.Length.empty()
}

func countSpan(least, most *int64) span {
	var s span
	if least != nil && *least > 0 {
		s = atLeast(*least)
	}
	if most != nil {
		s = s.and(atMost(*most))
	}
	return s
}

func (b *schemaBuilder) array(w *way) (*array, bool) {
	a := &array{}
	prefix := 0
	for _, s := range w.all {
		a.Length = a.Length.and(countSpan(s.MinItems, s.MaxItems))
		a.Unique = a.Unique || s.UniqueItems
		prefix = max(prefix, len(s.PrefixItems))
	}
	for i := range prefix {
		shape := b.shape(w.element(i)...)
		if shape.set.empty() {
			a.Length = a.Length.and(atMost(int64(i)))
			break
		}
		a.Prefix = append(a.Prefix, shape)
	}
	if rest := w.element(prefix); len(rest) > 0 && len(a.Prefix) == prefix {
		if a.Items = b.shape(rest...); a.Items.set.impossible() {
			a.Length = a.Length.and(atMost(int64(prefix)))
			a.Items = nil
		} else if a.Items.set.everything() && a.Items.About == (about{}) {
			a.Items = nil
		}
	}
	for _, s := range w.all {
		if s.Contains == nil {
			continue
		}
		count := countSpan(s.MinContains, s.MaxContains)
		if s.MinContains == nil {
			count = count.and(atLeast(1))
		}
		if always(s.Contains) {
			a.Length = a.Length.and(count)
			continue
		}
		if never(s.Contains) && count.Low.at != nil {
			return nil, false
		}
	}
	return a, !a.Length.empty()
}

// element returns the schemas that apply to the element at index i, as far as choices that are left do not decide it.
func (w *way) element(i int) (list []*jsonschema.Schema) {
	for _, s := range w.all {
		if element := s.Element(i); element != nil {
			list = append(list, element)
		}
		if s.UnevaluatedItems == nil {
			continue
		}
		group, clear := w.applied(s)
		if clear && !slices.ContainsFunc(group, func(g *jsonschema.Schema) bool {
			return g.Items != nil || i < len(g.PrefixItems) || g.Contains != nil || g != s && g.UnevaluatedItems != nil
		}) {
			list = append(list, s.UnevaluatedItems)
		}
	}
	return list
}

// applied returns the schemas of the way that apply to a value because s does, including s. clear is false if that
// depends on a choice that is left.
func (w *way) applied(s *jsonschema.Schema) (group []*jsonschema.Schema, clear bool) {
	group = reach(nil, s, func(s *jsonschema.Schema) []*jsonschema.Schema {
		list := slices.Concat([]*jsonschema.Schema{s.Target, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf)
		for _, d := range s.DependentSchemas {
			list = append(list, d.Schema)
		}
		return slices.DeleteFunc(list, func(one *jsonschema.Schema) bool { return !slices.Contains(w.all, one) })
	})
	return group, !slices.ContainsFunc(w.unions, func(u *union) bool { return !u.refuses && slices.Contains(group, u.of) })
}

func (b *schemaBuilder) object(w *way) (*object, bool) {
	o := &object{}
	members := map[string]*member{}
	add := func(name, object, pointer string) *member {
		at, implied := b.member(object, pointer, name)
		if members[name] == nil {
			members[name] = &member{Name: name, Where: at}
		}
		members[name].Implied = members[name].Implied || implied
		return members[name]
	}
	for _, s := range w.all {
		o.Size = o.Size.and(countSpan(s.MinProperties, s.MaxProperties))
		for _, p := range s.Properties {
			add(p.Name, s.Pointer, p.Schema.Pointer)
		}
	}
	for _, s := range w.all {
		for _, name := range s.Required {
			add(name, s.Pointer, s.Pointer).Required = true
		}
	}
	o.find = func(name string) *Shape { return b.shape(w.members(name, "")...) }
	if rest := w.members("", noPattern); len(rest) > 0 {
		if shape := b.shape(rest...); shape.set.impossible() {
			o.Closed = true
		} else {
			o.Map = true
			if !shape.set.everything() {
				o.Rest = shape
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		m := members[name]
		m.Implied, m.Shape = m.Implied && !m.Required, b.shape(w.members(name, "")...)
		if m.Required && m.Shape.set.empty() {
			return nil, false
		}
		o.Members = append(o.Members, m)
	}
	b.patterns(o, w)
	return o, !o.size().empty()
}

// member returns the place of a member whose schema is at a pointer. implied is true if the schema of the object
// requires the member, but receivers do not.
func (b *schemaBuilder) member(object, pointer, name string) (at Place, implied bool) {
	if b.names == nil {
		return Place{Pointer: pointer}, false
	}
	return b.names.member(object, pointer, name)
}

// patterns adds the members whose names match a pattern.
func (b *schemaBuilder) patterns(o *object, w *way) {
	for _, s := range w.all {
		for _, p := range s.PatternProperties {
			if slices.ContainsFunc(o.Patterns, func(m *member) bool { return m.Name == p.Name }) {
				continue
			}
			shape := b.shape(w.members("", p.Name)...)
			o.Patterns = append(o.Patterns, &member{Name: p.Name, Shape: shape, Where: Place{Pointer: p.Schema.Pointer}})
		}
	}
	slices.SortFunc(o.Patterns, func(x, y *member) int { return strings.Compare(x.Name, y.Name) })
}

const noPattern = "\x00"

// members returns the schemas of a member: the member with the given name, a member whose
// name matches only the given pattern, or, with noPattern, a member whose name matches nothing.
func (w *way) members(name, pattern string) []*jsonschema.Schema {
	own := func(s *jsonschema.Schema) (list []*jsonschema.Schema) {
		if p := s.Property(name); p != nil && pattern == "" {
			list = append(list, p)
		}
		for _, p := range s.PatternProperties {
			if pattern != "" && p.Name == pattern || pattern == "" && jsonschema.Matches(p.Name, name) {
				list = append(list, p.Schema)
			}
		}
		if len(list) == 0 && s.AdditionalProperties != nil {
			list = append(list, s.AdditionalProperties)
		}
		return list
	}
	var list []*jsonschema.Schema
	for _, s := range w.all {
		list = append(list, own(s)...)
		if s.UnevaluatedProperties == nil {
			continue
		}
		group, clear := w.applied(s)
		if clear && !slices.ContainsFunc(group, func(g *jsonschema.Schema) bool { return len(own(g)) > 0 || g != s && g.UnevaluatedProperties != nil }) {
			list = append(list, s.UnevaluatedProperties)
		}
	}
	return list
}

// size returns the possible numbers of members, including limits that follow from other
// constraints.
func (o *object) size() span {
	least := int64(0)
	for _, m := range o.Members {
		if m.Required {
			least++
		}
	}
	if o.Closed && len(o.Patterns) == 0 {
		return o.Size.and(atLeast(least)).and(atMost(int64(len(o.Members))))
	}
	return o.Size.and(atLeast(least))
}

// empty reports whether a set has no alternatives. It returns false while they are being made.
func (s *set) empty() bool { return !s.busy && len(s.alts()) == 0 && !s.busy }

// impossible and everything report whether a set is obviously empty, or obviously unrestricted.
func (s *set) impossible() bool { return s.fill == nil && !s.busy && len(s.list) == 0 }
func (s *set) everything() bool {
	return s.fill == nil && !s.busy && len(s.list) == 1 && s.list[0].kinds == kindAny && !s.list[0].conditional
}
