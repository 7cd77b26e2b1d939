package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Completer proposes values for an argument of a prompt or a variable of a resource
// template. Value is what has been typed; settled are the other arguments that have
// their values already, as far as the client has said (from 2025-06-18 on).
type Completer func(ctx context.Context, value string, settled map[string]string) (Completion, error)

// Completion is what a Completer proposes.
type Completion struct {
	Values []string // the best first; clients get the first 100
	Total  int      // how many there are; 0 when that is not known
	More   bool     // there are more than Values
}

// OneOf makes a Completer for an argument that has one of a few values: it proposes
// those that begin with what has been typed.
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

// maxCompletions is how many values an answer may have ("Completion Results" in
// server/utilities/completion of every revision).
const maxCompletions = 100

// completers are those of one item by argument, nil for an argument without one.
type completers map[string]Completer

func newCompleters(arguments []string, by map[string]Completer) (completers, error) {
	all := make(completers, len(arguments))
	for _, name := range arguments {
		all[name] = by[name]
	}
	for name := range by {
		if !slices.Contains(arguments, name) {
			return nil, fmt.Errorf("a completer for %.100q, which is no argument", name)
		}
	}
	return all, nil
}

// complete answers completion/complete.
func (c *Catalog) complete(ctx context.Context, p *completeParams) (wire.Appender, error) {
	var all completers
	if p.ref == refPrompt {
		found, ok := c.prompts.get(p.key)
		if !ok {
			return nil, unknownPrompt(p.key)
		}
		all = found.completers
	} else if found, ok := c.templates.get(p.key); ok {
		all = found.completers
	} else if _, ok := c.resources.get(p.key); !ok {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown resource template: %.100q", p.key)
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
