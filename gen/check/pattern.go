package check

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
)

// pattern returns the variable of a compiled pattern and declares it if necessary. ok is
// false if the source is not a regular expression, in which case there is no rule.
func (e *emitter) pattern(source string) (variable jen.Code, ok bool) {
	name, known := e.patterns[source]
	if known {
		return jen.Id(name), name != ""
	}
	var value *jen.Statement
	if re2, ok := translate(source); ok {
		value = jen.Qual(schemaPath, "MustPattern").Call(text(source), text(re2))
	} else if _, err := ecma.Compile(source); err == nil {
		value = jen.Qual(ecmaPath, "MustPattern").Call(text(source))
	}
	if value == nil {
		e.patterns[source] = ""
		return nil, false
	}
	name = e.unique("checkPattern")
	e.patterns[source] = name
	e.decls = append(e.decls, jen.Var().Id(name).Op("=").Add(value))
	return jen.Id(name), true
}
