package wire

import "testing"

func TestTake(t *testing.T) {
	const text = ` { "a" : [1, "]\"", {"b\n": null}] , "c" : -1.5e3 } `
	r := NewStringReader(text)
	if !r.BeginObject() || !r.Member() {
		t.Fatal(r.Err())
	}
	start := r.Mark()
	if got, want := r.ReadRaw(), Raw(`[1, "]\"", {"b\n": null}]`); got != want {
		t.Errorf("took %s, want %s", got, want)
	}
	r.Reset(start)
	r.BeginArray()
	for range 3 {
		r.Element()
		if r.Depth() != 2 {
			t.Errorf("depth %d", r.Depth())
		}
		if r.Kind() == KindObject {
			r.BeginObject()
			r.Member()
			if got := r.NameFrom(r.NameAt()); got != "b\n" {
				t.Errorf("name %q", got)
			}
			here := r.Mark()
			r.ResetToName()
			if got, ok := r.ReadRaw().Str(); got != "b\n" || !ok {
				t.Errorf("name %q as a value", got)
			}
			r.Reset(here)
		}
		r.ReadRaw()
	}
	r.Reset(start)
	r.ReadRaw()
	if !r.Member() || r.ReadRaw() != "-1.5e3" || r.Member() {
		t.Error("the Reader was led astray")
	}
	r.End()
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	r.Renew(`x`)
	r.BeginArray()
	if r.Err() == nil {
		t.Error("no error")
	}
	r.Renew(``)
	if got := r.ReadRaw(); got != "" || r.Err() == nil {
		t.Errorf("took %q of nothing", got)
	}
}

func TestRawStr(t *testing.T) {
	for _, test := range []struct {
		raw  Raw
		want string
		ok   bool
	}{
		{`"a"`, "a", true}, {`"\u00e4"`, "ä", true}, {`""`, "", true},
		{`1`, "", false}, {`"a" `, "", false}, {`"`, "", false}, {``, "", false},
	} {
		if got, ok := test.raw.Str(); got != test.want || ok != test.ok {
			t.Errorf("%s: %q, %v", test.raw, got, ok)
		}
	}
}

func TestRawIsInteger(t *testing.T) {
	for raw, want := range map[Raw]bool{
		"1": true, "1.0": true, "-0": true, "1e400": true, "15e-1": false, "150e-1": true, "0.5": false,
	} {
		if got := raw.IsInteger(); got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
}

func TestCompareNumbers(t *testing.T) {
	ordered := []Raw{"-1e20", "-10", "-9.99", "-1e-5", "0", "1e-5", "0.1", "0.10000000000000001", "1", "1.5", "9007199254740992", "9007199254740993", "1e20"}
	for i, a := range ordered {
		for j, b := range ordered {
			want := 0
			switch {
			case i < j:
				want = -1
			case i > j:
				want = 1
			}
			if got := CompareNumbers(a, b); got != want {
				t.Errorf("%s and %s: %d, want %d", a, b, got, want)
			}
		}
	}
	for _, equal := range [][2]Raw{{"1", "1.0"}, {"0", "-0.0e5"}, {"100", "1e2"}, {"12.5", "125e-1"}} {
		if CompareNumbers(equal[0], equal[1]) != 0 {
			t.Errorf("%s and %s differ", equal[0], equal[1])
		}
	}
}
