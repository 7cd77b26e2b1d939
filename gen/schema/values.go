package schema

import (
	"maps"
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

// lacks records that the core accepts more values than the schema, if so is true.
func (v *values) lacks(so bool) { v.reader.lacks(v.s, so) }

func (v *values) core() *Schema {
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
	if literal.Kind() == wire.KindNumber && literal.IsInteger() {
		return "integer"
	}
	return jsonschema.KindsOfValue(literal).String()
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
func (v *values) several(types []string) *Schema {
	composed := slices.ContainsFunc(types, func(t string) bool { return t == "object" || t == "array" })
	literals := v.s.Constants() != nil
	nullable := len(types) == 2 && slices.Contains(types, "null")
	if !composed && !literals {
		core := &Schema{}
		if nullable {
			core = v.typed(types[(slices.Index(types, "null")+1)%2])
		} else {
			v.lacks(v.constrained() || v.s.AssertsFormat())
		}
		core.Types = types
		return core
	}
	if !composed && !nullable {
		v.lacks(true)
		return &Schema{Types: types}
	}
	var branches []*Schema
	member := v.member
	v.member = false
	for _, t := range types {
		branches = append(branches, v.typed(t).of(v.s))
	}
	v.member = member
	return &Schema{AnyOf: branches}
}

// typed returns the core for values of one type.
func (v *values) typed(t string) *Schema {
	core := &Schema{Types: []string{t}}
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
func (v *values) literal(t string, all []wire.Raw, core *Schema) bool {
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
			core.Const = texts[0]
		} else {
			core.Enum = texts
		}
		return true
	case typeOf(all[0]) == "integer" && held && v.s.Const != "" && v.member && (t == "integer" || t == "number"):
		bare := *v.s
		bare.Const, bare.Enum = "", nil
		v.lacks((&values{s: &bare}).constrained())
		core.Types, core.Const = []string{"integer"}, int64(number)
		return true
	}
	v.lacks(true)
	return false
}

func (v *values) text(core *Schema) {
	core.Format = v.s.Format
	if v.s.Pattern != nil {
		core.Pattern = *v.s.Pattern
		v.lacks(core.Pattern == "") // which is no pattern of a core
	}
	core.MinLength, core.MaxLength = v.least(v.s.MinLength), v.most(v.s.MaxLength)
}

// least returns a lower limit of a number of something.
func (v *values) least(n *int64) int {
	if n == nil || *n == 0 {
		return 0
	}
	return v.most(n)
}

// most returns an upper limit of a number of something. A core has none that is 0.
func (v *values) most(n *int64) int {
	if n == nil {
		return 0
	}
	if *n == 0 || *n > math.MaxInt32 {
		v.lacks(true)
		return 0
	}
	return int(*n)
}

func (v *values) number(core *Schema, t string) {
	core.Minimum, core.MinOpen = v.bound(v.s.Minimum, v.s.ExclusiveMinimum, 1)
	core.Maximum, core.MaxOpen = v.bound(v.s.Maximum, v.s.ExclusiveMaximum, -1)
	v.lacks(v.s.MultipleOf != "" && !(t == "integer" && wire.CompareNumbers(v.s.MultipleOf, "1") == 0))
}

// bound returns the tighter one of two limits, of which the second is exclusive. The sign is 1 for lower limits and -1
// for upper ones.
func (v *values) bound(closed, open wire.Raw, sign float64) (limit *float64, exclusive bool) {
	for _, raw := range []wire.Raw{closed, open} {
		if raw == "" {
			continue
		}
		value, ok := number(raw)
		if v.lacks(!ok); ok && (limit == nil || *limit*sign <= value*sign) {
			limit, exclusive = &value, raw == open
		}
	}
	return limit, exclusive
}

func (v *values) array(core *Schema) {
	items := v.s.Items
	if items == nil && v.alone {
		items = v.s.UnevaluatedItems
	} else {
		v.lacks(v.s.UnevaluatedItems != nil)
	}
	if len(v.s.PrefixItems) > 0 {
		v.lacks(true)
	} else if items != nil {
		core.Items = v.schema(items, false)
	}
	core.MinItems, core.MaxItems = v.least(v.s.MinItems), v.most(v.s.MaxItems)
	v.lacks(v.s.UniqueItems || v.s.Contains != nil)
}

func (v *values) object() *Schema {
	core := &Schema{Types: []string{"object"}, Required: slices.Compact(slices.Sorted(slices.Values(v.s.Required)))}
	properties := map[string]*Schema{}
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
		core.Closed = true
		v.lacks(slices.ContainsFunc(v.s.Required, func(name string) bool { return properties[name] == nil }))
	default:
		core.Additional = v.schema(rest, false)
		for _, name := range v.s.Required {
			if properties[name] == nil {
				properties[name] = v.schema(rest, true)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		core.Properties = append(core.Properties, Property{name, properties[name]})
	}
	return core
}
