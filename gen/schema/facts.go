package schema

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Facts returns the schema.json without descriptions, with sorted members and an indent of one
// space.
func Facts(revision string, src []byte) ([]byte, error) {
	if _, err := strict(revision, src); err != nil {
		return nil, err
	}
	text, err := formatted(withoutProse("", wire.Raw(src)))
	return append(text, '\n'), err
}

// formatted returns a text with sorted members and an indent of one space.
func formatted(text wire.Raw) ([]byte, error) {
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
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
