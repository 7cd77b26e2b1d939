package schema

import "encoding/json"

// JSON renders the document as a schema.json of its dialect, for validators.
func (d *Document) JSON() ([]byte, error) {
	if d.source != nil {
		return d.lenientJSON()
	}
	defs := map[string]any{}
	for _, def := range d.Definitions {
		defs[def.Name] = d.node(def.Schema)
	}
	return json.MarshalIndent(map[string]any{"$schema": d.Dialect, d.Container: defs}, "", " ")
}

func (d *Document) node(s *Schema) any {
	if s.Source != nil {
		return s.Source
	}
	n := map[string]any{}
	if s.Ref != "" {
		n["$ref"] = Child("#/"+d.Container, s.Ref)
	}
	switch len(s.Types) {
	case 0:
	case 1:
		n["type"] = s.Types[0]
	default:
		n["type"] = s.Types
	}
	if len(s.Properties) > 0 {
		props := map[string]any{}
		for _, p := range s.Properties {
			props[p.Name] = d.node(p.Schema)
		}
		n["properties"] = props
	}
	if len(s.Required) > 0 {
		n["required"] = s.Required
	}
	if s.Additional != nil {
		n["additionalProperties"] = d.node(s.Additional)
	}
	if s.Items != nil {
		n["items"] = d.node(s.Items)
	}
	if s.AnyOf != nil {
		n["anyOf"] = d.nodes(s.AnyOf)
	}
	if s.AllOf != nil {
		n["allOf"] = d.nodes(s.AllOf)
	}
	if s.Const != nil {
		n["const"] = s.Const
	}
	if s.Enum != nil {
		n["enum"] = s.Enum
	}
	if s.Format != "" {
		n["format"] = s.Format
	}
	if s.Minimum != nil {
		n["minimum"] = *s.Minimum
	}
	if s.Maximum != nil {
		n["maximum"] = *s.Maximum
	}
	if s.MaxItems > 0 {
		n["maxItems"] = s.MaxItems
	}
	return n
}

func (d *Document) nodes(list []*Schema) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = d.node(s)
	}
	return out
}
