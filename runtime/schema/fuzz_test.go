package schema_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// everything is a recursive check with every rule and with alternatives.
func everything(c *schema.Checker) {
	c.AllOf(
		value(func(c *schema.Checker, v schema.Value) {
			c.Enum(v, `"a"`, `[1,{"b":2}]`, `1e2`)
			c.Const(v, `{"a":[]}`)
			c.Minimum(v, "-1.5e3")
			c.ExclusiveMaximum(v, "12345678901234567890")
			c.MultipleOf(v, "0.03")
			c.MinLength(v, 2)
			c.MaxLength(v, 4)
			c.Pattern(v, word)
			c.Format(v, "date-time")
		}),
		(*schema.Checker).Unique,
		func(c *schema.Checker) {
			n := 0
			if c.Array(wire.KindAny) {
				for ; c.Element(); n++ {
					everything(c)
				}
			}
			c.MaxItems(n, 2)
		},
		func(c *schema.Checker) {
			if c.Object(wire.KindObject | wire.KindArray | wire.KindInteger) {
				for c.Member() {
					c.PropertyName(value(func(c *schema.Checker, v schema.Value) { c.Pattern(v, word) }))
					switch c.Name() {
					case "a":
						c.Not(typed(wire.KindInteger), "")
					case "b":
						c.OneOf(typed(wire.KindInteger), typed(wire.KindNumber|wire.KindObject), everything)
					case "c":
						everything(c)
					case "d":
						c.AnyOf(typed(wire.KindNull), everything)
					default:
						c.Unknown("a", "b", "c")
					}
				}
			}
		},
	)
}

// FuzzCheck checks that a check terminates, that its verdict does not depend on the
// spelling of a value, and that its pointers lead to parts of the value.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"b":{"c":[1,1.0,"äö\n"]},"d":[null,{"a":[]}],"x/~":true}`, `[1e400,-0.0,0.06,12345678901234567891]`, `"2026-01-31T12:00:00Z"`,
		`{"a":`, `[[[[`, `"\ud83d`, ` [ 1 , { "b" : 2 } ] `, `-`, `1e999999999999999999999`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := schema.Check(wire.Raw(text), everything)
		compact, malformed := wire.Raw(text).AppendJSON(nil)
		if malformed != nil {
			return
		}
		again := schema.Check(wire.Raw(compact), everything)
		if (err == nil) != (again == nil) {
			t.Fatalf("%q: %v\n%q: %v", text, err, compact, again)
		}
		var invalid *wire.ValidationError
		if errors.As(again, &invalid) {
			for _, p := range invalid.Problems {
				if p.Message == "" || !leads(wire.Raw(compact), p.Pointer) {
					t.Fatalf("%s: %+v", compact, p)
				}
			}
		}
	})
}

// leads reports whether a JSON Pointer leads to a value.
func leads(at wire.Raw, pointer string) bool {
	if pointer == "" {
		return true
	}
	for segment := range strings.SplitSeq(pointer[1:], "/") {
		switch at.Kind() {
		case wire.KindObject:
			var ok bool
			if at, ok = wire.Object(at).Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)); !ok {
				return false
			}
		case wire.KindArray:
			n, err := strconv.Atoi(segment)
			in := wire.NewStringReader(string(at))
			in.BeginArray()
			for ; err == nil && n > 0 && in.Element(); n-- {
				in.ReadRaw()
			}
			if !in.Element() {
				return false
			}
			at = in.ReadRaw()
		default:
			return false
		}
	}
	return true
}
