package validate

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
)

// pattern returns the variable of a pattern, and sees to it that there is one.
func (e *emitter) pattern(source string) jen.Code {
	name, ok := e.patterns[source]
	if !ok {
		name = e.unique("checkPattern")
		e.patterns[source] = name
		e.f.Line()
		if re2, ok := translate(source); ok {
			e.f.Var().Id(name).Op("=").Qual(schemaPath, "MustPattern").Call(text(source), text(re2))
		} else {
			e.f.Var().Id(name).Op("=").Qual(ecmaPath, "MustPattern").Call(text(source))
		}
	}
	return jen.Id(name)
}

// isPattern reports whether a source is a regular expression at all. What is
// none is no rule either.
func isPattern(source string) bool {
	if _, ok := translate(source); ok {
		return true
	}
	_, err := ecma.Compile(source)
	return err == nil
}
