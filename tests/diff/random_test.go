package diff

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
)

// schemas makes random schemas of every keyword.
type schemas struct{ rng *rand.Rand }

func (s schemas) of(depth int) map[string]any {
	out := map[string]any{}
	n := 1 + s.rng.IntN(3)
	if s.rng.IntN(4) > 0 {
		out["type"] = pick(s.rng, []any{"string", "integer", "number", "boolean", "null", "array", "object", "object", "array", []any{"string", "null"}, []any{"integer", "string"}})
	}
	for range n {
		s.keyword(out, depth)
	}
	return out
}

// keyword adds a keyword to a schema, or replaces one.
func (s schemas) keyword(out map[string]any, depth int) {
	number := func() any { return s.rng.IntN(5) }
	below := func() any { return s.of(depth - 1) }
	member := func() string { return pick(s.rng, []string{"a", "b", "c", "kind"}) }
	names := func() any { return []any{member()} }
	scalars := []func(){
		func() { out["minimum"] = number() },
		func() { out["maximum"] = number() },
		func() { out["exclusiveMinimum"] = number() },
		func() { out["multipleOf"] = pick(s.rng, []any{1, 2, 3, 0.5, 1.5}) },
		func() { out["minLength"] = number() },
		func() { out["maxLength"] = number() },
		func() { out["pattern"] = pick(s.rng, []string{"^a", "b$", "^[a-c]+$", "", "^.{2,4}$", "^(?=.*a).*$"}) },
		func() { out["format"] = pick(s.rng, []string{"date", "email", "uri", "ipv4", "color"}) },
		func() {
			out["enum"] = pick(s.rng, [][]any{{"a", "b"}, {1, 2}, {"a", 1, nil}, {true, false}, {map[string]any{"a": 1}}})
		},
		func() { out["const"] = pick(s.rng, []any{"a", "b", 1, true, nil}) },
		func() { out["required"] = names() },
		func() { out["minItems"] = s.rng.IntN(3) },
		func() { out["maxItems"] = s.rng.IntN(3) },
		func() { out["uniqueItems"] = true },
		func() { out["minProperties"] = s.rng.IntN(3) },
		func() { out["maxProperties"] = 1 + s.rng.IntN(3) },
		func() { out["additionalProperties"] = false },
		func() { out["dependentRequired"] = map[string]any{member(): names()} },
	}
	composite := []func(){
		func() { out["properties"] = map[string]any{member(): below(), member(): below()} },
		func() { out["properties"] = map[string]any{member(): below(), member(): below()} },
		func() { out["additionalProperties"] = below() },
		func() { out["patternProperties"] = map[string]any{pick(s.rng, []string{"^x-", "^a", "b"}): below()} },
		func() { out["propertyNames"] = map[string]any{"maxLength": s.rng.IntN(4)} },
		func() { out["items"] = below() },
		func() { out["prefixItems"] = []any{below(), below()} },
		func() { out["contains"] = below() },
		func() { out["not"] = below() },
		func() { out["anyOf"] = []any{below(), below()} },
		func() { out["oneOf"] = []any{below(), below()} },
		func() { out["allOf"] = []any{below(), below()} },
		func() { out["if"], out["then"] = below(), below() },
		func() { out["dependentSchemas"] = map[string]any{member(): below()} },
		func() { out["unevaluatedProperties"] = pick(s.rng, []any{false, map[string]any{"type": "string"}}) },
		func() { out["unevaluatedItems"] = false },
	}
	if depth > 0 && s.rng.IntN(2) == 0 {
		pick(s.rng, composite)()
		return
	}
	pick(s.rng, scalars)()
}

// changed is a schema with one change somewhere in it.
func (s schemas) changed(schema map[string]any, depth int) map[string]any {
	out := clone(schema).(map[string]any)
	var below []map[string]any
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			below = append(below, v)
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(out)
	at := out
	if s.rng.IntN(2) == 0 {
		props, _ := out["properties"].(map[string]any)
		for _, p := range props {
			if inner, ok := p.(map[string]any); ok && s.rng.IntN(2) == 0 {
				at = inner
			}
		}
	}
	if s.rng.IntN(3) == 0 {
		for name := range at {
			delete(at, name)
			break
		}
		return out
	}
	s.keyword(at, min(depth, 1))
	return out
}

