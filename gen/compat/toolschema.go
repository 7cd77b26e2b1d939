package compat

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// schemaBuilder makes shapes of the schemas of a tool. What has no form in a
// shape becomes an opaque constraint, of which only a change is told.
type schemaBuilder struct {
	done map[*tools.Schema]*Shape
	// meet is inexact when something had no form.
	meet *meeter
	// made counts the alternatives that were made.
	made int
	// defs are the definitions of the document, which opaque constraints may lead to.
	defs string
	// known returns the shape of a schema that is made elsewhere, and whether it is
	// complete; nil where it is made here. It is nil itself for lists of tools: what
	// schemas of the protocol say in words is no part of it.
	known func(s *tools.Schema) (shape *Shape, complete bool)
}

func newSchemaBuilder(document *tools.Schema) *schemaBuilder {
	b := &schemaBuilder{done: map[*tools.Schema]*Shape{}, meet: newMeeter()}
	if document != nil {
		for _, d := range document.Defs {
			b.defs += canonical(d.Schema.Source)
		}
	}
	return b
}

// canonical is a JSON text without white space, members sorted by name and
// without what is no constraint.
func canonical(raw wire.Raw) string {
	if raw == "" {
		return ""
	}
	return render(parse(string(raw)))
}

func (b *schemaBuilder) shape(s *tools.Schema, path string) *Shape {
	if done, ok := b.done[s]; ok {
		return done
	}
	if b.known != nil {
		if shape, _ := b.known(alias(s)); shape != nil {
			return shape
		}
	}
	return b.make(s, Place{path, s.Pointer})
}

// make is shape for a schema whose shape is made here and now.
func (b *schemaBuilder) make(s *tools.Schema, where Place) *Shape {
	shape := &Shape{Where: where, About: about{Default: canonical(s.Default)}}
	if b.known == nil {
		shape.About.Description = describe(s, map[*tools.Schema]bool{})
		shape.About.Title = s.Title
	}
	b.done[s] = shape // a schema may lead back to itself
	shape.Alts = join(b.alts(s, where, map[*tools.Schema]bool{}))
	return shape
}

// describe is all that a schema says in words of its values, with what it is
// made of. Schemas that have been seen have had their say.
func describe(s *tools.Schema, seen map[*tools.Schema]bool) string {
	if s == nil || seen[s] {
		return ""
	}
	seen[s] = true
	texts := []string{s.Description}
	for _, part := range slices.Concat([]*tools.Schema{s.Target}, s.AllOf, s.AnyOf, s.OneOf) {
		if text := describe(part, seen); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// alts are the alternatives of a schema; busy are the schemas that it is, by
// reference, a part of.
func (b *schemaBuilder) alts(s *tools.Schema, where Place, busy map[*tools.Schema]bool) []*Alt {
	if b.known != nil {
		if shape, complete := b.known(s); complete {
			return shape.Alts
		}
	}
	switch {
	case s.Always != nil && *s.Always:
		return anything(where).Alts
	case s.Always != nil:
		return nil
	case busy[s] || b.made > mostAlts:
		b.meet.inexact = true
		return []*Alt{{Kind: kindAny, Where: where, Opaque: map[string]string{"$ref": canonical(s.Source) + b.defs}}}
	}
	busy[s] = true
	defer delete(busy, s)
	own := b.own(s, where)
	for _, part := range b.parts(s) {
		var alts []*Alt
		for _, branch := range part {
			alts = append(alts, b.alts(branch, Place{where.Path, branch.Pointer}, busy)...)
		}
		if b.made += len(own) * len(alts); b.made > mostAlts {
			b.meet.inexact = true
			return []*Alt{{Kind: kindAny, Where: where, Opaque: map[string]string{"anyOf": canonical(s.Source) + b.defs}}}
		}
		own = b.meet.both(own, alts)
	}
	return own
}

// mostAlts limits the alternatives of a document: a few schemas that refer to
// each other can have more than there is memory. What is beyond is compared as
// text.
const mostAlts = 20_000

// parts are what else a value must be: one of each list.
func (b *schemaBuilder) parts(s *tools.Schema) [][]*tools.Schema {
	var parts [][]*tools.Schema
	if s.Target != nil {
		parts = append(parts, []*tools.Schema{s.Target})
	}
	for _, one := range s.AllOf {
		parts = append(parts, []*tools.Schema{one})
	}
	if s.AnyOf != nil {
		parts = append(parts, s.AnyOf)
	}
	if s.OneOf != nil {
		b.meet.inexact = true // a value of two branches is refused
		parts = append(parts, s.OneOf)
	}
	return parts
}

// own are the alternatives by the keywords that stand in the schema itself.
func (b *schemaBuilder) own(s *tools.Schema, where Place) []*Alt {
	opaque := b.opaque(s)
	kinds := kindsOf(s)
	if kinds == nil {
		if !constrains(s) {
			return []*Alt{{Kind: kindAny, Where: where, Opaque: opaque}}
		}
		kinds = []string{"null", "boolean", "number", "string", "array", "object"}
	}
	values := s.Enum
	if s.Const != "" {
		values = []wire.Raw{s.Const}
	}
	var alts []*Alt
	for _, name := range kinds {
		a := &Alt{Where: where, Kind: kind(name), Opaque: opaque}
		switch name {
		case "integer", "number":
			a.Kind = kindNumber
			a.Number = &number{Whole: name == "integer", Range: numberSpan(s)}
			if a.Number.Whole {
				a.Number.Range = a.Number.Range.whole()
			}
		case "string":
			a.Text = &text{Format: s.Format, Length: countSpan(s.MinLength, s.MaxLength)}
			if s.Pattern != nil {
				a.Text.Pattern = *s.Pattern
			}
		case "array":
			a.Array = &array{Length: countSpan(s.MinItems, s.MaxItems), Unique: s.UniqueItems}
			if s.Items != nil && s.PrefixItems == nil {
				a.Array.Items = b.shape(s.Items, where.Path+"[]")
			}
		case "object":
			a.Object = b.object(s, where)
		}
		if values != nil {
			a.Values = valuesOf(values, a)
			if len(a.Values) == 0 {
				continue
			}
		}
		alts = append(alts, a)
	}
	return alts
}

func kindsOf(s *tools.Schema) []string {
	if slices.Contains(s.Types, "number") {
		return slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "integer" })
	}
	return s.Types
}

