package diff

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// keyword is a keyword that refuses values. Its row holds everything that the comparison knows about it.
type keyword struct {
	name string
	// kind is the JSON type of the values that the keyword refuses; 0 means any type.
	kind kind
	// ways returns the ways in which a value can break the keyword of a schema. Unless a way names other types, the value
	// has the type of the keyword.
	ways func(s *jsonschema.Schema) []*branch
	// inside, unless it is nil, adds to a form what the keyword of a schema demands of the values that the schema accepts.
	inside func(f *form, s *jsonschema.Schema)
	// outside, unless it is nil, adds to a target what a value needs to break the keyword of a schema. If the keyword is
	// a list, the value breaks the part at an index.
	outside func(t *target, s *jsonschema.Schema, item int)
	// drop, unless it is nil, removes the keyword from a schema.
	drop func(s *jsonschema.Schema)
	// alike lists the keywords on which the meaning of this one depends: two schemas that write all of them alike mean
	// the same by it. The list is empty if the meaning also depends on other keywords.
	alike []string
	// shows, unless it is nil, reports whether the forms and the refused schemas of an alternative have the condition
	// of a branch. Only keywords with conditions on the whole value have it.
	shows func(a *Alt, b *branch) bool
	// whole means that the keywords of this name of two alternatives are compared as one. named returns the rule and the
	// arguments of such a change. Without it, they follow from the sides that have the keyword.
	whole bool
	named func(old, new *Alt) (rule string, args []string)
	// names means that the keyword limits members whatever their names are.
	names bool
	// limit has the rules for a keyword that sets a limit.
	limit *limitRules
}

// form is what the keywords of several schemas together demand of the values of one JSON type.
type form struct {
	kind kind
	// span is the range of the numbers, of the lengths of strings and arrays, or of the numbers of members of objects.
	span
	// step divides every number. nil means no restriction, 1 means integers.
	step *big.Rat
	// formats and patterns are sorted. A string must satisfy all of them.
	formats, patterns []string
	// prefix is the number of elements with a schema for their index.
	prefix int
	unique bool
	counts []count
	// required and dependent name the members that objects must have. All names satisfy the schemas in naming.
	required  []string
	dependent []jsonschema.Dependency
	naming    []*jsonschema.Schema
}

// count is the number of elements that satisfy a schema.
type count struct {
	span
	of *jsonschema.Schema
}

// contained returns how many elements satisfy contains of a schema.
func contained(s *jsonschema.Schema) span {
	least := int64(1)
	if s.MinContains != nil {
		least = *s.MinContains
	}
	return jsonschema.Counts(&least, s.MaxContains)
}

