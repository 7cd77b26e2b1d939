package openapi

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// converter turns the schemas of one side of an operation into JSON Schema 2020-12. A reference
// leads to a definition of the tool. Definitions are added breadth first until the schema is as long
// as Limit; what is referred to beyond is described by its type alone, because the components of some
// APIs reach each other, and a model does not read megabytes.
type converter struct {
	*documents
	// response selects the members that answers have. Requests have no read-only ones.
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

// definitions converts what the schemas so far refer to. It returns the members of $defs, or "".
func (c *converter) definitions() wire.Raw {
	text := []byte{'{'}
	for i := 0; i < len(c.queue); i++ {
		n := c.queue[i]
		name := c.names[n.place()]
		var converted wire.Raw
		if c.size < c.limit {
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

// outline returns a schema that accepts all values of a schema and has no references.
func (c *converter) outline(n node) wire.Raw {
	text := []byte{'{'}
	if target, ok := c.resolve(n); ok {
		text = append(text, c.typeOf(target)...)
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
		return `"type":` + quoted(types[0])
	}
	text := []byte(`"type":[`)
	for _, t := range types {
		text = append(wire.AppendComma(text), quoted(t)...)
	}
	return string(append(text, ']'))
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
		if slices.Contains([]string{"null", "boolean", "object", "array", "number", "string", "integer"}, t) {
			types = append(types, t)
		}
	}
	types = distinct(types)
	if len(types) > 0 && c.nullable(n) && !slices.Contains(types, "null") {
		types = append(types, "null")
	}
	return types
}

// nullable reports whether a schema of OpenAPI 3.0 allows null. Some documents of 3.1 still say so in
// the old way.
func (c *converter) nullable(n node) bool { return n.flag("nullable") }

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
	absent = append(slices.Clip(absent), c.otherSide(n, map[place]bool{})...)
	w := &writer{converter: c, n: n, absent: absent, text: []byte{'{'}}
	if ref, ok := n.get("$ref").raw.Str(); ok {
		w.reference(ref)
		if n.doc.old {
			// OpenAPI 3.0 ignores what is beside a reference, but people describe it there.
			w.strings("description")
			return w.end()
		}
	}
	w.keywords()
	return w.end()
}

// otherSide returns the members of a schema, and of the branches of its allOf, that only the other
// side sends: read-only ones for requests, write-only ones for answers.
func (c *converter) otherSide(n node, seen map[place]bool) []string {
	if seen[n.place()] {
		return nil
	}
	seen[n.place()] = true
	if n.get("$ref").exists() {
		target, ok := c.resolve(n)
		if !ok {
			return nil
		}
		return c.otherSide(target, seen)
	}
	var names []string
	for name, property := range n.get("properties").members {
		if c.foreign(property) {
			names = append(names, name)
		}
	}
	for branch := range n.get("allOf").elements {
		names = append(names, c.otherSide(branch, seen)...)
	}
	return names
}

// foreign reports whether only the other side sends the values of a property.
func (c *converter) foreign(property node) bool {
	if c.response {
		return property.flag("writeOnly")
	}
	return property.flag("readOnly")
}

// nameOf returns the name of the definition for a node, which definitions will convert.
func (c *converter) nameOf(n node) string {
	if name, known := c.names[n.place()]; known {
		return name
	}
	base := wire.PointerName(n.pointer[strings.LastIndexByte(n.pointer, '/')+1:])
	if n.pointer == "" { // a file that is a schema
		base = strings.TrimSuffix(path.Base(n.doc.at), path.Ext(n.doc.at))
	}
	base = clean(base, "_")
	if base == "" {
		base = "schema"
	}
	name := base
	for i := 2; c.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	c.taken[name], c.names[n.place()] = true, name
	c.queue = append(c.queue, n)
	return name
}

// writer writes one schema.
type writer struct {
	*converter
	n      node
	absent []string
	text   []byte
}

func (w *writer) end() wire.Raw {
	return wire.Raw(append(w.text, '}'))
}

func (w *writer) add(name string, value wire.Raw) {
	w.text = append(wire.AppendName(w.text, name), value...)
}

// ignored notes a keyword with a value that it cannot have.
func (w *writer) ignored(name string) {
	w.note(w.n.get(name), "%s cannot be %.60s; the keyword is ignored", name, w.n.get(name).raw)
}

// reference writes a reference.
func (w *writer) reference(ref string) {
	target, ok := w.target(w.n, ref)
	if !ok {
		return
	}
	if _, ok := w.resolve(target); !ok { // a chain of references without an end
		return
	}
	w.add("$ref", wire.Raw(quoted("#/$defs/"+w.nameOf(target))))
}

// keywords writes the keywords that JSON Schema has, in the order of the document.
func (w *writer) keywords() {
	n := w.n
	if wrapped := n.flag("nullable") && len(w.types(n)) == 0; wrapped && (n.get("allOf").exists() || n.get("anyOf").exists() || n.get("oneOf").exists() || n.get("$ref").exists()) {
		// null satisfies none of the branches, so it is another one.
		inner := &writer{converter: w.converter, n: n, absent: w.absent, text: w.text}
		for name, value := range n.members {
			inner.keyword(name, value)
		}
		w.text = []byte{'{'}
		w.add("anyOf", "["+inner.end()+`,{"type":"null"}]`)
		return
	}
	for name, value := range n.members {
		w.keyword(name, value)
	}
	if t := n.text("format"); (t == "byte" || t == "binary") && !n.get("contentEncoding").exists() {
		w.add("contentEncoding", `"base64"`)
	}
}

// keyword writes a keyword. Those that JSON Schema does not have are left out.
func (w *writer) keyword(name string, value node) {
	kind := value.kind()
	switch name {
	case "type":
		if text := w.typeOf(w.n); text != "" {
			w.add("type", wire.Raw(strings.TrimPrefix(text, `"type":`)))
		} else {
			w.ignored(name)
		}
	case "title", "description", "format", "contentEncoding", "contentMediaType":
		w.strings(name)
	case "pattern":
		w.pattern(value)
	case "minimum", "maximum":
		w.bound(name, "exclusive"+strings.ToUpper(name[:1])+name[1:], value)
	case "exclusiveMinimum", "exclusiveMaximum":
		if kind == wire.KindNumber {
			w.add(name, value.raw)
		} else if kind != wire.KindBool { // which bound considers
			w.ignored(name)
		}
	case "multipleOf":
		w.when(kind == wire.KindNumber && value.raw[0] != '-' && strings.ContainsAny(string(value.raw), "123456789"), name, value)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		in := wire.NewStringReader(string(value.raw))
		w.when(kind == wire.KindNumber && in.ReadInt64() >= 0 && in.Err() == nil, name, value)
	case "uniqueItems", "deprecated":
		w.when(kind == wire.KindBool, name, value)
	case "enum":
		w.enum(value)
	case "const", "default":
		w.add(name, value.raw)
	case "example":
		if kind != wire.KindObject && kind != wire.KindArray && len(value.raw) <= 200 {
			w.add("examples", "["+value.raw+"]")
		}
	case "required":
		w.required(value)
	default:
		w.subschemas(name, value)
	}
}

// subschemas writes a keyword with schemas.
func (w *writer) subschemas(name string, value node) {
	kind := value.kind()
	switch name {
	case "properties", "patternProperties", "dependentSchemas":
		w.properties(name, value)
	case "items", "additionalProperties", "propertyNames", "not", "if", "then", "else", "contains", "unevaluatedProperties", "unevaluatedItems":
		switch {
		case kind == wire.KindArray && name == "items": // of older drafts
			w.schemas("prefixItems", value)
		case kind == wire.KindObject || kind == wire.KindBool:
			w.add(name, w.convert(value))
		default:
			w.ignored(name)
		}
	case "allOf", "prefixItems":
		w.schemas(name, value)
	case "oneOf", "anyOf":
		// The alternatives of most documents overlap, and a discriminator selects one. oneOf would
		// refuse values that the API means to allow.
		if name == "oneOf" && w.n.get("anyOf").exists() {
			w.schemas("oneOf", value)
		} else {
			w.schemas("anyOf", value)
		}
	case "dependentRequired":
		w.when(kind == wire.KindObject, name, value)
	}
}

// when writes a keyword as it is, if it has a value that it can have.
func (w *writer) when(valid bool, name string, value node) {
	if valid {
		w.add(name, value.raw)
	} else {
		w.ignored(name)
	}
}

// strings writes a keyword whose value is a text.
func (w *writer) strings(name string) {
	if value := w.n.get(name); value.kind() == wire.KindString {
		if value.raw != `""` {
			w.add(name, value.raw)
		}
	} else if value.exists() && value.kind() != wire.KindNull {
		w.ignored(name)
	}
}

// pattern writes a regular expression that can be compiled.
func (w *writer) pattern(value node) {
	source, ok := value.raw.Str()
	if ok {
		if _, err := ecma.Compile(source); err == nil {
			w.add("pattern", value.raw)
			return
		}
	}
	w.note(value, "%.100s is not a regular expression of JSON Schema; the keyword is ignored", value.raw)
}

// bound writes minimum or maximum, which OpenAPI 3.0 makes exclusive by a flag.
func (w *writer) bound(name, exclusive string, value node) {
	switch {
	case value.kind() != wire.KindNumber:
		w.ignored(name)
	case w.n.flag(exclusive):
		w.add(exclusive, value.raw)
	default:
		w.add(name, value.raw)
	}
}

// enum writes the listed values. YAML reads some texts as other values, such as 1.0 and yes, which a
// schema for texts then means as texts.
func (w *writer) enum(value node) {
	if value.kind() != wire.KindArray || len(value.raw.Elements()) == 0 {
		w.ignored("enum")
		return
	}
	types := w.types(w.n)
	texts := len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return t != "string" && t != "null" })
	var all []wire.Raw
	for _, element := range value.raw.Elements() {
		if kind := element.Kind(); texts && (kind == wire.KindNumber || kind == wire.KindBool) {
			element = wire.Raw(quoted(string(element)))
		}
		if !slices.ContainsFunc(all, func(other wire.Raw) bool { return wire.Equal(other, element) }) {
			all = append(all, element)
		}
	}
	if w.n.flag("nullable") && !slices.Contains(all, "null") {
		all = append(all, "null")
	}
	text := []byte{'['}
	for _, element := range all {
		text = append(wire.AppendComma(text), element...)
	}
	w.add("enum", wire.Raw(append(text, ']')))
}

