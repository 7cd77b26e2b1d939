// Package openapi turns the operations of an OpenAPI document (2.0 and 3.0 to 3.2, JSON or YAML) into tools that
// call them.
//
// A tool has the parameters and the body of its operation as properties of its arguments, and the
// answer as its structured result. Its member x-openapi says how a call becomes a request, from which
// package skeleton generates handlers. A mapping file selects and names the tools.
//
// The package reads documents itself, as text with pointers: a schema of the document is copied into
// a tool with its order, its numbers and its descriptions, and a fault is reported with its place.
package openapi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/gen/authoring"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options configure an import.
type Options struct {
	// Name is the name of the document's file, and Text its content.
	Name string
	Text []byte
	// Open is nil if references must not lead to other files.
	Open authoring.Open
	// Limit is how many bytes the other files may have together. 0 means MostBytes.
	Limit int64
	// Mapping is the mapping file, or nil for a new one, which gets the name MappingName.
	Mapping     *Mapping
	MappingName string
}

// MostBytes is how many bytes the files that a document refers to have at most.
const MostBytes = 64 << 20

// Result is the result of an import.
type Result struct {
	// List is the tool list.
	List wire.Raw
	// Mapping is the text of the mapping file.
	Mapping []byte
	// Operations is the number of operations in the document, and Tools that of those that became tools.
	Operations, Tools int
	// Added are the operations that the import adds to the mapping file. Removed are those that only
	// the mapping file has.
	Added, Removed []string
	// Notes report what is not imported as written.
	Notes []*authoring.Problem
}

// Import turns the operations of a document into tools. The error joins an [*authoring.Problem] for
// each fault of the document.
func Import(o Options) (*Result, error) {
	d, err := read(o.Name, o.Text, o.Open, cmp.Or(o.Limit, MostBytes))
	if err != nil {
		return nil, err
	}
	m := o.Mapping
	if m == nil {
		m = &Mapping{name: o.MappingName, insert: -1}
	}
	all := d.operations()
	if len(all) == 0 && len(d.faults) == 0 {
		d.fail(d.root(), "the document has no operations")
	}
	if len(d.faults) > 0 {
		return nil, d.err()
	}
	done := &Result{Operations: len(all)}
	names, added, err := m.assign(all)
	if err != nil {
		return nil, err
	}
	text := []byte(`{"tools":[`)
	for _, op := range all {
		c, ok := names[op.key()]
		if !ok {
			continue
		}
		text = append(wire.AppendComma(text), d.tool(op, c, m)...)
		done.Tools++
	}
	if len(d.faults) > 0 {
		return nil, d.err()
	}
	done.List = wire.Raw(append(text, "]}"...))
	for _, r := range added {
		done.Added = append(done.Added, r.key)
	}
	for _, key := range m.keys {
		if !slices.ContainsFunc(all, func(op *operation) bool { return op.key() == key }) {
			done.Removed = append(done.Removed, key)
		}
	}
	if done.Mapping, err = m.added(d.first.At, added); err != nil {
		return nil, err
	}
	done.Notes = d.located(d.notes)
	return done, nil
}

// assign names the tools of the selected operations and returns the rows for new operations. Deprecated
// operations that are new do not become tools.
func (m *Mapping) assign(all []*operation) (map[string]choice, []newRow, error) {
	names, taken := map[string]choice{}, map[string]bool{}
	var errs []error
	owners := map[string]string{}
	for _, o := range all {
		r, has := m.rows[o.key()]
		if !has || r.name == "" || !m.selects(o) {
			continue
		}
		if other, twice := owners[letters(r.name)]; twice {
			errs = append(errs, fmt.Errorf("%s: the tools of %q and %q have names with the same letters and digits, %q", r.where, other, o.key(), r.name))
		}
		if clean(r.name, "") != r.name || len(r.name) > 128 {
			errs = append(errs, fmt.Errorf("%s: the name of a tool has letters, digits, _, . and -, at most 128; found %q", r.where, r.name))
		}
		owners[letters(r.name)] = o.key()
		taken[letters(r.name)] = true
		names[o.key()] = r.choice
	}
	var added []newRow
	for _, o := range all {
		r, has := m.rows[o.key()]
		if has && (r.name != "" || !m.selects(o)) {
			continue
		}
		c := r.choice
		c.name = distinctName(o.defaultName(), taken)
		if has {
			names[o.key()] = c
			continue
		}
		row := newRow{o.key(), c.name, o.summary(), o.flag("deprecated")}
		if !row.deprecated && m.selects(o) {
			names[o.key()] = c
		}
		added = append(added, row)
	}
	return names, added, errors.Join(errs...)
}
