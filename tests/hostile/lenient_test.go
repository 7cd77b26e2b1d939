package hostile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// capabilities are all capabilities of a server.
const capabilities = wire.Object(`{"tools":{},"prompts":{},"resources":{"subscribe":true},"completions":{},"logging":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`)

// askServer opens a session between a generated client and a server that answers each method
// with a given text.
func askServer(t *testing.T, revision generated.Revision, answers map[string]string, opts runtime.ClientOptions) *runtime.Session {
	t.Helper()
	server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: capabilities}, runtime.Binding{
		Revision: revision.ID, Direction: runtime.ToServer, Methods: revision.Methods,
		Handle: func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
			method := message.Method
			if text, ok := answers[method]; ok {
				return wire.Raw(text), nil
			}
			return nil, runtime.MethodNotFound(method)
		},
	})
	far, near := inproc.Pair()
	go server.Serve(context.WithoutCancel(t.Context()), far)
	opts.Name, opts.Version = "c", "1"
	client := runtime.NewClient(opts, runtime.Binding{Revision: revision.ID, Direction: runtime.ToClient, Methods: revision.Methods})
	session, err := client.Connect(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// lists maps each list method to the name of its list, a valid element and an unreadable one.
var lists = map[string]struct{ name, good, bad string }{
	"tools/list":               {"tools", `{"name":"a","inputSchema":{"type":"object"},"description":null}`, `{"name":7,"inputSchema":{"type":"object"}}`},
	"prompts/list":             {"prompts", `{"name":"a","arguments":null}`, `{"name":"b","arguments":[1]}`},
	"resources/list":           {"resources", `{"name":"a","uri":"file:///a","mimeType":null}`, `{"name":"b"}`},
	"resources/templates/list": {"resourceTemplates", `{"name":"a","uriTemplate":"file:///{a}","annotations":null}`, `"b"`},
	"tasks/list":               {"tasks", `{"taskId":"a","status":"working","createdAt":"2025-01-01T00:00:00Z","lastUpdatedAt":"2025-01-01T00:00:00Z","ttl":null,"pollInterval":null}`, `null`},
}

// TestListsAreLenient checks, for every revision and list method, that a client reads the valid
// elements of a list and reports the others, and that a strict client refuses the list.
func TestListsAreLenient(t *testing.T) {
	for _, revision := range sessionRevisions() {
		for _, m := range revision.Methods {
			if !m.Paginated || m.Direction&runtime.ToServer == 0 {
				continue
			}
			t.Run(revision.ID+" "+m.Name, func(t *testing.T) {
				l, ok := lists[m.Name]
				if !ok {
					t.Fatal("no elements for this method")
				}
				answers := map[string]string{m.Name: fmt.Sprintf(`{"_meta":null,%q:[%s,%s,%s,%s],"nextCursor":null}`, l.name, l.bad, l.good, l.good, l.bad)}
				var told []*runtime.Deviations
				session := askServer(t, revision, answers, runtime.ClientOptions{Deviated: func(_ context.Context, d *runtime.Deviations) { told = append(told, d) }})
				result, _ := revision.New(m.Result)
				if err := session.Call(t.Context(), m.Name, nil, result); err != nil {
					t.Fatal(err)
				}
				text, _ := wire.Marshal(result)
				items, _ := wire.Object(text).Get(l.name)
				if n := strings.Count(string(items), `"a"`); n != 2 || strings.Contains(string(text), "nextCursor") {
					t.Errorf("got %s", text)
				}
				if len(told) != 1 || told[0].Method != m.Name || told[0].LeftOut() != 2 || told[0].More != 0 {
					t.Fatalf("told %v", told)
				}
				// _meta, the elements, one null in each valid element, and nextCursor
				if all := told[0].All; len(all) != 6 || all[0].Pointer != "/_meta" || !strings.HasPrefix(all[1].Pointer, "/"+l.name+"/0") ||
					!strings.HasPrefix(all[4].Pointer, "/"+l.name+"/3") || !all[4].LeftOut || all[5].Pointer != "/nextCursor" {
					t.Errorf("told %v", all)
				}
				strict := askServer(t, revision, answers, runtime.ClientOptions{Lenient: runtime.LenientNever})
				result, _ = revision.New(m.Result)
				if err := strict.Call(t.Context(), m.Name, nil, result); err == nil || !strings.Contains(err.Error(), ": at /") {
					t.Errorf("a strict client: got the error %v", err)
				}
			})
		}
	}
}

// TestNullList checks that a null list is read as an empty list.
func TestNullList(t *testing.T) {
	for _, revision := range sessionRevisions() {
		told := 0
		session := askServer(t, revision, map[string]string{"tools/list": `{"tools":null}`},
			runtime.ClientOptions{Deviated: func(_ context.Context, d *runtime.Deviations) { told += len(d.All) }})
		result, _ := revision.New("ListToolsResult")
		if err := session.Call(t.Context(), "tools/list", nil, result); err != nil || told != 1 {
			t.Errorf("%s: %v, reported %d", revision.ID, err, told)
		}
		if text, _ := wire.Marshal(result); string(text) != `{"tools":[]}` {
			t.Errorf("%s: %s", revision.ID, text)
		}
	}
}

// TestCallsAreLenient checks which results of tools/call a client accepts at each level of
// leniency.
func TestCallsAreLenient(t *testing.T) {
	for _, c := range []struct {
		result string
		// The accepted content for the levels never, default and always lenient; "" if the
		// result is refused.
		never, usual, always string
		problem              string // the error of the first level that refuses the result
	}{
		{`{"content":[]}`, `[]`, `[]`, `[]`, ""},
		{`{"content":[{"type":"text","text":"a"}],"isError":null,"structuredContent":null,"_meta":null}`, "", `[{"type":"text","text":"a"}]`, `[{"type":"text","text":"a"}]`, "found null"},
		{`{"content":[{"type":"text","text":"a","annotations":null}]}`, "", `[{"type":"text","text":"a"}]`, `[{"type":"text","text":"a"}]`, "found null"},
		{`{"content":null}`, "", `[]`, `[]`, "found null"},
		{`{"content":[{"type":"text","text":1},{"type":"text","text":"a"}]}`, "", "", `[{"type":"text","text":"a"}]`, "expected a string"},
		{`{}`, "", "", "", "received \"{}\""},
		{`null`, "", "", "", "null"},
		{`[]`, "", "", "", "[]"},
		{`{"Content":[]}`, "", "", "", "Content"},
	} {
		for i, lenience := range []runtime.Lenience{runtime.LenientNever, runtime.LenientLists, runtime.LenientAlways} {
			want := []string{c.never, c.usual, c.always}[i]
			for id, call := range map[string]func(context.Context, *runtime.Session) (wire.Appender, error){
				mcp20250618.Revision: func(ctx context.Context, s *runtime.Session) (wire.Appender, error) {
					return mcp20250618.NewServerCaller(s).CallTool(ctx, &mcp20250618.CallToolRequestParams{Name: "x"})
				},
				mcp20251125.Revision: func(ctx context.Context, s *runtime.Session) (wire.Appender, error) {
					return mcp20251125.NewServerCaller(s).CallTool(ctx, &mcp20251125.CallToolRequestParams{Name: "x"})
				},
			} {
				revision, _ := generated.Lookup(id)
				session := askServer(t, revision, map[string]string{"tools/call": c.result}, runtime.ClientOptions{Lenient: lenience})
				result, err := call(t.Context(), session)
				got := ""
				if err == nil {
					text, _ := wire.Marshal(result)
					content, _ := wire.Object(text).Get("content")
					got = string(content)
				}
				if got != want || err != nil && id == mcp20251125.Revision && !strings.Contains(err.Error(), c.problem) {
					t.Errorf("%s, lenience %d, %s: got %s, %v, want %s", id, lenience, c.result, got, err, want)
				}
			}
		}
	}
}

// TestToolsDemandContent checks that generated tool clients refuse results without any content.
func TestToolsDemandContent(t *testing.T) {
	revision, _ := generated.Lookup(mcp20251125.Revision)
	for result, ok := range map[string]bool{
		`{}`: false, `null`: false, `{"content":null}`: false, `{"structuredContent":null}`: false,
		`{"content":[]}`: true, `{"structuredContent":{}}`: true, `{"content":[],"structuredContent":null}`: true,
	} {
		session := askServer(t, revision, map[string]string{"tools/call": result}, runtime.ClientOptions{})
		if _, err := tools.CallRaw(t.Context(), session, "x", wire.Object("{}")); (err == nil) != ok {
			t.Errorf("%s: %v", result, err)
		}
	}
}

// TestParamsMayBeNull checks that a server treats null params and null optional members as
// absent, for every revision and every request without required members.
func TestParamsMayBeNull(t *testing.T) {
	for _, revision := range sessionRevisions() {
		for _, m := range revision.Methods {
			if m.Kind != jsonrpc.Request || m.Direction&runtime.ToServer == 0 {
				continue
			}
			params, ok := map[string][]string{
				"ping":                     {`null`, `{"_meta":null}`, `{"_meta":{"progressToken":null}}`},
				"tools/call":               {`{"name":"a","arguments":null}`, `{"name":"a","_meta":null,"arguments":null}`},
				"prompts/get":              {`{"name":"a","arguments":null}`},
				"resources/read":           {`{"uri":"file:///a","_meta":null}`},
				"tools/list":               {`null`, `{"cursor":null}`, `{"cursor":null,"_meta":null}`},
				"prompts/list":             {`null`, `{"cursor":null}`},
				"resources/list":           {`null`, `{"cursor":null}`},
				"resources/templates/list": {`null`, `{"cursor":null}`},
				"tasks/list":               {`null`, `{"cursor":null}`},
			}[m.Name]
			if !ok {
				continue
			}
			for _, text := range params {
				v, _ := revision.New(m.Params)
				got := false
				_, err := runtime.Answer(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: m.Name, Params: wire.Raw(text)}, v, func(context.Context, wire.Value) (wire.Appender, error) {
					got = true
					return wire.Raw("{}"), nil
				})
				if err != nil || !got {
					t.Errorf("%s %s %s: %v", revision.ID, m.Name, text, err)
				}
			}
		}
	}
}

