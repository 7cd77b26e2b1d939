package check

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/names"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/schema/fallback"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// emitter is the state of one call of Groups.
type emitter struct {
	namer *names.Namer
	taken map[string]bool // names used in the package
	refs  map[*jsonschema.Schema]bool
	errs  []error
	// definitions has the identities of definitions, shared the functions of those that several groups have, and
	// sharedSchemas their schemas in the order in which they were found.
	definitions   map[*jsonschema.Schema]definition
	shared        map[definition]string
	sharedSchemas []pending

	// The following fields are for the group that is being emitted.
	group Group
	decls []jen.Code
	// funcs maps each schema that has a function to its name.
	funcs    map[identity]string
	queue    []pending
	patterns map[string]string // variables by the source of the pattern
}

// pending is a check function that is still to be emitted.
type pending struct {
	name   string
	schema *jsonschema.Schema
}

// identity identifies a schema by its text. If it contains references, a definition is identified by what it says,
// and another schema by itself.
type identity struct {
	draft  jsonschema.Draft
	text   wire.Raw
	says   definition
	schema *jsonschema.Schema
}

func newEmitter(groups []Group) *emitter {
	e := &emitter{namer: names.New(nil), taken: map[string]bool{}, refs: map[*jsonschema.Schema]bool{}, definitions: map[*jsonschema.Schema]definition{}, shared: map[definition]string{}}
	for _, group := range groups {
		for _, root := range group.Roots {
			if e.taken[root.Func] {
				e.errs = append(e.errs, fmt.Errorf("check: two check functions have the name %s", root.Func))
			}
			e.taken[root.Func] = true
		}
	}
	return e
}

// begin prepares for the roots of a group.
func (e *emitter) begin(group Group) {
	e.group, e.decls, e.queue = group, nil, nil
	e.funcs, e.patterns = map[identity]string{}, map[string]string{}
}

func (e *emitter) err() error { return errors.Join(e.errs...) }

// root emits the function of a root.
func (e *emitter) root(r Root) {
	for _, s := range r.Schema.Reach() {
		if !covered(s) {
			e.fallback(r)
			return
		}
	}
	id := e.identity(r.Schema)
	if other, ok := e.funcs[id]; ok { // an identical schema has a function already
		e.declare(r.Func, r.Schema, func() string { return other + "(c)" })
		return
	}
	e.funcs[id] = r.Func
	e.queue = append(e.queue, pending{r.Func, r.Schema})
}

// declare emits a check function.
func (e *emitter) declare(name string, s *jsonschema.Schema, body func() string) {
	what := "a value"
	if at := e.place(s); at != "" {
		what = "the schema at " + at
	}
	at := len(e.decls)
	e.decls = append(e.decls, nil) // before the declarations that the body needs
	e.decls[at] = code.Go(fmt.Sprintf("// %s checks %s.\nfunc %[1]s%[3]s", name, what, function(body())))
}

// place returns the place of a schema as text for a comment.
func (e *emitter) place(s *jsonschema.Schema) string {
	if e.group.Prefix == sharedPrefix {
		return pointerText(s.Pointer[strings.LastIndex(s.Pointer, "/$defs/")+1:]) + " of several items"
	}
	at := pointerText(strings.TrimPrefix(s.Pointer, e.group.At))
	if e.group.Owner != "" {
		at += " of " + pointerText(e.group.Owner)
	}
	return at
}

// pointerText returns a JSON Pointer as text for a comment.
func pointerText(pointer string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '\u2028' || r == '\u2029' || r == '\ufeff' {
			return '?'
		}
		return r
	}, pointer)
}

func (e *emitter) fallback(r Root) {
	document := r.Schema.Standalone(jsonschema.AssertedFormats)
	if _, err := fallback.Compile(string(document)); err != nil {
		// Otherwise the generated program would panic at run time.
		e.errs = append(e.errs, fmt.Errorf("check: the schema at %s cannot be compiled: %w", r.Schema.Pointer, err))
	}
	variable := e.unique(r.Func + "Fallback")
	e.decls = append(e.decls, code.Go(fmt.Sprintf("// %s is the schema at %s. It has keywords that mcpgen does not generate code for.\nvar %[1]s = fallback.MustCompile(%[3]s)",
		variable, e.place(r.Schema), code.String(document))))
	e.declare(r.Func, r.Schema, func() string { return variable + "(c)" })
}

// emit emits a check function with all its rules.
func (e *emitter) emit(f pending) {
	e.declare(f.name, f.schema, func() string { return e.body(f.schema, f.name) })
}

// call returns the check of the next value. The name of a function that only this check uses
// is derived from context.
func (e *emitter) call(s *jsonschema.Schema, context string) string {
	s, context = e.follow(s, context)
	switch {
	case anything(s):
		return "c.Pass()\n"
	case nothing(s):
		return "c.Never()\n"
	case simple(s):
		return e.body(s, context)
	}
	return e.reference(s, context) + "(c)\n"
}

// reference returns the function of a schema and emits it if necessary.
func (e *emitter) reference(s *jsonschema.Schema, context string) string {
	s, context = e.follow(s, context)
	if name := e.sharedName(s); name != "" {
		return name
	}
	id := e.identity(s)
	name, ok := e.funcs[id]
	if !ok {
		name = e.unique(context)
		e.funcs[id] = name
		e.queue = append(e.queue, pending{name, s})
	}
	return name
}

// follow is [follow] that also returns the function name for the resolved schema.
func (e *emitter) follow(s *jsonschema.Schema, context string) (*jsonschema.Schema, string) {
	target := follow(s)
	if target != s {
		context = e.targetName(target)
	}
	return target, context
}

// unique returns an unused name.
func (e *emitter) unique(name string) string {
	unique := names.Unique(name, func(s string) bool { return e.taken[s] })
	e.taken[unique] = true
	return unique
}

// within returns the function name for a subschema.
func (e *emitter) within(context, part string) string {
	const longest = 100 // of generated names
	if len(context) > longest {
		context = context[:strings.LastIndexFunc(context[:longest], isStart)]
	}
	return context + e.namer.Exported(part)
}

func isStart(r rune) bool { return 'A' <= r && r <= 'Z' }

func (e *emitter) identity(s *jsonschema.Schema) identity {
	if !e.refers(s) {
		return identity{draft: s.Draft, text: s.Source}
	}
	if _, ok := s.Definition(); ok {
		return identity{says: e.definition(s)}
	}
	return identity{schema: s}
}

// refers reports whether a schema contains a reference.
func (e *emitter) refers(s *jsonschema.Schema) bool {
	if known, ok := e.refs[s]; ok {
		return known
	}
	found := s.Ref != "" || s.DynamicRef != ""
	for _, sub := range s.Subschemas() {
		found = e.refers(sub) || found
	}
	e.refs[s] = found
	return found
}
