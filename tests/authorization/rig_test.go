package authorization

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/authserver"
)

// rig is a protected server with its authorization server.
type rig struct {
	*httptest.Server
	t     *testing.T
	as    *authserver.Server
	guard *auth.Guard
	url   string // of the endpoint, which is the identifier of the server
	calls atomic.Int64
	log   testkit.Buffer
}

// implies makes files:admin include files:read and files:write.
func implies(has, needed string) bool {
	return has == "files:admin" && strings.HasPrefix(needed, "files:")
}

// newRig starts both servers. Configure, if not nil, changes the options of the guard.
func newRig(t *testing.T, as authserver.Options, configure func(*rig, *auth.Options)) *rig {
	r := &rig{t: t, as: authserver.New(t, as)}
	logger := slog.New(slog.NewTextHandler(&r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "s", Version: "1", Logger: logger}, r.items()...)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	r.Server = httptest.NewServer(mux)
	t.Cleanup(r.Close)
	r.url = r.URL + "/mcp"
	o := auth.Options{Resource: r.url, Issuers: []auth.Issuer{{URL: r.as.Issuer}}, Scopes: []string{"mcp"}, Implies: implies, Logger: logger}
	if configure != nil {
		configure(r, &o)
	}
	if r.guard, err = auth.NewGuard(o); err != nil {
		t.Fatal(err)
	}
	handler := streamable.NewHandler(server, streamable.Options{})
	t.Cleanup(handler.Close)
	r.guard.Protect(handler).Mount(mux, "/mcp")
	return r
}

// items are a tool, prompt, resource and template with scopes, and a tool without.
func (r *rig) items() []catalog.Item {
	text := wire.Object(`{"content":[]}`)
	called := func(ctx context.Context, _ wire.Object) (wire.Object, error) {
		r.calls.Add(1)
		if auth.CallerOf(ctx) == nil {
			return "", fmt.Errorf("no caller")
		}
		return text, nil
	}
	who := func(ctx context.Context, _ wire.Object) (wire.Object, error) {
		c := auth.CallerOf(ctx)
		return wire.Object(fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, c.Subject+" "+c.ClientID+" "+strings.Join(c.Scopes, ","))), nil
	}
	contents := wire.Object(`{"contents":[]}`)
	return []catalog.Item{
		catalog.NewTool(wire.Object(`{"name":"who","inputSchema":{"type":"object"}}`), who),
		catalog.NewTool(wire.Object(`{"name":"write","inputSchema":{"type":"object","required":["x"]}}`), called).Require("files:read", "files:write"),
		catalog.NewPrompt(wire.Object(`{"name":"p","arguments":[{"name":"a"}]}`), func(context.Context, map[string]string) (wire.Object, error) {
			return wire.Object(`{"messages":[]}`), nil
		}).Complete("a", catalog.OneOf("x")).Require("prompts"),
		catalog.NewResource(wire.Object(`{"uri":"a:b","name":"r"}`), func(context.Context, string) (wire.Object, error) { return contents, nil }).Require("files:read"),
		catalog.NewTemplate(wire.Object(`{"uriTemplate":"t:{x}","name":"t"}`), func(context.Context, string, catalog.Variables) (wire.Object, error) {
			return contents, nil
		}).Require("files:write"),
		catalog.NewTool(wire.Object(`{"name":"dynamic","inputSchema":{"type":"object"}}`), func(ctx context.Context, arguments wire.Object) (wire.Object, error) {
			return text, runtime.Authorize(ctx, []string{arguments.GetString("scope")})
		}),
	}
}

// challenge is a WWW-Authenticate header with one challenge whose parameters are quoted.
type challenge struct {
	scheme string
	params map[string]string
}

var (
	challengeForm = regexp.MustCompile(`^(\w+)((?:,? \w+="(?:[^"\\]|\\.)*")*)$`)
	paramForm     = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
)

func challengesOf(t *testing.T, h http.Header) []challenge {
	t.Helper()
	var all []challenge
	for _, value := range h.Values("WWW-Authenticate") {
		parts := challengeForm.FindStringSubmatch(value)
		if parts == nil {
			t.Fatalf("WWW-Authenticate: %q is not a challenge", value)
		}
		c := challenge{parts[1], map[string]string{}}
		for _, param := range paramForm.FindAllStringSubmatch(parts[2], -1) {
			c.params[param[1]] = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(param[2])
		}
		all = append(all, c)
	}
	return all
}

// answer is an HTTP response.
type answer struct {
	status     int
	header     http.Header
	challenges []challenge
	body       string
}

// bearer returns the challenge with the scheme Bearer.
func (a *answer) bearer() challenge {
	for _, c := range a.challenges {
		if c.scheme == "Bearer" {
			return c
		}
	}
	return challenge{}
}

// send sends a request and reads the answer.
func (r *rig) send(request *http.Request) *answer {
	r.t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return &answer{response.StatusCode, response.Header, challengesOf(r.t, response.Header), string(body)}
}

// request returns a POST of the stateless revision.
func (r *rig) request(method, params, token string) *http.Request {
	r.t.Helper()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	if params != "" {
		meta = params + "," + meta
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, meta)
	request, err := http.NewRequest(http.MethodPost, r.url, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("MCP-Protocol-Version", "2026-07-28")
	request.Header.Set("Mcp-Method", method)
	var named struct{ Name, URI string }
	if err := json.Unmarshal([]byte("{"+params+"}"), &named); err != nil {
		r.t.Fatal(err)
	}
	switch {
	case named.Name != "":
		request.Header.Set("Mcp-Name", named.Name)
	case named.URI != "":
		request.Header.Set("Mcp-Name", named.URI)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return request
}

// call calls a tool without arguments.
func (r *rig) call(tool, token string) *answer {
	r.t.Helper()
	return r.send(r.request("tools/call", fmt.Sprintf(`"name":%q,"arguments":{}`, tool), token))
}

// session opens a session of revision 2025-11-25 and returns its id.
func (r *rig) session(token string) string {
	r.t.Helper()
	a := r.inSession("", token, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	id := a.header.Get("Mcp-Session-Id")
	if a.status != http.StatusOK || id == "" {
		r.t.Fatalf("initialize: %d %s", a.status, a.body)
	}
	r.inSession(id, token, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return id
}

// inSession posts a text within a session.
func (r *rig) inSession(id, token, body string) *answer {
	r.t.Helper()
	request, err := http.NewRequest(http.MethodPost, r.url, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if id != "" {
		request.Header.Set("Mcp-Session-Id", id)
		request.Header.Set("MCP-Protocol-Version", "2025-11-25")
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return r.send(request)
}

// want checks the status and the error of the challenge of an answer.
func (a *answer) want(t *testing.T, what string, status int, code string) {
	t.Helper()
	if got := a.bearer().params["error"]; a.status != status || got != code {
		t.Errorf("%s: status %d with error %q, want %d with %q; challenges %v, body %s", what, a.status, got, status, code, a.challenges, a.body)
	}
}

// refused checks that a token gets status 401 with invalid_token, and says nothing of the server.
func (r *rig) refused(what, token string) {
	r.t.Helper()
	a := r.call("who", token)
	a.want(r.t, what, http.StatusUnauthorized, "invalid_token")
	if strings.Contains(a.body, "result") {
		r.t.Errorf("%s: %s", what, a.body)
	}
}

// accepted checks that a token is good.
func (r *rig) accepted(what, token string) {
	r.t.Helper()
	if a := r.call("who", token); a.status != http.StatusOK || !strings.Contains(a.body, `"result"`) {
		r.t.Errorf("%s: status %d, body %s", what, a.status, a.body)
	}
}
