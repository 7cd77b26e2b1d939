package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ServePrompt returns a prompt with a typed handler, whose result is a GetPromptResult. Fresh
// returns a new value to decode the arguments into. Arguments that are not valid are answered
// with the error code -32602 ("Error Handling" in server/prompts).
func ServePrompt[In wire.Decoder, R wire.Appender](p *Item, fresh func() In, get func(context.Context, In) (R, error)) catalog.Prompt {
	item := catalog.NewPrompt(p.Definition, func(ctx context.Context, arguments map[string]string) (R, error) {
		in := fresh()
		for _, name := range p.Blank {
			if value, ok := arguments[name]; ok && value == "" {
				arguments = maps.Clone(arguments)
				delete(arguments, name)
			}
		}
		value := func(dst []byte, name string) ([]byte, error) {
			return appendText(dst, arguments[name], slices.Contains(p.Literals, name))
		}
		if err := decodeTexts(arguments, value, p.Input, in); err != nil {
			var none R
			first := wire.ProblemsOf(err)[0]
			return none, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /arguments%s: %s", first.Pointer, first.Message)
		}
		return get(ctx, in)
	})
	item.Scopes = p.Scopes
	return item
}

// ServeResource returns a resource whose handler returns a ReadResourceResult. The handler may
// return [catalog.ErrNoResource].
func ServeResource[R wire.Appender](r *Item, read func(ctx context.Context, uri string) (R, error)) catalog.Resource {
	item := catalog.NewResource(r.Definition, read)
	item.Scopes = r.Scopes
	return item
}

// ServeText returns a resource with a text that never changes. Its MIME type is that of the
// definition.
func ServeText(r *Item, content string) catalog.Resource {
	return ServeResource(r, func(_ context.Context, uri string) (wire.Object, error) {
		contents := object{text("uri", uri)}
		if kind, ok := r.Definition.Get("mimeType"); ok {
			contents = append(contents, with("mimeType", kind))
		}
		encoded, err := wire.MarshalString(append(contents, text("text", content)))
		return wire.Object(`{"contents":[` + encoded + `]}`), err
	})
}

// ServeTemplate returns a resource template with a typed handler, which returns a
// ReadResourceResult, or [catalog.ErrNoResource]. Fresh returns a new value to decode the
// variables of the URI into. For a URI whose variables are not valid, there is no resource.
func ServeTemplate[In wire.Decoder, R wire.Appender](t *Item, fresh func() In, read func(ctx context.Context, uri string, in In) (R, error)) catalog.Template {
	item := catalog.NewTemplate(t.Definition, func(ctx context.Context, uri string, variables catalog.Variables) (R, error) {
		in := fresh()
		value := func(dst []byte, name string) ([]byte, error) {
			if slices.Contains(t.Exploded, name) {
				w := wire.NewWriter(dst)
				wire.PutStrings(&w, variables[name])
				return w.End()
			}
			return appendText(dst, variables[name][0], slices.Contains(t.Literals, name))
		}
		if err := decodeTexts(variables, value, t.Input, in); err != nil {
			var none R
			return none, catalog.ErrNoResource
		}
		return read(ctx, uri, in)
	})
	item.Scopes = t.Scopes
	return item
}

// decodeTexts checks arguments and decodes them. Value appends that of a name. The order of the members
// does not depend on that of the map.
func decodeTexts[V any](arguments map[string]V, value func(dst []byte, name string) ([]byte, error), check func(*schema.Checker), in wire.Decoder) error {
	text := []byte{'{'}
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		var err error
		if text, err = value(wire.AppendName(text, name), name); err != nil {
			return wire.In(err, name)
		}
	}
	return schema.Decode(wire.Raw(append(text, '}')), check, in)
}

// appendText appends the text of an argument: as a string, or as the number or boolean that it may be.
func appendText(dst []byte, text string, literal bool) ([]byte, error) {
	if kind := wire.Raw(text).Kind(); literal && (kind == wire.KindNumber || kind == wire.KindBool) {
		if value, err := wire.Raw(text).AppendJSON(dst); err == nil {
			return value, nil
		}
	}
	return wire.AppendString(dst, text)
}

// GetPrompt gets a prompt, decodes the result into out and returns out, or nil with an error.
func GetPrompt[R wire.Value](ctx context.Context, c runtime.Caller, p *Item, in wire.Appender, out R) (R, error) {
	return result(out, c.Call(ctx, "prompts/get", object{text("name", p.Key), with("arguments", given(in))}, out))
}

// ReadResource reads a resource, or the one whose URI is a template with the variables, decodes the result into out and
// returns out, or nil with an error.
func ReadResource[R wire.Value](ctx context.Context, c runtime.Caller, r *Item, in wire.Appender, out R) (R, error) {
	uri, err := r.Expand(in)
	if err != nil {
		var none R
		return none, err
	}
	return result(out, c.Call(ctx, "resources/read", object{text("uri", uri)}, out))
}

// Expand returns the URI of a resource, or that of a template with the variables in an object of strings, and of arrays
// of strings for lists. A variable that the object lacks, or whose list is empty, is not in the URI
// (RFC 6570, section 3.2.1).
func (t *Item) Expand(in wire.Appender) (string, error) {
	if t.Kind == "resource" {
		return t.Key, nil
	}
	object, err := wire.MarshalString(given(in))
	if err != nil {
		return "", fmt.Errorf("the variables of %q: %w", t.Key, err)
	}
	parsed, err := uritemplate.Parse(t.Key)
	if err != nil {
		return "", fmt.Errorf("%q: %w", t.Key, err)
	}
	values := map[string][]string{}
	r := wire.NewStringReader(object)
	for r.BeginObject(); r.Member(); {
		name := r.Name()
		if slices.Contains(t.Exploded, name) {
			values[name] = r.ReadStrings()
		} else {
			values[name] = []string{r.ReadString()}
		}
	}
	if err := r.Err(); err != nil {
		return "", fmt.Errorf("the variables of %q: %w", t.Key, err)
	}
	return parsed.Expand(values), nil
}

// Complete requests values for an argument of a prompt or a variable of a template. Value is the text typed
// so far. Settled holds the values of other arguments, which are sent from revision 2025-06-18 on.
func Complete[R wire.Value](ctx context.Context, c runtime.Caller, of *Item, argument, value string, settled map[string]string, out R) (R, error) {
	ref := object{text("type", "ref/prompt"), text("name", of.Key)}
	if of.Kind == "template" {
		ref = object{text("type", "ref/resource"), text("uri", of.Key)}
	}
	params := object{with("ref", ref), with("argument", object{text("name", argument), text("value", value)})}
	if len(settled) > 0 {
		arguments := object{}
		for _, name := range slices.Sorted(maps.Keys(settled)) {
			arguments = append(arguments, text(name, settled[name]))
		}
		params = append(params, with("context", object{with("arguments", arguments)}))
	}
	return result(out, c.Call(ctx, "completion/complete", params, out))
}

// result returns a value, or nil with an error.
func result[R any](out R, err error) (R, error) {
	if err != nil {
		var none R
		return none, err
	}
	return out, nil
}

// object is an object that is encoded.
type object = wire.Map[wire.Appender]

func with(name string, value wire.Appender) wire.Entry[wire.Appender] {
	return wire.Entry[wire.Appender]{Name: name, Value: value}
}

// text is with for a string.
func text(name, s string) wire.Entry[wire.Appender] { return with(name, wire.ScalarOf(s)) }
