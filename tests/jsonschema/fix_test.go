package jsonschema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/gen/lint"
)

// TestFix checks that the rewrites of mcpgen lint --fix change no verdict: for random schemas and
// values, both the independent validator and generated code judge the rewritten schema like the
// original.
// MCPGEN_SCHEMAS is the number of schemas for each draft, and MCPGEN_SEED the seed.
func TestFix(t *testing.T) {
	schemas, seed := setting(t, "MCPGEN_SCHEMAS", 40), setting(t, "MCPGEN_SEED", 1)
	const values = 100
	type subject struct {
		source        *source
		schema        object
		before, after json.RawMessage
		judges        [2]*jsonschema.Schema
	}
	var subjects []subject
	var definitions []string
	rewritten := map[string]int{}
	for _, draft := range []string{"draft7", "draft2020-12"} {
		r := &source{rand.New(rand.NewPCG(uint64(seed), uint64(len(draft)))), draft, map[string]int{}}
		for range schemas {
			s := r.document()
			text, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			before := property(dialects[draft], text)
			fixed, changes, err := lint.Fix("list.json", []byte("["+tool("t", before)+"]"), lint.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(changes) == 0 {
				continue
			}
			for _, c := range changes {
				rewritten[c.Rule]++
			}
			var list []struct {
				InputSchema json.RawMessage `json:"inputSchema"`
			}
			if err := json.Unmarshal(fixed, &list); err != nil {
				t.Fatal(err)
			}
			after := list[0].InputSchema
			subjects = append(subjects, subject{r, s, before, after, [2]*jsonschema.Schema{compile(t, before), compile(t, after)}})
			for _, input := range []json.RawMessage{before, after} {
				definitions = append(definitions, tool(fmt.Sprintf("t%d", len(definitions)), input))
			}
		}
	}
	list, err := readTools(definitions...)
	if err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, list)
	for i, s := range subjects {
		for range values {
			text, value := s.source.arguments(t, s.schema)
			theirs := [2]bool{s.judges[0].Validate(value) == nil, s.judges[1].Validate(value) == nil}
			ours := [2]bool{p.ask(t, 2*i, text) == "", p.ask(t, 2*i+1, text) == ""}
			if theirs[0] != theirs[1] || ours[0] != ours[1] {
				t.Fatalf("before %s\nafter %s\nvalue %s\nvalid before and after: %v by the validator, %v by generated code", s.before, s.after, text, theirs, ours)
			}
		}
	}
	t.Logf("%d schemas rewritten: %v (seed %d)", len(subjects), rewritten, seed)
	if len(subjects) == 0 {
		t.Error("no schema was rewritten")
	}
}
