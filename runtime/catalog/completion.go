package catalog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Completer proposes values for an argument of a prompt or a variable of a resource
// template. Value is the text typed so far. Settled holds the values of other arguments
// that the client has sent (since 2025-06-18).
type Completer func(ctx context.Context, value string, settled map[string]string) (Completion, error)

// Completion is the result of a Completer.
type Completion struct {
	Values []string // proposals, the best first; clients get the first 100
	Total  int      // number of possible values; 0 if unknown
	More   bool     // there are more than Values
}

// OneOf returns a Completer for an argument that has one of a few values. It proposes the
// values that begin with the text typed so far.
func OneOf(values ...string) Completer {
	return func(_ context.Context, value string, _ map[string]string) (Completion, error) {
		var c Completion
		for _, v := range values {
			if strings.HasPrefix(v, value) {
				c.Values = append(c.Values, v)
			}
		}
		c.Total = len(c.Values)
		return c, nil
	}
}

// maxCompletions is the maximum number of values in a result ("Completion Results" in
// server/utilities/completion of every revision).
const maxCompletions = 100

// withCompleter returns a copy of a map with another entry.
func withCompleter(all map[string]Completer, name string, completer Completer) map[string]Completer {
	all = maps.Clone(all)
	if all == nil {
		all = make(map[string]Completer)
	}
	all[name] = completer
	return all
}

// complete sets the completers of an entry, given the names of its arguments.
func (e *entry) complete(arguments []string, by map[string]Completer) error {
	e.completers = make(map[string]Completer, len(arguments))
	for _, name := range arguments {
		e.completers[name] = by[name]
	}
	for name := range by {
		if !slices.Contains(arguments, name) {
			return fmt.Errorf("there is no argument %.100q to complete", name)
		}
	}
	return nil
}

// completes reports whether an argument has a Completer.
func (e *entry) completes() bool {
	for _, completer := range e.completers {
		if completer != nil {
			return true
		}
	}
	return false
}

// The values of CompleteRequest's ref.type.
const (
	refPrompt   = "ref/prompt"
	refTemplate = "ref/resource"
)

func (q *request) readRef(r *wire.Reader) {
	names := []string{"type"} // of an unknown type, which is an error
	switch kind, _ := r.PeekString("type"); kind {
	case refPrompt:
		names = append(names, "name")
	case refTemplate:
		names = append(names, "uri")
	}
	_ = params.Decode(r, names, len(names), func(member int) {
		if member == 0 {
			q.ref = readChecked(r, checkRef)
		} else {
			q.key = r.ReadString()
		}
	})
}

// checkRef returns an error for the type of a reference that is unknown.
func checkRef(kind string) error {
	if kind != refPrompt && kind != refTemplate {
		return fmt.Errorf("must be %q or %q", refPrompt, refTemplate)
	}
	return nil
}

func (q *request) readArgument(r *wire.Reader) {
	_ = params.Decode(r, []string{"name", "value"}, 2, func(member int) {
		if member == 0 {
			q.argument = r.ReadString()
		} else {
			q.value = r.ReadString()
		}
	})
}

// complete handles completion/complete.
func (c *Catalog) complete(ctx context.Context, q *request) (wire.Appender, error) {
	list := c.templates
	if q.ref == refPrompt {
		list = c.prompts
	} else if list.get(q.key) == nil && c.resources.get(q.key) != nil {
		list = c.resources // which has no arguments
	}
	of, err := list.find(ctx, q.key)
	if err != nil {
		return nil, err
	}
	completer, ok := of.completers[q.argument]
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /argument/name: unknown argument %.100q", q.argument)
	}
	if completer == nil {
		return Completion{}, nil
	}
	return completer(ctx, q.value, q.strings)
}

// AppendJSON appends a CompleteResult.
func (c Completion) AppendJSON(dst []byte) ([]byte, error) {
	values, more := c.Values, c.More
	if len(values) > maxCompletions {
		values, more = values[:maxCompletions], true
	}
	w := wire.NewWriter(dst)
	w.BeginObject()
	w.Name("completion")
	w.BeginObject()
	w.Name("values")
	wire.PutStrings(&w, values)
	if c.Total > 0 {
		w.Int64("total", int64(c.Total))
	}
	w.Bool("hasMore", more)
	w.EndObject()
	w.EndObject()
	return w.End()
}
