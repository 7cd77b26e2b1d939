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
	// apply returns the changed schema, or the same text. Input means that values are objects.
	apply func(s wire.Raw, input bool) wire.Raw
}

// rewrites are in the order in which they are applied, since some make others possible.
var rewrites = []rewrite{
	{[]string{"input-schema-not-object"}, objectType},
	{[]string{"anthropic-draft"}, tuples},
	{[]string{"enum-duplicate", "required-duplicate"}, everySchema(distinct)},
	{[]string{"keyword-ineffective", "gemini-keyword-type"}, everySchema(ineffective)},
	{[]string{"gemini-keyword"}, inline},
	{[]string{"anthropic-root-combinator", "openai-root-keyword"}, atRoot(mergeRoot)},
	{[]string{"gemini-keyword"}, atRoot(dialect)},
	{[]string{"gemini-keyword"}, everySchema(constant)},
	{[]string{"gemini-keyword"}, everySchema(openObject)},
	{[]string{"gemini-keyword"}, everySchema(exclusive)},
	{[]string{"gemini-keyword"}, everySchema(disjoint)},
	{[]string{"gemini-type-list"}, everySchema(oneType)},
	{[]string{"required-undeclared", "gemini-required-undeclared"}, everySchema(declare)},
	{[]string{"openai-items-missing", "gemini-items-missing"}, everySchema(anyItems)},
	{[]string{"openai-properties-missing"}, atRoot(func(s *schema) bool {
		if s.has("properties", "$ref") {
			return false
		}
		s.Set("properties", "{}")
		return true
	})},
}

// schema has the keywords of a schema that is an object.
type schema struct{ wire.Members }

// edited returns a schema that f has changed, or the same text if it is no object or f returns false.
func edited(text wire.Raw, f func(s *schema) bool) wire.Raw {
	if text.Kind() != wire.KindObject {
		return text
	}
	if s := (&schema{wire.Object(text).Members()}); f(s) {
		return s.text()
	}
	return text
}

// atRoot applies a rewrite to a schema, and not to those in it.
func atRoot(apply func(s *schema) bool) func(wire.Raw, bool) wire.Raw {
	return func(root wire.Raw, _ bool) wire.Raw { return edited(root, apply) }
}

// everySchema applies a rewrite to a schema and the schemas in it, the inner ones first.
func everySchema(apply func(s *schema) bool) func(wire.Raw, bool) wire.Raw {
	var every func(_ string, s wire.Raw) wire.Raw
	every = func(_ string, s wire.Raw) wire.Raw { return edited(jsonschema.Within("", s, every), apply) }
	return func(root wire.Raw, _ bool) wire.Raw { return every("", root) }
}

func (s *schema) text() wire.Raw { return objectOf(s.Members) }

// get returns the value of a keyword, or "".
func (s *schema) get(keyword string) wire.Raw {
	value, _ := s.Get(keyword)
	return value
}

// array returns the elements of a keyword, and reports whether its value is an array.
func (s *schema) array(keyword string) ([]wire.Raw, bool) {
	value := s.get(keyword)
	return value.Elements(), value.Kind() == wire.KindArray
}

// has reports whether a schema has one of some keywords.
func (s *schema) has(keywords ...string) bool {
	return slices.ContainsFunc(s.Members, func(m wire.Member) bool { return slices.Contains(keywords, m.Name) })
}

// rename replaces a keyword by another one with a value.
func (s *schema) rename(from, to string, value wire.Raw) {
	i := slices.IndexFunc(s.Members, func(m wire.Member) bool { return m.Name == from })
	s.Members[i] = wire.Member{Name: to, Value: value}
}

// drop removes keywords, and reports whether there was one.
func (s *schema) drop(keywords ...string) bool {
	before := len(s.Members)
	s.Members = slices.DeleteFunc(s.Members, func(m wire.Member) bool { return slices.Contains(keywords, m.Name) })
	return len(s.Members) < before
}

// dialect returns the value of $schema, or "".
func (s *schema) dialect() string { return textOf(s.get("$schema")) }

