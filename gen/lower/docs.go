package lower

import (
	"cmp"
	"fmt"
	"iter"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/spec"
)

// docs holds the doc comments of a revision and records which rows were used and which
// identifiers have none.
type docs struct {
	comments, marks map[docKey]spec.DocRow
	used            map[string]bool
	missing         []string
}

// docKey is a table of docs.yaml and a key in it.
type docKey struct{ table, key string }

func newDocs(in *spec.Docs, revision string) *docs {
	d := &docs{map[docKey]spec.DocRow{}, map[docKey]spec.DocRow{}, map[string]bool{}, nil}
	collect := func(into map[docKey]spec.DocRow, rows iter.Seq[spec.DocRow]) {
		for row := range rows {
			if row.Contains(revision) {
				into[docKey{row.Table, row.Key}] = row
			}
		}
	}
	collect(d.comments, in.Comments())
	collect(d.marks, in.Marks())
	return d
}

// find returns the comment of an identifier, or "" if it has none.
func (d *docs) find(table, key string) string { return d.use(d.comments[docKey{table, key}]) }

// deprecated returns the text that marks an identifier as deprecated, or "".
func (d *docs) deprecated(table, key string) string { return d.use(d.marks[docKey{table, key}]) }

func (d *docs) use(row spec.DocRow) string {
	if row.Path != "" {
		d.used[row.Path] = true
	}
	return strings.TrimSpace(row.Text.Text)
}

// miss records that an identifier has no comment.
func (d *docs) miss(table, key string) { d.missing = append(d.missing, table+": "+key) }

// document sets the doc comment of every identifier: the one of docs.yaml, else the
// description of the schema, else a sentence on its place in the schema.
func (l *lowerer) document(r *ir.Revision) {
	for _, decl := range r.Decls {
		l.documentDecl(decl)
	}
	r.Doc = l.docs.find("packages", r.ID)
	for _, m := range r.Methods {
		m.Doc = l.docs.find("methods", m.Wire)
		m.Deprecated = l.docs.deprecated("methods", m.Wire)
		if m.Doc == "" {
			l.docs.miss("methods", m.Wire)
			kind := "request"
			if m.Notification {
				kind = "notification"
			}
			m.Doc = fmt.Sprintf("is the %s %s.", kind, m.Wire)
		}
	}
}

func (l *lowerer) documentDecl(d *ir.Decl) {
	d.Doc = l.docs.find("types", d.Name)
	d.Deprecated = l.docs.deprecated("types", d.Name)
	if s := l.origin[d]; d.Deprecated == "" && s != nil && s.Deprecated {
		d.Deprecated = deprecated
	}
	if d.Doc == "" {
		l.docs.miss("types", d.Name)
	}
	if d.Doc == "" && l.origin[d] != nil {
		d.Doc = l.origin[d].Description
	}
	if d.Doc == "" {
		d.Doc = fmt.Sprintf("%s is %s.", d.Name, origin(d))
	}
	switch t := d.Type.(type) {
	case *ir.Object:
		for _, f := range t.Fields {
			l.documentField(d, f)
		}
	case *ir.Enum:
		for i := range t.Values {
			v := &t.Values[i]
			key := d.Name + "." + v.Wire
			v.Doc = l.docs.find("values", key)
			v.Deprecated = l.docs.deprecated("values", key)
			if v.Doc == "" {
				l.docs.miss("values", key)
				v.Doc = fmt.Sprintf("%s is the value %q.", v.Go, v.Wire)
			}
		}
	}
}

func (l *lowerer) documentField(d *ir.Decl, f *ir.Field) {
	key := d.Name + "." + f.Wire
	own := cmp.Or(l.docs.find("fields", key), l.docs.find("properties", f.Wire))
	if own == "" {
		l.docs.miss("fields", key)
	}
	f.Doc = cmp.Or(own, f.Doc)
	f.Deprecated = cmp.Or(l.docs.deprecated("fields", key), f.Deprecated)
	if text, ok := ir.Resolve(f.Type).(*ir.String); ok && text.Format == "byte" {
		f.Doc = strings.TrimSpace(f.Doc + " wire.EncodeBase64 and wire.DecodeBase64 convert it from and to bytes.")
	}
	if f.Const != nil && f.Required {
		f.Doc = strings.TrimSpace(f.Doc + fmt.Sprintf(" It is always %#v; the zero value is sent as that.", f.Const))
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
