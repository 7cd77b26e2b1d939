package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file says by which keywords a schema refuses values. The values that break one are made in
// find_values.go, and changes.go and objects.go name the changes of one.

// keyword is a keyword that refuses values.
type keyword struct {
	name string
	// ways returns the ways in which a schema refuses a value by the keyword.
	ways func(s *jsonschema.Schema) []*branch
	// drop, unless it is nil, removes the keyword from a schema.
	drop func(s *jsonschema.Schema)
	// alike lists the keywords on which the meaning of this one depends: two schemas that write all of them alike mean
	// the same by it. The list is empty if the meaning also depends on other keywords.
	alike []string
	// shows, unless it is nil, reports whether the forms and the refused schemas of an alternative have the condition
	// of a branch. Only keywords with conditions on the whole value have it.
	shows func(a *Alt, b *branch) bool
	// of, unless it is 0, is the kind of alternatives whose keywords of this name are compared as one. named returns the
	// rule and the arguments of such a change. Without it, they follow from the sides that have the keyword.
	of    kind
	named func(old, new *Alt) (rule string, args []string)
	// names means that the keyword limits members whatever their names are.
	names bool
}

// breaks returns the ways of a keyword that only values of one kind break.
func breaks(k kind, has func(s *jsonschema.Schema) bool) func(s *jsonschema.Schema) []*branch {
	return func(s *jsonschema.Schema) []*branch {
		if !has(s) {
			return nil
		}
		return []*branch{{kinds: k, breaks: []breach{{}}}}
	}
}

// undecidable returns the way of a keyword that the finder cannot break.
func undecidable(has func(s *jsonschema.Schema) bool) func(s *jsonschema.Schema) []*branch {
	return func(s *jsonschema.Schema) []*branch {
		if !has(s) {
			return nil
		}
		return []*branch{{unknown: true}}
	}
}

// items returns the ways of a keyword with parts, of which each may be broken.
func items[T any](k kind, parts func(s *jsonschema.Schema) []T) func(s *jsonschema.Schema) []*branch {
	return func(s *jsonschema.Schema) []*branch {
		return branches(parts(s), func(i int, _ T) *branch { return &branch{kinds: k, breaks: []breach{{item: i}}} })
	}
}

// unevaluated returns the ways of a keyword for what the others do not evaluate.
func unevaluated(k kind, at func(s *jsonschema.Schema) **jsonschema.Schema) func(s *jsonschema.Schema) []*branch {
	return func(s *jsonschema.Schema) []*branch {
		list := breaks(k, func(s *jsonschema.Schema) bool { return limits(*at(s)) })(s)
		if list != nil && !unconditional(s) {
			list[0].rest = s.Clone()
			*at(list[0].rest) = nil
		}
		return list
	}
}

func branches[T any](list []T, of func(i int, one T) *branch) (all []*branch) {
	for i, one := range list {
		all = append(all, of(i, one))
	}
	return all
}

// opened removes the keywords for other members, which belong together.
func opened(s *jsonschema.Schema) { s.AdditionalProperties, s.UnevaluatedProperties = nil, nil }

func hidden(*Alt, *branch) bool { return false }

// inside reports whether the unevaluated members or elements of an alternative are clear.
func inside(a *Alt, b *branch) bool {
	_, clear := a.applied(b.of)
	return clear
}