// fill sets the form to that of the values of a kind.
func (f *form) fill(all []*jsonschema.Schema, k kind) {
	f.kind = k
	for i := range keywords {
		if row := &keywords[i]; row.inside != nil && (row.kind == 0 || row.kind == k) {
			for _, s := range all {
				row.inside(f, s)
			}
		}
	}
	f.Low, f.High = f.Low.Onto(f.step), f.High.Onto(f.step)
	for _, list := range []*[]string{&f.formats, &f.patterns} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

// integers reports whether numbers must be integers.
func (f *form) integers() bool { return f.step != nil && f.step.IsInt() }

// target describes the values that a search tries to make: they satisfy the form and break some keywords.
type target struct {
	*finder
	way *way
	form
	// A number is a multiple of none of these.
	indivisible []*big.Rat
	// Strings have none of the formats and match none of the patterns.
	unformatted, unmatched []string
	// unlisted holds the values of the broken enums, which are not allowed.
	unlisted []any
	// equal means that two elements must be equal. miscounts are the counts of elements that break contains.
	equal     bool
	miscounts []count
	// Each schema of misnamed must refuse the name of some member. places maps names of members to the schemas that must
	// refuse their values. wants are the other elements and members that a value must have.
	misnamed []*jsonschema.Schema
	places   map[string][]*jsonschema.Schema
	wants    []want
	// impossible means that there is no such value. unsure means that a failed attempt to make one proves nothing.
	impossible, unsure bool
}

// want is an element or a member that a value must have.
type want struct {
	// from is the first index that an element may have. only means that it may have no other index.
	from int
	only bool
	// names reports whether a member may have a name. declared means that a sender declares it.
	names    func(name string) bool
	declared bool
	// The schemas of accept must accept the value, and those of refuse must refuse it.
	accept, refuse []*jsonschema.Schema
}

// order returns the key by which elements are sorted, so that those that fit in fewer places come first.
func (w want) order() int {
	if w.only {
		return -1
	}
	return w.from
}

// target returns the target of a search for a value of a JSON type that breaks keywords in the given way.
func (f *finder) target(w *way, k kind) *target {
	t := &target{finder: f, way: w, places: map[string][]*jsonschema.Schema{}}
	t.form.fill(w.all, k)
	t.span = t.And(w.between)
	for _, b := range w.breaks {
		t.prefix = max(t.prefix, len(b.of.PrefixItems))
		keywordOf(b.keyword).outside(t, b.of, b.item)
	}
	return t
}

// limitRules holds the names and texts of the rules for a limit of numbers, lengths or sizes.
type limitRules struct {
	upper bool
	// narrows is the rule for a limit that allows less than before, and widens the rule for one that allows more. Both
	// messages begin with says.
	narrows, widens, says, harm string
}

// of returns the limit of an alternative.
func (l *limitRules) of(a *Alt) limit {
	if l.upper {
		return a.High
	}
	return a.Low
}

// limiting returns the row of a keyword that limits numbers. The function at returns pointers to the texts of the
// inclusive and the exclusive limit in a schema.
func limiting(name string, l limitRules, at func(s *jsonschema.Schema) (at, beyond *wire.Raw)) keyword {
	return limited(name, kindNumber, l, func(s *jsonschema.Schema) (limit, bool) {
		including, excluding := at(s)
		end := limit{At: jsonschema.Rational(string(*including)), Upper: l.upper}
		return end.Tighter(limit{At: jsonschema.Rational(string(*excluding)), Open: true, Upper: l.upper}), *including != "" || *excluding != ""
	}, func(s *jsonschema.Schema) {
		including, excluding := at(s)
		*including, *excluding = "", ""
	})
}

// counting returns the row of a keyword that limits lengths or sizes. The function at returns a pointer to the limit in
// a schema.
func counting(name string, k kind, l limitRules, at func(s *jsonschema.Schema) **int64) keyword {
	return limited(name, k, l, func(s *jsonschema.Schema) (limit, bool) {
		n := *at(s)
		if n == nil {
			return limit{}, false
		}
		return limit{At: big.NewRat(*n, 1), Upper: l.upper}, true
	}, func(s *jsonschema.Schema) { *at(s) = nil })
}

// limited returns the row of a keyword that sets a limit. The function end returns the limit in a schema, and whether
// the schema has the keyword.
func limited(name string, k kind, l limitRules, end func(s *jsonschema.Schema) (at limit, has bool), drop func(s *jsonschema.Schema)) keyword {
	return keyword{
		name: name, kind: k, limit: &l, drop: drop,
		names: k == kindObject && l.upper, // the members that are too many may have any names
		ways: func(s *jsonschema.Schema) []*branch {
			at, has := end(s)
			if !has {
				return nil
			}
			return []*branch{{between: at.Beyond()}}
		},
		inside: func(f *form, s *jsonschema.Schema) {
			if at, has := end(s); has && (at.Upper || k == kindNumber || at.At.Sign() > 0) { // no value has a length below 0
				f.span = f.And(at.Within())
			}
		},
	}
}

// breaks returns a function for keyword.ways. The keyword can be broken in one way if a schema has it.
func breaks(has func(s *jsonschema.Schema) bool) func(s *jsonschema.Schema) []*branch {
	return func(s *jsonschema.Schema) []*branch {
		if !has(s) {
			return nil
		}
		return []*branch{{breaks: []breach{{}}}}
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
func items[T any](parts func(s *jsonschema.Schema) []T) func(s *jsonschema.Schema) []*branch {
	return func(s *jsonschema.Schema) []*branch {
		return branches(parts(s), func(i int, _ T) *branch { return &branch{breaks: []breach{{item: i}}} })
	}
}

// unevaluated returns the ways of a keyword for what the others do not evaluate.
func unevaluated(at func(s *jsonschema.Schema) **jsonschema.Schema) func(s *jsonschema.Schema) []*branch {
	return func(s *jsonschema.Schema) []*branch {
		list := breaks(func(s *jsonschema.Schema) bool { return limits(*at(s)) })(s)
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

// decided reports whether it is clear which members or elements of an alternative are unevaluated.
func decided(a *Alt, b *branch) bool {
	_, clear := a.applied(b.of)
	return clear
}

// keywords has the keywords in the order in which a search tries to break them.
var keywords = []keyword{
	{name: "type", drop: func(s *jsonschema.Schema) { s.Types = nil },
		ways: func(s *jsonschema.Schema) (list []*branch) {
			allowed, whole := kindsOf([]*jsonschema.Schema{s})
			if allowed != kindAny {
				list = append(list, &branch{kinds: kindAny &^ allowed})
			}
			if whole && allowed&kindNumber != 0 {
				list = append(list, &branch{kinds: kindNumber, breaks: []breach{{}}})
			}
			return list
		},
		inside: func(f *form, s *jsonschema.Schema) {
			if _, whole := kindsOf([]*jsonschema.Schema{s}); whole && f.kind == kindNumber {
				f.step = jsonschema.Common(f.step, big.NewRat(1, 1))
			}
		},
		outside: func(t *target, _ *jsonschema.Schema, _ int) { t.indivisible = append(t.indivisible, big.NewRat(1, 1)) }},
	{name: "enum", drop: func(s *jsonschema.Schema) { s.Enum, s.Const = nil, "" },
		ways:    breaks(func(s *jsonschema.Schema) bool { return s.Enum != nil || s.Const != "" }),
		outside: func(t *target, s *jsonschema.Schema, _ int) { t.unlisted = append(t.unlisted, listedBy(s)...) }},
	{name: "allOf",
		ways: func(s *jsonschema.Schema) []*branch {
			return branches(without(append([]*jsonschema.Schema{s.Target}, s.AllOf...)...), func(_ int, one *jsonschema.Schema) *branch { return &branch{refuse: []*jsonschema.Schema{one}} })
		}},
	{name: "not", alike: []string{"not"}, drop: func(s *jsonschema.Schema) { s.Not = nil },
		ways: func(s *jsonschema.Schema) []*branch {
			return branches(without(s.Not), func(_ int, not *jsonschema.Schema) *branch { return &branch{accept: []*jsonschema.Schema{not}} })
		},
		shows: func(_ *Alt, b *branch) bool { return negated(b.of.Not) != nil }},
	{name: "if", alike: []string{"if", "then", "else"}, drop: func(s *jsonschema.Schema) { s.If = nil },
		ways: func(s *jsonschema.Schema) (list []*branch) {
			if s.Then != nil && s.If != nil {
				list = append(list, &branch{accept: []*jsonschema.Schema{s.If}, refuse: []*jsonschema.Schema{s.Then}})
			}
			if s.Else != nil && s.If != nil {
				list = append(list, &branch{refuse: []*jsonschema.Schema{s.If, s.Else}})
			}
			return list
		},
		shows: func(_ *Alt, b *branch) bool { return always(b.of.If) || never(b.of.If) }},
	{name: "properties", kind: kindObject,
		ways: items(func(s *jsonschema.Schema) []jsonschema.Property { return s.Properties }),
		outside: func(t *target, s *jsonschema.Schema, item int) {
			p := s.Properties[item]
			t.places[p.Name] = append(t.places[p.Name], p.Schema)
		}},
	{name: "required", kind: kindObject,
		ways: func(s *jsonschema.Schema) []*branch {
			return branches(s.Required, func(_ int, name string) *branch { return &branch{absent: name} })
		},
		inside: func(f *form, s *jsonschema.Schema) { f.required = append(f.required, s.Required...) }},
	{name: "patternProperties", kind: kindObject,
		ways: items(func(s *jsonschema.Schema) []jsonschema.Property { return s.PatternProperties }),
		outside: func(t *target, s *jsonschema.Schema, item int) {
			p := s.PatternProperties[item]
			t.wants = append(t.wants, want{names: func(name string) bool { return jsonschema.Matches(p.Name, name) }, refuse: []*jsonschema.Schema{p.Schema}, declared: true})
		}},
	{name: "dependentRequired", kind: kindObject, names: true, drop: func(s *jsonschema.Schema) { s.DependentRequired = nil },
		ways: func(s *jsonschema.Schema) (list []*branch) {
			for _, d := range s.DependentRequired {
				list = append(list, branches(d.Required, func(_ int, name string) *branch { return &branch{present: d.Name, absent: name} })...)
			}
			return list
		},
		inside: func(f *form, s *jsonschema.Schema) { f.dependent = append(f.dependent, s.DependentRequired...) }},
	{name: "dependentSchemas", kind: kindObject, alike: []string{"dependentSchemas"}, drop: func(s *jsonschema.Schema) { s.DependentSchemas = nil },
		ways: func(s *jsonschema.Schema) []*branch {
			return branches(s.DependentSchemas, func(_ int, d jsonschema.Property) *branch {
				return &branch{present: d.Name, refuse: []*jsonschema.Schema{d.Schema}}
			})
		},
		shows: hidden},
	{name: "prefixItems", kind: kindArray,
		ways:   items(func(s *jsonschema.Schema) []*jsonschema.Schema { return s.PrefixItems }),
		inside: func(f *form, s *jsonschema.Schema) { f.prefix = max(f.prefix, len(s.PrefixItems)) },
		outside: func(t *target, s *jsonschema.Schema, item int) {
			t.wants = append(t.wants, want{from: item, only: true, refuse: []*jsonschema.Schema{s.PrefixItems[item]}})
		}},
	limiting("minimum", limitRules{false, "minimum-raised", "minimum-lowered", "minimum", "{sender} may send a number less than {receiver} accepts (minimum {expected})."},
		func(s *jsonschema.Schema) (at, beyond *wire.Raw) { return &s.Minimum, &s.ExclusiveMinimum }),
	limiting("maximum", limitRules{true, "maximum-lowered", "maximum-raised", "maximum", "{sender} may send a number greater than {receiver} accepts (maximum {expected})."},
		func(s *jsonschema.Schema) (at, beyond *wire.Raw) { return &s.Maximum, &s.ExclusiveMaximum }),
	{name: "multipleOf", kind: kindNumber, whole: true, named: stepRule, alike: []string{"multipleOf"}, drop: func(s *jsonschema.Schema) { s.MultipleOf = "" },
		ways: breaks(func(s *jsonschema.Schema) bool { return s.MultipleOf != "" }),
		inside: func(f *form, s *jsonschema.Schema) {
			if step := jsonschema.Rational(string(s.MultipleOf)); step != nil && step.Sign() > 0 {
				f.step = jsonschema.Common(f.step, step)
			}
		},
		outside: func(t *target, s *jsonschema.Schema, _ int) {
			if step := jsonschema.Rational(string(s.MultipleOf)); step != nil {
				t.indivisible = append(t.indivisible, step)
			}
		}},
	counting("minLength", kindString, limitRules{false, "min-length-raised", "min-length-lowered", "minimum length", "{sender} may send a string shorter than {receiver} accepts (minimum length {expected})."},
		func(s *jsonschema.Schema) **int64 { return &s.MinLength }),
	counting("maxLength", kindString, limitRules{true, "max-length-lowered", "max-length-raised", "maximum length", "{sender} may send a string longer than {receiver} accepts (maximum length {expected})."},
		func(s *jsonschema.Schema) **int64 { return &s.MaxLength }),
	{name: "pattern", kind: kindString, whole: true, alike: []string{"pattern"}, drop: func(s *jsonschema.Schema) { s.Pattern = nil },
		ways: breaks(func(s *jsonschema.Schema) bool { return s.Pattern != nil }),
		inside: func(f *form, s *jsonschema.Schema) {
			if s.Pattern != nil && *s.Pattern != "" {
				f.patterns = append(f.patterns, *s.Pattern)
			}
		},
		outside: func(t *target, s *jsonschema.Schema, _ int) { t.unmatched = append(t.unmatched, *s.Pattern) }},
	{name: "format", kind: kindString, whole: true, named: formatRule, alike: []string{"format"}, drop: func(s *jsonschema.Schema) { s.Format = "" },
		ways: breaks(func(s *jsonschema.Schema) bool { return isFormat(s.Format) }),
		inside: func(f *form, s *jsonschema.Schema) {
			if s.Format != "" {
				f.formats = append(f.formats, s.Format)
			}
		},
		outside: func(t *target, s *jsonschema.Schema, _ int) { t.unformatted = append(t.unformatted, s.Format) }},
	counting("minItems", kindArray, limitRules{false, "min-items-raised", "min-items-lowered", "minimum number of elements", "{sender} may send fewer elements than {receiver} requires (at least {expected})."},
		func(s *jsonschema.Schema) **int64 { return &s.MinItems }),
	counting("maxItems", kindArray, limitRules{true, "max-items-lowered", "max-items-raised", "maximum number of elements", "{sender} may send more elements than {receiver} accepts (at most {expected})."},
		func(s *jsonschema.Schema) **int64 { return &s.MaxItems }),
	{name: "uniqueItems", kind: kindArray, whole: true, named: uniqueRule, drop: func(s *jsonschema.Schema) { s.UniqueItems = false },
		ways:    breaks(func(s *jsonschema.Schema) bool { return s.UniqueItems }),
		inside:  func(f *form, s *jsonschema.Schema) { f.unique = f.unique || s.UniqueItems },
		outside: func(t *target, _ *jsonschema.Schema, _ int) { t.equal, t.span = true, t.And(jsonschema.AtLeast(2)) }},
	{name: "items", kind: kindArray, ways: breaks(func(s *jsonschema.Schema) bool { return limits(s.Items) }),
		outside: func(t *target, s *jsonschema.Schema, _ int) {
			t.wants = append(t.wants, want{from: len(s.PrefixItems), refuse: []*jsonschema.Schema{s.Items}})
		}},
	{name: "contains", kind: kindArray, whole: true, alike: []string{"contains", "minContains", "maxContains"}, drop: func(s *jsonschema.Schema) { s.Contains = nil },
		ways: func(s *jsonschema.Schema) (list []*branch) {
			if s.Contains == nil {
				return nil
			}
			number := contained(s)
			if number.Low.At != nil {
				list = append(list, &branch{breaks: []breach{{item: tooFew}}})
			}
			if number.High.At != nil {
				list = append(list, &branch{breaks: []breach{{item: tooMany}}})
			}
			return list
		},
		inside: func(f *form, s *jsonschema.Schema) {
			if s.Contains != nil {
				f.counts = append(f.counts, count{contained(s), s.Contains})
			}
		},
		outside: func(t *target, s *jsonschema.Schema, item int) {
			beyond := contained(s).Low.Beyond()
			if item == tooMany {
				beyond = contained(s).High.Beyond()
			}
			t.miscounts = append(t.miscounts, count{beyond, s.Contains})
		}},
	{name: "unevaluatedItems", kind: kindArray, drop: func(s *jsonschema.Schema) { s.UnevaluatedItems = nil },
		ways: unevaluated(func(s *jsonschema.Schema) **jsonschema.Schema { return &s.UnevaluatedItems }), shows: decided,
		outside: func(t *target, s *jsonschema.Schema, _ int) {
			one := want{refuse: []*jsonschema.Schema{s.UnevaluatedItems}}
			for _, g := range t.way.evaluating(s) {
				t.impossible = t.impossible || g.Items != nil || g != s && g.UnevaluatedItems != nil
				t.unsure = t.unsure || g.Contains != nil
				one.from, one.refuse = max(one.from, len(g.PrefixItems)), append(one.refuse, without(g.Contains)...)
			}
			t.wants = append(t.wants, one)
		}},
	{name: "additionalProperties", kind: kindObject, names: true, drop: opened,
		ways: breaks(func(s *jsonschema.Schema) bool { return limits(s.AdditionalProperties) }),
		outside: func(t *target, s *jsonschema.Schema, _ int) {
			t.wants = append(t.wants, want{names: func(name string) bool { return !describes(s, name) }, refuse: []*jsonschema.Schema{s.AdditionalProperties}})
		}},
	{name: "unevaluatedProperties", kind: kindObject, names: true, drop: opened,
		ways: unevaluated(func(s *jsonschema.Schema) **jsonschema.Schema { return &s.UnevaluatedProperties }), shows: decided,
		outside: func(t *target, s *jsonschema.Schema, _ int) {
			group := t.way.evaluating(s)
			t.wants = append(t.wants, want{names: func(name string) bool {
				return !slices.ContainsFunc(group, func(g *jsonschema.Schema) bool {
					return describes(g, name) || g.AdditionalProperties != nil || g != s && g.UnevaluatedProperties != nil
				})
			}, refuse: []*jsonschema.Schema{s.UnevaluatedProperties}})
		}},
	{name: "propertyNames", kind: kindObject, whole: true, names: true, alike: []string{"propertyNames"}, drop: func(s *jsonschema.Schema) { s.PropertyNames = nil },
		ways:   breaks(func(s *jsonschema.Schema) bool { return limits(s.PropertyNames) }),
		inside: func(f *form, s *jsonschema.Schema) { f.naming = append(f.naming, without(s.PropertyNames)...) },
		outside: func(t *target, s *jsonschema.Schema, _ int) {
			t.misnamed = append(t.misnamed, s.PropertyNames)
			t.wants = append(t.wants, want{names: func(name string) bool { return t.refuses(name, s.PropertyNames) }})
		}},
	counting("minProperties", kindObject, limitRules{false, "min-properties-raised", "min-properties-lowered", "minimum number of members", "{sender} may send fewer members than {receiver} requires (at least {expected})."},
		func(s *jsonschema.Schema) **int64 { return &s.MinProperties }),
	counting("maxProperties", kindObject, limitRules{true, "max-properties-lowered", "max-properties-raised", "maximum number of members", "{sender} may send more members than {receiver} accepts (at most {expected})."},
		func(s *jsonschema.Schema) **int64 { return &s.MaxProperties }),
	{name: "anyOf",
		ways: func(s *jsonschema.Schema) []*branch {
			if s.AnyOf == nil {
				return nil
			}
			return []*branch{{refuse: s.AnyOf}}
		}},
	{name: "oneOf",
		ways: func(s *jsonschema.Schema) (list []*branch) {
			if s.OneOf != nil {
				list = append(list, &branch{refuse: s.OneOf})
			}
			for i, x := range s.OneOf {
				list = append(list, branches(s.OneOf[:i], func(_ int, y *jsonschema.Schema) *branch { return &branch{accept: []*jsonschema.Schema{x, y}} })...)
			}
			return list
		},
		shows: func(*Alt, *branch) bool { return true }},
	{name: "$dynamicRef", alike: []string{"$dynamicRef"}, ways: undecidable(func(s *jsonschema.Schema) bool { return s.DynamicRef != "" }), shows: hidden},
	{name: "$ref", alike: []string{"$ref"}, ways: undecidable(func(s *jsonschema.Schema) bool { return s.Meta }), shows: hidden},
}

// unlike returns the formats that from has and to does not have: those that validators check if checked is set,
// and otherwise the others.
func unlike(from, to *Alt, checked bool) []string {
	return slices.DeleteFunc(slices.Clone(from.formats), func(format string) bool { return slices.Contains(to.formats, format) || isFormat(format) != checked })
}

// formatRule names a change of the formats that validators check.
func formatRule(old, new *Alt) (rule string, args []string) {
	was, is := unlike(old, new, true), unlike(new, old, true)
	switch {
	case len(was) > 0 && len(is) > 0:
		return "format-changed", []string{was[0], is[0]}
	case len(was) > 0:
		return "format-removed", was[:1]
	}
	return "format-added", []string{first(is)}
}

// first returns the first of some formats.
func first(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return list[0]
}

// remarks reports a change of formats that validators do not check, if no other formats have changed.
func (p *pairing) remarks(old, new *Alt) {
	was, is := unlike(old, new, false), unlike(new, old, false)
	if len(was)+len(is) > 0 && len(unlike(old, new, true))+len(unlike(new, old, true)) == 0 {
		p.between(old, new, "format-remark-changed", first(was), first(is))
	}
}

// stepRule names a change of multipleOf, which is 1 for integers.
func stepRule(old, new *Alt) (rule string, args []string) {
	one := big.NewRat(1, 1)
	plain := func(a *Alt) bool { return a.step == nil || a.step.Cmp(one) == 0 }
	switch {
	case plain(old) && plain(new) && new.step != nil:
		return "type-narrowed", nil
	case plain(old) && plain(new):
		return "type-widened", nil
	}
	return constraintRule(!plain(old), !plain(new)), []string{`"multipleOf"`}
}

// uniqueRule names a change of uniqueItems.
func uniqueRule(_, new *Alt) (rule string, args []string) {
	if new.unique {
		return "unique-items-added", nil
	}
	return "unique-items-removed", nil
}

// keywordOf returns the keyword with a name, or one without fields.
func keywordOf(name string) *keyword {
	for i := range keywords {
		if keywords[i].name == name {
			return &keywords[i]
		}
	}
	return &keyword{}
}

// limits reports whether a schema that may be absent refuses a value.
func limits(s *jsonschema.Schema) bool { return s != nil && !always(s) }

// refusing returns the ways in which a schema refuses a value by a keyword. Those of a keyword whose members have names
// are in the order of these, because the first value that is found may name a change.
func (k *keyword) refusing(s *jsonschema.Schema) []*branch {
	ways := k.ways(s)
	for _, b := range ways {
		b.of, b.keyword, b.kinds = s, k.name, cmp.Or(b.kinds, k.kind)
		for i := range b.breaks {
			b.breaks[i].of, b.breaks[i].keyword = s, k.name
		}
	}
	slices.SortStableFunc(ways, func(x, y *branch) int { return strings.Compare(x.member(), y.member()) })
	return ways
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
	if x == y && !refers(x) || x == "" || y == "" {
		return x == y
	}
	text := e.text(x)
	return text != "" && text == e.text(y)
}

// refers reports whether a text has references.
func refers(raw wire.Raw) bool {
	return strings.Contains(string(raw), `"$ref"`) || strings.Contains(string(raw), `"$dynamicRef"`)
}

// text returns a digest that all texts of the same schema have, or "" if it has references.
func (e *engine) text(raw wire.Raw) string {
	return cached(e.texts, raw, func() string {
		if refers(raw) {
			return ""
		}
		sum, _ := raw.Sum()
		return string(sum[:])
	})
}

// bareOf returns a plain schema without the keyword that a branch breaks.
func bareOf(s *jsonschema.Schema, b *branch) *jsonschema.Schema {
	if b.keyword == "" && b.absent == "" && len(s.AnyOf)+len(s.OneOf)+len(s.AllOf) == 0 && s.Target == nil {
		return s
	}
	bare := plain(s)
	if b.absent != "" {
		bare.Required = slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool { return name == b.absent })
	}
	if drop := keywordOf(b.keyword).drop; drop != nil {
		drop(bare)
	}
	return bare
}

// breaking returns the branches in which an alternative refuses values of its kind by some keywords.
func breaking(a *Alt, names ...string) (list []*branch) {
	for _, name := range names {
		list = append(list, keywordOf(name).breaking(a)...)
	}
	return list
}

// breaking returns the branches in which an alternative refuses values of its kind by the keyword.
func (k *keyword) breaking(a *Alt) (list []*branch) {
	for _, s := range a.all {
		list = append(list, slices.DeleteFunc(k.refusing(s), func(b *branch) bool { return b.allowed()&a.kinds == 0 })...)
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
