// Package judge confirms the witnesses of package diff with an independent JSON Schema
// validator. Apart from tests, no other package imports that validator.
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

// schemas judges by schemas, each of which it compiles on first use.
type schemas struct {
	// compile returns nil if the side has nothing with that name, in which case it does not accept any
	// value.
	compile  func(of string) (*santhosh.Schema, error)
	compiled map[string]*santhosh.Schema
}

func newSchemas(compile func(of string) (*santhosh.Schema, error)) *schemas {
	return &schemas{compile, map[string]*santhosh.Schema{}}
}

// compiled compiles a schema that refers to no other document.
func compiled(of string, schema any) (*santhosh.Schema, error) {
	compiler := santhosh.NewCompiler()
	if err := compiler.AddResource(url, schema); err != nil {
		return nil, fmt.Errorf("%s: %w", of, err)
	}
	return compiler.Compile(url)
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

// Revision returns a judge by the schema that a revision was lowered from.
func Revision(document *schema.Document, rev *ir.Revision) (diff.Judge, error) {
	root, pointers, err := diff.Definitions(document, rev)
	if err != nil {
		return nil, err
	}
	compiler := santhosh.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(url, root); err != nil {
		return nil, err
	}
	return newSchemas(func(of string) (*santhosh.Schema, error) {
		pointer, ok := pointers[of]
		if !ok {
			return nil, fmt.Errorf("%s: there is no definition %q", rev.ID, of)
		}
		return compiler.Compile(url + "#" + pointer)
	}), nil
}

// Tools returns a judge by the schemas of a tool list. It refuses values for tools that the
// list does not have. A result without a schema may be any object.
func Tools(list *tools.List) diff.Judge {
	sources, calls := map[string]*jsonschema.Schema{}, map[string]string{}
	for _, t := range list.Tools {
		calls[diff.OfCall(t.Name)] = callSchema(t.Name, t.Definition)
		sources[diff.OfInput(t.Name)] = t.Input
		sources[diff.OfOutput(t.Name)] = t.Output
	}
	return &toolSchemas{
		sources: sources, validators: map[string]*samples.Validator{},
		calls: newSchemas(func(of string) (*santhosh.Schema, error) {
			value, err := santhosh.UnmarshalJSON(strings.NewReader(calls[of]))
			if err != nil {
				return nil, nil // the list has no such tool
			}
			return compiled(of, value)
		}),
	}
}

// mostValidators limits the memory for validators.
const mostValidators = 100

// toolSchemas judges by the schemas of tools. It makes each validator on first use.
type toolSchemas struct {
	sources    map[string]*jsonschema.Schema
	validators map[string]*samples.Validator
	// calls judges the params that [diff.OfCall] names.
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
		if len(s.validators) >= mostValidators {
			clear(s.validators) // a comparison goes through the tools once
		}
		v = samples.NewValidator(source)
		s.validators[of] = v
	}
	accepts, known := v.Accepts([]*jsonschema.Schema{source}, value)
	if !known {
		return false, fmt.Errorf("%s: the schema does not compile, or takes too many steps to evaluate", of)
	}
	return accepts, nil
}
