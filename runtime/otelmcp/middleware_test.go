package otelmcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/otelmcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// probe records the telemetry of one side.
type probe struct {
	spans  *tracetest.InMemoryExporter
	tracer *sdktrace.TracerProvider
	reader *metric.ManualReader
	meter  *metric.MeterProvider
}

func newProbe() *probe {
	p := &probe{spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	p.tracer = sdktrace.NewTracerProvider(sdktrace.WithSyncer(p.spans))
	p.meter = metric.NewMeterProvider(metric.WithReader(p.reader))
	return p
}

func (p *probe) options() otelmcp.Options {
	return otelmcp.Options{TracerProvider: p.tracer, MeterProvider: p.meter}
}

// span returns the named span and discards all spans.
func (p *probe) span(t *testing.T, name string) tracetest.SpanStub {
	t.Helper()
	for _, s := range p.spans.GetSpans() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no span %q among %d", name, len(p.spans.GetSpans()))
	return tracetest.SpanStub{}
}

// counts returns the numbers of measurements of a histogram by the text of their
// attributes.
func (p *probe) counts(t *testing.T, name string) map[string]uint64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := p.reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	counts := map[string]uint64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != name {
				continue
			}
			if m.Unit != "s" {
				t.Errorf("%s is in %q", name, m.Unit)
			}
			for _, point := range m.Data.(metricdata.Histogram[float64]).DataPoints {
				counts[list(point.Attributes.ToSlice())] += point.Count
			}
		}
	}
	return counts
}

// list returns attributes as text, in the order of their keys.
func list(attrs []attribute.KeyValue) string {
	set := attribute.NewSet(attrs...)
	return set.Encoded(attribute.DefaultEncoder())
}

const revision = "2025-06-18"

// methods is the part of the method table that the tests use.
var methods = []runtime.Method{
	{Name: "initialize", Kind: jsonrpc.Request, Direction: runtime.ToServer},
	{Name: "ping", Kind: jsonrpc.Request, Direction: runtime.ToServer | runtime.ToClient},
	{Name: "tools/call", Kind: jsonrpc.Request, Direction: runtime.ToServer},
	{Name: "prompts/get", Kind: jsonrpc.Request, Direction: runtime.ToServer},
	{Name: "resources/read", Kind: jsonrpc.Request, Direction: runtime.ToServer},
	{Name: "roots/list", Kind: jsonrpc.Request, Direction: runtime.ToClient},
	{Name: "notifications/initialized", Kind: jsonrpc.Notification, Direction: runtime.ToServer},
	{Name: "notifications/cancelled", Kind: jsonrpc.Notification, Direction: runtime.ToServer | runtime.ToClient},
}

// handle is the handler of the tests' server.
func handle(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
	method, params := message.Method, wire.Raw(message.Object())
	name, _ := wire.Object(params).Get("name")
	switch {
	case method == "resources/read":
		return wire.Raw(`{"contents":[]}`), nil
	case method != "tools/call":
		return nil, runtime.MethodNotFound(method)
	}
	call := runtime.CallOf(ctx)
	switch name {
	case `"echo"`:
		return wire.Raw(`{"content":[]}`), nil
	case `"failing"`:
		return wire.Raw(`{"content":[],"isError":true}`), nil
	case `"broken"`:
		return nil, errors.New("a secret")
	case `"boom"`:
		panic("boom")
	case `"asks"`:
		return wire.Raw(`{"content":[]}`), call.Call(ctx, "roots/list", nil, nil)
	case `"meta"`:
		b := baggage.FromContext(ctx)
		text, err := wire.AppendString(nil, string(call.Meta())+" "+b.String())
		return wire.Raw(`{"content":[],"text":` + string(text) + `}`), err
	case `"wait"`:
		<-ctx.Done()
		return nil, ctx.Err()
	case `"none-late"`:
		<-ctx.Done()
	}
	return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool")
}

// named is a transport of a session with an ID.
type named struct{ *inproc.Transport }

func (named) SessionID() string                  { return "s-1" }
func (named) Negotiated(runtime.Handshake) error { return nil }

