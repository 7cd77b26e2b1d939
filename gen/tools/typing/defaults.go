package typing

import (
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// defaulted is a member of a declaration, with the schemas that may have its default.
type defaulted struct {
	field *ir.Field
	decl  *ir.Decl
	at    spot
	all   disj
}

// applyDefaults gives the members of a document their defaults. Such a member is always
// present in a decoded value, so it is required in Go, unless its type depends on other
// members.
func (t *typer) applyDefaults() {
	for _, d := range t.fields {
		text := d.all.defaultOf()
		if text == "" {
			continue
		}
		problem := ir.Misfit(d.field.Type, text, false)
		if problem == "" && strings.Contains(string(text), "{") && reaches(d.field.Type, d.decl) {
			problem = "it would contain itself"
		}
		if problem != "" {
			t.remark(&t.pkg.Notes, d.at, "the default %s is left out: %s", text, problem)
			d.field.Doc = strings.TrimSpace(strings.Replace(d.field.Doc, defaultSentence(text), "", 1))
			continue
		}
		compact, err := text.AppendJSON(nil)
		if err != nil {
			continue // cannot happen: the list was read
		}
		d.field.Default = string(compact)
		d.field.Required = !d.field.Soft
	}
	t.fields = nil
}

// reaches reports whether a value of a type may contain values of a declaration.
func reaches(t ir.Type, d *ir.Decl) (found bool) {
	ir.Reach(t, func(other *ir.Decl) { found = found || other == d })
	return found
}

// defaultOf returns the default of a member: that of its schemas, else that of
// those they refer to.
func (d disj) defaultOf() wire.Raw {
	for _, c := range d {
		for _, s := range c {
			for seen := 0; s != nil && seen < 10; s, seen = s.Target, seen+1 {
				if s.Default != "" {
					return s.Default
				}
			}
		}
	}
	return ""
}
