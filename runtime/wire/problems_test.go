package wire_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestCollector(t *testing.T) {
	tests := []struct {
		name  string
		check func(c *wire.Collector)
		want  string
	}{
		{"nothing", func(c *wire.Collector) {}, ""},
		{"Report", func(c *wire.Collector) { c.Report("must be %d", 1) }, "must be 1"},
		{"Const", func(c *wire.Collector) { c.Const(true, `"a"`) }, ""},
		{"Const", func(c *wire.Collector) { c.Const(false, `"a"`) }, `must be "a"`},
		{"Minimum", func(c *wire.Collector) { c.Minimum(1, 1) }, ""},
		{"Minimum", func(c *wire.Collector) { c.Minimum(0.5, 1) }, "must be at least 1, is 0.5"},
		{"Minimum", func(c *wire.Collector) { c.Minimum(math.NaN(), 1) }, "must be at least 1, is NaN"},
		{"Maximum", func(c *wire.Collector) { c.Maximum(1, 1) }, ""},
		{"Maximum", func(c *wire.Collector) { c.Maximum(1.5, 1) }, "must be at most 1, is 1.5"},
		{"ExclusiveMinimum", func(c *wire.Collector) { c.ExclusiveMinimum(1.1, 1) }, ""},
		{"ExclusiveMinimum", func(c *wire.Collector) { c.ExclusiveMinimum(1, 1) }, "must be greater than 1, is 1"},
		{"ExclusiveMaximum", func(c *wire.Collector) { c.ExclusiveMaximum(0.9, 1) }, ""},
		{"ExclusiveMaximum", func(c *wire.Collector) { c.ExclusiveMaximum(1, 1) }, "must be less than 1, is 1"},
		{"MinItems", func(c *wire.Collector) { c.MinItems(2, 2) }, ""},
		{"MinItems", func(c *wire.Collector) { c.MinItems(1, 2) }, "must have at least 2 elements, has 1"},
		{"MaxItems", func(c *wire.Collector) { c.MaxItems(2, 2) }, ""},
		{"MaxItems", func(c *wire.Collector) { c.MaxItems(3, 2) }, "must have at most 2 elements, has 3"},
		{"MinLength", func(c *wire.Collector) { c.MinLength("日本", 2) }, ""},
		{"MinLength", func(c *wire.Collector) { c.MinLength("日本", 3) }, "must have at least 3 characters, has 2"},
		{"MaxLength", func(c *wire.Collector) { c.MaxLength("日本", 2) }, ""},
		{"MaxLength", func(c *wire.Collector) { c.MaxLength("日本", 1) }, "must have at most 1 characters, has 2"},
		{"Format", func(c *wire.Collector) { c.Format("date", "2024-02-29") }, ""},
		{"Format", func(c *wire.Collector) { c.Format("date", "2023-02-29") }, `must be in the format date, is "2023-02-29"`},
		{"Closed", func(c *wire.Collector) { c.Closed(nil) }, ""},
		{"Closed", func(c *wire.Collector) { c.Closed(wire.Members{{Name: "a/b", Value: "1"}}) }, "at /a~1b: unknown member"},
		{"Include", func(c *wire.Collector) { c.Include(nil) }, ""},
		{"Include", func(c *wire.Collector) { c.Push("a"); c.Include(errors.New("broken")); c.Pop() }, "at /a: broken"},
		{"Include", func(c *wire.Collector) {
			c.Push("a")
			c.Include(&wire.ValidationError{Problems: []wire.Problem{{Pointer: "/0", Message: "is bad"}}})
			c.Pop()
		}, "at /a/0: is bad"},
		{"Reconsider", func(c *wire.Collector) {
			c.Report("first")
			n := c.Count()
			c.Report("second")
			c.Reconsider(n, wire.Raw("{}"), new(wire.Object))
		}, "first"},
		{"Reconsider", func(c *wire.Collector) {
			n := c.Count()
			c.Report("second")
			c.Reconsider(n, wire.Raw("[]"), new(wire.Object))
		}, "second"},
		{"Format", func(c *wire.Collector) { c.Format("byte", "\xff") }, ""},
	}
	for _, tt := range tests {
		var c wire.Collector
		tt.check(&c)
		if tt.want == "" {
			if err := c.Err(); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		wantError(t, tt.name, c.Err(), "wire: "+tt.want)
	}
}

func TestCollectorPointers(t *testing.T) {
	var c wire.Collector
	c.Report("root")
	c.Push("a/b~")
	c.Report("one")
	c.PushIndex(3)
	c.Report("two")
	c.Pop()
	for i := range 12 {
		c.Push(strconv.Itoa(i))
		c.PushIndex(i)
	}
	c.Report("deep")
	for range 22 {
		c.Pop()
	}
	c.Push("")
	c.Report("back")
	c.Pop()
	c.Pop()
	c.Pop()
	c.Pop()
	c.PushIndex(0)
	c.Report("last")
	want := []wire.Problem{
		{Pointer: "", Message: "root"},
		{Pointer: "/a~1b~0", Message: "one"},
		{Pointer: "/a~1b~0/3", Message: "two"},
		{Pointer: "/a~1b~0/0/0/1/1/2/2/3/3/4/4/5/5/6/6/7/7/8/8/9/9/10/10/11/11", Message: "deep"},
		{Pointer: "/a~1b~0/0/0/", Message: "back"},
		{Pointer: "/0", Message: "last"},
	}
	var got *wire.ValidationError
	if !errors.As(c.Err(), &got) {
		t.Fatal(c.Err())
	}
	if diff := cmp.Diff(want, got.Problems); diff != "" {
		t.Error(diff)
	}
	wantError(t, "text", &wire.ValidationError{Problems: got.Problems[:3]}, "wire: root\nat /a~1b~0: one\nat /a~1b~0/3: two")
}

func TestCollectorIsBounded(t *testing.T) {
	var c wire.Collector
	for range 5000 {
		c.Report("bad")
	}
	for range 2 {
		err := c.Err().(*wire.ValidationError)
		if n := len(err.Problems); n != 1001 || err.Problems[1000].Message != "4000 more problems" {
			t.Errorf("%d problems, at last %v", n, err.Problems[n-1])
		}
	}
}

func TestValidate(t *testing.T) {
	x := &sample{Type: "image", Notes: &notes{Audience: []string{"", "a", ""}, Priority: 2}}
	wantError(t, "sample", wire.Validate(x), "wire: at /type: must be \"text\"\n"+
		"at /notes/priority: must be at most 1, is 2\n"+
		"at /notes/audience/0: must have at least 1 characters, has 0\n"+
		"at /notes/audience/2: must have at least 1 characters, has 0")
	x = &sample{Type: "text"}
	for _, v := range []any{x, new(notes), nil, 5} {
		if err := wire.Validate(v); err != nil {
			t.Errorf("%v: %v", v, err)
		}
	}
	if got := testing.AllocsPerRun(100, func() {
		if wire.Validate(x) != nil {
			t.Error("not valid")
		}
	}); got > 0 {
		t.Errorf("validating allocates %v times", got)
	}
}

func TestUnknownVariant(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, test := range []struct {
		value  wire.Raw
		member string
		known  []string
		want   string
	}{
		{`{"type":"video"}`, "type", []string{"audio", "text"}, `type "video" is no variant of U, which has "audio", "text"`},
		{`{"type":"` + wire.Raw(long) + `"}`, "type", []string{"text"}, `type "` + long[:59] + `... is no variant of U, which has "text"`},
		{`{"type":7}`, "type", []string{"text"}, `type 7 is no variant of U, which has "text"`},
		{`{"type":"text"}`, "type", []string{"text"}, `is no variant of U that has the type "text"`},
		{`{"a":1}`, "type", []string{"text"}, `missing member "type", which names the variant of U, which has "text"`},
		{`{"a":1,"b":2}`, "", nil, `an object with the members "a", "b" is no variant of U`},
		{`{}`, "", nil, `an object with the members none is no variant of U`},
		{`[]`, "type", []string{"text"}, `an array is no variant of U`},
	} {
		var c wire.Collector
		c.UnknownVariant("U", test.value, test.member, test.known...)
		var bad *wire.ValidationError
		if !errors.As(c.Err(), &bad) || bad.Problems[0].Union != "U" {
			t.Fatalf("%s: %v", test.value, c.Err())
		}
		if got := bad.Problems[0].Message; got != test.want {
			t.Errorf("%s: got %s, want %s", test.value, got, test.want)
		}
	}
}
