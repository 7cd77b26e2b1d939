package catalog

import (
	"context"
	"errors"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Template is a URI template (RFC 6570) that stands for many resources ("Resource Templates"
// in server/resources of every revision).
type Template struct {
	// Definition is the ResourceTemplate object in the list, such as a
	// *mcp.ResourceTemplate or a wire.Object. Its uriTemplate identifies the template.
	Definition wire.Appender

	// Read returns a ReadResourceResult for a URI that matches the template, or
	// ErrNoResource if there is no such resource. Variables holds the values of the
	// variables in the URI, percent-decoded. Clients choose them freely: they may contain
	// ".." and "/". The elements of a list are joined by commas; ReadLists has them one by one.
	Read func(ctx context.Context, uri string, variables map[string]string) (wire.Appender, error)

	// ReadLists takes the place of Read in templates with lists, which are exploded variables such
	// as {/path*} and {?tag*} (RFC 6570, section 2.4.2). Variables holds the elements of each list
	// in their order, percent-decoded, and one value for each other variable. It lacks a variable
	// that the URI does not have; an empty list is one. Associative arrays, the other values that
	// RFC 6570 has for exploded variables, are not supported.
	ReadLists func(ctx context.Context, uri string, variables map[string][]string) (wire.Appender, error)

	// Completers propose values for variables, by name. That of a list proposes values for one
	// element, and gets the text typed so far of that element.
	Completers map[string]Completer

	// Scopes are those that the access token of a caller must have, see [runtime.Authorize]. They
	// are not part of the definition, so clients do not see them.
	Scopes []string
}

// NewTemplate returns a template with a handler whose result has a type, such as
// *mcp.ReadResourceResult.
func NewTemplate[R wire.Appender](definition wire.Appender, read func(ctx context.Context, uri string, variables map[string]string) (R, error)) Template {
	if read == nil {
		return Template{Definition: definition}
	}
	return Template{Definition: definition, Read: func(ctx context.Context, uri string, variables map[string]string) (wire.Appender, error) {
		return untyped(read(ctx, uri, variables))
	}}
}

// NewListTemplate returns a template with lists, see Template.ReadLists. In all other respects it
// is like NewTemplate.
func NewListTemplate[R wire.Appender](definition wire.Appender, read func(ctx context.Context, uri string, variables map[string][]string) (R, error)) Template {
	if read == nil {
		return Template{Definition: definition}
	}
	return Template{Definition: definition, ReadLists: func(ctx context.Context, uri string, variables map[string][]string) (wire.Appender, error) {
		return untyped(read(ctx, uri, variables))
	}}
}

// Complete returns a copy of the template with a Completer for one of its variables.
func (t Template) Complete(variable string, completer Completer) Template {
	t.Completers = withCompleter(t.Completers, variable, completer)
	return t
}

// template is a Template in a catalog.
type template struct {
	read func(ctx context.Context, uri string, variables map[string][]string) (wire.Appender, error)
	// match returns the variables of a URI that matches the template. It is a function
	// value that Template.add creates, so that a server without templates does not link the
	// code for matching.
	match func(uri string) (map[string][]string, bool)
	completers
}

// add implements Item.
func (t Template) add(a *addition, room int) error {
	d, err := kindTemplate.define(t.Definition)
	if err != nil {
		return err
	}
	made, err := newTemplate(d.key, t)
	if err != nil {
		return kindTemplate.error(d.key, err)
	}
	kept, err := a.templates.add(kindTemplate, d, t.Scopes, room)
	if err == nil {
		*kept = *made
	}
	return err
}

func newTemplate(text string, t Template) (*template, error) {
	read := t.ReadLists
	switch {
	case t.Read == nil && read == nil:
		return nil, errors.New("no function Read")
	case t.Read != nil && read != nil:
		return nil, errors.New("both functions Read and ReadLists")
	case read == nil:
		read = func(ctx context.Context, uri string, variables map[string][]string) (wire.Appender, error) {
			joined := make(map[string]string, len(variables))
			for name, values := range variables {
				joined[name] = strings.Join(values, ",")
			}
			return t.Read(ctx, uri, joined)
		}
	}
	parsed, err := uritemplate.Parse(text)
	if err != nil {
		return nil, wire.In(err, "uriTemplate")
	}
	completers, err := newCompleters(parsed.Names(), t.Completers)
	if err != nil {
		return nil, err
	}
	return &template{read, parsed.Match, completers}, nil
}

// RemoveTemplates removes the templates with these values of uriTemplate and returns how
// many there were.
func (c *Catalog) RemoveTemplates(uriTemplates ...string) int {
	return c.templates.remove(uriTemplates)
}
