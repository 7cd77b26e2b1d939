// Package faults finds what is wrong with a JSON Schema that can be read: patterns that are no
// regular expressions, bounds without a value between them, listed values of another type, and
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
	Listed              // a value of enum or const has another type
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
			f.add(Bounds, "/"+b.low, "%s %d is greater than %s %d, so that no value is valid", b.low, *b.least, b.high, *b.most)
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
		f.add(Bounds, "/enum", "enum lists no value, so that no value is valid")
	}
}

func (f *finder) listed() {
	s := f.schema
	if s.Types == nil {
		return
	}
	types := strings.Join(s.Types, " or ")
	for i, v := range s.Enum {
		if !fits(v, s.Types) {
			f.add(Listed, fmt.Sprintf("/enum/%d", i), "%s in enum is not of type %s", short(v), types)
		}
	}
	if s.Const != "" && !fits(s.Const, s.Types) {
		f.add(Listed, "/const", "const %s is not of type %s", short(s.Const), types)
	}
}

func (f *finder) values(judge *samples.Validator) {
	check := func(within, what string, text wire.Raw) {
		in := json.NewDecoder(strings.NewReader(string(text)))
		in.UseNumber()
		var value any
		if text == "" || in.Decode(&value) != nil {
			return
		}
		if accepts, known := judge.Accepts([]*jsonschema.Schema{f.schema}, value); known && !accepts {
			f.add(Value, within, "the %s %s is not valid under its own schema", what, short(text))
		}
	}
	check("/default", "default", f.schema.Default)
	for i, example := range f.schema.Examples {
		check(fmt.Sprintf("/examples/%d", i), "example", example)
	}
}

// fits reports whether a value is of one of several types.
func fits(v wire.Raw, types []string) bool {
	kind := typeOf[v.Kind()]
	return slices.Contains(types, kind) || kind == "number" && slices.Contains(types, "integer") && v.IsInteger()
}

// typeOf has the type in JSON Schema of each kind of value.
var typeOf = map[wire.Kind]string{
	wire.KindNull: "null", wire.KindBool: "boolean", wire.KindNumber: "number", wire.KindString: "string", wire.KindArray: "array", wire.KindObject: "object",
}

// short returns a value that fits in a message.
func short(v wire.Raw) string { return report.Short(v, 60) }
