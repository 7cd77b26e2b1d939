package lint

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// rewrite changes a schema in a way that keeps the values it accepts.
type rewrite struct {
	// rules are the rules whose findings it removes.
	rules []string
	// apply changes a schema and reports whether it did. Input means that values are objects.
	apply func(s *node, input bool) bool
}

// rewrites are in the order in which they are applied, since some make others possible.
var rewrites = []rewrite{
	{[]string{"input-schema-not-object"}, objectType},
	{[]string{"anthropic-draft"}, tuples},
	{[]string{"enum-duplicate", "required-duplicate"}, everySchema(distinct)},
	{[]string{"keyword-ineffective", "gemini-keyword-type"}, everySchema(ineffective)},
	{[]string{"gemini-keyword"}, inline},
	{[]string{"anthropic-root-combinator", "openai-root-keyword"}, mergeRoot},
	{[]string{"gemini-keyword"}, dialect},
	{[]string{"gemini-keyword"}, everySchema(constant)},
	{[]string{"gemini-keyword"}, everySchema(openObject)},
	{[]string{"gemini-keyword"}, everySchema(exclusive)},
	{[]string{"gemini-keyword"}, everySchema(disjoint)},
	{[]string{"gemini-type-list"}, everySchema(oneType)},
	{[]string{"required-undeclared", "gemini-required-undeclared"}, everySchema(declare)},
	{[]string{"openai-items-missing", "gemini-items-missing"}, everySchema(anyItems)},
	{[]string{"openai-properties-missing"}, func(s *node, _ bool) bool {
		if s.kind != wire.KindObject || s.has("properties", "$ref") {
			return false
		}
		s.set("properties", object())
		return true
	}},
}

// everySchema applies a rewrite to a schema and the schemas in it.
func everySchema(apply func(s *node) bool) func(*node, bool) bool {
	return func(root *node, _ bool) bool {
		changed := false
		root.eachSchema(func(s *node) { changed = apply(s) || changed })
		return changed
	}
}

// objectType adds the type of arguments.
func objectType(s *node, input bool) bool {
	switch {
	case !input:
		return false
	case s.is("true"):
		*s = *object(member{"type", str("object")}, member{"properties", object()})
		return true
	case s.kind != wire.KindObject || s.has("$ref"):
		return false
	}
	if t := s.get("type"); t != nil && !(t.kind == wire.KindArray && slices.ContainsFunc(t.elements, func(e *node) bool { return e.text() == "object" })) {
		return false
	}
	s.drop("type")
	s.members = slices.Insert(s.members, 0, member{"type", str("object")})
	if !s.has("properties") {
		s.set("properties", object()) // which hosts ask of an object
	}
	return true
}

// tuples writes arrays in items as draft 2020-12 does, if nothing else of draft 07 is used.
func tuples(root *node, _ bool) bool {
	if strings.Contains(string(root.raw()), `"dependencies"`) || strings.Contains(string(root.raw()), `"$ref"`) {
		return false
	}
	if strings.Contains(root.get("$schema").text(), "draft-04") {
		return false // which differs in more
	}
	changed := false
	root.eachSchema(func(s *node) {
		items, rest := s.get("items"), s.get("additionalItems")
		s.drop("additionalItems")
		if items == nil || items.kind != wire.KindArray {
			return
		}
		i := s.index("items")
		s.members[i].name = "prefixItems"
		if rest != nil {
			s.members = slices.Insert(s.members, i+1, member{"items", rest})
		}
		changed = true
	})
	if changed {
		root.drop("$schema")
	}
	return changed
}

// distinct removes repeated values of enum and required.
func distinct(s *node) bool {
	changed := false
	for _, keyword := range []string{"enum", "required"} {
		list := s.get(keyword)
		if list == nil || list.kind != wire.KindArray {
			continue
		}
		var kept []*node
		for _, value := range list.elements {
			if !slices.ContainsFunc(kept, func(other *node) bool { return wire.Equal(value.raw(), other.raw()) }) {
				kept = append(kept, value)
			}
		}
		changed = changed || len(kept) < len(list.elements)
		list.elements = kept
	}
	return changed
}

// ineffective removes keywords that have no effect on the types of a schema.
func ineffective(s *node) bool {
	types := typesOf(s)
	if types == nil {
		return false
	}
	before := len(s.members)
	s.members = slices.DeleteFunc(s.members, func(m member) bool {
		t := effectOn(m.name)
		return t != "" && !slices.Contains(types, t) && !(t == "number" && slices.Contains(types, "integer"))
	})
	return len(s.members) < before
}

