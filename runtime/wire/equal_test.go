package wire_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b wire.Raw
		want bool
	}{
		{"", "", true},
		{"", "null", false},
		{"[1,", "[1,", true},
		{"[1,", "[1, ", false},
		{"1 2", " 1 2", false},
		{"null", " null\n", true},
		{"true", "false", false},
		{"true", `"true"`, false},
		{"1", `"1"`, false},
		{"null", "0", false},
		{`"a\u0062\/"`, `"ab/"`, true},
		{`"a"`, `"A"`, false},
		{`"\ud83d\ude00"`, `"😀"`, true},
		{"1", "1.0", true},
		{"1", "10e-1", true},
		{"100", "1E2", true},
		{"-0", "0", true},
		{"0e5", "0.0", true},
		{"-1", "1", false},
		{"1", "10", false},
		{"12.340", "0.1234e2", true},
		{"12.34", "12.35", false},
		{"12.34", "123.4", false},
		{"0.1", "0.10000000000000001", false},
		{"9007199254740993", "9007199254740992", false},
		{"9007199254740993", "9007199254740992.0", false},
		{"1e400", "10e399", true},
		{"1e400", "1e401", false},
		{"1e1000000000000000000000000", "10e999999999999999999999999", true},
		{"1e1000000000000000000000000", "100e999999999999999999999999", false},
		{"1e-1000000000000000000000000", "0.1e-999999999999999999999999", true},
		{"1e1000000000000000000000000", "1e-1000000000000000000000000", false},
		{"1e5", "1e-5", false},
		{"1e18446744073709551617", "1e1", false},
		{"1e1", "1e18446744073709551617", false},
		{"1e00000000000000000000000005", "100000", true},
		{"[]", "{}", false},
		{"[1,2]", " [ 1 , 2 ] ", true},
		{"[1,2]", "[2,1]", false},
		{"[1,2]", "[1,2,3]", false},
		{"[[1],2]", "[[1,2]]", false},
		{"[[],1]", "[1,[]]", false},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{`{"a":1,"b":2}`, `{"b":2,"\u0061":1.0}`, true},
		{`{"a":1,"b":2}`, `{"b":1,"a":2}`, false},
		{`{"a":1,"b":2}`, `{"a":1,"c":2}`, false},
		{`{"a":1}`, `{"a":1,"b":2}`, false},
		{`{"a":1,"b":2}`, `{"a":1}`, false},
		{`{"a":[1],"b":2}`, `{"a":1,"b":[2]}`, false},
		{`{"x":{"a":1,"b":{"c":[],"d":{}}},"y":0}`, `{"y":-0,"x":{"b":{"d":{},"c":[]},"a":1}}`, true},
		{`{"a":1,"a":1}`, `{"a":1, "a":1}`, false},
		{`{"a":1}`, `{"a":1,"a":1}`, false},
		{`"\q"`, `"\\q"`, false},
		{`"\ud800"`, `"\\ud800"`, false},
	}
	for _, tt := range tests {
		if got := wire.Equal(tt.a, tt.b); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v", tt.a, tt.b, got)
		}
		if got := wire.Equal(tt.b, tt.a); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v", tt.b, tt.a, got)
		}
	}
}

// TestEqualIsLinear compares texts for which looking things up again and again would
// not come to an end in the time a test has.
func TestEqualIsLinear(t *testing.T) {
	var f, b strings.Builder
	f.WriteByte('{')
	b.WriteByte('{')
	const n = 100_000
	for i := range n {
		f.WriteString(`"` + strconv.Itoa(i) + `":0,`)
		b.WriteString(`"` + strconv.Itoa(n-1-i) + `":0.0,`)
	}
	f.WriteString(`"":0}`)
	b.WriteString(`"":0}`)
	big := `"` + strings.Repeat("x", 1<<18) + `"`
	for name, pair := range map[string][2]string{
		"reversed": {f.String(), b.String()},
		"deep":     {nest(`{"a":0,"b":`, big, `}`, 900), nest(`{"b":`, big, `,"a":0}`, 900)},
	} {
		if !wire.Equal(wire.Raw(pair[0]), wire.Raw(pair[1])) {
			t.Errorf("%s: not equal", name)
		}
	}
}

