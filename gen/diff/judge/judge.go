// Package judge confirms the witnesses of package diff with an independent
// JSON Schema validator. It is the only importer of that validator but tests.
package judge

import (
	"bytes"
	"fmt"
	"strings"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
)

const url = "mem:///schema.json"

// schemas judges by schemas that are compiled when they are first asked for.
type schemas struct {
	compile  func(of string) (*santhosh.Schema, error)
	compiled map[string]*santhosh.Schema
}

// Accepts implements [diff.Judge].
func (s *schemas) Accepts(of string, text []byte) (bool, error) {
	compiled, ok := s.compiled[of]
	if !ok {
		var err error
		if compiled, err = s.compile(of); err != nil {
			return false, err
		}
		s.compiled[of] = compiled
	}
	value, err := santhosh.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return false, err
	}
	return compiled != nil && compiled.Validate(value) == nil, nil
}

// Revision judges by the schema a revision was lowered from.
func Revision(document *schema.Document, rev *ir.Revision) (diff.Judge, error) {
	src, err := document.JSON()
	if err != nil {
		return nil, err
	}
	root, err := santhosh.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		return nil, err
	}
	defs := root.(map[string]any)[document.Container].(map[string]any)
	pointers := map[string]string{}
	for _, d := range rev.Decls {
		pointers[diff.Key(d)] = d.Pointer
		union, ok := d.Type.(*ir.Union)
		if d.Definition || !ok || document.Lookup(d.Name) != nil {
			continue
		}
		// A union that no schema has: anyOf its variants, if these are definitions.
		var branches []any
		for _, v := range union.Variants {
			if v.Decl.Definition {
				branches = append(branches, map[string]any{"$ref": "#" + v.Decl.Pointer})
			}
		}
		if len(branches) == len(union.Variants) {
			defs[d.Name] = map[string]any{"anyOf": branches}
			pointers[d.Name] = schema.Child("", document.Container, d.Name)
		}
	}
	compiler := santhosh.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(url, root); err != nil {
		return nil, err
	}
	return &schemas{compiled: map[string]*santhosh.Schema{}, compile: func(of string) (*santhosh.Schema, error) {
		pointer, ok := pointers[of]
		if !ok {
			return nil, fmt.Errorf("%s: no definition %q to judge by", rev.ID, of)
		}
		return compiler.Compile(url + "#" + pointer)
	}}, nil
}

// Tools judges by the schemas of a list of tools. What the list does not have,
// it refuses; a result without a schema may be any object.
func Tools(list *tools.List) diff.Judge {
	sources, calls := map[string]*jsonschema.Schema{}, map[string]string{}
	for _, t := range list.Tools {
		calls[diff.OfCall(t.Name)] = callSchema(t.Name, t.Definition)
		sources[diff.OfInput(t.Name)] = t.Input
		sources[diff.OfOutput(t.Name)] = t.Output
	}
	return &toolSchemas{
		sources: sources, validators: map[string]*samples.Validator{},
		calls: &schemas{compiled: map[string]*santhosh.Schema{}, compile: func(of string) (*santhosh.Schema, error) {
			value, err := santhosh.UnmarshalJSON(strings.NewReader(calls[of]))
			if err != nil {
				return nil, nil // not a call of a tool of the list
			}
			compiler := santhosh.NewCompiler()
			if err := compiler.AddResource(url, value); err != nil {
				return nil, fmt.Errorf("%s: %w", of, err)
			}
			return compiler.Compile(url)
		}},
	}
}

// toolSchemas judges by schemas that are compiled when they are first asked for.
type toolSchemas struct {
	sources    map[string]*jsonschema.Schema
	validators map[string]*samples.Validator
	// calls judge what [diff.OfCall] names.
	calls *schemas
}

// Accepts implements [diff.Judge].
func (s *toolSchemas) Accepts(of string, text []byte) (bool, error) {
	source, ok := s.sources[of]
	if !ok {
		return s.calls.Accepts(of, text)
	}
	value, err := santhosh.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return false, err
	}
	if source == nil {
		_, object := value.(map[string]any)
		return object, nil
	}
	v, ok := s.validators[of]
	if !ok {
		v = samples.NewValidator(source)
		s.validators[of] = v
	}
	accepts, known := v.Accepts([]*jsonschema.Schema{source}, value)
	if !known {
		return false, fmt.Errorf("%s: the schema does not compile, or takes too many steps to judge by", of)
	}
	return accepts, nil
}
