package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools"
)

// recursive returns a tool with definitions that refer to each other by unions of five. Each is changed if it is one
// of changed.
func recursive(t *testing.T, seed uint64, definitions int, changed map[int]bool) *tools.Tool {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	union := []string{"anyOf", "oneOf"}[seed%2]
	name := []string{"next", "n%d"}[seed/2%2]
	closed := []string{"", `,"additionalProperties":false`, `,"required":["` + name + `"]`}[seed/4%3]
	var list []string
	for i := range definitions {
		var options []string
		for range 5 {
			options = append(options, fmt.Sprintf(`{"$ref":"#/$defs/D%d"}`, rng.IntN(definitions)))
		}
		if changed[i] {
			options = options[:4]
		}
		text := fmt.Sprintf(`"%s":{%q:[%s]}`, name, union, strings.Join(options, ","))
		if changed[i] {
			text += `,"more":{"type":"string"}`
		}
		text = fmt.Sprintf(`"D%d":{"type":"object","properties":{%s}%s}`, i, text, closed)
		list = append(list, strings.ReplaceAll(text, "%d", fmt.Sprint(i)))
	}
	read, err := tools.Read([]byte(fmt.Sprintf(`[{"name":"t","inputSchema":{"type":"object","properties":{"v":{"$ref":"#/$defs/D0"}},"$defs":{%s}}}]`, strings.Join(list, ","))))
	if err != nil {
		t.Fatal(err)
	}
	return read.Tools[0]
}

// TestSteps checks that comparisons of definitions that refer to each other in many ways, which would never end by
// themselves, end: after the steps of a comparison, each question gets only a few.
func TestSteps(t *testing.T) {
	for seed := range uint64(12) {
		old, new := recursive(t, seed, 60, nil), recursive(t, seed, 60, map[int]bool{3: true, 30: true})
		c := newComparer(guardIgnoredMember)
		was, is := newSchemaBuilder(c.engine).shape(old.Input), newSchemaBuilder(c.engine).shape(new.Input)
		list, problem := c.messages(was, is, "t")
		if problem != "" {
			t.Errorf("%d: %s", seed, problem)
		}
		if c.begin(); c.earlier > 6*mostSteps {
			t.Errorf("%d: %d steps for %d changes", seed, c.earlier, len(list))
		}
		if !c.exhausted() {
			continue
		}
		for _, one := range list {
			for way := range one.ways {
				if o := one.ways[way]; o.is == unknown && o.why == "" {
					t.Errorf("%d: %s is undecided without a reason", seed, one.rule)
				}
			}
		}
	}
}

// TestLargeUnion checks that a change in each second variant of a large union has an example: the other variants, which
// have another constant, are no conditions on a value.
func TestLargeUnion(t *testing.T) {
	union := func(minimum int) ToolList {
		var variants []string
		for i := range 80 {
			variants = append(variants, fmt.Sprintf(`{"type":"object","required":["kind","v"],"properties":{"kind":{"const":"k%d"},"v":{"type":"integer","minimum":%d}}}`, i, i%2*minimum))
		}
		list, err := tools.Read([]byte(`[{"name":"t","inputSchema":{"type":"object","properties":{"u":{"oneOf":[` + strings.Join(variants, ",") + `]}}}}]`))
		if err != nil {
			t.Fatal(err)
		}
		return ToolList{List: list}
	}
	report, err := Tools(union(0), union(1))
	if err != nil || report.Summary != (Summary{Err: 40}) {
		t.Errorf("%v, %+v", err, report.Summary)
	}
}

// TestReferringConditions checks that a change in one of several definitions that refer to each other by oneOf is not
// undecided once more for each definition: one finding in each direction stands for those that only refer to it.
func TestReferringConditions(t *testing.T) {
	for _, seed := range []uint64{1, 5, 7, 9} {
		list := func(changed map[int]bool) ToolList {
			return ToolList{List: &tools.List{Tools: []*tools.Tool{recursive(t, seed, 12, changed)}}}
		}
		report, err := Tools(list(nil), list(map[int]bool{3: true}))
		if err != nil {
			t.Fatal(err)
		}
		conditions := 0
		for _, f := range report.Findings {
			if f.Rule == "constraint-changed" {
				conditions++
			}
		}
		if conditions > 2 || report.Summary.Undecided+report.Summary.Err == 0 {
			t.Errorf("%d: %d findings about oneOf, %+v", seed, conditions, report.Summary)
		}
	}
}

// TestRecursiveConditions checks that a change in one of several definitions that refer to each other by oneOf is
// decided: each choice says of some definitions that they accept the value or refuse it, and must not contradict
// others.
func TestRecursiveConditions(t *testing.T) {
	for _, seed := range []uint64{1, 5, 9, 13, 21, 25} {
		old, new := recursive(t, seed, 4, nil), recursive(t, seed, 4, map[int]bool{3: true})
		for _, sides := range [][2]*tools.Tool{{old, new}, {new, old}} {
			report, err := Tools(ToolList{List: &tools.List{Tools: sides[:1]}}, ToolList{List: &tools.List{Tools: sides[1:]}})
			if err != nil || report.Summary.Undecided > 0 {
				t.Errorf("%d: %v, %+v", seed, err, report.Summary)
			}
		}
	}
}

// TestDynamicConditions checks that a change is not lost between two schemas that lead to the same one with a
// $dynamicRef: that may accept a value by way of one of them and refuse it by way of the other.
func TestDynamicConditions(t *testing.T) {
	list := func(v, limit string) ToolList {
		list, err := tools.Read([]byte(`[{"name":"t","inputSchema":{"type":"object","required":["v"],"properties":{"v":` + v + `},"$defs":{
			"t":{"$id":"t","type":"object","properties":{"c":{"$dynamicRef":"#n"}},"required":["c"]` + limit + `,"$defs":{"n":{"$dynamicAnchor":"n"}}},
			"a":{"$id":"a","$ref":"t","$defs":{"n":{"$dynamicAnchor":"n","type":"string"}}},
			"b":{"$id":"b","$ref":"t","$defs":{"n":{"$dynamicAnchor":"n","type":"number"}}}}}}]`))
		if err != nil {
			t.Fatal(err)
		}
		return ToolList{List: list}
	}
	const one = `{"oneOf":[{"$ref":"a"},{"$ref":"b"}]}`
	for _, new := range []ToolList{list(one, `,"maxProperties":1`), list(`{"type":"null"}`, "")} {
		report, err := Tools(list(one, ""), new)
		if err != nil || report.Summary.Undecided+report.Summary.Err == 0 {
			t.Errorf("%v, %+v", err, report.Summary)
		}
	}
}