// required writes the required members that this side sends.
func (w *writer) required(value node) {
	if value.kind() != wire.KindArray {
		if value.kind() != wire.KindBool { // a property that says of itself that it is required
			w.ignored("required")
		}
		return
	}
	var names []string
	for _, element := range value.raw.Elements() {
		if name, ok := element.Str(); ok && !slices.Contains(w.absent, name) {
			names = append(names, name)
		}
	}
	if names = distinct(names); len(names) > 0 {
		w.add("required", list(names))
	}
}

// properties writes an object of schemas, without the members that only the other side sends.
func (w *writer) properties(name string, value node) {
	if value.kind() != wire.KindObject {
		w.ignored(name)
		return
	}
	text := []byte{'{'}
	for member, schema := range value.members {
		if name == "properties" && !w.response && w.foreign(schema) {
			continue
		}
		text = append(wire.AppendName(text, member), w.convert(schema)...)
	}
	w.add(name, wire.Raw(append(text, '}')))
}

// schemas writes an array of schemas.
func (w *writer) schemas(name string, value node) {
	if value.kind() != wire.KindArray || len(value.raw.Elements()) == 0 {
		w.ignored(value.pointer[strings.LastIndexByte(value.pointer, '/')+1:])
		return
	}
	var absent []string
	if name == "allOf" {
		absent = w.absent
	}
	text := []byte{'['}
	for branch := range value.elements {
		text = append(wire.AppendComma(text), w.convertWithout(branch, absent)...)
	}
	w.add(name, wire.Raw(append(text, ']')))
}

// isObject reports whether all values of a schema are objects.
func (c *converter) isObject(n node, depth int) bool {
	target, ok := c.resolve(n)
	if !ok || depth > 20 || target.kind() != wire.KindObject || target.flag("nullable") {
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

func quoted(text string) string {
	out, _ := wire.AppendString(nil, text) // the texts of a document are valid UTF-8
	return string(out)
}

// list returns an array of texts.
func list(texts []string) wire.Raw {
	text := []byte{'['}
	for _, s := range texts {
		text = append(wire.AppendComma(text), quoted(s)...)
	}
	return wire.Raw(append(text, ']'))
}

// clean replaces each run of characters other than letters, digits, -, _ and . of ASCII.
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