// open opens a session in which both sides have the middleware.
func open(t *testing.T, server, client []runtime.Middleware) (*runtime.Session, func()) {
	s := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Receiving: server, Sending: server},
		runtime.Binding{Revision: revision, Direction: runtime.ToServer, Methods: methods, Handle: handle})
	c := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1", Receiving: client, Sending: client},
		runtime.Binding{Revision: revision, Direction: runtime.ToClient,
			Handle: func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
				method := message.Method
				if method == "roots/list" {
					return wire.Raw(`{"roots":[]}`), nil
				}
				return nil, runtime.MethodNotFound(method)
			}})
	a, b := inproc.Pair()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.Background(), named{a}) }()
	session, err := c.Connect(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return session, func() {
		session.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func tool(name string) wire.Raw { return wire.Raw(`{"name":"` + name + `"}`) }

func TestSpans(t *testing.T) {
	const common = "mcp.protocol.version=2025-06-18"
	for _, row := range []struct {
		method, params string
		name           string // of the spans, unless the server's is _OTHER
		attrs          string // of both sides' spans
		failure        string // attributes of the server's span
		sent           string // attributes of the client's span, if different
		status         string // description
	}{
		{"tools/call", `{"name":"echo"}`, "tools/call echo",
			"gen_ai.operation.name=execute_tool gen_ai.tool.name=echo mcp.method.name=tools/call", "", "", ""},
		{"resources/read", `{"uri":"file:///a"}`, "resources/read",
			"mcp.method.name=resources/read mcp.resource.uri=file:///a", "", "", ""},
		{"ping", "", "ping", "mcp.method.name=ping", "", "", ""},
		{"tools/call", `{"name":"failing"}`, "tools/call failing",
			"gen_ai.operation.name=execute_tool gen_ai.tool.name=failing mcp.method.name=tools/call", "error.type=tool_error", "", ""},
		{"tools/call", `{"name":"none"}`, "tools/call",
			"gen_ai.operation.name=execute_tool gen_ai.tool.name=none mcp.method.name=tools/call",
			"error.type=-32602 rpc.response.status_code=-32602", "", "unknown tool"},
		{"tools/call", `{"name":"broken"}`, "tools/call broken",
			"gen_ai.operation.name=execute_tool gen_ai.tool.name=broken mcp.method.name=tools/call",
			"error.type=-32603 rpc.response.status_code=-32603", "", ""},
		{"tools/call", `{"name":"boom"}`, "tools/call boom",
			"gen_ai.operation.name=execute_tool gen_ai.tool.name=boom mcp.method.name=tools/call",
			"error.type=panic rpc.response.status_code=-32603", "error.type=-32603 rpc.response.status_code=-32603", ""},
		{"prompts/get", `{"name":"none"}`, "prompts/get",
			"gen_ai.prompt.name=none mcp.method.name=prompts/get",
			"error.type=-32601 rpc.response.status_code=-32601", "", `method not found: "prompts/get"`},
		{"made/up", "", "made/up", "mcp.method.name=made/up",
			"error.type=-32601 rpc.response.status_code=-32601", "", `method not found: "made/up"`},
	} {
		t.Run(row.name+row.failure, func(t *testing.T) {
			server, client := newProbe(), newProbe()
			session, end := open(t, []runtime.Middleware{otelmcp.New(server.options())}, []runtime.Middleware{otelmcp.New(client.options())})
			client.spans.Reset()
			var params wire.Appender
			if row.params != "" {
				params = wire.Raw(row.params)
			}
			err := session.Call(t.Context(), row.method, params, nil)
			if refused := strings.Contains(row.failure, "rpc."); refused != (err != nil) {
				t.Error(err)
			}
			end()
			sent := client.span(t, row.name)
			if row.name == "made/up" {
				row.name = "_OTHER"
			}
			received := server.span(t, row.name)
			check := func(side string, s tracetest.SpanStub, kind trace.SpanKind, want string) {
				t.Helper()
				var words []attribute.KeyValue
				for word := range strings.FieldsSeq(want) {
					key, value, _ := strings.Cut(word, "=")
					words = append(words, attribute.String(key, value))
				}
				if got := list(s.Attributes); got != list(words) {
					t.Errorf("%s:\n%s, want\n%s", side, got, list(words))
				}
				if failed := strings.Contains(want, "error.type"); failed != (s.Status.Code == codes.Error) || s.SpanKind != kind {
					t.Errorf("%s: %v, kind %v", side, s.Status, s.SpanKind)
				}
			}
			check("server", received, trace.SpanKindServer, row.attrs+" jsonrpc.request.id=2 mcp.session.id="+runtime.LogID("s-1")+" "+common+" "+row.failure)
			if row.sent == "" {
				row.sent = row.failure
			}
			check("client", sent, trace.SpanKindClient, row.attrs+" jsonrpc.request.id=2 "+common+" "+row.sent)
			if received.Status.Description != row.status {
				t.Errorf("status %q, want %q", received.Status.Description, row.status)
			}
			if received.Parent.SpanID() != sent.SpanContext.SpanID() || !received.Parent.IsRemote() ||
				received.SpanContext.TraceID() != sent.SpanContext.TraceID() {
				t.Error("the server's span is not a child of the client's")
			}
		})
	}
}

// TestNested follows a trace to a handler and back to the client.
func TestNested(t *testing.T) {
	server, client := newProbe(), newProbe()
	session, end := open(t, []runtime.Middleware{otelmcp.New(server.options())}, []runtime.Middleware{otelmcp.New(client.options())})
	if err := session.Call(t.Context(), "tools/call", tool("asks"), nil); err != nil {
		t.Fatal(err)
	}
	end()
	chain := []tracetest.SpanStub{
		client.span(t, "tools/call asks"), server.span(t, "tools/call asks"),
		server.span(t, "roots/list"), client.span(t, "roots/list"),
	}
	for i := range chain[1:] {
		if chain[i+1].Parent.SpanID() != chain[i].SpanContext.SpanID() || chain[i+1].SpanContext.TraceID() != chain[0].SpanContext.TraceID() {
			t.Errorf("span %d is not a child of the one before", i+1)
		}
	}
	hello := [2]tracetest.SpanStub{client.span(t, "initialize"), server.span(t, "initialize")}
	if hello[1].Parent.SpanID() != hello[0].SpanContext.SpanID() {
		t.Error("initialize: the server's span is not a child of the client's")
	}
	for _, s := range hello {
		if !strings.Contains(list(s.Attributes), "mcp.protocol.version="+revision) {
			t.Errorf("initialize: %s", list(s.Attributes))
		}
	}
}

func TestMeta(t *testing.T) {
	remote := trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled, Remote: true,
	})
	state, err := trace.ParseTraceState("vendor=x")
	if err != nil {
		t.Fatal(err)
	}
	m, _ := baggage.NewMemberRaw("user", "a b")
	bag, _ := baggage.New(m)
	ctx := baggage.ContextWithBaggage(trace.ContextWithSpanContext(t.Context(), remote.WithTraceState(state)), bag)

	// A client without spans of its own passes on the context it was given.
	mw := otelmcp.New(otelmcp.Options{})
	for _, untrusted := range []bool{false, true} {
		server := newProbe()
		opts := server.options()
		opts.Untrusted = untrusted
		session, end := open(t, []runtime.Middleware{otelmcp.New(opts)}, []runtime.Middleware{mw})
		var result wire.Object
		if err := session.Call(ctx, "tools/call", wire.Raw(`{"_meta":{"own":1,"traceparent":"old"},"name":"meta"}`), &result); err != nil {
			t.Fatal(err)
		}
		end()
		raw, _ := result.Get("text")
		got := wire.NewStringReader(string(raw)).ReadString()
		want := `{"own":1,"traceparent":"00-01000000000000000000000000000000-0200000000000000-01","tracestate":"vendor=x","baggage":"user=a%20b"} `
		if !untrusted {
			want += "user=a%20b"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		span := server.span(t, "tools/call meta")
		if untrusted {
			if span.Parent.IsValid() || len(span.Links) != 1 || span.Links[0].SpanContext.SpanID() != remote.SpanID() {
				t.Errorf("untrusted: parent %v, links %v", span.Parent, span.Links)
			}
		} else if span.Parent.SpanID() != remote.SpanID() || span.SpanContext.TraceState().String() != "vendor=x" {
			t.Errorf("parent %v", span.Parent)
		}
	}
}

// TestHostileMeta sends a server invalid trace contexts.
func TestHostileMeta(t *testing.T) {
	server := newProbe()
	session, end := open(t, []runtime.Middleware{otelmcp.New(server.options())}, nil)
	for _, meta := range []string{
		`1`, `{}`, `{"traceparent":1}`, `{"traceparent":"00-xyz"}`, `{"traceparent":{"a":[]},"baggage":";;;=,"}`,
		`{"traceparent":"` + strings.Repeat("0", 1<<16) + `","baggage":"` + strings.Repeat("a=b,", 1<<14) + `"}`,
	} {
		server.spans.Reset()
		if err := session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"echo","_meta":`+meta+`}`), nil); err != nil {
			t.Errorf("%.60s: %v", meta, err)
		}
		if span := server.span(t, "tools/call echo"); span.Parent.IsValid() || len(span.Links) > 0 {
			t.Errorf("%.60s: parent %v, links %v", meta, span.Parent, span.Links)
		}
	}
	end()
}

func TestMetrics(t *testing.T) { synctest.Test(t, testMetrics) }

func testMetrics(t *testing.T) {
	server, client := newProbe(), newProbe()
	opts := server.options()
	opts.Attributes = []attribute.KeyValue{attribute.String("network.transport", "pipe")}
	session, end := open(t, []runtime.Middleware{otelmcp.New(opts)}, []runtime.Middleware{otelmcp.New(client.options())})
	for _, name := range []string{"echo", "echo", "failing", "none-1", "none-2", "broken"} {
		session.Call(t.Context(), "tools/call", tool(name), nil)
	}
	session.Call(t.Context(), "made/up", nil, nil)
	for _, name := range []string{"wait", "none-late"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		session.Call(ctx, "tools/call", tool(name), nil)
	}
	synctest.Wait() // until the server has received the cancellations
	end()
	const tail = "mcp.method.name=tools/call,mcp.protocol.version=2025-06-18"
	want := map[string]uint64{
		"mcp.method.name=initialize,mcp.protocol.version=2025-06-18":                                                                1,
		"gen_ai.operation.name=execute_tool,gen_ai.tool.name=echo," + tail:                                                          2,
		"error.type=tool_error,gen_ai.operation.name=execute_tool,gen_ai.tool.name=failing," + tail:                                 1,
		"error.type=-32602,gen_ai.operation.name=execute_tool," + tail + ",rpc.response.status_code=-32602":                         2,
		"error.type=-32603,gen_ai.operation.name=execute_tool,gen_ai.tool.name=broken," + tail + ",rpc.response.status_code=-32603": 1,
		"error.type=-32601,mcp.method.name=made/up,mcp.protocol.version=2025-06-18,rpc.response.status_code=-32601":                 1,
	}
	sent, received := map[string]uint64{}, map[string]uint64{}
	for k, n := range want {
		sent[k] = n
		method, rest, _ := strings.Cut(k, ",mcp.protocol.version=2025-06-18")
		if strings.Contains(k, "made/up") {
			method = strings.Replace(method, "made/up", "_OTHER", 1)
		}
		received[method+",mcp.protocol.version=2025-06-18,network.transport=pipe"+rest] = n
	}
	sent["mcp.method.name=notifications/initialized,mcp.protocol.version=2025-06-18"] = 1
	for _, name := range []string{"wait", "none-late"} {
		sent["error.type=timeout,gen_ai.operation.name=execute_tool,gen_ai.tool.name="+name+","+tail] = 1
	}
	received["error.type=-32602,gen_ai.operation.name=execute_tool,"+tail+",network.transport=pipe,rpc.response.status_code=-32602"]++
	received["error.type=cancelled,gen_ai.operation.name=execute_tool,gen_ai.tool.name=wait,"+tail+",network.transport=pipe"] = 1
	if diff := cmp.Diff(sent, client.counts(t, "mcp.client.operation.duration")); diff != "" {
		t.Error("sent:", diff)
	}
	got := server.counts(t, "mcp.server.operation.duration")
	for method, n := range map[string]uint64{"notifications/initialized": 1, "notifications/cancelled": 2} {
		received["mcp.method.name="+method+",mcp.protocol.version=2025-06-18,network.transport=pipe"] = n
	}
	if diff := cmp.Diff(received, got); diff != "" {
		t.Error("received:", diff)
	}
}
