// Package faults finds mistakes in a JSON Schema that can be read: patterns that are not regular
// expressions, bounds and types that no value satisfies, listed values that are never accepted, and
// defaults and examples that are not valid.
package faults

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Kind is the kind of a fault.
type Kind int

// The kinds.
const (
	Pattern Kind = iota // a pattern cannot be read
	Bounds              // no value satisfies the bounds
	Listed              // a value of enum or const is not valid
	Value               // a default or an example is not valid
)

// Fault is a fault of a schema.
type Fault struct {
	Kind Kind
	// Pointer is the place of the fault in the text, as [jsonschema.Schema.Pointer].
	Pointer string
	Problem string
}

// Of returns the faults of one schema, without those of the schemas in it. Judge is the validator
// of its document, or nil.
func Of(s *jsonschema.Schema, judge *samples.Validator) []Fault {
	f := finder{schema: s}
	f.patterns()
	f.bounds()
	f.types()
	f.listed()
	if judge != nil {
		f.values(judge)
	}
	return f.all
}

type finder struct {
	schema *jsonschema.Schema
	all    []Fault
}

func (f *finder) add(kind Kind, within, format string, args ...any) {
	f.all = append(f.all, Fault{kind, f.schema.Pointer + within, fmt.Sprintf(format, args...)})
}

func (f *finder) patterns() {
	check := func(within, pattern string) {
		if _, err := ecma.Compile(pattern); err != nil {
			f.add(Pattern, within, "the pattern %q cannot be read, so it is not checked: %v", pattern, err)
		}
	}
	if f.schema.Pattern != nil {
		check("/pattern", *f.schema.Pattern)
	}
	for _, p := range f.schema.PatternProperties {
		check(wire.ChildPointer("/patternProperties", p.Name), p.Name)
	}
}

func (f *finder) bounds() {
	s := f.schema
	for _, b := range []struct {
		low, high   string
		least, most *int64
	}{
		{"minLength", "maxLength", s.MinLength, s.MaxLength},
		{"minItems", "maxItems", s.MinItems, s.MaxItems},
		{"minContains", "maxContains", s.MinContains, s.MaxContains},
		{"minProperties", "maxProperties", s.MinProperties, s.MaxProperties},
	} {
		if b.least != nil && b.most != nil && *b.least > *b.most {
			f.add(Bounds, "/"+b.low, "%s %d is greater than %s %d, so no value is valid", b.low, *b.least, b.high, *b.most)
		}
	}
	for _, b := range []struct {
		low, high   string
		least, most wire.Raw
		open        bool // the bounds themselves are not between them
	}{
		{"minimum", "maximum", s.Minimum, s.Maximum, false},
		{"minimum", "exclusiveMaximum", s.Minimum, s.ExclusiveMaximum, true},
		{"exclusiveMinimum", "maximum", s.ExclusiveMinimum, s.Maximum, true},
		{"exclusiveMinimum", "exclusiveMaximum", s.ExclusiveMinimum, s.ExclusiveMaximum, true},
	} {
		if b.least == "" || b.most == "" {
			continue
		}
		if order := wire.CompareNumbers(b.least, b.most); order > 0 || order == 0 && b.open {
			f.add(Bounds, "/"+b.low, "%s %s and %s %s leave no number that is valid", b.low, b.least, b.high, b.most)
		}
	}
	if n := int64(len(s.Required)); s.MaxProperties != nil && n > *s.MaxProperties {
		f.add(Bounds, "/maxProperties", "%d members are required and at most %d are allowed", n, *s.MaxProperties)
	}
	if s.Enum != nil && len(s.Enum) == 0 {
		f.add(Bounds, "/enum", "enum lists no value, so no value is valid")
	}
}

// types finds types and members that no value can have.
func (f *finder) types() {
	var common []string
	seen := map[*jsonschema.Schema]bool{} // several references may lead to one schema, and dynamic ones back to it
	var meet func(s *jsonschema.Schema) bool
	meet = func(s *jsonschema.Schema) bool {
		if seen[s] {
			return true
		}
		seen[s] = true
		if s.Types != nil && common == nil {
			common = s.Types
		} else if s.Types != nil {
			if common = bothTypes(common, s.Types); len(common) == 0 {
				return false
			}
		}
		return !slices.ContainsFunc(s.InPlace(), func(part *jsonschema.Schema) bool { return !meet(part) })
	}
	if len(f.schema.InPlace()) > 0 && !meet(f.schema) {
		f.add(Bounds, "", "no value has all the types that the schema, its references and its allOf require")
	}
	for _, name := range f.schema.Required {
		if p := f.schema.Property(name); p != nil && p.Always != nil && !*p.Always {
			f.add(Bounds, wire.ChildPointer("/properties", name), "the member %q is required, and no value of it is valid", name)
		}
	}
}

// bothTypes returns the types that both lists allow. An integer is also a number.
func bothTypes(a, b []string) []string {
	both := []string{}
	for _, t := range a {
		switch {
		case slices.Contains(b, t), t == "integer" && slices.Contains(b, "number"):
			both = append(both, t)
		case t == "number" && slices.Contains(b, "integer"):
			both = append(both, "integer")
		}
	}
	return both
}

func (f *finder) listed() {
	s := f.schema
	if s.Types == nil {
		return
	}
	types := strings.Join(s.Types, " or ")
	for i, v := range s.Enum {
		if !jsonschema.IsOf(v, s.Types...) {
			f.add(Listed, fmt.Sprintf("/enum/%d", i), "%s in enum is not of type %s", short(v), types)
		}
	}
	if s.Const != "" && !jsonschema.IsOf(s.Const, s.Types...) {
		f.add(Listed, "/const", "const %s is not of type %s", short(s.Const), types)
	}
}

func (f *finder) values(judge *samples.Validator) {
	check := func(kind Kind, within, what string, text wire.Raw) {
		in := json.NewDecoder(strings.NewReader(string(text)))
		in.UseNumber()
		var value any
		if text == "" || in.Decode(&value) != nil {
			return
		}
		if accepts, known := judge.Accepts([]*jsonschema.Schema{f.schema}, value); known && !accepts {
			f.add(kind, within, "the %s %s is not valid under its own schema", what, short(text))
		}
	}
	check(Value, "/default", "default", f.schema.Default)
	for i, example := range f.schema.Examples {
		check(Value, fmt.Sprintf("/examples/%d", i), "example", example)
	}
	for i, value := range f.schema.Enum[:min(len(f.schema.Enum), maxListed)] {
		if f.schema.Types == nil || jsonschema.IsOf(value, f.schema.Types...) {
			check(Listed, fmt.Sprintf("/enum/%d", i), "value", value)
		}
	}
	if f.schema.Types == nil || jsonschema.IsOf(f.schema.Const, f.schema.Types...) {
		check(Listed, "/const", "value", f.schema.Const)
	}
}

// maxListed limits how many values of an enum are validated.
const maxListed = 200

// short returns a value that fits in a message.
func short(v wire.Raw) string { return report.Short(v, 60) }
