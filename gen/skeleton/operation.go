package skeleton

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/rest"
)

// operationName returns the name of the variable with the operation that a tool calls.
func operationName(t typing.ToolTypes) string { return "operation" + t.Go }

// operation renders the operation that a tool calls.
func operation(f *jen.File, t typing.ToolTypes) {
	o := t.Tool.Operation
	d := jen.Dict{jen.Id("Method"): jen.Lit(o.Method), jen.Id("Path"): jen.Lit(o.Path)}
	set := func(name, value string) {
		if value != "" {
			d[jen.Id(name)] = jen.Lit(value)
		}
	}
	set("Server", o.Server)
	set("Accept", o.Accept)
	if o.Wrapped {
		d[jen.Id("Wrapped")] = jen.True()
	}
	if len(o.Parameters) > 0 {
		d[jen.Id("Parameters")] = jen.Index().Qual(restPath, "Parameter").Add(lines(o.Parameters, parameter))
	}
	if o.Body != nil {
		d[jen.Id("Body")] = body(o.Body)
	}
	if len(o.Security) > 0 {
		d[jen.Id("Security")] = jen.Index().Index().Qual(restPath, "Scheme").Add(lines(o.Security, func(schemes []tools.Scheme) jen.Code {
			return jen.ValuesFunc(func(group *jen.Group) {
				for _, s := range schemes {
					group.Add(scheme(s))
				}
			})
		}))
	}
	f.Add(emit.Comment(fmt.Sprintf("%s is the operation that the tool %q calls.", operationName(t), t.Tool.Name)))
	f.Var().Id(operationName(t)).Op("=").Op("&").Qual(restPath, "Operation").Values(d)
}

// lines renders the elements of a literal, each in a line.
func lines[T any](all []T, element func(T) jen.Code) jen.Code {
	return jen.ValuesFunc(func(g *jen.Group) {
		for _, one := range all {
			g.Line().Add(element(one))
		}
		g.Line()
	})
}

// members collects the fields of a literal in one line.
type members []jen.Code

func (m *members) add(name string, value jen.Code) { *m = append(*m, jen.Id(name).Op(":").Add(value)) }

func (m *members) text(name, value string) {
	if value != "" {
		m.add(name, jen.Lit(value))
	}
}

func (m *members) flag(name string, value bool) {
	if value {
		m.add(name, jen.True())
	}
}

func parameter(p tools.Parameter) jen.Code {
	var m members
	m.text("Member", p.Member)
	m.text("Name", p.Name)
	m.text("In", p.In)
	m.text("Style", p.Style)
	m.flag("Explode", p.Explode)
	m.flag("Reserved", p.Reserved)
	return jen.Values(m...)
}

func body(b *tools.Body) jen.Code {
	var m members
	m.text("Member", b.Member)
	m.text("MediaType", b.MediaType)
	m.text("Encoding", b.Encoding)
	if len(b.Fields) > 0 {
		m.add("Fields", jen.Index().Qual(restPath, "Field").Add(lines(b.Fields, func(field tools.Field) jen.Code {
			var m members
			m.text("Name", field.Name)
			m.text("Style", field.Style)
			m.flag("Explode", field.Explode)
			m.flag("Reserved", field.Reserved)
			m.text("MediaType", field.MediaType)
			m.flag("Base64", field.Base64)
			return jen.Values(m...)
		})))
	}
	return jen.Op("&").Qual(restPath, "Body").Values(m...)
}

func scheme(s tools.Scheme) jen.Code {
	var m members
	m.text("Name", s.Name)
	m.text("Kind", s.Kind)
	m.text("In", s.In)
	m.text("Parameter", s.Parameter)
	return jen.Values(m...)
}

// calling returns the expressions that the method of a tool returns to call its operation.
func calling(t typing.ToolTypes) string {
	if t.Tool.Output == nil {
		return fmt.Sprintf("rest.CallContent(ctx, &h.API, %s, in, contentOf)", operationName(t))
	}
	call := fmt.Sprintf("rest.Call(ctx, &h.API, %s, in, new(%s))", operationName(t), decoded(t))
	if t.Value != nil {
		return unboxName(t) + "(" + call + ")"
	}
	return call
}

// api describes the API that tools call, for the user's files.
type api struct {
	Servers  []string
	Variable string // of the base URL
	Schemes  []credential
}

type credential struct{ Variable, About string }

// apiOf returns the API that tools call, or nil if they call none.
func apiOf(all []typing.ToolTypes) *api {
	var found *api
	for _, t := range all {
		o := t.Tool.Operation
		if o == nil {
			continue
		}
		if found == nil {
			found = &api{Variable: rest.BaseURLVariable}
		}
		if o.Server != "" && !slices.Contains(found.Servers, o.Server) {
			found.Servers = append(found.Servers, o.Server)
		}
		for _, schemes := range o.Security {
			for _, s := range schemes {
				c := credential{rest.Scheme{Name: s.Name}.Variable(), aboutScheme(s)}
				if !slices.Contains(found.Schemes, c) {
					found.Schemes = append(found.Schemes, c)
				}
			}
		}
	}
	return found
}

// aboutScheme says what the credential of a scheme is.
func aboutScheme(s tools.Scheme) string {
	switch s.Kind {
	case "bearer":
		return "the access token of `" + s.Name + "`"
	case "basic":
		return "`user:password` of `" + s.Name + "`"
	}
	return fmt.Sprintf("the API key of `%s`, sent as the %s `%s`", s.Name, s.In, s.Parameter)
}
