package items

import (
	"context"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ServePrompt returns a prompt with a typed handler, whose result is a GetPromptResult. Fresh
// returns a new value to decode the arguments into. Arguments that are not valid are answered
// with the error code -32602 ("Error Handling" in server/prompts).
func ServePrompt[In wire.Decoder, R wire.Appender](p *Prompt, fresh func() In, get func(context.Context, In) (R, error)) catalog.Prompt {
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
		if err := decode(arguments, value, p.Arguments, in); err != nil {
			var none R
			return none, invalid(err)
		}
		return get(ctx, in)
	})
	item.Scopes = p.Scopes
	return item
}

// ServeResource returns a resource whose handler returns a ReadResourceResult. The handler may
// return [catalog.ErrNoResource].
func ServeResource[R wire.Appender](r *Resource, read func(ctx context.Context, uri string) (R, error)) catalog.Resource {
	item := catalog.NewResource(r.Definition, read)
	item.Scopes = r.Scopes
	return item
}

// ServeText returns a resource with a text that never changes. Its MIME type is that of the
// definition.
func ServeText(r *Resource, text string) catalog.Resource {
	return ServeResource(r, func(_ context.Context, uri string) (wire.Object, error) {
		content, err := textContents(uri, r.Definition, text)
		return wire.Object(content), err
	})
}

// textContents returns a ReadResourceResult with a text.
func textContents(uri string, definition wire.Object, text string) ([]byte, error) {
	result, err := wire.AppendString([]byte(`{"contents":[{"uri":`), uri)
	if err != nil {
		return nil, err
	}
	if kind, ok := definition.Get("mimeType"); ok {
		result = append(append(result, `,"mimeType":`...), kind...)
	}
	if result, err = wire.AppendString(append(result, `,"text":`...), text); err != nil {
		return nil, err
	}
	return append(result, `}]}`...), nil
}

// ServeTemplate returns a resource template with a typed handler, which returns a
// ReadResourceResult, or [catalog.ErrNoResource]. Fresh returns a new value to decode the
// variables of the URI into. For a URI whose variables are not valid, there is no resource.
func ServeTemplate[In wire.Decoder, R wire.Appender](t *Template, fresh func() In, read func(ctx context.Context, uri string, in In) (R, error)) catalog.Template {
	item := catalog.NewListTemplate(t.Definition, func(ctx context.Context, uri string, variables map[string][]string) (R, error) {
		in := fresh()
		value := func(dst []byte, name string) ([]byte, error) {
			if slices.Contains(t.Exploded, name) {
				return appendStrings(dst, variables[name])
			}
			return appendText(dst, variables[name][0], slices.Contains(t.Literals, name))
		}
		if err := decode(variables, value, t.Variables, in); err != nil {
			var none R
			return none, catalog.ErrNoResource
		}
		return read(ctx, uri, in)
	})
	item.Scopes = t.Scopes
	return item
}

// decode checks arguments and decodes them. Value appends that of a name. The order of the members
// does not depend on that of the map.
func decode[V any](arguments map[string]V, value func(dst []byte, name string) ([]byte, error), check func(*schema.Checker), in wire.Decoder) error {
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
		if value, err := wire.AppendRaw(dst, wire.Raw(text)); err == nil {
			return value, nil
		}
	}
	return wire.AppendString(dst, text)
}

// appendStrings appends an array of strings.
func appendStrings(dst []byte, list []string) ([]byte, error) {
	dst = append(dst, '[')
	for i, s := range list {
		var err error
		if dst, err = wire.AppendString(wire.AppendComma(dst), s); err != nil {
			return dst, wire.At(err, i)
		}
	}
	return append(dst, ']'), nil
}

// invalid returns the error for arguments that are not valid.
func invalid(err error) error {
	first := wire.ProblemsOf(err)[0]
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /arguments%s: %s", first.Pointer, first.Message)
}
