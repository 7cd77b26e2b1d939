package samples

import (
	"math/big"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// numbers returns numbers that may satisfy the schemas: common ones and those at the limits, each of them after
// the one that is g.turn steps greater.
func (g *sampler) numbers(flat []*jsonschema.Schema, integer bool) (list []wire.Raw) {
	var within jsonschema.Span
	var step *big.Rat
	if integer {
		step = big.NewRat(1, 1)
	}
	for _, s := range flat {
		within = within.And(jsonschema.Limit{At: rat(s.Minimum)}.Within()).And(jsonschema.Limit{At: rat(s.ExclusiveMinimum), Open: true}.Within()).
			And(jsonschema.Limit{At: rat(s.Maximum), Upper: true}.Within()).And(jsonschema.Limit{At: rat(s.ExclusiveMaximum), Open: true, Upper: true}.Within())
		step = jsonschema.Common(step, rat(s.MultipleOf))
	}
	low, high := within.Low.Onto(step).At, within.High.Onto(step).At
	zero, one, minusOne := new(big.Rat), big.NewRat(1, 1), big.NewRat(-1, 1)
	by, near := one, []*big.Rat{big.NewRat(3, 2), low, high, middle(low, high), zero, one, minusOne, sum(low, one), sum(high, minusOne)}
	if step != nil {
		by, near = step, []*big.Rat{step, low, high, zero}
	}
	turn := new(big.Rat).Mul(by, big.NewRat(int64(g.turn), 1))
	for _, r := range near {
		for _, r := range []*big.Rat{sum(r, turn), r} {
			if r == nil {
				continue
			}
			if _, exact := r.FloatPrec(); exact {
				list = append(list, wire.Raw(jsonschema.Decimal(r)))
			}
		}
	}
	return list
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

// rat parses a number. It returns nil for other texts and for huge numbers.
func rat(raw wire.Raw) *big.Rat {
	if raw == "" || len(raw) > 100 {
		return nil
	}
	in := wire.NewStringReader(string(raw))
	if f := in.ReadFloat64(); in.Err() != nil || f == 0 && jsonschema.IsPositive(raw) {
		return nil // too large for a sample
	}
	return jsonschema.Rational(string(raw))
}
