package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// relaxer derives the core of a schema.json: a schema that the audit accepts and that keeps as
// many constraints as possible. If a core lacks some, the schema is added to sources.
type relaxer struct {
	revision  string
	source    map[string]any
	container string
	// sources maps pointers to the schemas that their core does not represent completely.
	// cores is the set of pointers of all schemas.
	sources map[string]any
	cores   map[string]bool
	notes   []*Error
}

// remarks lists the keywords that do not constrain values.
var remarks = []string{"description", "title", "examples", "$comment", "deprecated", "readOnly", "writeOnly", "contentMediaType", "contentEncoding"}

// constraints lists the keywords that the core does not support.
var constraints = []string{
	"default", "oneOf", "not", "if", "then", "else", "minLength", "maxLength", "pattern", "multipleOf", "exclusiveMinimum", "exclusiveMaximum",
	"minItems", "uniqueItems", "contains", "minContains", "maxContains", "prefixItems", "additionalItems", "unevaluatedItems",
	"minProperties", "maxProperties", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties",
	"$defs", "definitions", "$id", "$schema", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor", "contentSchema",
}

// document returns the core of a file and the name of the member that holds its definitions, or
// "" if there is none.
func (r *relaxer) document(root map[string]any) (core map[string]any, container string) {
	core = map[string]any{}
	if dialect, ok := root["$schema"].(string); ok {
		core["$schema"] = dialect
	}
	for _, name := range []string{"$defs", "definitions"} {
		defs, ok := root[name].(map[string]any)
		if !ok || len(defs) == 0 {
			continue
		}
		if container != "" {
			r.note(Child("", name), "is not compared: the definitions of %q are", container)
			continue
		}
		container = name
	}
	if container == "" {
		return nil, ""
	}
	r.container, r.cores = container, map[string]bool{}
	defs := map[string]any{}
	all := root[container].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		defs[name] = r.schema(Child("", container, name), all[name], false)
	}
	core[container] = defs
	return core, container
}

func (r *relaxer) note(pointer, format string, args ...any) {
	r.notes = append(r.notes, &Error{r.revision, pointer, fmt.Sprintf(format, args...)})
}

// schema returns the core of a schema. Member is set for the schema of an object's member, the
// only place where a const is supported.
func (r *relaxer) schema(pointer string, v any, member bool) map[string]any {
	r.cores[pointer] = true
	node, ok := v.(map[string]any)
	if !ok {
		if v != true {
			r.sources[pointer] = v // false, or invalid
		}
		return map[string]any{}
	}
	n := &relaxed{relaxer: r, pointer: pointer, node: node, core: map[string]any{}, member: member}
	for _, key := range []string{"title", "description"} {
		if text, ok := node[key].(string); ok {
			n.core[key] = text
		}
	}
	for _, key := range slices.Sorted(maps.Keys(node)) {
		switch {
		case slices.Contains(remarks, key):
		case slices.Contains(constraints, key):
			n.more = true
		case !slices.Contains(coreKeywords, key):
			if _, extension := cutExtension(key); !extension {
				r.note(Child(pointer, key), "unknown keyword %q is ignored", key)
			}
		}
	}
	n.combine()
	if n.more {
		r.sources[pointer] = node
	}
	return n.core
}

// coreKeywords lists the keywords that the core supports.
var coreKeywords = []string{
	"$ref", "type", "properties", "required", "additionalProperties", "items", "anyOf", "allOf", "const", "enum", "format", "minimum", "maximum", "maxItems",
}

// cutExtension returns a keyword without the prefix of an extension and reports whether it has
// one.
func cutExtension(key string) (string, bool) {
	if len(key) > 2 && (key[:2] == "x-" || key[:2] == "X-") {
		return key[2:], true
	}
	return key, false
}

// relaxed derives the core of one schema.
type relaxed struct {
	*relaxer
	pointer    string
	node, core map[string]any
	member     bool
	// more is set if the core does not represent the schema completely.
	more bool
}

func (n *relaxed) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { _, ok := n.node[key]; return ok })
}

// combine sets the core to a reference, a combination or a type, in that order of
// precedence.
func (n *relaxed) combine() {
	own := n.has("type", "properties", "required", "additionalProperties", "items", "const", "enum", "format", "minimum", "maximum", "maxItems")
	switch {
	case n.has("$ref"):
		n.more = n.more || own || n.has("anyOf", "allOf")
		if !n.reference() {
			n.more = true
		}
	case n.has("properties") && n.has("anyOf", "oneOf", "allOf"):
		n.more = true
		n.values()
	case n.has("anyOf", "oneOf"):
		n.more = n.more || own || n.has("allOf") || n.has("anyOf") && n.has("oneOf")
		if n.has("anyOf") {
			n.branches("anyOf", "anyOf")
		} else {
			n.branches("oneOf", "anyOf")
		}
	case n.has("allOf"):
		n.more = n.more || own
		n.branches("allOf", "allOf")
	default:
		n.values()
	}
}

func (n *relaxed) reference() bool {
	ref, _ := n.node["$ref"].(string)
	name, ok := cutDefinition(ref, n.container)
	if !ok {
		return false
	}
	if _, defined := n.source[n.container].(map[string]any)[name]; !defined {
		return false
	}
	n.core["$ref"] = ref
	return true
}