var keywords = []keyword{
	{name: "type", drop: func(s *jsonschema.Schema) { s.Types = nil }, ways: func(s *jsonschema.Schema) (list []*branch) {
		allowed, whole := kindsOf([]*jsonschema.Schema{s})
		if allowed != kindAny {
			list = append(list, &branch{kinds: kindAny &^ allowed})
		}
		if whole && allowed&kindNumber != 0 {
			list = append(list, &branch{kinds: kindNumber, fraction: true})
		}
		return list
	}},
	{name: "enum", drop: func(s *jsonschema.Schema) { s.Enum, s.Const = nil, "" }, ways: breaks(0, func(s *jsonschema.Schema) bool { return s.Enum != nil || s.Const != "" })},
	{name: "allOf", ways: func(s *jsonschema.Schema) []*branch {
		return branches(without(append([]*jsonschema.Schema{s.Target}, s.AllOf...)...), func(_ int, one *jsonschema.Schema) *branch { return &branch{refuse: []*jsonschema.Schema{one}} })
	}},
	{name: "not", alike: []string{"not"}, drop: func(s *jsonschema.Schema) { s.Not = nil }, ways: func(s *jsonschema.Schema) []*branch {
		return branches(without(s.Not), func(_ int, not *jsonschema.Schema) *branch { return &branch{accept: []*jsonschema.Schema{not}} })
	}, shows: func(_ *Alt, b *branch) bool { return negated(b.of.Not) != nil }},
	{name: "if", alike: []string{"if", "then", "else"}, drop: func(s *jsonschema.Schema) { s.If = nil }, ways: func(s *jsonschema.Schema) (list []*branch) {
		if s.Then != nil && s.If != nil {
			list = append(list, &branch{accept: []*jsonschema.Schema{s.If}, refuse: []*jsonschema.Schema{s.Then}})
		}
		if s.Else != nil && s.If != nil {
			list = append(list, &branch{refuse: []*jsonschema.Schema{s.If, s.Else}})
		}
		return list
	}, shows: func(_ *Alt, b *branch) bool { return always(b.of.If) || never(b.of.If) }},
	{name: "properties", ways: items(kindObject, func(s *jsonschema.Schema) []jsonschema.Property { return s.Properties })},
	{name: "required", ways: func(s *jsonschema.Schema) []*branch {
		return branches(s.Required, func(_ int, name string) *branch { return &branch{kinds: kindObject, absent: name} })
	}},
	{name: "patternProperties", ways: items(kindObject, func(s *jsonschema.Schema) []jsonschema.Property { return s.PatternProperties })},
	{name: "dependentRequired", names: true, drop: func(s *jsonschema.Schema) { s.DependentRequired = nil }, ways: func(s *jsonschema.Schema) (list []*branch) {
		for _, d := range s.DependentRequired {
			list = append(list, branches(d.Required, func(_ int, name string) *branch { return &branch{kinds: kindObject, present: d.Name, absent: name} })...)
		}
		return list
	}},
	{name: "dependentSchemas", alike: []string{"dependentSchemas"}, drop: func(s *jsonschema.Schema) { s.DependentSchemas = nil }, ways: func(s *jsonschema.Schema) []*branch {
		return branches(s.DependentSchemas, func(_ int, d jsonschema.Property) *branch {
			return &branch{kinds: kindObject, present: d.Name, refuse: []*jsonschema.Schema{d.Schema}}
		})
	}, shows: hidden},
	{name: "prefixItems", ways: items(kindArray, func(s *jsonschema.Schema) []*jsonschema.Schema { return s.PrefixItems })},
	{name: "minimum", drop: func(s *jsonschema.Schema) { s.Minimum, s.ExclusiveMinimum = "", "" }, ways: breaks(kindNumber, func(s *jsonschema.Schema) bool { return s.Minimum != "" || s.ExclusiveMinimum != "" })},
	{name: "maximum", drop: func(s *jsonschema.Schema) { s.Maximum, s.ExclusiveMaximum = "", "" }, ways: breaks(kindNumber, func(s *jsonschema.Schema) bool { return s.Maximum != "" || s.ExclusiveMaximum != "" })},
	{name: "multipleOf", of: kindNumber, named: stepRule, alike: []string{"multipleOf"}, drop: func(s *jsonschema.Schema) { s.MultipleOf = "" }, ways: breaks(kindNumber, func(s *jsonschema.Schema) bool { return s.MultipleOf != "" })},
	{name: "minLength", drop: func(s *jsonschema.Schema) { s.MinLength = nil }, ways: breaks(kindString, func(s *jsonschema.Schema) bool { return s.MinLength != nil })},
	{name: "maxLength", drop: func(s *jsonschema.Schema) { s.MaxLength = nil }, ways: breaks(kindString, func(s *jsonschema.Schema) bool { return s.MaxLength != nil })},
	{name: "pattern", of: kindString, alike: []string{"pattern"}, drop: func(s *jsonschema.Schema) { s.Pattern = nil }, ways: breaks(kindString, func(s *jsonschema.Schema) bool { return s.Pattern != nil })},
	{name: "format", of: kindString, named: formatRule, alike: []string{"format"}, drop: func(s *jsonschema.Schema) { s.Format = "" }, ways: breaks(kindString, func(s *jsonschema.Schema) bool { return isFormat(s.Format) })},
	{name: "minItems", drop: func(s *jsonschema.Schema) { s.MinItems = nil }, ways: breaks(kindArray, func(s *jsonschema.Schema) bool { return s.MinItems != nil })},
	{name: "maxItems", drop: func(s *jsonschema.Schema) { s.MaxItems = nil }, ways: breaks(kindArray, func(s *jsonschema.Schema) bool { return s.MaxItems != nil })},
	{name: "uniqueItems", of: kindArray, named: uniqueRule, drop: func(s *jsonschema.Schema) { s.UniqueItems = false }, ways: breaks(kindArray, func(s *jsonschema.Schema) bool { return s.UniqueItems })},
	{name: "items", ways: breaks(kindArray, func(s *jsonschema.Schema) bool { return limits(s.Items) })},
	{name: "contains", of: kindArray, alike: []string{"contains", "minContains", "maxContains"}, drop: func(s *jsonschema.Schema) { s.Contains = nil }, ways: func(s *jsonschema.Schema) (list []*branch) {
		if s.Contains != nil && fewest(s) > 0 {
			list = append(list, &branch{kinds: kindArray, breaks: []breach{{}}})
		}
		if s.Contains != nil && s.MaxContains != nil {
			list = append(list, &branch{kinds: kindArray, breaks: []breach{{item: tooMany}}})
		}
		return list
	}},
	{name: "unevaluatedItems", drop: func(s *jsonschema.Schema) { s.UnevaluatedItems = nil }, ways: unevaluated(kindArray, func(s *jsonschema.Schema) **jsonschema.Schema { return &s.UnevaluatedItems }), shows: inside},
	{name: "additionalProperties", names: true, drop: opened, ways: breaks(kindObject, func(s *jsonschema.Schema) bool { return limits(s.AdditionalProperties) })},
	{name: "unevaluatedProperties", names: true, drop: opened, ways: unevaluated(kindObject, func(s *jsonschema.Schema) **jsonschema.Schema { return &s.UnevaluatedProperties }), shows: inside},
	{name: "propertyNames", of: kindObject, names: true, alike: []string{"propertyNames"}, drop: func(s *jsonschema.Schema) { s.PropertyNames = nil }, ways: breaks(kindObject, func(s *jsonschema.Schema) bool { return limits(s.PropertyNames) })},
	{name: "minProperties", drop: func(s *jsonschema.Schema) { s.MinProperties = nil }, ways: breaks(kindObject, func(s *jsonschema.Schema) bool { return s.MinProperties != nil })},
	{name: "maxProperties", names: true, drop: func(s *jsonschema.Schema) { s.MaxProperties = nil }, ways: breaks(kindObject, func(s *jsonschema.Schema) bool { return s.MaxProperties != nil })},
	{name: "anyOf", ways: func(s *jsonschema.Schema) []*branch {
		if s.AnyOf == nil {
			return nil
		}
		return []*branch{{refuse: s.AnyOf}}
	}},
	{name: "oneOf", ways: func(s *jsonschema.Schema) (list []*branch) {
		if s.OneOf != nil {
			list = append(list, &branch{refuse: s.OneOf})
		}
		for i, x := range s.OneOf {
			list = append(list, branches(s.OneOf[:i], func(_ int, y *jsonschema.Schema) *branch { return &branch{accept: []*jsonschema.Schema{x, y}} })...)
		}
		return list
	}, shows: func(*Alt, *branch) bool { return true }},
	{name: "$dynamicRef", alike: []string{"$dynamicRef"}, ways: undecidable(func(s *jsonschema.Schema) bool { return s.DynamicRef != "" }), shows: hidden},
	{name: "$ref", alike: []string{"$ref"}, ways: undecidable(func(s *jsonschema.Schema) bool { return s.Meta }), shows: hidden},
}

