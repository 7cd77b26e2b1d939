package everything_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/everything"
)

// TestListeners checks that changes of a catalog, and updates that the handler of a tool reports, reach a
// client that listens, over each transport (F17, P25, P26, P27, P29, P36).
func TestListeners(t *testing.T) {
	dialHTTP := func(t *testing.T, server *runtime.Server) runtime.Transport {
		handler := streamable.NewHandler(server, streamable.Options{})
		web := httptest.NewServer(handler)
		t.Cleanup(web.Close)
		t.Cleanup(func() { handler.Close() })
		transport, err := streamable.NewTransport(web.URL, streamable.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return transport
	}
	dialPair := func(pair func() (near, far runtime.Transport)) func(*testing.T, *runtime.Server) runtime.Transport {
		return func(t *testing.T, server *runtime.Server) runtime.Transport {
			near, far := pair()
			go server.Serve(context.Background(), far)
			return near
		}
	}
	for transport, dial := range map[string]func(*testing.T, *runtime.Server) runtime.Transport{
		"in process": dialPair(inMemory), "stdio": dialPair(pipes), "HTTP": dialHTTP,
	} {
		t.Run(transport, func(t *testing.T) {
			server, catalog, err := everything.New(everything.Options{})
			if err != nil {
				t.Fatal(err)
			}
			session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"},
				mcp20260728.BindClient(mcp20260728.UnimplementedClient{})).Connect(t.Context(), dial(t, server))
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			ctx, cancel := context.WithTimeout(t.Context(), testkit.Limit)
			defer cancel()
			filter := wire.Object(`{"toolsListChanged":true,"resourceSubscriptions":["test://watched-resource","test://none"]}`)
			var got []string
			for n, err := range session.Listen(ctx, filter) {
				if err != nil {
					t.Fatal(err)
				}
				params := wire.Object(n.Params)
				got = append(got, n.Method+" "+params.GetString("uri"))
				switch len(got) {
				case 1:
					acknowledged, _ := params.Get("notifications")
					if !wire.Equal(acknowledged, `{"toolsListChanged":true,"resourceSubscriptions":["test://watched-resource"]}`) {
						t.Errorf("acknowledged %s", acknowledged)
					}
					catalog.ResourceUpdated("test://other")
					var result wire.Raw
					if err := session.Call(ctx, "tools/call", wire.Raw(`{"name":"update","arguments":{"uri":"test://watched-resource"}}`), &result); err != nil {
						t.Fatal(err)
					}
				case 2:
					catalog.RemoveTools("wait")
				case 3:
					cancel()
				}
			}
			want := []string{"notifications/subscriptions/acknowledged ", "notifications/resources/updated test://watched-resource", "notifications/tools/list_changed "}
			if len(got) != len(want) || got[1] != want[1] || got[2] != want[2] {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
