package diff_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/toolstest"
)

func toolSide(t *testing.T, label, text string) diff.ToolList {
	t.Helper()
	list, err := tools.Read([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return diff.ToolList{Label: label, List: list}
}

// tool is a list of one tool with an input property "a" of a schema, beside a
// required one.
func tool(a string) string {
	return fmt.Sprintf(`[{"name":"t","inputSchema":{"type":"object","required":["b"],"properties":{"b":{"type":"string"},"a":%s}}}]`, a)
}

// input is a list of one tool with an input schema, output with an output schema.
func input(schema string) string { return fmt.Sprintf(`[{"name":"t","inputSchema":%s}]`, schema) }
func output(schema string) string {
	return fmt.Sprintf(`[{"name":"t","inputSchema":{"type":"object"},"outputSchema":%s}]`, schema)
}

// with is a list of one tool with members beside the input schema.
func with(members string) string {
	return fmt.Sprintf(`[{"name":"t","inputSchema":{"type":"object"}%s}]`, members)
}

// toolCase is a change of a tool list. Want has a line for each finding: the rule, the
// subject, and the verdicts for the receiver first and the sender first.
type toolCase struct{ old, new, want string }

var toolCases = []toolCase{
	{tool(`{}`), tool(`{}`), ``},
	{tool(`{"type":"string"}`), tool(`{"type":"integer"}`), `type-changed t.input.a err err`},
	{tool(`{"type":"string"}`), tool(`{"type":["string","null"]}`), `type-added t.input.a ok err`},
	{tool(`{"type":"string"}`), tool(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), `type-added t.input.a ok err`},
	{tool(`{"type":["string","null"]}`), tool(`{"anyOf":[{"type":"null"},{"type":"string"}]}`), ``},
	{tool(`{"type":"integer"}`), tool(`{"type":"number"}`), `type-widened t.input.a ok err`},
	{tool(`{}`), tool(`{"type":"string"}`), `type-closed t.input.a err ok`},
	{tool(`true`), tool(`{}`), ``},
	{tool(`{"const":"x"}`), tool(`{"const":"y"}`), `const-changed t.input.a err err`},
	{tool(`{"const":"x"}`), tool(`{"enum":["x"]}`), ``},
	{tool(`{"enum":["x","y"]}`), tool(`{"enum":["y","z"]}`), "enum-value-removed t.input.a err ok\nenum-value-added t.input.a ok err"},
	{tool(`{"enum":["x","y","z"]}`), tool(`{"enum":["z"]}`), "enum-value-removed t.input.a err ok"},
	{tool(`{"enum":["x"]}`), tool(`{"type":"string"}`), `enum-opened t.input.a ok err`},
	// One keyword is the only name of what each side refuses.
	{input(`{"type":"object","maxProperties":3,"dependentSchemas":{"c":{"properties":{"d":{"type":"boolean"}},"additionalProperties":{"type":"array"},"maxProperties":4}}}`),
		input(`{"type":"object","maxProperties":3,"dependentSchemas":{"c":{"properties":{"d":{"type":"boolean"}},"additionalProperties":{"enum":["a",-1]},"maxProperties":4}}}`), `constraint-changed t.input err err`},
	// The example has an element that the sender asks for beside the one that the receiver refuses.
	{tool(`{"type":"array","contains":{"type":"integer"},"maxContains":1}`), tool(`{"type":"array","prefixItems":[{"type":"integer"}],"unevaluatedItems":{"type":"string"}}`),
		"constraint-removed t.input.a ok err\ntype-closed t.input.a[0] err ok\ntype-closed t.input.a[] err ok"},
	{tool(`{"type":"array","minItems":1500,"items":{"type":"string"}}`), tool(`{"type":"array","minItems":1500,"items":{"type":"string","maxLength":3}}`), `max-length-lowered t.input.a[] err ok`},
	// Where a definition is found first, the receiver accepts the example as another variant.
	{input(`{"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{"v":{"$ref":"#/$defs/x"}},"required":["v"]},{"type":"object"}]},"b":{"properties":{"v":{"$ref":"#/$defs/x"}}}},"$defs":{"x":{"type":"string","maxLength":5}}}`),
		input(`{"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{"v":{"$ref":"#/$defs/x"}},"required":["v"]},{"type":"object"}]},"b":{"properties":{"v":{"$ref":"#/$defs/x"}}}},"$defs":{"x":{"type":"string","maxLength":4}}}`), `max-length-lowered t.input.a.v err ok`},
	// It accepts the first of several examples as another variant.
	{tool(`{"anyOf":[{"type":"object","properties":{"v":{"enum":["a","b","c"]}},"required":["v"]},{"type":"object","properties":{"v":{"const":"a"}},"required":["v"]}]}`),
		tool(`{"anyOf":[{"type":"object","properties":{"v":{"enum":["c"]}},"required":["v"]},{"type":"object","properties":{"v":{"const":"a"}},"required":["v"]}]}`), `enum-value-removed t.input.a.v err ok`},
	{tool(`{"type":"string","pattern":"^(a|b.|\\.)$"}`), tool(`{"enum":["a",".","bb"]}`), `enum-closed t.input.a err ok`},
	{tool(`{"type":"string","pattern":"^(a|bb|\\.)$"}`), tool(`{"enum":["a",".","bb"]}`), ``},
	{tool(`{"type":"string","maxLength":9223372036854775807}`), tool(`{"type":"string","maxLength":9223372036854775806}`), `max-length-lowered t.input.a err ok`},
	{tool(`{"type":"string"}`), tool(`{"type":"string","format":"uri"}`), `format-added t.input.a err ok`},
	{tool(`{"type":"string","format":"date"}`), tool(`{"type":"string","format":"uri"}`), `format-changed t.input.a err err`},
	{tool(`{"type":"string","format":"uri-template"}`), tool(`{"type":"string","format":"uri"}`), `format-changed t.input.a err ok`},
	{tool(`{"type":"string","format":"own"}`), tool(`{"type":"string"}`), `format-remark-changed t.input.a info info`},
	{tool(`{"type":"string","maxLength":5}`), tool(`{"type":"string","maxLength":4}`), `max-length-lowered t.input.a err ok`},
	{tool(`{"type":"string","minLength":5}`), tool(`{"type":"string","minLength":4}`), `min-length-lowered t.input.a ok err`},
	{tool(`{"type":"string","maxLength":5000}`), tool(`{"type":"string","maxLength":6000}`), `max-length-raised t.input.a ok err`},
	{tool(`{"type":"integer","minimum":1}`), tool(`{"type":"integer","exclusiveMinimum":0}`), ``},
	{tool(`{"type":"number","minimum":1}`), tool(`{"type":"number","exclusiveMinimum":1}`), `minimum-raised t.input.a err ok`},
	{tool(`{"type":"number","maximum":1}`), tool(`{"type":"number"}`), `maximum-raised t.input.a ok err`},
	{tool(`{"type":"integer","minimum":9007199254740993,"maximum":9007199254740999}`), tool(`{"type":"integer","minimum":9007199254740994,"maximum":9007199254740998}`),
		"minimum-raised t.input.a err ok\nmaximum-lowered t.input.a err ok"},
	{tool(`{"type":"number","minimum":1e-30}`), tool(`{"type":"number","minimum":2e-30}`), `minimum-raised t.input.a err ok`},
	{tool(`{"type":"number","multipleOf":1e-27}`), tool(`{"type":"number","multipleOf":2e-27}`), `constraint-changed t.input.a err ok`},
	{tool(`{"type":"array"}`), tool(`{"type":"array","minItems":1}`), `min-items-raised t.input.a err ok`},
	{tool(`{"type":"array","maxItems":2}`), tool(`{"type":"array","maxItems":3}`), `max-items-raised t.input.a ok err`},
	{tool(`{"type":"array"}`), tool(`{"type":"array","uniqueItems":true}`), `unique-items-added t.input.a err ok`},
	{tool(`{"type":"array","items":{"type":"string"}}`), tool(`{"type":"array","items":{"type":"boolean"}}`), `type-changed t.input.a[] err err`},
	{tool(`{"type":"object"}`), tool(`{"type":"object","minProperties":1}`), `min-properties-raised t.input.a err ok`},
	{tool(`{"type":"object","maxProperties":2}`), tool(`{"type":"object","maxProperties":1}`), `max-properties-lowered t.input.a err ok`},
	{tool(`{"type":"object"}`), tool(`{"type":"object","additionalProperties":false}`), `object-closed t.input.a warn ok`},
	{tool(`{"type":"object","additionalProperties":{"type":"string"}}`), tool(`{"type":"object","additionalProperties":{"type":"boolean"}}`), `type-changed t.input.a{} err err`},
	{tool(`{"type":"string","pattern":"^(?=.*a).*$"}`), tool(`{"anyOf":[{"type":"string","pattern":"^(?=.*a).*$"},{"type":"string","pattern":"^(?=.*a).*$"}]}`), ``},
	{input(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string","pattern":"^(?=.*a).*$"}}}`),
		input(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"anyOf":[{"type":"string","pattern":"^(?=.*a).*$"},{"type":"string","pattern":"^(?=.*a).*$"}]}}}`), ``},
	{tool(`{"type":"string","pattern":"^a"}`), tool(`{"type":"string","pattern":"^b"}`), `constraint-changed t.input.a err err`},
	{tool(`{"type":"string"}`), tool(`{"not":{"const":"x"}}`), "constraint-added t.input.a err ok" + strings.Repeat("\ntype-added t.input.a ok err", 5)},
	{tool(`{"type":"string","not":{"const":"x"}}`), tool(`{"type":"string","not":{"enum":["x","y"]}}`), `constraint-changed t.input.a err ok`},
	{tool(`{"type":"string","not":{"const":"x"}}`), tool(`{"type":"string","not":{"const":"x"},"allOf":[{"not":{"const":"y"}}]}`), `constraint-added t.input.a err ok`},
	{tool(`{"type":"string","default":"x"}`), tool(`{"type":"string","default":"y"}`), `default-changed t.input.a warn warn`},
	{tool(`{"type":"number","default":1}`), tool(`{"type":"number","default":1.0}`), ``},
	{tool(`{"type":"number","default":1,"minimum":0}`), tool(`{"type":"number","default":1.0,"minimum":1}`), `minimum-raised t.input.a err ok`},
	{tool(`{"type":"string","description":"Deletes nothing."}`), tool(`{"type":"string","description":"Deletes all."}`), `parameter-description-changed t.input.a warn warn`},
	{tool(`{"items":{"description":"x"}}`), tool(`{"items":{"description":"y"}}`), `parameter-description-changed t.input.a[] warn warn`},

	// The elements that the sender's contains counts must not be those that the receiver's counts.
	{tool(`{"type":"array","contains":{"type":"integer","minimum":5},"minContains":2}`), tool(`{"type":"array","contains":{"type":"integer","minimum":5,"maximum":9},"minContains":2}`), `constraint-changed t.input.a err ok`},
	// The third different object has another value of the only member.
	{tool(`{"type":"array","uniqueItems":true,"items":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}}`),
		tool(`{"type":"array","uniqueItems":true,"items":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]},"not":{"minItems":3}}`), `constraint-added t.input.a err ok`},
	// The example has a name that propertyNames allows, also beside another change.
	{input(`{"type":"object","properties":{"a":{"propertyNames":{"enum":["popup","sms"]},"additionalProperties":{"minimum":0}},"b":{}}}`),
		input(`{"type":"object","properties":{"a":{"propertyNames":{"enum":["popup","sms"]},"additionalProperties":{"minimum":3}},"b":{"type":"array"}}}`), "minimum-raised t.input.a{} err ok\ntype-closed t.input.b err ok"},
	{input(`{"type":"object","properties":{"a":{"propertyNames":{"pattern":"b"},"patternProperties":{"a..$":{"minimum":0}}},"b":{}}}`),
		input(`{"type":"object","properties":{"a":{"propertyNames":{"pattern":"b"},"patternProperties":{"a..$":{"minimum":3}}},"b":{"type":"array"}}}`), "minimum-raised t.input.a{a..$} err ok\ntype-closed t.input.b err ok"},
	// No value has the member a.k, and an example for another member does not show its change.
	{input(`{"type":"object","properties":{"a":{"type":"object","properties":{"k":{"minimum":0}},"propertyNames":{"enum":["p"]},"additionalProperties":{"minimum":0}},"b":{}}}`),
		input(`{"type":"object","properties":{"a":{"type":"object","properties":{"k":{"minimum":3}},"propertyNames":{"enum":["p"]},"additionalProperties":{"minimum":3}},"b":{"type":"array"}}}`), "minimum-raised t.input.a{} err ok\ntype-closed t.input.b err ok"},
	{input(`{"type":"object","properties":{"a":{"type":"object","patternProperties":{"^p":{"minimum":0},"^q":{"minimum":0}},"propertyNames":{"enum":["q"]}}}}`),
		input(`{"type":"object","properties":{"a":{"type":"object","patternProperties":{"^p":{"minimum":3},"^q":{"minimum":3}},"propertyNames":{"enum":["q"]}}}}`), "minimum-raised t.input.a{^q} err ok"},
	// The receiver accepts all values that one variant refuses as another variant.
	{tool(`{"oneOf":[{"type":"object","properties":{"t":{"const":"ev0"},"id":{"type":"integer"},"p0":{"type":"string"}},"required":["t","id"]},{"type":"object","properties":{"t":{"const":"ev2"},"id":{"type":"integer"},"p2":{"type":"boolean"}},"required":["t","id"]}]}`),
		tool(`{"oneOf":[{"type":"object","properties":{"t":true,"id":{"type":"integer"},"p0":{"type":"string"}},"required":["t","id"]},{"type":"object","properties":{"t":{"const":"ev2"},"id":{"type":"integer"},"p2":{"type":"boolean"}},"required":["t","id"],"patternProperties":{"^x-":false}}]}`),
		"constraint-added t.input.a err ok\ntype-closed t.input.a{^x-} warn ok\ntype-opened t.input.a.t ok err"},
	{tool(`{"oneOf":[{"type":"object","properties":{"t":{"const":"x"},"v":{"not":{"const":0}}},"required":["t"]},{"type":"object","properties":{"t":{"const":"z"},"w":{}},"required":["t"]},{"type":"object","properties":{"v":{"type":"integer"},"p":{"type":"boolean"}},"required":["v"]}]}`),
		tool(`{"oneOf":[{"type":"object","properties":{"t":{"const":"x"},"v":{}},"required":["t"]},{"type":"object","properties":{"t":{"const":"z"},"w":{}},"required":["t"]},{"type":"object","properties":{"t":{"const":"y"},"v":{}},"required":["t","v"]}]}`),
		"constraint-removed t.input.a ok err\nconstraint-removed t.input.a.v ok warn\nmember-removed t.input.a.p warn ok\nrequired-member-added t.input.a.t err ok\ntype-opened t.input.a.v ok err"},
	// A client does not send a member that it does not declare to a server that refuses the object anyway.
	{tool(`{"type":"object","properties":{"k":{"type":"string"}},"required":["k"]}`),
		tool(`{"type":"object","properties":{"k":{"type":"boolean"},"z":false},"required":["k"]}`), `type-changed t.input.a.k err err`},
	// Any value is a union with itself in it.
	{input(`{"type":"object","properties":{"a":true}}`),
		input(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"type":["null","boolean","number","string"]},{"type":"array","items":{"$ref":"#/$defs/a"}},{"type":"object","additionalProperties":{"$ref":"#/$defs/a"}}]}}}`), ``},

	{tool(`{"type":"object","properties":{"x":{},"y":{}}}`), tool(`{"type":"object","properties":{"x":{},"y":{}},"dependentRequired":{"x":["y"]}}`), `dependency-added t.input.a err ok`},

	// Moved behind a reference, or put together otherwise, it is the same.
	{input(`{"type":"object","properties":{"a":{"type":"string","maxLength":3}}}`),
		input(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string","maxLength":3}}}`), ``},
	{input(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`),
		input(`{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}},{"required":["a"]}]}`), ``},
	{input(`{"type":"object","properties":{"n":{"$ref":"#"}}}`), input(`{"type":"object","properties":{"n":{"$ref":"#"},"m":{"type":"string"}}}`), `member-added t.input.m ok warn`},

	{input(`{"type":"object"}`), input(`{"type":"object","properties":{"a":{"type":"string"}}}`), `member-added t.input.a ok warn`},
	{input(`{"type":"object","additionalProperties":false}`), input(`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}}}`), `member-added t.input.a ok err`},
	{input(`{"type":"object","properties":{"a":{}}}`), input(`{"type":"object"}`), `member-removed t.input.a warn ok`},
	{input(`{"type":"object","properties":{"a":{}}}`), input(`{"type":"object","properties":{"a":{}},"required":["a"]}`), `member-became-required t.input.a err ok`},
	{input(`{"type":"object","properties":{"a":{}},"required":["a"]}`), input(`{"type":"object","properties":{"a":{}}}`), `member-became-optional t.input.a ok err`},
	{input(`{"type":"object"}`), input(`{"type":"object","properties":{"a":{}},"required":["a"]}`), `required-member-added t.input.a err ok`},
	{input(`{"type":"object","properties":{"a":{}},"required":["a"]}`), input(`{"type":"object","additionalProperties":false}`),
		"closed-member-removed t.input.a err err\nobject-closed t.input warn ok"},
	{tool(`{"oneOf":[{"type":"object","required":["k","x"],"properties":{"k":{"const":"x"},"x":{}}},{"type":"object","required":["k","y"],"properties":{"k":{"const":"y"},"y":{}}}]}`),
		tool(`{"oneOf":[{"type":"object","required":["k","x"],"properties":{"k":{"const":"x"},"x":{}}},{"type":"object","required":["k","z"],"properties":{"k":{"const":"z"},"z":{}}}]}`),
		"variant-removed t.input.a err ok\nvariant-added t.input.a ok err"},
	{tool(`{"type":"object","properties":{"k":{"enum":["x","y"]},"v":{}},"required":["k"]}`),
		tool(`{"anyOf":[{"type":"object","properties":{"k":{"const":"x"},"v":{}},"required":["k"]},{"type":"object","properties":{"k":{"const":"y"},"v":{}},"required":["k"]}]}`),
		"variant-split t.input.a info info"},

	{output(`{"type":"object","properties":{"a":{"type":"string"}}}`), output(`{"type":"object","properties":{"a":{"type":"integer"}}}`), `type-changed t.output.a err err`},
	{output(`{"type":"object","required":["a"]}`), output(`{"type":"object"}`), `required-member-removed t.output.a ok err`},
	{output(`{"type":"object","required":["a"]}`), with(``), `output-schema-removed t.output ok err`},
	{with(``), output(`{"type":"object"}`), `output-schema-added t.output info ok`},

	// A condition that always or never holds is what the schema says then.
	{input(`{"type":"object","if":{},"then":{"properties":{}}}`), input(`{"type":"object","if":{},"then":{"properties":{"c":{"type":"integer"}}}}`), `member-added t.input.c ok warn`},
	{input(`{"type":"object","if":false,"else":{"properties":{"c":{"type":"integer"}}}}`), input(`{"type":"object","if":false,"else":{"required":["c"],"properties":{"c":{"type":"integer"}}}}`), `member-became-required t.input.c err ok`},
	{input(`{"type":"object","properties":{"c":false},"additionalProperties":false}`), input(`{"type":"object","additionalProperties":false}`), ``},
	{with(``), `[]`, `tool-removed t err ok`},
	{`[]`, with(``), `tool-added t ok info`},
	{with(`,"description":"x"`), with(`,"description":"y"`), `tool-description-changed t warn warn`},
	{with(`,"title":"x"`), with(`,"title":"y"`), `tool-title-changed t info info`},
	{with(`,"icons":[]`), with(``), `tool-metadata-changed t info info`},
	{with(`,"annotations":{"readOnlyHint":true}`), with(`,"annotations":{}`), `annotation-read-only-lost t warn warn`},
	{with(`,"annotations":{"destructiveHint":false}`), with(``), `annotation-not-destructive-lost t warn warn`},
	{with(`,"annotations":{"destructiveHint":true}`), with(``), ``},
	{with(``), with(`,"annotations":{"idempotentHint":true,"openWorldHint":false}`), "annotation-closed-world-gained t info info\nannotation-idempotent-gained t info info"},
}

// told renders findings, sorted.
func told(r *diff.Report) string {
	var lines []string
	for _, f := range r.Findings {
		lines = append(lines, fmt.Sprintf("%s %s %s %s", f.Rule, f.Subject, f.Verdicts.ReceiverFirst, f.Verdicts.SenderFirst))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestTools(t *testing.T) {
	for _, test := range toolCases {
		test.check(t, toolSide)
	}
}

// check compares the two sides, which read reads, and checks the findings.
func (c toolCase) check(t *testing.T, read func(t *testing.T, label, text string) diff.ToolList) {
	t.Helper()
	want := strings.Split(c.want, "\n")
	slices.Sort(want)
	report, err := diff.Tools(read(t, "old", c.old), read(t, "new", c.new))
	if err != nil {
		t.Errorf("%s\n%s\n%v", c.old, c.new, err)
		return
	}
	if got := told(report); got != strings.Join(want, "\n") {
		t.Errorf("%s\n%s\n got  %s\n want %s", c.old, c.new, got, strings.Join(want, "\n"))
	}
	if len(report.Problems) > 0 {
		t.Errorf("%s\n%s\n%q", c.old, c.new, report.Problems)
	}
	holds(t, report)
}

// holds checks what is true of every report.
func holds(t *testing.T, r *diff.Report) {
	t.Helper()
	for _, f := range r.Findings {
		errs := 0
		for _, level := range []diff.Level{f.Verdicts.ReceiverFirst, f.Verdicts.SenderFirst} {
			if level == diff.LevelErr {
				errs++
			}
		}
		if len(f.Witnesses) < errs && f.Unproven == "" || len(f.Witnesses) > 0 && !f.Level.AtLeast(diff.LevelWarn) {
			t.Errorf("%s at %s is %s with %d witnesses", f.Rule, f.Subject, f.Level, len(f.Witnesses))
		}
		if errs > 0 && len(f.Witnesses) == errs && f.Unproven != "" {
			t.Errorf("%s at %s has examples, and %s", f.Rule, f.Subject, f.Unproven)
		}
		if strings.Contains(f.Message, "{") && !strings.Contains(strings.Join(f.Args, ""), "{") || len(f.Fingerprint) != 12 || len(f.Uses) == 0 {
			t.Errorf("%+v", f)
		}
	}
}

// TestManyChanges checks that all changes of a large object are reported, and that the work of making
// examples for them is bounded: an example of each would have as many members as the object.
func TestManyChanges(t *testing.T) {
	const members = 2000
	large := func(kind string, required bool) string {
		var properties, names []string
		for i := range members {
			properties, names = append(properties, fmt.Sprintf(`"p%d":{"type":%q}`, i, kind)), append(names, fmt.Sprintf(`"p%d"`, i))
		}
		if !required {
			names = nil
		}
		return input(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(names, ",") + `]}`)
	}
	for _, test := range []struct{ old, new string }{
		{large("string", true), large("integer", true)}, {large("integer", true), large("number", true)}, {large("string", false), large("string", true)},
	} {
		r, err := diff.Tools(toolSide(t, "old", test.old), toolSide(t, "new", test.new))
		if err != nil {
			t.Fatal(err)
		}
		examples := 0
		for _, f := range r.Findings {
			examples += len(f.Witnesses)
			if len(f.Witnesses) == 0 && !strings.Contains(f.Unproven, "too many members") {
				t.Errorf("%s at %s: no example: %s", f.Rule, f.Subject, f.Unproven)
			}
		}
		if len(r.Findings) != members || examples == 0 || examples > 200 {
			t.Errorf("%d findings with %d examples", len(r.Findings), examples)
		}
		holds(t, r)
	}
}

// TestManyVariants checks that a change of one of many variants that nothing tells apart is the only finding
// and has an example.
func TestManyVariants(t *testing.T) {
	variants := func(union string, minimum int) string {
		var list []string
		for i := range 240 {
			least := i
			if i == 120 {
				least = minimum
			}
			list = append(list, fmt.Sprintf(`{"type":"object","properties":{"p%[1]d":{"type":"string"},"q%[1]d":{"type":"integer","minimum":%[2]d}},"required":["p%[1]d"]}`, i, least))
		}
		return input(fmt.Sprintf(`{"type":"object","required":["u"],"properties":{"u":{%q:[%s]}}}`, union, strings.Join(list, ",")))
	}
	for _, union := range []string{"anyOf", "oneOf"} {
		r, err := diff.Tools(toolSide(t, "old", variants(union, 120)), toolSide(t, "new", variants(union, 123)))
		if err != nil {
			t.Fatal(err)
		}
		if got := told(r); got != "minimum-raised t.input.u.q120 err ok" || len(r.Findings[0].Witnesses) != 1 {
			t.Errorf("%s: %s", union, got)
		}
	}
}

// TestToolsMirror checks that comparing the other way round exchanges the
// verdicts of the schemas.
func TestToolsMirror(t *testing.T) {
	rules := map[string]diff.Rule{}
	for _, r := range diff.Rules() {
		rules[r.ID] = r
	}
	for _, test := range toolCases {
		there, err := diff.Tools(toolSide(t, "old", test.old), toolSide(t, "new", test.new))
		if err != nil {
			t.Fatal(err)
		}
		back, err := diff.Tools(toolSide(t, "new", test.new), toolSide(t, "old", test.old))
		if err != nil {
			t.Fatal(err)
		}
		lines := func(r *diff.Report, mirror bool) []string {
			var all []string
			for _, f := range r.Findings {
				if f.Category == diff.CategoryTools { // to lose a tool or a promise is worse than to gain it
					continue
				}
				rule, v := f.Rule, f.Verdicts
				if mirror {
					rule, v = rules[rule].Mirror, diff.Verdicts{ReceiverFirst: v.SenderFirst, SenderFirst: v.ReceiverFirst}
				}
				all = append(all, fmt.Sprintf("%s %s %v", rule, f.Guard, v))
			}
			slices.Sort(all)
			return all
		}
		if want, got := lines(there, true), lines(back, false); !slices.Equal(want, got) {
			t.Errorf("%s\n%s\n got  %q\n want %q", test.old, test.new, got, want)
		}
	}
}

// TestEveryRuleTold checks that a change exists for every rule.
// tests/diff has those of the rules about methods.
func TestEveryRuleTold(t *testing.T) {
	all := map[string]bool{}
	for _, test := range slices.Concat(toolCases, offerCases) {
		for _, sides := range [][2]string{{test.old, test.new}, {test.new, test.old}} {
			r, err := diff.Tools(offerSide(t, "old", sides[0]), offerSide(t, "new", sides[1]))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				all[f.Rule] = true
			}
		}
	}
	for _, r := range diff.Rules() {
		if r.Category != diff.CategoryMethods && r.Category != diff.CategoryCode && !all[r.ID] {
			t.Errorf("no case has a finding of %s", r.ID)
		}
	}
}

// TestUpstreamTools compares the lists of real servers with themselves and with
// each other.
func TestUpstreamTools(t *testing.T) {
	names, _ := filepath.Glob(filepath.Join(toolstest.Shared(t), "*.json"))
	if len(names) == 0 {
		t.Skip("no tool lists of real servers: set MCPGEN_SHARED")
	}
	var before diff.ToolList
	for i, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		side := toolSide(t, filepath.Base(name), string(text))
		again := toolSide(t, "again", string(text))
		r, err := diff.Tools(side, again)
		if err != nil || len(r.Findings) > 0 {
			t.Errorf("%s differs from itself: %v %+v", name, err, r)
		}
		if i > 0 {
			if r, err = diff.Tools(before, side); err != nil {
				t.Errorf("%s: %v", name, err)
			} else {
				holds(t, r)
			}
		}
		before = side
	}
}

// TestToolsBounded compares schemas that are small and stand for very much.
func TestToolsBounded(t *testing.T) {
	doubling := func(last string) string {
		defs := ""
		for i := range 40 {
			defs += fmt.Sprintf(`"d%d":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/d%d"}},{"type":"object","properties":{"x":{"$ref":"#/$defs/d%d"},"y":{"$ref":"#/$defs/d%d"}}}]},`, i, i+1, i+1, i+1)
		}
		return input(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + defs + `"d40":` + last + `}}`)
	}
	crossing := func(last string) string {
		branches := ""
		for i := range 9 {
			branches += fmt.Sprintf(`{"type":"object","required":["m%d"]},`, i)
		}
		all := strings.Repeat(`{"anyOf":[`+branches+last+`]},`, 20)
		return tool(`{"allOf":[` + all + last + `]}`)
	}
	for _, list := range []func(string) string{doubling, crossing} {
		old, new := list(`{"type":"object"}`), list(`{"type":"object","maxProperties":1}`)
		for _, test := range []struct {
			old, new string
			want     bool
		}{{old, old, false}, {old, new, true}} {
			r, err := diff.Tools(toolSide(t, "old", test.old), toolSide(t, "new", test.new))
			if err != nil {
				t.Fatal(err)
			}
			if got := len(r.Findings) > 0; got != test.want {
				t.Errorf("%d findings, want some: %t", len(r.Findings), test.want)
			}
		}
	}
}