// keywordOf returns the keyword with a name, or one without fields.
func keywordOf(name string) (found keyword) {
	for _, k := range keywords {
		if k.name == name {
			found = k
		}
	}
	return found
}

// limits reports whether a schema that may be absent refuses a value.
func limits(s *jsonschema.Schema) bool { return s != nil && !always(s) }

// waysToRefuse returns the ways in which a schema refuses a value. Those of a keyword whose members have names are in
// the order of these, because the first value that is found may name a change.
func waysToRefuse(s *jsonschema.Schema) (list []*branch) {
	for _, k := range keywords {
		ways := k.ways(s)
		for _, b := range ways {
			b.of, b.keyword = s, k.name
			for i := range b.breaks {
				b.breaks[i].of, b.breaks[i].keyword = s, k.name
			}
		}
		slices.SortStableFunc(ways, func(x, y *branch) int { return strings.Compare(x.member(), y.member()) })
		list = append(list, ways...)
	}
	return list
}

// member returns the name of the member of a keyword that the branch is about, or "".
func (b *branch) member() string {
	switch b.keyword {
	case "properties":
		return b.of.Properties[b.breaks[0].item].Name
	case "patternProperties":
		return b.of.PatternProperties[b.breaks[0].item].Name
	}
	return b.present
}

// sameText reports whether two texts are the same schema, which must not have references.
func (e *engine) sameText(x, y wire.Raw) bool {
	if x == "" || y == "" {
		return x == y
	}
	text := e.text(x)
	return text != "" && text == e.text(y)
}

