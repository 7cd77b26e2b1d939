package wire_test

import (
	"math"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func scalar(t *testing.T, text string) wire.Scalar {
	t.Helper()
	var s wire.Scalar
	if err := wire.UnmarshalString(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScalar(t *testing.T) {
	tests := []struct {
		scalar wire.Scalar
		kind   wire.Kind
		text   string
	}{
		{wire.ScalarOf("a\"\n"), wire.KindString, `"a\"\n"`},
		{wire.ScalarOf(""), wire.KindString, `""`},
		{wire.ScalarOf(int64(math.MinInt64)), wire.KindNumber, `-9223372036854775808`},
		{wire.ScalarOf(0), wire.KindNumber, `0`},
		{wire.ScalarOf(0.5), wire.KindNumber, `0.5`},
		{wire.ScalarOf(3.0), wire.KindNumber, `3`},
		{wire.ScalarOf(1e300), wire.KindNumber, `1e+300`},
		{wire.ScalarOf(true), wire.KindBool, `true`},
		{wire.ScalarOf(false), wire.KindBool, `false`},
		{wire.NullScalar(), wire.KindNull, `null`},
	}
	for _, tt := range tests {
		if got := tt.scalar.Kind(); got != tt.kind {
			t.Errorf("%s: kind %v", tt.text, got)
		}
		if got := tt.scalar.String(); got != tt.text {
			t.Errorf("%s: String %s", tt.text, got)
		}
		if got, err := tt.scalar.AppendJSON([]byte("x")); string(got) != "x"+tt.text || err != nil {
			t.Errorf("%s: AppendJSON %s, %v", tt.text, got, err)
		}
		if got := scalar(t, tt.text); got != tt.scalar {
			t.Errorf("%s: read as %#v", tt.text, got)
		}
		if tt.scalar.IsZero() {
			t.Errorf("%s: zero", tt.text)
		}
	}
}

func TestZeroScalar(t *testing.T) {
	for name, s := range map[string]wire.Scalar{"zero": {}, "NaN": wire.ScalarOf(math.NaN()), "infinite": wire.ScalarOf(math.Inf(-1))} {
		if !s.IsZero() || s.Kind() != 0 || s.String() != "" || s.Canonical() != s || s.Is(0xff) {
			t.Errorf("%s: %#v", name, s)
		}
		_, err := s.AppendJSON(nil)
		wantError(t, name, err, "wire: expected a scalar, found nothing")
	}
	bad := wire.ScalarOf("a\xffb")
	if _, err := bad.AppendJSON(nil); err == nil || bad.String() != "\"a\ufffdb\"" {
		t.Errorf("%v, %s", err, bad)
	}
}

func TestScalarValues(t *testing.T) {
	type values struct {
		s  string
		i  int64
		f  float64
		b  bool
		ok string // which of them there are
	}
	for text, want := range map[string]values{
		`"x"`:                 {s: "x", ok: "s"},
		`"1"`:                 {s: "1", ok: "s"},
		`1`:                   {i: 1, f: 1, ok: "if"},
		`1.0`:                 {i: 1, f: 1, ok: "if"},
		`-1e3`:                {i: -1000, f: -1000, ok: "if"},
		`1.5`:                 {f: 1.5, ok: "f"},
		`9007199254740993`:    {i: 9007199254740993, f: 9007199254740992, ok: "if"},
		`9223372036854775808`: {f: 9223372036854775808, ok: "f"},
		`1e999`:               {},
		`true`:                {b: true, ok: "b"},
		`false`:               {ok: "b"},
		`"true"`:              {s: "true", ok: "s"},
		`null`:                {},
	} {
		s := scalar(t, text)
		var got values
		var ok [4]bool
		got.s, ok[0] = s.Str()
		got.i, ok[1] = s.Int64()
		got.f, ok[2] = s.Float64()
		got.b, ok[3] = s.Bool()
		for i, is := range ok {
			if is {
				got.ok += "sifb"[i : i+1]
			}
		}
		if got != want {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}

func TestScalarIsComparable(t *testing.T) {
	seen := map[wire.Scalar]string{}
	for _, text := range []string{`1`, `"1"`, `1.0`, `true`, `"true"`, `null`, `"null"`, `""`, `9007199254740993`, `9007199254740992`} {
		s := scalar(t, text)
		if other, ok := seen[s]; ok {
			t.Errorf("%s is %s", text, other)
		}
		seen[s] = text
	}
	if scalar(t, `"\u0061"`) != scalar(t, `"a"`) {
		t.Error("the spelling of a string counts")
	}
}

func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1", "1.0": "1", "1e3": "1000", "-0": "0", "1.5": "1.5", "1e300": "1e300", "9223372036854775807.0": "9223372036854775807",
		"9223372036854775808.0": "9223372036854775808.0", `"1.0"`: `"1.0"`, "null": "null",
	} {
		if got := scalar(t, text).Canonical().String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestScalarIs(t *testing.T) {
	const all = wire.KindString | wire.KindInteger | wire.KindNumber | wire.KindBool | wire.KindNull
	for text, want := range map[string]wire.Kind{
		`"a"`: wire.KindString, `1`: wire.KindInteger | wire.KindNumber, `1e400`: wire.KindInteger | wire.KindNumber,
		`1.5`: wire.KindNumber, `1e-1`: wire.KindNumber, `true`: wire.KindBool, `null`: wire.KindNull,
	} {
		s := scalar(t, text)
		for set := wire.Kind(1); set <= all; set <<= 1 {
			if got := s.Is(set); got != (want&set != 0) {
				t.Errorf("%s is %v: %v", text, set, got)
			}
			if !s.Is(set | want) {
				t.Errorf("%s is not %v", text, set|want)
			}
		}
	}
}
