package bridge_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/bridge"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestIdentity checks which members of its Implementation the server gets of a client.
func TestIdentity(t *testing.T) {
	details := wire.Members{{Name: "websiteUrl", Value: `"https://a.b"`}, {Name: "icons", Value: `[{"src":"https://a.b/i"}]`}, {Name: "vendor", Value: "1.50"}}
	for _, tt := range []struct {
		front, back, want string
		lost              []string
		only              []string // revisions for the server
	}{
		{stateless, session, `{"name":"client","title":"T","version":"3","websiteUrl":"https://a.b","icons":[{"src":"https://a.b/i"}],"vendor":1.50}`, nil, nil},
		{session, stateless, `{"name":"client","title":"T","version":"3","websiteUrl":"https://a.b","icons":[{"src":"https://a.b/i"}],"vendor":1.50}`, nil, nil},
		{session, "2025-03-26", `{"name":"client","title":"T","version":"3","websiteUrl":"https://a.b","icons":[{"src":"https://a.b/i"}],"vendor":1.50}`, nil, nil},
		{session, "2025-06-18", `{"name":"client","title":"T","version":"3"}`, []string{"/clientInfo/icons", "/clientInfo/websiteUrl", "/clientInfo/vendor"}, []string{"2025-06-18"}},
		{stateless, "2025-03-26", `{"name":"client","version":"3"}`, []string{"/clientInfo/icons", "/clientInfo/websiteUrl", "/clientInfo/vendor", "/clientInfo/title"}, []string{"2025-03-26"}},
	} {
		t.Run(tt.front+" to "+tt.back, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got wire.Object
				w := start(t, tt.back, handlers{"tools/call": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
					got = runtime.CallOf(ctx).PeerInfo()
					return wire.Raw(`{"content":[]}`), nil
				}}, bridge.Options{ServerRevisions: tt.only})
				near, far := inproc.Pair()
				served := make(chan error, 1)
				go func() { served <- w.bridge.Serve(context.Background(), far) }()
				s, err := runtime.NewClient(runtime.ClientOptions{Name: "client", Version: "3", Title: "T", Details: details},
					handlers(nil).bind(t, tt.front, runtime.ToClient)).Connect(t.Context(), near)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := call(t, s, "tools/call", `{"name":"n"}`); err != nil || string(got) != tt.want {
					t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
				}
				w.finish(s, served)
				w.mu.Lock()
				defer w.mu.Unlock()
				losses := strings.Join(w.lost, "\n")
				for _, want := range tt.lost {
					if strings.Count(losses, want+": ") != 1 {
						t.Errorf("%s is not reported once:\n%s", want, losses)
					}
				}
				if len(tt.lost) == 0 && strings.Contains(losses, "clientInfo") {
					t.Errorf("reported:\n%s", losses)
				}
			})
		})
	}
}

// TestProgressMembers checks that reports of progress pass with all their members, both ways, and that those
// that the other side does not know are reported as lost.
func TestProgressMembers(t *testing.T) {
	for _, tt := range []struct {
		front, back, want, lost string
	}{
		{session, stateless, `{"progress":0.50,"message":"m","_meta":{"a/b":1},"vendor":[1]}`, ""},
		{stateless, session, `{"progress":0.50,"message":"m","_meta":{"a/b":1},"vendor":[1]}`, ""},
		{"2024-11-05", session, `{"progress":0.50,"_meta":{"a/b":1},"vendor":[1]}`, "/params/message: "},
	} {
		t.Run(tt.front+" to "+tt.back, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := start(t, tt.back, handlers{"tools/call": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
					c := runtime.CallOf(ctx)
					token, _ := c.ProgressToken()
					text, err := wire.MarshalString(token)
					if err != nil {
						return nil, err
					}
					params := wire.Raw(`{"progress":0.50,"progressToken":` + text + `,"message":"m","_meta":{"a/b":1},"vendor":[1]}`)
					return wire.Raw(`{"content":[]}`), c.Notify(ctx, "notifications/progress", params)
				}}, bridge.Options{})
				s, served := w.client(tt.front, "{}", nil)
				var got []string
				ctx := runtime.WithProgress(t.Context(), func(p runtime.Progress) {
					got = append(got, string(wire.Object(p.Params).Without("progressToken")))
				})
				if err := s.Call(ctx, "tools/call", wire.Raw(`{"name":"n"}`), nil); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
					t.Error(diff)
				}
				w.finish(s, served)
				w.mu.Lock()
				defer w.mu.Unlock()
				if losses := strings.Join(w.lost, "\n"); !strings.Contains(losses, tt.lost) || tt.lost == "" && strings.Contains(losses, "progress") {
					t.Errorf("losses:\n%s", losses)
				}
			})
		})
	}
}

// TestRevisions checks that a bridge speaks the given revisions only.
func TestRevisions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, session, echo, bridge.Options{ClientRevisions: []string{"2025-03-26", "2025-06-18"}, ServerRevisions: []string{session}})
		var bindings []runtime.Binding
		for _, r := range generated.Revisions() {
			bindings = append(bindings, handlers(nil).bind(t, r.ID, runtime.ToClient))
		}
		near, far := inproc.Pair()
		served := make(chan error, 1)
		go func() { served <- w.bridge.Serve(context.Background(), far) }()
		s, err := runtime.NewClient(runtime.ClientOptions{Name: "client", Version: "3"}, bindings...).Connect(t.Context(), near)
		if err != nil || s.Revision() != "2025-06-18" {
			t.Fatalf("got %v, %v", s, err)
		}
		w.finish(s, served)
	})
	synctest.Test(t, func(t *testing.T) {
		w := start(t, session, echo, bridge.Options{ServerRevisions: []string{"2024-11-05"}})
		near, far := inproc.Pair()
		go w.bridge.Serve(context.Background(), far)
		_, err := runtime.NewClient(runtime.ClientOptions{Name: "client", Version: "3"}, handlers(nil).bind(t, session, runtime.ToClient)).Connect(t.Context(), near)
		if err == nil || !strings.Contains(err.Error(), "bridge: no session with the server") {
			t.Errorf("got %v", err)
		}
		w.bridge.Close()
	})
}

// TestVendorQuestion checks that a server learns that it cannot ask a client without a session by a method that the
// revision does not have, and that it can answer the client's request all the same.
func TestVendorQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failed error
		w := start(t, session, handlers{"tools/call": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			failed = runtime.CallOf(ctx).Call(ctx, "vendor/ask", nil, nil)
			return wire.Raw(`{"content":[]}`), nil
		}}, bridge.Options{})
		s, served := w.client(stateless, "{}", nil)
		if _, err := call(t, s, "tools/call", `{"name":"n"}`); err != nil {
			t.Error(err)
		}
		if e, ok := errors.AsType[*jsonrpc.Error](failed); !ok || e.Code != jsonrpc.CodeMethodNotFound {
			t.Errorf("the server got %v", failed)
		}
		w.finish(s, served)
	})
}
