package schema

import (
	"bytes"
	"encoding/json"
)

// Facts returns the schema.json without descriptions, with sorted members and an indent of one
// space.
func Facts(revision string, src []byte) ([]byte, error) {
	root, err := Tree(revision, src)
	if err != nil {
		return nil, err
	}
	stripSchema(root)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(root); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// stripSchema removes descriptions from a schema and its subschemas. It keeps a property with
// the name "description".
func stripSchema(v any) {
	node, ok := v.(map[string]any)
	if !ok {
		return
	}
	if _, ok := node["description"].(string); ok {
		delete(node, "description")
	}
	for key, child := range node {
		switch key {
		case "properties", "patternProperties", "definitions", "$defs":
			if named, ok := child.(map[string]any); ok {
				for _, s := range named {
					stripSchema(s)
				}
			}
		case "anyOf", "allOf", "oneOf", "prefixItems":
			if list, ok := child.([]any); ok {
				for _, s := range list {
					stripSchema(s)
				}
			}
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames":
			stripSchema(child)
		}
	}
}
