package check

import (
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// covered reports whether code can be generated for all keywords of a schema, not counting
// those of its subschemas.
func covered(s *jsonschema.Schema) bool {
	return !s.Meta && s.DynamicRef == "" &&
		(s.UnevaluatedItems == nil || plainItems(s)) &&
		(s.UnevaluatedProperties == nil || plainProperties(s))
}

// plainItems reports whether only prefixItems and items evaluate elements, so that
// unevaluatedItems has the effect of items.
func plainItems(s *jsonschema.Schema) bool {
	return s.Ref == "" && s.Contains == nil && len(s.SameValue()) == 0
}

// plainProperties is plainItems for members.
func plainProperties(s *jsonschema.Schema) bool { return s.Ref == "" && len(s.SameValue()) == 0 }

// items returns the schema of the elements after those of prefixItems.
func items(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Items == nil {
		return s.UnevaluatedItems
	}
	return s.Items
}

// additional returns the schema of the members that no other schema applies to.
func additional(s *jsonschema.Schema) *jsonschema.Schema {
	if s.AdditionalProperties == nil {
		return s.UnevaluatedProperties
	}
	return s.AdditionalProperties
}

// anything reports whether a schema accepts every value. It returns false for nil.
func anything(s *jsonschema.Schema) bool {
	switch {
	case s == nil:
		return true
	case s.Always != nil:
		return *s.Always
	}
	return len(s.Types) == 0 && newPlan(s).passes == 0
}

// nothing reports whether a schema does not accept any value.
func nothing(s *jsonschema.Schema) bool {
	switch {
	case s == nil:
		return false
	case s.Always != nil:
		return !*s.Always
	}
	p := newPlan(s)
	return s.Not != nil && !p.value && !p.object && !p.array && len(s.Types) == 0 && s.Not.Always == nil && wire.Object(s.Not.Source).Len() == 0
}

// follow resolves a schema that consists of a reference only, alone or as the only branch of an allOf.
func follow(s *jsonschema.Schema) *jsonschema.Schema {
	for {
		switch target := reference(s); {
		case target != nil:
			s = target
		case s != nil && len(s.AllOf) == 1 && len(s.Types) == 0 && newPlan(s).passes == 1 && reference(s.AllOf[0]) != nil:
			s = reference(s.AllOf[0])
		default:
			return s
		}
	}
}

// reference returns the target of a schema that consists of a reference only, or nil.
func reference(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil || s.Target == nil || len(s.Types) > 0 || newPlan(s).passes != 1 {
		return nil
	}
	return s.Target
}

// simple reports whether the check of a schema is inlined into that of the surrounding
// schema.
func simple(s *jsonschema.Schema) bool {
	if s.Always != nil {
		return true
	}
	switch p := newPlan(s); {
	case p.passes == 0, p.value && p.passes == 1:
		return true
	case p.array && p.passes == 1 && len(s.PrefixItems) == 0 && s.Contains == nil:
		rest := follow(items(s))
		return rest == nil || anything(rest) || !newPlan(rest).array && simple(rest)
	}
	return false
}
