package convert

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The methods below append to dst, so that a value is converted in one pass however deep the
// differences are. What they append after a refusal has no meaning.

// value appends the value at the current path, converted.
func (c *Conversion) value(dst []byte, rule Rule, v wire.Raw) []byte {
	if rule == unchanged || c.err != nil {
		return append(dst, v...)
	}
	s, start := &c.shapes[rule], len(dst)
	dst = c.shaped(dst, s, v)
	if s.Checks != nil && c.err == nil {
		c.check(s, wire.Raw(dst[start:]))
	}
	return dst
}

// check refuses a converted value that does not satisfy the schemas of a shape.
func (c *Conversion) check(s *Shape, converted wire.Raw) {
	for _, check := range s.Checks {
		if err := schema.Check(converted, check); err != nil {
			c.Refuse(cmp.Or(s.Reason, "the other revision does not allow this value: "+wire.ProblemsOf(err)[0].String()))
			return
		}
	}
}

// shaped appends the value at the current path, converted by a shape but not checked.
func (c *Conversion) shaped(dst []byte, s *Shape, v wire.Raw) []byte {
	switch {
	case s.Cases != nil:
		return c.union(dst, s, v)
	case v.Kind() == wire.KindObject:
		return c.object(dst, s, v)
	case v.Kind() == wire.KindArray && s.Each != unchanged:
		return c.array(dst, s, v)
	}
	return append(dst, v...)
}

// below appends a converted member or element of the value at the current path.
func (c *Conversion) below(dst []byte, name string, rule Rule, v wire.Raw) []byte {
	if rule == unchanged {
		return append(dst, v...)
	}
	if c.path == nil {
		c.path = c.few[:0]
	}
	c.path = append(c.path, name)
	dst = c.value(dst, rule, v)
	c.path = c.path[:len(c.path)-1]
	return dst
}

// union converts a value by the first case that matches.
func (c *Conversion) union(dst []byte, s *Shape, v wire.Raw) []byte {
	for i := range s.Cases {
		k := &s.Cases[i]
		if !k.matches(v) {
			continue
		}
		if k.Refuse != "" {
			c.Refuse(k.Refuse)
			return dst
		}
		if k.Replace != "" {
			c.Lose(k.Lose)
			c.changed = true
			return append(dst, k.Replace...)
		}
		if k.Rewrite != "" {
			v = c.rewrite(k.Rewrite, v)
		}
		return c.value(dst, k.Rule, v)
	}
	if s.Otherwise != "" {
		c.Refuse(s.Otherwise)
	}
	return append(dst, v...)
}

// rewrite rewrites the value at the current path by a function.
func (c *Conversion) rewrite(name string, v wire.Raw) wire.Raw {
	f, ok := policies()[name]
	if !ok {
		c.Refuse(unknownFunction(name))
		return v
	}
	rewritten := f(c, v)
	c.changed = c.changed || rewritten != v
	return rewritten
}

func (k *Case) matches(v wire.Raw) bool {
	if k.Kind != 0 && !k.Kind.Has(v) {
		return false
	}
	for _, when := range k.When {
		value, ok := lookup(v, when.Path)
		if ok == when.Absent || when.Is != "" && value != when.Is && !wire.Equal(value, when.Is) {
			return false
		}
	}
	return true
}

// lookup returns the member at a path of names.
func lookup(v wire.Raw, path []string) (wire.Raw, bool) {
	for _, name := range path {
		var ok bool
		if v.Kind() != wire.KindObject {
			return "", false
		}
		if v, ok = wire.Object(v).Get(name); !ok {
			return "", false
		}
	}
	return v, true
}

// object converts the members of an object.
func (c *Conversion) object(dst []byte, s *Shape, v wire.Raw) []byte {
	for i := range s.Members {
		if m := &s.Members[i]; m.Rewrite != "" && (m.Always || has(v, m.Name)) {
			if v = c.rewrite(m.Rewrite, v); c.err != nil {
				return dst
			}
		}
	}
	var few [16]bool
	seen := few[:]
	if len(s.Members) > len(few) {
		seen = make([]bool, len(s.Members))
	}
	dst = append(dst, '{')
	r := v.Reader()
	for r.BeginObject(); r.Member(); {
		name, start := r.Name(), r.NameAt()
		value := r.ReadRaw()
		before, keep := len(dst), true
		dst = append(wire.AppendComma(dst), v[start:r.Offset()-len(value)]...)
		if i := slices.IndexFunc(s.Members, func(m Member) bool { return m.Name == name }); i >= 0 {
			seen[i] = true
			m := &s.Members[i]
			if m.As != "" {
				dst, c.changed = wire.AppendName(dst[:before], m.As), true
			}
			dst, keep = c.member(dst, m, value)
		} else if s.Known != nil && !slices.Contains(s.Known, name) {
			keep = false
			c.Lose("the other revision does not allow other members", name)
		} else {
			dst = c.below(dst, name, s.Each, value)
		}
		if !keep {
			dst, c.changed = dst[:before], true
		}
	}
	return append(c.missing(dst, s, seen), '}')
}

