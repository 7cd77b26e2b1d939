package diff

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/judge"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// lenient is a side that is read as diff reads files.
func lenient(t testing.TB, revision string, root any) diff.Revision {
	t.Helper()
	src, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	read, err := gen.LowerLenient(pinned.Spec(t), gen.Source{Revision: revision, Schema: src})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	j, err := judge.Revision(read.Document, read.Lowered.Revision)
	if err != nil {
		t.Fatal(err)
	}
	side := diff.Revision{Label: revision, IR: read.Lowered.Revision, Judge: j, Document: read.Document}
	for _, note := range read.Notes {
		side.Notes.Skipped = append(side.Notes.Skipped, diff.Skipped{Where: diff.Place{Pointer: note.Pointer}, Why: note.Problem})
	}
	return side
}

// TestLenientAgrees checks that a schema that generation takes is the same to both
// readers.
func TestLenientAgrees(t *testing.T) {
	for _, revision := range pinned.Spec(t).Revisions() {
		src, err := pinned.Spec(t).Schema(revision)
		if err != nil {
			t.Fatal(err)
		}
		read, err := gen.LowerLenient(pinned.Spec(t), gen.Source{Revision: revision, Schema: src})
		if err != nil {
			t.Fatal(err)
		}
		if len(read.Notes) > 0 {
			t.Errorf("%s: %v", revision, read.Notes)
		}
		strict := pinned.Lower(t, revision)
		var want, got strings.Builder
		if err := errors.Join(ir.Print(&want, strict.Revision), ir.Print(&got, read.Lowered.Revision)); err != nil {
			t.Fatal(err)
		}
		if want.String() != got.String() {
			t.Errorf("%s: the readers make different things of it", revision)
		}
		if d := schema.Differences(strict.Document, read.Document); len(d) > 0 {
			t.Errorf("%s: %q", revision, d)
		}
	}
}

// keywords are what a random change may put into a schema, right and wrong.
var keywords = []string{
	`"type":["object","null"]`, `"type":"nothing"`, `"type":[]`, `"minLength":1`, `"pattern":"^(?=a)"`, `"pattern":"("`, `"required":[]`, `"required":"a"`,
	`"oneOf":[{"type":"string"},{"$ref":"#/$defs/Tool"}]`, `"anyOf":[]`, `"anyOf":[{}]`, `"allOf":[{"$ref":"#/$defs/Tool"}]`, `"additionalProperties":false`,
	`"additionalProperties":{"type":"string"}`, `"$ref":"#/$defs/Tool"`, `"$ref":"#/$defs/None"`, `"$ref":"https://example.com/s"`, `"$ref":7`, `"const":null`,
	`"enum":[1,null,"a"]`, `"enum":[]`, `"enum":"a"`, `"default":{}`, `"not":{}`, `"if":{"required":["a"]}`, `"items":[{}]`, `"items":false`, `"prefixItems":[{}]`,
	`"properties":{"a":true,"b":false}`, `"properties":[]`, `"minProperties":1`, `"maxItems":0`, `"minimum":"1"`, `"format":1`, `"title":1`, `"unheard":1`,
	`"$defs":{"A":{}}`, `"$schema":"http://example.com/"`, `"$id":"http://example.com/"`, `"$anchor":"a"`, `"description":{}`,
}

// disturb puts a random keyword into a random schema below a value.
func disturb(rng *rand.Rand, v any) bool {
	node, ok := v.(map[string]any)
	if !ok {
		return false
	}
	var inner []string
	for name, child := range node {
		if _, ok := child.(map[string]any); ok {
			inner = append(inner, name)
		}
	}
	slices.Sort(inner)
	if len(inner) > 0 && rng.IntN(4) > 0 && disturb(rng, node[inner[rng.IntN(len(inner))]]) {
		return true
	}
	var change map[string]any
	if err := json.Unmarshal([]byte("{"+keywords[rng.IntN(len(keywords))]+"}"), &change); err != nil {
		panic(err)
	}
	for name, value := range change {
		node[name] = value
	}
	return true
}

// TestLenientTakesAll checks that a schema with whatever keyword wherever can be read,
// and is then no different from itself.
func TestLenientTakesAll(t *testing.T) {
	const revision = "2025-11-25"
	for seed := range uint64(setting(t, "MCPGEN_DIFF_MUTATIONS", 300) / 15) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			root := decoded(t, revision)
			for range 1 + rng.IntN(3) {
				defs := root["$defs"].(map[string]any)
				disturb(rng, defs[pick(rng, sortedNames(defs))])
			}
			old, new := lenient(t, revision, root), lenient(t, revision, root)
			report, err := diff.Revisions(old, new)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				t.Errorf("%s at %s: %s", f.Rule, f.Subject, f.Message)
			}
		})
	}
}

