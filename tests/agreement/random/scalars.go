package random

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func (s *Source) boolean() *Value {
	return scalar(ir.KindBoolean, pick(s, []string{"true", "false"}))
}

// scalar returns a value of one of several kinds.
func (s *Source) scalar(k wire.Kind) *Value {
	var makers []func() *Value
	add := func(kind wire.Kind, f func() *Value) {
		if k&kind != 0 {
			makers = append(makers, f)
		}
	}
	add(wire.KindString, func() *Value { return scalar(ir.KindString, s.text()) })
	add(wire.KindInteger, func() *Value { return scalar(ir.KindNumber, s.exactInteger()) })
	add(wire.KindNumber, func() *Value { return scalar(ir.KindNumber, s.exactNumber()) })
	add(wire.KindBool, s.boolean)
	add(wire.KindNull, func() *Value { return scalar(ir.KindNull, "null") })
	return pick(s, makers)()
}

// integer returns the token of an int64 within bounds.
func (s *Source) integer(b ir.Bounds) string {
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	if b.Min != nil {
		if lo = int64(math.Ceil(*b.Min)); b.MinOpen && float64(lo) == *b.Min {
			lo++
		}
	}
	if b.Max != nil {
		if hi = int64(math.Floor(*b.Max)); b.MaxOpen && float64(hi) == *b.Max {
			hi--
		}
	}
	switch s.rng.IntN(4) {
	case 0:
		return s.spell(strconv.FormatInt(lo, 10))
	case 1:
		return s.spell(strconv.FormatInt(hi, 10))
	}
	small := int64(s.rng.IntN(2001)) - 1000
	return s.spell(strconv.FormatInt(min(max(small, lo), hi), 10))
}

// number returns the token of a number that a float64 represents exactly.
func (s *Source) number(b ir.Bounds) string {
	switch s.rng.IntN(5) {
	case 0:
		if b.Min != nil && !b.MinOpen {
			return s.spell(strconv.FormatFloat(*b.Min, 'f', -1, 64))
		}
	case 1:
		if b.Max != nil && !b.MaxOpen {
			return s.spell(strconv.FormatFloat(*b.Max, 'f', -1, 64))
		}
	}
	if b.Min == nil && b.Max == nil {
		return pick(s, []string{
			s.spell(strconv.Itoa(s.rng.IntN(200) - 100)), "-0", "-0.0", "0e5", "1e300", "-2.5E-300", "1.7976931348623157e308",
			"123456789012345", fmt.Sprintf("%d.%02d", s.rng.IntN(1000), s.rng.IntN(100)),
		})
	}
	lo, hi := -1e6, 1e6
	if b.Min != nil {
		lo = *b.Min
		hi = max(hi, lo+1)
	}
	if b.Max != nil {
		hi = *b.Max
		if b.Min == nil {
			lo = min(lo, hi-1)
		}
	}
	f := lo + (hi-lo)*float64(1+s.rng.IntN(999))/1000
	return strconv.FormatFloat(min(max(f, lo), hi), "fg"[s.rng.IntN(2)], -1, 64)
}

// spell writes an integer token in one of several equivalent forms.
func (s *Source) spell(token string) string {
	if strings.Contains(token, ".") {
		return token
	}
	digits := strings.TrimRight(token, "0")
	if strings.Trim(digits, "-") == "" {
		return token // zero in several forms
	}
	switch s.rng.IntN(8) {
	case 0:
		return token + ".0"
	case 1:
		return token + "e0"
	case 2:
		return token + ".000E+00"
	case 3:
		return digits + "e" + strconv.Itoa(len(token)-len(digits))
	case 4:
		return token + "0e-1"
	}
	return token
}

// exactInteger returns an integer of any size, for places that keep the token.
func (s *Source) exactInteger() string {
	return pick(s, []string{"0", "-0", "1", "1.0", "1e0", "-7", "42", "9007199254740993", "9223372036854775808",
		"123456789012345678901234567890", "1e30", "1.5e1", "100e-2", "-1E+2", strconv.Itoa(s.rng.IntN(1000))})
}

// exactNumber returns a number of any size and precision.
func (s *Source) exactNumber() string {
	if s.chance(0.5) {
		return s.exactInteger()
	}
	return pick(s, []string{"0.5", "-1.25", "1e-7", "3.141592653589793238462643383279", "1e400", "0.1", "99.99"})
}

// beyondInt64 returns an integer outside of the range of int64.
func (s *Source) beyondInt64() string {
	return pick(s, []string{"9223372036854775808", "-9223372036854775809", "1e19", "1e30", "-1e400",
		"18446744073709551616.0", "123456789012345678901234567890"})
}

