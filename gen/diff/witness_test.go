package diff_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
)

// TestWitnessesOfTheirOwn checks that the example of a change shows that one: a list in
// which it alone was made refuses the example too.
func TestWitnessesOfTheirOwn(t *testing.T) {
	const base = `{"type":"object","required":["a"],"properties":{"a":{"enum":["x","y"]},"b":{"type":"string"},"c":{"type":"integer","maximum":10},"d":{"type":"array","items":{"type":"string"}}}}`
	alone := map[string]string{
		"enum-value-removed t.input.a":       `{"type":"object","required":["a"],"properties":{"a":{"enum":["x"]},"b":{"type":"string"},"c":{"type":"integer","maximum":10},"d":{"type":"array","items":{"type":"string"}}}}`,
		"member-became-required t.input.b":   `{"type":"object","required":["a","b"],"properties":{"a":{"enum":["x","y"]},"b":{"type":"string"},"c":{"type":"integer","maximum":10},"d":{"type":"array","items":{"type":"string"}}}}`,
		"maximum-lowered t.input.c":          `{"type":"object","required":["a"],"properties":{"a":{"enum":["x","y"]},"b":{"type":"string"},"c":{"type":"integer","maximum":5},"d":{"type":"array","items":{"type":"string"}}}}`,
		"constraint-added t.input.d[]":       `{"type":"object","required":["a"],"properties":{"a":{"enum":["x","y"]},"b":{"type":"string"},"c":{"type":"integer","maximum":10},"d":{"type":"array","items":{"type":"string","pattern":"^z"}}}}`,
		"unique-items-added t.input.d":       `{"type":"object","required":["a"],"properties":{"a":{"enum":["x","y"]},"b":{"type":"string"},"c":{"type":"integer","maximum":10},"d":{"type":"array","items":{"type":"string"},"uniqueItems":true}}}`,
		"min-properties-raised t.input":      `{"type":"object","required":["a"],"minProperties":3,"properties":{"a":{"enum":["x","y"]},"b":{"type":"string"},"c":{"type":"integer","maximum":10},"d":{"type":"array","items":{"type":"string"}}}}`,
		"required-member-added t.input.e":    `{"type":"object","required":["a","e"],"properties":{"a":{"enum":["x","y"]},"b":{"type":"string"},"c":{"type":"integer","maximum":10},"d":{"type":"array","items":{"type":"string"}},"e":{"type":"null"}}}`,
		"dependency-added t.input":           `{"type":"object","required":["a"],"dependentRequired":{"c":["d"]},"properties":{"a":{"enum":["x","y"]},"b":{"type":"string"},"c":{"type":"integer","maximum":10},"d":{"type":"array","items":{"type":"string"}}}}`,
		"parameter-title-changed t.input.b":  "",
		"default-changed t.input.b":          "",
		"constraint-added t.input":           `{"type":"object","required":["a"],"propertyNames":{"maxLength":1},"properties":{"a":{"enum":["x","y"]},"b":{"type":"string"},"c":{"type":"integer","maximum":10},"d":{"type":"array","items":{"type":"string"}}}}`,
		"parameter-description-changed none": "",
	}
	const all = `{"type":"object","required":["a","b","e"],"minProperties":3,"dependentRequired":{"c":["d"]},"propertyNames":{"maxLength":1},"properties":{"a":{"enum":["x"]},"b":{"type":"string","title":"B","default":"q"},"c":{"type":"integer","maximum":5},"d":{"type":"array","items":{"type":"string","pattern":"^z"},"uniqueItems":true},"e":{"type":"null"}}}`
	report, err := diff.Tools(toolSide(t, "old", input(base)), toolSide(t, "new", input(all)))
	if err != nil || len(report.Problems) > 0 {
		t.Fatal(err, report.Problems)
	}
	for _, f := range report.Findings {
		schema, ok := alone[f.Rule+" "+f.Subject]
		if !ok {
			t.Errorf("unexpected: %s at %s", f.Rule, f.Subject)
		}
		if schema == "" {
			continue
		}
		if len(f.Witnesses) != 1 {
			t.Errorf("%s at %s has %d witnesses: %s", f.Rule, f.Subject, len(f.Witnesses), f.Unproven)
			continue
		}
		list, err := tools.Read([]byte(input(schema)))
		if err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(bytes.NewReader(f.Witnesses[0].Value))
		dec.UseNumber()
		var value any
		if err := dec.Decode(&value); err != nil {
			t.Fatal(err)
		}
		arguments := list.Tools[0].Input
		if accepts, known := samples.NewValidator(arguments).Accepts([]*jsonschema.Schema{arguments}, value); !known || accepts {
			t.Errorf("%s at %s: %s shows something else", f.Rule, f.Subject, f.Witnesses[0].Value)
		}
	}
}

// TestWitnessOfRefusedNames checks that an example has no members for a receiver that refuses their names.
func TestWitnessOfRefusedNames(t *testing.T) {
	const before = `{"type":"object","properties":{"k":{"type":"string"}},"required":["k"]}`
	const after = `{"type":"object","properties":{"k":{"type":"integer"}},"required":["a","b"],"propertyNames":false}`
	report, err := diff.Tools(toolSide(t, "old", input(before)), toolSide(t, "new", input(after)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Subject == "t.input.k" && f.Rule == "type-changed" {
			if got := string(f.Witnesses[0].Value); got != `{"k":""}` {
				t.Errorf("the example is %s", got)
			}
			return
		}
	}
	t.Error("the type has not changed")
}