// TestRandomSchemas compares random schemas with changed ones. What the validator
// refuses of the other side's values must be told of.
func TestRandomSchemas(t *testing.T) {
	count := setting(t, "MCPGEN_DIFF_RANDOM", 400)
	rng := rand.New(rand.NewPCG(uint64(setting(t, "MCPGEN_DIFF_SEED", 1)), 5))
	pool := valuePool()
	made, breaking, unproven := 0, 0, 0
	for made < count {
		s := schemas{rng}
		old := s.of(2)
		new := s.changed(old, 2)
		sides := [2]diff.ToolList{}
		inputs := [2]*jsonschema.Schema{}
		ok := true
		for i, schema := range []map[string]any{old, new} {
			text := inInput(`{"type":"object","required":["v"],"properties":{"v":` + encode(schema) + `}}`)
			list, err := tools.Read([]byte(text))
			if err != nil || !samples.NewValidator(list.Tools[0].Input).Usable() {
				ok = false
				break
			}
			inputs[i] = list.Tools[0].Input
			sides[i] = diff.ToolList{Label: []string{"old", "new"}[i], List: list}
		}
		if !ok {
			continue
		}
		made++
		report, err := diff.Tools(sides[0], sides[1])
		if err != nil || len(report.Problems) > 0 {
			t.Errorf("%s\n%s\n%v %v", encode(old), encode(new), err, report.Problems)
			continue
		}
		values := slices.Clone(pool)
		validators := [2]*samples.Validator{}
		for i, input := range inputs {
			validators[i] = samples.NewValidator(input)
			values = append(values, validators[i].Samples([]*jsonschema.Schema{input.Property("v")}, 300)...)
		}
		for way, level := range []func(f *diff.Finding) diff.Level{
			func(f *diff.Finding) diff.Level { return f.Verdicts.ReceiverFirst },
			func(f *diff.Finding) diff.Level { return f.Verdicts.SenderFirst },
		} {
			told := slices.ContainsFunc(report.Findings, func(f *diff.Finding) bool {
				return level(f).AtLeast(diff.LevelWarn) && f.Effect != diff.EffectMeaning
			})
			if told {
				breaking++
			}
			for _, v := range values {
				if told {
					break
				}
				sent, _ := validators[way].Accepts([]*jsonschema.Schema{inputs[way].Property("v")}, v)
				received, _ := validators[1-way].Accepts([]*jsonschema.Schema{inputs[1-way].Property("v")}, v)
				if sent && !received && declaredBy(old, new, v) {
					text, _ := json.Marshal(v)
					t.Errorf("way %d: nothing tells of %s\n\t%s\n\t%s", way, text, encode(old), encode(new))
					break
				}
			}
		}
		for _, f := range report.Findings {
			if f.Unproven != "" {
				unproven++
				if testing.Verbose() {
					t.Logf("%s (%s): %s\n\t%s\n\t%s", f.Rule, f.Message, f.Unproven, encode(old), encode(new))
				}
			}
		}
	}
	t.Logf("%d changes; %d directions that break, %d findings without an example", made, breaking, unproven)
}

// declaredBy reports whether a value has no members: those that a side does not declare
// are nobody's promise.
func declaredBy(old, new map[string]any, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return !slices.ContainsFunc(v, func(v any) bool { return !declaredBy(old, new, v) })
	}
	return true
}

// TestRewrittenSchemas checks that a random schema which is only written in another way
// has not changed.
func TestRewrittenSchemas(t *testing.T) {
	count := setting(t, "MCPGEN_DIFF_RANDOM", 300)
	rng := rand.New(rand.NewPCG(uint64(setting(t, "MCPGEN_DIFF_SEED", 1)), 6))
	for range count {
		s := encode(schemas{rng}.of(2))
		rewritten := pick(rng, []string{`{"allOf":[` + s + `]}`, `{"anyOf":[` + s + `]}`, `{"oneOf":[` + s + `]}`, `{"not":{"not":` + s + `}}`, `{"anyOf":[` + s + `,false]}`,
			`{"allOf":[true,{"allOf":[` + s + `,` + s + `]}]}`, `{"anyOf":[` + s + `,` + s + `]}`, `{"title":"x","allOf":[` + s + `]}`})
		for _, at := range []place{places[0], places[3]} {
			old, err := tools.Read([]byte(inInput(`{"type":"object","required":["v"],"properties":{"v":` + s + `}}`)))
			if err != nil || !samples.NewValidator(old.Tools[0].Input).Usable() {
				continue
			}
			hold(t, s+"\n\tas "+rewritten, at.side(t, "old", s), at.side(t, "new", rewritten), false, false)
		}
	}
}