func sortedNames(defs map[string]any) []string {
	var names []string
	for name := range defs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestLenientLists is TestLenientTakesAll for lists of tools.
func TestLenientLists(t *testing.T) {
	const list = `{"tools":[
		{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"array","items":{"type":"string"}},"y":{"$ref":"#/$defs/Tool"}},
			"required":["x"],"$defs":{"Tool":{"type":"object","properties":{"z":{"type":"integer"}}}}},"outputSchema":{"type":"object","properties":{"r":{"type":"number"}}}},
		{"name":"b","inputSchema":{"type":"object","properties":{"q":{"anyOf":[{"type":"string"},{"type":"null"}]}}}}]}`
	side := func(label string, root any) diff.ToolList {
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		c, err := catalog.Read("list.json", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return diff.ToolList{Label: label, List: c.Tools, Catalog: c}
	}
	for seed := range uint64(setting(t, "MCPGEN_DIFF_MUTATIONS", 300)) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var root map[string]any
		if err := json.Unmarshal([]byte(list), &root); err != nil {
			t.Fatal(err)
		}
		for range 1 + rng.IntN(3) {
			tool := pick(rng, root["tools"].([]any)).(map[string]any)
			switch rng.IntN(8) {
			case 0:
				tool["inputSchema"] = pick(rng, []any{nil, true, false, 1, "x", []any{}, map[string]any{}})
			case 1:
				delete(tool, "inputSchema")
			case 2:
				tool[pick(rng, []string{"name", "title", "description", "outputSchema", "annotations", "execution"})] = pick(rng, []any{nil, 1, true, []any{}, map[string]any{}})
			default:
				disturb(rng, tool["inputSchema"])
			}
		}
		report, err := diff.Tools(side("old", root), side("new", root))
		if err != nil {
			t.Fatalf("%v\n%v", err, root)
		}
		for _, f := range report.Findings {
			t.Errorf("%s at %s: %s\n%v", f.Rule, f.Subject, f.Message, root)
		}
	}
}

// TestLenientKeywords checks that what generation has no form for is compared all the
// same: a pinned revision with the same one after a change.
func TestLenientKeywords(t *testing.T) {
	const revision = "2025-11-25"
	old := side(t, revision)
	at := func(d map[string]any, path ...string) map[string]any {
		for _, name := range path {
			d = d[name].(map[string]any)
		}
		return d
	}
	set := func(keyword string, value any, path ...string) func(d map[string]any) {
		return func(d map[string]any) { at(d, path...)[keyword] = value }
	}
	for _, test := range []struct {
		name string
		edit func(d map[string]any)
		want string
	}{
		{"a value of an enum that the overlay orders", func(d map[string]any) {
			level := at(d, "LoggingLevel")
			level["enum"] = append(level["enum"].([]any), "trace")
		}, "enum-value-added LoggingLevel ok err"},
		{"oneOf for anyOf", func(d map[string]any) {
			block := at(d, "ContentBlock")
			block["oneOf"] = block["anyOf"]
			delete(block, "anyOf")
		}, ""},
		{"no required members", set("required", []any{}, "ClientCapabilities"), ""},
		{"prose", set("title", "x", "Tool"), ""},
		{"a default", set("default", "x", "Tool", "properties", "description"), "default-changed Tool.description warn warn"},
		{"the least number of elements", set("minItems", 1, "CallToolResult", "properties", "content"), "min-items-raised CallToolResult.content err ok"},
		{"the least length", set("minLength", 1, "Tool", "properties", "name"), "min-length-raised Tool.name err ok"},
		{"a limit that is left out", set("exclusiveMinimum", 0, "Annotations", "properties", "priority"), "minimum-raised Annotations.priority err ok"},
		{"a format", set("format", "email", "Root", "properties", "name"), "format-added Root.name err ok"},
		{"a closed object", set("additionalProperties", false, "Implementation"), "object-closed Implementation warn ok"},
		{"a closed object that others are made of", set("additionalProperties", false, "CallToolRequestParams"), "object-closed CallToolRequestParams warn ok"},
		{"a keyword beside a reference", set("minProperties", 1, "Tool", "properties", "annotations"), "min-properties-raised Tool.annotations err ok"},
		{"a reference in an allOf", set("annotations", map[string]any{"allOf": []any{ref("ToolAnnotations")}}, "Tool", "properties"), ""},
		{"null beside a reference", set("annotations", map[string]any{"anyOf": []any{ref("ToolAnnotations"), map[string]any{"type": "null"}}}, "Tool", "properties"),
			"type-added Tool.annotations ok err"},
		{"null beside an object", set("type", []any{"object", "null"}, "Tool"), "type-added Tool ok err"},
		{"true alone", set("const", true, "PromptArgument", "properties", "required"), "enum-value-removed PromptArgument.required err ok"},
		{"nothing", set("icons", false, "Tool", "properties"), "type-removed Tool.icons err ok"},
		{"a union of one", set("anyOf", []any{ref("PingRequest")}, "ServerRequest"), "method-removed elicitation/create err ok"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := decoded(t, revision)
			test.edit(root["$defs"].(map[string]any))
			changed := lenient(t, revision, root)
			changed.Label = "changed"
			report, err := diff.Revisions(old, changed)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(report.Findings) > 0 {
				f := report.Findings[0]
				got = strings.Join([]string{f.Rule, f.Subject, string(f.Verdicts.ReceiverFirst), string(f.Verdicts.SenderFirst)}, " ")
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestSplitDefinition checks that a result that takes its members from two schemas is the same, also where the overlay
// has the value of one.
func TestSplitDefinition(t *testing.T) {
	const revision = "2026-07-28"
	root := decoded(t, revision)
	definitions := root["$defs"].(map[string]any)
	result := definitions["CallToolResult"].(map[string]any)
	own := map[string]any{}
	for name, member := range result["properties"].(map[string]any) {
		if name != "_meta" && name != "resultType" {
			own[name] = member
		}
	}
	definitions["CallToolResult"] = map[string]any{"allOf": []any{ref("Result"),
		map[string]any{"type": "object", "properties": own, "required": []any{"content"}}}}
	changed := lenient(t, revision, root)
	changed.Label = "changed"
	report, err := diff.Revisions(side(t, revision), changed)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		t.Errorf("%s %s", f.Rule, f.Subject)
	}
}
