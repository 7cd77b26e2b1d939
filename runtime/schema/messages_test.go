package schema_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type check = func(*schema.Checker)

// problems returns the problems that a check reports for a value.
func problems(t *testing.T, text wire.Raw, check check) []string {
	t.Helper()
	err := schema.Check(text, check)
	if err == nil {
		return nil
	}
	var invalid *wire.ValidationError
	if !errors.As(err, &invalid) {
		t.Fatalf("%T: %v", err, err)
	}
	var all []string
	for _, p := range invalid.Problems {
		all = append(all, p.String())
	}
	return all
}

// TestHintsAreFew checks that the work for hints at misspelled names is limited for a whole value, whatever its unions.
func TestHintsAreFew(t *testing.T) {
	object := func(allowed string) check {
		return func(c *schema.Checker) {
			for c.Object(wire.KindAny); c.Member(); {
				c.Unknown(allowed)
			}
		}
	}
	union := func(c *schema.Checker) { c.AnyOf(object("maxResults"), object("maxResult")) }
	text := "[" + strings.Repeat(`{"maxResul":1},`, 100) + `{"maxResul":1}]`
	all := problems(t, wire.Raw(text), elements(union))
	if n := strings.Count(strings.Join(all, " "), "did you mean"); len(all) != 101 || n != 50 {
		t.Errorf("%d problems with %d hints", len(all), n)
	}
}

// value returns the check for a rule about a value.
func value(rule func(*schema.Checker, schema.Value)) check {
	return func(c *schema.Checker) { rule(c, c.Value(wire.KindAny)) }
}

// elements returns the check for an array whose elements are checked by each.
func elements(each check) check {
	return func(c *schema.Checker) {
		if c.Array(wire.KindArray) {
			for c.Element() {
				each(c)
			}
		}
	}
}

// members returns the check for an object with some members, each with its check.
func members(required []string, checks map[string]check) check {
	return func(c *schema.Checker) {
		if !c.Object(wire.KindObject) {
			return
		}
		var seen uint64
		for c.Member() {
			for i, name := range required {
				if c.Name() == name {
					seen |= 1 << i
				}
			}
			if check, ok := checks[c.Name()]; ok {
				check(c)
			} else {
				c.Pass()
			}
		}
		c.Missing(required, seen)
	}
}

func typed(types wire.Kind) check { return func(c *schema.Checker) { c.Value(types) } }

func constant(want wire.Raw) check {
	return value(func(c *schema.Checker, v schema.Value) { c.Const(v, want) })
}

// word is a pattern of lower-case letters.
var word = schema.MustPattern(`^[a-z]+$`, `^[a-z]+$`)

