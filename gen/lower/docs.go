package lower

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/spec"
)

// docs looks doc comments up and remembers which were wanted.
type docs struct {
	in   *spec.Docs
	used map[string]bool
}

func (d *docs) find(table map[string]string, tableName, key string) string {
	text := strings.TrimSpace(table[key])
	if text != "" {
		d.used[tableName+"/"+key] = true
	}
	return text
}

// document gives every identifier its doc comment: ours, else the schema's own
// description, else what can be said from its shape.
func (l *lowerer) document(r *ir.Revision) {
	for _, decl := range r.Decls {
		l.documentDecl(decl)
	}
	for _, m := range r.Methods {
		m.Doc = l.docs.find(l.docs.in.Methods, "methods", m.Wire)
		if m.Doc == "" {
			kind := "request"
			if m.Notification {
				kind = "notification"
			}
			m.Doc = fmt.Sprintf("is the %s %s.", kind, m.Wire)
		}
	}
}

func (l *lowerer) documentDecl(d *ir.Decl) {
	d.Doc = l.docs.find(l.docs.in.Types, "types", d.Name)
	if d.Doc == "" && l.origin[d] != nil {
		d.Doc = l.origin[d].Description
	}
	if d.Doc == "" {
		d.Doc = fmt.Sprintf("%s is the type of %s.", d.Name, d.Path)
		if d.Definition {
			d.Doc = fmt.Sprintf("%s is the definition of that name.", d.Name)
		}
	}
	switch t := d.Type.(type) {
	case *ir.Object:
		for _, f := range t.Fields {
			f.Doc = firstOf(
				l.docs.find(l.docs.in.Fields, "fields", d.Name+"."+f.Wire),
				l.docs.find(l.docs.in.Properties, "properties", f.Wire),
				f.Doc,
			)
			if f.Const != nil && f.Required {
				f.Doc = strings.TrimSpace(f.Doc + fmt.Sprintf(" It is %#v, which the zero value stands for.", f.Const))
			}
		}
	case *ir.Enum:
		for i := range t.Values {
			v := &t.Values[i]
			v.Doc = firstOf(
				l.docs.find(l.docs.in.Values, "values", d.Name+"."+v.Wire),
				fmt.Sprintf("%s is the value %q.", v.Go, v.Wire),
			)
		}
	}
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
