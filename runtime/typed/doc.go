// Package typed turns Go functions into tools, prompts and resource templates, and structs into forms ([Elicit]). It
// derives the schemas that clients see from the types of the arguments and of the result, once, when the item is made.
//
// Use it for servers whose tools are defined in Go. For servers whose tools are defined by
// a tool list, mcpgen generates the types and checks. Such servers do not link this package, which reflects.
// The checks are the same, and so are the texts about what is wrong.
//
// # From types to schemas
//
// A struct becomes an object with its fields as members, in their order, and no others. The
// names come from json tags. A field is required unless its tag has omitempty or omitzero, or it has a default.
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
// type, or a value of the wrong kind, and if a default is not valid under its own schema. The keys title,
// description, format, pattern, readOnly, writeOnly, uniqueItems, default and those of bounds are keywords;
// enum and example may be repeated, as default may for an array; nullable and required have no value.
//
// The tags are those of github.com/invopop/jsonschema, and the schemas are equal to its. A pointer has the
// schema of the type it points to. A member that may be null has the tag jsonschema:"nullable"; in a result, so may
// be a pointer without omitempty and omitzero, one in a list or a map, or the result of a ValueTool, because nil is
// written as null. Maps are objects, slices are arrays, and bytes are base64. A time.Time is a string in the format
// date-time, read and written as [wire.Reader.ReadTime] and [wire.Writer.PutTime] do. An any is any value, and so is
// a type with its own JSON encoding; a type with its own text encoding is a string. A type that contains itself is
// defined in $defs; all others are inlined. The smaller integer types have the bounds of the type.
//
// A struct with [OneOf] is a union of other types. A type with a method Enum that returns all its values, as
// in func (Units) Enum() []Units, is an enum. A type with a method JSONSchema has the schema that it returns:
// a [wire.Raw], a json.RawMessage, or the *jsonschema.Schema of that package. Tags of a field take precedence over it.
//
// # From JSON to values
//
// Arguments are first checked against the schema as text. Then they are decoded, and missing members are set
// to their defaults. Names are case-sensitive. As in encoding/json, types may have methods of their own for
// JSON and for text, omitempty leaves out false, 0, nil, and values without elements or characters, and the
// fields of embedded structs are members. A member with the key required is never left out. A slice or map
// without elements becomes [] or {}, as the schema requires, where encoding/json would write null. The result is
// checked against its schema before it is sent.
//
// # Why it reflects
//
// The package reads the types when the program starts; nothing is generated. Without symbols, a server with one tool
// has 5.0 MB, and one with generated code for the same tool has 4.1 MB. It would have 9.2 MB with invopop/jsonschema
// and the fallback validator. A third of the difference is package regexp, which tags may need. A go generate step
// would save the rest and turn comments into descriptions, but it would be a second way to the same server, with a
// second set of rules for tags, and a command to run after each change. A program that wants generated code has a
// tool list. The tests compare the schemas of random types with those of invopop/jsonschema, and tests/jsonschema
// compares verdicts and texts of the checks (dynamic.Compile of runtime/schema/dynamic) with those of generated code.
package typed
