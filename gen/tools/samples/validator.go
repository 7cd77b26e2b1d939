package samples

import (
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Validator reports whether values satisfy the schemas of one document. Unless the document is plain, it uses the
// validator of santhosh-tekuri/jsonschema. It is not safe for concurrent use.
type Validator struct {
	root    *jsonschema.Schema
	formats jsonschema.Formats
	// patterns has those of a plain document, and is nil for others. tree means that such a document has no references.
	patterns map[*jsonschema.Schema]santhosh.Regexp
	tree     bool
	// compiler is made on first use. It remains nil if the document is not a schema, or has extreme numbers.
	compiler *santhosh.Compiler
	opened   bool
	// compiled holds nil for a schema that cannot be compiled.
	compiled map[*jsonschema.Schema]*santhosh.Schema
	usable   bool
	// Visits counts the schemas that [Validator.Accepts] has applied. In a plain document with references it counts
	// those applied to deep values twice, and in one that is compiled it is the most that deep values may need.
	Visits int
}

// documentURI is the URI at which the compiler reads a document. The compiler validates a document against its
// metaschema unless the document is one of json-schema.org. That takes longer than compiling, and package jsonschema
// has checked the keywords. A $ref at the root of an old draft, which leaves no place for an $id, refers to
// [jsonschema.StandaloneURI].
const documentURI = "https://json-schema.org/document"

// NewValidator returns a validator for the document that a schema is part of. It asserts
// every format.
func NewValidator(s *jsonschema.Schema) *Validator {
	v := newValidator(s, jsonschema.AllFormats)
	if v.patterns = plain(v.root); v.patterns == nil && v.compile(s) == nil {
		return v
	}
	v.tree = v.patterns != nil && !strings.Contains(string(v.root.Source), `"$ref"`)
	v.usable = v.cheap()
	return v
}

func newValidator(s *jsonschema.Schema, formats jsonschema.Formats) *Validator {
	return &Validator{root: s.Root(), formats: formats, compiled: map[*jsonschema.Schema]*santhosh.Schema{}}
}

func newCompiler() *santhosh.Compiler {
	c := santhosh.NewCompiler()
	c.AssertFormat()
	c.UseRegexpEngine(compilePattern)
	c.UseLoader(santhosh.SchemeURLLoader{}) // fetches nothing
	return c
}

// decode returns a value as the validator takes it, unless it has extreme numbers.
func decode(text wire.Raw) (value any, ok bool) {
	value, err := santhosh.UnmarshalJSON(strings.NewReader(string(text)))
	return value, err == nil && !extreme(value)
}

// extreme reports whether a value has a number with an exponent of more than three digits. The validator writes out all
// digits of a number. If these are more than a million, it ignores a limit in a schema, and panics for a value.
func extreme(v any) bool {
	switch v := v.(type) {
	case json.Number:
		_, exponent, _ := strings.Cut(strings.ToLower(string(v)), "e")
		return len(strings.TrimLeft(exponent, "+-0")) > 3
	case []any:
		return slices.ContainsFunc(v, extreme)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), extreme)
	}
	return false
}

// Usable reports whether the document compiles and values can be validated in a reasonable
// number of steps.
func (v *Validator) Usable() bool { return v.usable }

// cheap reports whether at most mostVisits schemas apply to the same place of a value. A few
// schemas that refer to each other can apply as many as two to the power of their number.
func (v *Validator) cheap() bool {
	place := partOf(nil)
	for _, s := range v.root.All() {
		if place.visit(s) > mostVisits {
			return false
		}
	}
	return true
}

// Accepts reports whether a value satisfies all of some schemas of the document. The value is
// one that encoding/json decodes with UseNumber. Known is false if a schema cannot be compiled or takes
// too many steps for the value, and if the value has an extreme number.
func (v *Validator) Accepts(all []*jsonschema.Schema, value any) (accepts, known bool) {
	if !v.usable || extreme(value) {
		return false, false
	}
	return v.validate(all, value)
}

// validate is Accepts for a value without extreme numbers.
func (v *Validator) validate(all []*jsonschema.Schema, value any) (accepts, known bool) {
	var deep *part
	if !v.tree && deeper(value, shallow) {
		deep = partOf(value)
	}
	accepts = true
	for _, s := range all {
		var compiled *santhosh.Schema
		if v.patterns == nil {
			if compiled = v.compile(s); compiled == nil {
				return false, false
			}
		}
		if deep != nil {
			visits := deep.visit(s)
			if v.Visits += visits; visits > mostVisits {
				return false, false
			}
		}
		accepts = accepts && (compiled == nil && v.satisfies(s, value) || compiled != nil && compiled.Validate(value) == nil)
	}
	return accepts, true
}

// accepts reports whether the text of a value is known to satisfy all of some schemas.
func (v *Validator) accepts(all []*jsonschema.Schema, text wire.Raw) bool {
	if _, err := text.AppendJSON(nil); err != nil {
		return false // the reader of santhosh-tekuri/jsonschema accepts more than JSON
	}
	value, ok := decode(text)
	if !ok {
		return false
	}
	accepts, _ := v.validate(all, value)
	return accepts
}

// problems returns the innermost problems of a value under some schemas, and none if one of these cannot be compiled.
func (v *Validator) problems(all []*jsonschema.Schema, text wire.Raw) []*santhosh.ValidationError {
	value, ok := decode(text)
	if !ok {
		return nil
	}
	var leaves []*santhosh.ValidationError
	var visit func(e *santhosh.ValidationError)
	visit = func(e *santhosh.ValidationError) {
		if len(e.Causes) == 0 {
			leaves = append(leaves, e)
		}
		for _, cause := range e.Causes {
			visit(cause)
		}
	}
	for _, s := range all {
		compiled := v.compile(s)
		if compiled == nil {
			return nil
		}
		if failed, ok := compiled.Validate(value).(*santhosh.ValidationError); ok {
			visit(failed)
		}
	}
	return leaves
}

func (v *Validator) compile(s *jsonschema.Schema) *santhosh.Schema {
	if !v.opened {
		v.opened = true
		c := newCompiler()
		if doc, ok := decode(v.root.Standalone(v.formats)); ok && errors.Join(c.AddResource(documentURI, doc), c.AddResource(jsonschema.StandaloneURI, doc)) == nil {
			v.compiler = c
		}
	}
	if compiled, ok := v.compiled[s]; ok || v.compiler == nil {
		return compiled
	}
	at := url.URL{Fragment: strings.TrimPrefix(s.Pointer, v.root.Pointer)}
	compiled, err := v.compiler.Compile(documentURI + "#" + at.EscapedFragment())
	if err != nil {
		compiled = nil
	}
	v.compiled[s] = compiled
	return compiled
}

// pattern implements [santhosh.Regexp] with the patterns of ECMA-262.
type pattern struct {
	source string
	*schema.Pattern
}

func compilePattern(source string) (santhosh.Regexp, error) {
	p, err := ecma.Compile(source)
	if err != nil {
		return nil, err
	}
	return pattern{source, p}, nil
}

// MatchString implements [santhosh.Regexp].
func (p pattern) MatchString(s string) bool {
	found, err := p.Pattern.MatchString(s)
	return err == nil && found
}

// String implements [santhosh.Regexp].
func (p pattern) String() string { return p.source }
