// Package judge confirms the witnesses of package compat with an independent
// JSON Schema validator. It is the only importer of that validator but tests.
package judge

import (
	"bytes"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/gen/compat"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/gen/tools"
)

const url = "mem:///schema.json"

// schemas judges by schemas that are compiled when they are first asked for.
type schemas struct {
	compile  func(of string) (*jsonschema.Schema, error)
	compiled map[string]*jsonschema.Schema
}

// Accepts implements [compat.Judge].
func (s *schemas) Accepts(of string, text []byte) (bool, error) {
	compiled, ok := s.compiled[of]
	if !ok {
		var err error
		if compiled, err = s.compile(of); err != nil {
			return false, err
		}
		s.compiled[of] = compiled
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return false, err
	}
	return compiled != nil && compiled.Validate(value) == nil, nil
}

// Revision judges by the schema a revision was lowered from.
func Revision(document *schema.Document, rev *ir.Revision) (compat.Judge, error) {
	src, err := document.JSON()
	if err != nil {
		return nil, err
	}
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		return nil, err
	}
	defs := root.(map[string]any)[document.Container].(map[string]any)
	pointers := map[string]string{}
	for _, d := range rev.Decls {
		pointers[compat.Key(d)] = d.Pointer
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
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(url, root); err != nil {
		return nil, err
	}
	return &schemas{compiled: map[string]*jsonschema.Schema{}, compile: func(of string) (*jsonschema.Schema, error) {
		pointer, ok := pointers[of]
		if !ok {
			return nil, fmt.Errorf("%s: no definition %q to judge by", rev.ID, of)
		}
		return compiler.Compile(url + "#" + pointer)
	}}, nil
}

// Tools judges by the schemas of a list of tools. What the list does not have,
// it refuses; a result without a schema may be any object.
func Tools(list *tools.List) compat.Judge {
	sources := map[string]string{}
	for _, t := range list.Tools {
		sources[compat.OfInput(t.Name)] = string(t.Input.Source)
		sources[compat.OfCall(t.Name)] = callSchema(t.Name, t.Definition)
		sources[compat.OfOutput(t.Name)] = `{"type":"object"}`
		if t.Output != nil {
			sources[compat.OfOutput(t.Name)] = string(t.Output.Source)
		}
	}
	return &schemas{compiled: map[string]*jsonschema.Schema{}, compile: func(of string) (*jsonschema.Schema, error) {
		source, ok := sources[of]
		if !ok {
			return nil, nil
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(source)))
		if err != nil {
			return nil, err
		}
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		compiler.UseLoader(nothing{})
		if err := compiler.AddResource(url, value); err != nil {
			return nil, fmt.Errorf("%s: %w", of, err)
		}
		compiled, err := compiler.Compile(url)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of, err)
		}
		return compiled, nil
	}}
}

// nothing loads no schema from anywhere.
type nothing struct{}

func (nothing) Load(url string) (any, error) { return nil, fmt.Errorf("%s: nothing is fetched", url) }
