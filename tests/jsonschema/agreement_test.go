package jsonschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
)

// setting returns a number from the environment.
func setting(t *testing.T, name string, usual int) int {
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestAgreement compares verdicts on random values of random schemas with those of another
// validator. MCPGEN_SCHEMAS is the number of schemas for each draft, and MCPGEN_SEED the seed.
func TestAgreement(t *testing.T) {
	schemas, seed := setting(t, "MCPGEN_SCHEMAS", 60), setting(t, "MCPGEN_SEED", 1)
	const values = 200
	type subject struct {
		source *source
		schema object
		text   json.RawMessage
		judge  *jsonschema.Schema
	}
	var subjects []subject
	var definitions []string
	used := map[string]int{}
	for _, draft := range []string{"draft7", "draft2020-12"} {
		r := &source{rand.New(rand.NewPCG(uint64(seed), uint64(len(draft)))), draft, used}
		for range schemas {
			s := r.document()
			text, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			input := property(dialects[draft], text)
			subjects = append(subjects, subject{r, s, text, compile(t, input)})
			definitions = append(definitions, tool(fmt.Sprintf("t%d", len(definitions)), input))
		}
	}
	list, err := readTools(definitions...)
	if err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, list)
	count, valid, complaints, compared := 0, 0, 0, 0
	for i, s := range subjects {
		for range values {
			text, value := s.source.arguments(t, s.schema)
			theirs, ours := s.judge.Validate(value), p.ask(t, i, text)
			count++
			compared += compare(t, list.Tools[i].Input.Source, text, ours)
			if theirs == nil {
				valid++
			}
			if (ours == "") == (theirs == nil) {
				continue
			}
			t.Errorf("%s\n%s\nours: %s\ntheirs: %v", s.text, text, ours, theirs)
			if complaints++; complaints == 5 {
				t.Fatal("too many disagreements")
			}
		}
	}
	t.Logf("%d schemas, %d verdicts, %d%% valid (seed %d), %d compared with compiled schemas", len(subjects), count, 100*valid/count, seed, compared)
	if share := 100 * valid / count; share < 20 || share > 80 {
		t.Errorf("%d%% of the values are valid; there must be many valid and many invalid ones", share)
	}
	for _, keyword := range []string{
		"$ref", "type", "enum", "const", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "pattern", "format",
		"prefixItems", "items", "additionalItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems",
		"properties", "patternProperties", "additionalProperties", "propertyNames", "required", "dependencies",
		"dependentRequired", "dependentSchemas", "minProperties", "maxProperties", "unevaluatedItems", "unevaluatedProperties",
	} {
		if used[keyword] == 0 {
			t.Errorf("%d uses of %s", used[keyword], keyword)
		}
	}
}

// compile compiles a schema for the other validator.
func compile(t *testing.T, text json.RawMessage) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.UseRegexpEngine(func(source string) (jsonschema.Regexp, error) {
		p, err := ecma.Compile(source)
		return pattern{source, p}, err
	})
	if err := compiler.AddResource("mem:///schema.json", document); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	compiled, err := compiler.Compile("mem:///schema.json")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return compiled
}

// pattern is an ECMA-262 regular expression.
type pattern struct {
	source string
	*schema.Pattern
}

func (p pattern) String() string { return p.source }

func (p pattern) MatchString(s string) bool {
	matched, err := p.Pattern.MatchString(s)
	return matched && err == nil
}