// TestMessages has the message of each rule.
func TestMessages(t *testing.T) {
	positive := value(func(c *schema.Checker, v schema.Value) { c.ExclusiveMinimum(v, "0") })
	for _, test := range []struct {
		name  string
		check check
		text  wire.Raw
		want  string
	}{
		{"type", typed(wire.KindInteger), `1.5`, "must be an integer, found 1.5"},
		{"type of a string", typed(wire.KindObject | wire.KindNull), `"a"`, `must be an object or null, found the string "a"`},
		{"type of an array", typed(wire.KindString), `[1]`, "must be a string, found an array"},
		{"all types", typed(wire.KindObject | wire.KindArray | wire.KindNumber | wire.KindBool), `null`, "must be an object, an array, a number or a boolean, found null"},
		{"enum", value(func(c *schema.Checker, v schema.Value) { c.Enum(v, `"a"`, `1`, `null`) }), `"c"`, `must be one of "a", 1, null, found "c"`},
		{"const", constant(`"a"`), `"b"`, `must be "a", found "b"`},
		{"minimum", value(func(c *schema.Checker, v schema.Value) { c.Minimum(v, "1") }), `0.5`, "must be at least 1, found 0.5"},
		{"maximum", value(func(c *schema.Checker, v schema.Value) { c.Maximum(v, "14") }), `20`, "must be at most 14, found 20"},
		{"exclusiveMinimum", positive, `0`, "must be greater than 0, found 0"},
		{"exclusiveMaximum", value(func(c *schema.Checker, v schema.Value) { c.ExclusiveMaximum(v, "1") }), `1.0`, "must be less than 1, found 1.0"},
		{"multipleOf", value(func(c *schema.Checker, v schema.Value) { c.MultipleOf(v, "0.1") }), `0.25`, "must be a multiple of 0.1, found 0.25"},
		{"minLength", value(func(c *schema.Checker, v schema.Value) { c.MinLength(v, 3) }), `"ab"`, "must have at least 3 characters, has 2"},
		{"minLength 1", value(func(c *schema.Checker, v schema.Value) { c.MinLength(v, 1) }), `""`, "must not be empty"},
		{"maxLength", value(func(c *schema.Checker, v schema.Value) { c.MaxLength(v, 1) }), `"äö"`, "must have at most 1 character, has 2"},
		{"pattern", value(func(c *schema.Checker, v schema.Value) { c.Pattern(v, word) }), `"A"`, `must match the pattern ^[a-z]+$, found "A"`},
		{"format", value(func(c *schema.Checker, v schema.Value) { c.Format(v, "date") }), `"1.2.2026"`, `must be in the format date (such as 2026-01-31), found "1.2.2026"`},
		{"required", members([]string{"a", "b"}, nil), `{"b":1}`, `missing member "a"`},
		{"nested", members(nil, map[string]check{"a/b": elements(positive)}), `{"a/b":[1,0]}`, "at /a~1b/1: must be greater than 0, found 0"},
		{"additionalProperties", func(c *schema.Checker) {
			for c.Object(wire.KindAny); c.Member(); {
				c.Unknown("a", "b")
			}
		}, `{"c":1}`, `at /c: unknown member; allowed are "a" and "b"`},
		{"a misspelled name", func(c *schema.Checker) {
			for c.Object(wire.KindAny); c.Member(); {
				c.Unknown("city", "max_results")
			}
		}, `{"maxResults":1}`, `at /maxResults: unknown member (did you mean "max_results"?); allowed are "city" and "max_results"`},
		{"no properties", func(c *schema.Checker) {
			for c.Object(wire.KindAny); c.Member(); {
				c.Unknown()
			}
		}, `{"c":1}`, "at /c: unknown member; no members are allowed here"},
		{"patternProperties", func(c *schema.Checker) {
			for c.Object(wire.KindAny); c.Member(); {
				c.Unmatched([]string{"^x-"}, "a")
			}
		}, `{"c":1}`, `at /c: unknown member; allowed are "a" and names matching ^x-`},
		{"propertyNames", func(c *schema.Checker) {
			for c.Object(wire.KindAny); c.Member(); c.Pass() {
				c.PropertyName(value(func(c *schema.Checker, v schema.Value) { c.MaxLength(v, 1) }))
			}
		}, `{"a":1,"bc":2}`, "at /bc: the name of the member must have at most 1 character, has 2"},
		{"dependentRequired", func(c *schema.Checker) { c.Pass(); c.MissingBeside("a", []string{schema.NoName, "b"}, 1) }, `{"a":1}`, `missing member "b", which "a" requires`},
		{"minProperties", func(c *schema.Checker) { c.Pass(); c.MinProperties(0, 1) }, `{}`, "must have at least 1 member, has 0"},
		{"maxProperties", func(c *schema.Checker) { c.Pass(); c.MaxProperties(3, 2) }, `{}`, "must have at most 2 members, has 3"},
		{"minItems", func(c *schema.Checker) { c.Pass(); c.MinItems(0, 1) }, `[]`, "must have at least 1 element, has 0"},
		{"maxItems", func(c *schema.Checker) { c.Pass(); c.MaxItems(3, 2) }, `[]`, "must have at most 2 elements, has 3"},
		{"contains", func(c *schema.Checker) { c.Pass(); c.MinContains(0, 1, `{"type":"null"}`) }, `[]`, `must have at least 1 element matching {"type":"null"}, has 0`},
		{"maxContains", func(c *schema.Checker) { c.Pass(); c.MaxContains(2, 1, `{"type":"null"}`) }, `[]`, `must have at most 1 element matching {"type":"null"}, has 2`},
		{"uniqueItems", (*schema.Checker).Unique, `[{"a":1,"b":2},3,{"b":2.0,"a":1}]`, "must not have equal elements, but elements 0 and 2 are equal"},
		{"false", (*schema.Checker).Never, `1`, "is not allowed"},
		{"not", func(c *schema.Checker) { c.Not(typed(wire.KindNull), `{"type":"null"}`) }, `null`, `must not match {"type":"null"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff([]string{test.want}, problems(t, test.text, test.check)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestAlternatives has the messages for values that match no alternative.
func TestAlternatives(t *testing.T) {
	circle := members([]string{"kind", "radius"}, map[string]check{"kind": constant(`"circle"`), "radius": typed(wire.KindNumber)})
	square := members([]string{"kind", "side"}, map[string]check{"kind": constant(`"square"`), "side": typed(wire.KindNumber)})
	shape := func(c *schema.Checker) { c.AnyOf(circle, square) }
	one := func(allowed ...wire.Raw) check {
		return value(func(c *schema.Checker, v schema.Value) { c.Enum(v, allowed...) })
	}
	cat := members([]string{"t"}, map[string]check{"t": constant(`"cat"`)})
	dog := members([]string{"t", "name"}, map[string]check{"t": one(`"dog"`, `"puppy"`)})
	fish := members([]string{"t", "fins"}, map[string]check{"t": one(`"fish"`, `"shark"`)})
	a := members(nil, map[string]check{"t": constant(`"a"`), "mode": one("1", "2")})
	b := members(nil, map[string]check{"t": constant(`"b"`), "mode": one("2", "4")})
	closed := func(names ...string) check {
		return func(c *schema.Checker) {
			rules := make([]schema.Member, len(names))
			for i, name := range names {
				rules[i] = schema.Member{Name: name, Required: true, Types: wire.KindAny}
			}
			c.Members(wire.KindObject, nil, rules)
		}
	}
	for _, test := range []struct {
		name  string
		check check
		text  wire.Raw
		want  []string
	}{
		{"a type that none has", func(c *schema.Checker) { c.AnyOf(typed(wire.KindString), typed(wire.KindNull)) }, `true`,
			[]string{"must be a string or null, found true"}},
		{"constants", func(c *schema.Checker) { c.AnyOf(constant(`"a"`), constant(`"b"`), constant(`"b"`)) }, `"c"`,
			[]string{`must be "a" or "b", found "c"`}},
		{"a tag that fits", shape, `{"kind":"square","radius":1}`, []string{`missing member "side"`}},
		{"a tag that fits, inside", members(nil, map[string]check{"s": elements(shape)}), `{"s":[{"kind":"circle","radius":"1"}]}`,
			[]string{`at /s/0/radius: must be a number, found the string "1"`}},
		{"a tag that none has", shape, `{"kind":"line"}`, []string{`at /kind: must be "circle" or "square", found "line"`}},
		{"a tag that none has, of several values", func(c *schema.Checker) { c.OneOf(cat, dog) }, `{"t":"cow"}`,
			[]string{`at /t: must be "cat", "dog" or "puppy", found "cow"`}},
		{"a tag that a list of values has", func(c *schema.Checker) { c.OneOf(cat, dog, fish) }, `{"t":"fish"}`, []string{`missing member "fins"`}},
		{"a value that none allows", func(c *schema.Checker) { c.AnyOf(constant(`1`), one(`1`, `2`), typed(wire.KindString)) }, `3`,
			[]string{`must be 1, 2 or a string, found 3`}},
		{"lists of values of an untagged member", func(c *schema.Checker) { c.AnyOf(a, b) }, `{"t":"a","mode":3}`,
			[]string{`at /mode: must be one of 1, 2, found 3`}},
		{"no tag", shape, `{}`,
			[]string{`missing member "kind"`, `must match at least one of these alternatives: (1) missing member "radius" (2) missing member "side"`}},
		{"no tag, which is all that one lacks", func(c *schema.Checker) { c.OneOf(cat, dog) }, `{}`, []string{`missing member "t"`}},
		{"the only one with the names", func(c *schema.Checker) { c.AnyOf(closed("city"), closed("lat", "lon")) }, `{"lat":1}`, []string{`missing member "lon"`}},
		{"names that none has", func(c *schema.Checker) { c.AnyOf(closed("city"), closed("lat")) }, `{"xyz":1}`,
			[]string{`must match at least one of these alternatives: (1) at /xyz: unknown member; allowed are "city"; missing member "city" (2) at /xyz: unknown member; allowed are "lat"; missing member "lat"`}},
		{"the only one of its type", func(c *schema.Checker) { c.OneOf(typed(wire.KindNull), elements(typed(wire.KindString))) }, `["a",1]`,
			[]string{"at /1: must be a string, found 1"}},
		{"two at once", func(c *schema.Checker) {
			c.OneOf(typed(wire.KindNull), typed(wire.KindNumber), typed(wire.KindInteger))
		}, `1`,
			[]string{"must match exactly one of 3 alternatives, matches both number 2 and number 3"}},
		{"one alternative", func(c *schema.Checker) { c.OneOf(circle) }, `{"kind":"circle"}`, []string{`missing member "radius"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, problems(t, test.text, test.check)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestAllProblems checks that all problems are reported, up to a limit.
func TestAllProblems(t *testing.T) {
	three := members([]string{"a", "b"}, map[string]check{"c": typed(wire.KindNull), "d": typed(wire.KindNull)})
	want := []string{`at /c: must be null, found 1`, `at /d: must be null, found 2`, `missing member "a"`, `missing member "b"`}
	if diff := cmp.Diff(want, problems(t, `{"c":1,"d":2}`, three)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	many := wire.Raw("[" + strings.TrimSuffix(strings.Repeat("1,", 1500), ",") + "]")
	got := problems(t, many, elements(typed(wire.KindNull)))
	if len(got) != 1001 || got[1000] != "500 more problems" {
		t.Errorf("%d problems, the last %q", len(got), got[len(got)-1])
	}
}

// TestHoldsLeavesNoTrace checks that a trial changes neither the position nor the verdict.
func TestHoldsLeavesNoTrace(t *testing.T) {
	got := problems(t, `[1,"a"]`, elements(func(c *schema.Checker) {
		if c.Holds(typed(wire.KindString)) != c.Holds(func(c *schema.Checker) { c.Not(typed(wire.KindNumber), "") }) {
			t.Error("two trials do not agree")
		}
		c.Value(wire.KindNumber)
	}))
	if diff := cmp.Diff([]string{`at /1: must be a number, found the string "a"`}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestBudget checks that alternatives that multiply lead to a rejection.
//
// B30
func TestBudget(t *testing.T) {
	var node check
	branch := func(name string) check {
		return func(c *schema.Checker) {
			members([]string{name}, map[string]check{"next": func(c *schema.Checker) { node(c) }})(c)
		}
	}
	node = func(c *schema.Checker) { c.AnyOf(branch("a"), branch("b")) }
	deep := func(n int) wire.Raw {
		return wire.Raw(strings.Repeat(`{"next":`, n) + "{}" + strings.Repeat("}", n))
	}
	const refusal = "is too large to be checked against all the alternatives of its schema"
	if diff := cmp.Diff([]string{refusal}, problems(t, deep(500), node)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// A rejection remains one inside not.
	not := func(c *schema.Checker) { c.Not(node, "") }
	if diff := cmp.Diff([]string{refusal}, problems(t, deep(500), not)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := problems(t, deep(8), node); len(got) != 9 || got[0] == refusal {
		t.Errorf("a small value: %q", got)
	}
}

// TestPatternGivenUp checks that a match that is given up leads to a rejection.
func TestPatternGivenUp(t *testing.T) {
	slow := schema.NewPattern("slow", func(string) (bool, error) { return false, errors.New("too slow") })
	check := func(c *schema.Checker) {
		c.Not(value(func(c *schema.Checker, v schema.Value) { c.Pattern(v, slow) }), "")
	}
	want := []string{"takes too long to match against the pattern slow"}
	if diff := cmp.Diff(want, problems(t, `"a"`, check)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestMalformed checks that text that is not JSON is harmless.
func TestMalformed(t *testing.T) {
	everything := func(c *schema.Checker) {
		c.AnyOf(members([]string{"a"}, map[string]check{"a": elements(typed(wire.KindInteger))}), (*schema.Checker).Unique, typed(wire.KindInteger))
	}
	broken := regexp.MustCompile(`.`)
	const text = `{"a":[1,-2.5e3,{"b":null}],"c":"\u00e4"}`
	for i := range len(text) {
		schema.Check(wire.Raw(text[:i]), everything)
		schema.Check(wire.Raw(text[i:]), everything)
		schema.Check(wire.Raw(text[:i]+broken.ReplaceAllString(text[i:], "]")), everything)
	}
}

// TestDecode checks that a value is decoded only if it has no problem, and that checks do
// not affect each other.
func TestDecode(t *testing.T) {
	text := typed(wire.KindString)
	for _, tt := range []struct{ value, want, err string }{
		{value: `"a\nb"`, want: "a\nb"},
		{value: `1`, err: "wire: must be a string, found 1"},
		{value: `"c"`, want: "c"},
		{value: `"\n\u00e4"`, want: "\nä"},
		{value: `"d`, err: "wire: wire: at byte 0: expected a value, found '\"'"},
		{value: `null`, err: "wire: must be a string, found null"},
	} {
		var got words
		err := schema.Decode(wire.Raw(tt.value), text, &got)
		if string(got) != tt.want || err == nil && tt.err != "" || err != nil && err.Error() != tt.err {
			t.Errorf("%s: %q, %v, want %q, %s", tt.value, got, err, tt.want, tt.err)
		}
	}
}

type words string

func (w *words) AppendJSON(dst []byte) ([]byte, error) { return wire.AppendString(dst, string(*w)) }

func (w *words) DecodeJSON(r *wire.Reader) error {
	*w = words(r.ReadString())
	return r.Err()
}
