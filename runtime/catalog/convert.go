package catalog

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Converter makes a value of a definition ("Tool", "CallToolResult"), which is written for
// one revision, fit another. An error says that it cannot be said there.
type Converter = func(ctx context.Context, revision, definition string, v wire.Appender) (wire.Appender, error)

// spoken is a result that fits the revision of its session already, so that nobody else
// converts it.
type spoken struct {
	wire.Appender
	revision string
}

// InRevision is the revision that the result fits.
func (s spoken) InRevision() string { return s.revision }

// spokenIn is the revision of the message that a context belongs to, "" for none.
func spokenIn(ctx context.Context) string {
	if call := runtime.CallOf(ctx); call != nil {
		return call.Revision()
	}
	return ""
}

// fitting has the results of h, which are of a definition, converted.
func fitting[P any](c *Catalog, definition string, h func(context.Context, *P) (wire.Appender, error)) func(context.Context, *P) (wire.Appender, error) {
	if c.opts.Convert == nil {
		return h
	}
	return func(ctx context.Context, p *P) (wire.Appender, error) {
		result, err := h(ctx, p)
		revision := spokenIn(ctx)
		if err != nil || result == nil || revision == "" {
			return result, err
		}
		converted, err := c.opts.Convert(ctx, revision, definition, result)
		if err != nil {
			return nil, err
		}
		return spoken{converted, revision}, nil
	}
}

// rewriter makes of an item's text what a revision's list has of it, unless it has none.
type rewriter = func(ctx context.Context, revision, text string) (string, bool)

// convert is the rewriter of definitions of a kind.
func (c *Catalog) convert(kind *kind) rewriter {
	return func(ctx context.Context, revision, definition string) (string, bool) {
		v, err := c.opts.Convert(ctx, revision, kind.definition, wire.Object(definition))
		var text []byte
		if err == nil && v != nil {
			text, err = wire.Marshal(v)
		}
		if err != nil {
			c.log.Warn(fmt.Sprintf("%s left out of the list", kind.noun), "revision", revision, "error", err)
		}
		return string(text), err == nil && v != nil
	}
}
