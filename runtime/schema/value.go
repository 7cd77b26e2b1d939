package schema

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Value is a value that has been read. The zero Value is one for which a problem has
// already been reported; rules ignore it.
type Value struct {
	kind wire.Kind
	text wire.Raw
}

// is reports whether the kind of a value is in the set.
func (v Value) is(types wire.Kind) bool {
	return v.kind == 0 || types&v.kind != 0 || v.kind == wire.KindNumber && types.Has(v.text)
}

// Value reads the next value. It reports a value whose type is not in types.
func (c *Checker) Value(types wire.Kind) Value {
	if c.stop {
		return Value{}
	}
	v := Value{c.r.Kind(), c.r.ReadRaw()}
	if v.is(types) {
		return v
	}
	c.wrongType(types, v)
	return Value{}
}

// Type reports the next value if its type is not in types. It then skips the value and
// returns false; otherwise the value remains next.
func (c *Checker) Type(types wire.Kind) bool {
	if c.stop {
		return false
	}
	m := c.r.Mark()
	v := Value{kind: c.r.Kind()}
	if v.kind == wire.KindNumber {
		v.text = c.r.ReadRaw()
		c.r.Reset(m)
	}
	if v.is(types) {
		return true
	}
	v.text = c.r.ReadRaw()
	c.wrongType(types, v)
	return false
}

func (c *Checker) wrongType(types wire.Kind, v Value) {
	if c.wanted() {
		c.reportKind(wrongType, types.String(), v.describe())
	}
}

// describe describes a value for messages: `the string "a"`, "an array".
func (v Value) describe() string {
	switch v.kind {
	case wire.KindArray, wire.KindObject:
		return v.kind.String()
	case wire.KindString:
		return "the string " + shown(string(v.text), 60)
	}
	return shown(string(v.text), 60)
}

// Const reports a value that differs from want.
func (c *Checker) Const(v Value, want wire.Raw) {
	if v.kind != 0 && !wire.Equal(v.text, want) && c.wanted() {
		c.reportKind(wrongConst, shown(string(want), 500), found(v), want)
	}
}

// Enum reports a value that is not in allowed.
func (c *Checker) Enum(v Value, allowed ...wire.Raw) {
	if v.kind == 0 {
		return
	}
	if slices.Contains(allowed, v.text) { // the most frequent case
		return
	}
	for _, want := range allowed {
		if wire.Equal(v.text, want) {
			return
		}
	}
	switch {
	case !c.wanted():
	case len(allowed) == 1:
		c.reportKind(wrongConst, shown(string(allowed[0]), 500), found(v), allowed...)
	default:
		c.reportKind(wrongEnum, choice(allowed), found(v), allowed...)
	}
}

// choice lists values for messages: "one of 1, 2".
func choice(allowed []wire.Raw) string {
	var b strings.Builder
	b.WriteString("one of ")
	for i, want := range allowed {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > 4000 {
			b.WriteString("...")
			break
		}
		b.WriteString(shown(string(want), 500))
	}
	return b.String()
}

// found returns a value in the form that messages about constants use.
func found(v Value) string { return shown(string(v.text), 60) }