// FuzzEqual checks Equal against comparing decoded values, for texts whose
// numbers a float64 tells apart.
func FuzzEqual(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}],"c":"x"}`, `{"c":"\u0078","a":[1,{"b":null}]}`)
	f.Add(`{"a":1,"b":2,"c":3}`, `{"c":3,"a":1,"b":2}`)
	f.Add(`[1,2,[3]]`, `[1,2,[4]]`)
	f.Fuzz(func(t *testing.T, a, b string) {
		got := wire.Equal(wire.Raw(a), wire.Raw(b))
		if got != wire.Equal(wire.Raw(b), wire.Raw(a)) {
			t.Error("the order counts")
		}
		if a == b {
			return
		}
		x, okX := decoded(a)
		y, okY := decoded(b)
		switch {
		case !okX || !okY:
			if got && (wire.UnmarshalString(a, new(wire.Raw)) != nil || wire.UnmarshalString(b, new(wire.Raw)) != nil) {
				t.Error("malformed text is equal to another")
			}
		case got != reflect.DeepEqual(x, y):
			t.Errorf("Equal(%s, %s) = %v", a, b, got)
		}
	})
}

// decoded returns what encoding/json makes of text, if that keeps all of it.
func decoded(text string) (v any, ok bool) {
	if wire.UnmarshalString(text, new(wire.Raw)) != nil || strings.ContainsAny(text, ".eE-") || longDigits(text) {
		return nil, false
	}
	err := json.Unmarshal([]byte(text), &v)
	return v, err == nil
}

func longDigits(text string) bool {
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			n = 0
		} else if n++; n > 15 {
			return true
		}
	}
	return false
}

// TestSumStable expects the digest that other versions compute: sealed states of a server before an upgrade have it.
func TestSumStable(t *testing.T) {
	const want = "a0cc78430af8eefbd179a7fae9c681ce95880186c704a4a1b9126ea2e695325e"
	sum, ok := wire.Raw(`{"b":[1,-2.50,1e400,true,false,null,"é",{},[]],"a":{"c":"d"}}`).Sum()
	if got := fmt.Sprintf("%x", sum); got != want || !ok {
		t.Errorf("the digest is %s, want %s", got, want)
	}
}

// TestSumDeep digests a text whose nesting would make a digest that reads each level again quadratic.
func TestSumDeep(t *testing.T) {
	const depth = 900
	long := strings.Repeat("x", 1<<20)
	text := strings.Repeat(`{"b":[`, depth/2) + `"` + long + `"` + strings.Repeat(`],"a":1}`, depth/2)
	a, ok := wire.Raw(text).Sum()
	b, also := wire.Raw(strings.Replace(text, "xx", "xy", 1)).Sum()
	if a == b || !ok || !also {
		t.Error("the innermost value is not part of the digest")
	}
}

// FuzzSum checks that equal values, and no others, have the same digest.
func FuzzSum(f *testing.F) {
	f.Add(`{"a":[1,2],"b":"x"}`, `{"b":"x","a":[1,2]}`)
	f.Add(`["a","b"]`, `["a,b"]`)
	f.Add(`[[],1]`, `[[1]]`)
	f.Fuzz(func(t *testing.T, a, b string) {
		var x, y wire.Raw
		if wire.UnmarshalString(a, &x) != nil || wire.UnmarshalString(b, &y) != nil {
			return
		}
		v, _ := x.Sum()
		w, _ := y.Sum()
		if (v == w) != wire.Equal(x, y) {
			t.Errorf("%s and %s: the digests are equal: %v", x, y, v == w)
		}
	})
}

// TestSumOfManyObjects checks that the digest of many objects, whose members are sorted, costs not more for each than
// that of a few. It counts bytes, which unlike times are the same everywhere.
func TestSumOfManyObjects(t *testing.T) {
	each := func(n int) uint64 {
		text := wire.Raw("[" + strings.Repeat(`{"b":1,"a":2},`, n) + "1]")
		return costOf(t, func() error { text.Sum(); return nil }).bytes / uint64(n)
	}
	few, many := each(100), each(2000)
	if many > 2*few {
		t.Errorf("%d bytes are allocated for each of 2000 objects, %d for each of 100", many, few)
	}
}
