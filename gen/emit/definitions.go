package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// definitions renders the table of definitions and New, which creates values for callers that know
// definitions only by name.
func (e *emitter) definitions(f *jen.File) {
	made := "return definitions.New(definition)"
	if e.core != "" { // an extension also knows the definitions of its revision
		made = "if v, ok := definitions.New(definition); ok {\nreturn v, true\n}\nreturn $1(definition)"
	}
	code.Declare(f, "New returns a new value of a definition of the revision, by its upstream name, or of a type of this package that has no definition of its own. It reports whether the name is known.",
		"func New(definition string) (wire.Value, bool) {\n"+made+"\n}", code.Name(e.core, "New"))
	decls := slices.Clone(e.rev.Decls)
	slices.SortFunc(decls, func(a, b *ir.Decl) int { return strings.Compare(a.Key(), b.Key()) })
	rows := ""
	for _, d := range decls {
		rows += fmt.Sprintf("{Name: %q, %s},\n", d.Key(), definition(d))
	}
	code.Declare(f, "", "var definitions = jsonrpc.Definitions{\n$1}", rows)
}

// definition renders the fields of the row of a declaration beside its name.
func definition(d *ir.Decl) string {
	if !d.Message {
		return "New: " + fresh(&ir.Ref{Decl: d})
	}
	switch t := d.Type.(type) {
	case *ir.Union:
		if t.Context {
			return "New: " + fresh(&ir.Ref{Decl: t.Variants[0].Decl})
		}
		var names []string
		for _, v := range t.Variants {
			names = append(names, v.Decl.Key())
		}
		return "OneOf: " + code.Strings(names)
	case *ir.Array:
		return fmt.Sprintf("Each: %q", t.Elem.(*ir.Ref).Decl.Key())
	case *ir.Object:
		var members []string
		method, payload := "", fresh(&ir.Open{})
		for _, field := range t.Fields {
			name := field.Wire
			if !field.Required {
				name += "?"
			}
			members = append(members, name)
			switch field.Wire {
			case "method":
				if name, ok := field.Const.(string); ok {
					method = fmt.Sprintf("Method: %q, ", name)
				}
			case "params", "result", "error":
				payload = fresh(field.Type)
			}
		}
		return fmt.Sprintf("Members: %q, %sNew: %s", strings.Join(members, " "), method, payload)
	}
	panic("emit: a message is an object, or a union or array of some")
}

// message renders the type of a whole message as another name of a generic type of package jsonrpc.
func message(f *jen.File, d *ir.Decl) {
	o := d.Type.(*ir.Object)
	generic, text := "RequestOf", d.Doc
	if strings.HasSuffix(d.Name, "Notification") {
		generic = "NotificationOf"
	}
	payload := "wire.Object"
	for _, field := range o.Fields {
		switch field.Wire {
		case "method":
			if method, ok := field.Const.(string); ok {
				text += " Its method is \"" + method + "\"."
			}
			continue
		case "params":
		case "result":
			generic = "ResultOf"
		case "error":
			generic = "ErrorOf"
		default:
			continue
		}
		payload = valueType(field.Type)
	}
	code.Declare(f, text+deprecation(d.Deprecated), "type $1 = jsonrpc.$2[$3]", d.Name, generic, payload)
}

// fresh renders a function that returns a new wire.Value.
func fresh(t ir.Type) string { return "wire.New[" + valueType(t) + "]" }

// valueType renders the type whose pointer is a wire.Value of a type.
func valueType(t ir.Type) string {
	ref, ok := t.(*ir.Ref)
	if !ok {
		return GoType(t)
	}
	d := underlying(ref.Decl)
	if hasBox(d) {
		return qualified(d, boxName(d))
	}
	return declName(d)
}

// underlying returns the declaration that an alias stands for.
func underlying(d *ir.Decl) *ir.Decl {
	if under, ok := d.Type.(*ir.Ref); ok && isAlias(d) {
		return underlying(under.Decl)
	}
	return d
}

// hasBox reports whether a declaration needs a box to be a wire.Value.
func hasBox(d *ir.Decl) bool {
	switch t := d.Type.(type) {
	case *ir.Union:
		return true
	case *ir.Scalar:
		return isAlias(d) && !t.ID
	}
	return false
}
