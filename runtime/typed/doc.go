// Package typed makes tools of Go functions: the schemas that clients see are derived
// from the types of the arguments and of the result, once, when the tool is added.
//
// It is for servers that start from Go. Those that start from a list of tools have
// mcpgen generate their types and checks, and link neither this package nor what it
// stands on: reflection, a deriver of schemas and a validator for any schema.
//
// # From types to schemas
//
// A struct is an object with its fields as members, in their order, and no others. The
// names are those of json tags. A field is required unless its tag says omitempty or
// omitzero. The tags jsonschema and jsonschema_description say what types do not:
//
//	type Input struct {
//		City  string `json:"city" jsonschema:"minLength=1" jsonschema_description:"Where."`
//		Units string `json:"units,omitempty" jsonschema:"enum=metric,enum=imperial,default=metric"`
//		Days  int    `json:"days,omitempty" jsonschema:"minimum=1,maximum=14"`
//	}
//
// They are those of github.com/invopop/jsonschema, and so are the methods by which a type
// may tell its schema itself, such as JSONSchema. Pointers are as what they point to; a
// member that may be null has the tag jsonschema:"nullable". Maps are objects, slices are
// arrays, bytes are base64, an interface is any value, and so is a type that writes its
// own JSON; one that writes its own text is a string. A type that contains itself stands in
// $defs, all others where they are used. The smaller integers have the bounds of the type.
//
// # From JSON to values
//
// Arguments are checked against the schema as text, defaults of the schema are put where
// members are missing, and the result is decoded by github.com/go-json-experiment/json:
// names match case and all, and what a slice or a map without elements becomes is [] and
// {}, as the schema has it, where encoding/json would write null. The value a handler
// returns is written by it too, and checked against its schema before it leaves.
package typed
