// Package schema reads the official schema.json of one protocol revision into
// a checked Document.
//
// It is the only importer of go-jsonschema. That parser drops every keyword it
// does not know without a word, so an audit walks the raw JSON first and fails
// on each keyword and each shape the generator has no meaning for: what passes
// is understood in full.
//
// The words: a document is one schema.json; a definition is one entry of its
// definitions (or $defs) container; a pointer is an RFC 6901 JSON Pointer into
// the file.
package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Document is a checked schema.json of one revision.
type Document struct {
	// Revision is the date that names the revision, such as "2025-06-18".
	Revision string
	// Dialect is the value of $schema.
	Dialect string
	// Container is the member that holds the definitions: "definitions" or "$defs".
	Container string
	// Definitions are sorted by name.
	Definitions []Definition

	// source is the tree of a lenient document, nil for others; injected are the
	// members that were added.
	source   map[string]any
	injected []*Schema
}

// Definition is a named schema of a document.
type Definition struct {
	Name   string
	Schema *Schema
}

// Lookup returns the definition of that name, or nil.
func (d *Document) Lookup(name string) *Schema {
	i, ok := slices.BinarySearchFunc(d.Definitions, name, func(def Definition, name string) int {
		return strings.Compare(def.Name, name)
	})
	if !ok {
		return nil
	}
	return d.Definitions[i].Schema
}

// Schema is one node of a document. Its zero members say "no such keyword".
type Schema struct {
	// Pointer is where the node stands in the file.
	Pointer string
	// Ref is the name of the definition $ref leads to. Beside it only
	// Description may be set.
	Ref         string
	Title       string
	Description string

	// Types is the type keyword as a list: one name, or several.
	Types []string
	// Properties are sorted by name.
	Properties []Property
	// Required are the names of the members that must be there.
	Required []string
	// Additional is additionalProperties; true is an empty schema.
	Additional *Schema
	Items      *Schema
	AnyOf      []*Schema
	AllOf      []*Schema

	// Const is a string or an int64; nil when there is none.
	Const any
	// Enum holds strings.
	Enum    []string
	Format  string
	Minimum *float64
	Maximum *float64
	// MaxItems is 0 when there is no limit.
	MaxItems int

	// Source is the whole schema as it stands in the file, where that says more
	// than the other members can; nil elsewhere. Only [ParseLenient] sets it: other
	// documents are understood in full. It is a map[string]any or another value of
	// encoding/json.
	Source any
}

// Property is a member an object schema declares.
type Property struct {
	Name   string
	Schema *Schema
}

// Property returns the schema of a declared member, or nil.
func (s *Schema) Property(name string) *Schema {
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// IsAny reports whether the schema accepts every value.
func (s *Schema) IsAny() bool {
	return s.Ref == "" && s.Types == nil && s.AnyOf == nil && s.AllOf == nil && s.Const == nil && s.Enum == nil
}

// IsObject reports whether the schema is an object of its own, not a reference
// or a combination.
func (s *Schema) IsObject() bool {
	return len(s.Types) == 1 && s.Types[0] == "object"
}

// Error is a problem of a schema, an erratum or an overlay row, and where it is.
type Error struct {
	Revision string
	// Pointer is a JSON Pointer into the revision's schema.json, or what the
	// message says it is when the problem lies in another file.
	Pointer string
	Problem string
}

func (e *Error) Error() string {
	pointer := e.Pointer
	if pointer == "" {
		pointer = "(whole schema)"
	}
	return fmt.Sprintf("%s: %s: %s", e.Revision, pointer, e.Problem)
}

var pointerTokens = strings.NewReplacer("~", "~0", "/", "~1")

// Child extends a JSON Pointer by unescaped segments.
func Child(pointer string, segments ...string) string {
	var b strings.Builder
	b.WriteString(pointer)
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(pointerTokens.Replace(s))
	}
	return b.String()
}
