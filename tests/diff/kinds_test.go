package diff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
)

// place is where in a tool the schemas of a row stand; %s is the schema.
type place struct{ name, list string }

func inInput(schema string) string { return `[{"name":"t","inputSchema":` + schema + `}]` }

var places = []place{
	{"property", inInput(`{"type":"object","required":["v"],"properties":{"v":%s}}`)},
	{"nested", inInput(`{"type":"object","properties":{"o":{"type":"object","required":["v"],"properties":{"v":%s,"w":{"type":"string"}}}}}`)},
	{"items", inInput(`{"type":"object","required":["list"],"properties":{"list":{"type":"array","items":%s}}}`)},
	{"reference", inInput(`{"type":"object","properties":{"v":{"$ref":"#/$defs/V"}},"$defs":{"V":%s}}`)},
	{"branch", inInput(`{"type":"object","properties":{"u":{"anyOf":[{"type":"object","required":["k","v"],"properties":{"k":{"const":"a"},"v":%s}},` +
		`{"type":"object","required":["k","n"],"properties":{"k":{"const":"b"},"n":{"type":"integer"}}}]}}}`)},
	{"output", `[{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["v"],"properties":{"v":%s}}}]`},
	{"additional", inInput(`{"type":"object","additionalProperties":%s}`)},
	{"allOf", inInput(`{"type":"object","allOf":[{"properties":{"v":%s}},{"required":["v"]}]}`)},
	{"closed", inInput(`{"type":"object","additionalProperties":false,"required":["v"],"properties":{"v":%s,"z":{"type":"boolean"}}}`)},
	{"then", inInput(`{"type":"object","required":["k","v"],"properties":{"k":{"enum":["a","b"]},"v":{}},"if":{"properties":{"k":{"const":"a"}}},"then":{"properties":{"v":%s}}}`)},
	{"oneOf", inInput(`{"type":"object","oneOf":[{"required":["v"],"properties":{"v":%s,"w":false}},{"required":["w"],"properties":{"w":{}}}]}`)},
	{"unevaluatedItems", inInput(`{"type":"object","required":["v"],"properties":{"v":{"type":"array","prefixItems":[{"type":"integer"}],"unevaluatedItems":%s}}}`)},
	// No value of the sibling can be made.
	{"stuck", inInput(`{"type":"object","required":["v","s"],"properties":{"v":%s,"s":{"type":"string","minLength":40,"pattern":"^(?=.*[0-9]{3}z)(?!.*ab)(?=.*Q7w!).*$"}}}`)},
}

// TestKinds checks each kind of change at each place, both ways, against what it does
// to the values that are accepted, and that against the validator.
func TestKinds(t *testing.T) {
	rows := append(slices.Clone(scalarKinds), append(objectKinds, compositeKinds...)...)
	pool := valuePool()
	names := map[string]bool{}
	for _, row := range rows {
		if names[row.name] {
			t.Errorf("two rows are called %q", row.name)
		}
		names[row.name] = true
		t.Run(row.name, func(t *testing.T) {
			row.truth(t, pool)
			for _, at := range places {
				old, new := at.side(t, "old", row.old), at.side(t, "new", row.new)
				hold(t, at.name, old, new, row.narrows(), row.widens())
				hold(t, at.name+", back", new, old, row.widens(), row.narrows())
				hold(t, at.name+", itself", old, at.side(t, "new", row.old), false, false)
			}
		})
	}
	if len(rows) < 105 {
		t.Errorf("%d kinds", len(rows))
	}
}

