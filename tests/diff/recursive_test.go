package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
)

// recursive are input schemas that lead back to themselves. %s is a schema in them that
// changes.
var recursive = []struct{ name, schema string }{
	{"array of itself or a leaf", `{"type":"object","properties":{"v":{"$ref":"#/$defs/F"}},"$defs":{"F":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/F"}},%s]}}}`},
	{"three references to itself", `{"type":"object","properties":{"v":{"$ref":"#/$defs/U"}},"$defs":{"U":{"anyOf":[{"type":"object","properties":{"a":{"$ref":"#/$defs/U"},"b":{"$ref":"#/$defs/U"},"c":{"$ref":"#/$defs/U"}}},%s]}}}`},
	{"list", `{"type":"object","properties":{"v":%s,"next":{"$ref":"#"}}}`},
	{"tree", `{"type":"object","properties":{"v":%s,"children":{"type":"array","items":{"$ref":"#"}}}}`},
	{"map of itself", `{"type":"object","properties":{"v":%s},"additionalProperties":{"$ref":"#"}}`},
	{"expressions", `{"type":"object","required":["e"],"properties":{"e":{"$ref":"#/$defs/E"}},"$defs":{"E":{"oneOf":[{"type":"object","required":["op","left","right"],"properties":{"op":{"enum":["+","-"]},"left":{"$ref":"#/$defs/E"},"right":{"$ref":"#/$defs/E"}}},{"type":"object","required":["op","of"],"properties":{"op":{"const":"neg"},"of":{"$ref":"#/$defs/E"}}},{"type":"object","required":["op","args"],"properties":{"op":{"const":"call"},"args":{"type":"array","items":{"$ref":"#/$defs/E"}}}},{"type":"object","required":["op","value"],"properties":{"op":{"const":"lit"},"value":%s}}]}}}`},
	{"expressions without constants", `{"type":"object","properties":{"e":{"$ref":"#/$defs/E"}},"$defs":{"E":{"anyOf":[{"type":"object","required":["and"],"properties":{"and":{"type":"array","items":{"$ref":"#/$defs/E"}}}},{"type":"object","required":["or"],"properties":{"or":{"type":"array","items":{"$ref":"#/$defs/E"}}}},{"type":"object","required":["not"],"properties":{"not":{"$ref":"#/$defs/E"}}},{"type":"object","required":["is"],"properties":{"is":%s}}]}}}`},
	{"oneOf of what overlaps", `{"type":"object","properties":{"e":{"$ref":"#/$defs/E"},"v":%s},"$defs":{"E":{"oneOf":[{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/E"}}},{"type":"object","required":["b"],"properties":{"b":{"$ref":"#/$defs/E"}}},{"type":"object","properties":{"a":false,"b":false,"c":{"$ref":"#/$defs/E"}}}]}}}`},
	{"two definitions in each other", `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"},"v":%s}},"B":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/B"}}}}}`},
	{"allOf with itself below", `{"type":"object","allOf":[{"properties":{"next":{"$ref":"#"}}},{"properties":{"v":%s}}]}`},
	{"allOf of two that lead to each other", `{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"allOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}]},"A":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}},"B":{"type":"object","properties":{"next":{"$ref":"#/$defs/A"},"v":%s}}}}`},
	{"not itself", `{"type":"object","properties":{"v":%s,"n":{"not":{"$ref":"#/$defs/N"}}},"$defs":{"N":{"type":"object","required":["n"],"properties":{"n":{"not":{"$ref":"#/$defs/N"}}}}}}`},
	{"if itself", `{"type":"object","properties":{"v":%s,"n":{"$ref":"#"}},"if":{"required":["n"]},"then":{"properties":{"n":{"$ref":"#"}}}}`},
	{"prefixItems", `{"type":"object","properties":{"l":{"$ref":"#/$defs/L"}},"$defs":{"L":{"type":"array","prefixItems":[%s,{"anyOf":[{"type":"null"},{"$ref":"#/$defs/L"}]}],"items":false}}}`},
	{"required of itself without end", `{"type":"object","properties":{"v":%s,"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/$defs/N"}}}}}`},
	{"JSON", `{"type":"object","properties":{"v":{"$ref":"#/$defs/J"}},"$defs":{"J":{"anyOf":[{"type":"null"},{"type":"boolean"},%s,{"type":"array","items":{"$ref":"#/$defs/J"}},{"type":"object","additionalProperties":{"$ref":"#/$defs/J"}}]}}}`},
	{"patterns", `{"type":"object","properties":{"v":%s},"patternProperties":{"^n":{"$ref":"#"},"^m":{"type":"array","items":{"$ref":"#"}}}}`},
	{"dependentSchemas", `{"type":"object","properties":{"v":%s,"n":{"$ref":"#"}},"dependentSchemas":{"n":{"$ref":"#/$defs/D"}},"$defs":{"D":{"properties":{"n":{"properties":{"v":{"maxLength":9}}}}}}}`},
	{"contains itself", `{"type":"object","properties":{"v":{"$ref":"#/$defs/A"}},"$defs":{"A":{"anyOf":[%s,{"type":"array","contains":{"$ref":"#/$defs/A"}}]}}}`},
	{"many definitions", manyDefinitions()},
	{"a wide union in itself", wideUnion()},
}

