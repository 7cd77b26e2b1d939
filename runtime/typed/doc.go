// Package typed turns Go functions into tools. It derives the schemas that clients see from
// the types of the arguments and of the result, once, when the tool is added.
//
// Use it for servers whose tools are defined in Go. For servers whose tools are defined by
// a tool list, mcpgen generates the types and checks. Such servers link neither this
// package nor its dependencies: reflection, a schema deriver and a general validator.
//
// # From types to schemas
//
// A struct becomes an object with its fields as members, in their order, and no others. The
// names come from json tags. A field is required unless its tag has omitempty or omitzero.
// The tags jsonschema and jsonschema_description add what types do not express:
//
//	type Input struct {
//		City  string `json:"city" jsonschema:"minLength=1" jsonschema_description:"Where."`
//		Units string `json:"units,omitempty" jsonschema:"enum=metric,enum=imperial,default=metric"`
//		Days  int    `json:"days,omitempty" jsonschema:"minimum=1,maximum=14"`
//	}
//
// A tag jsonschema without keys, as in jsonschema:"the name of a city", is a description. Adding
// the tool fails if a tag has an unknown key, one that does not apply to values of the field's
// type, or a value of the wrong kind, and if a default is not valid under its own schema.
//
// The tags are those of github.com/invopop/jsonschema, and so are the methods with which a
// type can provide its own schema, such as JSONSchema. A pointer has the schema of the type
// it points to. A member that may be null has the tag jsonschema:"nullable". Maps are
// objects, slices are arrays, and bytes are base64. A time.Time is a string in the format date-time,
// read and written as [wire.ParseTime] and [wire.AppendTime] do. An interface is any value, and so is a
// type with its own JSON encoding; a type with its own text encoding is a string. A type
// that contains itself is defined in $defs; all others are inlined. The smaller integer
// types have the bounds of the type.
//
// # From JSON to values
//
// Arguments are first checked against the schema as text. Then missing members are set to the
// defaults of the schema, and github.com/go-json-experiment/json decodes the value: names are
// case-sensitive. The same package encodes results: a slice or map without elements becomes [] or
// {}, as the schema requires, where encoding/json would write null. As in encoding/json, omitempty
// leaves out false, 0, nil, and values without elements or characters. The result is checked
// against its schema before it is sent.
package typed
