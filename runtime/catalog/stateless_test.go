package catalog_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// talk sends stateless requests to a server, each after the answer to the one before, and returns the
// results or the errors.
func talk(t *testing.T, s *runtime.Server, requests ...string) []wire.Object {
	t.Helper()
	var answers []wire.Object
	for _, r := range requests {
		method, members, _ := strings.Cut(r, " ")
		params := strings.TrimPrefix(members+`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`, ",")
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`+"\n", method, params)
		var out strings.Builder
		must(t, s.Serve(t.Context(), &stdio.Transport{In: strings.NewReader(line), Out: &out}))
		answer := wire.Object(strings.TrimSpace(out.String()))
		if got, ok := answer.Get("result"); ok {
			answers = append(answers, wire.Object(got))
		} else if got, ok := answer.Get("error"); ok {
			answers = append(answers, wire.Object(got))
		} else {
			t.Fatalf("%s: got %q", r, answer)
		}
	}
	return answers
}

// TestStateless checks a catalog behind a revision without sessions.
func TestStateless(t *testing.T) {
	items := []catalog.Item{aPrompt.Complete("a", func(context.Context, string, map[string]string) (catalog.Completion, error) {
		return catalog.Completion{Values: []string{"v"}}, nil
	}), aResource, aTemplate}
	for _, name := range []string{"z", "b", "m", "a", "y"} {
		items = append(items, catalog.NewTool(wire.Object(`{"name":"`+name+`","inputSchema":{"type":"object"}}`), func(context.Context, wire.Object) (wire.Object, error) {
			return wire.Object(`{"content":[]}`), nil
		}))
	}
	c := catalog.New(catalog.Options{PageSize: 2})
	must(t, c.Add(items...))
	s := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1", Cache: runtime.CacheHints{CacheHint: runtime.CacheHint{Public: true}}},
		c.Over(mcp20260728.BindBase()))
	must(t, s.Err())
	lists := map[string]string{"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates"}

	t.Run("F12 F15 F16 F31 F34 F38 F40 lists", func(t *testing.T) {
		for method, member := range lists {
			var pages, scopes, names []string
			for cursor, more := "", true; more; {
				page := talk(t, s, method+cursor)[0]
				again := talk(t, s, "tools/call \"name\":\"a\"", method+cursor)[1]
				if page != again {
					t.Errorf("%s: got %s, and %s after another request", method, page, again)
				}
				pages, scopes = append(pages, string(page)), append(scopes, page.GetString("cacheScope"))
				all, _ := page.Get(member)
				for _, item := range all.Elements() {
					names = append(names, wire.Object(item).GetString("name"))
				}
				var next wire.Raw
				if next, more = page.Get("nextCursor"); more {
					cursor = ` "cursor":` + string(next)
				}
			}
			for _, scope := range scopes {
				if scope != "public" {
					t.Errorf("%s: the scopes of the pages are %q", method, scopes)
				}
			}
			if method == "tools/list" && strings.Join(names, "") != "zbmay" || len(names) == 0 {
				t.Errorf("%s: got %q in %d pages", method, names, len(pages))
			}
			if e := talk(t, s, method+` "cursor":"odd"`)[0]; !strings.Contains(string(e), `"code":-32602`) {
				t.Errorf("%s with a bad cursor: got %s", method, e)
			}
		}
	})
	t.Run("V7 discover agrees with the handlers", func(t *testing.T) {
		got, _ := talk(t, s, "server/discover")[0].Get("capabilities")
		want := wire.Raw(`{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}}`)
		if !wire.Equal(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("F32 B13 missing items", func(t *testing.T) {
		for request, want := range map[string]string{
			`resources/read "uri":"no:such"`: `{"code":-32602,"message":"resource not found","data":{"uri":"no:such"}}`,
			`tools/call "name":"no"`:         `{"code":-32602,"message":"unknown tool: \"no\""}`,
			`prompts/get "name":"no"`:        `{"code":-32602,"message":"unknown prompt: \"no\""}`,
		} {
			if got := talk(t, s, request)[0]; !wire.Equal(wire.Raw(got), wire.Raw(want)) {
				t.Errorf("%s: got %s, want %s", request, got, want)
			}
		}
	})
	t.Run("B6 results", func(t *testing.T) {
		for _, request := range []string{`tools/call "name":"a"`, `prompts/get "name":"p","arguments":{"a":"x"}`, `resources/read "uri":"a:b"`,
			`completion/complete "ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}`} {
			got := talk(t, s, request)[0]
			if got.GetString("resultType") != "complete" {
				t.Errorf("%s: got %s", request, got)
			}
			if _, hinted := got.Get("ttlMs"); hinted != strings.HasPrefix(request, "resources/read") {
				t.Errorf("F1 %s: got %s", request, got)
			}
		}
	})
	t.Run("V13 subscriptions of sessions", func(t *testing.T) {
		if got := talk(t, s, `resources/subscribe "uri":"a:b"`)[0]; !strings.Contains(string(got), `"code":-32601`) {
			t.Errorf("got %s", got)
		}
	})
}

