package samples

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// numbers returns numbers that may satisfy the schemas: common ones and those at the limits, each of them after
// the one that is g.turn steps greater.
func (g *sampler) numbers(flat []*jsonschema.Schema, integer bool) (list []wire.Raw) {
	var low, high, step *big.Rat
	if integer {
		step = big.NewRat(1, 1)
	}
	for _, s := range flat {
		low = tighter(tighter(low, s.Minimum, 1), s.ExclusiveMinimum, 1)
		high = tighter(tighter(high, s.Maximum, -1), s.ExclusiveMaximum, -1)
		step = common(step, rat(s.MultipleOf))
	}
	zero, one, minusOne := new(big.Rat), big.NewRat(1, 1), big.NewRat(-1, 1)
	by, near := one, []*big.Rat{big.NewRat(3, 2), low, high, middle(low, high), zero, one, minusOne, sum(low, one), sum(high, minusOne)}
	if step != nil {
		by, near = step, []*big.Rat{step, multiple(low, step, 1, flat), multiple(high, step, -1, flat), zero}
	}
	turn := new(big.Rat).Mul(by, big.NewRat(int64(g.turn), 1))
	for _, r := range near {
		for _, r := range []*big.Rat{sum(r, turn), r} {
			if r == nil {
				continue
			}
			if digits, exact := r.FloatPrec(); exact {
				list = append(list, wire.Raw(r.FloatString(digits)))
			}
		}
	}
	return list
}

// tighter returns the limit that allows less of a limit, if any, and a bound. The sign is 1 for lower limits and -1 for
// upper ones.
func tighter(limit *big.Rat, bound wire.Raw, sign int) *big.Rat {
	if b := rat(bound); b != nil && (limit == nil || b.Cmp(limit) == sign) {
		return b
	}
	return limit
}

// sum returns the sum of two numbers, and middle their mean, or nil if one of them is nil.
func sum(a, b *big.Rat) *big.Rat {
	if a == nil || b == nil {
		return nil
	}
	return new(big.Rat).Add(a, b)
}

func middle(a, b *big.Rat) *big.Rat {
	if both := sum(a, b); both != nil {
		return both.Quo(both, big.NewRat(2, 1))
	}
	return nil
}

// multiple returns the multiple of step that is the nearest to a limit, within it, or nil without a limit.
func multiple(limit, step *big.Rat, sign int64, flat []*jsonschema.Schema) *big.Rat {
	if limit == nil {
		return nil
	}
	q := new(big.Rat).Quo(limit, step)
	n := new(big.Int).Div(q.Num(), q.Denom()) // rounds down
	excluded := slices.ContainsFunc(flat, func(s *jsonschema.Schema) bool {
		return slices.ContainsFunc([]wire.Raw{s.ExclusiveMinimum, s.ExclusiveMaximum}, func(raw wire.Raw) bool { b := rat(raw); return b != nil && b.Cmp(limit) == 0 })
	})
	if sign > 0 && !q.IsInt() || q.IsInt() && excluded {
		n.Add(n, big.NewInt(sign))
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(n), step)
}

// common returns the least common multiple of two steps, of which each may be nil.
func common(a, b *big.Rat) *big.Rat {
	if a == nil || b == nil {
		return cmp.Or(a, b)
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
	r, _ := new(big.Rat).SetString(string(raw))
	return r
}
