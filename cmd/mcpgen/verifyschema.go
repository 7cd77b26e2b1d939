//go:build !bootstrap

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/ir"
	genschema "github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/fallback"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
)

// schemaRevision returns a revision without generated code: a schema.json checks its values. The
// revision defaults to the last date in the name, or the pinned revision that shares the most
// definitions with the schema. Parts of the schema that cannot be read are written to notes.
func schemaRevision(cmd *cobra.Command, name, revision string, notes io.Writer) (*generated.Revision, error) {
	src, err := readSource(cmd.Context(), cmd.InOrStdin(), name)
	if err != nil {
		return nil, err
	}
	project, err := spec.Load(spec.Embedded())
	if err != nil {
		return nil, err
	}
	if revision == "" {
		if revision = lastDate(name); revision == "" {
			revision = gen.Closest(project, src)
		}
	} else if err := gen.CheckRevision(revision); err != nil {
		return nil, err
	}
	read, err := gen.LowerLenient(project, gen.Source{Revision: revision, Schema: src})
	if err != nil {
		return nil, fmt.Errorf("%s, read as revision %s: %w", name, revision, err)
	}
	for _, note := range read.Notes {
		fmt.Fprintf(notes, "%s: note: %s: %s\n", name, note.Pointer, note.Problem)
	}
	d, err := newSchemaDefinitions(name, read.Document, read.Lowered.Revision)
	if err != nil {
		return nil, err
	}
	return &generated.Revision{ID: revision, New: d.value, Methods: emit.Methods(read.Lowered.Revision), Errors: emit.ErrorDefinitions(read.Lowered.Revision)}, nil
}

// schemaDefinitions are those of a schema.json.
type schemaDefinitions struct {
	root     map[string]any
	pointers map[string]string
	compiled map[string]schemaCheck
}

func newSchemaDefinitions(name string, document *genschema.Document, rev *ir.Revision) (*schemaDefinitions, error) {
	root, pointers, err := diff.Definitions(document, rev)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &schemaDefinitions{root, pointers, map[string]schemaCheck{}}, nil
}

// schemaCheck is a compiled schema, or the reason why it could not be compiled.
type schemaCheck struct {
	check func(*schema.Checker)
	err   error
}

// value implements [generated.Revision.New].
func (d *schemaDefinitions) value(definition string) (wire.Value, bool) {
	pointer, ok := d.pointers[definition]
	if !ok {
		return nil, false
	}
	one, ok := d.compiled[definition]
	if !ok {
		root := maps.Clone(d.root)
		root["$ref"] = "#" + pointer
		var text []byte
		if text, one.err = json.Marshal(root); one.err == nil {
			one.check, one.err = fallback.Compile(string(text))
		}
		d.compiled[definition] = one
	}
	return &schemaValue{schemaCheck: one}, true
}

// schemaValue is a JSON value that a schema checks.
type schemaValue struct {
	schemaCheck
	text wire.Raw
}

// DecodeJSON implements [wire.Value].
func (v *schemaValue) DecodeJSON(r *wire.Reader) error {
	v.text = r.ReadRaw()
	return r.Err()
}

// AppendJSON implements [wire.Value].
func (v *schemaValue) AppendJSON(dst []byte) ([]byte, error) { return append(dst, v.text...), nil }

// Check implements [wire.Checker].
func (v *schemaValue) Check(c *wire.Collector) {
	if v.err != nil {
		c.Include(v.err)
		return
	}
	c.Include(schema.Check(v.text, v.check))
}