// TestRootsAreFiles checks that a client does not send a root that is not a file: it logs an
// error and answers the server with an internal error.
func TestRootsAreFiles(t *testing.T) {
	for _, c := range []struct {
		roots string
		ok    bool
	}{
		{`[]`, true},
		{`[{"uri":"file:///a"},{"uri":"FILE:///b","name":"x"}]`, true},
		{`[{"uri":"file:///a"},{"uri":"https://example.com/"}]`, false},
		{`[{"uri":"/a"}]`, false},
		{`[{"uri":""}]`, false},
		{`[{"uri":"file:/a"}]`, false},
		{`[{}]`, false},
	} {
		for _, revision := range sessionRevisions() {
			far, near := inproc.Pair()
			var once sync.Once
			asked := make(chan error, 1)
			server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, runtime.Binding{
				Revision: revision.ID, Direction: runtime.ToServer, Methods: revision.Methods,
				Handle: func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
					method := message.Method
					if method != "ping" {
						return nil, runtime.MethodNotFound(method)
					}
					once.Do(func() { asked <- runtime.CallOf(ctx).Call(ctx, "roots/list", nil, nil) })
					return wire.Raw("{}"), nil
				},
			})
			go server.Serve(context.WithoutCancel(t.Context()), far)
			client := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1", Capabilities: wire.Object(`{"roots":{}}`)}, runtime.Binding{
				Revision: revision.ID, Direction: runtime.ToClient, Methods: revision.Methods,
				Handle: func(context.Context, *runtime.Message) (wire.Appender, error) {
					return wire.Raw(`{"roots":` + c.roots + `}`), nil
				},
			})
			session, err := client.Connect(t.Context(), near)
			if err != nil {
				t.Fatal(err)
			}
			if err := session.Ping(t.Context()); err != nil {
				t.Error(err)
			}
			if err := <-asked; (err == nil) != c.ok {
				t.Errorf("%s in %s: %v", c.roots, revision.ID, err)
			}
			session.Close()
		}
	}
}

// sessionRevisions returns the revisions with sessions.
func sessionRevisions() []generated.Revision {
	return slices.DeleteFunc(generated.Revisions(), func(r generated.Revision) bool {
		return (&runtime.Binding{Methods: r.Methods}).Stateless()
	})
}