// acceptsAll reports whether a schema has no rules.
func acceptsAll(s wire.Raw) bool {
	return s == "true" || s.Kind() == wire.KindObject && wire.Object(s).Len() == 0
}

func textOf(value wire.Raw) string {
	text, _ := value.Str()
	return text
}

func objectOf(members wire.Members) wire.Raw {
	text := []byte{'{'}
	for name, value := range members.All() {
		text = append(wire.AppendName(text, name), value...)
	}
	return wire.Raw(append(text, '}'))
}

// objectType adds the type of arguments.
func objectType(s wire.Raw, input bool) wire.Raw {
	switch {
	case !input:
		return s
	case s == "true":
		return `{"type":"object","properties":{}}`
	}
	return edited(s, func(s *schema) bool {
		list, isList := s.array("type")
		if s.has("$ref") || s.has("type") && !(isList && slices.Contains(list, `"object"`)) {
			return false
		}
		s.drop("type")
		s.Members = slices.Insert(s.Members, 0, wire.Member{Name: "type", Value: `"object"`})
		if !s.has("properties") {
			s.Set("properties", "{}") // which hosts ask of an object
		}
		return true
	})
}

// tuples writes arrays in items as draft 2020-12 does, if nothing else of draft 07 is used.
func tuples(root wire.Raw, _ bool) wire.Raw {
	if strings.Contains(string(root), `"dependencies"`) || strings.Contains(string(root), `"$ref"`) {
		return root
	}
	found := false
	next := everySchema(func(s *schema) bool {
		rest, more := s.Get("additionalItems")
		s.drop("additionalItems")
		if _, isTuple := s.array("items"); !isTuple {
			return more
		}
		found = true
		s.rename("items", "prefixItems", s.get("items"))
		if more {
			i := slices.IndexFunc(s.Members, func(m wire.Member) bool { return m.Name == "prefixItems" })
			s.Members = slices.Insert(s.Members, i+1, wire.Member{Name: "items", Value: rest})
		}
		return true
	})(root, true)
	return edited(root, func(s *schema) bool {
		if !found || strings.Contains(s.dialect(), "draft-04") { // which differs in more
			return false
		}
		s.Members = wire.Object(next).Members()
		s.drop("$schema")
		return true
	})
}

// distinct removes repeated values of enum and required.
func distinct(s *schema) bool {
	changed := false
	for _, keyword := range []string{"enum", "required"} {
		list, isList := s.array(keyword)
		if kept := jsonschema.Distinct(list); isList && len(kept) < len(list) {
			s.Set(keyword, wire.ArrayOf(kept))
			changed = true
		}
	}
	return changed
}

// ineffective removes keywords that have no effect on the types of a schema.
func ineffective(s *schema) bool {
	types := typesOf(s)
	if types == nil {
		return false
	}
	var without []string
	for keyword := range s.All() {
		if t := effectOn(keyword); t != "" && !slices.Contains(types, t) && !(t == "number" && slices.Contains(types, "integer")) {
			without = append(without, keyword)
		}
	}
	return s.drop(without...)
}

// typesOf returns the values of type, or nil.
func typesOf(s *schema) []string {
	if name, ok := s.get("type").Str(); ok {
		return []string{name}
	}
	var all []string
	for _, element := range s.get("type").Elements() {
		all = append(all, textOf(element))
	}
	return all
}

// mergeRoot merges an allOf at the top level, or an anyOf or oneOf with one alternative, into the
// schema around it.
func mergeRoot(s *schema) bool {
	changed := false
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, isList := s.array(keyword)
		if !isList || keyword != "allOf" && len(list) != 1 {
			continue
		}
		merged := &schema{slices.Clone(s.Members)}
		merged.drop(keyword)
		if !slices.ContainsFunc(list, func(part wire.Raw) bool { return !merge(merged, part) }) {
			*s = *merged
			changed = true
		}
	}
	return changed
}

