package samples

import (
	"iter"
	"math/big"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// interval is the set of numbers that schemas allow.
type interval struct {
	low, high             *big.Rat // nil means no bound
	lowStrict, highStrict bool
	step                  *big.Rat // numbers are multiples of it; nil means no restriction
}

// numbers returns numbers that may satisfy the schemas.
func (g *sampler) numbers(flat []*jsonschema.Schema, integer bool) iter.Seq[wire.Raw] {
	return func(yield func(wire.Raw) bool) {
		in := intervalOf(flat, integer)
		try := func(r *big.Rat) bool {
			if r == nil || !in.has(r) {
				return true
			}
			digits, exact := r.FloatPrec()
			return !exact || yield(wire.Raw(r.FloatString(digits)))
		}
		turn := big.NewRat(int64(g.turn), 1)
		if in.step != nil {
			at := new(big.Rat).Mul(turn, in.step)
			for _, start := range []*big.Rat{new(big.Rat).Set(in.step), in.first(), in.last()} {
				if start != nil && (!try(new(big.Rat).Add(start, at)) || !try(start)) {
					return
				}
			}
			if in.high != nil && in.last() != nil {
				try(new(big.Rat).Sub(in.last(), at))
			}
			try(new(big.Rat))
			return
		}
		for _, start := range []*big.Rat{big.NewRat(3, 2), in.low, in.high, in.middle(), new(big.Rat), big.NewRat(1, 1), big.NewRat(-1, 1)} {
			if start != nil && (!try(new(big.Rat).Add(start, turn)) || !try(start)) {
				return
			}
		}
		if in.low != nil {
			try(new(big.Rat).Add(in.low, big.NewRat(1, 1)))
		}
		if in.high != nil {
			try(new(big.Rat).Sub(in.high, big.NewRat(1, 1)))
		}
	}
}

func intervalOf(flat []*jsonschema.Schema, integer bool) *interval {
	in := &interval{}
	if integer {
		in.step = big.NewRat(1, 1)
	}
	for _, s := range flat {
		in.low, in.lowStrict = tighten(in.low, in.lowStrict, s.Minimum, false, 1)
		in.low, in.lowStrict = tighten(in.low, in.lowStrict, s.ExclusiveMinimum, true, 1)
		in.high, in.highStrict = tighten(in.high, in.highStrict, s.Maximum, false, -1)
		in.high, in.highStrict = tighten(in.high, in.highStrict, s.ExclusiveMaximum, true, -1)
		if m := rat(s.MultipleOf); m != nil {
			in.step = common(in.step, m)
		}
	}
	return in
}

// tighten returns the tighter one of a limit and a bound. The sign is 1 for lower limits and -1 for upper ones.
func tighten(limit *big.Rat, strict bool, bound wire.Raw, exclusive bool, sign int) (*big.Rat, bool) {
	b := rat(bound)
	switch {
	case b == nil:
		return limit, strict
	case limit == nil || b.Cmp(limit) == sign:
		return b, exclusive
	}
	return limit, strict || exclusive && b.Cmp(limit) == 0
}

// has reports whether a number is within the bounds.
func (in *interval) has(r *big.Rat) bool {
	if in.low != nil && (r.Cmp(in.low) < 0 || in.lowStrict && r.Cmp(in.low) == 0) {
		return false
	}
	return in.high == nil || r.Cmp(in.high) < 0 || !in.highStrict && r.Cmp(in.high) == 0
}

// first returns the smallest multiple of the step within the bounds, last the largest one. They return nil if there
// is none.
func (in *interval) first() *big.Rat {
	if in.low == nil {
		return nil
	}
	r := new(big.Rat).Mul(floor(new(big.Rat).Quo(in.low, in.step)), in.step)
	for r.Cmp(in.low) < 0 || in.lowStrict && r.Cmp(in.low) == 0 {
		r.Add(r, in.step)
	}
	return r
}

func (in *interval) last() *big.Rat {
	if in.high == nil {
		return nil
	}
	r := new(big.Rat).Mul(floor(new(big.Rat).Quo(in.high, in.step)), in.step)
	if in.highStrict && r.Cmp(in.high) == 0 {
		r.Sub(r, in.step)
	}
	return r
}

// middle returns the middle of the bounds, or nil.
func (in *interval) middle() *big.Rat {
	if in.low == nil || in.high == nil {
		return nil
	}
	sum := new(big.Rat).Add(in.low, in.high)
	return sum.Quo(sum, big.NewRat(2, 1))
}

func floor(r *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom()))
}

// common returns the least common multiple.
func common(a, b *big.Rat) *big.Rat {
	if a == nil {
		return b
	}
	gcd := new(big.Int).GCD(nil, nil, a.Num(), b.Num())
	num := new(big.Int).Mul(a.Num(), new(big.Int).Quo(b.Num(), gcd))
	return new(big.Rat).SetFrac(num, new(big.Int).GCD(nil, nil, a.Denom(), b.Denom()))
}

// rat parses a number. It returns nil for other texts and for huge numbers.
func rat(raw wire.Raw) *big.Rat {
	if raw == "" || len(raw) > 100 {
		return nil
	}
	in := wire.NewStringReader(string(raw))
	if f := in.ReadFloat64(); in.Err() != nil || f == 0 && jsonschema.IsPositive(raw) {
		return nil // too large for a sample
	}
	r, ok := new(big.Rat).SetString(string(raw))
	if !ok {
		return nil
	}
	return r
}
