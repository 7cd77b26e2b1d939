package skeleton

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/rest"
)

// operationName returns the name of the variable with the operation that a tool calls.
func operationName(t typing.ToolTypes) string { return "operation" + t.Go }

// operation renders the operation that a tool calls.
func operation(f *jen.File, t typing.ToolTypes) {
	fields := func(g *jen.Group) {
		eachField(reflect.ValueOf(*t.Tool.Operation), func(name string, value jen.Code) { g.Line().Id(name).Op(":").Add(value) })
		g.Line()
	}
	f.Add(code.Comment(fmt.Sprintf("%s is the operation that the tool %q calls.", operationName(t), t.Tool.Name)))
	f.Add(code.Go("var $1 = &rest.Operation$2", operationName(t), jen.ValuesFunc(fields)))
}

// eachField renders the fields of a struct that are not empty.
func eachField(of reflect.Value, add func(name string, value jen.Code)) {
	for i := range of.NumField() {
		name, v := of.Type().Field(i).Name, of.Field(i)
		switch {
		case v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0:
		case v.Kind() == reflect.Pointer:
			add(name, jen.Op("&").Add(code.Go(v.Type().Elem().String())).Add(composite(v.Elem())))
		case v.Kind() == reflect.Slice:
			add(name, code.Go(v.Type().String()).ValuesFunc(func(g *jen.Group) {
				for i := range v.Len() {
					g.Line().Add(composite(v.Index(i)))
				}
				g.Line()
			}))
		default:
			add(name, jen.Lit(v.Interface()))
		}
	}
}

// composite renders a struct or a list of structs as a literal in one line without its type.
func composite(v reflect.Value) jen.Code {
	return jen.ValuesFunc(func(g *jen.Group) {
		if v.Kind() == reflect.Struct {
			eachField(v, func(name string, value jen.Code) { g.Id(name).Op(":").Add(value) })
			return
		}
		for i := range v.Len() {
			g.Add(composite(v.Index(i)))
		}
	})
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
func aboutScheme(s rest.Scheme) string {
	switch s.Kind {
	case "bearer":
		return "the access token of `" + s.Name + "`"
	case "basic":
		return "`user:password` of `" + s.Name + "`"
	}
	return fmt.Sprintf("the API key of `%s`, sent as the %s `%s`", s.Name, s.In, s.Parameter)
}
