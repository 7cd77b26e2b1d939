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

// Prompt holds the generated facts about a prompt.
type Prompt struct {
	Name string
	// Definition is the prompt's definition in the list.
	Definition wire.Object
	// Arguments checks the arguments, an object of strings.
	Arguments func(*schema.Checker)
	// Blank are the optional arguments for which an empty string counts as absent: their values are
	// listed, and the empty string is not among them. Hosts send it for a field of a form that a
	// user left blank.
	Blank []string
	// Literals are the arguments that are numbers or booleans. A text that is one in JSON stands for it.
	Literals []string
	// Scopes are those of catalog.Prompt.
	Scopes []string
}

// Resource holds the generated facts about a resource.
type Resource struct {
	URI string
	// Definition is the resource's definition in the list.
	Definition wire.Object
	// Scopes are those of catalog.Resource.
	Scopes []string
}

// Template holds the generated facts about a resource template.
type Template struct {
	URITemplate string
	// Definition is the template's definition in the list.
	Definition wire.Object
	// Variables checks the variables of a URI, an object of strings and of the arrays of strings
	// that are lists.
	Variables func(*schema.Checker)
	// Exploded are the variables that are lists (RFC 6570, section 2.4.2).
	Exploded []string
	// Literals are the variables that are numbers or booleans, see Prompt.
	Literals []string
	// Scopes are those of catalog.Template.
	Scopes []string
}

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
		if err := decodeTexts(arguments, value, p.Arguments, in); err != nil {
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
func ServeResource[R wire.Appender](r *Resource, read func(ctx context.Context, uri string) (R, error)) catalog.Resource {
	item := catalog.NewResource(r.Definition, read)
	item.Scopes = r.Scopes
	return item
}

// ServeText returns a resource with a text that never changes. Its MIME type is that of the
// definition.
func ServeText(r *Resource, content string) catalog.Resource {
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
func ServeTemplate[In wire.Decoder, R wire.Appender](t *Template, fresh func() In, read func(ctx context.Context, uri string, in In) (R, error)) catalog.Template {
	item := catalog.NewListTemplate(t.Definition, func(ctx context.Context, uri string, variables map[string][]string) (R, error) {
		in := fresh()
		value := func(dst []byte, name string) ([]byte, error) {
			if slices.Contains(t.Exploded, name) {
				w := wire.NewWriter(dst)
				wire.PutStrings(&w, variables[name])
				return w.End()
			}
			return appendText(dst, variables[name][0], slices.Contains(t.Literals, name))
		}
		if err := decodeTexts(variables, value, t.Variables, in); err != nil {
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
		if value, err := wire.AppendRaw(dst, wire.Raw(text)); err == nil {
			return value, nil
		}
	}
	return wire.AppendString(dst, text)
}

// GetPrompt gets a prompt, decodes the result into out and returns out, or nil with an error.
func GetPrompt[R wire.Value](ctx context.Context, c runtime.Caller, p *Prompt, in wire.Appender, out R) (R, error) {
	return result(out, c.Call(ctx, "prompts/get", object{text("name", p.Name), with("arguments", given(in))}, out))
}

// ReadResource reads the resource with a URI, decodes the result into out and returns out, or
// nil with an error.
func ReadResource[R wire.Value](ctx context.Context, c runtime.Caller, uri string, out R) (R, error) {
	return result(out, c.Call(ctx, "resources/read", object{text("uri", uri)}, out))
}

// ReadTemplate reads the resource whose URI is the template with the variables. In all other
// respects it is like ReadResource.
func ReadTemplate[R wire.Value](ctx context.Context, c runtime.Caller, t *Template, in wire.Appender, out R) (R, error) {
	uri, err := t.Expand(in)
	if err != nil {
		var none R
		return none, err
	}
	return ReadResource(ctx, c, uri, out)
}

// Expand returns the URI of the template with the variables in an object of strings, and of arrays
// of strings for lists. A variable that the object lacks, or whose list is empty, is not in the URI
// (RFC 6570, section 3.2.1).
func (t *Template) Expand(in wire.Appender) (string, error) {
	object, err := wire.MarshalString(given(in))
	if err != nil {
		return "", fmt.Errorf("the variables of %q: %w", t.URITemplate, err)
	}
	parsed, err := uritemplate.Parse(t.URITemplate)
	if err != nil {
		return "", fmt.Errorf("%q: %w", t.URITemplate, err)
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
		return "", fmt.Errorf("the variables of %q: %w", t.URITemplate, err)
	}
	return parsed.Expand(values), nil
}

// Complete requests values for an argument. Value is the text typed so far. Settled holds the
// values of other arguments, which are sent from revision 2025-06-18 on.
func Complete[R wire.Value](ctx context.Context, c runtime.Caller, ref Ref, argument, value string, settled map[string]string, out R) (R, error) {
	params := object{
		with("ref", object{text("type", ref.kind), text(ref.member, ref.key)}),
		with("argument", object{text("name", argument), text("value", value)}),
	}
	if len(settled) > 0 {
		arguments := object{}
		for _, name := range slices.Sorted(maps.Keys(settled)) {
			arguments = append(arguments, text(name, settled[name]))
		}
		params = append(params, with("context", object{with("arguments", arguments)}))
	}
	return result(out, c.Call(ctx, "completion/complete", params, out))
}

// Ref names the prompt or template that an argument to complete belongs to.
type Ref struct{ kind, member, key string }

// Ref returns the reference to the prompt for [Complete].
func (p *Prompt) Ref() Ref { return Ref{"ref/prompt", "name", p.Name} }

// Ref returns the reference to the template for [Complete].
func (t *Template) Ref() Ref { return Ref{"ref/resource", "uri", t.URITemplate} }

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
func text(name, s string) wire.Entry[wire.Appender] { return with(name, wire.StringScalar(s)) }

// Items are what a package was generated from.
type Items struct {
	Tools     []*Tool
	Prompts   []*Prompt
	Resources []*Resource
	Templates []*Template
}

// Listing is the list of a kind of items.
type Listing struct {
	Method      string // of the request: "tools/list"
	Definitions []wire.Object

	noun, member, key string
}

// Live returns the definitions in the list of a server.
func (l *Listing) Live(ctx context.Context, c runtime.Caller) ([]wire.Object, error) {
	return ListItems(ctx, c, l.Method, l.member)
}

// Listings returns the lists of the kinds that have items.
func (i *Items) Listings() []Listing {
	all := []Listing{
		{"tools/list", definitions(i.Tools, func(t *Tool) wire.Object { return t.Definition }), "tools", "tools", "name"},
		{"prompts/list", definitions(i.Prompts, func(p *Prompt) wire.Object { return p.Definition }), "prompts", "prompts", "name"},
		{"resources/list", definitions(i.Resources, func(r *Resource) wire.Object { return r.Definition }), "resources", "resources", "uri"},
		{"resources/templates/list", definitions(i.Templates, func(t *Template) wire.Object { return t.Definition }), "resource templates", "resourceTemplates", "uriTemplate"},
	}
	return slices.DeleteFunc(all, func(l Listing) bool { return len(l.Definitions) == 0 })
}

func definitions[T any](items []T, of func(T) wire.Object) []wire.Object {
	var all []wire.Object
	for _, item := range items {
		all = append(all, of(item))
	}
	return all
}
