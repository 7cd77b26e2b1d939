// Package check emits check functions: Go code that finds every violation of a tool's
// schema in a JSON value, with package runtime/schema. A schema with keywords that no code
// is emitted for is instead compiled at run time, on first use, by package
// runtime/schema/fallback. Values are checked while they are text, so types do not repeat what the schema
// says.
package check

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// Root is a schema that gets a check function of its own.
type Root struct {
	// Func is the function's name. It must begin with "check". No other name of the package
	// may begin with that.
	Func   string
	Schema *jsonschema.Schema
}

// Group holds the schemas of one owner, such as a tool. The declarations of a group do not depend
// on other groups.
type Group struct {
	// Prefix is the prefix of the names that the group declares besides the functions of its roots.
	// It must begin with "check".
	Prefix string
	// At is the JSON Pointer of the owner. Comments give the places of schemas relative to it.
	At string
	// Owner is how comments call the owner, such as `the tool "echo"`, or "".
	Owner string
	Roots []Root
}

// Declarations returns a function
//
//	func NAME(c *schema.Checker)
//
// for each root, and the functions that they share. All roots of a package must be in one
// call of Declarations or Groups. A pattern that is not a regular expression of
// ECMA-262 is not checked.
func Declarations(roots []Root) ([]jen.Code, error) {
	all, err := Groups([]Group{{Prefix: "check", Roots: roots}})
	return all[0], err
}

// Groups is like Declarations. It returns the declarations of each group, which share nothing
// with those of other groups.
func Groups(groups []Group) ([][]jen.Code, error) {
	e := newEmitter(groups)
	return e.groups(groups), e.err()
}

// Sharing is Groups for groups that share the functions of the definitions that several of them have. It also returns
// the declarations of these.
func Sharing(groups []Group) (all [][]jen.Code, shared []jen.Code, err error) {
	e := newEmitter(groups)
	e.share(groups)
	all = e.groups(groups)
	e.begin(Group{Prefix: sharedPrefix})
	e.queue = slices.Clone(e.sharedSchemas)
	e.functions()
	return all, e.decls, e.err()
}

func (e *emitter) groups(groups []Group) [][]jen.Code {
	all := make([][]jen.Code, len(groups))
	for i, group := range groups {
		e.begin(group)
		for _, root := range group.Roots {
			e.root(root)
		}
		e.functions()
		all[i] = e.decls
	}
	return all
}

// functions emits the functions in the queue, and those that they need.
func (e *emitter) functions() {
	for len(e.queue) > 0 {
		next := e.queue[0]
		e.queue = e.queue[1:]
		e.emit(next)
	}
}
