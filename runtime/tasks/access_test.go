package tasks_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// scopes is the Access of a caller who has them.
type scopes []string

func (s scopes) Allow(needed []string) *runtime.DeniedError {
	for _, scope := range needed {
		if !slices.Contains(s, scope) {
			return &runtime.DeniedError{Status: http.StatusForbidden, Challenges: []string{`Bearer scope="` + strings.Join(needed, " ") + `"`}, Message: "forbidden"}
		}
	}
	return nil
}

// known is an Access that can tell its scopes, as that of package auth can.
type known struct{ scopes }

func (k known) Scopes() []string { return k.scopes }

// inclusive is an Access whose scope "all" includes the others.
type inclusive struct{ known }

func (i inclusive) Allow([]string) *runtime.DeniedError { return nil }

// newScoped returns a server with the tool "wipe", which needs scopes and asks for a further one unless it is "", and
// a client whose requests have the Access a, or none if it is nil. Implies are scopes that "all" includes.
func newScoped(t *testing.T, store tasks.Store, a runtime.Access, needed []string, further string, implies ...string) *extended {
	t.Helper()
	items := catalog.New(catalog.Options{})
	err := items.Add(catalog.Tool{
		Definition: wire.Object(`{"name":"wipe","inputSchema":{"type":"object"}}`),
		Scopes:     needed,
		Call: func(ctx context.Context, _ wire.Object) (wire.Appender, error) {
			if further != "" {
				if err := runtime.Authorize(ctx, []string{further}); err != nil {
					return nil, err
				}
			}
			return wire.Object(`{"content":[{"type":"text","text":"wiped"}]}`), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	e := &extended{t: t, items: items, keeper: tasks.New(tasks.Options{Store: store, Lease: time.Minute, Implies: func(has, needed string) bool {
		return has == "all" && slices.Contains(implies, needed)
	}})}
	e.server = runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, e.keeper.Extend(items.Over(mcp20260728.BindBase())))
	e.serve(a)
	return e
}

// serve starts the server for a client whose requests have the Access a, or none if it is nil.
func (e *extended) serve(a runtime.Access) {
	near, far := mcptest.Pair()
	caller := runtime.WithPrincipal(context.Background(), "eve")
	if a != nil {
		caller = runtime.WithAccess(caller, a)
	}
	caller, e.end = context.WithCancel(caller)
	e.near = near
	go e.server.Serve(caller, far)
	e.t.Cleanup(func() { e.keeper.Close(); near.Close(); e.end() })
}

// TestTaskNeedsScopes checks that a caller who lacks a scope of a tool gets no task, but the refusal that it gets
// without tasks.
func TestTaskNeedsScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := tasks.NewMemory(0)
		e := newScoped(t, store, scopes{"read"}, []string{"admin"}, "")
		without := e.ask("tools/call", `{"name":"wipe"}`, `{}`)
		with := e.ask("tools/call", `{"name":"wipe"}`, declaring)
		if code(with) != "403" || with != without || !strings.Contains(string(with), `scope=\"admin\"`) {
			t.Errorf("as a task: %s, want %s", with, without)
		}
		if due, err := store.Due(t.Context(), time.Now().Add(time.Hour)); err != nil || len(due) > 0 {
			t.Errorf("a refused call is a task: %q, %v", due, err)
		}
		e = newScoped(t, store, scopes{"read"}, []string{"read"}, "")
		id := e.start("wipe")
		synctest.Wait()
		if r := e.get(id); !strings.Contains(string(r), "wiped") {
			t.Errorf("a task of a caller who has the scope: %s", r)
		}
	})
}

