package otelmcp

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// member is the member of params that carries the trace context.
const member = "_meta"

// extract returns the context that continues the trace of the params' sender, and the links
// of the new span.
func (in *instruments) extract(ctx context.Context, params wire.Object) (context.Context, []trace.Link) {
	raw, ok := params.Get(member)
	if !ok || raw.Kind() != wire.KindObject {
		return ctx, nil
	}
	remote := in.Propagator.Extract(ctx, metaReader(raw))
	from, here := trace.SpanContextFromContext(remote), trace.SpanContextFromContext(ctx)
	switch {
	case from.Equal(here): // the sender sent no trace context
		if in.Untrusted {
			return ctx, nil
		}
		return remote, nil
	case in.Untrusted:
		return ctx, []trace.Link{{SpanContext: from}}
	case here.IsValid():
		return remote, []trace.Link{{SpanContext: here}}
	}
	return remote, nil
}

// inject returns params with the trace context of ctx, or false if there is none.
func (in *instruments) inject(ctx context.Context, params wire.Object) (wire.Object, bool) {
	var w metaWriter
	in.Propagator.Inject(ctx, &w)
	if len(w) == 0 || params != "" && params.Kind() != wire.KindObject {
		return "", false
	}
	meta, _ := params.Get(member)
	carried := wire.Object(meta)
	for _, m := range w {
		var err error
		if carried, err = carried.With(m.Name, m.Value); err != nil {
			return "", false // _meta is not an object
		}
	}
	params, err := params.With(member, wire.Raw(carried))
	return params, err == nil
}

// metaReader is the carrier for extracting.
type metaReader wire.Object

var _ propagation.TextMapCarrier = metaReader("")

// Get returns a member that is a string, or "".
func (m metaReader) Get(key string) string { return wire.Object(m).GetString(key) }

// Keys returns the names of the members.
func (m metaReader) Keys() []string {
	var keys []string
	for name := range wire.Object(m).All() {
		keys = append(keys, name)
	}
	return keys
}

// Set does nothing.
func (m metaReader) Set(string, string) {}

// metaWriter is the carrier for injecting.
type metaWriter []wire.Member

var _ propagation.TextMapCarrier = (*metaWriter)(nil)

// Set stores a member, unless its value is empty.
func (w *metaWriter) Set(key, value string) {
	text, err := wire.AppendString(nil, value)
	if err == nil && value != "" {
		*w = append(*w, wire.Member{Name: key, Value: wire.Raw(text)})
	}
}

// Get returns "". Injecting reads nothing.
func (w *metaWriter) Get(string) string { return "" }

// Keys returns the names of the members.
func (w *metaWriter) Keys() []string {
	var keys []string
	for _, m := range *w {
		keys = append(keys, m.Name)
	}
	return keys
}
