package lower

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/spec"
)

// docs looks up doc comments and records which rows were used.
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

// document sets the doc comment of every identifier: the one of docs.yaml, else the
// description of the schema, else a sentence on its place in the schema.
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
		d.Doc = fmt.Sprintf("%s is %s.", d.Name, origin(d))
	}
	switch t := d.Type.(type) {
	case *ir.Object:
		for _, f := range t.Fields {
			f.Doc = firstOf(
				l.docs.find(l.docs.in.Fields, "fields", d.Name+"."+f.Wire),
				l.docs.find(l.docs.in.Properties, "properties", f.Wire),
				f.Doc,
			)
			if text, ok := ir.Resolve(f.Type).(*ir.String); ok && text.Format == "byte" {
				f.Doc = strings.TrimSpace(f.Doc + " wire.EncodeBase64 and wire.DecodeBase64 convert it from and to bytes.")
			}
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

// origin returns where a declaration without a description comes from, in words.
func origin(d *ir.Decl) string {
	if d.Definition {
		return "a definition without a description"
	}
	if i := strings.LastIndexByte(d.Path, '|'); i >= 0 && !strings.ContainsAny(d.Path[i:], ".[{") {
		return "an alternative of " + d.Path[:i]
	}
	if list, ok := strings.CutSuffix(d.Path, "[]"); ok {
		return "an element of " + list
	}
	if object, ok := strings.CutSuffix(d.Path, "{}"); ok {
		return "the value of a member of " + object
	}
	return "the type of " + d.Path
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
