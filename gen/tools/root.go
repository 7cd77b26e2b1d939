package tools

import (
	"fmt"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Root is the judgement on a schema of a tool as a whole. Arguments are objects in every revision, and
// the protocol wants their schema to say so with "type": "object". Structured results are objects in
// revisions before 2026-07-28 and any values since then.
type Root struct {
	// Served is the schema as a server lists it. It differs from the text by "type": "object", which it
	// has if the schema means objects and does not say so.
	Served wire.Raw
	// Lacks says why Served differs from the text, or is "".
	Lacks string
	// Refused says why no tool can have the schema, or is "".
	Refused string
	// Values means that structured results need not be objects.
	Values bool
}

// JudgeInput returns the judgement on an inputSchema. A schema that is not one for objects, but allows
// them, means objects.
func JudgeInput(s *jsonschema.Schema) Root {
	if s.Kinds()&jsonschema.Object == 0 {
		return Root{Served: s.Source, Refused: "allows no object, and arguments are objects, so the tool cannot be called"}
	}
	return ofObjects(s)
}

// JudgeOutput returns the judgement on an outputSchema. A schema means objects if it allows nothing else,
// or if it says something of members and nothing of types.
func JudgeOutput(s *jsonschema.Schema) Root {
	switch kinds := s.Kinds(); {
	case kinds == 0:
		return Root{Served: s.Source, Refused: "allows no value, so the tool could return no result"}
	case kinds == jsonschema.Object, kinds == jsonschema.AllKinds && s.OfMembers():
		return ofObjects(s)
	case s.Source == "true":
		return Root{Served: "{}", Lacks: "the schema is true, and the protocol wants an object", Values: true}
	}
	return Root{Served: s.Source, Values: true}
}

// ofObjects returns the judgement on a schema that means objects.
func ofObjects(s *jsonschema.Schema) Root {
	if s.Always != nil {
		return Root{Served: `{"type":"object"}`, Lacks: "the schema is true"}
	}
	var lacks string
	switch kind, _ := wire.Object(s.Source).Get("type"); kind {
	case `"object"`:
		return Root{Served: s.Source}
	case "":
		lacks = `the schema has no "type"`
	default:
		lacks = fmt.Sprintf(`the "type" of the schema is %s`, kind)
	}
	return Root{Served: jsonschema.With(s.Source, "type", `"object"`), Lacks: lacks}
}