// cutDefinition returns the name of the definition that a reference names.
func cutDefinition(ref, container string) (string, bool) {
	prefix := "#/" + container + "/"
	if len(ref) <= len(prefix) || ref[:len(prefix)] != prefix {
		return "", false
	}
	name := ref[len(prefix):]
	if slices.Contains([]byte(name), '/') {
		return "", false
	}
	return unescape(name), true
}

func (n *relaxed) branches(from, to string) {
	list, ok := n.node[from].([]any)
	if !ok || len(list) == 0 {
		n.more = true
		return
	}
	var cores []any
	for i, branch := range list {
		cores = append(cores, n.schema(Child(n.pointer, from, strconv.Itoa(i)), branch, false))
	}
	if len(cores) == 1 {
		// The core needs at least two branches. Lowering removes the duplicate.
		n.more = true
		if from == "allOf" {
			return
		}
		cores = append(cores, cores[0])
	}
	n.core[to] = cores
}

// values sets the keywords of a schema that is not a reference or combination.
func (n *relaxed) values() {
	types := n.types()
	one := ""
	if len(types) == 1 {
		one = types[0]
	}
	if !n.literal(one) && len(types) > 0 {
		n.core["type"] = types[0]
		if len(types) > 1 {
			n.core["type"] = anys(types)
		}
	}
	one, _ = n.core["type"].(string)
	if one == "object" {
		n.object()
	} else if n.has("properties", "required", "additionalProperties") {
		n.more = true
		if len(types) == 0 {
			// The schema accepts other values, too, but describes objects.
			n.core["type"] = "object"
			n.object()
		}
	}
	switch {
	case one == "array":
		if items, ok := n.node["items"]; ok {
			n.core["items"] = n.schema(Child(n.pointer, "items"), items, false)
		}
		n.number("maxItems")
	case n.has("items", "maxItems"):
		n.more = true
	}
	if format, ok := n.node["format"].(string); ok && one == "string" && n.core["enum"] == nil && n.core["const"] == nil {
		n.core["format"] = format
	} else if n.has("format") {
		n.more = true
	}
	for _, bound := range []string{"minimum", "maximum"} {
		if one == "number" || one == "integer" {
			n.number(bound)
		} else if n.has(bound) {
			n.more = true
		}
	}
}

// types returns the types that the core supports.
func (n *relaxed) types() []string {
	v, ok := n.node["type"]
	if !ok {
		return nil
	}
	var types []string
	for _, name := range typeNames(v) {
		if !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	known := func(name string) bool {
		return slices.Contains([]string{"object", "array", "string", "integer", "number", "boolean", "null"}, name)
	}
	mixed := len(types) > 1 && (slices.Contains(types, "object") || slices.Contains(types, "array"))
	if len(types) == 0 || mixed || !slices.ContainsFunc(types, known) || slices.ContainsFunc(types, func(t string) bool { return !known(t) }) {
		n.more = true
		return nil
	}
	return types
}

// literal sets const and enum, and reports whether they determine the type of the core.
func (n *relaxed) literal(one string) bool {
	if !n.has("const", "enum") {
		return false
	}
	plain := !n.has("const") || !n.has("enum")
	if value, ok := n.node["const"]; ok && plain && n.member {
		kind := ""
		switch v := value.(type) {
		case string:
			kind = "string"
		case json.Number:
			if i, err := v.Int64(); err == nil && i > -1<<53 && i < 1<<53 {
				kind = "integer"
			}
		}
		if kind != "" && (one == "" && !n.has("type") || one == kind) {
			n.core["type"], n.core["const"] = kind, value
			return true
		}
	}
	if list, ok := n.node["enum"].([]any); ok && plain && (one == "string" || one == "" && !n.has("type")) {
		var values []any
		for _, v := range list {
			if _, isText := v.(string); isText && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if texts := slices.DeleteFunc(slices.Clone(list), func(v any) bool { _, isText := v.(string); return isText }); len(texts) == 0 && len(values) > 0 {
			n.core["type"], n.core["enum"] = "string", values
			return true
		}
	}
	n.more = true
	return false
}

func (n *relaxed) number(keyword string) {
	v, ok := n.node[keyword]
	if !ok {
		return
	}
	number, isNumber := v.(json.Number)
	_, err := number.Float64()
	if most, whole := strconv.Atoi(string(number)); !isNumber || err != nil || keyword == "maxItems" && (whole != nil || most < 1) {
		n.more = true
		return
	}
	n.core[keyword] = number
}

func (n *relaxed) object() {
	if props, ok := n.node["properties"].(map[string]any); ok {
		cores := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(props)) {
			cores[name] = n.schema(Child(n.pointer, "properties", name), props[name], true)
		}
		n.core["properties"] = cores
	} else if n.has("properties") {
		n.more = true
	}
	if v, ok := n.node["required"]; ok {
		list, isList := v.([]any)
		var names []any
		for _, name := range list {
			if _, isText := name.(string); isText && !slices.Contains(names, name) {
				names = append(names, name)
			} else if !isText {
				isList = false
			}
		}
		n.more = n.more || !isList
		if len(names) > 0 {
			n.core["required"] = names
		}
	}
	rest, ok := n.node["additionalProperties"]
	if !ok || rest == true {
		return
	}
	core := n.schema(Child(n.pointer, "additionalProperties"), rest, false)
	_, free := n.sources[Child(n.pointer, "additionalProperties")]
	constrained := free || constrains(core)
	if constrained && (rest == false || n.core["properties"] != nil || n.core["required"] != nil) {
		n.more = true
		return
	}
	n.core["additionalProperties"] = core
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
