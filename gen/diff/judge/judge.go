// Package judge confirms the witnesses that package diff finds between revisions, with an independent JSON
// Schema validator.
package judge

import (
	"bytes"
	"fmt"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
)

const url = "mem:///schema.json"

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
	return &definitions{rev.ID, compiler, pointers, map[string]*santhosh.Schema{}}, nil
}

// definitions judges by the definitions of a schema, each of which it compiles on first use.
type definitions struct {
	revision string
	compiler *santhosh.Compiler
	pointers map[string]string
	compiled map[string]*santhosh.Schema
}

// Accepts implements [diff.Judge].
func (d *definitions) Accepts(of string, text []byte) (bool, error) {
	compiled, ok := d.compiled[of]
	if !ok {
		pointer, ok := d.pointers[of]
		if !ok {
			return false, fmt.Errorf("%s: there is no definition %q", d.revision, of)
		}
		var err error
		if compiled, err = d.compiler.Compile(url + "#" + pointer); err != nil {
			return false, err
		}
		d.compiled[of] = compiled
	}
	value, err := santhosh.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return false, err
	}
	return compiled.Validate(value) == nil, nil
}
