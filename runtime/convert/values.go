package convert

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// value converts the value at the current path. It returns v itself if nothing changes.
func (c *Conversion) value(rule Rule, v wire.Raw) wire.Raw {
	if rule == Keep || c.err != nil {
		return v
	}
	s := &c.shapes[rule]
	if s.Limits != nil && !s.Limits.allow(v) {
		c.Refuse("the other revision does not allow " + s.Limits.excess(v) + " here")
		return v
	}
	switch {
	case s.Cases != nil:
		return c.union(s, v)
	case v.Kind() == wire.KindObject:
		return c.object(s, v)
	case v.Kind() == wire.KindArray && s.Each != Keep:
		return c.array(s, v)
	}
	return v
}

// below converts a member or an element of the value at the current path.
func (c *Conversion) below(name string, rule Rule, v wire.Raw) wire.Raw {
	c.path = append(c.path, name)
	v = c.value(rule, v)
	c.path = c.path[:len(c.path)-1]
	return v
}

// union converts a value by the first case that matches.
func (c *Conversion) union(s *Shape, v wire.Raw) wire.Raw {
	for i := range s.Cases {
		k := &s.Cases[i]
		if !k.matches(v) {
			continue
		}
		if k.Refuse != "" {
			c.Refuse(k.Refuse)
			return v
		}
		if k.Replace != "" {
			c.Lose(k.Lose)
			return k.Replace
		}
		if k.Rewrite != nil {
			v = k.Rewrite(c, v)
		}
		return c.value(k.Rule, v)
	}
	if s.Otherwise != "" {
		c.Refuse(s.Otherwise)
	}
	return v
}