// typesOf returns the values of type, or nil.
func typesOf(s *node) []string {
	t := s.get("type")
	switch {
	case t == nil:
		return nil
	case t.kind == wire.KindString:
		return []string{t.text()}
	}
	var all []string
	for _, element := range t.elements {
		all = append(all, element.text())
	}
	return all
}

// mergeRoot merges an allOf at the top level, or an anyOf or oneOf with one alternative, into the
// schema around it.
func mergeRoot(s *node, _ bool) bool {
	changed := false
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list := s.get(keyword)
		if list == nil || list.kind != wire.KindArray || keyword != "allOf" && len(list.elements) != 1 {
			continue
		}
		merged := s.clone()
		merged.drop(keyword)
		if !slices.ContainsFunc(list.elements, func(part *node) bool { return !merge(merged, part) }) {
			*s = *merged
			changed = true
		}
	}
	return changed
}

// merge adds the rules of a schema of objects to another. It returns false if a rule that both have
// cannot be expressed in one schema.
func merge(into, part *node) bool {
	if part.kind != wire.KindObject || into.has("unevaluatedProperties", "additionalProperties", "patternProperties") {
		return false
	}
	for _, m := range part.members {
		have := into.get(m.name)
		switch {
		case m.name == "title" || m.name == "description" || m.name == "$comment":
			// describes one part of a whole that has its own description
		case have == nil && m.name != "additionalProperties" && m.name != "$ref":
			into.set(m.name, m.value)
		case have != nil && wire.Equal(have.raw(), m.value.raw()):
		case m.name == "required" && have != nil:
			have.elements = append(have.elements, m.value.elements...)
			distinct(into)
		case m.name == "properties" && have != nil:
			for _, p := range m.value.members {
				if other := have.get(p.name); other != nil && !wire.Equal(other.raw(), p.value.raw()) {
					return false
				}
				have.set(p.name, p.value)
			}
		default:
			return false
		}
	}
	return true
}

// dialect removes $schema if the schema has the same meaning without it.
func dialect(s *node, _ bool) bool {
	d := s.get("$schema").text()
	if d == "" {
		return false
	}
	if strings.Contains(d, "draft-07") {
		for _, keyword := range []string{"$ref", "dependencies", "prefixItems", "unevaluatedItems", "unevaluatedProperties", "dependentRequired", "dependentSchemas", "minContains", "maxContains", "$dynamicRef"} {
			if strings.Contains(string(s.raw()), `"`+keyword+`"`) {
				return false
			}
		}
	} else if !strings.Contains(d, "2020-12") {
		return false
	}
	s.drop("$schema")
	return true
}

// constant writes const as an enum of one value.
func constant(s *node) bool {
	value := s.get("const")
	if value == nil || s.has("enum") {
		return false
	}
	i := s.index("const")
	s.members[i] = member{"enum", array(value)}
	return true
}

// openObject removes an additionalProperties that allows everything.
func openObject(s *node) bool {
	if !s.get("additionalProperties").isEmptySchema() || s.has("unevaluatedProperties") {
		return false
	}
	s.drop("additionalProperties")
	return true
}

// exclusive writes the exclusive bounds of integers as inclusive ones.
func exclusive(s *node) bool {
	if !slices.Equal(typesOf(s), []string{"integer"}) {
		return false
	}
	changed := false
	for _, bound := range []struct {
		exclusive, inclusive string
		step                 int64
	}{{"exclusiveMinimum", "minimum", 1}, {"exclusiveMaximum", "maximum", -1}} {
		value := s.get(bound.exclusive)
		if value == nil || s.has(bound.inclusive) {
			continue
		}
		n, err := strconv.ParseInt(string(value.scalar), 10, 64)
		if err != nil || n == math.MaxInt64 || n == math.MinInt64 {
			continue
		}
		s.members[s.index(bound.exclusive)] = member{bound.inclusive, scalar(wire.Raw(strconv.FormatInt(n+bound.step, 10)))}
		changed = true
	}
	return changed
}

// disjoint writes oneOf as anyOf if no value satisfies two of the alternatives.
func disjoint(s *node) bool {
	list := s.get("oneOf")
	if list == nil || list.kind != wire.KindArray || s.has("anyOf") {
		return false
	}
	var branches []*jsonschema.Schema
	for _, element := range list.elements {
		branch, _ := jsonschema.Read("", element.raw()) // references, which lead elsewhere, are left out
		branches = append(branches, branch)
	}
	if !jsonschema.Disjoint(branches) {
		return false
	}
	s.members[s.index("oneOf")].name = "anyOf"
	return true
}

