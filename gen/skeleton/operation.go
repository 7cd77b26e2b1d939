package skeleton

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/rest"
)

// operationName returns the name of the variable with the operation that a tool calls.
func operationName(t typing.ToolTypes) string { return "operation" + t.Go }

// operation renders the operation that a tool calls.
func operation(w *code.Writer, t typing.ToolTypes) {
	o := t.Tool.Operation
	d := code.Fields{"Method": strconv.Quote(o.Method), "Path": strconv.Quote(o.Path)}
	for _, f := range literal(*o) {
		switch f.name {
		case "Server", "Accept", "Wrapped":
			d[f.name] = f.value
		}
	}
	if len(o.Parameters) > 0 {
		var rows []string
		for _, p := range o.Parameters {
			rows = append(rows, literal(p).String())
		}
		d["Parameters"] = "[]rest.Parameter" + code.Lines(rows)
	}
	if o.Body != nil {
		d["Body"] = "&rest.Body" + literal(*o.Body).String()
	}
	if len(o.Security) > 0 {
		var rows []string
		for _, schemes := range o.Security {
			var row []string
			for _, s := range schemes {
				row = append(row, literal(s).String())
			}
			rows = append(rows, "{"+code.List(row...)+"}")
		}
		d["Security"] = "[][]rest.Scheme" + code.Lines(rows)
	}
	w.Doc("%s is the operation that the tool %q calls.", operationName(t), t.Tool.Name)
	w.P("var %s = &rest.Operation%s", operationName(t), d)
}

// fields are the fields of a struct that are not zero, in their order.
type fields []struct{ name, value string }

// String returns the fields with braces, in one line.
func (all fields) String() string {
	var list []string
	for _, f := range all {
		list = append(list, f.name+": "+f.value)
	}
	return "{" + code.List(list...) + "}"
}

// literal returns the fields of a struct of package tools that are strings and flags, or the fields of a form. Package
// rest has structs with the same fields.
func literal(of any) fields {
	var all fields
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		var value string
		switch field := v.Field(i).Interface().(type) {
		case string, bool:
			value = code.Literal(field)
		case []tools.Field:
			var rows []string
			for _, f := range field {
				rows = append(rows, literal(f).String())
			}
			value = "[]rest.Field" + code.Lines(rows)
		}
		if value != "" && !v.Field(i).IsZero() {
			all = append(all, struct{ name, value string }{v.Type().Field(i).Name, value})
		}
	}
	return all
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
