package catalog

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// spoken is a list in the revision of its session, which needs no further conversion.
type spoken struct {
	wire.Appender
	revision string
}

// InRevision returns the revision of the result.
func (s spoken) InRevision() string { return s.revision }

// spokenIn returns the revision of the message that a context belongs to, or "".
func spokenIn(ctx context.Context) string {
	if call := runtime.CallOf(ctx); call != nil {
		return call.Revision()
	}
	return ""
}

// fitting returns h with its results, which are of a definition, converted.
func fitting[P any](c *Catalog, definition string, h func(context.Context, *P) (wire.Appender, error)) func(context.Context, *P) (wire.Appender, error) {
	if c.opts.Convert == nil {
		return h
	}
	return func(ctx context.Context, p *P) (wire.Appender, error) {
		result, err := h(ctx, p)
		call := runtime.CallOf(ctx)
		if call == nil || call.Revision() == "" || call.Revision() == c.opts.Convert.Native {
			return result, err
		}
		if err != nil && c.opts.Convert.Error != nil {
			return nil, c.opts.Convert.Error(call.Revision(), call.Method(), err)
		}
		if err != nil || result == nil || c.opts.Convert.Same != nil && c.opts.Convert.Same(call.Revision(), definition, result) {
			return result, err
		}
		return &fitted{ctx, c.opts.Convert, call.Revision(), definition, result}, nil
	}
}

// fitted is a result that is converted to a revision when it is encoded.
type fitted struct {
	ctx                  context.Context
	by                   *convert.Converter
	revision, definition string
	result               wire.Appender
}

// AppendJSON implements wire.Appender.
func (f *fitted) AppendJSON(dst []byte) ([]byte, error) {
	return f.by.Append(f.ctx, dst, f.revision, f.definition, f.result)
}

// InRevision returns the revision of the result.
func (f *fitted) InRevision() string { return f.revision }
