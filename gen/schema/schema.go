// Package schema reads the official schema.json of one protocol revision into
// a checked Document.
//
// A schema describes the form of its values and further conditions on them. The core of a schema is
// the part that Go types and their validators express: few keywords, which accept at least the values
// of the schema. A schema that accepts fewer values than its core has a Source, and its values are
// checked by the code of package gen/check.
//
// Terms: a document is one schema.json. A definition is an entry of its definitions (or $defs)
// container, or a schema elsewhere in the file that a reference leads to. A pointer is an
// RFC 6901 JSON Pointer into the file.
package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
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

	// source is the text of the file. injected lists the members that were added.
	source   wire.Raw
	injected []injection
}

// Definition is a named schema of a document.
type Definition struct {
	Name   string
	Schema *Schema
}

// Lookup returns the named definition, or nil.
func (d *Document) Lookup(name string) *Schema {
	i, ok := slices.BinarySearchFunc(d.Definitions, name, func(def Definition, name string) int {
		return strings.Compare(def.Name, name)
	})
	if !ok {
		return nil
	}
	return d.Definitions[i].Schema
}

// Schema is one node of a document. A zero field means that the keyword is absent.
type Schema struct {
	// Pointer is the location of the node in the file. Also lists the locations of other
	// schemas that apply to the same values, for a node that lowering merged from several.
	Pointer string
	Also    []string
	// Ref is the name of the definition that $ref refers to. Only the texts and Source can be
	// set beside it.
	Ref string
	// Title, Description and Default are texts; Default is JSON.
	Title       string
	Description string
	Default     string
	Deprecated  bool

	// Types is the type keyword as a list: one name, or several of scalar types.
	Types []string
	// Properties are sorted by name.
	Properties []Property
	// Required lists the required members.
	Required []string
	// Additional is additionalProperties; true is an empty schema. Closed means that there are
	// no members without a property.
	Additional *Schema
	Closed     bool
	// Loose means that the values need not be objects, although the schema describes members.
	Loose bool
	Items *Schema
	AnyOf []*Schema
	AllOf []*Schema

	// Const is a string or an int64, or nil.
	Const any
	// Enum holds strings.
	Enum   []string
	Format string
	// Pattern is a regular expression of ECMA-262.
	Pattern string
	// Minimum and Maximum are exclusive if MinOpen or MaxOpen is set.
	Minimum, Maximum *float64
	MinOpen, MaxOpen bool
	// MaxLength and MaxItems are 0 when there is no limit.
	MinLength, MaxLength int
	MinItems, MaxItems   int

	// Source is the text of the whole schema if the other fields accept more values, and "" otherwise.
	Source wire.Raw
}

// Property is a member that an object schema declares.
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
	return s.Ref == "" && s.Types == nil && s.AnyOf == nil && s.AllOf == nil && s.Const == nil && s.Enum == nil && s.Source == ""
}

// IsObject reports whether the schema has the type object, by itself and not through a
// reference or combination.
func (s *Schema) IsObject() bool {
	return len(s.Types) == 1 && s.Types[0] == "object"
}

// Error is a problem of a schema, an erratum or an overlay row, and where it is.
type Error struct {
	Revision string
	// Pointer is a JSON Pointer into the revision's schema.json, or a location in another
	// file that the message names.
	Pointer string
	Problem string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.Revision, cmp.Or(e.Pointer, "(whole schema)"), e.Problem)
}

// Child extends a JSON Pointer by unescaped segments.
func Child(pointer string, segments ...string) string {
	for _, s := range segments {
		pointer = wire.ChildPointer(pointer, s)
	}
	return pointer
}
