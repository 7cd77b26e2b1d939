package otelmcp

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// scope is the name of the instrumentation.
const scope = "github.com/mcpgen/mcpgen/runtime/otelmcp"

// propagator reads and writes the members of _meta: W3C Trace Context and Baggage, whose names the protocol
// reserves.
var propagator = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})

// Options configure where traces and metrics go. The zero value is ready to use.
type Options struct {
	TracerProvider trace.TracerProvider // nil means the global one
	MeterProvider  metric.MeterProvider // nil means the global one

	// Untrusted is for a server with untrusted clients: it links to their traces instead of
	// continuing them, and ignores their baggage.
	Untrusted bool

	// Attributes are added to all spans and measurements, for example network.transport,
	// which is "pipe" for stdio and "tcp" for HTTP.
	Attributes []attribute.KeyValue
}

// New returns the middleware. It should be the outermost, so that the spans include the
// work of other middleware.
func New(opts Options) runtime.Middleware {
	if opts.TracerProvider == nil {
		opts.TracerProvider = otel.GetTracerProvider()
	}
	if opts.MeterProvider == nil {
		opts.MeterProvider = otel.GetMeterProvider()
	}
	meter := opts.MeterProvider.Meter(scope)
	in := &instruments{
		Options: opts,
		tracer:  opts.TracerProvider.Tracer(scope),
		received: histogram(meter, "mcp.server.operation.duration",
			"MCP request or notification duration as observed on the receiver from the time it was received until the result or ack is sent."),
		sent: histogram(meter, "mcp.client.operation.duration",
			"The duration of the MCP request or notification as observed on the sender from the time it was sent until the response or ack is received."),
	}
	return in.around
}

// instruments is the state of New's middleware.
type instruments struct {
	Options
	tracer         trace.Tracer
	received, sent metric.Float64Histogram
}

func histogram(m metric.Meter, name, description string) metric.Float64Histogram {
	h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description),
		metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300))
	if err != nil {
		otel.Handle(err)
		return noop.Float64Histogram{}
	}
	return h
}

// around records what a message leads to.
func (in *instruments) around(next runtime.Handler) runtime.Handler {
	return func(ctx context.Context, m *runtime.Message) (result wire.Appender, err error) {
		text, err := m.Text()
		if err != nil {
			return next(ctx, m) // next reports the error
		}
		params := wire.Object(text)
		o := operationOf(m.Method, params)
		o.start = time.Now()
		kind, duration, out := trace.SpanKindClient, in.sent, outcome{kind: "panic"} // replaced if next returns
		var links []trace.Link
		if !m.Sent() {
			kind, duration, out.code = trace.SpanKindServer, in.received, codeInternal
			ctx, links = in.extract(ctx, params)
		}
		ctx, span := in.tracer.Start(ctx, o.name(), trace.WithTimestamp(o.start), trace.WithSpanKind(kind),
			trace.WithLinks(links...), trace.WithAttributes(o.atStart(in.Attributes)...))
		defer func() {
			o.id, o.session, o.revision = m.ID(), m.SessionID(), m.Revision()
			in.end(ctx, span, o, out, duration)
		}()
		if m.Sent() {
			result, err = next(ctx, in.inject(ctx, m, params))
			out = sent(err)
		} else {
			result, err = next(ctx, m)
			out = handled(ctx, err)
			if call := runtime.CallOf(ctx); call != nil && notFound(err) {
				o.unknown = !call.Known()
				if m.Kind == jsonrpc.Notification {
					out = outcome{} // it is ignored
				}
			}
		}
		if err == nil && m.Method == methodCallTool {
			result, out = readTool(result)
		}
		return result, err
	}
}

// end ends the span and records the measurement.
func (in *instruments) end(ctx context.Context, span trace.Span, o operation, out outcome, h metric.Float64Histogram) {
	if span.IsRecording() {
		span.SetAttributes(o.atEnd()...)
		span.SetAttributes(out.attributes()...)
		if out.kind != "" {
			span.SetStatus(codes.Error, out.message)
		}
		if o.unknown {
			span.SetName(other)
		} else if out.refused() {
			span.SetName(o.method)
		}
	}
	now := time.Now()
	span.End(trace.WithTimestamp(now))
	if h.Enabled(ctx) {
		h.Record(ctx, now.Sub(o.start).Seconds(), metric.WithAttributes(o.measured(in.Attributes, out)...))
	}
}

// member is the member of params that carries the trace context.
const member = "_meta"

// extract returns the context that continues the trace of the params' sender, and the links
// of the new span.
func (in *instruments) extract(ctx context.Context, params wire.Object) (context.Context, []trace.Link) {
	raw, ok := params.Get(member)
	if !ok || raw.Kind() != wire.KindObject {
		return ctx, nil
	}
	remote := propagator.Extract(ctx, &carrier{meta: wire.Object(raw)})
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

// inject returns the message, whose params are encoded, with the trace context of ctx.
func (in *instruments) inject(ctx context.Context, m *runtime.Message, params wire.Object) *runtime.Message {
	if params != "" {
		m = m.With(params)
		if params.Kind() != wire.KindObject {
			return m
		}
	}
	meta, _ := params.Get(member)
	c := &carrier{meta: wire.Object(meta)}
	propagator.Inject(ctx, c)
	if !c.set || c.err != nil {
		return m
	}
	if params, err := params.With(member, wire.Raw(c.meta)); err == nil {
		m = m.With(params)
	}
	return m
}

// carrier is _meta as a propagation.TextMapCarrier.
type carrier struct {
	meta wire.Object
	set  bool
	err  error // of setting a member: _meta is not an object
}

// Get returns a member that is a string, or "".
func (c *carrier) Get(key string) string { return c.meta.GetString(key) }

// Keys returns the names of the members.
func (c *carrier) Keys() []string {
	var keys []string
	for name := range c.meta.All() {
		keys = append(keys, name)
	}
	return keys
}

// Set stores a member, unless its value is empty.
func (c *carrier) Set(key, value string) {
	text, err := wire.AppendString(nil, value)
	if err == nil && value != "" && c.err == nil {
		c.set = true
		c.meta, c.err = c.meta.With(key, wire.Raw(text))
	}
}
