// Package jsonschema reads JSON Schemas of drafts 04 to 2020-12, as the tools of a server
// have them.
//
// The reader knows every keyword, keeps the order of members and the text of numbers, and
// resolves references. It does not validate values: package samples does that with a
// validator, package gen/check generates code for it. Schemas of MCP itself are read by
// package gen/schema, which accepts fewer keywords.
//
// Terms: a document is a whole schema, or a schema within one that has a $schema of its own.
// A resource is a document or a schema with an $id: the base of the references in it. A
// pointer is a JSON Pointer (RFC 6901).
package jsonschema

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Schema is one schema of a document. The zero value of a field means that the schema does
// not have the keyword.
//
// The fields follow draft 2020-12. For older drafts, definitions are in Defs, an array in items
// is in PrefixItems, additionalItems beside one is in Items, dependencies are in
// DependentRequired and DependentSchemas, and a $recursiveRef is in DynamicRef. If exclusiveMinimum
// is true, minimum is in ExclusiveMinimum. Before draft 2019-09, a schema with a $ref has no
// other keywords, except for its definitions.
//
// A list can have some 100,000 schemas, so keywords that few of them have are in structs of their own, which the others
// share. They must not be changed, other than in a [Schema.Clone].
type Schema struct {
	// Pointer is the place of the schema in the text.
	Pointer string
	Draft   Draft
	// Source is the text of the schema.
	Source wire.Raw
	// Always is the value of a boolean schema, which has no keywords.
	Always *bool

	// Ref is the value of $ref, and Target the schema it refers to. Target is nil if Meta
	// is set: the reference is to a metaschema of JSON Schema.
	Ref    string
	Target *Schema
	Meta   bool

	// Types is the type keyword as a list.
	Types []string
	Enum  []wire.Raw
	AnyOf []*Schema

	Format string
	// Items is the schema of the elements that PrefixItems has no schemas for.
	Items *Schema

	// Properties are in the order of the text.
	Properties           []Property
	AdditionalProperties *Schema
	Required             []string

	Title, Description string
	Default            wire.Raw

	*Limits
	*Rare

	resource *resource
}

// Limits has the keywords of a [Schema] that limit numbers, and those for the contents of strings.
type Limits struct {
	// Minimum and the other limits are the text of numbers.
	Minimum, Maximum, ExclusiveMinimum, ExclusiveMaximum, MultipleOf wire.Raw

	MinLength, MaxLength         *int64
	Pattern                      *string
	MinContains, MaxContains     *int64
	MinItems, MaxItems           *int64
	UniqueItems                  bool
	MinProperties, MaxProperties *int64
}

// Rare has keywords of a [Schema] that few schemas have.
type Rare struct {
	// DynamicRef is the value of $dynamicRef, and DynamicAnchor of $dynamicAnchor. A
	// $dynamicRef that always refers to the same schema is in Ref instead. Those of draft 2019-09
	// are a $recursiveRef and a $recursiveAnchor, whose values are "#" and recursiveAnchor.
	DynamicRef, DynamicAnchor string
	// Defs holds $defs and definitions.
	Defs []Property

	Const               wire.Raw
	AllOf, OneOf        []*Schema
	Not, If, Then, Else *Schema

	// PrefixItems are the schemas of the first elements.
	PrefixItems []*Schema
	Contains    *Schema

	PatternProperties []Property
	PropertyNames     *Schema
	DependentRequired []Dependency
	DependentSchemas  []Property

	UnevaluatedItems, UnevaluatedProperties *Schema

	Examples   []wire.Raw
	Deprecated bool
	// ContentEncoding is the encoding of a string, such as base64.
	ContentEncoding string
	// GoName is the Go identifier of the member that the schema describes, or of the type of a definition
	// (x-go-name).
	GoName string
	// GoBigInteger means that an integer may be beyond an int64 (x-go-big-integer).
	GoBigInteger bool

	// byName has the properties by name if there are more than fewProperties.
	byName map[string]*Schema
	// dynamicTarget is where DynamicRef leads if no other schema has its anchor.
	dynamicTarget *Schema
}

// Property is a schema with a name.
type Property struct {
	Name   string
	Schema *Schema
}

// Dependency lists the members that are required if the member Name is present.
type Dependency struct {
	Name     string
	Required []string
}

// Error is a problem of a schema, with its place.
type Error struct {
	Pointer string
	Problem string
}

const fewProperties = 16