// notInteger returns a number that is not an integer.
func (s *Source) notInteger() string {
	return pick(s, []string{"0.5", "1.5", "-2.25", "1e-1", "15e-1", "1.0000000000000000001", "1e-400", "0.1e0"})
}

// outside returns a number outside of bounds, or "" if there are no bounds.
func (s *Source) outside(b ir.Bounds) string {
	step := pick(s, []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 1000), big.NewRat(1e6, 1)})
	if (b.Min == nil || b.MinOpen) && (b.Max == nil || b.MaxOpen) && s.chance(0.5) {
		step = new(big.Rat) // the bounds themselves
	}
	var out []*big.Rat
	if b.Min != nil {
		out = append(out, new(big.Rat).Sub(new(big.Rat).SetFloat64(*b.Min), step))
	}
	if b.Max != nil {
		out = append(out, new(big.Rat).Add(new(big.Rat).SetFloat64(*b.Max), step))
	}
	if len(out) == 0 {
		return ""
	}
	return pick(s, out).FloatString(4)
}

// justOutside returns a number that exceeds a bound by less than the precision of a float64.
func (s *Source) justOutside(b ir.Bounds) string {
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil))
	switch {
	case b.Max != nil:
		return new(big.Rat).Add(new(big.Rat).SetFloat64(*b.Max), tiny).FloatString(30)
	case b.Min != nil && *b.Min != 0:
		return new(big.Rat).Sub(new(big.Rat).SetFloat64(*b.Min), tiny).FloatString(30)
	}
	return "0.1234567890123456789012345"
}

// text returns a string, usually of plain words, sometimes with special characters.
func (s *Source) text() string {
	if !s.wordy || s.chance(0.5) {
		return pick(s, []string{"", "a", "name", "hello world", "text/plain", "x-y_z.1", "0", "true", "null"})
	}
	return pick(s, []string{
		"quote \" backslash \\ slash /", "tab\tnewline\nreturn\r", "\x00\x01\x1f\x7f", "\b\f",
		"grüße", "日本語", "😀🏳️‍🌈", "\u2028\u2029", "<script>&amp;</script>", "\ufeffbom", "\ufffd", "\ud7ff\ue000\U0010FFFF",
		strings.Repeat("long ", 1+s.rng.IntN(60)), "{\"json\":1}", "line\u0085next",
	})
}

// unknownName returns a member name that usually no schema defines.
func (s *Source) unknownName() string {
	if s.chance(0.3) {
		return pick(s, s.members)
	}
	if s.chance(0.2) {
		return s.text()
	}
	return pick(s, []string{
		"x", "com.example/key", "vendor", "extra", "__proto__", "constructor", "Type", "METHOD", "jsonRPC", "Id", "_Meta",
		"\u017fize", "\u212aind", "name ", " name", "params\u0000", "a/b~c", "é", "e\u0301", "$ref",
	})
}

// any returns any value with at most the given depth.
func (s *Source) any(depth int) *Value {
	kinds := []ir.Kind{ir.KindNull, ir.KindBoolean, ir.KindNumber, ir.KindString, ir.KindArray, ir.KindObject}
	if depth == 0 {
		kinds = kinds[:4]
	}
	return s.ofKind(pick(s, kinds), depth)
}

func (s *Source) ofKind(kind ir.Kind, depth int) *Value {
	switch kind {
	case ir.KindNull:
		return scalar(kind, "null")
	case ir.KindBoolean:
		return s.boolean()
	case ir.KindNumber:
		if s.exact {
			return scalar(kind, s.exactNumber())
		}
		if s.chance(0.5) {
			return scalar(kind, s.spell(strconv.Itoa(s.rng.IntN(1e15)-5e14)))
		}
		return scalar(kind, pick(s, []string{"0.5", "-1.25", "99.99", "1e-7", "-0.0", "5E-1"}))
	case ir.KindString:
		return scalar(kind, s.text())
	case ir.KindArray:
		v := &Value{Kind: kind}
		for range s.rng.IntN(3) {
			v.Elements = append(v.Elements, s.any(max(depth-1, 0)))
		}
		return v
	}
	return s.anyObject(depth)
}

func (s *Source) anyObject(depth int) *Value {
	v := &Value{Kind: ir.KindObject}
	for range s.rng.IntN(3) {
		v.set(s.unknownName(), s.any(max(depth-1, 0)))
	}
	return v
}
