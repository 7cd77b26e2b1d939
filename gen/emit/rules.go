package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// rules holds what the validators of a revision use from package runtime/schema.
type rules struct {
	// patterns has the variable of each regular expression, and order their sources in order.
	patterns map[string]string
	order    []string
	// roots are the check functions of schemas that the types do not express, and funcs their
	// names by pointer.
	roots []check.Root
	funcs map[string]string
}

// newRules collects the rules of declarations.
func newRules(r *ir.Revision) (*rules, error) {
	out := &rules{patterns: map[string]string{}, funcs: map[string]string{}}
	var root *jsonschema.Schema
	for _, d := range r.Decls {
		ir.Walk(d.Type, func(t ir.Type) {
			if text, ok := t.(*ir.String); ok && text.Pattern != "" && out.patterns[text.Pattern] == "" {
				out.order = append(out.order, text.Pattern)
				out.patterns[text.Pattern] = fmt.Sprintf("pattern%d", len(out.order))
			}
		})
		for i, pointer := range d.Rules {
			if root == nil {
				root, _ = jsonschema.Read("", wire.Raw(r.Schema))
			}
			if out.funcs[pointer] != "" {
				continue
			}
			schema := root.At(pointer)
			if schema == nil {
				return nil, fmt.Errorf("%s: %s: there is no schema for %s", r.ID, pointer, d.Name)
			}
			name := "check" + d.Name
			if i > 0 {
				name += fmt.Sprintf("And%d", i+1)
			}
			out.funcs[pointer] = name
			out.roots = append(out.roots, check.Root{Func: name, Schema: schema})
		}
	}
	return out, nil
}

// checks adds the files with the patterns and check functions, if there are any.
func (e *emitter) checks() error {
	all, err := check.Declarations(e.rules.roots)
	if err != nil {
		return err
	}
	var patterns []jen.Code
	for _, source := range e.rules.order {
		value, ok := check.Pattern(source)
		if !ok {
			return fmt.Errorf("%s: %q is not a regular expression", e.header, source)
		}
		patterns = append(patterns, code.Go("var "+e.rules.patterns[source]+" = "+value))
	}
	if all = slices.Concat(patterns, all); len(all) == 0 {
		return nil
	}
	e.addItems("checks", len(all), func(f *jen.File, first, end int) {
		for _, d := range all[first:end] {
			f.Line().Add(d)
		}
	})
	return nil
}

// obey renders the check of a value by the rules of its declaration.
func (e *emitter) obey(d *ir.Decl, value string) string {
	calls := ""
	for _, pointer := range d.Rules {
		calls += fmt.Sprintf("schema.Collect(c, %s, %s)\n", value, e.rules.funcs[pointer])
	}
	return calls
}
