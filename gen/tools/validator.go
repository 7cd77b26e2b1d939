package tools

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Validator judges values by the schemas of one document, with a validator of JSON
// Schema that asserts every format. It is not safe for concurrent use.
type Validator struct {
	judge  *judge
	usable bool
}

// NewValidator returns a validator for the document that a schema stands in.
func NewValidator(s *Schema) *Validator {
	v := &Validator{judge: newJudge(s, true)}
	v.usable = v.judge.compile(s) != nil && v.judge.cheap()
	return v
}

// Usable reports whether the document compiles, and judging a value by it takes no
// more than a reasonable number of steps.
func (v *Validator) Usable() bool { return v.usable }

// mostWork limits how many schemas apply to one place of a value.
const mostWork = 20_000

// cheap reports whether no schema of the document applies very many others to the same
// place of a value. A few schemas that refer to each other can apply as many as two to
// the power of their number.
func (j *judge) cheap() bool {
	if j.root.resource == nil {
		return true
	}
	work := map[*Schema]float64{}
	var count func(s *Schema) float64
	count = func(s *Schema) float64 {
		if s == nil {
			return 0
		}
		if have, ok := work[s]; ok {
			return have
		}
		work[s] = 1 // a schema that leads back to itself at the same place is an error
		sum := 1.0
		for _, part := range slices.Concat([]*Schema{s.target(), s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf) {
			sum += count(part)
		}
		for _, p := range s.DependentSchemas {
			sum += count(p.Schema)
		}
		work[s] = sum
		return sum
	}
	for _, s := range j.root.resource.doc.schemas {
		if count(s) > mostWork {
			return false
		}
	}
	return true
}

// Accepts reports whether a value satisfies all of some schemas of the document.
// The value is what encoding/json decodes with UseNumber. Known is false if a schema
// could not be compiled.
func (v *Validator) Accepts(all []*Schema, value any) (accepts, known bool) {
	if !v.usable {
		return false, false
	}
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
	if !v.usable {
		return nil
	}
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
