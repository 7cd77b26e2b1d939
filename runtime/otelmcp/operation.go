package otelmcp

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// The attributes of the semantic conventions.
const (
	keyMethod    = attribute.Key("mcp.method.name")
	keyRevision  = attribute.Key("mcp.protocol.version")
	keySession   = attribute.Key("mcp.session.id")
	keyResource  = attribute.Key("mcp.resource.uri")
	keyTool      = attribute.Key("gen_ai.tool.name")
	keyPrompt    = attribute.Key("gen_ai.prompt.name")
	keyOperation = attribute.Key("gen_ai.operation.name")
	keyID        = attribute.Key("jsonrpc.request.id")
	keyCode      = attribute.Key("rpc.response.status_code")
	keyError     = attribute.Key("error.type")
)

// The methods whose params contain a part of the span's name.
const (
	methodCallTool  = "tools/call"
	methodGetPrompt = "prompts/get"
)

const (
	other        = "_OTHER"
	toolError    = "tool_error"
	codeInternal = "-32603"
)

// maxText limits, in bytes, an attribute value that a peer chooses.
const maxText = 512

// bounded returns a copy of s, truncated to maxText bytes. The copy is necessary because an
// exporter keeps spans, and s may be part of a large message.
func bounded(s string) string {
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	return strings.Clone(s)
}

// operation is one message.
type operation struct {
	method string
	target attribute.KeyValue // the tool or prompt; invalid if there is none
	uri    string
	start  time.Time

	id                wire.Scalar
	session, revision string
	unknown           bool // the method is unknown
}

func operationOf(method string, params wire.Object) operation {
	o := operation{method: bounded(method)}
	switch {
	case method == methodCallTool:
		o.target = keyTool.String(text(params, "name"))
	case method == methodGetPrompt:
		o.target = keyPrompt.String(text(params, "name"))
	case strings.HasPrefix(method, "resources/") || method == "notifications/resources/updated":
		o.uri = text(params, "uri")
	}
	return o
}

// text returns a member that is a string, or "".
func text(o wire.Object, name string) string { return bounded(o.GetString(name)) }

// name returns the name of the span.
func (o *operation) name() string {
	if target := o.target.Value.AsString(); target != "" {
		return o.method + " " + target
	}
	return o.method
}

// attributes returns more, the attributes of the method and, if named is true, those of the tool or
// prompt.
func (o *operation) attributes(more []attribute.KeyValue, named bool) []attribute.KeyValue {
	attrs := append(slices.Clone(more), keyMethod.String(o.method))
	if named {
		attrs = append(attrs, present(o.target)...)
	}
	if o.method == methodCallTool {
		attrs = append(attrs, keyOperation.String("execute_tool"))
	}
	return attrs
}

// present returns the attributes whose text is not "".
func present(attrs ...attribute.KeyValue) []attribute.KeyValue {
	return slices.DeleteFunc(attrs, func(a attribute.KeyValue) bool { return a.Value.AsString() == "" })
}

// atStart returns the attributes of the span that a sampler may need.
func (o *operation) atStart(more []attribute.KeyValue) []attribute.KeyValue {
	return append(o.attributes(more, true), present(keyResource.String(o.uri))...)
}

// atEnd returns the attributes that may only be known at the end.
func (o *operation) atEnd() []attribute.KeyValue {
	attrs := present(keyRevision.String(o.revision))
	if !o.id.IsZero() {
		id, isString := o.id.Str()
		if !isString {
			id = o.id.String()
		}
		attrs = append(attrs, keyID.String(bounded(id)))
	}
	if o.session != "" {
		attrs = append(attrs, keySession.String(runtime.LogID(o.session)))
	}
	return attrs
}

// measured returns the attributes of the measurement. A peer must not be able to create
// arbitrary values, so a name that it sends counts only if it exists.
func (o *operation) measured(more []attribute.KeyValue, out outcome) []attribute.KeyValue {
	attrs := o.attributes(more, !out.refused())
	if o.unknown {
		attrs = append(slices.Clone(more), keyMethod.String(other))
	}
	return slices.Concat(attrs, present(keyRevision.String(o.revision)), out.attributes())
}

// outcome is the result of an operation.
type outcome struct {
	kind    string // the error.type, or ""
	code    string // of the JSON-RPC error, or ""
	message string // of the JSON-RPC error, or ""
}

// refused reports whether the error may be due to a name in the params that does not exist.
func (o outcome) refused() bool { return o.code != "" && o.code != codeInternal }