func (p place) side(t *testing.T, label, schema string) diff.ToolList {
	t.Helper()
	text := strings.Replace(p.list, "%s", schema, 1)
	list, err := tools.Read([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return diff.ToolList{Label: label, List: list}
}

// hold compares two lists and holds the report against what is expected.
func hold(t *testing.T, name string, old, new diff.ToolList, narrows, widens bool) {
	t.Helper()
	report, err := diff.Tools(old, new)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for _, problem := range report.Problems {
		t.Errorf("%s: %s", name, problem)
	}
	receiver, sender := false, false
	var lines []string
	prints := map[string]bool{}
	for _, f := range report.Findings {
		receiver = receiver || f.Verdicts.ReceiverFirst.AtLeast(diff.LevelUndecided)
		sender = sender || f.Verdicts.SenderFirst.AtLeast(diff.LevelUndecided)
		lines = append(lines, fmt.Sprintf("%s at %s: %s (%s, %s) %s", f.Rule, f.Subject, f.Message, f.Verdicts.ReceiverFirst, f.Verdicts.SenderFirst, f.Unproven))
		if prints[f.Fingerprint] {
			t.Errorf("%s: two findings have the fingerprint %s", name, f.Fingerprint)
		}
		prints[f.Fingerprint] = true
		errs := 0
		for _, level := range []diff.Level{f.Verdicts.ReceiverFirst, f.Verdicts.SenderFirst} {
			if level.AtLeast(diff.LevelUndecided) {
				errs++
			}
		}
		if errs > len(f.Witnesses) && f.Unproven == "" {
			t.Errorf("%s: %s has no witness and does not say why", name, f.Rule)
		}
	}
	if receiver != narrows || sender != widens {
		t.Errorf("%s: narrows %t, widens %t, want %t and %t\n\t%s", name, receiver, sender, narrows, widens, strings.Join(lines, "\n\t"))
	}
}

// kind is a change of a schema and what it does to the values that are accepted.
type kind struct {
	name, old, new string
	// effect is "narrows", "widens", "both" or "none".
	effect string
	// values are some that show it, beside those of the pool.
	values string
}

func (k kind) narrows() bool { return k.effect == "narrows" || k.effect == "both" }
func (k kind) widens() bool  { return k.effect == "widens" || k.effect == "both" }

// truth holds the row against the validator.
func (k kind) truth(t *testing.T, pool []any) {
	t.Helper()
	list := func(schema string) (*samples.Validator, *jsonschema.Schema) {
		l, err := tools.Read([]byte(inInput(`{"type":"object","properties":{"v":` + schema + `}}`)))
		if err != nil {
			t.Fatalf("%v\n%s", err, schema)
		}
		return samples.NewValidator(l.Tools[0].Input), l.Tools[0].Input.Property("v")
	}
	vOld, old := list(k.old)
	vNew, new := list(k.new)
	values := append(slices.Clone(pool), vOld.Samples([]*jsonschema.Schema{old}, 500)...)
	values = append(values, vNew.Samples([]*jsonschema.Schema{new}, 500)...)
	if k.values != "" {
		values = append(values, decodeAll(t, k.values)...)
	}
	narrows, widens := false, false
	for _, v := range values {
		was, known := vOld.Accepts([]*jsonschema.Schema{old}, v)
		is, known2 := vNew.Accepts([]*jsonschema.Schema{new}, v)
		if !known || !known2 {
			t.Fatal("a schema does not compile")
		}
		if was && !is && !k.narrows() || is && !was && !k.widens() {
			t.Errorf("the row is wrong: %v is accepted by the old one: %t, by the new one: %t", v, was, is)
		}
		narrows, widens = narrows || was && !is, widens || is && !was
	}
	if narrows != k.narrows() || widens != k.widens() {
		t.Errorf("the validator knows of no value that shows the row: narrows %t, widens %t", narrows, widens)
	}
}

func decodeAll(t *testing.T, text string) []any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var list []any
	if err := dec.Decode(&list); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return list
}

// valuePool are values of many kinds.
func valuePool() []any {
	list := []any{nil, true, false, []any{}, map[string]any{}}
	var scalars []any
	for _, n := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "15", "20", "99", "100", "101", "-1", "-2", "-5", "0.5", "1.5", "2.5", "0.1", "0.25", "1000", "1e10"} {
		scalars = append(scalars, json.Number(n))
	}
	for _, s := range []string{"", "a", "b", "c", "d", "x", "y", "ab", "abc", "abcd", "abcde", "abcdef", "A", "Ab", "ABC", "a1", "1", "12", "123", "a b", "-", "é", "a@b.co", "abc@example.com",
		"https://example.com/a", "mailto:x", "2025-01-02", "2025-01-02T03:04:05Z", "127.0.0.1", "::1", "example.com", "P1D", "/a", "{", "x-y", "x_y", strings.Repeat("a", 30),
		"00000000-0000-4000-8000-000000000000", "(", "a\n"} {
		scalars = append(scalars, s)
	}
	list = append(list, scalars...)
	small := []any{json.Number("1"), json.Number("2"), json.Number("7"), "a", "b", "c", "abcdef", true, nil}
	for _, v := range small {
		list = append(list, []any{v})
		for _, name := range []string{"a", "b", "c", "x-a", "ab", "kind"} {
			list = append(list, map[string]any{name: v})
		}
		for _, w := range small {
			list = append(list, []any{v, w}, []any{v, w, v}, map[string]any{"a": v, "b": w}, map[string]any{"kind": v, "a": w}, map[string]any{"kind": v, "b": w},
				map[string]any{"a": v, "c": w}, map[string]any{"b": v, "c": w}, map[string]any{"a": v, "b": w, "c": v}, map[string]any{"a": v, "x-a": w}, map[string]any{"a": v, "zz": w}, map[string]any{"kind": v, "a": w, "b": w})
		}
	}
	return list
}