func (k *Case) matches(v wire.Raw) bool {
	if k.Kind != 0 && kindsOf(v)&k.Kind == 0 {
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
func (c *Conversion) object(s *Shape, v wire.Raw) wire.Raw {
	for i := range s.Members {
		if m := &s.Members[i]; m.Rewrite != nil && (m.Always || has(v, m.Name)) {
			if v = m.Rewrite(c, v); c.err != nil {
				return v
			}
		}
	}
	r := wire.NewStringReader(string(v))
	r.BeginObject()
	e := editor{src: string(v), end: r.Offset()}
	for r.Member() {
		name, start := r.Name(), r.NameAt()
		value := r.Take()
		converted, keep := value, true
		if i := slices.IndexFunc(s.Members, func(m Member) bool { return m.Name == name }); i >= 0 {
			converted, keep = c.member(&s.Members[i], value)
		} else if s.Known != nil && !slices.Contains(s.Known, name) {
			keep = false
			c.Lose("the other revision does not allow other members", name)
		} else if s.Each != Keep {
			converted = c.below(name, s.Each, value)
		}
		switch {
		case !keep:
			e.drop(r.Offset())
		case converted == value:
			e.keep(start, r.Offset())
		default:
			e.replace(start, r.Offset(), value, converted)
		}
	}
	for i := range s.Members {
		m := &s.Members[i]
		if m.Drop == "" && has(v, m.Name) {
			continue
		}
		if value := c.absent(m); value != "" {
			e.add(m.Name, value)
		} else if m.Require != "" {
			c.Refuse(m.Require, m.Name)
		}
	}
	return e.text('}')
}

// member converts a member and reports whether it is kept.
func (c *Conversion) member(m *Member, value wire.Raw) (converted wire.Raw, keep bool) {
	switch {
	case m.Drop != "":
		if !m.Handled && (m.Implied == "" || !wire.Equal(value, m.Implied)) {
			c.Lose(m.Drop, m.Name)
		}
		return "", false
	case m.Const:
		if !wire.Equal(value, m.Default) {
			c.Lose("it can only be "+string(m.Default), m.Name)
		}
		return m.Default, true
	}
	losses, refused := len(c.losses), c.err != nil
	converted = c.below(m.Name, m.Rule, value)
	if c.err == nil || refused {
		return converted, true
	}
	if m.Reason != "" {
		c.err.Reason = m.Reason
	}
	if !m.LeaveOut {
		return converted, true
	}
	reason := c.err.Reason
	c.losses, c.err = c.losses[:losses], nil
	converted = c.absent(m)
	if c.err != nil && m.Require != "" {
		return converted, true
	}
	if converted == "" || c.err != nil {
		c.losses, c.err = c.losses[:losses], nil
		c.Lose("left out: "+reason, m.Name)
		return "", false
	}
	c.Lose("replaced by "+string(converted)+": "+reason, m.Name)
	return converted, true
}

// absent returns the value of a member that is absent, or "" if it stays absent.
func (c *Conversion) absent(m *Member) wire.Raw {
	value := m.Default
	if m.Fact != "" {
		value = c.fact(m.Fact)
	}
	if value == "" {
		return ""
	}
	return c.below(m.Name, m.Rule, value)
}

// array converts the elements of an array.
func (c *Conversion) array(s *Shape, v wire.Raw) wire.Raw {
	r := wire.NewStringReader(string(v))
	r.BeginArray()
	e := editor{src: string(v), end: r.Offset()}
	for i := 0; r.Element(); i++ {
		value := r.Take()
		start, losses := r.Offset()-len(value), len(c.losses)
		refused := c.err != nil
		switch converted := c.below(strconv.Itoa(i), s.Each, value); {
		case c.err != nil && !refused && s.LeaveOut:
			reason := "left out: " + c.err.Reason
			c.losses, c.err = c.losses[:losses], nil
			c.Lose(reason, strconv.Itoa(i))
			e.drop(r.Offset())
		case converted == value:
			e.keep(start, r.Offset())
		default:
			e.replace(start, r.Offset(), value, converted)
		}
	}
	return e.text(']')
}

// allow reports whether a value is within the limits.
func (l *Limits) allow(v wire.Raw) bool {
	if l.Kinds != 0 && kindsOf(v)&l.Kinds == 0 {
		return false
	}
	if l.Values != nil && !slices.ContainsFunc(l.Values, func(w wire.Raw) bool { return wire.Equal(v, w) }) {
		return false
	}
	switch v.Kind() {
	case wire.KindString:
		if l.Format == "" && l.Least == 0 && l.Most == 0 {
			return true
		}
		text, ok := v.Str()
		return ok && (l.Format == "" || wire.InFormat(l.Format, text)) && l.count(utf8.RuneCountInString(text))
	case wire.KindNumber:
		return beyond(v, l.Min, l.MinOpen, 1) && beyond(v, l.Max, l.MaxOpen, -1)
	case wire.KindArray:
		return l.Least == 0 && l.Most == 0 || l.count(len(v.Elements()))
	}
	return true
}

func (l *Limits) count(n int) bool { return l.Least <= n && (l.Most == 0 || n <= l.Most) }

// beyond reports whether a number is on the side of a bound that sign says, or equals a bound
// that is not open. There is no bound if it is "".
func beyond(v, bound wire.Raw, open bool, sign int) bool {
	if bound == "" {
		return true
	}
	order := wire.CompareNumbers(v, bound) * sign
	return order > 0 || order == 0 && !open
}

// excess describes a value that exceeds the limits. It does not contain a value of any length.
func (l *Limits) excess(v wire.Raw) string {
	switch kind := v.Kind(); {
	case l.Kinds != 0 && kindsOf(v)&l.Kinds == 0:
		if kind == wire.KindNumber && l.Kinds&Integer != 0 {
			return "a fraction"
		}
		return kind.String()
	case l.Values != nil:
		return "this value"
	case kind == wire.KindString:
		return "a string of this length or format"
	case kind == wire.KindArray:
		return "this number of elements"
	}
	return "a number outside of its bounds"
}

// has reports whether an object has a member.
func has(o wire.Raw, name string) bool {
	_, ok := wire.Object(o).Get(name)
	return ok
}

// An editor writes an array or object that differs from src in a few elements or members.
// As long as there is no difference, it copies nothing.
type editor struct {
	src string
	end int    // the end of the last element or member, or of the opening bracket
	out []byte // nil as long as there is no difference
}

// keep keeps the element or member between two offsets.
func (e *editor) keep(start, end int) {
	if e.out != nil {
		e.out = append(wire.AppendComma(e.out), e.src[start:end]...)
	}
	e.end = end
}

// drop leaves out the element or member that ends at an offset.
func (e *editor) drop(end int) {
	e.change()
	e.end = end
}

// replace replaces the value at the end of an element or member.
func (e *editor) replace(start, end int, old, new wire.Raw) {
	e.change()
	e.out = append(append(wire.AppendComma(e.out), e.src[start:end-len(old)]...), new...)
	e.end = end
}

// add adds a member.
func (e *editor) add(name string, value wire.Raw) {
	e.change()
	e.out = append(wire.AppendName(e.out, name), value...)
}

func (e *editor) change() {
	if e.out == nil {
		e.out = append(make([]byte, 0, len(e.src)+64), e.src[:e.end]...)
	}
}

// text returns the whole text.
func (e *editor) text(closing byte) wire.Raw {
	if e.out == nil {
		return wire.Raw(e.src)
	}
	return wire.Raw(append(e.out, closing))
}
