package openapi

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

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

// ignored notes that a keyword is ignored because it cannot have its value.
func (w *writer) ignored(name string) {
	w.note(w.n.get(name), "%s cannot be %.60s; the keyword is ignored", name, w.n.get(name).raw)
}

// reference writes a reference.
func (w *writer) reference(at node, ref string) {
	target, ok := w.target(at, ref)
	if !ok {
		return
	}
	of, ok := w.resolve(target)
	if !ok { // a chain of references without an end
		return
	}
	if w.n.plain && (w.heirs(of) != nil || w.unites(of)) {
		target, target.plain = of, true
	}
	w.add("$ref", jsonschema.Text("#/$defs/"+w.nameOf(target)))
}

// keywords writes the keywords that JSON Schema has, in the order of the document.
func (w *writer) keywords() {
	n := w.n
	_, _, refers := n.reference()
	if wrapped := w.nullable(n) && len(w.types(n)) == 0; wrapped && (refers || n.get("allOf").exists() || n.get("anyOf").exists() || n.get("oneOf").exists()) {
		// null satisfies none of the branches, so it gets a branch of its own.
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
	if t := n.text("format"); (t == "byte" || t == "binary" || n.text("type") == "file") && !n.get("contentEncoding").exists() {
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
	case "x-mcp-header":
		w.note(value, "%s is left out; the tool list may have it, and the next import keeps it there", name)
	case "x-enum-varnames":
		w.note(value, "%s is left out; the names of constants come from the values", name)
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
		if w.n.plain && w.unites(w.n) {
			return
		}
		// The alternatives of most documents overlap, and a discriminator selects one. oneOf would
		// refuse values that the API means to allow.
		if name == "oneOf" && w.n.get("anyOf").exists() {
			w.alternatives("oneOf", value)
		} else {
			w.alternatives("anyOf", value)
		}
	case "dependentRequired":
		w.when(kind == wire.KindObject, name, value)
	}
}

// when copies a keyword if its value is allowed.
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

// enum writes the listed values. YAML reads some texts as other values, such as 1.0 and yes, and a
// schema for texts means them as texts.
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
			element = jsonschema.Text(string(element))
		}
		all = append(all, element)
	}
	if w.nullable(w.n) {
		all = append(all, "null")
	}
	w.add("enum", wire.ArrayOf(jsonschema.Distinct(all)))
}

// required writes the required members that this side sends.
func (w *writer) required(value node) {
	if value.kind() != wire.KindArray {
		if value.kind() != wire.KindBool { // a property with "required": true in its own schema
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
		w.add("required", jsonschema.Texts(names))
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
		// An allOf with one branch in a schema without a name refers to the branch and does not extend it.
		value.plain = w.n.plain || len(value.raw.Elements()) > 1 || isNamed(w.n) || w.n.pointer == ""
	}
	text := []byte{'['}
	for branch := range value.elements {
		text = append(wire.AppendComma(text), w.convertWithout(branch, absent)...)
	}
	w.add(name, wire.Raw(append(text, ']')))
}