// FuzzTools compares lists with themselves and with an empty one.
func FuzzTools(f *testing.F) {
	for _, test := range toolCases {
		f.Add(test.old, test.new)
	}
	f.Fuzz(func(t *testing.T, old, new string) {
		was, err := tools.Read([]byte(old))
		if err != nil {
			return
		}
		is, err := tools.Read([]byte(new))
		if err != nil {
			return
		}
		r, err := diff.Tools(diff.ToolList{Label: "old", List: was}, diff.ToolList{Label: "new", List: was})
		if err != nil || len(r.Findings) > 0 {
			t.Errorf("differs from itself: %v, %+v", err, r)
		}
		there, err := diff.Tools(diff.ToolList{Label: "old", List: was}, diff.ToolList{Label: "new", List: is})
		if err != nil {
			t.Skip(err) // no value shows it; a judge would have to say more
		}
		back, err := diff.Tools(diff.ToolList{Label: "new", List: is}, diff.ToolList{Label: "old", List: was})
		if err != nil || len(there.Findings) != len(back.Findings) {
			t.Errorf("no mirror: %v, %d and %d findings", err, len(there.Findings), len(back.Findings))
		}
	})
}

// TestLostAndRefused checks that a change is a break if the receiver accepts some of its values as another variant and
// refuses others.
func TestLostAndRefused(t *testing.T) {
	variants := func(b string) string {
		return input(`{"type":"object","required":["v"],"properties":{"v":{"anyOf":[
			{"type":"object","required":["a"],"properties":{"a":{"type":"number","maximum":7}}},
			{"type":"object","required":["a","n"],"properties":{"a":{"type":"number","minimum":1},"n":{"type":"integer"},"b":` + b + `}}]}}}`)
	}
	r, err := diff.Tools(toolSide(t, "old", variants(`{"type":"string"}`)), toolSide(t, "new", variants(`{"allOf":[{"type":"string"},{"type":"number"}]}`)))
	if err != nil {
		t.Fatal(err)
	}
	if got := told(r); got != "type-removed t.input.v.b err ok" || len(r.Findings[0].Witnesses) != 1 {
		t.Error(got)
	}
	holds(t, r)
}

// TestHugeLimit checks that a finding names a limit that is too large for a search, although the validator knows it.
func TestHugeLimit(t *testing.T) {
	r, err := diff.Tools(toolSide(t, "old", tool(`{"type":"number"}`)), toolSide(t, "new", tool(`{"type":"number","minimum":1e500}`)))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || r.Findings[0].Message != `keyword "minimum" changed` {
		t.Error(told(r))
	}
	holds(t, r)
}
