package otelmcp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/otelmcp"
)

// handler is a handler with given stats.
type handler struct{ stats runtime.Stats }

func (h *handler) Stats() runtime.Stats { return h.stats }

// TestObserve checks the metrics of a handler, and that they end.
func TestObserve(t *testing.T) {
	p := newProbe()
	h := &handler{runtime.Stats{Requests: 3, Sessions: 2, Subscriptions: 1}}
	opts := p.options()
	opts.Attributes = []attribute.KeyValue{attribute.String("a", "b")}
	stop, err := otelmcp.Observe(h, opts)
	if err != nil {
		t.Fatal(err)
	}
	collect := func() map[string]int64 {
		var all metricdata.ResourceMetrics
		if err := p.reader.Collect(t.Context(), &all); err != nil {
			t.Fatal(err)
		}
		values := map[string]int64{}
		for _, scope := range all.ScopeMetrics {
			for _, m := range scope.Metrics {
				for _, point := range m.Data.(metricdata.Sum[int64]).DataPoints {
					values[m.Name+" "+list(point.Attributes.ToSlice())] = point.Value
				}
			}
		}
		return values
	}
	want := map[string]int64{"mcp.server.requests a=b": 3, "mcp.server.sessions a=b": 2, "mcp.server.subscriptions a=b": 1, "mcp.server.draining a=b": 0}
	if diff := cmp.Diff(want, collect()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	h.stats = runtime.Stats{Draining: true, Refused: map[string]int64{"rate": 5, "draining": 1}}
	want = map[string]int64{"mcp.server.requests a=b": 0, "mcp.server.sessions a=b": 0, "mcp.server.subscriptions a=b": 0, "mcp.server.draining a=b": 1,
		"mcp.server.refused a=b,mcp.refusal.reason=rate": 5, "mcp.server.refused a=b,mcp.refusal.reason=draining": 1}
	if diff := cmp.Diff(want, collect()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if err := stop(); err != nil || len(collect()) != 0 {
		t.Errorf("%v, or reports after the end", err)
	}
}
