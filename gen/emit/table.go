package emit

import (
	"maps"
	"reflect"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Methods returns the methods of a revision or an extension as generated code has them.
func Methods(rev *ir.Revision) []runtime.Method {
	key := func(d *ir.Decl) string {
		if d == nil {
			return ""
		}
		return d.Key()
	}
	extension := ""
	if rev.Extension != nil {
		extension = rev.Extension.Name
	}
	var table []runtime.Method
	codes := slices.Sorted(maps.Keys(rev.ErrorCodes()))
	for _, m := range rev.Methods {
		row := runtime.Method{
			Name: m.Wire, Kind: jsonrpc.Request, Definition: m.Definition, Params: key(m.Params), Result: key(m.Result), ParamsRequired: m.ParamsRequired,
			Capability: m.Capability, Paginated: m.Paginated, Within: m.Within, Asks: m.Asks, Cacheable: m.Cacheable, NameParam: m.NameParam, ResultTypes: m.ResultTypes,
			Filter: m.Filter, FilterParam: m.FilterParam, Errors: codes, Extension: extension,
		}
		if m.Notification {
			row.Kind, row.Result, row.Errors = jsonrpc.Notification, "", nil
		}
		if m.ToServer {
			row.Direction |= runtime.ToServer
		}
		if m.ToClient {
			row.Direction |= runtime.ToClient
		}
		table = append(table, row)
	}
	return table
}

// ErrorDefinitions returns the names of the definitions of error responses by the codes of the errors.
func ErrorDefinitions(rev *ir.Revision) map[int64]string {
	table := map[int64]string{}
	for code, d := range rev.ErrorCodes() {
		table[code] = d.Key()
	}
	return table
}

// Extension returns the description of an extension as generated code has it.
func Extension(rev *ir.Revision) runtime.Extension {
	x := runtime.Extension{Name: rev.Extension.Name, Revision: rev.ID, Methods: Methods(rev)}
	for _, r := range rev.Extension.Results {
		x.Results = append(x.Results, runtime.ExtensionResult{Method: r.Method, Type: r.Type, Definition: r.Decl.Key()})
	}
	if s := rev.Extension.Settings; s != nil {
		x.Settings = s.Key()
	}
	return x
}

// row renders a struct as a composite literal without its type and its zero fields.
func row(of any) jen.Code {
	fields := jen.Dict{}
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			continue
		}
		name := jen.Id(v.Type().Field(i).Name)
		switch value := v.Field(i).Interface().(type) {
		case jsonrpc.Kind:
			fields[name] = jen.Qual(jsonrpcPath, map[jsonrpc.Kind]string{jsonrpc.Request: "Request", jsonrpc.Notification: "Notification"}[value])
		case runtime.Direction:
			fields[name] = jen.Qual(runtimePath, "ToClient")
			if value&runtime.ToServer != 0 {
				fields[name] = jen.Qual(runtimePath, "ToServer")
			}
			if value == runtime.ToServer|runtime.ToClient {
				fields[name] = jen.Qual(runtimePath, "ToServer").Op("|").Qual(runtimePath, "ToClient")
			}
		case []int64:
			fields[name] = jen.Id("errorCodes")
		case []string:
			fields[name] = code.Go(code.Strings(value))
		default:
			fields[name] = jen.Lit(value)
		}
	}
	return jen.Values(fields)
}
