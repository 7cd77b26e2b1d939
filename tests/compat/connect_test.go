package compat

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestConnect uses a server of each revision with a client that only sets handler functions.
// They determine its capabilities and answer the server's requests, and the session has the
// types of the newest revision.
func TestConnect(t *testing.T) {
	for _, j := range judges(t) {
		t.Run(j.ir.ID, func(t *testing.T) {
			ctx := testkit.Context(t)
			near, far := inproc.Pair()
			go newServer(t, j.ir.ID).Serve(ctx, far)
			var mu sync.Mutex
			var asked []string
			note := func(what string) {
				mu.Lock()
				defer mu.Unlock()
				asked = append(asked, what)
			}
			session, err := ladder.Connect(ctx, near, mcp.ClientOptions{
				Name: "client", Version: "1",
				Elicit: func(_ context.Context, params mcp.ElicitRequestParams) (*mcp.ElicitResult, error) {
					if form, ok := params.(*mcp.ElicitRequestFormParams); ok {
						note("elicit " + form.Message)
					}
					return &mcp.ElicitResult{Action: mcp.ElicitActionDecline}, nil
				},
				CreateMessage: func(_ context.Context, params *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
					note("sample")
					return &mcp.CreateMessageResult{Model: "m", Role: mcp.RoleAssistant, Content: &mcp.TextContent{Text: "hi"}}, nil
				},
				ListRoots: func(context.Context, *mcp.RequestParams) (*mcp.ListRootsResult, error) {
					note("roots")
					return &mcp.ListRootsResult{}, nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if got := session.Revision(); got != j.ir.ID {
				t.Errorf("revision %s", got)
			}
			if got := session.ServerInfo(); got.Name != "server" || got.Version != "1" {
				t.Errorf("server info %+v", got)
			}
			if got := session.ServerCapabilities(); got.Tools == nil || got.Prompts != nil {
				t.Errorf("server capabilities %+v", got)
			}
			var names []string
			for tool, err := range session.Tools(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Name)
			}
			if !slices.Equal(names, []string{"plain"}) {
				t.Errorf("tools %q", names)
			}
			var want []string
			for _, tool := range []struct{ name, since, asks string }{
				{"plain", "", ""},
				{"sample", "", "sample"},
				{"elicit", "2025-06-18", "elicit Who?"},
				{"roots", "", "roots"},
			} {
				result, err := session.CallTool(ctx, &mcp.CallToolRequestParams{Name: tool.name})
				if err != nil {
					t.Fatalf("%s: %v", tool.name, err)
				}
				if failed := result.IsError != nil && *result.IsError; failed != (j.ir.ID < tool.since) {
					t.Errorf("%s: isError %v", tool.name, failed)
				}
				if tool.asks != "" && j.ir.ID >= tool.since {
					want = append(want, tool.asks)
				}
			}
			if !slices.Equal(asked, want) {
				t.Errorf("the server asked %q, want %q", asked, want)
			}
		})
	}
}

// answering is a server binding of the newest revision that answers all requests except
// initialize with a function.
func answering(answer func(method string, params wire.Raw) (wire.Appender, error)) runtime.Binding {
	return runtime.Binding{
		Revision: mcp.Revision, Direction: runtime.ToServer, Methods: mcp.Methods,
		Handle: func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
			method, params := message.Method, wire.Raw(message.Object())
			if method == "initialize" {
				return nil, runtime.MethodNotFound(method)
			}
			return answer(method, params)
		},
	}
}

// always answers every request with the same text.
func always(text wire.Raw) runtime.Binding {
	return answering(func(string, wire.Raw) (wire.Appender, error) { return text, nil })
}

// connect opens a session of the newest revision with a server that declares the
// capabilities.
func connect(t *testing.T, capabilities wire.Object, server runtime.Binding, o mcp.ClientOptions) *mcp.Session {
	t.Helper()
	near, far := inproc.Pair()
	go runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: capabilities}, server).Serve(t.Context(), far)
	session, err := ladder.Connect(t.Context(), near, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// TestPlainResult checks that CallTool returns the plain result, or an error with the other
// result, and that CallToolResponse returns either.
func TestPlainResult(t *testing.T) {
	const task = `{"task":{"taskId":"1","status":"working","createdAt":"2025-11-25T00:00:00Z","lastUpdatedAt":"2025-11-25T00:00:00Z","ttl":null}}`
	session := connect(t, `{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}`, always(task), mcp.ClientOptions{})
	params := &mcp.CallToolRequestParams{Name: "slow", Task: &mcp.TaskMetadata{}}
	result, err := session.CallTool(t.Context(), params)
	other, ok := errors.AsType[*runtime.OtherResultError](err)
	if result != nil || !ok || other.Method != "tools/call" {
		t.Fatalf("got %v, %v", result, err)
	}
	if created, ok := other.Result.(*mcp.CreateTaskResult); !ok || created.Task.TaskID != "1" {
		t.Errorf("the error holds %#v", other.Result)
	}
	response, err := session.CallToolResponse(t.Context(), params)
	if created, ok := response.(*mcp.CreateTaskResult); err != nil || !ok || created.Task.TaskID != "1" {
		t.Errorf("got %#v, %v", response, err)
	}
	plain := connect(t, `{"tools":{}}`, always(`{"content":[]}`), mcp.ClientOptions{})
	if result, err := plain.CallTool(t.Context(), params); err == nil {
		t.Errorf("a task without the server's capability: got %v", result)
	}
	if result, err := plain.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "fast"}); err != nil || result == nil {
		t.Errorf("got %v, %v", result, err)
	}
}

// TestItems follows the pages of a list until a page fails.
func TestItems(t *testing.T) {
	server := answering(func(method string, params wire.Raw) (wire.Appender, error) {
		cursor, _ := wire.Object(params).Get("cursor")
		switch method + string(cursor) {
		case "prompts/list":
			return wire.Raw(`{"prompts":[{"name":"a"},{"name":"b"}],"nextCursor":"2"}`), nil
		case `prompts/list"2"`:
			return wire.Raw(`{"prompts":[],"nextCursor":"3"}`), nil
		case `prompts/list"3"`:
			return wire.Raw(`{"prompts":[{"name":"c"}]}`), nil
		case "resources/list":
			return wire.Raw(`{"resources":[{"name":"a","uri":"a:"}],"nextCursor":"2"}`), nil
		}
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "no such page")
	})
	session := connect(t, `{"prompts":{},"resources":{}}`, server, mcp.ClientOptions{})
	var got []string
	for prompt, err := range session.Prompts(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, prompt.Name)
	}
	for resource, err := range session.Resources(t.Context()) {
		if err != nil {
			got = append(got, "error")
			continue
		}
		got = append(got, resource.URI)
	}
	for range session.ResourceTemplates(t.Context()) {
		got = append(got, "error")
	}
	if want := []string{"a", "b", "c", "a:", "error", "error"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
