// Package tools reads lists of tools, and makes of their schemas the types and
// the samples that a typed server and a typed client need.
//
// A tool list is what a server answers to tools/list. Its schemas are anybody's,
// so that all of JSON Schema may stand in them: the reader keeps every member,
// in its order, and every number as it is written, and has a meaning for every
// keyword of drafts 07 and 2020-12. [Types] makes Go types of them.
//
// The words: a document is the schema of a tool's input or output, or a schema
// in one that has a $schema of its own; a resource is a document or a schema
// with an $id, the place to which the references in it are relative; a pointer
// is an RFC 6901 JSON Pointer into the list.
package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// List is a list of tools.
type List struct {
	// Tools are in the order of the list. No two have one name.
	Tools []*Tool
}

// Tool is the definition of a tool.
type Tool struct {
	Name        string
	Title       string
	Description string
	// Definition is the whole definition as it goes out in a tools/list: the text
	// that was read, without white space between tokens.
	Definition wire.Object
	// Input is the inputSchema, Output the outputSchema or nil.
	Input, Output *Schema
	// Pointer is where the tool stands, "/tools/0".
	Pointer string
}

// Draft is a version of JSON Schema.
type Draft string

// The drafts that are understood. Draft202012 is that of a schema which names
// none, unless it has an array in items, which only Draft7 has.
const (
	Draft7      Draft = "http://json-schema.org/draft-07/schema"
	Draft202012 Draft = "https://json-schema.org/draft/2020-12/schema"
)

// Schema is one schema of a tool. Its zero members say "no such keyword".
//
// Keywords have the shapes of draft 2020-12. Of draft 07, definitions are Defs,
// an array in items is PrefixItems, additionalItems beside one is Items, and
// dependencies are DependentRequired and DependentSchemas. In draft 07 nothing
// but the reference is kept of a schema with a $ref.
type Schema struct {
	// Pointer is where the schema stands in the list.
	Pointer string
	Draft   Draft
	// Source is the schema as it was read.
	Source wire.Raw
	// Always is the value of a boolean schema, which has no keywords.
	Always *bool

	// Ref is the value of $ref, Target the schema it leads to. Target is nil with
	// Meta, which says that the reference leads to a metaschema of JSON Schema.
	Ref    string
	Target *Schema
	Meta   bool
	// DynamicRef is the value of $dynamicRef, and DynamicAnchor of $dynamicAnchor. A
	// $dynamicRef that always leads to the same schema counts as a $ref.
	DynamicRef, DynamicAnchor string
	// Defs are those of $defs or definitions.
	Defs []Property

	// Types is the type keyword as a list.
	Types []string
	// Enum and Const are values; Const is "" where there is none.
	Enum  []wire.Raw
	Const wire.Raw

	AllOf, AnyOf, OneOf []*Schema
	Not, If, Then, Else *Schema

	// Minimum and the like are numbers as they are written, or "".
	Minimum, Maximum, ExclusiveMinimum, ExclusiveMaximum, MultipleOf wire.Raw

	MinLength, MaxLength *int64
	Pattern              *string
	Format               string

	// PrefixItems are the schemas of the first elements, Items that of the others.
	PrefixItems              []*Schema
	Items                    *Schema
	Contains                 *Schema
	MinContains, MaxContains *int64
	MinItems, MaxItems       *int64
	UniqueItems              bool

	// Properties are in the order of the list.
	Properties                   []Property
	PatternProperties            []Property
	AdditionalProperties         *Schema
	PropertyNames                *Schema
	Required                     []string
	DependentRequired            []Dependency
	DependentSchemas             []Property
	MinProperties, MaxProperties *int64

	UnevaluatedItems, UnevaluatedProperties *Schema

	Title, Description string
	// Default is the value of default, "" where there is none.
	Default    wire.Raw
	Examples   []wire.Raw
	Deprecated bool

	resource      *resource
	dynamicTarget *Schema // of DynamicRef, when no other schema has its anchor
}

// Property is a schema with a name.
type Property struct {
	Name   string
	Schema *Schema
}

// Dependency says which members must be there beside one.
type Dependency struct {
	Name     string
	Required []string
}

// Property returns the schema of a property, or nil.
func (s *Schema) Property(name string) *Schema {
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// AssertsFormat reports whether a string has to be in the schema's format. As
// JSON Schema has it, format alone is a remark. One beside the type string is
// meant, and is how tools say what they take.
func (s *Schema) AssertsFormat() bool {
	return s.Format != "" && slices.Contains(s.Types, "string")
}

// Error is a problem of a tool list, and where it is.
type Error struct {
	// Tool is the name of the tool, or "" where the trouble is in none.
	Tool string
	// Pointer is a JSON Pointer into the list.
	Pointer string
	Problem string
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Tool != "" {
		fmt.Fprintf(&b, "tool %q: ", e.Tool)
	}
	if e.Pointer != "" {
		fmt.Fprintf(&b, "%s: ", e.Pointer)
	}
	b.WriteString(e.Problem)
	return b.String()
}
