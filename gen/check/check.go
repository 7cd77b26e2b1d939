// Package check emits check functions: Go code that finds every violation of a tool's
// schema in a JSON value, with package runtime/schema. A schema with keywords that no code
// is emitted for is instead compiled at run time, on first use, by package
// runtime/schema/fallback.
package check

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// Import paths that emitted code uses.
const (
	schemaPath   = "github.com/mcpgen/mcpgen/runtime/schema"
	fallbackPath = schemaPath + "/fallback"
	ecmaPath     = schemaPath + "/ecma"
)

// Root is a schema that gets a check function of its own.
type Root struct {
	// Func is the function's name. It must begin with "check". No other name of the package
	// may begin with that.
	Func   string
	Schema *jsonschema.Schema
}

// Emit adds the result of Declarations to f.
func Emit(f *jen.File, roots []Root) error {
	Imports(f)
	all, err := Declarations(roots)
	for _, d := range all {
		f.Line().Add(d)
	}
	return err
}

// Imports registers the names of the packages that the declarations use.
func Imports(f *jen.File) {
	f.ImportName(schemaPath, "schema")
	f.ImportName(fallbackPath, "fallback")
	f.ImportName(ecmaPath, "ecma")
}

// Declarations returns a function
//
//	func NAME(c *schema.Checker)
//
// for each root, and the functions that they share. All roots of a package must be in one
// call. It returns an error for a schema that refers to itself without a member or an
// element in between. A pattern that is not a regular expression of ECMA-262 is not
// checked.
func Declarations(roots []Root) ([]jen.Code, error) {
	e := newEmitter(roots)
	for _, root := range roots {
		e.root(root)
	}
	for len(e.queue) > 0 {
		next := e.queue[0]
		e.queue = e.queue[1:]
		e.function(next)
	}
	return e.decls, e.err()
}
