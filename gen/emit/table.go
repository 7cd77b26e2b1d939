package emit

import (
	"maps"
	"reflect"
	"slices"

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
func row(of any) string {
	fields := code.Fields{}
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			continue
		}
		name := v.Type().Field(i).Name
		switch value := v.Field(i).Interface().(type) {
		case jsonrpc.Kind:
			fields[name] = map[jsonrpc.Kind]string{jsonrpc.Request: "jsonrpc.Request", jsonrpc.Notification: "jsonrpc.Notification"}[value]
		case runtime.Direction:
			fields[name] = map[runtime.Direction]string{
				runtime.ToServer: "runtime.ToServer", runtime.ToClient: "runtime.ToClient", runtime.ToServer | runtime.ToClient: "runtime.ToServer | runtime.ToClient"}[value]
		case []int64:
			fields[name] = "errorCodes"
		case []string:
			fields[name] = code.Strings(value)
		default:
			fields[name] = code.Literal(value)
		}
	}
	return fields.String()
}
