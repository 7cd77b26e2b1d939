package compat

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestURLIsNotFetched checks that a client passes the URL that a server asks its user to open to the program
// as it is, and does not connect to its host, whatever the user answers.
func TestURLIsNotFetched(t *testing.T) {
	var visits atomic.Int64
	page := httptest.NewUnstartedServer(http.NotFoundHandler())
	page.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			visits.Add(1)
		}
	}
	page.Start()
	defer page.Close()
	address := page.URL + "/xn--e1awd7f?a=%41&b=c#d"

	offers := catalog.New(catalog.Options{Convert: ladder.Converter(mcp.Revision, ladder.Options{})})
	if err := offers.Add(catalog.NewTool(&mcp.Tool{Name: "visit"}, func(ctx context.Context, _ wire.Object) (*mcp.CallToolResult, error) {
		said, err := mcp.NewClientCaller(runtime.CallOf(ctx)).Elicit(ctx, &mcp.ElicitRequestURLParams{ElicitationID: "1", Message: "m", URL: address})
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: string(said.Action)}}}, nil
	})); err != nil {
		t.Fatal(err)
	}
	for _, revision := range []string{mcp.Revision, mcp20260728.Revision} {
		bindings := slices.DeleteFunc(ladder.Serve(offers.Over(mcp.BindBase()), ladder.Options{}), func(b runtime.Binding) bool { return b.Revision != revision })
		server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, bindings...)
		for _, action := range []mcp.ElicitAction{mcp.ElicitActionAccept, mcp.ElicitActionDecline, mcp.ElicitActionCancel} {
			t.Run("F51 "+revision+" "+string(action), func(t *testing.T) {
				near, far := inproc.Pair()
				go server.Serve(context.Background(), far)
				shown := ""
				declared := &mcp.ClientCapabilities{Elicitation: &mcp.ClientCapabilitiesElicitation{URL: "{}"}}
				client := mcp.ClientOptions{Name: "c", Version: "1", Capabilities: declared, Elicit: func(_ context.Context, params mcp.ElicitRequestParams) (*mcp.ElicitResult, error) {
					if p, ok := params.(*mcp.ElicitRequestURLParams); ok {
						shown = p.URL
					}
					return &mcp.ElicitResult{Action: action}, nil
				}}
				session, err := ladder.Connect(t.Context(), near, client)
				if err != nil {
					t.Fatal(err)
				}
				defer session.Close()
				if session.Revision() != revision {
					t.Errorf("revision %s", session.Revision())
				}
				result, err := session.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "visit"})
				if err != nil {
					t.Fatal(err)
				}
				if text, _ := result.Content[0].(*mcp.TextContent); text == nil || text.Text != string(action) {
					t.Errorf("the server got %v, want %s", result.Content, action)
				}
				if shown != address {
					t.Errorf("the program got %q, want %q", shown, address)
				}
			})
		}
	}
	if n := visits.Load(); n > 0 {
		t.Errorf("the client has connected %d times to the host of the URL", n)
	}
}
