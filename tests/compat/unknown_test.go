package compat

import (
	"context"
	"slices"
	"testing"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/everything"
)

// TestUnknownResults checks that a client reads results with values that no revision defines,
// keeps them unchanged, and reports them.
func TestUnknownResults(t *testing.T) {
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			answers := map[string]wire.Raw{
				"tools/call":     `{"content":[{"type":"text","text":"a"},{"type":"video","data":"b"},{"type":"text","text":"c","annotations":{"audience":["machine"]}}]}`,
				"prompts/get":    `{"messages":[{"role":"user","content":{"type":"hologram","x":1}},{"role":"narrator","content":{"type":"text","text":"d"}}]}`,
				"resources/read": `{"contents":[{"uri":"file:///a","text":"e"},{"uri":"file:///b","stream":true}]}`,
			}
			near, far := inproc.Pair()
			server := runtime.NewServer(runtime.ServerOptions{
				Name: "s", Version: "1", Capabilities: wire.Raw(`{"tools":{},"prompts":{},"resources":{}}`),
			}, runtime.Binding{
				Revision: revision, Direction: runtime.ToServer,
				Handle: func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
					method := message.Method
					if answer, ok := answers[method]; ok {
						return answer, nil
					}
					return nil, runtime.MethodNotFound(method)
				},
			})
			go server.Serve(t.Context(), far)
			var lost []string
			o := ladder.Options{Lost: func(_ context.Context, r ladder.Report) { lost = append(lost, r.Method+r.Pointer) }}
			session, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, ladder.Client(mcp.BindClient(mcp.UnimplementedClient{}), o)...).Connect(t.Context(), near)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			caller := mcp.NewServerCaller(session)
			var got []wire.Appender
			tool, err := caller.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"})
			if err != nil {
				t.Error(err)
			} else {
				got = append(got, tool)
			}
			prompt, err := caller.GetPrompt(t.Context(), &mcp.GetPromptRequestParams{Name: "p"})
			if err != nil {
				t.Error(err)
			} else {
				got = append(got, prompt)
			}
			resource, err := caller.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: "file:///a"})
			if err != nil {
				t.Error(err)
			} else {
				got = append(got, resource)
			}
			for i, method := range []string{"tools/call", "prompts/get", "resources/read"} {
				if text, err := wire.Marshal(got[i]); err != nil || !wire.Equal(wire.Raw(text), answers[method]) {
					t.Errorf("%s: got %s, %v, want %s", method, text, err, answers[method])
				}
			}
			want := []string{"tools/call/content/1", "tools/call/content/2/annotations/audience/0", "prompts/get/messages/0/content", "prompts/get/messages/1/role", "resources/read/contents/1"}
			if revision == mcp.Revision {
				want = nil // nothing is converted
			}
			if !slices.Equal(lost, want) {
				t.Errorf("lost %q, want %q", lost, want)
			}
		})
	}
}

// TestUnknownNotification checks, for both sides, that a notification which the session's
// revision does not define is reported and not sent.
func TestUnknownNotification(t *testing.T) {
	near, far := inproc.Pair()
	ctx := testkit.Context(t)
	lost := make(chan string, 2)
	o := ladder.Options{Lost: func(_ context.Context, r ladder.Report) {
		if r.Method != "" {
			lost <- r.String()
		}
	}}
	server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, ladder.Serve(mcp.BindServer(teller{}), o)[:1]...)
	go server.Serve(ctx, far)
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, ladder.Client(mcp.BindClient(mcp.UnimplementedClient{}), o)...).Connect(ctx, near)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	caller := mcp.NewServerCaller(session)
	if _, err := caller.Ping(ctx, nil); err != nil {
		t.Errorf("the handler that notifies: %v", err)
	}
	if err := caller.TaskStatus(ctx, &mcp.TaskStatusNotificationParams{TaskID: "1", Status: mcp.TaskStatusWorking, CreatedAt: "now", LastUpdatedAt: "now"}); err != nil {
		t.Errorf("the client's notification: %v", err)
	}
	for _, method := range []string{"notifications/elicitation/complete", "notifications/tasks/status"} {
		if got, want := <-lost, method+": not sent: the revision does not have it"; got != want {
			t.Errorf("lost %q, want %q", got, want)
		}
	}
}

// teller sends a notification when it receives a ping.
type teller struct{ mcp.UnimplementedServer }

func (teller) Ping(ctx context.Context, _ *mcp.RequestParams) (*mcp.EmptyResult, error) {
	err := mcp.NewClientCaller(runtime.CallOf(ctx)).ElicitationComplete(ctx, &mcp.ElicitationCompleteNotificationParams{ElicitationID: "1"})
	return &mcp.EmptyResult{}, err
}

// TestCapabilityLossOnce checks that a client reports once, and not for each connection and probe, that a
// revision lacks one of its capabilities.
func TestCapabilityLossOnce(t *testing.T) {
	server, _, err := everything.New(everything.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var lost []string
	o := ladder.Options{Lost: func(_ context.Context, r ladder.Report) { lost = append(lost, r.To+r.Pointer) }}
	client := runtime.NewClient(runtime.ClientOptions{
		Name: "c", Version: "1", Capabilities: wire.Raw(`{"roots":{"listChanged":true}}`),
	}, ladder.Client(mcp.BindClient(mcp.UnimplementedClient{}), o)...)
	for range 2 {
		near, far := inproc.Pair()
		go server.Serve(t.Context(), far)
		session, err := client.Connect(t.Context(), near)
		if err != nil {
			t.Fatal(err)
		}
		session.Close()
	}
	if want := []string{"2026-07-28/roots/listChanged"}; !slices.Equal(lost, want) {
		t.Errorf("lost %q, want %q", lost, want)
	}
}