// merge adds the rules of a schema of objects to another. It returns false if a rule that both have
// cannot be expressed in one schema.
func merge(into *schema, part wire.Raw) bool {
	if part.Kind() != wire.KindObject || into.has("unevaluatedProperties", "additionalProperties", "patternProperties") {
		return false
	}
	for name, value := range wire.Object(part).All() {
		have, there := into.Get(name)
		switch {
		case name == "title" || name == "description" || name == "$comment":
			// describes one part of a whole that has its own description
		case !there && name != "additionalProperties" && name != "$ref":
			into.Set(name, value)
		case there && wire.Equal(have, value):
		case name == "required" && there:
			into.Set(name, wire.ArrayOf(jsonschema.Distinct(slices.Concat(have.Elements(), value.Elements()))))
		case name == "properties" && there && have.Kind() == wire.KindObject && value.Kind() == wire.KindObject:
			properties := wire.Object(have).Members()
			for name, property := range wire.Object(value).All() {
				if other, ok := properties.Get(name); ok && !wire.Equal(other, property) {
					return false
				}
				properties.Set(name, property)
			}
			into.Set(name, objectOf(properties))
		default:
			return false
		}
	}
	return true
}

// dialect removes $schema if the schema has the same meaning without it.
func dialect(s *schema) bool {
	d := s.dialect()
	if d == "" {
		return false
	}
	if strings.Contains(d, "draft-07") {
		for _, keyword := range []string{"$ref", "dependencies", "prefixItems", "unevaluatedItems", "unevaluatedProperties", "dependentRequired", "dependentSchemas", "minContains", "maxContains", "$dynamicRef"} {
			if strings.Contains(string(s.text()), `"`+keyword+`"`) {
				return false
			}
		}
	} else if !strings.Contains(d, "2020-12") {
		return false
	}
	return s.drop("$schema")
}

// constant writes const as an enum of one value.
func constant(s *schema) bool {
	if !s.has("const") || s.has("enum") {
		return false
	}
	s.rename("const", "enum", "["+s.get("const")+"]")
	return true
}

// openObject removes an additionalProperties that allows everything.
func openObject(s *schema) bool {
	return acceptsAll(s.get("additionalProperties")) && !s.has("unevaluatedProperties") && s.drop("additionalProperties")
}

// exclusive writes the exclusive bounds of integers as inclusive ones.
func exclusive(s *schema) bool {
	if !slices.Equal(typesOf(s), []string{"integer"}) {
		return false
	}
	changed := false
	for _, bound := range []struct {
		exclusive, inclusive string
		step                 int64
	}{{"exclusiveMinimum", "minimum", 1}, {"exclusiveMaximum", "maximum", -1}} {
		n, err := strconv.ParseInt(string(s.get(bound.exclusive)), 10, 64)
		if err != nil || s.has(bound.inclusive) || n == math.MaxInt64 || n == math.MinInt64 {
			continue
		}
		s.rename(bound.exclusive, bound.inclusive, wire.Raw(strconv.FormatInt(n+bound.step, 10)))
		changed = true
	}
	return changed
}

// disjoint writes oneOf as anyOf if no value satisfies two of the alternatives.
func disjoint(s *schema) bool {
	list, isList := s.array("oneOf")
	if !isList || s.has("anyOf") {
		return false
	}
	var branches []*jsonschema.Schema
	for _, element := range list {
		branch, _ := jsonschema.Read("", element) // references, which lead elsewhere, are left out
		branches = append(branches, branch)
	}
	if !jsonschema.Disjoint(branches) {
		return false
	}
	s.rename("oneOf", "anyOf", s.get("oneOf"))
	return true
}