// manyDefinitions is a graph of 40 definitions, of which each leads to all.
func manyDefinitions() string {
	var defs []string
	for i := range 40 {
		var members []string
		for j := range 40 {
			members = append(members, fmt.Sprintf(`"m%d":{"$ref":"#/$defs/D%d"}`, j, (i*7+j)%40))
		}
		defs = append(defs, fmt.Sprintf(`"D%d":{"type":"object","properties":{%s}}`, i, strings.Join(members, ",")))
	}
	return `{"type":"object","properties":{"v":%s,"d":{"$ref":"#/$defs/D0"}},"$defs":{` + strings.Join(defs, ",") + `}}`
}

// wideUnion is a union of 25 objects, each with three of the union in it.
func wideUnion() string {
	var branches []string
	for i := range 25 {
		branches = append(branches, fmt.Sprintf(`{"type":"object","required":["kind"],"properties":{"kind":{"const":"k%d"},"a":{"$ref":"#/$defs/U"},"b":{"type":"array","items":{"$ref":"#/$defs/U"}},"c":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/U"}]}}}`, i))
	}
	return `{"type":"object","properties":{"u":{"$ref":"#/$defs/U"}},"$defs":{"U":{"anyOf":[` + strings.Join(branches, ",") + `,%s]}}}`
}

// TestRecursive compares schemas that lead back to themselves: with themselves, and with
// one of which a leaf has changed.
func TestRecursive(t *testing.T) {
	for _, test := range recursive {
		t.Run(test.name, func(t *testing.T) {
			at := place{test.name, inInput(test.schema)}
			old, new := at.side(t, "old", `{"type":"string"}`), at.side(t, "new", `{"type":"string","maxLength":5}`)
			hold(t, "itself", old, at.side(t, "new", `{"type":"string"}`), false, false)
			hold(t, "rewritten", old, at.side(t, "new", `{"title":"x","anyOf":[{"type":"string"}]}`), false, false)
			hold(t, "narrower", old, new, true, false)
			hold(t, "wider", new, old, false, true)
			report, err := diff.Tools(old, new)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				if strings.Count(f.Subject, ".") > 6 {
					t.Errorf("a long way: %s", f.Subject)
				}
			}
		})
	}
}

// TestRecursiveUnion compares any value with a union of which a variant is a map of the union, and
// which is reached through that map first.
func TestRecursiveUnion(t *testing.T) {
	const revision = "2025-11-25"
	root := decoded(t, revision)
	defs := root["$defs"].(map[string]any)
	defs["AnyObject"] = map[string]any{"type": "object", "additionalProperties": ref("AnyValue")}
	defs["AnyValue"] = map[string]any{"anyOf": []any{ref("AnyObject"), map[string]any{"type": "array", "items": ref("AnyValue")}, map[string]any{"type": []any{"string", "integer", "boolean"}}}}
	defs["Tool"].(map[string]any)["properties"].(map[string]any)["description"] = ref("AnyObject")
	free := clone(root).(map[string]any)
	free["$defs"].(map[string]any)["AnyValue"] = map[string]any{}
	report, err := diff.Revisions(lenient(t, revision, free), lenient(t, revision, root))
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Problems) > 0 || len(report.Findings) != 1 {
		t.Fatalf("%d findings, problems %q", len(report.Findings), report.Problems)
	}
	f := report.Findings[0]
	if f.Rule != "type-closed" || !strings.Contains(f.Message, "object or ") || len(f.Witnesses) == 0 || f.Verdicts.SenderFirst == diff.LevelErr {
		t.Errorf("%s at %s: %s, %d witnesses, %+v", f.Rule, f.Subject, f.Message, len(f.Witnesses), f.Verdicts)
	}
}
