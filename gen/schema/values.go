package schema

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// values derives the core of the keywords that a schema has for values of one type.
type values struct {
	*reader
	s      *jsonschema.Schema
	member bool
	// alone is set if the schema has no references and combinations beside these keywords.
	alone bool
}

// lacks records that the core accepts more values, if that is so.
func (v *values) lacks(so bool) { v.reader.lacks(v.s, so) }

func (v *values) core() map[string]any {
	types := v.types()
	switch {
	case len(types) == 1:
		return v.typed(types[0])
	case len(types) > 1:
		return v.several(types)
	case v.s.Types != nil || v.constrained():
		v.lacks(true)
		if v.s.Types == nil && (describesMembers(v.s) || v.s.AdditionalProperties != nil) {
			return v.object()
		}
	}
	return nil
}

// types returns the types of the values, or nil if they can have any.
func (v *values) types() []string {
	types := v.s.Types
	if types == nil {
		for _, literal := range v.s.Constants() {
			types = append(types, typeOf(literal))
		}
	}
	var distinct []string
	for _, t := range types {
		if t == "integer" && slices.Contains(types, "number") || slices.Contains(distinct, t) {
			continue
		}
		distinct = append(distinct, t)
	}
	return distinct
}

func typeOf(literal wire.Raw) string {
	switch literal.Kind() {
	case wire.KindNull:
		return "null"
	case wire.KindBool:
		return "boolean"
	case wire.KindString:
		return "string"
	case wire.KindArray:
		return "array"
	case wire.KindObject:
		return "object"
	}
	if jsonschema.IsIntegral(literal) {
		return "integer"
	}
	return "number"
}

// constrained reports whether the schema has keywords for values.
func (v *values) constrained() bool {
	s := v.s
	return s.Minimum+s.Maximum+s.ExclusiveMinimum+s.ExclusiveMaximum+s.MultipleOf != "" ||
		s.MinLength != nil || s.MaxLength != nil || s.Pattern != nil ||
		s.Items != nil || s.PrefixItems != nil || s.Contains != nil || s.MinItems != nil || s.MaxItems != nil || s.UniqueItems || s.UnevaluatedItems != nil ||
		describesMembers(s) || s.AdditionalProperties != nil || v.restrictsMembers() || s.UnevaluatedProperties != nil
}

// restrictsMembers reports whether the schema has keywords for members that no core has.
func (v *values) restrictsMembers() bool {
	s := v.s
	return len(s.PatternProperties)+len(s.DependentRequired)+len(s.DependentSchemas) > 0 || s.MinProperties != nil || s.MaxProperties != nil || !everyName(s.PropertyNames)
}

// everyName reports whether a schema accepts every string, as far as it is easily seen.
func everyName(s *jsonschema.Schema) bool {
	if s == nil || s.Always != nil {
		return s == nil || *s.Always
	}
	for key, value := range wire.Object(s.Source).All() {
		if !annotates(key) && !(key == "type" && value == `"string"`) {
			return false
		}
	}
	return true
}

// several returns the core of a list of types: one of scalars if there are no other keywords for
// them, or if the list is a type and null, and otherwise a choice.
func (v *values) several(types []string) map[string]any {
	composed := slices.ContainsFunc(types, func(t string) bool { return t == "object" || t == "array" })
	literals := v.s.Constants() != nil
	nullable := len(types) == 2 && slices.Contains(types, "null")
	if !composed && !literals {
		core := map[string]any{"type": types}
		if nullable {
			for key, value := range v.typed(types[(slices.Index(types, "null")+1)%2]) {
				if key != "type" {
					core[key] = value
				}
			}
			return core
		}
		v.lacks(v.constrained() || v.s.AssertsFormat())
		return core
	}
	if !composed && !nullable {
		v.lacks(true)
		return map[string]any{"type": types}
	}
	var branches []any
	member := v.member
	v.member = false
	for _, t := range types {
		core := v.typed(t)
		core["goJSONSchema"] = map[string]any{"identifier": v.s.Pointer}
		branches = append(branches, core)
	}
	v.member = member
	return map[string]any{"anyOf": branches}
}

// typed returns the core for values of one type.
func (v *values) typed(t string) map[string]any {
	core := map[string]any{"type": t}
	if all := v.s.Constants(); all != nil {
		v.lacks(v.s.Const != "" && v.s.Enum != nil)
		if v.literal(t, all, core) {
			return core
		}
	}
	switch t {
	case "string":
		v.text(core)
	case "integer", "number":
		v.number(core, t)
	case "array":
		v.array(core)
	case "object":
		return v.object()
	}
	return core
}

