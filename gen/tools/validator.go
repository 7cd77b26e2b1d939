package tools

import (
	"encoding/json"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Validator judges values by the schemas of one document, with a validator of JSON
// Schema that asserts every format. It is not safe for concurrent use.
type Validator struct{ judge *judge }

// NewValidator returns a validator for the document that a schema stands in.
func NewValidator(s *Schema) *Validator { return &Validator{newJudge(s, true)} }

// Accepts reports whether a value satisfies all of some schemas of the document.
// The value is what encoding/json decodes with UseNumber. Known is false if a schema
// could not be compiled.
func (v *Validator) Accepts(all []*Schema, value any) (accepts, known bool) {
	accepts = true
	for _, s := range all {
		compiled := v.judge.compile(s)
		if compiled == nil {
			return false, false
		}
		accepts = accepts && compiled.Validate(value) == nil
	}
	return accepts, true
}

// Samples returns a few values that satisfy all of some schemas of the document, as
// [Samples] does. It judges at most budget values on the way to each.
func (v *Validator) Samples(all []*Schema, budget int) []any {
	var made []any
	seen := map[wire.Raw]bool{}
	for _, way := range []sampler{{}, {full: true}, {full: true, turn: 1}, {full: true, turn: 2}} {
		way.judge, way.budget = v.judge, budget
		raw, ok := way.value(all)
		if !ok || seen[raw] {
			continue
		}
		seen[raw] = true
		dec := json.NewDecoder(strings.NewReader(string(raw)))
		dec.UseNumber()
		var value any
		if dec.Decode(&value) == nil {
			made = append(made, value)
		}
	}
	return made
}

// GoSyntax writes a pattern of JSON Schema in the syntax of package regexp/syntax, as
// far as that has the same.
func GoSyntax(pattern string) string { return goSyntax(pattern) }

// Matches reports whether a pattern of JSON Schema is found in a string. A pattern that
// is none is found nowhere.
func Matches(pattern, s string) bool {
	re, err := compilePattern(pattern)
	return err == nil && re.MatchString(s)
}
