package check

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/runtime/schema/dynamic"
	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
)

// pattern returns the variable of a compiled pattern and declares it if necessary. ok is
// false if the source is not a regular expression, in which case there is no rule.
func (e *emitter) pattern(source string) (variable jen.Code, ok bool) {
	name, known := e.patterns[source]
	if known {
		return jen.Id(name), name != ""
	}
	value, ok := Pattern(source)
	if !ok {
		e.patterns[source] = ""
		return nil, false
	}
	name = e.unique(e.group.Prefix + "Pattern")
	e.patterns[source] = name
	e.decls = append(e.decls, jen.Var().Id(name).Op("=").Add(value))
	return jen.Id(name), true
}

// Pattern returns an expression for a compiled pattern. ok is false if the source is not a regular
// expression.
func Pattern(source string) (value jen.Code, ok bool) {
	if re2, ok := dynamic.Translate(source); ok {
		return jen.Qual(schemaPath, "MustPattern").Call(text(source), text(re2)), true
	}
	if _, err := ecma.Compile(source); err != nil {
		return nil, false
	}
	return jen.Qual(ecmaPath, "MustPattern").Call(text(source)), true
}
