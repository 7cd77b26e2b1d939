package diff

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// array returns the elements of an alternative, whose length they limit as well. It returns false if no array is left.
func (b *schemaBuilder) array(w *way, f *form) (*array, bool) {
	a := &array{}
	for i := range f.prefix {
		shape := b.shape(w.element(i)...)
		if shape.set.empty() {
			f.span = f.And(jsonschema.AtMost(int64(i)))
			break
		}
		a.Prefix = append(a.Prefix, shape)
	}
	if rest := w.element(f.prefix); len(rest) > 0 && len(a.Prefix) == f.prefix {
		if a.Items = b.shape(rest...); a.Items.set.impossible() {
			f.span = f.And(jsonschema.AtMost(int64(f.prefix)))
			a.Items = nil
		} else if a.Items.set.everything() && a.Items.About == (about{}) {
			a.Items = nil
		}
	}
	for _, n := range f.counts {
		switch {
		case always(n.of):
			f.span = f.And(n.span)
		case never(n.of) && n.Low.At != nil:
			return nil, false
		}
	}
	return a, !f.Empty()
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

// object returns the members of an alternative. It returns false if no object is left.
func (b *schemaBuilder) object(w *way, f *form) (*object, bool) {
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
	return o, !f.And(o.size()).Empty()
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

// size returns the numbers of members that follow from these.
func (o *object) size() span {
	least := int64(0)
	for _, m := range o.Members {
		if m.Required {
			least++
		}
	}
	size := jsonschema.AtLeast(least)
	if o.Closed && len(o.Patterns) == 0 {
		size = size.And(jsonschema.AtMost(int64(len(o.Members))))
	}
	return size
}

// empty reports whether a set has no alternatives. It returns false while they are being made.
func (s *set) empty() bool { return !s.busy && len(s.alts()) == 0 && !s.busy }

// impossible and everything report whether a set is obviously empty, or obviously unrestricted.
func (s *set) impossible() bool { return s.fill == nil && !s.busy && len(s.list) == 0 }
func (s *set) everything() bool {
	return s.fill == nil && !s.busy && len(s.list) == 1 && s.list[0].kinds == kindAny && !s.list[0].conditional
}
