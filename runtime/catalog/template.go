package catalog

import (
	"context"
	"fmt"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Template is a URI template (RFC 6570) for resources that are not listed one by one
// ("Resource Templates" in server/resources of every revision).
type Template struct {
	// Definition is the ResourceTemplate object in the list, with its uriTemplate.
	Definition wire.Object

	// Read returns a ReadResourceResult for a URI that fits the template. Variables are
	// the values of those that the URI has, percent-decoded and of whatever content the
	// client chose: ".." and "/" may be in them. Where a variable stands for a list, the
	// values are joined with commas. ErrNoResource tells that there is no such resource.
	Read func(ctx context.Context, uri string, variables map[string]string) (wire.Appender, error)

	// Complete proposes values for variables, by their names.
	Complete map[string]Completer
}

// template is a Template as it is kept.
type template struct {
	read func(ctx context.Context, uri string, variables map[string]string) (wire.Appender, error)
	// match returns the variables of a URI that fits the template. It is a value made by
	// AddTemplates, so that servers that do not call that link no matching.
	match func(uri string) (map[string]string, bool)
	completers
}

// AddTemplates adds resource templates; one whose uriTemplate is taken replaces the
// other in its place. An error is about a definition, and then none is added.
func (c *Catalog) AddTemplates(templates ...Template) error {
	if len(templates) == 0 {
		return nil
	}
	err := add(c.templates, templates, func(t Template) (definition, *template, error) {
		d, err := kindTemplate.define(t.Definition)
		if err != nil {
			return d, nil, err
		}
		kept, err := newTemplate(d.key, t)
		if err != nil {
			return d, nil, fmt.Errorf("catalog: resource template %.100q: %w", d.key, err)
		}
		return d, kept, nil
	})
	if err == nil {
		c.announce(resourcesChanged)
	}
	return err
}

func newTemplate(text string, t Template) (*template, error) {
	if t.Read == nil {
		return nil, fmt.Errorf("no Read")
	}
	parsed, err := uritemplate.New(text)
	if err != nil {
		return nil, err
	}
	completers, err := newCompleters(parsed.Varnames(), t.Complete)
	if err != nil {
		return nil, err
	}
	prefix, _, _ := strings.Cut(text, "{")
	m := &matcher{parsed, prefix, strings.Contains(text, "*")}
	return &template{t.Read, m.match, completers}, nil
}

// RemoveTemplates removes the templates with these values of uriTemplate and returns how
// many there were.
func (c *Catalog) RemoveTemplates(uriTemplates ...string) int {
	n := c.templates.remove(uriTemplates)
	if n > 0 {
		c.announce(resourcesChanged)
	}
	return n
}

// maxElements bounds the elements of all lists in a URI: matching a list takes a time that
// grows with the square of its length.
const maxElements = 256

// matcher matches URIs with a template.
type matcher struct {
	parsed *uritemplate.Template
	prefix string // what the template begins with, before its first variable
	lists  bool   // a variable may stand for a list
}

func (m *matcher) match(uri string) (map[string]string, bool) {
	// Most templates are told from most URIs without the trouble of matching.
	if !strings.HasPrefix(uri, m.prefix) {
		return nil, false
	}
	if m.lists && elements(uri) > maxElements {
		return nil, false
	}
	values := m.parsed.Match(uri)
	if values == nil {
		return nil, false
	}
	variables := make(map[string]string, len(values))
	for name, v := range values {
		variables[name] = strings.Join(v.V, ",")
	}
	return variables, true
}

// elements counts what may separate the elements of lists (RFC 6570, section 3.2.1).
func elements(uri string) int {
	n := 0
	for i := range len(uri) {
		if strings.IndexByte(",./;&", uri[i]) >= 0 {
			n++
		}
	}
	return n
}