// literal sets the const or enum of a core. It returns false if the other keywords of the type
// may go into the core.
func (v *values) literal(t string, all []wire.Raw, core map[string]any) bool {
	var texts []string
	for _, literal := range all {
		text, ok := literal.Str()
		switch {
		case t == "null" && literal == "null":
			return true
		case ok && !slices.Contains(texts, text):
			texts = append(texts, text)
		}
	}
	number, held := number(all[0])
	switch {
	case t == "string" && len(texts) > 0:
		v.lacks(v.s.AssertsFormat() || v.s.Pattern != nil || v.s.MinLength != nil || v.s.MaxLength != nil)
		if v.s.Const != "" && v.member {
			core["const"] = texts[0]
		} else {
			core["enum"] = texts
		}
		return true
	case typeOf(all[0]) == "integer" && held && v.s.Const != "" && v.member && (t == "integer" || t == "number"):
		bare := *v.s
		bare.Const, bare.Enum = "", nil
		v.lacks((&values{s: &bare}).constrained())
		core["type"], core["const"] = "integer", number
		return true
	}
	v.lacks(true)
	return false
}

func (v *values) text(core map[string]any) {
	if v.s.Format != "" {
		core["format"] = v.s.Format
	}
	if v.s.Pattern != nil {
		core["pattern"] = *v.s.Pattern
		v.lacks(*v.s.Pattern == "") // the parser drops it
	}
	v.count(core, "minLength", v.s.MinLength)
	v.count(core, "maxLength", v.s.MaxLength)
}

// count sets a keyword that is a number of something. The parser drops 0.
func (v *values) count(core map[string]any, keyword string, n *int64) {
	switch {
	case n == nil || *n == 0 && keyword[:3] == "min":
	case *n == 0 || *n > math.MaxInt32:
		v.lacks(true)
	default:
		core[keyword] = *n
	}
}

func (v *values) number(core map[string]any, t string) {
	for _, bound := range []struct {
		keyword string
		raw     wire.Raw
	}{
		{"minimum", v.s.Minimum}, {"maximum", v.s.Maximum}, {"exclusiveMinimum", v.s.ExclusiveMinimum}, {"exclusiveMaximum", v.s.ExclusiveMaximum},
	} {
		if bound.raw == "" {
			continue
		}
		value, ok := number(bound.raw)
		if v.lacks(!ok); ok {
			core[bound.keyword] = json.Number(value)
		}
	}
	v.lacks(v.s.MultipleOf != "" && !(t == "integer" && wire.CompareNumbers(v.s.MultipleOf, "1") == 0))
}

func (v *values) array(core map[string]any) {
	items := v.s.Items
	if items == nil && v.alone {
		items = v.s.UnevaluatedItems
	} else {
		v.lacks(v.s.UnevaluatedItems != nil)
	}
	if len(v.s.PrefixItems) > 0 {
		v.lacks(true)
	} else if items != nil {
		core["items"] = v.schema(items, false)
	}
	v.count(core, "minItems", v.s.MinItems)
	v.count(core, "maxItems", v.s.MaxItems)
	v.lacks(v.s.UniqueItems || v.s.Contains != nil)
}

func (v *values) object() map[string]any {
	core := map[string]any{"type": "object"}
	properties := map[string]any{}
	for _, p := range v.s.Properties {
		properties[p.Name] = v.schema(p.Schema, true)
	}
	rest := v.s.AdditionalProperties
	if rest == nil && v.alone {
		rest = v.s.UnevaluatedProperties
	} else {
		v.lacks(v.s.UnevaluatedProperties != nil)
	}
	v.lacks(v.restrictsMembers())
	switch {
	case rest == nil:
	case len(v.s.PatternProperties) > 0:
		v.lacks(true)
	case never(rest):
		core["additionalProperties"] = false
		v.lacks(slices.ContainsFunc(v.s.Required, func(name string) bool { return properties[name] == nil }))
	default:
		core["additionalProperties"] = v.schema(rest, false)
		for _, name := range v.s.Required {
			if properties[name] == nil {
				properties[name] = v.schema(rest, true)
			}
		}
	}
	if len(properties) > 0 {
		core["properties"] = properties
	}
	if len(v.s.Required) > 0 {
		core["required"] = v.s.Required
	}
	return core
}
