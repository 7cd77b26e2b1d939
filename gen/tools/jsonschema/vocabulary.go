package jsonschema

import (
	"iter"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Form is the form of the value of a keyword.
type Form int

// The forms.
const (
	AnyForm Form = iota
	TextForm
	FlagForm
	NumberForm
	CountForm // an integer of at least 0
	TextsForm
	ValuesForm
	ObjectForm
	TypesForm    // a type, or an array of them
	SchemaForm   // a schema
	SchemasForm  // an array of schemas
	NamedForm    // an object of schemas by name
	ElementsForm // a schema, or in draft 07 an array of schemas
	DependsForm  // an object of schemas or arrays of names
)

// Keyword is a keyword of JSON Schema.
type Keyword struct {
	Name string
	Form Form
	// Kinds are the kinds of values that the keyword may refuse: 0 for an annotation, which refuses none.
	Kinds Kinds
	// Since and Until are the first and the last draft that has the keyword, or "".
	Since, Until Draft
	// About describes the keyword to people who write schemas.
	About string
}

// Keywords lists the keywords of all drafts but "id" of draft 04, the most common ones first.
var Keywords = []Keyword{
	{"type", TypesForm, AllKinds, "", "", "The type of the values."},
	{"title", TextForm, 0, "", "", "A short name."},
	{"description", TextForm, 0, "", "", "What the value means, for the model."},
	{"properties", NamedForm, Object, "", "", "The members of an object."},
	{"required", TextsForm, Object, "", "", "The members that an object must have."},
	{"additionalProperties", SchemaForm, Object, "", "", "The schema of members without a name here; false forbids them."},
	{"patternProperties", NamedForm, Object, "", "", "The schemas of members whose names match a pattern."},
	{"propertyNames", SchemaForm, Object, Draft7, "", "The schema of the names of members."},
	{"minProperties", CountForm, Object, "", "", "The least number of members."},
	{"maxProperties", CountForm, Object, "", "", "The greatest number of members."},
	{"unevaluatedProperties", SchemaForm, Object, Draft201909, "", "The schema of members that no other keyword describes."},
	{"dependentRequired", AnyForm, Object, Draft201909, "", "The members that are required if another is present."},
	{"dependentSchemas", NamedForm, Object, Draft201909, "", "The schema of the object if a member is present."},
	{"dependencies", DependsForm, Object, "", Draft7, "The members or the schema that a member requires (draft 07)."},
	{"items", ElementsForm, Array, "", "", "The schema of the elements of an array."},
	{"prefixItems", SchemasForm, Array, Draft202012, "", "The schemas of the first elements of an array."},
	{"additionalItems", SchemaForm, Array, "", Draft201909, "The schema of the other elements of an array (draft 07)."},
	{"contains", SchemaForm, Array, Draft7, "", "The schema of at least one element of an array."},
	{"minContains", CountForm, Array, Draft201909, "", "The least number of elements that contains describes."},
	{"maxContains", CountForm, Array, Draft201909, "", "The greatest number of elements that contains describes."},
	{"minItems", CountForm, Array, "", "", "The least number of elements."},
	{"maxItems", CountForm, Array, "", "", "The greatest number of elements."},
	{"uniqueItems", FlagForm, Array, "", "", "No two elements are the same."},
	{"unevaluatedItems", SchemaForm, Array, Draft201909, "", "The schema of elements that no other keyword describes."},
	{"enum", ValuesForm, AllKinds, "", "", "The values."},
	{"const", AnyForm, AllKinds, Draft7, "", "The only value."},
	{"minLength", CountForm, String, "", "", "The least number of characters."},
	{"maxLength", CountForm, String, "", "", "The greatest number of characters."},
	{"pattern", TextForm, String, "", "", "A regular expression (ECMA-262) that matches a part of the text."},
	{"format", TextForm, AllKinds, "", "", "The format of the text, such as date-time."},
	{"minimum", NumberForm, Number, "", "", "The least number."},
	{"maximum", NumberForm, Number, "", "", "The greatest number."},
	{"exclusiveMinimum", NumberForm, Number, "", "", "The number must be greater."},
	{"exclusiveMaximum", NumberForm, Number, "", "", "The number must be less."},
	{"multipleOf", NumberForm, Number, "", "", "The number must be a multiple of this."},
	{"allOf", SchemasForm, AllKinds, "", "", "The value satisfies all schemas."},
	{"anyOf", SchemasForm, AllKinds, "", "", "The value satisfies one or more schemas."},
	{"oneOf", SchemasForm, AllKinds, "", "", "The value satisfies exactly one schema."},
	{"not", SchemaForm, AllKinds, "", "", "The value does not satisfy the schema."},
	{"if", SchemaForm, AllKinds, Draft7, "", "If the value satisfies the schema, then applies, and otherwise else."},
	{"then", SchemaForm, AllKinds, Draft7, "", ""},
	{"else", SchemaForm, AllKinds, Draft7, "", ""},
	{"default", AnyForm, 0, "", "", "The value if the member is absent."},
	{"examples", ValuesForm, 0, Draft7, "", "Examples of values."},
	{"deprecated", FlagForm, 0, "", "", "The value should no longer be used."},
	{"readOnly", FlagForm, 0, "", "", "Only the server sets the value."},
	{"writeOnly", FlagForm, 0, "", "", "Only the client sets the value."},
	{"contentEncoding", TextForm, String, "", "", "The encoding of the text, such as base64."},
	{"contentMediaType", TextForm, String, "", "", "The media type of the text."},
	{"contentSchema", SchemaForm, String, Draft201909, "", "The schema of the decoded text."},
	{"$ref", TextForm, AllKinds, "", "", "The place of another schema: #/$defs/name, or a file and a place in it."},
	{"$defs", NamedForm, AllKinds, "", "", "Schemas to refer to."},
	{"definitions", NamedForm, AllKinds, "", "", "Schemas to refer to (draft 07)."},
	{"$schema", TextForm, AllKinds, "", "", "The dialect of JSON Schema."},
	{"$id", TextForm, AllKinds, Draft7, "", "The URI of the schema."},
	{"$anchor", TextForm, AllKinds, Draft201909, "", "A name of the schema."},
	{"$dynamicRef", TextForm, AllKinds, Draft202012, "", ""},
	{"$dynamicAnchor", TextForm, AllKinds, Draft202012, "", ""},
	{"$recursiveRef", TextForm, AllKinds, Draft201909, Draft201909, ""},
	{"$recursiveAnchor", FlagForm, AllKinds, Draft201909, Draft201909, ""},
	{"$comment", TextForm, 0, "", "", "A comment."},
	{"$vocabulary", ObjectForm, AllKinds, "", "", ""},
}

// byName has the keywords by name.
var byName = func() map[string]*Keyword {
	all := map[string]*Keyword{}
	for i := range Keywords {
		all[Keywords[i].Name] = &Keywords[i]
	}
	return all
}()

// KeywordOf returns the keyword with a name, or nil if JSON Schema has none.
func KeywordOf(name string) *Keyword { return byName[name] }

// In reports whether a draft has the keyword.
func (k *Keyword) In(d Draft) bool { return k.Since <= d && (k.Until == "" || d <= k.Until) }

// Holds returns how the value of a keyword, which is of some kind, holds schemas: NamedForm, SchemasForm or SchemaForm.
// It returns AnyForm if the value holds none.
func Holds(keyword string, value wire.Kind) Form {
	k := byName[keyword]
	if k == nil {
		return AnyForm
	}
	switch k.Form {
	case NamedForm, DependsForm:
		if value == wire.KindObject {
			return NamedForm
		}
	case SchemasForm, ElementsForm:
		if value == wire.KindArray {
			return SchemasForm
		}
		if k.Form == ElementsForm {
			return SchemaForm
		}
	case SchemaForm:
		return SchemaForm
	}
	return AnyForm
}

// Inner yields the schemas that the schema at a pointer directly contains, with their pointers, in the order
// of the text.
func Inner(at string, schema wire.Raw) iter.Seq2[string, wire.Raw] {
	return func(yield func(string, wire.Raw) bool) {
		if schema.Kind() != wire.KindObject {
			return
		}
		for name, value := range wire.Object(schema).All() {
			here := wire.ChildPointer(at, name)
			switch Holds(name, value.Kind()) {
			case NamedForm:
				for name, inner := range wire.Object(value).All() {
					if !yield(wire.ChildPointer(here, name), inner) {
						return
					}
				}
			case SchemasForm:
				for i, inner := range value.Elements() {
					if !yield(here+"/"+strconv.Itoa(i), inner) {
						return
					}
				}
			case SchemaForm:
				if !yield(here, value) {
					return
				}
			}
		}
	}
}

// Within returns the schema at a pointer with f applied to each schema that it directly contains.
func Within(at string, schema wire.Raw, f func(at string, inner wire.Raw) wire.Raw) wire.Raw {
	var all []wire.Raw
	changed := false
	for at, inner := range Inner(at, schema) {
		all = append(all, f(at, inner))
		changed = changed || all[len(all)-1] != inner
	}
	if !changed {
		return schema
	}
	text := []byte{'{'}
	next := func() {
		text = append(text, all[0]...)
		all = all[1:]
	}
	for name, value := range wire.Object(schema).All() {
		text = wire.AppendName(text, name)
		switch Holds(name, value.Kind()) {
		case NamedForm:
			text = append(text, '{')
			for name := range wire.Object(value).All() {
				text = wire.AppendName(text, name)
				next()
			}
			text = append(text, '}')
		case SchemasForm:
			text = append(text, '[')
			for range value.Elements() {
				text = wire.AppendComma(text)
				next()
			}
			text = append(text, ']')
		case SchemaForm:
			next()
		default:
			text = append(text, value...)
		}
	}
	return wire.Raw(append(text, '}'))
}
