// Package validate emits check functions: Go code that finds every problem a
// JSON value has with a schema of a tool, by package runtime/schema. A schema
// with keywords that no code is emitted for is compiled by the program instead, when
// it is needed first, by package runtime/schema/fallback.
package validate

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/tools"
)

// Import paths of what emitted code stands on.
const (
	schemaPath   = "github.com/mcpgen/mcpgen/runtime/schema"
	fallbackPath = schemaPath + "/fallback"
	ecmaPath     = schemaPath + "/ecma"
)

// Root is a schema that gets a check function of its own.
type Root struct {
	// Func is the function's name. It begins with "check"; the package must have
	// no other names that begin with it.
	Func   string
	Schema *tools.Schema
}

// Emit adds to f what Declarations returns.
func Emit(f *jen.File, roots []Root) error {
	Imports(f)
	all, err := Declarations(roots)
	for _, d := range all {
		f.Line().Add(d)
	}
	return err
}

// Imports tells a file the names of the packages that declarations use.
func Imports(f *jen.File) {
	f.ImportName(schemaPath, "schema")
	f.ImportName(fallbackPath, "fallback")
	f.ImportName(ecmaPath, "ecma")
}

// Declarations returns a function
//
//	func NAME(c *schema.Checker)
//
// for each root, and what they have in common; all roots of a package have to be
// in one call. An error names the schema that makes no sense as a whole: one that
// is what it refers to. A pattern that is no regular expression of ECMA-262 is
// not checked.
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
