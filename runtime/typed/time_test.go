package typed_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type span struct {
	From  time.Time            `json:"from"`
	To    *time.Time           `json:"to" jsonschema:"nullable"`
	Until time.Time            `json:"until,omitzero" jsonschema:"default=2026-01-31T12:00:00Z"`
	Stops []time.Time          `json:"stops,omitempty"`
	Named map[string]time.Time `json:"named,omitempty"`
}

// TestTimes calls a tool whose arguments and result are times.
func TestTimes(t *testing.T) {
	c := catalog.New(catalog.Options{})
	err := c.Add(typed.Tool(wire.Object(`{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`), func(_ context.Context, in *span) (*span, error) {
		return in, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	session := connect(t, c, "2025-11-25")
	for _, test := range []struct{ in, out, err string }{
		{in: `{"from":"2026-01-31T12:00:00Z","to":null}`, out: `{"from":"2026-01-31T12:00:00Z","to":null,"until":"2026-01-31T12:00:00Z"}`},
		{
			in:  `{"from":"2026-01-31t12:00:00.10z","to":"2026-01-31T12:00:00.123456789+05:30","until":"2026-02-01T00:00:00Z","stops":["2026-01-31T12:00:00-00:00"],"named":{"a":"2026-01-31T12:00:00Z"}}`,
			out: `{"from":"2026-01-31T12:00:00.1Z","to":"2026-01-31T12:00:00.123456789+05:30","until":"2026-02-01T00:00:00Z","stops":["2026-01-31T12:00:00Z"],"named":{"a":"2026-01-31T12:00:00Z"}}`,
		},
		{in: `{"from":"2026-01-31T12:00:00.1234567891Z","to":null}`, err: `"2026-01-31T12:00:00.1234567891Z" has more digits than a time.Time, which has nanoseconds`},
		{in: `{"from":"2016-12-31T23:59:60Z","to":null}`, err: `"2016-12-31T23:59:60Z" is a leap second, which a time.Time cannot be`},
		{in: `{"from":"2026-01-31","to":null}`, err: `/from`},
		{in: `{"from":null,"to":null}`, err: `/from`},
	} {
		result, err := tools.CallRaw(t.Context(), session, "t", wire.Raw(test.in))
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %s, %v, want the error %s", test.in, result, err, test.err)
			}
			continue
		}
		if out, _ := result.Get("structuredContent"); err != nil || !wire.Equal(out, wire.Raw(test.out)) {
			t.Errorf("%s: %s, %v, want %s", test.in, out, err, test.out)
		}
	}
}
