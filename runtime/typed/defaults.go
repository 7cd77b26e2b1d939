package typed

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// fill returns a value in which missing members have the defaults of its schema, which is that of a definition. Root is
// the document of the schema.
func fill(v wire.Raw, schema, root wire.Object) wire.Raw {
	schema = referred(schema, root)
	switch v.Kind() {
	case wire.KindObject:
		named, others := memberOf(schema, "properties"), memberOf(schema, "additionalProperties")
		text := []byte{'{'}
		for name, member := range wire.Object(v).All() {
			inner := others
			if own, ok := named.Get(name); ok {
				inner = wire.Object(own)
			}
			text = append(wire.AppendName(text, name), fill(member, inner, root)...)
		}
		for name, property := range named.All() {
			preset, ok := wire.Object(property).Get("default")
			if _, given := wire.Object(v).Get(name); ok && !given {
				text = append(wire.AppendName(text, name), preset...)
			}
		}
		return wire.Raw(append(text, '}'))
	case wire.KindArray:
		items, all := memberOf(schema, "items"), v.Elements()
		for i, element := range all {
			all[i] = fill(element, items, root)
		}
		return wire.ArrayOf(all)
	}
	return v
}

// maxReferences limits the references that lead from one schema to another for the same value.
const maxReferences = 100

// referred returns the schema to which a reference to a member of $defs leads.
func referred(schema, root wire.Object) wire.Object {
	for range maxReferences {
		ref := schema.GetString("$ref")
		if ref == "" {
			break
		}
		schema = memberOf(memberOf(root, "$defs"), strings.TrimPrefix(ref, "#/$defs/"))
	}
	return schema
}

// memberOf returns a member that is an object, or an empty one.
func memberOf(o wire.Object, name string) wire.Object {
	if value, _ := o.Get(name); value.Kind() == wire.KindObject {
		return wire.Object(value)
	}
	return "{}"
}
