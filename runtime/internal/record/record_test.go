package record

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// everything has a variable of each type.
type everything struct {
	S string
	T time.Time
	D time.Duration
	I int
	L int64
	U uint64
	B bool
	A []string
	R wire.Raw
	O wire.Object
	M wire.Members
}

func (e *everything) members() []Member {
	return []Member{
		Field("s", &e.S), Field("t", &e.T), Field("d", &e.D), Field("i", &e.I), Field("l", &e.L), Field("u", &e.U),
		Field("b", &e.B), Field("a", &e.A), Field("r", &e.R), Field("o", &e.O), Field("m", &e.M),
	}
}

// TestRoundTrip checks that what is written is read again, and that members that are zero are left out.
func TestRoundTrip(t *testing.T) {
	for _, c := range []struct {
		name, want string
		in         everything
		required   int
	}{
		{name: "empty", want: `{}`},
		{name: "required", want: `{"s":"","t":0}`, in: everything{T: time.Unix(0, 0)}, required: 2},
		{name: "all", in: everything{
			S: "ann \u2603", T: time.Unix(1, 2), D: time.Second, I: -1, L: math.MinInt64, U: math.MaxInt64, B: true, A: []string{"x", ""},
			R: `[1.50]`, O: `{"k":1}`, M: wire.Members{{Name: "q", Value: `null`}},
		}, want: `{"s":"ann ☃","t":1000000002,"d":1000000000,"i":-1,"l":-9223372036854775808,"u":9223372036854775807,"b":true,` +
			`"a":["x",""],"r":[1.50],"o":{"k":1},"m":{"q":null}}`},
	} {
		text, err := Append(nil, c.required, c.in.members()...)
		if err != nil || string(text) != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, text, err, c.want)
		}
		var out everything
		if err := Read(text, c.required, out.members()...); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.in, out); diff != "" {
			t.Errorf("%s (-written +read):\n%s", c.name, diff)
		}
	}
}

// TestRead checks what is not read.
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		`{"s":"a","more":[1],"i":2}`: "",
		`{"i":2}`:                    `wire: at byte 0: missing member "s"`,
		`{"s":"a","s":"b"}`:          `wire: at /s, byte 9: duplicate member "s"`,
		`{"s":1}`:                    `wire: at /s, byte 5: expected a string, found a number`,
		`{"s":"a"} `:                 "",
		`{"s":"a"}x`:                 `wire: at byte 9: expected the end of the text, found 'x'`,
		`{"s":"a"`:                   `wire: at byte 8: expected ',' or '}', found the end of the text`,
	} {
		var e everything
		got := ""
		if err := Read([]byte(text), 1, e.members()...); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	if _, err := Append(nil, 0, Field("c", new(complex128))); err == nil {
		t.Error("a complex number is written")
	}
}