// TestConvertedTaskNeedsScopes is TestTaskNeedsScopes for a server whose tools are below a conversion.
func TestConvertedTaskNeedsScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := tasks.NewMemory(0)
		e := newScoped(t, store, nil, []string{"admin"}, "")
		var bindings []runtime.Binding
		for _, b := range compat.Serve(e.items.Over(mcp20251125.BindBase()), compat.Options{}) {
			bindings = append(bindings, e.keeper.Wrap(b, nil))
		}
		e.server = runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, bindings...)
		if got := e.server.Scopes(); !slices.Equal(got, []string{"admin"}) {
			t.Errorf("the scopes of the server: %q", got)
		}
		e.serve(scopes{"read"})
		if r := e.ask("tools/call", `{"name":"wipe"}`, declaring); code(r) != "403" {
			t.Errorf("a call without the scope: %s", r)
		}
		if due, err := store.Due(t.Context(), time.Now().Add(time.Hour)); err != nil || len(due) > 0 {
			t.Errorf("a refused call is a task: %q, %v", due, err)
		}
	})
}

// TestTaskChallenge checks that the refusal of a task is an HTTP response with a challenge.
func TestTaskChallenge(t *testing.T) {
	e := newScoped(t, nil, nil, []string{"admin"}, "")
	handler := streamable.NewHandler(e.server, streamable.Options{})
	defer handler.Close()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wipe","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + declaring + `}}}`
	r := httptest.NewRequestWithContext(runtime.WithAccess(t.Context(), scopes{"read"}), "POST", "http://localhost/", strings.NewReader(body))
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "wipe"} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if w.Code != http.StatusForbidden || w.Header().Get("WWW-Authenticate") != `Bearer scope="admin"` {
		t.Errorf("status %d with the challenge %q: %s", w.Code, w.Header().Get("WWW-Authenticate"), w.Body)
	}
}

// TestTakeOverNeedsScopes checks what work may use after another process has taken it over: the scopes that its caller
// was allowed when the task was created, and everything if the server had no scopes to check.
func TestTakeOverNeedsScopes(t *testing.T) {
	for _, test := range []struct {
		name          string
		caller        runtime.Access
		before, after []string // the scopes of the tool
		further       string
		runs          bool
	}{
		{name: "the same scopes", caller: scopes{"read", "write"}, before: []string{"read", "write"}, after: []string{"read", "write"}, runs: true},
		{name: "fewer scopes", caller: scopes{"read"}, before: []string{"read"}, runs: true},
		{name: "no scopes", caller: scopes{}, runs: true},
		{name: "a scope that the caller lacks", caller: scopes{"read"}, before: []string{"read"}, after: []string{"admin"}},
		{name: "the first scope of the tool", caller: scopes{}, after: []string{"admin"}},
		{name: "a scope for which the handler asks", caller: scopes{"read"}, before: []string{"read"}, after: []string{"read"}, further: "admin"},
		{name: "a scope of the tool for which the handler asks", caller: scopes{"read"}, before: []string{"read"}, after: []string{"read"}, further: "read", runs: true},
		{name: "a scope of the caller for which the handler asks", caller: known{scopes{"read", "admin"}}, before: []string{"read"}, after: []string{"read"}, further: "admin", runs: true},
		{name: "a scope that the caller lacks for which the handler asks", caller: known{scopes{"read", "write"}}, before: []string{"read"}, after: []string{"read"}, further: "admin"},
		{name: "a scope that another one includes for which the handler asks", caller: inclusive{known{scopes{"read", "all"}}}, before: []string{"read"}, after: []string{"read"}, further: "dig", runs: true},
		{name: "a scope that another one does not include", caller: inclusive{known{scopes{"read", "all"}}}, before: []string{"read"}, after: []string{"read"}, further: "admin"},
		{name: "no Access", before: []string{"read"}, after: []string{"admin"}, further: "more", runs: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := tasks.NewMemory(0)
				first := newScoped(t, store, test.caller, test.before, test.further)
				first.keeper.Close() // it creates the task, and ends before it does the work
				id := first.start("wipe")
				second := newScoped(t, store, test.caller, test.after, test.further, "dig")
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				go second.keeper.Serve(ctx, second.server)
				time.Sleep(3 * time.Minute)
				r := second.get(id)
				if test.runs && !strings.Contains(string(r), "wiped") || !test.runs && (r.GetString("status") != "failed" || !strings.Contains(string(r), `"code":403`)) {
					t.Errorf("after the takeover: %s", r)
				}
			})
		})
	}
}
