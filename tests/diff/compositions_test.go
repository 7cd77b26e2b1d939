package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
)

// wrappers put a schema into another one, which accepts more if the schema does.
var wrappers = []string{
	`%s`, `{"allOf":[%s]}`, `{"anyOf":[%s]}`, `{"oneOf":[%s,false]}`, `{"not":{"not":%s}}`, `{"title":"x","allOf":[true,%s]}`,
	`{"type":"object","required":["v"],"properties":{"v":%s}}`,
	`{"type":"object","properties":{"v":%s,"w":{"type":"string"}}}`,
	`{"type":"object","additionalProperties":false,"required":["v"],"properties":{"v":%s,"z":{"type":"boolean"}}}`,
	`{"type":"object","properties":{"v":true},"allOf":[{"properties":{"v":%s}},{"required":["v"]}]}`,
	`{"type":"object","additionalProperties":%s}`, `{"type":"object","patternProperties":{"^v[0-9]+$":%s},"additionalProperties":false}`,
	`{"type":"array","items":%s}`, `{"type":"array","prefixItems":[{"type":"integer"},%s],"minItems":2}`,
	`{"type":"array","minItems":2,"maxItems":3,"items":%s}`, `{"type":"array","prefixItems":[{"type":"integer"}],"unevaluatedItems":%s}`,
	`{"anyOf":[{"type":"object","required":["k","v"],"properties":{"k":{"const":"a"},"v":%s}},{"type":"object","required":["k","n"],"properties":{"k":{"const":"b"},"n":{"type":"integer"}}}]}`,
	`{"oneOf":[{"type":"object","required":["v"],"properties":{"v":%s,"w":false}},{"type":"object","required":["w"],"properties":{"w":{}}}]}`,
	`{"oneOf":[{"type":"object","required":["v"],"properties":{"v":%s}},{"type":"object","required":["w"],"properties":{"w":{"type":"integer"},"v":false}}]}`,
	`{"type":"object","required":["k","v"],"properties":{"k":{"enum":["a","b"]},"v":{}},"if":{"properties":{"k":{"const":"a"}}},"then":{"properties":{"v":%s}}}`,
	`{"type":"object","required":["k","v"],"properties":{"k":{"type":"boolean"},"v":{}},"if":{"properties":{"k":{"const":true}},"required":["k"]},"then":true,"else":{"properties":{"v":%s}}}`,
	`{"type":"object","properties":{"k":{"type":"boolean"},"v":{}},"dependentSchemas":{"k":{"required":["v"],"properties":{"v":%s}}}}`,
	`{"type":"object","properties":{"v":{}},"not":{"required":["v"],"properties":{"v":{"not":%s}}}}`,
}

// TestCompositions composes known changes: several at once, each deep in other schemas, and checks the
// report against what the changes do.
func TestCompositions(t *testing.T) {
	count := setting(t, "MCPGEN_DIFF_COMPOSITIONS", 150)
	rng := rand.New(rand.NewPCG(uint64(setting(t, "MCPGEN_DIFF_SEED", 1)), 7))
	rows := slices.Concat(scalarKinds, objectKinds, compositeKinds)
	missed, wrong, undecided := 0, 0, 0
	for range count {
		var texts [2][]string
		var narrows, widens bool
		var names []string
		for i := range 1 + rng.IntN(3) {
			row := pick(rng, rows)
			old, new := row.old, row.new
			switch rng.IntN(3) {
			case 0:
				narrows, widens = narrows || row.narrows(), widens || row.widens()
			case 1:
				old, new = new, old
				narrows, widens = narrows || row.widens(), widens || row.narrows()
			case 2:
				new = old
			}
			names = append(names, row.name)
			for range rng.IntN(4) {
				w := pick(rng, wrappers)
				old, new = strings.Replace(w, "%s", old, 1), strings.Replace(w, "%s", new, 1)
			}
			for side, text := range []string{old, new} {
				texts[side] = append(texts[side], fmt.Sprintf(`"p%d":%s`, i, text))
			}
		}
		at := place{"property", inInput(`{"type":"object","properties":{%s}}`)}
		report, err := diff.Tools(at.side(t, "old", strings.Join(texts[0], ",")), at.side(t, "new", strings.Join(texts[1], ",")))
		if err != nil {
			t.Fatal(err)
		}
		var err2, open [2]bool
		var lines []string
		for _, f := range report.Findings {
			for way, level := range []diff.Level{f.Verdicts.ReceiverFirst, f.Verdicts.SenderFirst} {
				err2[way] = err2[way] || level == diff.LevelErr
				open[way] = open[way] || level == diff.LevelUndecided
			}
			lines = append(lines, fmt.Sprintf("%s at %s (%s, %s) %s", f.Rule, f.Subject, f.Verdicts.ReceiverFirst, f.Verdicts.SenderFirst, f.Unproven))
		}
		say := func(what string) {
			t.Logf("%s: %q narrows %t, widens %t\n\t%s\n\t%s\n\t%s", what, names, narrows, widens, strings.Join(texts[0], ","), strings.Join(texts[1], ","), strings.Join(lines, "\n\t"))
		}
		for way, breaks := range []bool{narrows, widens} {
			switch {
			case breaks && !err2[way] && !open[way]:
				missed++
				say("missed")
			case !breaks && err2[way]:
				wrong++
				say("wrong")
			case open[way] && (!breaks || !err2[way]):
				undecided++
				say("undecided")
			}
		}
		for _, problem := range report.Problems {
			t.Errorf("%s", problem)
		}
	}
	t.Logf("%d compositions: %d breaks missed, %d errors wrong, %d undecided", count, missed, wrong, undecided)
	if missed > 0 || wrong*300 > count || undecided*100 > count {
		t.Error("too many")
	}
}
