package catalog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
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

// completers has an entry for each argument of an item. It is nil for an argument without a
// Completer.
type completers map[string]Completer

// any reports whether an argument has a Completer.
func (c completers) any() bool {
	for _, completer := range c {
		if completer != nil {
			return true
		}
	}
	return false
}

func newCompleters(arguments []string, by map[string]Completer) (completers, error) {
	all := make(completers, len(arguments))
	for _, name := range arguments {
		all[name] = by[name]
	}
	for name := range by {
		if !slices.Contains(arguments, name) {
			return nil, fmt.Errorf("there is no argument %.100q to complete", name)
		}
	}
	return all, nil
}

// complete handles completion/complete.
func (c *Catalog) complete(ctx context.Context, p *completeParams) (wire.Appender, error) {
	var all completers
	var scopes []string
	if p.ref == refPrompt {
		found, ok := c.prompts.get(p.key)
		if !ok {
			return nil, unknownPrompt(p.key)
		}
		all, scopes = found.completers, c.prompts.scopesOf(p.key)
	} else if found, ok := c.templates.get(p.key); ok {
		all, scopes = found.completers, c.templates.scopesOf(p.key)
	} else if _, ok := c.resources.get(p.key); !ok {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown resource template: %.100q", p.key)
	}
	if err := runtime.Authorize(ctx, scopes); err != nil {
		return nil, err
	}
	completer, ok := all[p.argument]
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /argument/name: unknown argument %.100q", p.argument)
	}
	if completer == nil {
		return Completion{}, nil
	}
	return completer(ctx, p.value, p.settled)
}

// AppendJSON appends a CompleteResult.
func (c Completion) AppendJSON(dst []byte) ([]byte, error) {
	values, more := c.Values, c.More
	if len(values) > maxCompletions {
		values, more = values[:maxCompletions], true
	}
	dst = append(dst, `{"completion":{"values":[`...)
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = wire.AppendString(dst, v); err != nil {
			return dst, wire.At(err, i)
		}
	}
	dst = append(dst, ']')
	if total := max(c.Total, 0); total > 0 {
		dst = wire.AppendInt64(append(dst, `,"total":`...), int64(total))
	}
	dst = append(dst, `,"hasMore":`...)
	return append(wire.AppendBool(dst, more), "}}"...), nil
}
