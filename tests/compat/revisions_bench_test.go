package compat

import (
	"context"
	"io"
	"net/http/httptest"
	"testing"
	"time"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp20250618"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	forecastArguments = `{"city":"Lisbon","hours":6,"units":"metric"}`
	forecastText      = `{"city":"Lisbon","sky":"clear","temperature":[18.5,19,19.5,20,20.5,20],"wind":{"speed":12,"direction":"NW"}}`
)

// forecaster answers tools/call with text and structure.
type forecaster struct{ mcp.UnimplementedServer }

func (forecaster) CallTool(context.Context, *mcp.CallToolRequestParams) (mcp.CallToolResponse, error) {
	return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: forecastText}}, StructuredContent: forecastText}, nil
}

// forecaster18 is forecaster in 2025-06-18.
type forecaster18 struct {
	mcp20250618.UnimplementedServer
}

func (forecaster18) CallTool(context.Context, *mcp20250618.CallToolRequestParams) (*mcp20250618.CallToolResult, error) {
	return &mcp20250618.CallToolResult{Content: []mcp20250618.ContentBlock{&mcp.TextContent{Text: forecastText}}, StructuredContent: forecastText}, nil
}

// forecaster28 is forecaster in 2026-07-28.
type forecaster28 struct {
	mcp20260728.UnimplementedServer
}

func (forecaster28) CallTool(context.Context, *mcp20260728.CallToolRequestParams) (mcp20260728.CallToolResponse, error) {
	return &mcp20260728.CallToolResult{Content: []mcp20260728.ContentBlock{&mcp.TextContent{Text: forecastText}}, StructuredContent: forecastText}, nil
}

// BenchmarkRevisions measures a call with a result of text and structure in the last three revisions, with servers and
// clients of 2025-11-25 and, as "newest", of 2026-07-28, which convert the others. "own" is a server that does not
// convert.
func BenchmarkRevisions(b *testing.B) {
	ctx := b.Context()
	options := runtime.ServerOptions{Name: "s", Version: "1", Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}}}
	item := catalog.Tool{
		Definition: wire.Object(`{"name":"forecast","inputSchema":{"type":"object","properties":{"city":{"type":"string"}}}}`),
		Call: func(context.Context, wire.Object) (wire.Appender, error) {
			return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: forecastText}}, StructuredContent: forecastText}, nil
		},
	}
	item28 := catalog.Tool{Definition: item.Definition,
		Call: func(context.Context, wire.Object) (wire.Appender, error) {
			return &mcp20260728.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: forecastText}}, StructuredContent: forecastText}, nil
		},
	}
	all, err := ladder.NewServer(mcp.BindBase(), options, item)
	if err != nil {
		b.Fatal(err)
	}
	newest, err := ladder.NewServer(mcp20260728.BindBase(), options, item28)
	if err != nil {
		b.Fatal(err)
	}
	own := map[string]runtime.Binding{"2025-06-18": mcp20250618.BindServer(forecaster18{}), "2025-11-25": mcp.BindServer(forecaster{}), "2026-07-28": mcp20260728.BindServer(forecaster28{})}
	call := &mcp.CallToolRequestParams{Name: "forecast", Arguments: forecastArguments}
	params, err := wire.Marshal(call)
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range ladder.Table().Revisions[2:] {
		untyped := func(ctx context.Context, t runtime.Transport) (func() error, io.Closer, error) {
			session, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"},
				runtime.Binding{Revision: r.ID, Direction: runtime.ToClient, Methods: r.Methods}).Connect(ctx, t)
			return func() error { return session.Call(ctx, "tools/call", wire.Object(params), nil) }, session, err
		}
		typed := func(ctx context.Context, t runtime.Transport) (func() error, io.Closer, error) {
			session, err := ladder.Connect(ctx, t, mcp.ClientOptions{Name: "c", Version: "1"})
			return func() error {
				_, err := session.CallTool(ctx, call)
				return err
			}, session, err
		}
		typedNewest := func(ctx context.Context, t runtime.Transport) (func() error, io.Closer, error) {
			session, err := ladder.Connect(ctx, t, mcp20260728.ClientOptions{Name: "c", Version: "1"})
			return func() error {
				_, err := session.CallTool(ctx, &mcp20260728.CallToolRequestParams{Name: "forecast", Arguments: forecastArguments})
				return err
			}, session, err
		}
		only := runtime.NewServer(options, own[r.ID])
		for _, subject := range []struct {
			name   string
			server *runtime.Server
			dial   func(context.Context, runtime.Transport) (func() error, io.Closer, error)
		}{
			{"own", runtime.NewServer(options, own[r.ID]), untyped},
			{"binding", runtime.NewServer(options, ladder.Serve(mcp.BindServer(forecaster{}), ladder.Options{})...), untyped},
			{"catalog", all, untyped},
			{"newest-binding", runtime.NewServer(options, ladder.Serve(mcp20260728.BindServer(forecaster28{}), ladder.Options{})...), untyped},
			{"newest-catalog", newest, untyped},
			{"newest-client", only, typedNewest},
			{"client", only, typed},
		} {
			b.Run(subject.name+"/inproc/"+r.ID, func(b *testing.B) {
				near, far := inproc.Pair()
				go subject.server.Serve(ctx, far)
				measure(b, near, subject.dial)
			})
			b.Run(subject.name+"/http/"+r.ID, func(b *testing.B) {
				h := httptest.NewServer(streamable.NewHandler(subject.server, streamable.Options{StreamAfter: time.Minute}))
				defer h.Close()
				t, err := streamable.NewTransport(h.URL, streamable.ClientOptions{})
				if err != nil {
					b.Fatal(err)
				}
				measure(b, t, subject.dial)
			})
		}
	}
}

// measure connects a client and measures its calls.
func measure(b *testing.B, t runtime.Transport, dial func(context.Context, runtime.Transport) (func() error, io.Closer, error)) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	call, session, err := dial(ctx, t)
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	b.ReportAllocs()
	for b.Loop() {
		if err := call(); err != nil {
			b.Fatal(err)
		}
	}
}
