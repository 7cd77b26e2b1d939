package openapi

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// converter turns the schemas of one side of an operation into JSON Schema 2020-12. A reference leads
// to a definition of the tool. Definitions are added breadth first until the schema is as long as
// Limit; definitions beyond that are described by their type alone, because the components of some
// APIs all refer to each other, and a model cannot use megabytes.
type converter struct {
	*documents
	// response means that the schemas are of answers. Those of requests leave out read-only members.
	response bool
	limit    int
	names    map[place]string
	taken    map[string]bool
	queue    []node
	size     int
}

func (d *documents) converter(response bool, limit int) *converter {
	return &converter{documents: d, response: response, limit: limit, names: map[place]string{}, taken: map[string]bool{}}
}

// definitions converts the definitions that the schemas so far refer to. It returns the members of
// $defs, or "".
func (c *converter) definitions() wire.Raw {
	text := []byte{'{'}
	for i := 0; i < len(c.queue); i++ {
		n := c.queue[i]
		name := c.names[n.place()]
		var converted wire.Raw
		if c.size < c.limit || c.short(n) {
			converted = c.convert(n)
			c.size += len(converted)
		} else {
			converted = c.outline(n)
		}
		text = append(wire.AppendName(text, name), converted...)
	}
	if len(c.queue) == 0 {
		return ""
	}
	return wire.Raw(append(text, '}'))
}

// short reports whether a schema is hardly longer than its outline, as an enum of a few words is.
func (c *converter) short(n node) bool {
	return len(n.raw) <= 400 && !strings.Contains(string(n.raw), `"$ref"`) && !strings.Contains(string(n.raw), `"$dynamicRef"`)
}

// outline returns a schema that accepts all values of a schema and has no references.
func (c *converter) outline(n node) wire.Raw {
	text := []byte{'{'}
	if target, ok := c.resolve(n); ok {
		if types := c.typeOf(target); types != "" {
			text = append(text, types...)
		} else if c.isObject(target, 0) {
			text = append(text, `"type":"object"`...)
		}
		if about := target.text("description"); about != "" && len(about) <= 300 {
			text, _ = wire.AppendString(wire.AppendName(text, "description"), about)
		}
	}
	return wire.Raw(append(text, '}'))
}

// typeOf returns the keyword type of a schema, as JSON Schema 2020-12 has it, or "".
func (c *converter) typeOf(n node) string {
	types := c.types(n)
	switch len(types) {
	case 0:
		return ""
	case 1:
		return `"type":` + string(jsonschema.Text(types[0]))
	}
	return `"type":` + string(jsonschema.Texts(types))
}

// types returns the types that a schema names.
func (c *converter) types(n node) []string {
	raw := n.get("type").raw
	names := []wire.Raw{raw}
	if raw.Kind() == wire.KindArray {
		names = raw.Elements()
	}
	var types []string
	for _, name := range names {
		t, _ := name.Str()
		if t == "file" {
			t = "string" // of Swagger, in documents that were converted by hand
		}
		if jsonschema.KindsOfType(t) != 0 {
			types = append(types, t)
		}
	}
	types = distinct(types)
	if len(types) > 0 && c.nullable(n) && !slices.Contains(types, "null") {
		types = append(types, "null")
	}
	return types
}

// nullable reports whether a schema of OpenAPI 3.0 allows null. Some documents of 3.1 still use the
// old form, and those of 2.0 an extension.
func (c *converter) nullable(n node) bool { return n.flag("nullable") || n.flag("x-nullable") }

// convert returns a schema in JSON Schema 2020-12.
func (c *converter) convert(n node) wire.Raw { return c.convertWithout(n, nil) }

// convertWithout converts a schema. The listed members are not required, because another branch of an
// allOf says that only the other side has them.
func (c *converter) convertWithout(n node, absent []string) wire.Raw {
	switch n.kind() {
	case wire.KindBool:
		return n.raw
	case wire.KindObject:
	default:
		c.note(n, "a schema must be an object, found %s; it is taken as one for any value", n.kind())
		return "{}"
	}
	absent = append(slices.Clip(absent), c.otherSide(n)...)
	w := &writer{converter: c, n: n, absent: absent, text: []byte{'{'}}
	if ref, at, ok := n.reference(); ok {
		w.reference(at, ref)
		if n.doc.old {
			// OpenAPI 3.0 ignores what is beside a reference, but people describe it there.
			w.strings("description")
			return w.end()
		}
	}
	if heirs := c.heirs(n); heirs != nil {
		return w.family(heirs)
	}
	w.keywords()
	return w.end()
}

// otherSide returns the members of a schema, and of the branches of its allOf, that only the other
// side sends: read-only ones for requests, write-only ones for answers.
func (c *converter) otherSide(n node) []string {
	var names []string
	for part := range c.parts(n, "allOf") {
		for name, property := range part.get("properties").members {
			if c.foreign(property) {
				names = append(names, name)
			}
		}
	}
	return names
}

// foreign reports whether only the other side sends the values of a property: its schema, one that it refers to or a
// branch of its allOf says so.
func (c *converter) foreign(property node) bool {
	flag := "readOnly"
	if c.response {
		flag = "writeOnly"
	}
	for part := range c.parts(property, "allOf") {
		if part.flag(flag) {
			return true
		}
	}
	return false
}

// nameOf returns the name of the definition for a node, which definitions will convert.
func (c *converter) nameOf(n node) string {
	if name, known := c.names[n.place()]; known {
		return name
	}
	base := wire.PointerName(n.pointer[strings.LastIndexByte(n.pointer, '/')+1:])
	if n.pointer == "" { // a file that is a schema
		base = strings.TrimSuffix(path.Base(n.doc.At), path.Ext(n.doc.At))
	}
	base = cmp.Or(clean(base, "_"), "schema")
	if n.plain {
		base += "_base"
	}
	name := base
	for i := 2; c.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	c.taken[name], c.names[n.place()] = true, name
	c.queue = append(c.queue, n)
	return name
}

// isObject reports whether all values of a schema are objects.
func (c *converter) isObject(n node, depth int) bool {
	target, ok := c.resolve(n)
	if !ok || depth > 20 || target.kind() != wire.KindObject || c.nullable(target) {
		return false
	}
	if target.get("type").exists() {
		types := c.types(target)
		return len(types) == 1 && types[0] == "object"
	}
	for branch := range target.get("allOf").elements {
		if c.isObject(branch, depth+1) {
			return true
		}
	}
	for _, name := range []string{"oneOf", "anyOf"} {
		count := 0
		for branch := range target.get(name).elements {
			if !c.isObject(branch, depth+1) {
				return false
			}
			count++
		}
		if count > 0 {
			return true
		}
	}
	return target.get("properties").kind() == wire.KindObject
}

// clean replaces each run of characters other than ASCII letters, digits, -, _ and . and removes
// such runs at both ends.
func clean(text, with string) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			if gap && b.Len() > 0 {
				b.WriteString(with)
			}
			gap = false
			b.WriteRune(r)
			continue
		}
		gap = true
	}
	return b.String()
}
