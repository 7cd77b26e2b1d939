package schema

import (
	"bytes"
	"encoding/json"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Facts returns the schema.json without descriptions, with sorted members and an indent of one
// space.
func Facts(revision string, src []byte) ([]byte, error) {
	if _, err := Tree(revision, src); err != nil {
		return nil, err
	}
	root, err := normalize(json.RawMessage(withoutProse("", wire.Raw(src))))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(root); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// withoutProse returns the schema at a pointer without its description and those of the schemas in it. A property
// with the name "description" stays.
func withoutProse(at string, schema wire.Raw) wire.Raw {
	schema = jsonschema.Within(at, schema, withoutProse)
	if schema.Kind() != wire.KindObject {
		return schema
	}
	return wire.Raw(wire.Object(schema).Without("description"))
}