// missing appends the members that an object lacks. Seen says which of the members of the shape the object
// has, or had until they were dropped; nil means none.
func (c *Conversion) missing(dst []byte, s *Shape, seen []bool) []byte {
	for i := range s.Members {
		m := &s.Members[i]
		if i < len(seen) && seen[i] && m.Drop == "" {
			continue
		}
		if c.way.supplies(m) {
			continue
		}
		if m.Default == "" && m.Fact == "" {
			if m.Require != "" {
				c.Refuse(m.Require, m.Name)
			}
			continue
		}
		before := len(dst)
		dst = wire.AppendName(dst, cmp.Or(m.As, m.Name))
		start := len(dst)
		switch dst = c.absent(dst, m); {
		case len(dst) > start:
			c.changed = true
			continue
		case m.Require != "":
			c.Refuse(m.Require, m.Name)
		}
		dst = dst[:before]
	}
	return dst
}

// member appends the value of a member and reports whether the member is kept.
func (c *Conversion) member(dst []byte, m *Member, value wire.Raw) (_ []byte, keep bool) {
	switch {
	case m.Drop != "":
		if !m.Handled && (m.Implied == "" || !wire.Equal(value, m.Implied)) {
			c.Lose(m.Drop, m.Name)
		}
		return dst, false
	case m.Const:
		if !wire.Equal(value, m.Default) {
			c.Lose("it can only be "+string(m.Default), m.Name)
		}
		c.changed = c.changed || value != m.Default
		return append(dst, m.Default...), true
	}
	start, losses, refused := len(dst), len(c.losses), c.err != nil
	dst = c.below(dst, m.Name, m.Rule, value)
	if c.err == nil || refused {
		return dst, true
	}
	if m.Reason != "" {
		c.err.Reason = m.Reason
	}
	if !m.LeaveOut {
		return dst, true
	}
	reason := c.err.Reason
	c.losses, c.err = c.losses[:losses], nil
	dst = c.absent(dst[:start], m)
	if c.err != nil && m.Require != "" {
		return dst, true
	}
	if len(dst) == start || c.err != nil {
		c.losses, c.err = c.losses[:losses], nil
		c.Lose("left out: "+reason, m.Name)
		return dst, false
	}
	c.Lose("replaced by "+string(dst[start:])+": "+reason, m.Name)
	c.changed = true
	return dst, true
}

// absent appends the value of a member that is absent, or nothing if it stays absent. An optional
// object stays absent if there are no facts about the session to put into it.
func (c *Conversion) absent(dst []byte, m *Member) []byte {
	value := m.Default
	if m.Fact != "" {
		value = c.fact(m.Fact)
	}
	if value == "" {
		return dst
	}
	start := len(dst)
	dst = c.below(dst, m.Name, m.Rule, value)
	if m.LeaveOut && m.Require == "" && value == "{}" && string(dst[start:]) == "{}" {
		return dst[:start]
	}
	return dst
}

// array converts the elements of an array.
func (c *Conversion) array(dst []byte, s *Shape, v wire.Raw) []byte {
	dst = append(dst, '[')
	r := v.Reader()
	r.BeginArray()
	for i := 0; r.Element(); i++ {
		value := r.ReadRaw()
		before, losses, refused := len(dst), len(c.losses), c.err != nil
		dst = c.below(wire.AppendComma(dst), strconv.Itoa(i), s.Each, value)
		if c.err != nil && !refused && s.LeaveOut {
			reason := "left out: " + c.err.Reason
			c.losses, c.err = c.losses[:losses], nil
			c.Lose(reason, strconv.Itoa(i))
			dst, c.changed = dst[:before], true
		}
	}
	return append(dst, ']')
}

// has reports whether an object has a member.
func has(o wire.Raw, name string) bool {
	_, ok := wire.Object(o).Get(name)
	return ok
}
