package jsonschema

import (
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// parser reads the keywords of one schema.
type parser struct {
	*reader
	at      string
	draft   Draft
	members map[string]wire.Raw
	s       *Schema
	res     *resource
}

func (p *parser) fail(keyword, format string, args ...any) {
	p.reader.fail(wire.ChildPointer(p.at, keyword), format, args...)
}

func (p *parser) keywords() {
	s := p.s
	p.annotations()
	p.definitions()
	p.kinds()

	s.AllOf, s.AnyOf, s.OneOf = p.schemas("allOf"), p.schemas("anyOf"), p.schemas("oneOf")
	s.Not, s.If, s.Then, s.Else = p.sub("not"), p.sub("if"), p.sub("then"), p.sub("else")

	s.Minimum, s.Maximum = p.number("minimum"), p.number("maximum")
	s.ExclusiveMinimum, s.ExclusiveMaximum = p.exclusive("exclusiveMinimum", &s.Minimum), p.exclusive("exclusiveMaximum", &s.Maximum)
	if s.MultipleOf = p.number("multipleOf"); s.MultipleOf != "" && !IsPositive(s.MultipleOf) {
		p.fail("multipleOf", "must be greater than 0")
	}

	s.MinLength, s.MaxLength = p.count("minLength"), p.count("maxLength")
	if pattern, ok := p.string("pattern"); ok {
		s.Pattern = &pattern
	}
	s.Format, _ = p.string("format")

	p.arrays()
	p.objects()
}

func (p *parser) annotations() {
	s := p.s
	s.Title, _ = p.string("title")
	s.Description, _ = p.string("description")
	s.Default = p.members["default"]
	if examples := p.members["examples"]; examples.Kind() == wire.KindArray {
		s.Examples = examples.Elements()
	}
	s.Deprecated = p.members["deprecated"] == "true"
	s.ContentEncoding, _ = p.members["contentEncoding"].Str()
	s.GoName, _ = p.string(GoName)
	s.GoBigInteger = p.members[GoBigInteger] == "true"
}

func (p *parser) definitions() {
	p.s.Defs = append(p.properties("$defs"), p.properties("definitions")...)
}

func (p *parser) kinds() {
	s := p.s
	if raw, ok := p.members["type"]; ok {
		names := []wire.Raw{raw}
		if raw.Kind() == wire.KindArray {
			names = raw.Elements()
		}
		for _, name := range names {
			if t, ok := name.Str(); ok && KindsOfType(t) != 0 {
				s.Types = append(s.Types, t)
			} else {
				p.fail("type", "%s is not a type of JSON Schema", name)
			}
		}
	}
	if raw, ok := p.members["enum"]; ok {
		if raw.Kind() != wire.KindArray {
			p.fail("enum", "must be an array, found %s", raw.Kind())
		} else {
			s.Enum = append([]wire.Raw{}, raw.Elements()...)
		}
	}
	s.Const = p.members["const"]
}

func (p *parser) arrays() {
	s := p.s
	tuple := p.members["items"].Kind() == wire.KindArray
	switch {
	case tuple && p.draft == Draft202012:
		p.older(Draft7)
		p.fail("items", "must be a schema in draft 2020-12, which has prefixItems for the schemas of the first elements; found an array, which only older drafts allow")
	case tuple:
		s.PrefixItems, s.Items = p.schemas("items"), p.sub("additionalItems")
	default:
		s.PrefixItems, s.Items = p.schemas("prefixItems"), p.sub("items")
	}
	s.Contains = p.sub("contains")
	s.MinContains, s.MaxContains = p.count("minContains"), p.count("maxContains")
	s.UnevaluatedItems, s.UnevaluatedProperties = p.sub("unevaluatedItems"), p.sub("unevaluatedProperties")
	if ref, ok := p.string(p.draft.dynamicRef()); ok {
		s.DynamicRef = ref
		p.res.doc.dynamic = append(p.res.doc.dynamic, s)
	}
	s.MinItems, s.MaxItems = p.count("minItems"), p.count("maxItems")
	s.UniqueItems = p.members["uniqueItems"] == "true"
}

func (p *parser) objects() {
	s := p.s
	s.Properties, s.PatternProperties = p.properties("properties"), p.properties("patternProperties")
	if len(s.Properties) > fewProperties {
		s.byName = map[string]*Schema{}
		for _, p := range s.Properties {
			s.byName[p.Name] = p.Schema
		}
	}
	s.AdditionalProperties, s.PropertyNames = p.sub("additionalProperties"), p.sub("propertyNames")
	if raw, ok := p.members["required"]; ok {
		s.Required = p.strings(wire.ChildPointer(p.at, "required"), raw)
	}
	s.MinProperties, s.MaxProperties = p.count("minProperties"), p.count("maxProperties")
	s.DependentSchemas = p.properties("dependentSchemas")
	p.each("dependentRequired", func(name, at string, raw wire.Raw) {
		s.DependentRequired = append(s.DependentRequired, Dependency{name, p.strings(at, raw)})
	})
	p.each("dependencies", func(name, at string, raw wire.Raw) {
		if raw.Kind() == wire.KindArray {
			s.DependentRequired = append(s.DependentRequired, Dependency{name, p.strings(at, raw)})
		} else {
			s.DependentSchemas = append(s.DependentSchemas, Property{name, p.schema(at, raw, p.res, p.draft)})
		}
	})
}

// each calls f with each member of a keyword whose value is an object.
func (p *parser) each(keyword string, f func(name, at string, raw wire.Raw)) {
	raw, ok := p.members[keyword]
	if !ok {
		return
	}
	if raw.Kind() != wire.KindObject {
		p.fail(keyword, "must be an object, found %s", raw.Kind())
		return
	}
	for name, value := range wire.Object(raw).All() {
		f(name, wire.ChildPointer(wire.ChildPointer(p.at, keyword), name), value)
	}
}

func (p *parser) properties(keyword string) []Property {
	var all []Property
	p.each(keyword, func(name, at string, raw wire.Raw) {
		all = append(all, Property{name, p.schema(at, raw, p.res, p.draft)})
	})
	return all
}

func (p *parser) sub(keyword string) *Schema {
	raw, ok := p.members[keyword]
	if !ok {
		return nil
	}
	return p.schema(wire.ChildPointer(p.at, keyword), raw, p.res, p.draft)
}

func (p *parser) schemas(keyword string) []*Schema {
	raw, ok := p.members[keyword]
	if !ok {
		return nil
	}
	if raw.Kind() != wire.KindArray {
		p.fail(keyword, "must be an array of schemas, found %s", raw.Kind())
		return nil
	}
	var all []*Schema
	for i, element := range raw.Elements() {
		all = append(all, p.schema(wire.ChildPointer(p.at, keyword)+"/"+strconv.Itoa(i), element, p.res, p.draft))
	}
	return all
}

func (p *parser) strings(at string, raw wire.Raw) []string {
	if raw.Kind() != wire.KindArray {
		p.reader.fail(at, "must be an array of strings, found %s", raw.Kind())
		return nil
	}
	var all []string
	for i, element := range raw.Elements() {
		s, ok := element.Str()
		if !ok {
			p.reader.fail(at+"/"+strconv.Itoa(i), "must be a string, found %s", element.Kind())
		}
		all = append(all, s)
	}
	return all
}

func (p *parser) string(keyword string) (string, bool) {
	raw, ok := p.members[keyword]
	if !ok {
		return "", false
	}
	s, ok := raw.Str()
	if !ok {
		p.fail(keyword, "must be a string, found %s", raw.Kind())
	}
	return s, ok
}

func (p *parser) number(keyword string) wire.Raw {
	raw, ok := p.members[keyword]
	if ok && raw.Kind() != wire.KindNumber {
		p.fail(keyword, "must be a number, found %s", raw.Kind())
		return ""
	}
	return raw
}

// exclusive reads a limit that is exclusive. In draft 04 the keyword is a boolean, which says
// whether another limit is exclusive.
func (p *parser) exclusive(keyword string, limit *wire.Raw) wire.Raw {
	raw := p.members[keyword]
	if raw.Kind() != wire.KindBool {
		return p.number(keyword)
	}
	if p.draft != Draft4 {
		p.older(Draft4)
		p.fail(keyword, "must be a number, found %s, which only draft 04 allows", raw.Kind())
		return ""
	}
	if raw == "false" {
		return ""
	}
	raw, *limit = *limit, ""
	return raw
}

// older records that a schema uses a feature of an older draft that its own draft does not have.
func (p *parser) older(draft Draft) {
	if p.res.doc.older != Draft4 {
		p.res.doc.older = draft
	}
}

// count reads a keyword whose value is an integer of at least 0. In JSON Schema, 2.0 is an
// integer.
func (p *parser) count(keyword string) *int64 {
	raw := p.number(keyword)
	if raw == "" {
		return nil
	}
	n, ok := raw.Count()
	if !ok {
		p.fail(keyword, "must be an integer of at least 0, found %s", raw)
		return nil
	}
	return &n
}
