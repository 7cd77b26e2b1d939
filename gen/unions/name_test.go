package unions_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/unions"
)

func TestNames(t *testing.T) {
	object := func(required string, constant any) *ir.Object {
		return &ir.Object{Fields: []*ir.Field{
			{Wire: "kind", Required: true, Const: constant, Type: &ir.String{}},
			{Wire: required, Required: true, Type: &ir.String{}},
		}}
	}
	a, b := object("a", "first"), object("b", "second")
	for _, test := range []struct {
		name     string
		variants []unions.Naming
		want     []string
	}{
		{"titles", []unions.Naming{{"One", "D1", a}, {"Two", "D2", b}}, []string{"One", "Two"}},
		{"a definition for a variant without a title", []unions.Naming{{"One", "D1", a}, {"", "D2", b}}, []string{"One", "D2"}},
		{"equal titles", []unions.Naming{{"Same", "D1", a}, {"Same", "D2", b}}, []string{"D1", "D2"}},
		{"a title that is a sentence", []unions.Naming{{"Where it is, as a pair of coordinates in degrees", "", a}, {"", "", b}}, []string{"first", "second"}},
		{"constants", []unions.Naming{{"", "", a}, {"", "", b}}, []string{"first", "second"}},
		{"members", []unions.Naming{{"", "", object("a", nil)}, {"", "", object("b", nil)}}, []string{"a", "b"}},
		{"nothing", []unions.Naming{{"", "", object("a", nil)}, {"", "", object("a", nil)}}, []string{"", ""}},
		{"a title that is another's constant", []unions.Naming{{"second", "", a}, {"", "", b}}, []string{"second", ""}},
	} {
		if diff := cmp.Diff(test.want, unions.Names(test.variants)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