// oneType writes a list of types as alternatives with one type each.
func oneType(s *node) bool {
	types := typesOf(s)
	if len(types) == 0 || s.get("type").kind != wire.KindArray ||
		s.has("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$defs", "definitions", "$schema", "$id", "const") {
		return false
	}
	var alternatives []*node
	for _, t := range types {
		alternative := object(member{"type", str(t)})
		for _, m := range s.members {
			affected := effectOn(m.name)
			if affected == t || affected == "number" && t == "integer" || m.name == "format" && t != "null" && t != "boolean" {
				alternative.set(m.name, m.value.clone())
			}
		}
		if enum := s.get("enum"); enum != nil {
			var kept []*node
			for _, value := range enum.elements {
				if ofType(value, t) {
					kept = append(kept, value)
				}
			}
			if kept == nil {
				continue
			}
			alternative.set("enum", array(kept...))
		}
		alternatives = append(alternatives, alternative)
	}
	if alternatives == nil {
		return false // no value of the enum has one of the types
	}
	i := s.index("type")
	s.members[i] = member{"anyOf", array(alternatives...)}
	s.members = slices.DeleteFunc(s.members, func(m member) bool { return effectOn(m.name) != "" || m.name == "enum" || m.name == "format" })
	return true
}

// ofType reports whether a value is of a type of JSON Schema.
func ofType(value *node, t string) bool {
	switch value.kind {
	case wire.KindNull:
		return t == "null"
	case wire.KindBool:
		return t == "boolean"
	case wire.KindNumber:
		return t == "number" || t == "integer" && value.scalar.IsInteger()
	case wire.KindString:
		return t == "string"
	case wire.KindArray:
		return t == "array"
	}
	return t == "object"
}

// declare adds schemas for required properties that have none.
func declare(s *node) bool {
	list := s.get("required")
	if list == nil || list.kind != wire.KindArray || s.has("patternProperties", "unevaluatedProperties", "$ref") {
		return false
	}
	if more := s.get("additionalProperties"); more != nil && !more.isEmptySchema() {
		return false
	}
	properties, changed := s.get("properties"), false
	if properties == nil {
		return false
	}
	for _, name := range list.elements {
		if name.kind == wire.KindString && properties.get(name.text()) == nil {
			properties.set(name.text(), object())
			changed = true
		}
	}
	return changed
}

// anyItems adds items to arrays without them.
func anyItems(s *node) bool {
	if !slices.Equal(typesOf(s), []string{"array"}) || s.has("items", "unevaluatedItems", "$ref") {
		return false
	}
	s.set("items", object())
	return true
}

// mostInlined limits how much larger a schema becomes when its references are inlined, in bytes.
const mostInlined = 64 << 10

// inline writes the definitions of a schema in the places that refer to them. It does nothing if
// one refers to itself.
func inline(root *node, _ bool) bool {
	if root.kind != wire.KindObject || strings.Contains(string(root.raw()), `"$id"`) || strings.Contains(string(root.raw()), `"$anchor"`) ||
		strings.Contains(string(root.raw()), `"$dynamicRef"`) {
		return false
	}
	in := inliner{root: root, source: root.clone(), alone: strings.Contains(root.get("$schema").text(), "/draft-0")}
	root.drop("$defs", "definitions")
	in.schema(root, nil)
	if !in.changed || in.failed || len(root.raw()) > len(in.source.raw())+mostInlined {
		*root = *in.source
		return false
	}
	return true
}

// inliner is one run of inline. Schemas are copied from source, which does not change.
type inliner struct {
	root, source *node
	// alone means that the draft ignores the keywords beside a reference.
	alone, changed, failed bool
}

// schema replaces the references in a schema. The path has the references that lead to it.
func (in *inliner) schema(s *node, path []string) {
	if in.failed {
		return
	}
	for s.kind == wire.KindObject && s.has("$ref") {
		ref := s.get("$ref").text()
		target := in.source
		if ref == "#" || !strings.HasPrefix(ref, "#/") {
			in.failed = true
			return
		}
		target = target.at(ref[1:])
		if target == nil || target.kind != wire.KindObject || slices.Contains(path, ref) || len(path) > 32 {
			in.failed = true
			return
		}
		path = append(path[:len(path):len(path)], ref)
		copied := target.clone()
		if !in.alone {
			for _, m := range s.members {
				switch {
				case m.name == "$ref":
				case m.name == "description" || m.name == "title" || m.name == "default" || m.name == "examples" || m.name == "deprecated":
					copied.set(m.name, m.value)
				case s == in.root && (m.name == "$defs" || m.name == "definitions" || m.name == "$schema"):
				case copied.has(m.name):
					in.failed = true
					return
				default:
					copied.set(m.name, m.value)
				}
			}
		}
		*s = *copied
		in.changed = true
	}
	s.children(func(child *node) { in.schema(child, path) })
}
