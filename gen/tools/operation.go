package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/rest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// MemberOperation is the member of a definition with the operation of an HTTP API that the tool
// calls. It is of this project: "mcpgen tools import --openapi" writes it, and handlers are generated
// from it. Clients do not get it.
const MemberOperation = "x-openapi"

// operation returns the operation of a tool, or nil.
func (r *reader) operation(t *Tool) *rest.Operation {
	raw, ok := t.Source.Get(MemberOperation)
	if !ok {
		return nil
	}
	at := t.Pointer + "/" + MemberOperation
	o := new(rest.Operation)
	in := json.NewDecoder(strings.NewReader(string(raw)))
	in.DisallowUnknownFields()
	if err := in.Decode(o); err != nil {
		r.fail(at, "is not the operation of an API: %s", strings.TrimPrefix(err.Error(), "json: "))
		return nil
	}
	oneOf := func(at, value string, known ...string) {
		if !slices.Contains(known, value) {
			r.fail(at, "expected one of %s, found %q", strings.Join(known, ", "), value)
		}
	}
	if o.Method == "" || !strings.HasPrefix(o.Path, "/") {
		r.fail(at, `must have a "method", and a "path" that begins with a slash`)
	}
	for i, p := range o.Parameters {
		at := fmt.Sprintf("%s/parameters/%d", at, i)
		oneOf(at+"/in", p.In, "path", "query", "header", "cookie")
		oneOf(at+"/style", p.Style, "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "deepObject", "json")
		r.argument(t, at, p.Member)
	}
	if o.Body != nil {
		oneOf(at+"/body/encoding", o.Body.Encoding, "json", "form", "multipart", "text", "binary")
		r.argument(t, at+"/body", o.Body.Member)
	}
	for i, schemes := range o.Security {
		for j, s := range schemes {
			oneOf(fmt.Sprintf("%s/security/%d/%d/kind", at, i, j), s.Kind, "apiKey", "basic", "bearer")
		}
	}
	return o
}

// argument reports a member of an operation that is not a property of the input schema.
func (r *reader) argument(t *Tool, at, member string) {
	schema, _ := t.Definition.Get("inputSchema")
	if schema.Kind() == wire.KindObject {
		if properties, ok := wire.Object(schema).Get("properties"); ok && properties.Kind() == wire.KindObject {
			if _, ok := wire.Object(properties).Get(member); ok {
				return
			}
		}
	}
	r.fail(at+"/member", "the inputSchema has no property %q", member)
}
