package random

import (
	"math/rand/v2"
	"strconv"
	"unicode/utf16"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// Value is a JSON value as a tree.
type Value struct {
	Kind ir.Kind
	// Text is the decoded value of a string, or the token of another scalar.
	Text     string
	Members  []Member
	Elements []*Value

	// Type is the type that the value was generated for, or nil if no schema applies.
	Type ir.Type
	// Field is the member that the value was generated for, or nil.
	Field *ir.Field
	// Choices are the unions that led to the value's type, outermost first.
	Choices []Choice
}

// Member is a member of an object.
type Member struct {
	Name  string
	Value *Value
}

// Choice is a chosen variant of a union.
type Choice struct {
	Union   *ir.Decl
	Variant *ir.Variant
}

func scalar(kind ir.Kind, text string) *Value { return &Value{Kind: kind, Text: text} }

// index returns the index of the member with a name, or -1.
func (v *Value) index(name string) int {
	for i, m := range v.Members {
		if m.Name == name {
			return i
		}
	}
	return -1
}

// set replaces or adds a member.
func (v *Value) set(name string, value *Value) {
	if i := v.index(name); i >= 0 {
		v.Members[i].Value = value
		return
	}
	v.Members = append(v.Members, Member{name, value})
}

// Walk calls f for the value and for all values inside.
func (v *Value) Walk(f func(v *Value)) {
	f(v)
	for _, m := range v.Members {
		m.Value.Walk(f)
	}
	for _, e := range v.Elements {
		e.Walk(f)
	}
}

// writer renders a value and chooses equivalent spellings at random.
type writer struct {
	rng    *rand.Rand
	spaced bool // writes white space between tokens
	dst    []byte
}

func (w *writer) space() {
	if w.spaced && w.rng.IntN(4) == 0 {
		w.dst = append(w.dst, " \t\n\r"[w.rng.IntN(4)])
	}
}

func (w *writer) value(v *Value) {
	w.space()
	switch v.Kind {
	case ir.KindObject:
		w.dst = append(w.dst, '{')
		for i, m := range v.Members {
			if i > 0 {
				w.dst = append(w.dst, ',')
			}
			w.space()
			w.text(m.Name)
			w.space()
			w.dst = append(w.dst, ':')
			w.value(m.Value)
		}
		w.dst = append(w.dst, '}')
	case ir.KindArray:
		w.dst = append(w.dst, '[')
		for i, e := range v.Elements {
			if i > 0 {
				w.dst = append(w.dst, ',')
			}
			w.value(e)
		}
		w.dst = append(w.dst, ']')
	case ir.KindString:
		w.text(v.Text)
	default:
		w.dst = append(w.dst, v.Text...)
	}
	w.space()
}

// text writes a string, with some unnecessary escapes.
func (w *writer) text(s string) {
	escapes := w.rng.IntN(16) == 0
	w.dst = append(w.dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.dst = append(w.dst, '\\', byte(r))
		case r < ' ' || escapes && w.rng.IntN(3) == 0:
			w.escape(r)
		default:
			w.dst = append(w.dst, string(r)...)
		}
	}
	w.dst = append(w.dst, '"')
}

func (w *writer) escape(r rune) {
	if short, ok := shortEscape(r); ok && w.rng.IntN(2) == 0 {
		w.dst = append(w.dst, '\\', short)
		return
	}
	if hi, lo := utf16.EncodeRune(r); hi != '\uFFFD' {
		w.hex(hi)
		r = lo
	}
	w.hex(r)
}

func (w *writer) hex(r rune) {
	digits := strconv.FormatInt(int64(r)+0x10000, 16)[1:]
	w.dst = append(append(w.dst, '\\', 'u'), digits...)
}

func shortEscape(r rune) (byte, bool) {
	switch r {
	case '\b':
		return 'b', true
	case '\f':
		return 'f', true
	case '\n':
		return 'n', true
	case '\r':
		return 'r', true
	case '\t':
		return 't', true
	case '/':
		return '/', true
	}
	return 0, false
}