// constrains reports whether a schema without a type says something of values.
func constrains(s *tools.Schema) bool {
	return s.Enum != nil || s.Const != "" || s.Minimum != "" || s.Maximum != "" || s.ExclusiveMinimum != "" || s.ExclusiveMaximum != "" ||
		s.MinLength != nil || s.MaxLength != nil || s.Items != nil || s.MinItems != nil || s.MaxItems != nil || s.UniqueItems ||
		s.Properties != nil || s.Required != nil || s.AdditionalProperties != nil || s.MinProperties != nil || s.MaxProperties != nil
}

// valuesOf are the listed values that an alternative takes. Listed objects and
// arrays are compared by their text.
func valuesOf(listed []wire.Raw, a *Alt) []string {
	values := []string{}
	for _, raw := range listed {
		v := parse(string(raw))
		if kindOf(v) != a.Kind {
			continue
		}
		bare := *a
		bare.Values = nil
		if text := render(v); bare.accepts(v) && !slices.Contains(values, text) {
			values = append(values, text)
		}
	}
	return values
}

func (b *schemaBuilder) object(s *tools.Schema, where Place) *object {
	o := &object{Size: countSpan(s.MinProperties, s.MaxProperties)}
	for _, p := range s.Properties {
		at := Place{where.Path + "." + p.Name, p.Schema.Pointer}
		o.Members = append(o.Members, &member{
			Name: p.Name, Required: slices.Contains(s.Required, p.Name), Where: at, Shape: b.shape(p.Schema, at.Path),
		})
	}
	for _, name := range s.Required {
		if s.Property(name) == nil && !slices.ContainsFunc(o.Members, func(m *member) bool { return m.Name == name }) {
			at := Place{where.Path + "." + name, where.Pointer}
			o.Members = append(o.Members, &member{Name: name, Required: true, Where: at, Shape: anything(at)})
		}
	}
	o.sort()
	if rest := s.AdditionalProperties; rest != nil {
		if rest.Always != nil {
			o.Closed = !*rest.Always
		} else if shape := b.shape(rest, where.Path+"{}"); !shape.any() {
			o.Rest = shape
		}
	}
	return o
}

// opaque are the keywords without a form.
func (b *schemaBuilder) opaque(s *tools.Schema) map[string]string {
	found := map[string]string{}
	add := func(keyword string, there bool) {
		if !there {
			return
		}
		b.meet.inexact = true
		text := keyword
		if raw, ok := wire.Object(s.Source).Get(keyword); ok {
			text = canonical(raw)
		}
		if strings.Contains(text, `"$ref"`) || strings.Contains(text, `"$dynamicRef"`) {
			text += b.defs
		}
		found[keyword] = text
	}
	add("not", s.Not != nil)
	add("if", s.If != nil)
	add("then", s.Then != nil)
	add("else", s.Else != nil)
	add("pattern", s.Pattern != nil)
	add("multipleOf", s.MultipleOf != "")
	add("patternProperties", s.PatternProperties != nil)
	add("propertyNames", s.PropertyNames != nil)
	add("dependentRequired", s.DependentRequired != nil)
	add("dependentSchemas", s.DependentSchemas != nil)
	add("dependencies", s.DependentRequired != nil || s.DependentSchemas != nil)
	add("contains", s.Contains != nil)
	add("minContains", s.MinContains != nil)
	add("maxContains", s.MaxContains != nil)
	add("unevaluatedItems", s.UnevaluatedItems != nil)
	add("unevaluatedProperties", s.UnevaluatedProperties != nil)
	add("prefixItems", s.PrefixItems != nil)
	add("items", s.PrefixItems != nil)
	add("additionalItems", s.PrefixItems != nil)
	add("$dynamicRef", s.DynamicRef != "")
	add("$ref", s.Meta)
	if len(found) == 0 {
		return nil
	}
	return found
}

func numberSpan(s *tools.Schema) span {
	out := span{Min: float(s.Minimum), Max: float(s.Maximum)}
	if low := float(s.ExclusiveMinimum); low != nil && (out.Min == nil || *low >= *out.Min) {
		out.Min, out.MinOpen = low, true
	}
	if high := float(s.ExclusiveMaximum); high != nil && (out.Max == nil || *high <= *out.Max) {
		out.Max, out.MaxOpen = high, true
	}
	return out
}

func float(raw wire.Raw) *float64 {
	if raw == "" {
		return nil
	}
	f, err := json.Number(raw).Float64()
	if err != nil {
		return nil
	}
	return &f
}

func countSpan(least, most *int64) span {
	var s span
	if least != nil && *least > 0 {
		f := float64(*least)
		s.Min = &f
	}
	if most != nil {
		f := float64(*most)
		s.Max = &f
	}
	return s
}
