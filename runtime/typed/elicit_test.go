package typed_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/tools/contract"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type booking struct {
	Name  string `json:"name" jsonschema:"minLength=1" jsonschema_description:"Who travels."`
	Seats int    `json:"seats,omitempty" jsonschema:"minimum=1,maximum=9,default=2"`
	Units Units  `json:"units,omitempty"`
	Meal  bool   `json:"meal,omitempty"`
}

// book asks for a booking and returns what it has got.
func book(ctx context.Context, _ *struct{}) ([]mcp.ContentBlock, error) {
	answer, action, err := typed.Elicit[booking](ctx, "Who \"travels\"?")
	if err != nil {
		return nil, err
	}
	text := action
	if answer != nil {
		text += fmt.Sprintf(" %+v", *answer)
	}
	return []mcp.ContentBlock{mcp.Text(text)}, nil
}

// TestElicit asks the users of clients with and without a session.
func TestElicit(t *testing.T) {
	const form = `{"message":"Who \"travels\"?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","description":"Who travels.","minLength":1},` +
		`"seats":{"type":"integer","minimum":1,"maximum":9DEFAULT},"units":{"type":"string","enum":["metric","imperial"]},"meal":{"type":"boolean"}},"required":["name"]}}`
	for _, tt := range []struct{ result, want string }{
		{`{"action":"accept","content":{"name":"Ada","units":"metric"}}`, `accept {Name:Ada Seats:2 Units:metric Meal:false}`},
		{`{"action":"accept","content":{"name":"Ada","seats":9,"meal":true}}`, `accept {Name:Ada Seats:9 Units: Meal:true}`},
		{`{"action":"decline"}`, `decline`},
		{`{"action":"cancel"}`, `cancel`},
	} {
		for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
			server, err := mcp.NewServer(mcp.ServerOptions{Name: "test", Version: "1"}, typed.ContentTool(&mcp.Tool{Name: "book"}, book))
			if err != nil {
				t.Fatal(err)
			}
			binding := runtime.Binding{Revision: revision, Direction: runtime.ToClient}
			if revision == mcp20260728.Revision {
				binding = mcp20260728.BindClient(mcp20260728.UnimplementedClient{})
			}
			binding.Handle = func(_ context.Context, m *runtime.Message) (wire.Appender, error) {
				if m.Method != "elicitation/create" {
					return nil, runtime.MethodNotFound(m.Method)
				}
				want := strings.Replace(form, "DEFAULT", `,"default":2`, 1)
				if revision == "2025-06-18" { // whose numbers have no defaults
					want = strings.Replace(form, "DEFAULT", "", 1)
				}
				if got := m.Object().Without("mode", "_meta"); !wire.Equal(wire.Raw(got), wire.Raw(want)) {
					t.Errorf("%s: asked with %s", revision, got)
				}
				return wire.Raw(tt.result), nil
			}
			client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1", Capabilities: wire.Object(`{"elicitation":{"form":{}}}`)}, binding)
			session, err := client.Connect(t.Context(), contract.Connect(t, server))
			if err != nil {
				t.Fatal(err)
			}
			var result wire.Object
			got := ""
			if err := session.Call(t.Context(), "tools/call", wire.Object(`{"name":"book","arguments":{}}`), &result); err != nil {
				got = err.Error()
			}
			if got += string(result); !strings.Contains(got, tt.want) {
				t.Errorf("%s: %s: got %s, want %s", revision, tt.result, got, tt.want)
			}
			session.Close()
		}
	}
}

// TestElicitErrors checks the types that no form has, and a context without a call.
func TestElicitErrors(t *testing.T) {
	if _, _, err := typed.Elicit[booking](t.Context(), "?"); err == nil || !strings.Contains(err.Error(), "context of a call") {
		t.Errorf("outside of a call: %v", err)
	}
	c := catalog.New(catalog.Options{})
	ask := func(ctx context.Context, _ *struct{}) ([]mcp.ContentBlock, error) {
		_, _, err := typed.Elicit[struct{ Where struct{ City string } }](ctx, "?")
		return nil, err
	}
	if err := c.Add(typed.ContentTool(&mcp.Tool{Name: "ask"}, ask)); err != nil {
		t.Fatal(err)
	}
	var result wire.Object
	if err := connect(t, c, "2025-11-25").Call(t.Context(), "tools/call", wire.Object(`{"name":"ask"}`), &result); err != nil || !strings.Contains(string(result), `the type of \"Where\"`) {
		t.Errorf("%s, %v", result, err)
	}
}
