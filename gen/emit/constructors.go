package emit

import (
	"fmt"
	"go/token"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/lower"
)

// constructors renders a function for each type that a constant member names and whose other required members are
// strings, such as Text for TextContent, whose type is "text". A parameter for base64 takes bytes.
func (e *emitter) constructors(f *jen.File) {
	for _, c := range constructorsOf(e.rev) {
		var params []string
		values := jen.Dict{}
		article := "a"
		if strings.ContainsRune("AEIO", rune(c.decl.Name[0])) {
			article = "an"
		}
		for _, field := range c.fields {
			name := unexported(field.Go)
			if token.IsKeyword(name) {
				name += "Value"
			}
			of, value := " string", name
			if field.Type.(*ir.String).Format == "byte" {
				of, value = " []byte", "wire.EncodeBase64("+name+")"
			}
			params = append(params, name+of)
			values[jen.Id(field.Go)] = code.Go(value)
		}
		code.Declare(f, fmt.Sprintf("%s returns %s %s.", c.name, article, c.decl.Name)+deprecation(c.decl.Deprecated),
			"func $1($2) *$3 {\nreturn &$3$4\n}", c.name, strings.Join(params, ", "), c.decl.Name, jen.Values(values))
	}
}

// constructor is a function that returns a value of a declaration with some members.
type constructor struct {
	name   string
	decl   *ir.Decl
	fields []*ir.Field
}

// constructorsOf returns the constructors of a revision. One whose name another declaration has is left out.
func constructorsOf(r *ir.Revision) []constructor {
	var all []constructor
	taken := map[string]int{}
	for _, name := range lower.PackageNames {
		taken[name] = 2
	}
	for _, d := range r.Decls {
		taken[d.Name] = 2
		if t, ok := d.Type.(*ir.Enum); ok {
			for _, v := range t.Values {
				taken[v.Go] = 2
			}
		}
	}
	for _, d := range r.Decls {
		o, ok := d.Type.(*ir.Object)
		if !ok || d.Message || d.Import != "" {
			continue
		}
		c := constructor{decl: d}
		for _, field := range o.Fields {
			_, isText := field.Type.(*ir.String)
			value, isConstant := field.Const.(string)
			switch {
			case isConstant && field.Required && field.Wire == "type":
				c.name = exported(value)
			case !field.Required || isConstant:
			case !isText:
				c.fields, ok = nil, false
			default:
				c.fields = append(c.fields, field)
			}
		}
		if ok && c.name != "" && c.fields != nil {
			taken[c.name]++
			all = append(all, c)
		}
	}
	var free []constructor
	for _, c := range all {
		if taken[c.name] == 1 {
			free = append(free, c)
		}
	}
	return free
}

// exported returns the value of a constant as a Go name, or "" if it is not made of letters, digits and
// separators.
func exported(value string) string {
	var name strings.Builder
	for word := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == '_' || r == '-' || r == '/' }) {
		for i, r := range word {
			if !unicode.IsLetter(r) && (!unicode.IsDigit(r) || name.Len() == 0) {
				return ""
			}
			if i == 0 {
				r = unicode.ToUpper(r)
			}
			name.WriteRune(r)
		}
	}
	return name.String()
}

// unexported returns the name of a field as that of a parameter: mimeType for MIMEType.
func unexported(field string) string {
	upper := 0
	for upper < len(field) && unicode.IsUpper(rune(field[upper])) {
		upper++
	}
	if 1 < upper && upper < len(field) {
		upper-- // the last one begins the next word
	}
	return strings.ToLower(field[:upper]) + field[upper:]
}
