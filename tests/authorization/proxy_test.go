package authorization

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/proxy"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// TestProxiedStreamEnds checks that no stream through a guard and a proxy outlives its token, whatever the headers of
// its request say. The server behind the proxy takes every text.
func TestProxiedStreamEnds(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	const listen = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},` + meta + `}}`
	for name, test := range map[string]struct {
		text    string
		session bool
		headers []string
		lasts   bool // until the token expires; otherwise the request is refused at once
	}{
		"right headers":             {listen, false, []string{headers.Method, "subscriptions/listen", headers.Revision, "2026-07-28"}, true},
		"another method":            {listen, false, []string{headers.Method, "tools/call", headers.Revision, "2026-07-28"}, false},
		"no method":                 {listen, false, []string{headers.Revision, "2026-07-28"}, false},
		"another revision":          {listen, false, []string{headers.Method, "subscriptions/listen", headers.Revision, "2025-11-25"}, false},
		"two methods in the text":   {strings.Replace(listen, `"id":1`, `"id":1,"method":"tools/call"`, 1), false, []string{headers.Method, "", headers.Revision, ""}, false},
		"no revision in the text":   {strings.Replace(listen, meta, `"_meta":{}`, 1), false, []string{headers.Method, "tools/call", headers.Revision, "2026-07-28"}, false},
		"in a session":              {listen, true, nil, false},
		"in a batch of a session":   {"[" + listen + "]", true, nil, false},
		"two methods, in a session": {strings.Replace(listen, `"id":1`, `"id":1,"method":"tools/call"`, 1), true, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				guard, err := auth.NewGuard(auth.Options{Resource: "https://r.example", Verifier: func(context.Context, string) (*auth.Caller, error) {
					return &auth.Caller{Subject: "u", Expiry: start.Add(time.Hour)}, nil
				}})
				if err != nil {
					t.Fatal(err)
				}
				handler := streamable.NewHandler(proxy.New(patient, proxy.Options{Grace: -1}), streamable.Options{})
				defer handler.Close()
				post := func(ctx context.Context, text string, header ...string) *httptest.ResponseRecorder {
					return testkit.Serve(ctx, guard.Protect(handler), http.MethodPost, text, append(header, "Authorization", "Bearer t")...)
				}
				if test.session {
					opened := post(t.Context(), mcptest.Initialize("2025-03-26"))
					test.headers = append(test.headers, headers.Session, opened.Header().Get(headers.Session))
				}
				ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
				defer cancel()
				w := post(ctx, test.text, test.headers...)
				took := time.Since(start)
				if test.lasts && took != time.Hour || !test.lasts && (took > time.Minute || !strings.Contains(w.Body.String(), `"error"`)) {
					t.Errorf("after %v: %d %s", took, w.Code, w.Body)
				}
			})
		})
	}
}

// patient returns a transport to a server that answers initialize and nothing else.
func patient() runtime.Transport {
	far, near := mcptest.Pair()
	go func() {
		for {
			in, err := far.Receive(context.Background())
			if err != nil {
				return
			}
			if m := in.Content(); m.Method == "initialize" {
				text, _ := (&jsonrpc.Message{Kind: jsonrpc.Response, ID: m.ID, Result: `{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`}).AppendJSON(nil)
				_ = far.Send(context.Background(), runtime.Outgoing{Text: text, Kind: jsonrpc.Response, ID: m.ID})
			}
		}
	}()
	return near
}
