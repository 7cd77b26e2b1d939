package agreement

import (
	"errors"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/agreement/random"
)

// TestNulls sets absent optional members to null. A lenient reader must read the value as if
// they were absent and report each null; a strict reader must refuse it.
func TestNulls(t *testing.T) {
	eachSubject(t, func(t *testing.T, s *subject) {
		seed := setting(t, "MCPGEN_AGREEMENT_SEED", 1)
		count := setting(t, "MCPGEN_AGREEMENT_COUNT", usual) / 60
		source := random.New(s.ir, uint64(seed))
		targets := s.targets()
		nulls, failed := 0, 0
		for i := range count {
			d := targets[i%len(targets)]
			if u, ok := ir.Resolve(d.Type).(*ir.Union); ok && u.Context || !source.Possible(&ir.Ref{Decl: d}) {
				continue // These values have no members, or the reader cannot tell their members apart.
			}
			v := source.Valid(d)
			plain := s.fresh(t, d)
			text := source.Text(v)
			if wire.UnmarshalString(text, plain) != nil {
				continue // The value contains something that no Go type represents.
			}
			n := addNulls(v)
			if n == 0 {
				continue
			}
			nulls += n
			text = source.Text(v)
			lenient := s.fresh(t, d)
			accepted, more, err := wire.UnmarshalLenient(wire.Raw(text), lenient, wire.AbsentNulls)
			if err != nil || len(accepted)+more != n || !wire.Equal(encoded(t, lenient), encoded(t, plain)) {
				t.Errorf("%s: %.500s\n%v, %d nulls accepted of %d\n got %.500s\nwant %.500s", key(d), text, err, len(accepted)+more, n, encoded(t, lenient), encoded(t, plain))
				failed++
			}
			var at *wire.Error
			if err := wire.UnmarshalString(text, s.fresh(t, d)); err != nil && !errors.As(err, &at) {
				t.Errorf("%s: %v", key(d), err)
			}
			if failed > 5 {
				t.FailNow()
			}
		}
		t.Logf("%d nulls", nulls)
	})
}

// addNulls sets each absent optional member to null and returns their number.
func addNulls(v *random.Value) int {
	n := 0
	v.Walk(func(v *random.Value) {
		o, ok := v.Type.(*ir.Object)
		if !ok || v.Kind != ir.KindObject {
			return
		}
		has := map[string]bool{}
		for _, m := range v.Members {
			has[m.Name] = true
		}
		for _, f := range o.Fields {
			if f.Required || has[f.Wire] || holdsNull(f.Type) {
				continue
			}
			v.Members = append(v.Members, random.Member{Name: f.Wire, Value: &random.Value{Kind: ir.KindNull, Text: "null"}})
			n++
		}
	})
	return n
}

// holdsNull reports whether a type accepts null.
func holdsNull(t ir.Type) bool {
	switch t := ir.Resolve(t).(type) {
	case *ir.Any, *ir.Nullable:
		return true
	case *ir.Scalar:
		return t.Kinds&wire.KindNull != 0
	case *ir.Union:
		return slices.ContainsFunc(t.Variants, func(v *ir.Variant) bool { return holdsNull(v.Decl.Type) })
	}
	return false
}

func encoded(t *testing.T, v wire.Value) wire.Raw {
	t.Helper()
	text, err := wire.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return wire.Raw(text)
}
