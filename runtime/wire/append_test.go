package wire_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestAppendFloat64(t *testing.T) {
	tests := []struct {
		f    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "-0"}, {1, "1"}, {-1.5, "-1.5"}, {0.1, "0.1"}, {100, "100"}, {1e20, "100000000000000000000"},
		{-999999999999999, "-999999999999999"}, {1e15, "1000000000000000"}, {2.5, "2.5"}, {123456789012345680000, "123456789012345680000"}, {1e21, "1e+21"}, {1.5e300, "1.5e+300"}, {1e-6, "0.000001"}, {1e-7, "1e-7"},
		{-1.25e-9, "-1.25e-9"}, {1e-10, "1e-10"}, {5e-324, "5e-324"}, {math.MaxFloat64, "1.7976931348623157e+308"}, {1.0 / 3, "0.3333333333333333"},
	}
	for _, tt := range tests {
		if got, err := wire.AppendFloat64([]byte("x"), tt.f); string(got) != "x"+tt.want || err != nil {
			t.Errorf("%v: got %s, %v, want %s", tt.f, got, err, tt.want)
		}
	}
	for f, want := range map[float64]string{
		math.NaN():   "wire: no JSON number for NaN",
		math.Inf(1):  "wire: no JSON number for +Inf",
		math.Inf(-1): "wire: no JSON number for -Inf",
	} {
		got, err := wire.AppendFloat64([]byte("x"), f)
		wantError(t, "AppendFloat64", err, want)
		if string(got) != "x" {
			t.Errorf("%v: appended %s", f, got)
		}
	}
}

// TestAppendFloat64Short checks numbers of a few digits, and those next to them, against strconv.
func TestAppendFloat64Short(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		f := float64(r.Int64N(1<<r.IntN(60)+1)) / math.Pow10(r.IntN(7))
		for _, f := range []float64{f, -f, math.Nextafter(f, 0), math.Nextafter(f, 1e300)} {
			if abs := math.Abs(f); abs < 1e-6 || abs >= 1e21 {
				continue
			}
			want := strconv.FormatFloat(f, 'f', -1, 64)
			if got, err := wire.AppendFloat64(nil, f); string(got) != want || err != nil {
				t.Fatalf("%s, %v, want %s", got, err, want)
			}
		}
	}
}

func TestAppendSimple(t *testing.T) {
	var dst []byte
	dst = strconv.AppendInt(dst, math.MinInt64, 10)
	dst = wire.AppendComma(dst)
	dst = strconv.AppendBool(dst, true)
	dst = wire.AppendComma(dst)
	dst = strconv.AppendBool(dst, false)
	dst = append(wire.AppendComma(dst), '[')
	dst = append(wire.AppendComma(dst), '{')
	dst = wire.AppendName(wire.AppendComma(dst), "a")
	dst = append(wire.AppendComma(append(dst, '1', '}')), ']')
	if got, want := string(dst), `-9223372036854775808,true,false,[{"a":1},]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAppendComma(t *testing.T) {
	for dst, want := range map[string]string{"": "", "1": "1,", "[": "[", "{": "{", "[1": "[1,", `"["`: `"[",`, "[]": "[],", "[{}": "[{},"} {
		if got := string(wire.AppendComma([]byte(dst))); got != want {
			t.Errorf("%s: got %s, want %s", dst, got, want)
		}
	}
}

func TestAppendName(t *testing.T) {
	for _, tt := range []struct{ dst, name, want string }{
		{"", "a", `"a":`},
		{"{", "a", `{"a":`},
		{`{"x":1`, "a", `{"x":1,"a":`},
		{`{"x":"{"`, "_meta", `{"x":"{","_meta":`},
		{"{", "", `{"":`},
		{"{", "a\"b\\c\nd\x00", `{"a\"b\\c\nd\u0000":`},
		{"{", "12345678é\t日本", `{"12345678é\t日本":`},
	} {
		if got := string(wire.AppendName([]byte(tt.dst), tt.name)); got != tt.want {
			t.Errorf("%s with %q: got %s, want %s", tt.dst, tt.name, got, tt.want)
		}
	}
}

func TestAppendStringError(t *testing.T) {
	for _, s := range []string{"\xff", "12345678\x80", "a\n\xc3", "\xed\xa0\x80", "1234567890\xe9\"567890"} {
		_, err := wire.AppendString(nil, s)
		wantError(t, s, err, "wire: invalid UTF-8 in a string")
	}
}

func TestAppendRaw(t *testing.T) {
	for _, tt := range goodTexts() {
		want := tt.compact
		if want == "" {
			want = tt.text
		}
		got, err := wire.Raw(tt.text).AppendJSON([]byte("x"))
		if string(got) != "x"+want || err != nil {
			t.Errorf("%.60q: got %.60q, %v", tt.text, got, err)
		}
		got, err = wire.Raw(tt.text).AppendJSON(nil)
		if string(got) != want || err != nil {
			t.Errorf("%.60q: got %.60q, %v", tt.text, got, err)
		}
	}
	for _, tt := range badTexts() {
		got, err := wire.Raw(tt.text).AppendJSON([]byte("x"))
		e, ok := err.(*wire.Error)
		if !ok || e.Offset != -1 || e.Pointer != tt.pointer {
			t.Errorf("%.60q: got %.60q, %v", tt.text, got, err)
		}
	}
}

func TestAppendErrors(t *testing.T) {
	for raw, want := range map[wire.Raw]string{
		"":              "wire: expected a value, found nothing",
		" ":             "wire: expected a value, found nothing",
		"1 2":           "wire: more than one value",
		`{"a":[1,nul]}`: "wire: at /a/1: expected null, found ']'",
		`{"a":1,"a":2}`: `wire: at /a: duplicate member "a"`,
	} {
		_, err := raw.AppendJSON(nil)
		wantError(t, string(raw), err, want)
	}
	for o, want := range map[wire.Object]string{
		"":         "wire: expected an object, found nothing",
		"[]":       "wire: expected an object, found an array",
		"x":        "wire: expected an object, found no value",
		`{"a":"b}`: "wire: at /a: string without end",
	} {
		_, err := o.AppendJSON(nil)
		wantError(t, string(o), err, want)
	}
	if got, err := wire.Object(` { "a" : [ ] } `).AppendJSON(nil); string(got) != `{"a":[]}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestEncodeErrors checks that errors name the member they are about.
func TestEncodeErrors(t *testing.T) {
	for want, x := range map[string]sample{
		`wire: at /text: invalid UTF-8 in a string`:             {Text: "\xff"},
		`wire: at /score: no JSON number for NaN`:               {Score: math.NaN()},
		`wire: at /labels/1: invalid UTF-8 in a string`:         {Labels: []string{"a", "\xff"}},
		`wire: at /id: invalid UTF-8 in a string`:               {ID: wire.ScalarOf("\xff")},
		`wire: at /notes/priority: no JSON number for +Inf`:     {Notes: &notes{Priority: math.Inf(1)}},
		`wire: at /notes/audience/0: invalid UTF-8 in a string`: {Notes: &notes{Audience: []string{"\xff"}}},
		`wire: at /params/a: expected a value, found '}'`:       {Params: `{"a":}`},
		`wire: at /x/0: expected a value, found ','`:            {Extra: wire.Members{{Name: "x", Value: "[,]"}}},
		`wire: duplicate member "type"`:                         {Extra: wire.Members{{Name: "type", Value: "1"}}},
	} {
		text, err := wire.Marshal(&x)
		wantError(t, string(text), err, want)
		if text != nil {
			t.Errorf("%s: a text all the same", want)
		}
	}
}
