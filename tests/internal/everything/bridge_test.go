package everything_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/bridge"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/everything"
)

// bridged is a client of one revision whose server speaks another one, with a bridge between them.
type bridged struct {
	*client
	catalog *catalog.Catalog

	mu     sync.Mutex
	losses []compat.Report
}

// connectBridged connects a client of a revision with a server of another one. Front and back are the
// transports: "memory", "stdio" or "http".
func connectBridged(t *testing.T, revision generated.Revision, front, native, back string) *bridged {
	t.Helper()
	server, catalog, err := everything.New(everything.Options{Revision: native, PageSize: 5, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	b := &bridged{client: &client{t: t, code: revision, methods: make(map[string]runtime.Method)}, catalog: catalog}
	for _, m := range revision.Methods {
		b.methods[m.Name] = m
	}
	between := bridge.New(dialed(t, server, back), compat.Table(), bridge.Options{Name: "bridge", Version: "1", Lost: func(_ context.Context, r compat.Report) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.losses = append(b.losses, r)
	}})
	t.Cleanup(func() { between.Close() })
	var listed []string
	for _, m := range revision.Methods {
		if strings.HasSuffix(m.Name, "/list_changed") && m.Direction&runtime.ToClient != 0 {
			listed = append(listed, m.Name)
		}
	}
	b.Session, err = runtime.NewClient(runtime.ClientOptions{
		Name: "test", Version: "1", Capabilities: wire.Raw(`{"roots":{},"sampling":{},"elicitation":{}}`),
	}, runtime.Binding{Revision: revision.ID, Direction: runtime.ToClient, Methods: revision.Methods, Notified: listed, Forwards: true, Handle: b.handle}).Connect(t.Context(), dialed(t, between, front)())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// dialed serves a server and returns the function that connects with it.
func dialed(t *testing.T, server runtime.SessionServer, way string) func() runtime.Transport {
	if way == "http" {
		handler := streamable.NewHandler(server, streamable.Options{})
		web := httptest.NewServer(handler)
		t.Cleanup(web.Close)
		t.Cleanup(handler.Close)
		return func() runtime.Transport { return streamable.URL(web.URL, streamable.ClientOptions{}) }
	}
	return func() runtime.Transport {
		near, far := inMemory()
		if way == "stdio" {
			near, far = pipes()
		}
		go runtime.Serve(context.Background(), server, far)
		return near
	}
}

// wait waits until the client has got a notification.
func (b *bridged) wait(method string) {
	b.t.Helper()
	if !testkit.Eventually(func() bool { return b.got(method) }) {
		b.t.Errorf("no %s", method)
	}
}

// TestBridge uses every feature through a bridge, for each revision of the client and of the server.
func TestBridge(t *testing.T) {
	for _, ways := range []struct{ front, back string }{{"memory", "memory"}, {"stdio", "http"}, {"http", "stdio"}} {
		for _, front := range generated.Revisions() {
			for _, back := range generated.Revisions() {
				name := ways.front + " " + front.ID + " to " + ways.back + " " + back.ID
				t.Run(name, func(t *testing.T) {
					b := connectBridged(t, front, ways.front, back.ID, ways.back)
					testBridged(b, front.ID, back.ID)
				})
			}
		}
	}
}

func testBridged(b *bridged, front, back string) {
	stateless := front >= "2026-07-28"
	testLists(b)
	b.ask("tools/call", `{"name":"content","arguments":{}}`)
	b.ask("tools/call", `{"name":"structured","arguments":{}}`)
	b.ask("prompts/get", `{"name":"test_prompt_with_arguments","arguments":{"arg1":"a","arg2":"b"}}`)
	b.ask("resources/read", `{"uri":"test://static-text"}`)
	b.ask("completion/complete", `{"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"a"}}`)

	b.refused(jsonrpc.CodeMethodNotFound, "vendor/method", `{"x":1}`)
	missing := int64(jsonrpc.CodeResourceNotFound)
	if stateless {
		missing = jsonrpc.CodeInvalidParams
	}
	b.refused(missing, "resources/read", `{"uri":"test://none"}`)

	b.answered("roots", "file:///a\nfile:///b")
	b.answered("test_sampling", "said the model")
	b.answered("test_input_required_result_list_roots", "done")
	if front >= "2025-06-18" && back >= "2025-06-18" { // which have elicitation
		b.answered("form", "Ada")
		b.answered("test_elicitation", "Ada")
		b.answered("test_input_required_result_multiple_inputs", "done")
		b.answered("test_input_required_result_multi_round", "done")
		if got := b.ask("prompts/get", `{"name":"test_input_required_result_prompt"}`); !strings.Contains(got, "A prompt for the user.") {
			b.t.Errorf("prompts/get: %s", got)
		}
	}
	testNotifications(b)
	testCancelled(b)
}

// testLists reads all pages of all lists.
func testLists(b *bridged) {
	for method, name := range map[string]string{"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates"} {
		items, pages := 0, 0
		for params := wire.Raw("{}"); params != ""; pages++ {
			result := wire.Object(b.ask(method, params))
			list, _ := result.Get(name)
			items += len(list.Elements())
			if params = ""; result.GetString("nextCursor") != "" {
				params = wire.Raw(`{"cursor":"` + result.GetString("nextCursor") + `"}`)
			}
		}
		if items == 0 || pages != (items+4)/5 {
			b.t.Errorf("%s: %d items on %d pages", method, items, pages)
		}
	}
}

// answered calls a tool that asks the client.
func (b *bridged) answered(tool, want string) {
	b.t.Helper()
	arguments := `{"prompt":"Say it.","message":"Who?"}`
	got := b.ask("tools/call", wire.Raw(`{"name":"`+tool+`","arguments":`+arguments+`}`))
	content, _ := wire.Object(got).Get("content")
	if len(content.Elements()) == 0 || !strings.Contains(string(content), strings.ReplaceAll(want, "\n", `\n`)) {
		b.t.Errorf("%s: got %s", tool, got)
	}
}

// refused sends a request that is answered with an error.
func (b *bridged) refused(code int64, method string, params wire.Raw) {
	b.t.Helper()
	var result wire.Raw
	err := b.Call(b.t.Context(), method, params, &result)
	if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != code {
		b.t.Errorf("%s: got %s, %v, want the code %d", method, result, err, code)
	}
}

// testNotifications checks progress, log messages, which come before the answer, and the notifications of
// what has changed.
func testNotifications(b *bridged) {
	var reports []string
	ctx := runtime.WithProgress(b.t.Context(), func(p runtime.Progress) {
		reports = append(reports, fmt.Sprint(p.Progress, *p.Total, p.Message))
	})
	if err := b.Call(ctx, "tools/call", wire.Raw(`{"name":"progress","arguments":{}}`), nil); err != nil || len(reports) != 2 {
		b.t.Errorf("progress: %q, %v", reports, err)
	}
	if err := b.Call(b.t.Context(), "logging/setLevel", wire.Raw(`{"level":"info"}`), nil); err != nil {
		b.t.Error(err)
	}
	b.ask("tools/call", `{"name":"log","arguments":{"level":"debug"}}`)
	b.Settle(b.t.Context())
	if b.got("notifications/message") {
		b.t.Error("a log message below the level")
	}
	b.ask("tools/call", `{"name":"log","arguments":{"level":"info"}}`)
	b.Settle(b.t.Context())
	if !b.got("notifications/message") {
		b.t.Error("no log message before the answer")
	}
	if err := b.Call(b.t.Context(), "resources/subscribe", wire.Raw(`{"uri":"test://watched-resource"}`), nil); err != nil {
		b.t.Error(err)
	}
	b.ask("tools/call", `{"name":"update","arguments":{"uri":"test://watched-resource"}}`)
	b.wait("notifications/resources/updated")
	b.catalog.RemoveTools("content")
	b.wait("notifications/tools/list_changed")
	if err := b.Call(b.t.Context(), "resources/unsubscribe", wire.Raw(`{"uri":"test://watched-resource"}`), nil); err != nil {
		b.t.Error(err)
	}
}

// testCancelled cancels a call. The server's handler returns only if it learns of that.
func testCancelled(b *bridged) {
	ctx, cancel := context.WithCancel(b.t.Context())
	defer cancel()
	ctx = runtime.WithProgress(ctx, func(runtime.Progress) { cancel() }) // the handler has begun
	if err := b.Call(ctx, "tools/call", wire.Raw(`{"name":"wait","arguments":{}}`), nil); !errors.Is(err, context.Canceled) {
		b.t.Errorf("wait: %v", err)
	}
}

// got reports whether the client has got a notification.
func (b *bridged) got(method string) bool {
	b.client.mu.Lock()
	defer b.client.mu.Unlock()
	return slices.Contains(b.notified, method)
}
