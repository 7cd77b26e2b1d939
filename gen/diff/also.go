package diff

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// also is a constraint that no field of an alternative can express, such as "not" or "if".
type also struct {
	keyword string
	// nodes are the schemas of the constraint. name is the member that it depends on.
	nodes []*jsonschema.Schema
	name  string
	// refused is the shape of the values that not and oneOf exclude.
	refused *Shape
	// then and els are the shapes that apply depending on a condition or on the presence of a
	// member.
	then, els *Shape
	// condition is the shape of if.
	condition *Shape
}

// hints returns shapes whose values are useful as samples.
func (c *also) hints() []*Shape {
	return slices.DeleteFunc([]*Shape{c.condition, c.refused, c.then, c.els}, func(s *Shape) bool { return s == nil })
}

// violated reports whether a value may violate the constraint. It returns true if the
// constraint alone cannot tell.
func (c *also) violated(v any) bool {
	switch {
	case c.refused != nil:
		return c.refused.accepts(v)
	case c.condition != nil && c.condition.accepts(v):
		return !c.then.accepts(v)
	case c.condition != nil:
		return !c.els.accepts(v)
	case c.then != nil:
		object, ok := v.(map[string]any)
		_, there := object[c.name]
		return ok && there && !c.then.accepts(v)
	}
	return true
}

// also adds constraints to an alternative. It returns false if no value satisfies them.
func (b *schemaBuilder) also(a *Alt, way chosen) bool {
	if a.Values != nil {
		return true // values has already checked each value
	}
	for _, s := range way.refused {
		if !b.refuse(a, "oneOf", s) {
			return false
		}
	}
	for _, s := range way.all {
		if s.Not != nil && negated(s.Not) == nil {
			for _, part := range parts(s.Not) {
				if !b.refuse(a, "not", part) {
					return false
				}
			}
		}
		if s.If != nil && !always(s.If) && !never(s.If) {
			b.condition(a, s)
		}
		if s.DynamicRef != "" {
			a.Also = append(a.Also, &also{keyword: "$dynamicRef", nodes: []*jsonschema.Schema{s}})
		}
		if s.Meta {
			a.Also = append(a.Also, &also{keyword: "$ref", nodes: []*jsonschema.Schema{s}})
		}
		if _, clear := inPlace(s, way.all); !clear && (a.Kind == kindArray && s.UnevaluatedItems != nil || a.Kind == kindObject && s.UnevaluatedProperties != nil) {
			keyword := "unevaluatedItems"
			if a.Kind == kindObject {
				keyword = "unevaluatedProperties"
			}
			a.Also = append(a.Also, &also{keyword: keyword, nodes: []*jsonschema.Schema{s}})
		}
		if a.Kind != kindObject {
			continue
		}
		for _, d := range s.DependentSchemas {
			then := b.shape(d.Schema)
			form := *a
			form.exact = nil
			if !b.prove.altIn(&form, then, true) {
				a.Also = append(a.Also, &also{keyword: "dependentSchemas", nodes: []*jsonschema.Schema{d.Schema}, name: d.Name, then: then})
			}
		}
	}
	return true
}

// parts returns the branches of a schema that consists of anyOf only, or the schema itself.
func parts(s *jsonschema.Schema) []*jsonschema.Schema {
	if s.Always != nil || s.AnyOf == nil {
		return []*jsonschema.Schema{s}
	}
	bare := *s
	bare.AnyOf = nil
	if constrains(&bare) || bare.Target != nil || bare.AllOf != nil {
		return []*jsonschema.Schema{s}
	}
	return s.AnyOf
}

// refuse excludes the values of a schema from an alternative. It returns false if none is left.
func (b *schemaBuilder) refuse(a *Alt, keyword string, s *jsonschema.Schema) bool {
	refused := b.shape(s)
	form := *a
	form.exact = nil // it takes the exclusion into account already
	defer func(steps int) { b.prove.steps = steps }(b.prove.steps)
	b.prove.steps = 0 // a budget of its own, because a union may have many branches
	switch {
	case b.prove.disjoint(&form, refused, 0):
	case b.prove.altIn(&form, refused, true):
		return false
	default:
		a.Also = append(a.Also, &also{keyword: keyword, nodes: []*jsonschema.Schema{s}, refused: refused})
	}
	return true
}

func (b *schemaBuilder) condition(a *Alt, s *jsonschema.Schema) {
	branch := func(s *jsonschema.Schema) *Shape {
		if s == nil {
			return anything(Place{})
		}
		return b.shape(s)
	}
	one := &also{keyword: "if", nodes: []*jsonschema.Schema{s}, then: branch(s.Then), els: branch(s.Else), condition: b.shape(s.If)}
	form := *a
	form.exact = nil
	then, els := b.prove.altIn(&form, one.then, true), b.prove.altIn(&form, one.els, true)
	switch {
	case then && els, then && b.prove.altIn(&form, one.condition, true), els && b.prove.disjoint(&form, one.condition, 0):
		return
	}
	a.Also = append(a.Also, one)
}

// breaking returns a value of an alternative that does not satisfy a constraint of another one. A
// strict question also considers undeclared members.
func (p *prover) breaking(a *Alt, c *also, strict bool) answer {
	switch {
	case slices.ContainsFunc(a.Also, c.same), p.implied(a, c):
		return answer{is: none}
	case len(a.all) == 0, p.asked > mostAsked:
		return answer{is: unknown}
	}
	f := p.finder(nil)
	if !strict {
		f = p.finder(a.all[0].Root())
	}
	defer func() { p.asked += f.steps }()
	return f.breaking(a, c)
}

// same reports whether another constraint is this one, or is written alike. A schema with references is written
// like another one only if both are the same schema.
func (c *also) same(other *also) bool {
	if c == other {
		return true
	}
	return c.keyword == other.keyword && c.name == other.name && (c.refused == nil) == (other.refused == nil) &&
		slices.EqualFunc(c.nodes, other.nodes, func(x, y *jsonschema.Schema) bool {
			refers := strings.Contains(string(x.Source), `"$ref"`) || strings.Contains(string(x.Source), `"$dynamicRef"`)
			return x == y || x.Source != "" && !refers && wire.Equal(x.Source, y.Source)
		})
}

// implies reports whether it can prove that all values of an alternative satisfy a constraint.
func (p *prover) implies(a *Alt, c *also, strict bool) bool {
	return p.breaking(a, c, strict).is == none
}

// implied is implies as far as the shapes of the constraint show it.
func (p *prover) implied(a *Alt, c *also) bool {
	switch {
	case a.Values != nil:
		return false
	case c.refused != nil:
		return p.disjoint(a, c.refused, 0)
	case c.keyword == "if":
		return p.altIn(a, c.then, true) && p.altIn(a, c.els, true)
	case c.keyword == "dependentSchemas":
		return p.altIn(a, c.then, true) || a.Object != nil && a.Object.at(c.name, a.Where).set.impossible()
	}
	return false
}