// TestStatelessConverted checks a revision without sessions in front of items that are written for one with
// sessions.
func TestStatelessConverted(t *testing.T) {
	var call *runtime.Call
	s, err := mcp.NewServer(mcp.ServerOptions{Name: "probe", Version: "1", Cache: runtime.CacheHints{CacheHint: runtime.CacheHint{TTL: 90 * time.Second, Public: true}}},
		aPrompt, aResource, catalog.NewTool(&mcp.Tool{Name: "t"}, func(ctx context.Context, _ wire.Object) (*mcp.CallToolResult, error) {
			call = runtime.CallOf(ctx)
			err := call.Notify(ctx, "notifications/tools/list_changed", nil)
			return &mcp.CallToolResult{StructuredContent: `{"a":1}`}, err
		}),
		catalog.NewResource(&mcp.Resource{Name: "s", URI: "a:c"}, func(ctx context.Context, _ string) (*mcp.ReadResourceResult, error) {
			runtime.CallOf(ctx).Cache(runtime.CacheHint{TTL: time.Second})
			return &mcp.ReadResourceResult{}, nil
		}),
		catalog.NewResource(&mcp.Resource{Name: "d", URI: "a:d"}, func(context.Context, string) (*mcp.ReadResourceResult, error) {
			return nil, catalog.ErrNoResource
		}))
	must(t, err)
	const self = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"probe","version":"1"}}`
	const complete = `"resultType":"complete",` + self
	const hints = `"ttlMs":90000,"cacheScope":"public",`
	for request, want := range map[string]string{
		`server/discover`: `{"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],
			"capabilities":{"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}},` + hints + complete + `}`,
		`tools/list`:                 `{"tools":[{"name":"t","inputSchema":{"type":"object"}}],` + hints + complete + `}`,
		`tools/call "name":"t"`:      `{"content":[],"structuredContent":{"a":1},` + complete + `}`,
		`resources/read "uri":"a:b"`: `{"contents":[],` + hints + complete + `}`,
		`resources/read "uri":"a:c"`: `{"contents":[],"ttlMs":1000,"cacheScope":"private",` + complete + `}`,
		`resources/read "uri":"a:d"`: `{"code":-32602,"message":"resource not found","data":{"uri":"a:d"}}`,
		`resources/read "uri":"a:e"`: `{"code":-32602,"message":"resource not found","data":{"uri":"a:e"}}`,
	} {
		t.Run("F1 F6 F32 B6 B13 V7 "+request, func(t *testing.T) {
			if got := talk(t, s, request)[0]; !wire.Equal(wire.Raw(got), wire.Raw(want)) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	if call == nil || call.Session() != nil || call.Revision() != "2026-07-28" {
		t.Errorf("the call of the tool is %+v", call)
	}
}

// TestWrittenWithoutSessions checks a session with a server whose items are written for a revision without
// sessions: the catalog handles the methods that only revisions with sessions have.
func TestWrittenWithoutSessions(t *testing.T) {
	offers := catalog.New(catalog.Options{})
	s, err := compat.NewServer(mcp20260728.BindBase(), runtime.ServerOptions{Name: "probe", Version: "1"}, offers,
		catalog.NewResource(&mcp20260728.Resource{Name: "r", URI: "a:b"}, func(context.Context, string) (*mcp20260728.ReadResourceResult, error) {
			return &mcp20260728.ReadResourceResult{TTLMs: 1, CacheScope: mcp20260728.CacheScopePublic}, nil
		}),
		catalog.NewResource(&mcp20260728.Resource{Name: "gone", URI: "a:c"}, func(context.Context, string) (*mcp20260728.ReadResourceResult, error) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "gone", Data: `{"uri":"a:c"}`}
		}))
	must(t, err)
	for _, revision := range []string{"2024-11-05", "2025-11-25"} {
		synctest.Test(t, func(t *testing.T) {
			c := connectIn(t, s, revision)
			defer c.close()
			for _, row := range []struct {
				method string
				params wire.Raw
				want   string
			}{
				{"ping", "", "{}"},
				{"resources/subscribe", `{"uri":"a:b"}`, "{}"},
				{"resources/read", `{"uri":"a:b"}`, `{"contents":[]}`},
				{"resources/read", `{"uri":"a:c"}`, `-32002 gone {"uri":"a:c"}`},
			} {
				if got := c.ask(row.method, row.params); got != row.want {
					t.Errorf("%s: %s: got %s, want %s", revision, row.method, got, row.want)
				}
			}
			offers.ResourceUpdated("a:b")
			synctest.Wait()
			if got := c.heard(); !slices.Equal(got, []string{`resources/updated {"uri":"a:b"}`}) {
				t.Errorf("%s: the client was told %q", revision, got)
			}
		})
	}
	if got := talk(t, s, `resources/subscribe "uri":"a:b"`)[0].GetString("message"); !strings.Contains(got, "method not found") {
		t.Errorf("without a session: got %s", got)
	}
}