// text returns a digest that all texts of the same schema have, or "" if it has references.
func (e *engine) text(raw wire.Raw) string {
	return cached(e.texts, raw, func() string {
		if strings.Contains(string(raw), `"$ref"`) || strings.Contains(string(raw), `"$dynamicRef"`) {
			return ""
		}
		sum, _ := raw.Sum()
		return string(sum[:])
	})
}

// bareOf returns a plain schema without the keyword that a branch breaks.
func bareOf(s *jsonschema.Schema, b *branch) *jsonschema.Schema {
	bare := plain(s)
	if b.absent != "" {
		bare.Required = slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool { return name == b.absent })
	}
	if drop := keywordOf(b.keyword).drop; drop != nil {
		drop(bare)
	}
	return bare
}

// breachOf returns a branch of values of a kind that break a keyword with a limit, of a schema that no document has.
func breachOf(k kind, keyword string, at limit) *branch {
	written := keyword
	switch {
	case at.open && at.upper:
		written = "exclusiveMaximum"
	case at.open:
		written = "exclusiveMinimum"
	}
	s, _ := jsonschema.Read("", wire.Raw(fmt.Sprintf(`{%q:%s}`, written, decimal(at.at))))
	return &branch{keyword: keyword, kinds: k, breaks: []breach{{s, keyword, 0}}}
}

// breaking returns the branches in which an alternative refuses values of its kind by some keywords.
func (e *engine) breaking(a *Alt, keywords ...string) (list []*branch) {
	for _, s := range a.all {
		for _, b := range e.refusing(s) {
			if slices.Contains(keywords, b.keyword) && b.allowed()&a.kinds != 0 {
				list = append(list, b)
			}
		}
	}
	return list
}

// matchOf returns the schema of the strings that match a pattern.
func (e *engine) matchOf(pattern string) *jsonschema.Schema {
	return cached(e.patterns, pattern, func() *jsonschema.Schema {
		text, _ := wire.AppendString([]byte(`{"type":"string","pattern":`), pattern) // it was read, so it is UTF-8
		s, _ := jsonschema.Read("", wire.Raw(append(text, '}')))
		return s
	})
}