// Clone returns a copy whose keywords can be changed.
func (s *Schema) Clone() *Schema {
	copied, limits, rare := *s, *s.Limits, *s.Rare
	copied.Limits, copied.Rare = &limits, &rare
	return &copied
}

// Property returns the schema of a property, or nil.
func (s *Schema) Property(name string) *Schema {
	if s.byName != nil {
		return s.byName[name]
	}
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// Element returns the schema that prefixItems or items have for the element at index i, or
// nil.
func (s *Schema) Element(i int) *Schema {
	if i < len(s.PrefixItems) {
		return s.PrefixItems[i]
	}
	return s.Items
}

// InPlace returns the schemas of references and allOf. A value that satisfies s satisfies
// each of them.
func (s *Schema) InPlace() []*Schema {
	if target := s.Referenced(); target != nil {
		return append([]*Schema{target}, s.AllOf...)
	}
	return s.AllOf
}

// SameValue returns the schemas within s that apply to the values that s applies to, or may do so.
func (s *Schema) SameValue() []*Schema {
	all := slices.Concat(s.AllOf, s.AnyOf, s.OneOf, schemasOf(s.DependentSchemas))
	return present(append(all, s.Not, s.If, s.Then, s.Else))
}

// Subschemas returns the schemas within s except for definitions, which apply only if they are
// referred to.
func (s *Schema) Subschemas() []*Schema {
	all := slices.Concat(s.SameValue(), s.PrefixItems, schemasOf(s.Properties), schemasOf(s.PatternProperties))
	return present(append(all, s.Items, s.Contains, s.AdditionalProperties, s.PropertyNames, s.UnevaluatedItems, s.UnevaluatedProperties))
}

func schemasOf(named []Property) []*Schema {
	var all []*Schema
	for _, p := range named {
		all = append(all, p.Schema)
	}
	return all
}

func present(all []*Schema) []*Schema {
	return slices.DeleteFunc(all, func(s *Schema) bool { return s == nil })
}

// Reach returns s and all schemas that it contains or refers to, each once.
func (s *Schema) Reach() []*Schema { return s.closure((*Schema).Subschemas) }

// Composition returns s and all schemas that it applies, by references too, to the same value, each once.
func (s *Schema) Composition() []*Schema { return s.closure((*Schema).SameValue) }

// closure returns s and all schemas that it leads to by next or a reference, each once.
func (s *Schema) closure(next func(*Schema) []*Schema) []*Schema {
	all := []*Schema{s}
	known := map[*Schema]bool{s: true}
	for i := 0; i < len(all); i++ {
		for _, inner := range append(next(all[i]), all[i].Target) {
			if inner != nil && !known[inner] {
				known[inner] = true
				all = append(all, inner)
			}
		}
	}
	return all
}

// AssertsFormat reports whether strings have to match the schema's format. In JSON Schema a
// format by itself is an annotation. Beside the type "string" it counts as an assertion,
// which is how tools use it.
func (s *Schema) AssertsFormat() bool {
	return s.Format != "" && slices.Contains(s.Types, "string")
}

// Definition returns the name of the definition that a schema is by its place, and reports whether it is one.
func (s *Schema) Definition() (name string, ok bool) {
	segments := strings.Split(s.Pointer, "/")
	n := len(segments)
	if n < 2 || segments[n-2] != "$defs" && segments[n-2] != "definitions" {
		return "", false
	}
	return wire.PointerName(segments[n-1]), true
}

// Root returns the schema that was read, of which s is a part.
func (s *Schema) Root() *Schema {
	if s.resource == nil {
		return s
	}
	return s.resource.doc.resources[""].root
}

// At returns the schema at a pointer of the text that s is part of, or nil if there is none.
func (s *Schema) At(pointer string) *Schema { return s.resource.doc.schemas[pointer] }

// All returns every schema of the text that s is part of, by its pointer.
func (s *Schema) All() map[string]*Schema {
	if s.resource == nil {
		return map[string]*Schema{s.Pointer: s}
	}
	return s.resource.doc.schemas
}

// Referenced returns the schema that a reference leads to, or nil. A $dynamicRef leads to
// the anchor in its own resource.
func (s *Schema) Referenced() *Schema {
	if s.Target == nil && s.Draft == Draft201909 {
		return s.dynamicTarget
	}
	if s.Target == nil && len(s.DynamicRef) > 1 && s.DynamicRef[0] == '#' {
		return s.resource.anchors[s.DynamicRef[1:]]
	}
	return s.Target
}
