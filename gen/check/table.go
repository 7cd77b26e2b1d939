package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// The check of most objects is a call of schema.Checker.Members with a row for each member. Objects with other
// rules are checked by statements.

// mostRows is the number of members whose rows a check function has on its stack.
const mostRows = 128

// tabular reports whether a table can express the rules of a schema for objects.
func tabular(s *jsonschema.Schema) bool {
	if len(s.PatternProperties) > 0 || s.PropertyNames != nil || s.MinProperties != nil || s.MaxProperties != nil ||
		len(s.DependentRequired) > 0 || len(s.DependentSchemas) > 0 || len(s.Properties)+len(s.Required) > mostRows {
		return false
	}
	undefined := func(name string) bool { return s.Property(name) == nil }
	return anything(additional(s)) || !slices.ContainsFunc(s.Required, undefined)
}

// table returns the call of schema.Checker.Members with a row for each member.
func (e *emitter) table(s *jsonschema.Schema, types, context string) string {
	others := "nil"
	if rest := follow(additional(s)); rest == nil || !nothing(rest) {
		others = e.checker(additional(s), e.within(context, "other"))
	}
	open := anything(additional(s))
	rows := ""
	for _, p := range s.Properties {
		required := slices.Contains(s.Required, p.Name)
		if required || !open || !anything(p.Schema) {
			rows += e.row(p.Name, required, p.Schema, context)
		}
	}
	for _, name := range s.Required {
		if s.Property(name) == nil {
			rows += e.row(name, true, nil, context)
		}
	}
	if rows == "" {
		return fmt.Sprintf("c.Members(%s, %s, nil)\n", types, others)
	}
	return fmt.Sprintf("c.Members(%s, %s, []schema.Member{\n%s})\n", types, others, rows)
}

// function returns the parameters and the body of a check function, in one line if it is short.
func function(body string) string {
	if strings.Count(body, "\n") < 2 {
		return "(c *schema.Checker) { " + strings.TrimSuffix(body, "\n") + " }"
	}
	return "(c *schema.Checker) {" + body + "}"
}

// row returns the row of a member.
func (e *emitter) row(name string, required bool, s *jsonschema.Schema, context string) string {
	row := fmt.Sprintf("{Name: %q", name)
	if required {
		row += ", Required: true"
	}
	s, context = e.follow(s, e.within(context, name))
	switch {
	case anything(s):
		row += ", Types: " + typeSet(nil)
	case !nothing(s) && itemsOnly(s):
		row += ", Types: " + typeSet(s.Types) + ", Items: " + e.checker(items(s), e.within(context, "item"))
	case !nothing(s) && simple(s) && newPlan(s).passes == 0:
		row += ", Types: " + typeSet(s.Types)
	case !nothing(s) && simple(s) && formatOnly(s):
		row += fmt.Sprintf(", Types: %s, Format: %q", typeSet(s.Types), s.Format)
	default:
		row += ", Check: " + e.checker(s, context)
	}
	return row + "},\n"
}

// formatOnly reports whether a simple schema has no rules besides types and a format.
func formatOnly(s *jsonschema.Schema) bool {
	return newPlan(s).value && assertsFormat(s) && s.Enum == nil && s.Const == "" && s.MinLength == nil && s.MaxLength == nil && s.Pattern == nil && !onNumbers(s)
}

// itemsOnly reports whether a schema has no rules besides types and those of elements.
func itemsOnly(s *jsonschema.Schema) bool {
	p := newPlan(s)
	return p.array && p.passes == 1 && len(s.PrefixItems) == 0 && !contains(s) && s.MinItems == nil && s.MaxItems == nil
}

// checker returns an expression for the check function of a schema.
func (e *emitter) checker(s *jsonschema.Schema, context string) string {
	s, context = e.follow(s, context)
	switch {
	case anything(s):
		return "(*schema.Checker).Pass"
	case nothing(s):
		return "(*schema.Checker).Never"
	case !simple(s):
		return e.reference(s, context)
	}
	return "func" + function(e.body(s, context))
}
