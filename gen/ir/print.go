package ir

import (
	"fmt"
	"io"
	"strings"
)

// Print writes the revision as text, with one line for each fact.
func Print(w io.Writer, r *Revision) error {
	p := printer{w: w}
	p.line("revision %s", r.ID)
	if len(r.Headers) > 0 {
		p.line("headers %s", strings.Join(r.Headers, ", "))
	}
	for _, d := range r.Decls {
		p.decl(d)
	}
	for _, m := range r.Methods {
		p.method(m)
	}
	return p.err
}

// PrintDecls writes declarations in the format of Print.
func PrintDecls(w io.Writer, decls []*Decl) error {
	p := printer{w: w}
	for _, d := range decls {
		p.decl(d)
	}
	return p.err
}

// identity returns a text that two types have only if they are the same: they have the same parts with the same
// comments and Go names, and refer to declarations of the same name. Name returns the name of a declaration, or ""
// for one that only is another name for its type.
func identity(t Type, name func(*Decl) string) string {
	var text strings.Builder
	p := printer{w: &text, name: name, comments: true}
	p.line("%q", p.typ(t))
	p.parts(t)
	return text.String() // a strings.Builder does not fail
}

type printer struct {
	w   io.Writer
	err error
	// name is the argument of identity, or nil.
	name func(*Decl) string
	// comments means that each part has a line with its type and its comments, in place of where it is from. The type
	// may contain any text.
	comments bool
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// fact is a text about something, if it holds.
type fact struct {
	holds bool
	text  string
}

// holding returns the texts of the facts that hold.
func holding(all ...fact) (texts []string) {
	for _, f := range all {
		if f.holds {
			texts = append(texts, f.text)
		}
	}
	return texts
}

func (p *printer) decl(d *Decl) {
	notes := holding(
		fact{!d.Definition, "from " + d.Path}, fact{d.Family != "", "in " + d.Family}, fact{d.Checked, "checked"}, fact{d.Message, "message"},
		fact{d.Rules != nil, "by " + strings.Join(d.Rules, " and ")},
	)
	p.line("\ntype %s %s (%s)", d.Name, p.typ(d.Type), strings.Join(notes, ", "))
	p.parts(d.Type)
}

// parts writes the lines for the parts of the type of a declaration.
func (p *printer) parts(t Type) {
	switch t := t.(type) {
	case *Object:
		for _, f := range t.Fields {
			p.field(f)
		}
		if t.Additional != nil {
			p.line("\tothers %s", p.typ(t.Additional))
		}
		if t.Closed {
			p.line("\tno others")
		}
		if t.Loose {
			p.line("\tor no object")
		}
	case *Enum:
		for _, v := range t.Values {
			p.line("\t%q %s", v.Wire, v.Go)
			p.comment("", v.Doc, v.Deprecated)
		}
	case *Union:
		for _, v := range t.Variants {
			p.line("\t| %s", p.variant(v))
		}
		if t.Lenient {
			p.line("\tlenient")
		}
		p.decision(t.Decision, "\t")
	}
}

func (p *printer) field(f *Field) {
	notes := holding(
		fact{f.Required && f.Default == "", "required"}, fact{f.Nullable(), "nullable"}, fact{f.Const != nil, fmt.Sprintf("const %#v", f.Const)},
		fact{f.Boxed, "boxed"}, fact{f.Injected && !p.comments, "injected"}, fact{f.Soft, "soft"}, fact{f.Default != "", "default " + f.Default},
	)
	of := p.typ(f.Base())
	if p.comments {
		p.comment(of, f.Doc, f.Deprecated)
		of = ""
	}
	p.line("\t%q %s %s %s", f.Wire, f.Go, of, strings.Join(notes, " "))
}

// comment writes a type and the comments of a part with it.
func (p *printer) comment(of, doc, deprecated string) {
	if p.comments {
		p.line("\t%q %q %q", of, doc, deprecated)
	}
}

func (p *printer) decision(d Decision, indent string) {
	switch d := d.(type) {
	case *Leaf:
		p.line("%s-> %s", indent, p.variant(d.Variant))
	case *ByKind:
		for _, c := range d.Cases {
			p.line("%skind %s", indent, c.Kind)
			p.decision(c.Then, indent+"\t")
		}
	case *ByConst:
		for _, c := range d.Cases {
			p.line("%s%s = %#v", indent, d.Member, c.Value)
			p.decision(c.Then, indent+"\t")
		}
		if d.Absent != nil {
			p.line("%s%s absent", indent, d.Member)
			p.decision(d.Absent, indent+"\t")
		}
	case *ByPresence:
		for _, g := range d.Guards {
			var paths []string
			for _, path := range g.Paths {
				paths = append(paths, strings.Join(path, "."))
			}
			p.line("%shas %s -> %s", indent, strings.Join(paths, " and "), p.variant(g.Variant))
		}
	}
}

func (p *printer) variant(v *Variant) string {
	name := v.Decl.Name
	if p.name != nil {
		name = p.name(v.Decl)
	}
	if v.Boxed {
		return "*" + name
	}
	return name
}

func (p *printer) method(m *Method) {
	kind, direction := "request", "to server"
	if m.Notification {
		kind = "notification"
	}
	if m.ToClient {
		direction = "to client"
		if m.ToServer {
			direction = "both ways"
		}
	}
	optional := "?"
	if m.ParamsRequired {
		optional = ""
	}
	p.line("\nmethod %s %s: %s %s of %s", m.Wire, m.Go, kind, direction, m.Definition)
	p.line("\tparams%s %s", optional, m.Params.Name)
	if m.Result != nil {
		p.line("\tresult %s", m.Result.Name)
	}
	if m.Plain != nil {
		p.line("\tplain result %s", m.Plain.Name)
	}
	for _, text := range holding(
		fact{m.Capability != "", "capability " + m.Capability}, fact{m.Paginated, "paginated"}, fact{m.Within, "within a result"}, fact{m.Asks, "asks"}, fact{m.Cacheable, "cacheable"},
		fact{m.NameParam != "", "named by " + m.NameParam}, fact{m.Filter != "", strings.TrimSpace("asked for by " + m.Filter + " " + m.FilterParam)},
		fact{m.ResultTypes != nil, "result types " + strings.Join(m.ResultTypes, ", ")},
	) {
		p.line("\t%s", text)
	}
	if m.Items != nil {
		p.line("\titems %q %s", m.Items.Wire, m.ItemsGo)
	}
}

// TypeString returns a type in one line.
func TypeString(t Type) string { return new(printer).typ(t) }

func (p *printer) typ(t Type) string {
	switch t := t.(type) {
	case *Object:
		return "object"
	case *Enum:
		return "enum"
	case *Union:
		if t.Context {
			return "union by context"
		}
		return "union"
	case *String:
		text := "string"
		if t.Format != "" {
			text += ":" + t.Format
		}
		if t.Pattern != "" {
			text += "/" + t.Pattern + "/"
		}
		return text + t.Length.String()
	case *Integer:
		if t.Exact {
			return "integer of any size" + t.Bounds.String()
		}
		return "integer" + t.Bounds.String()
	case *Number:
		return "number" + t.Bounds.String()
	case *Boolean:
		return "boolean"
	case *Time:
		return "time"
	case *Scalar:
		var names []string
		for _, s := range Scalars {
			if t.Kinds&s.Kind != 0 {
				names = append(names, s.Type)
			}
		}
		return strings.Join(names, "|")
	case *Any:
		return "any"
	case *Open:
		return "{...}"
	case *Array:
		return "[]" + p.typ(t.Elem) + t.Length.String()
	case *Map:
		return "{}" + p.typ(t.Elem)
	case *Nullable:
		return "nullable " + p.typ(t.Elem)
	case *Ref:
		name := t.Decl.Name
		if p.name != nil {
			name = p.name(t.Decl)
		}
		if name == "" {
			return p.typ(t.Decl.Type)
		}
		return name
	}
	return fmt.Sprintf("%T", t)
}

// String returns the bounds as an interval, or "" if there are none.
func (b Bounds) String() string {
	if b.Min == nil && b.Max == nil {
		return ""
	}
	low, high := "", ""
	if b.Min != nil {
		low = fmt.Sprint(*b.Min)
	}
	if b.Max != nil {
		high = fmt.Sprint(*b.Max)
	}
	left, right := "[", "]"
	if b.MinOpen {
		left = "("
	}
	if b.MaxOpen {
		right = ")"
	}
	return left + low + ".." + high + right
}

// String returns the limits in parentheses, or "" if there are none.
func (c Count) String() string {
	var limits []string
	if c.Min > 0 {
		limits = append(limits, fmt.Sprintf("min %d", c.Min))
	}
	if c.Max > 0 {
		limits = append(limits, fmt.Sprintf("max %d", c.Max))
	}
	if limits == nil {
		return ""
	}
	return "(" + strings.Join(limits, ", ") + ")"
}
