package convert

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// leafOf returns the limits of the values of a type without parts.
func leafOf(t ir.Type) *Limits {
	l := &Limits{Kinds: ir.Kinds(t)}
	switch t := ir.Resolve(t).(type) {
	case *ir.String:
		l.Format, l.Pattern, l.Length = t.Format, t.Pattern, t.Length
	case *ir.Enum:
		l.Values = []string{}
		for _, v := range t.Values {
			l.Values = append(l.Values, jsonOf(v.Wire))
		}
		slices.Sort(l.Values)
	case *ir.Integer:
		l.Integer, l.Bounds = true, t.Bounds
	case *ir.Number:
		l.Bounds = t.Bounds
	case *ir.Scalar:
		l.Integer = t.Kinds&(wire.KindInteger|wire.KindNumber) == wire.KindInteger
	}
	return l
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
func (l *Limits) within(other *Limits) (*Limits, bool) {
	var need Limits
	common := 0
	for _, k := range other.Kinds {
		if slices.Contains(l.Kinds, k) {
			common++
		}
	}
	fraction := l.Integer && !other.Integer && slices.Contains(other.Kinds, ir.KindNumber)
	if common < len(other.Kinds) || fraction {
		need.Kinds, need.Integer = l.Kinds, l.Integer
	}
	if l.Values != nil && (other.Values == nil || slices.ContainsFunc(other.Values, func(v string) bool { return !slices.Contains(l.Values, v) })) {
		need.Values = l.Values
	}
	if l.Format != "" && l.Format != other.Format {
		need.Format = l.Format
	}
	if l.Pattern != other.Pattern {
		need.Pattern = l.Pattern
	}
	if a, b := l.Length, other.Length; a.Min > b.Min || a.Max != 0 && (b.Max == 0 || b.Max > a.Max) {
		need.Length = a
	}
	if a, b := l.Bounds, other.Bounds; exceeds(a.Min, b.Min, a.MinOpen && !b.MinOpen, -1) || exceeds(a.Max, b.Max, a.MaxOpen && !b.MaxOpen, 1) {
		need.Bounds = a
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
