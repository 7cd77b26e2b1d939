package otelmcp

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/mcpgen/mcpgen/runtime"
)

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
		if err != nil {
			failed = err
		}
		return i
	}
	requests := level("requests", "{request}", "POST requests in progress.")
	sessions := level("sessions", "{session}", "Open sessions.")
	subscriptions := level("subscriptions", "{subscription}", "Clients that listen for notifications.")
	draining := level("draining", "1", "1 while the handler is shut down, otherwise 0.")
	refused, err := meter.Int64ObservableCounter("mcp.server.refused", metric.WithUnit("{request}"),
		metric.WithDescription("Requests refused because of load, which clients may repeat."))
	if err != nil {
		failed = err
	}
	if failed != nil {
		return nil, failed
	}
	with := metric.WithAttributes(opts.Attributes...)
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := handler.Stats()
		o.ObserveInt64(requests, int64(s.Requests), with)
		o.ObserveInt64(sessions, int64(s.Sessions), with)
		o.ObserveInt64(subscriptions, int64(s.Subscriptions), with)
		o.ObserveInt64(draining, bit(s.Draining), with)
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

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
