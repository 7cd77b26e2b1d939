package diff

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
)

// toolOf is a tool whose argument "v" is of a definition.
func toolOf(t *testing.T, defs map[string]any, name string) diff.ToolList {
	t.Helper()
	text := encode([]any{map[string]any{"name": "t", "inputSchema": map[string]any{
		"type": "object", "required": []any{"v"}, "properties": map[string]any{"v": ref(name)}, "$defs": defs,
	}}})
	list, err := tools.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return diff.ToolList{Label: "t", List: list}
}

// sender makes random values of a schema, with the members it declares.
type sender struct {
	rng  *rand.Rand
	defs map[string]any
}

func (s sender) value(schema map[string]any, depth int) any {
	if name, ok := schema["$ref"].(string); ok {
		return s.value(s.defs[name[strings.LastIndexByte(name, '/')+1:]].(map[string]any), depth)
	}
	if branches, ok := schema["anyOf"].([]any); ok {
		return s.value(pick(s.rng, branches).(map[string]any), depth)
	}
	if c, ok := schema["const"]; ok {
		return c
	}
	if values, ok := schema["enum"].([]any); ok {
		return pick(s.rng, values)
	}
	kind := schema["type"]
	if kinds, ok := kind.([]any); ok {
		kind = pick(s.rng, kinds)
	}
	switch kind {
	case "string":
		return pick(s.rng, []string{"", "text", "a:b"})
	case "boolean":
		return s.rng.IntN(2) == 0
	case "null":
		return nil
	case "integer":
		return s.rng.IntN(11) - 5
	case "number":
		return pick(s.rng, []float64{0, 0.25, 0.5, 0.75, 1, -1, -2.5, 3})
	case "array":
		list := []any{}
		for range s.rng.IntN(4) {
			if items, ok := schema["items"].(map[string]any); ok && depth > 0 {
				list = append(list, s.value(items, depth-1))
			}
		}
		return list
	case "object":
		return s.object(schema, depth)
	}
	return pick(s.rng, []any{"", 0.5, false, map[string]any{}})
}

func (s sender) object(schema map[string]any, depth int) any {
	out := map[string]any{}
	props, _ := schema["properties"].(map[string]any)
	must := required(schema)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if slices.Contains(must, name) || depth > 0 && s.rng.IntN(2) == 0 {
			out[name] = s.value(props[name].(map[string]any), depth-1)
		}
	}
	if rest, ok := schema["additionalProperties"].(map[string]any); ok && len(rest) > 0 && depth > 0 && s.rng.IntN(2) == 0 {
		out["x"] = s.value(rest, depth-1)
	}
	return out
}

// TestToolMutations is TestMutations for the schemas of tools. It takes those of
// the protocol, as nothing about them is special.
func TestToolMutations(t *testing.T) {
	count := setting(t, "MCPGEN_DIFF_MUTATIONS", 300)
	rng := rand.New(rand.NewPCG(uint64(setting(t, "MCPGEN_DIFF_SEED", 1)), 99))
	root := decoded(t, "2025-11-25")
	definitions := root["$defs"].(map[string]any)
	roots := []string{"Tool", "ContentBlock", "PrimitiveSchemaDefinition", "SamplingMessage", "ServerCapabilities", "ElicitResult", "ModelPreferences", "CompleteRequestParams"}
	values, refused := 0, 0
	for range count {
		name := pick(rng, roots)
		defs := map[string]any{}
		var keep func(name string)
		keep = func(name string) {
			if defs[name] == nil {
				defs[name] = definitions[name]
				for _, below := range refs(definitions[name]) {
					keep(below)
				}
			}
		}
		keep(name)
		m := newMutator(rng, map[string]any{"$defs": defs})
		change := m.mutate()
		old, new := toolOf(t, defs, name), toolOf(t, m.defs(), name)
		report, err := diff.Tools(old, new)
		if err != nil {
			t.Errorf("%s at %s: %v", change.name, change.pointer, err)
			continue
		}
		back, err := diff.Tools(new, old)
		if err != nil {
			t.Errorf("%s at %s, the other way round: %v", change.name, change.pointer, err)
			continue
		}
		compareMirror(t, mirrors(), report, back)
		if change.refactoring && len(report.Findings) > 0 {
			t.Errorf("%s at %s is told of: %s", change.name, change.pointer, report.Findings[0].Message)
		}
		n, r := send(t, rng, change, report, sender{rng, defs}, name, old.List.Tools[0], new.List.Tools[0], true)
		values, refused = values+n, refused+r
		n, r = send(t, rng, change, report, sender{rng, m.defs()}, name, new.List.Tools[0], old.List.Tools[0], false)
		values, refused = values+n, refused+r
	}
	t.Logf("%d mutations; of %d random values %d were refused by the other side, all of them told of", count, values, refused)
}

// send sends random values from one side to the other.
func send(t *testing.T, rng *rand.Rand, change mutation, report *diff.Report, from sender, name string, sent, received *tools.Tool, narrows bool) (values, refused int) {
	t.Helper()
	told := slices.ContainsFunc(report.Findings, func(f *diff.Finding) bool {
		if narrows {
			return f.Effect.Narrows() && f.Verdicts.ReceiverFirst.AtLeast(diff.LevelWarn)
		}
		return f.Effect.Widens() && f.Verdicts.SenderFirst.AtLeast(diff.LevelWarn)
	})
	sends, receives := samples.NewValidator(sent.Input), samples.NewValidator(received.Input)
	for range 8 {
		text := encode(map[string]any{"v": from.value(from.defs[name].(map[string]any), 4)})
		value := decodeAll(t, "["+text+"]")[0]
		if ok, known := sends.Accepts([]*jsonschema.Schema{sent.Input}, value); !ok || !known {
			continue
		}
		values++
		ok, known := receives.Accepts([]*jsonschema.Schema{received.Input}, value)
		if !known {
			t.Fatal("the schema does not compile")
		}
		if ok {
			continue
		}
		refused++
		if !told {
			t.Errorf("%s at %s: the other side refuses this %s, and nothing tells of it: %s", change.name, change.pointer, name, text)
			return values, refused
		}
	}
	return values, refused
}
