package items

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// GetPrompt gets a prompt, decodes the result into out and returns out, or nil with an error.
func GetPrompt[R wire.Value](ctx context.Context, c runtime.Caller, p *Prompt, in wire.Appender, out R) (R, error) {
	return result(out, c.Call(ctx, "prompts/get", members{{"name", text(p.Name)}, {"arguments", in}}, out))
}

// ReadResource reads the resource with a URI, decodes the result into out and returns out, or
// nil with an error.
func ReadResource[R wire.Value](ctx context.Context, c runtime.Caller, uri string, out R) (R, error) {
	return result(out, c.Call(ctx, "resources/read", members{{"uri", text(uri)}}, out))
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
	object, err := wire.MarshalString(in)
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
	params := members{
		{"ref", members{{"type", text(ref.kind)}, {ref.member, text(ref.key)}}},
		{"argument", members{{"name", text(argument)}, {"value", text(value)}}},
	}
	if len(settled) > 0 {
		arguments := members{}
		for _, name := range slices.Sorted(maps.Keys(settled)) {
			arguments = append(arguments, member{name, text(settled[name])})
		}
		params = append(params, member{"context", members{{"arguments", arguments}}})
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

// members is an object.
type members []member

type member struct {
	name  string
	value wire.Appender
}

// AppendJSON implements wire.Appender.
func (m members) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, '{')
	for _, member := range m {
		if member.value == nil {
			return dst, wire.In(errors.New("must not be nil"), member.name)
		}
		var err error
		if dst, err = member.value.AppendJSON(wire.AppendName(dst, member.name)); err != nil {
			return dst, wire.In(err, member.name)
		}
	}
	return append(dst, '}'), nil
}

// text is a string.
type text string

// AppendJSON implements wire.Appender.
func (t text) AppendJSON(dst []byte) ([]byte, error) { return wire.AppendString(dst, string(t)) }

// Items are the prompts, resources and templates that a package was generated from.
type Items struct {
	Prompts   []*Prompt
	Resources []*Resource
	Templates []*Template
}

// Check compares what a server offers with the items. It returns nil if they are the same, and
// joins a *[tools.Drift] for each list that differs. It does not request the list of a kind
// without items.
func Check(ctx context.Context, c runtime.Caller, want *Items) error {
	var errs []error
	for _, list := range []struct {
		noun, method, member, key string
		definitions               []wire.Object
	}{
		{"prompts", "prompts/list", "prompts", "name", definitions(want.Prompts, func(p *Prompt) wire.Object { return p.Definition })},
		{"resources", "resources/list", "resources", "uri", definitions(want.Resources, func(r *Resource) wire.Object { return r.Definition })},
		{"resource templates", "resources/templates/list", "resourceTemplates", "uriTemplate", definitions(want.Templates, func(t *Template) wire.Object { return t.Definition })},
	} {
		if len(list.definitions) == 0 {
			continue
		}
		live, err := List(ctx, c, list.method, list.member)
		if err != nil {
			return err
		}
		if d := tools.CompareItems(list.noun, list.key, list.definitions, live); d != nil {
			errs = append(errs, d)
		}
	}
	return errors.Join(errs...)
}

func definitions[T any](items []T, of func(T) wire.Object) []wire.Object {
	var all []wire.Object
	for _, item := range items {
		all = append(all, of(item))
	}
	return all
}

// List returns the entries of all pages of a list. Method is that of the request, such as
// "prompts/list", and member that of the result, such as "prompts".
func List(ctx context.Context, c runtime.Caller, method, member string) ([]wire.Object, error) {
	all, err := tools.ListItems(ctx, c, method, member)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return all, nil
}
