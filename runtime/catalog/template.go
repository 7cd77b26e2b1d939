package catalog

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"

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
	// ".." and "/". The values of a variable that is a list are joined by commas.
	Read func(ctx context.Context, uri string, variables map[string]string) (wire.Appender, error)

	// Completers propose values for variables, by name.
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

// Complete returns a copy of the template with a Completer for one of its variables.
func (t Template) Complete(variable string, completer Completer) Template {
	t.Completers = withCompleter(t.Completers, variable, completer)
	return t
}

// template is a Template in a catalog.
type template struct {
	read func(ctx context.Context, uri string, variables map[string]string) (wire.Appender, error)
	// match returns the variables of a URI that matches the template. It is a function
	// value that Template.add creates, so that a server without templates does not link the
	// code for matching.
	match func(uri string) (map[string]string, bool)
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
	if t.Read == nil {
		return nil, errors.New("no function Read")
	}
	parsed, err := uritemplate.New(text)
	if err != nil {
		return nil, wire.In(err, "uriTemplate")
	}
	completers, err := newCompleters(parsed.Varnames(), t.Completers)
	if err != nil {
		return nil, err
	}
	prefix, _, _ := strings.Cut(text, "{")
	m := &matcher{parsed, prefix, strings.Contains(text, "*"), occurrences(text)}
	return &template{t.Read, m.match, completers}, nil
}

// RemoveTemplates removes the templates with these values of uriTemplate and returns how
// many there were.
func (c *Catalog) RemoveTemplates(uriTemplates ...string) int {
	return c.templates.remove(uriTemplates)
}

// maxElements limits the elements of all lists in a URI, because the time to match a list
// grows with the square of its length.
const maxElements = 256

// matcher matches URIs with a template.
type matcher struct {
	parsed *uritemplate.Template
	prefix string // text before the first variable
	lists  bool   // a variable may be a list
	// count has the variables of the template, with the limits of their lengths (RFC 6570, section
	// 2.4.1), and how often each occurs in it.
	count map[string]int
}

// occurrences counts the variables of a template.
func occurrences(template string) map[string]int {
	count := map[string]int{}
	for _, part := range strings.Split(template, "{")[1:] {
		expression, _, _ := strings.Cut(part, "}")
		for name := range strings.SplitSeq(strings.TrimLeft(expression, "+#./;?&"), ",") {
			count[strings.TrimSuffix(name, "*")]++
		}
	}
	return count
}

func (m *matcher) match(uri string) (map[string]string, bool) {
	// The prefix rules out most URIs at little cost.
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
		size := len(v.V)
		if n := m.count[name]; n > 1 { // the elements are those of all occurrences, which must be equal
			size = max(size/n, 1)
		}
		for i := size; i < len(v.V); i += size {
			if !slices.Equal(v.V[:size], v.V[i:min(i+size, len(v.V))]) {
				return nil, false
			}
		}
		whole, _, limited := strings.Cut(name, ":")
		if _, ok := values[whole]; limited && ok {
			continue // the template has the variable without a limit of its length, too
		}
		variables[whole] = strings.Join(v.V[:size], ",")
	}
	return variables, true
}

// elements counts the characters that can separate elements of lists (RFC 6570, section
// 3.2.1).
func elements(uri string) int {
	n := 0
	for i := range len(uri) {
		if strings.IndexByte(",./;&", uri[i]) >= 0 {
			n++
		}
	}
	return n
}
