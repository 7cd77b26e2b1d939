package convert

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// leaf describes a type whose values have no parts.
type leaf struct {
	kinds   []ir.Kind
	integer bool     // numbers must be integers
	values  []string // JSON; nil means any
	format  string
	pattern string
	length  ir.Count // of a string
	bounds  ir.Bounds
}

func leafOf(t ir.Type) *leaf {
	switch t := ir.Resolve(t).(type) {
	case *ir.String:
		return &leaf{kinds: []ir.Kind{ir.KindString}, format: t.Format, pattern: t.Pattern, length: t.Length}
	case *ir.Enum:
		l := &leaf{kinds: []ir.Kind{ir.KindString}, values: []string{}}
		for _, v := range t.Values {
			l.values = append(l.values, jsonOf(v.Wire))
		}
		slices.Sort(l.values)
		return l
	case *ir.Integer:
		return &leaf{kinds: []ir.Kind{ir.KindNumber}, integer: true, bounds: t.Bounds}
	case *ir.Number:
		return &leaf{kinds: []ir.Kind{ir.KindNumber}, bounds: t.Bounds}
	case *ir.Boolean:
		return &leaf{kinds: []ir.Kind{ir.KindBoolean}}
	case *ir.Scalar:
		l := &leaf{integer: t.Kinds.Integer && !t.Kinds.Number}
		for _, k := range []struct {
			in   bool
			kind ir.Kind
		}{
			{t.Kinds.Text, ir.KindString}, {t.Kinds.Integer || t.Kinds.Number, ir.KindNumber},
			{t.Kinds.Boolean, ir.KindBoolean}, {t.Kinds.Null, ir.KindNull},
		} {
			if k.in {
				l.kinds = append(l.kinds, k.kind)
			}
		}
		return l
	}
	panic(fmt.Sprintf("convert: %T is no leaf", t))
}

func isLeaf(t ir.Type) bool {
	switch t.(type) {
	case *ir.String, *ir.Enum, *ir.Integer, *ir.Number, *ir.Boolean, *ir.Scalar:
		return true
	}
	return false
}

// within returns the limits of a leaf that values of another one may exceed, or nil. It
// returns false if no value of the other one is within them.
func (l *leaf) within(other *leaf) (*Limits, bool) {
	var need Limits
	common := 0
	for _, k := range other.kinds {
		if slices.Contains(l.kinds, k) {
			common++
		}
	}
	fraction := l.integer && !other.integer && slices.Contains(other.kinds, ir.KindNumber)
	if common < len(other.kinds) || fraction {
		need.Kinds, need.Integer = l.kinds, l.integer
	}
	if l.values != nil && (other.values == nil || slices.ContainsFunc(other.values, func(v string) bool { return !slices.Contains(l.values, v) })) {
		need.Values = l.values
	}
	if l.format != "" && l.format != other.format {
		need.Format = l.format
	}
	if l.pattern != other.pattern {
		need.Pattern = l.pattern
	}
	if l.length.Min > other.length.Min || l.length.Max != 0 && (other.length.Max == 0 || other.length.Max > l.length.Max) {
		need.Length = l.length
	}
	if a, b := l.bounds, other.bounds; exceeds(a.Min, b.Min, a.MinOpen && !b.MinOpen, -1) || exceeds(a.Max, b.Max, a.MaxOpen && !b.MaxOpen, 1) {
		need.Bounds = l.bounds
	}
	if need.none() {
		return nil, true
	}
	return &need, common > 0
}

// exceeds reports whether numbers within another bound may be beyond a bound. Sign is 1 for a
// maximum and -1 for a minimum.
func exceeds(bound, other *float64, open bool, sign float64) bool {
	return bound != nil && (other == nil || *other*sign > *bound*sign || *other == *bound && open)
}

func (l *Limits) none() bool {
	return l.Kinds == nil && l.Values == nil && l.Format == "" && l.Pattern == "" && l.Bounds == ir.Bounds{} && l.Length == ir.Count{}
}

// limitsOf returns the limits of any JSON value that becomes a leaf.
func limitsOf(l *leaf) *Limits {
	return &Limits{Kinds: l.kinds, Integer: l.integer, Values: l.values, Format: l.format, Pattern: l.pattern, Length: l.length, Bounds: l.bounds}
}

// String describes the values within the limits.
func (l *Limits) String() string {
	var parts []string
	if l.Kinds != nil {
		var kinds []string
		for _, k := range l.Kinds {
			if k == ir.KindNumber && l.Integer {
				k = "integer"
			}
			kinds = append(kinds, string(k))
		}
		parts = append(parts, strings.Join(kinds, " or "))
	}
	if l.Values != nil {
		parts = append(parts, "one of "+strings.Join(l.Values, ", "))
	}
	if l.Format != "" {
		parts = append(parts, "in the format "+l.Format)
	}
	if l.Pattern != "" {
		parts = append(parts, "of the pattern "+strconv.Quote(l.Pattern))
	}
	if text := l.Bounds.String(); text != "" {
		parts = append(parts, "within "+text)
	}
	if l.Length != (ir.Count{}) {
		parts = append(parts, fmt.Sprintf("of a length within %v", l.Length))
	}
	return strings.Join(parts, ", ")
}
