package schema

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Types is a set of JSON Schema types.
type Types uint8

// The types. An integer is a number without a fraction, such as 1, 1.0 and 1e400, and is
// also of type number.
const (
	Null Types = 1 << iota
	Boolean
	Object
	Array
	Number
	String
	Integer

	// Any is the set of all types.
	Any = Null | Boolean | Object | Array | Number | String | Integer
)

// String returns the set in the form that messages use: "a string or null".
func (t Types) String() string {
	var words []string
	for _, row := range []struct {
		is   Types
		name string
	}{
		{Object, "an object"}, {Array, "an array"}, {String, "a string"}, {Number, "a number"},
		{Integer, "an integer"}, {Boolean, "a boolean"}, {Null, "null"},
	} {
		if t&row.is != 0 && (row.is != Integer || t&Number == 0) {
			words = append(words, row.name)
		}
	}
	if words == nil {
		return "nothing"
	}
	return list(words, " or ")
}

// Value is a value that has been read. The zero Value is one for which a problem has
// already been reported; rules ignore it.
type Value struct {
	kind wire.Kind
	text wire.Raw
}

// Has reports whether the type of a value is in the set.
func (t Types) Has(v wire.Raw) bool { return t.has(Value{v.Kind(), v}) }

func (t Types) has(v Value) bool {
	switch v.kind {
	case wire.KindString:
		return t&String != 0
	case wire.KindObject:
		return t&Object != 0
	case wire.KindArray:
		return t&Array != 0
	case wire.KindBool:
		return t&Boolean != 0
	case wire.KindNull:
		return t&Null != 0
	case wire.KindNumber:
		return t&Number != 0 || t&Integer != 0 && v.text.IsInteger()
	}
	return true
}

// Value reads the next value. It reports a value whose type is not in types.
func (c *Checker) Value(types Types) Value {
	if c.stop {
		return Value{}
	}
	v := Value{c.r.Kind(), c.r.ReadRaw()}
	if types.has(v) {
		return v
	}
	c.wrongType(types, v)
	return Value{}
}

// Type reports the next value if its type is not in types. It then skips the value and
// returns false; otherwise the value remains next.
func (c *Checker) Type(types Types) bool {
	if c.stop {
		return false
	}
	m := c.r.Mark()
	v := Value{kind: c.r.Kind()}
	if v.kind == wire.KindNumber {
		v.text = c.r.ReadRaw()
		c.r.Reset(m)
	}
	if types.has(v) {
		return true
	}
	v.text = c.r.ReadRaw()
	c.wrongType(types, v)
	return false
}

func (c *Checker) wrongType(types Types, v Value) {
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
	if v.kind != wire.KindInvalid && !wire.Equal(v.text, want) && c.wanted() {
		c.reportKind(wrongConst, shown(string(want), 500), found(v), want)
	}
}

// Enum reports a value that is not in allowed.
func (c *Checker) Enum(v Value, allowed ...wire.Raw) {
	if v.kind == wire.KindInvalid {
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
