package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type userKey struct{}

// TestCache checks when a result is used again. Each step is a request, or another thing that happens.
func TestCache(t *testing.T) {
	as := func(user string) func(*testing.T, *runtime.Session, *actor) {
		return func(t *testing.T, s *runtime.Session, _ *actor) {
			_ = s.Call(context.WithValue(t.Context(), userKey{}, user), "tools/list", nil, nil)
		}
	}
	ask := func(method, params string) func(*testing.T, *runtime.Session, *actor) {
		return func(t *testing.T, s *runtime.Session, _ *actor) {
			_ = s.Call(t.Context(), method, wire.Raw(params), nil)
		}
	}
	pass := func(d time.Duration) func(*testing.T, *runtime.Session, *actor) {
		return func(*testing.T, *runtime.Session, *actor) { time.Sleep(d) }
	}
	told := func(method, params string) func(*testing.T, *runtime.Session, *actor) {
		return func(_ *testing.T, _ *runtime.Session, a *actor) {
			a.send(`{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`)
			synctest.Wait()
		}
	}
	list, read := ask("tools/list", `{}`), ask("resources/read", `{"uri":"a:b"}`)
	const fresh = `"ttlMs":1000,"cacheScope":"private"`
	type step = func(*testing.T, *runtime.Session, *actor)
	for _, c := range []struct {
		name  string
		hints string
		steps []step
		sent  int
	}{
		{"F5 fresh", fresh, []step{list, pass(time.Second - 1), list}, 1},
		{"F5 F7 stale", fresh, []step{list, pass(time.Second), list}, 2},
		{"F5 zero", `"ttlMs":0,"cacheScope":"public"`, []step{list, list}, 2},
		{"F5 negative", `"ttlMs":-5,"cacheScope":"public"`, []step{list, list}, 2},
		{"F5 absent", `"cacheScope":"public"`, []step{list, list}, 2},
		{"F5 longer than time", `"ttlMs":9223372036854775807,"cacheScope":"public"`, []step{list, pass(time.Hour), list}, 1},
		{"F7 nothing is fetched by itself", fresh, []step{list, pass(time.Hour)}, 1},
		{"F3 another method", fresh, []step{list, ask("prompts/list", `{}`)}, 2},
		{"F3 other params", fresh, []step{list, ask("tools/list", `{"cursor":"2"}`)}, 2},
		{"F3 other metadata", fresh, []step{list, ask("tools/list", `{"_meta":{"traceparent":"x"}}`)}, 1},
		{"F4 a retry", fresh, []step{ask("resources/read", `{"uri":"a","requestState":"s"}`), ask("resources/read", `{"uri":"a","requestState":"s"}`)}, 2},
		{"F4 a result after a question", fresh, []step{ask("resources/read", `{"uri":"asks"}`), ask("resources/read", `{"uri":"asks"}`)}, 4},
		{"F9 private, another user", fresh, []step{as("ann"), as("bob"), as("ann")}, 2},
		{"F9 public, another user", `"ttlMs":1000,"cacheScope":"public"`, []step{as("ann"), as("bob")}, 1},
		{"F9 an unknown scope is private", `"ttlMs":1000,"cacheScope":"x"`, []step{as("ann"), as("bob")}, 2},
		{"F10 the list has changed", fresh, []step{list, told("notifications/tools/list_changed", `{}`), list}, 2},
		{"F10 another list has changed", fresh, []step{list, told("notifications/prompts/list_changed", `{}`), list}, 1},
		{"F10 templates change with resources", fresh, []step{ask("resources/templates/list", `{}`), told("notifications/resources/list_changed", `{}`), ask("resources/templates/list", `{}`)}, 2},
		{"F10 the resource was updated", fresh, []step{read, told("notifications/resources/updated", `{"uri":"a:b"}`), read}, 2},
		{"F10 another resource was updated", fresh, []step{read, told("notifications/resources/updated", `{"uri":"a:c"}`), read}, 1},
		{"F11 a cursor is refused", fresh, []step{list, ask("tools/list", `{"cursor":"bad"}`), list}, 3},
		{"a call of a tool", fresh, []step{ask("tools/call", `{"name":"a"}`), ask("tools/call", `{"name":"a"}`)}, 2},
		{"errors", fresh, []step{ask("resources/read", `{"uri":"none"}`), ask("resources/read", `{"uri":"none"}`)}, 2},
		{"more than fits", fresh, []step{ask("tools/list", `{"cursor":"`+strings.Repeat("x", 700)+`"}`), ask("tools/list", `{"cursor":"`+strings.Repeat("y", 700)+`"}`), ask("tools/list", `{"cursor":"`+strings.Repeat("x", 700)+`"}`)}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := modern(func(m jsonrpc.Message) []string {
					switch {
					case object(m, "cursor") == `"bad"`:
						return failureOf(m, -32602, "")
					case object(m, "uri") == `"none"`:
						return failureOf(m, -32602, "")
					case object(m, "uri") == `"asks"` && object(m, "requestState") == "":
						return resultOf(m, `{"resultType":"input_required","requestState":"s"}`)
					}
					return resultOf(m, fmt.Sprintf(`{"resultType":"complete","tools":[],"contents":[],"content":[],%s}`, c.hints))
				})
				session := openScript(t, eraClient(t, runtime.ClientOptions{Cache: &runtime.CacheOptions{
					MaxBytes: 2000,
					Authorization: func(ctx context.Context) string {
						user, _ := ctx.Value(userKey{}).(string)
						return user
					},
				}}, nil, r26), a)
				for _, step := range c.steps {
					step(t, session, a)
				}
				if n := len(a.messages()) - 1; n != c.sent {
					t.Errorf("%d requests: %s", n, a.methods())
				}
			})
		})
	}
}

// TestCacheRace checks that a result is not kept if a change was notified while it was on its way.
func TestCacheRace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Log("F10")
		a := modern(func(m jsonrpc.Message) []string {
			return append([]string{`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`}, resultOf(m, `{"tools":[],"ttlMs":1000,"cacheScope":"public"}`)...)
		})
		session := openScript(t, eraClient(t, runtime.ClientOptions{Cache: new(runtime.CacheOptions)}, nil, r26), a)
		for range 2 {
			if err := session.Call(t.Context(), "tools/list", nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		if len(a.of("tools/list")) != 2 {
			t.Errorf("sent %s", a.methods())
		}
	})
}
