package tools

import (
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// judge tells whether values satisfy the schemas of a document.
type judge struct {
	compiler *jsonschema.Compiler
	root     *Schema
	compiled map[*Schema]*jsonschema.Schema // nil for one that cannot be compiled
}

// newJudge makes a judge for the document that a schema is in. With formats it
// asserts every format, not only those beside the type string.
func newJudge(s *Schema, formats bool) *judge {
	j := &judge{
		compiler: jsonschema.NewCompiler(),
		root:     s,
		compiled: map[*Schema]*jsonschema.Schema{},
	}
	if s.resource != nil {
		j.root = s.resource.doc.resources[""].root
	}
	j.compiler.AssertFormat()
	j.compiler.UseRegexpEngine(compilePattern)
	j.compiler.UseLoader(jsonschema.SchemeURLLoader{}) // nothing is fetched
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(j.root.standalone(formats))))
	if err == nil {
		err = j.compiler.AddResource(StandaloneURI, doc)
	}
	if err != nil {
		j.compiler = nil
	}
	return j
}

// accepts reports whether a value satisfies all of some schemas.
func (j *judge) accepts(all []*Schema, v wire.Raw) bool {
	if _, err := wire.AppendRaw(nil, v); err != nil {
		return false // the validator's reader takes more for JSON
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(v)))
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(all, func(s *Schema) bool {
		compiled := j.compile(s)
		return compiled == nil || compiled.Validate(instance) != nil
	})
}

// problems returns what the validator has against a value, innermost problems only.
func (j *judge) problems(s *Schema, v wire.Raw) []*jsonschema.ValidationError {
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(v)))
	compiled := j.compile(s)
	if err != nil || compiled == nil {
		return nil
	}
	failed, ok := compiled.Validate(instance).(*jsonschema.ValidationError)
	if !ok {
		return nil
	}
	var leaves []*jsonschema.ValidationError
	var visit func(e *jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			leaves = append(leaves, e)
		}
		for _, cause := range e.Causes {
			visit(cause)
		}
	}
	visit(failed)
	return leaves
}

func (j *judge) compile(s *Schema) *jsonschema.Schema {
	if compiled, ok := j.compiled[s]; ok || j.compiler == nil {
		return compiled
	}
	at := url.URL{Fragment: strings.TrimPrefix(s.Pointer, j.root.Pointer)}
	compiled, err := j.compiler.Compile(StandaloneURI + "#" + at.EscapedFragment())
	if err != nil {
		compiled = nil
	}
	j.compiled[s] = compiled
	return compiled
}

// pattern is a pattern as JSON Schema means it.
type pattern struct {
	source string
	*schema.Pattern
}

func compilePattern(source string) (jsonschema.Regexp, error) {
	p, err := ecma.Compile(source)
	if err != nil {
		return nil, err
	}
	return pattern{source, p}, nil
}

// MatchString implements jsonschema.Regexp.
func (p pattern) MatchString(s string) bool {
	found, err := p.Pattern.MatchString(s)
	return err == nil && found
}

// String implements jsonschema.Regexp.
func (p pattern) String() string { return p.source }