func (o outcome) attributes() []attribute.KeyValue {
	return present(keyError.String(o.kind), keyCode.String(o.code))
}

// answered returns the outcome of a JSON-RPC error.
func answered(err error) (outcome, bool) {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return outcome{}, false
	}
	code := strconv.FormatInt(e.Code, 10)
	return outcome{code, code, bounded(e.Message)}, true
}

// notFound reports whether the method has no handler.
func notFound(err error) bool {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && e.Code == jsonrpc.CodeMethodNotFound
}

// handled returns the outcome of a received message.
func handled(ctx context.Context, err error) outcome {
	if err == nil {
		return outcome{}
	}
	// An error of the protocol comes first: it may say that there is no such tool, whose name must not count.
	if out, ok := answered(err); ok {
		return out
	}
	if _, ok := errors.AsType[*runtime.CancelledError](context.Cause(ctx)); ok {
		return outcome{kind: "cancelled"}
	}
	if errors.Is(context.Cause(ctx), runtime.ErrClosed) {
		return outcome{kind: "closed"}
	}
	return outcome{kind: codeInternal, code: codeInternal}
}

// sent returns the outcome of a sent message.
func sent(err error) outcome {
	if err == nil {
		return outcome{}
	}
	if out, ok := answered(err); ok {
		return out
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return outcome{kind: "timeout"}
	case errors.Is(err, context.Canceled):
		return outcome{kind: "cancelled"}
	case errors.Is(err, runtime.ErrClosed):
		return outcome{kind: "closed"}
	}
	return outcome{kind: other}
}

// readTool returns the outcome of tools/call. It encodes the result to inspect it, and
// returns the encoded result.
func readTool(result wire.Appender) (wire.Appender, outcome) {
	text, err := runtime.TextOf(result)
	if err != nil || text == "" {
		return result, outcome{kind: codeInternal, code: codeInternal}
	}
	if strings.Contains(string(text), `"isError"`) {
		if failed, _ := wire.Object(text).Get("isError"); failed == "true" {
			return text, outcome{kind: toolError}
		}
	}
	return text, outcome{}
}

// keyReason is the attribute of refused requests.
const keyReason = attribute.Key("mcp.refusal.reason")

// Observe reports the Stats of a handler, such as a *streamable.Handler, whenever metrics are collected:
//
//	mcp.server.requests        POST requests in progress
//	mcp.server.sessions        open sessions
//	mcp.server.subscriptions   clients that listen for notifications
//	mcp.server.draining        1 while the handler is shut down, otherwise 0
//	mcp.server.refused         requests refused because of load, by mcp.refusal.reason
//
// The semantic conventions have no names for these. Of the options, it uses MeterProvider and Attributes.
// It costs the handler nothing between collections. Stop ends the reports.
func Observe(handler interface{ Stats() runtime.Stats }, opts Options) (stop func() error, err error) {
	if opts.MeterProvider == nil {
		opts.MeterProvider = otel.GetMeterProvider()
	}
	meter := opts.MeterProvider.Meter(scope)
	var failed error
	level := func(name, unit, description string) metric.Int64ObservableUpDownCounter {
		i, err := meter.Int64ObservableUpDownCounter("mcp.server."+name, metric.WithUnit(unit), metric.WithDescription(description))
		failed = errors.Join(failed, err)
		return i
	}
	requests := level("requests", "{request}", "POST requests in progress.")
	sessions := level("sessions", "{session}", "Open sessions.")
	subscriptions := level("subscriptions", "{subscription}", "Clients that listen for notifications.")
	draining := level("draining", "1", "1 while the handler is shut down, otherwise 0.")
	refused, err := meter.Int64ObservableCounter("mcp.server.refused", metric.WithUnit("{request}"),
		metric.WithDescription("Requests refused because of load, which clients may repeat."))
	if failed = errors.Join(failed, err); failed != nil {
		return nil, failed
	}
	with := metric.WithAttributes(opts.Attributes...)
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := handler.Stats()
		o.ObserveInt64(requests, int64(s.Requests), with)
		o.ObserveInt64(sessions, int64(s.Sessions), with)
		o.ObserveInt64(subscriptions, int64(s.Subscriptions), with)
		o.ObserveInt64(draining, map[bool]int64{true: 1}[s.Draining], with)
		for reason, n := range s.Refused {
			o.ObserveInt64(refused, n, with, metric.WithAttributes(keyReason.String(reason)))
		}
		return nil
	}, requests, sessions, subscriptions, draining, refused)
	if err != nil {
		return nil, err
	}
	return registration.Unregister, nil
}