// oneType writes a list of types as alternatives with one type each.
func oneType(s *schema) bool {
	types := typesOf(s)
	if len(types) == 0 || s.get("type").Kind() != wire.KindArray ||
		s.has("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$defs", "definitions", "$schema", "$id", "const") {
		return false
	}
	var alternatives []wire.Raw
	for _, t := range types {
		alternative := wire.Members{{Name: "type", Value: jsonschema.Text(t)}}
		for keyword, value := range s.All() {
			affected := effectOn(keyword)
			if affected == t || affected == "number" && t == "integer" || keyword == "format" && t != "null" && t != "boolean" {
				alternative.Set(keyword, value)
			}
		}
		if enum, ok := s.Get("enum"); ok {
			var kept []wire.Raw
			for _, value := range enum.Elements() {
				if jsonschema.IsOf(value, t) {
					kept = append(kept, value)
				}
			}
			if kept == nil {
				continue
			}
			alternative.Set("enum", wire.ArrayOf(kept))
		}
		alternatives = append(alternatives, objectOf(alternative))
	}
	if alternatives == nil {
		return false // no value of the enum has one of the types
	}
	s.rename("type", "anyOf", wire.ArrayOf(alternatives))
	s.Members = slices.DeleteFunc(s.Members, func(m wire.Member) bool { return effectOn(m.Name) != "" || m.Name == "enum" || m.Name == "format" })
	return true
}

// declare adds schemas for required properties that have none.
func declare(s *schema) bool {
	required, isList := s.array("required")
	properties, declared := s.Get("properties")
	if !isList || !declared || properties.Kind() != wire.KindObject || s.has("patternProperties", "unevaluatedProperties", "$ref") {
		return false
	}
	if more, ok := s.Get("additionalProperties"); ok && !acceptsAll(more) {
		return false
	}
	all, changed := wire.Object(properties).Members(), false
	for _, name := range required {
		if name, ok := name.Str(); ok {
			if _, declared := all.Get(name); !declared {
				all.Set(name, "{}")
				changed = true
			}
		}
	}
	s.Set("properties", objectOf(all))
	return changed
}

// anyItems adds items to arrays without them.
func anyItems(s *schema) bool {
	if !slices.Equal(typesOf(s), []string{"array"}) || s.has("items", "unevaluatedItems", "$ref") {
		return false
	}
	s.Set("items", "{}")
	return true
}

// mostInlined limits how much larger a schema becomes when its references are inlined, in bytes.
const mostInlined = 64 << 10

// inline writes the definitions of a schema in the places that refer to them. It does nothing if
// one refers to itself.
func inline(root wire.Raw, _ bool) wire.Raw {
	if root.Kind() != wire.KindObject || strings.Contains(string(root), `"$id"`) || strings.Contains(string(root), `"$anchor"`) ||
		strings.Contains(string(root), `"$dynamicRef"`) {
		return root
	}
	in := inliner{root: root, alone: strings.Contains(wire.Object(root).GetString("$schema"), "/draft-0")}
	inlined := in.schema(wire.Raw(wire.Object(root).Without("$defs", "definitions")), nil, true)
	if !in.changed || in.failed || len(inlined) > len(root)+mostInlined {
		return root
	}
	return inlined
}

// inliner is one run of inline.
type inliner struct {
	root wire.Raw
	// alone means that the draft ignores the keywords beside a reference.
	alone, changed, failed bool
}

// schema returns a schema without references. The path has the references that lead to it, and whole means that it is
// the root.
func (in *inliner) schema(s wire.Raw, path []string, whole bool) wire.Raw {
	for s.Kind() == wire.KindObject && !in.failed {
		value, isRef := wire.Object(s).Get("$ref")
		if !isRef {
			break
		}
		ref := textOf(value)
		target, _ := in.root.At(strings.TrimPrefix(ref, "#"))
		if !strings.HasPrefix(ref, "#/") || target.Kind() != wire.KindObject || slices.Contains(path, ref) || len(path) > 32 {
			in.failed = true
			break
		}
		path = append(path[:len(path):len(path)], ref)
		copied := &schema{wire.Object(target).Members()}
		for name, value := range wire.Object(s).All() {
			switch {
			case in.alone || name == "$ref":
			case name == "description" || name == "title" || name == "default" || name == "examples" || name == "deprecated":
				copied.Set(name, value)
			case whole && (name == "$defs" || name == "definitions" || name == "$schema"):
			case copied.has(name):
				in.failed = true
			default:
				copied.Set(name, value)
			}
		}
		s, in.changed = copied.text(), true
	}
	if in.failed {
		return s
	}
	return jsonschema.Within("", s, func(_ string, inner wire.Raw) wire.Raw { return in.schema(inner, path, false) })
}
