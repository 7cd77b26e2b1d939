package check

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// The check of most objects is a call of schema.Checker.Members with a row for each member. Objects with other rules are
// checked by statements.

// mostRows is the number of members that schema.Checker.Members can note.
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

// table emits the call of schema.Checker.Members with a row for each member.
func (e *emitter) table(g *jen.Group, s *jsonschema.Schema, types jen.Code, context string) {
	var others jen.Code = jen.Nil()
	if rest := follow(additional(s)); rest == nil || !nothing(rest) {
		others = e.checker(additional(s), e.within(context, "other"))
	}
	open := anything(additional(s))
	on(g, "Members", types, others, jen.Index().Qual(schemaPath, "Member").ValuesFunc(func(rows *jen.Group) {
		for _, p := range s.Properties {
			required := slices.Contains(s.Required, p.Name)
			if required || !open || !anything(p.Schema) {
				rows.Line().Add(e.row(p.Name, required, p.Schema, context))
			}
		}
		for _, name := range s.Required {
			if s.Property(name) == nil {
				rows.Line().Add(e.row(name, true, nil, context))
			}
		}
		rows.Line()
	}))
}

// function emits the parameters and the body of a check function, which gofmt keeps in one line if it is short.
func function(body func(*jen.Group)) jen.Code {
	return jen.Params(jen.Id("c").Op("*").Qual(schemaPath, "Checker")).CustomFunc(jen.Options{Open: "{", Close: "}", Separator: "\n"}, body)
}

// row emits the row of a member.
func (e *emitter) row(name string, required bool, s *jsonschema.Schema, context string) jen.Code {
	row := []jen.Code{jen.Id("Name").Op(":").Lit(name)}
	add := func(field string, value jen.Code) { row = append(row, jen.Id(field).Op(":").Add(value)) }
	if required {
		add("Required", jen.True())
	}
	s, context = e.follow(s, e.within(context, name))
	switch {
	case anything(s):
		add("Types", typeSet(nil))
	case nothing(s):
		add("Check", e.checker(s, context))
	case itemsOnly(s):
		add("Types", typeSet(s.Types))
		add("Items", e.checker(items(s), e.within(context, "item")))
	case !simple(s):
		add("Check", e.checker(s, context))
	case newPlan(s).passes(s) == 0:
		add("Types", typeSet(s.Types))
	case formatOnly(s):
		add("Types", typeSet(s.Types))
		add("Format", jen.Lit(s.Format))
	default:
		add("Check", e.checker(s, context))
	}
	return jen.Values(row...)
}

// formatOnly reports whether a simple schema has no rules besides types and a format.
func formatOnly(s *jsonschema.Schema) bool {
	return newPlan(s).value && assertsFormat(s) && s.Enum == nil && s.Const == "" && s.MinLength == nil && s.MaxLength == nil && s.Pattern == nil && !onNumbers(s)
}

// itemsOnly reports whether a schema has no rules besides types and those of elements.
func itemsOnly(s *jsonschema.Schema) bool {
	p := newPlan(s)
	return p.array && p.passes(s) == 1 && len(s.PrefixItems) == 0 && !contains(s) && s.MinItems == nil && s.MaxItems == nil
}

// checker returns an expression for the check function of a schema.
func (e *emitter) checker(s *jsonschema.Schema, context string) jen.Code {
	s, context = e.follow(s, context)
	method := func(name string) jen.Code { return jen.Parens(jen.Op("*").Qual(schemaPath, "Checker")).Dot(name) }
	switch {
	case anything(s):
		return method("Pass")
	case nothing(s):
		return method("Never")
	case !simple(s):
		return e.reference(s, context)
	}
	return jen.Func().Add(function(func(g *jen.Group) { e.body(g, s, context) }))
}
