package check

import (
	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/runtime/schema/dynamic"
	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
)

// pattern returns the variable of a compiled pattern and declares it if necessary. ok is
// false if the source is not a regular expression, in which case there is no rule.
func (e *emitter) pattern(source string) (variable string, ok bool) {
	name, known := e.patterns[source]
	if known {
		return name, name != ""
	}
	value, ok := Pattern(source)
	if !ok {
		e.patterns[source] = ""
		return "", false
	}
	name = e.unique(e.group.Prefix + "Pattern")
	e.patterns[source] = name
	e.decls = append(e.decls, code.Go("var "+name+" = "+value))
	return name, true
}

// Pattern returns an expression for a compiled pattern. ok is false if the source is not a regular
// expression.
func Pattern(source string) (value string, ok bool) {
	if re2, ok := dynamic.Translate(source); ok {
		return "schema.MustPattern(" + code.String(source) + ", " + code.String(re2) + ")", true
	}
	if _, err := ecma.Compile(source); err != nil {
		return "", false
	}
	return "ecma.MustPattern(" + code.String(source) + ")", true
}
