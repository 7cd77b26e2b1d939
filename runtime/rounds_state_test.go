package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// confirming are tools that ask once.
var confirming = side{
	"confirm": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		if _, err := ask(ctx, "sure?"); err != nil {
			return nil, err
		}
		return said("done")
	},
	"other": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		if _, err := ask(ctx, "sure?"); err != nil {
			return nil, err
		}
		return said("done")
	},
}

const (
	refusedState = "invalid params: /requestState: not valid for this request, or no longer"
	confirm      = `"name":"confirm","arguments":{"a":[1,"é"],"b":{}}`
)

// TestState checks which states a server accepts.
func TestState(t *testing.T) {
	for _, test := range []struct {
		name   string
		opts   runtime.Rounds
		retry  func(c *client, first wire.Object) wire.Object
		reason string // in the log; "" if the state is accepted
	}{
		{"P16 as it is", runtime.Rounds{}, func(c *client, first wire.Object) wire.Object {
			return c.round("tools/call", confirm, first)
		}, ""},
		{"P10 the params spelled otherwise", runtime.Rounds{}, func(c *client, first wire.Object) wire.Object {
			return c.round("tools/call", `"arguments" : {"b":{ }, "a":[1.0,"\u00e9"]},"name":"confirm"`, first)
		}, ""},
		{"other _meta", runtime.Rounds{}, func(c *client, first wire.Object) wire.Object {
			c.meta += `,"progressToken":5`
			return c.round("tools/call", confirm, first)
		}, ""},
		{"just before the end", runtime.Rounds{Lifetime: time.Minute}, func(c *client, first wire.Object) wire.Object {
			time.Sleep(time.Minute - time.Second)
			return c.round("tools/call", confirm, first)
		}, ""},
		{"P9 expired", runtime.Rounds{Lifetime: time.Minute}, func(c *client, first wire.Object) wire.Object {
			time.Sleep(time.Minute)
			return c.round("tools/call", confirm, first)
		}, "expired"},
		{"P9 expired by default", runtime.Rounds{}, func(c *client, first wire.Object) wire.Object {
			time.Sleep(runtime.DefaultStateLifetime)
			return c.round("tools/call", confirm, first)
		}, "expired"},
		{"P7 tampered", runtime.Rounds{}, func(c *client, first wire.Object) wire.Object {
			first, _ = first.With("requestState", wire.Raw(fmt.Sprintf("%q", first.GetString("requestState")+"-TAMPERED")))
			return c.round("tools/call", confirm, first)
		}, "changed"},
		{"P6 made up", runtime.Rounds{}, func(c *client, _ wire.Object) wire.Object {
			return c.request("tools/call", confirm+`,"requestState":"eyJhbnN3ZXJzIjp7fX0"`)
		}, "changed"},
		{"P6 empty", runtime.Rounds{}, func(c *client, _ wire.Object) wire.Object {
			return c.request("tools/call", confirm+`,"requestState":""`)
		}, "changed"},
		{"P6 hidden by an escape", runtime.Rounds{}, func(c *client, _ wire.Object) wire.Object {
			return c.request("tools/call", confirm+`,"request\u0053tate":"x"`)
		}, "changed"},
		{"P10 another tool", runtime.Rounds{}, func(c *client, first wire.Object) wire.Object {
			return c.round("tools/call", `"name":"other","arguments":{"a":[1,"é"],"b":{}}`, first)
		}, "another request"},
		{"P10 other arguments", runtime.Rounds{}, func(c *client, first wire.Object) wire.Object {
			return c.round("tools/call", `"name":"confirm","arguments":{"a":[2,"é"],"b":{}}`, first)
		}, "another request"},
		{"P10 another method", runtime.Rounds{}, func(c *client, first wire.Object) wire.Object {
			return c.round("prompts/get", confirm, first)
		}, "another request"},
		{"P11 twice", runtime.Rounds{Use: runtime.UseOnce(10)}, func(c *client, first wire.Object) wire.Object {
			wantSaid(c.t.(*testing.T), c.round("tools/call", confirm, first), "done")
			return c.round("tools/call", confirm, first)
		}, "used before"},
		{"P11 twice, with a shared store", runtime.Rounds{Use: share.UseOnce(tasks.NewMemory(0))}, func(c *client, first wire.Object) wire.Object {
			wantSaid(c.t.(*testing.T), c.round("tools/call", confirm, first), "done")
			return c.round("tools/call", confirm, first)
		}, "used before"},
		{"twice where that is allowed", runtime.Rounds{}, func(c *client, first wire.Object) wire.Object {
			wantSaid(c.t.(*testing.T), c.round("tools/call", confirm, first), "done")
			return c.round("tools/call", confirm, first)
		}, ""},
	} {
		var logged strings.Builder
		o := runtime.ServerOptions{Rounds: test.opts, Logger: slog.New(slog.NewTextHandler(&logged, nil))}
		rounds(t, test.name, confirming, o, func(t *testing.T, c *client) {
			got := test.retry(c, c.round("tools/call", confirm, ""))
			if test.reason == "" {
				wantSaid(t, got, "done")
				return
			}
			wantCode(t, got, jsonrpc.CodeInvalidParams, refusedState)
			if !strings.Contains(logged.String(), test.reason) {
				t.Errorf("logged %s, want %q", logged.String(), test.reason)
			}
			if strings.Contains(string(got), test.reason) {
				t.Errorf("the client is told the reason: %s", got)
			}
		})
	}
}

// TestStateUse checks Rounds.Use.
func TestStateUse(t *testing.T) {
	rounds(t, "P11 the memory is bounded", confirming, runtime.ServerOptions{Rounds: runtime.Rounds{Use: runtime.UseOnce(1), Lifetime: time.Minute}}, func(t *testing.T, c *client) {
		first, second := c.round("tools/call", confirm, ""), c.round("tools/call", confirm, "")
		wantSaid(t, c.round("tools/call", confirm, first), "done")
		wantCode(t, c.round("tools/call", confirm, second), jsonrpc.CodeInternalError, "internal error")
		time.Sleep(time.Minute)
		wantSaid(t, c.round("tools/call", confirm, c.round("tools/call", confirm, "")), "done")
	})
	var ids []string
	use := func(ctx context.Context, id string, expires time.Time) (bool, error) {
		if runtime.CallOf(ctx) == nil || time.Until(expires) != runtime.DefaultStateLifetime {
			return false, errors.New("bad arguments")
		}
		ids = append(ids, id)
		return true, nil
	}
	rounds(t, "a store of the user", confirming, runtime.ServerOptions{Rounds: runtime.Rounds{Use: use}}, func(t *testing.T, c *client) {
		first := c.round("tools/call", confirm, "")
		for range 2 {
			wantSaid(t, c.round("tools/call", confirm, first), "done")
		}
		wantSaid(t, c.round("tools/call", confirm, c.round("tools/call", confirm, "")), "done")
		if len(ids) != 3 || ids[0] != ids[1] || ids[1] == ids[2] || ids[0] == "" {
			t.Errorf("ids %q", ids)
		}
	})
}

// TestStatePrincipal checks that a state belongs to a user.
func TestStatePrincipal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type userKey struct{}
		own := func(ctx context.Context) string { user, _ := ctx.Value(userKey{}).(string); return user }
		for name, principal := range map[string]func(context.Context) string{"of the transport": nil, "of the options": own} {
			server := newStateless(t, confirming, runtime.ServerOptions{Logger: slog.New(slog.DiscardHandler), Rounds: runtime.Rounds{Principal: principal}})
			as := func(user string) *client {
				ctx := runtime.WithPrincipal(context.WithValue(t.Context(), userKey{}, user), user)
				return &client{conn: dial(ctx, t, server), meta: metaAll, answers: func(string) string { return `{"action":"accept"}` }}
			}
			ada, bob, nobody := as("ada"), as("bob"), as("")
			first := ada.round("tools/call", confirm, "")
			wantCode(t, bob.round("tools/call", confirm, first), jsonrpc.CodeInvalidParams, refusedState)
			wantCode(t, nobody.round("tools/call", confirm, first), jsonrpc.CodeInvalidParams, refusedState)
			wantCode(t, ada.round("tools/call", confirm, nobody.round("tools/call", confirm, "")), jsonrpc.CodeInvalidParams, refusedState)
			if got := ada.round("tools/call", confirm, first); got.GetString("said") != "done" {
				t.Errorf("P8 %s: %s", name, got)
			}
			for _, c := range []*client{ada, bob, nobody} {
				c.hangUp()
			}
		}
	})
}

// TestStateKeys checks states among replicas of a server.
func TestStateKeys(t *testing.T) {
	key := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }
	synctest.Test(t, func(t *testing.T) {
		with := func(keys ...[]byte) *client {
			s := newStateless(t, confirming, runtime.ServerOptions{Logger: slog.New(slog.DiscardHandler), Rounds: runtime.Rounds{Keys: keys}})
			return &client{conn: dial(t.Context(), t, s), meta: metaAll, answers: func(string) string { return `{"action":"accept"}` }}
		}
		for _, test := range []struct {
			name     string
			from, to *client
			ok       bool
		}{
			{"replicas with the same key", with(key(1)), with(key(1)), true},
			{"a new key, and the old one", with(key(1)), with(key(2), key(1)), true},
			{"the other way while keys change", with(key(2), key(1)), with(key(1), key(2)), true},
			{"the old key is gone", with(key(1)), with(key(2)), false},
			{"servers without keys", with(), with(), false},
		} {
			got := test.to.round("tools/call", confirm, test.from.round("tools/call", confirm, ""))
			if done := got.GetString("said") == "done"; done != test.ok {
				t.Errorf("%s: %s", test.name, got)
			}
			test.from.hangUp()
			test.to.hangUp()
		}
	})
	err := runtime.NewServer(runtime.ServerOptions{Rounds: runtime.Rounds{Keys: [][]byte{key(1)[1:]}}}, side{}.in(rA)).Err()
	if err == nil || !strings.Contains(err.Error(), "Rounds.Keys: key 0 has 31 bytes") {
		t.Errorf("a short key: %v", err)
	}
}

// TestByHand checks handlers that make results with questions themselves.
func TestByHand(t *testing.T) {
	var params []wire.Raw
	results := map[string]string{}
	s := side{}
	binding := s.in(rA)
	binding.Handle = func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		p := wire.Raw(message.Object())
		params = append(params, wire.Raw(wire.Object(p).Without("_meta")))
		step := wire.Object(p).GetString("requestState")
		if wire.Object(p).GetString("name") == "both" {
			if _, err := ask(ctx, "mine?"); err != nil {
				return wire.Raw(`{"resultType":"input_required","inputRequests":{"own":{"method":"roots/list"}}}`), nil
			}
		}
		return wire.Raw(results[step]), nil
	}
	question := `"inputRequests":{"q":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}`
	run := func(name string, test func(t *testing.T, c *client)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := runtime.NewServer(runtime.ServerOptions{Capabilities: everyCapability, Logger: slog.New(slog.DiscardHandler)}, binding)
				params = nil
				c := &client{conn: dial(t.Context(), t, server), meta: metaAll, answers: func(string) string { return `{"action":"accept"}` }}
				test(t, c)
				c.hangUp()
			})
		})
	}
	wantParams := func(t *testing.T, want ...string) {
		t.Helper()
		for i := range want {
			if !wire.Equal(params[i], wire.Raw(want[i])) {
				t.Errorf("round %d: params %s, want %s", i, params[i], want[i])
			}
		}
	}
	run("P7 P12 the state is sealed around that of the handler", func(t *testing.T, c *client) {
		results = map[string]string{
			"":       `{"resultType":"input_required",` + question + `,"requestState":"step 1"}`,
			"step 1": `{"resultType":"input_required","requestState":"step 2"}`,
			"step 2": `{"said":"done"}`,
		}
		all := c.run("x")
		for _, result := range all[:2] {
			if state := result.GetString("requestState"); state == "" || strings.Contains(state, "step") {
				t.Errorf("state %q", state)
			}
		}
		wantSaid(t, all[2], "done")
		wantParams(t, `{"name":"x"}`,
			`{"name":"x","inputResponses":{"q":{"action":"accept"}},"requestState":"step 1"}`,
			`{"name":"x","inputResponses":{},"requestState":"step 2"}`)
		wantCode(t, c.request("tools/call", `"name":"x","requestState":"step 2"`), jsonrpc.CodeInvalidParams, refusedState)
	})
	run("P12 a handler without a state", func(t *testing.T, c *client) {
		results = map[string]string{"": `{"resultType":"input_required",` + question + `}`}
		first := c.round("tools/call", `"name":"x"`, "")
		if first.GetString("requestState") == "" {
			t.Errorf("no state: %s", first)
		}
		c.round("tools/call", `"name":"x"`, first)
		wantParams(t, `{"name":"x"}`, `{"name":"x","inputResponses":{"q":{"action":"accept"}}}`)
	})
	run("by hand and by a request", func(t *testing.T, c *client) {
		results = map[string]string{"": `{"said":"done"}`}
		first := c.round("tools/call", `"name":"both"`, "")
		if keys, _ := questions(first); len(keys) != 2 || keys[0] != "own" {
			t.Errorf("asked %s", first)
		}
		wantSaid(t, c.round("tools/call", `"name":"both"`, first), "done")
		if own := wire.Object(params[1]); !strings.Contains(string(own), `"own":{"action":"accept"}`) || own.GetString("requestState") != "" {
			t.Errorf("params %s", own)
		}
	})
	run("P5 P13 what the revision or the client does not allow", func(t *testing.T, c *client) {
		for result, code := range map[string]int64{
			`{"resultType":"input_required","inputRequests":{"q":{"method":"tools/list"}}}`:                                 jsonrpc.CodeInternalError,
			`{"resultType":"input_required","inputRequests":{"q":{"method":"ping"}}}`:                                       jsonrpc.CodeInternalError,
			`{"resultType":"input_required","inputRequests":{"q":{}}}`:                                                      jsonrpc.CodeInternalError,
			`{"resultType":"input_required","inputRequests":[]}`:                                                            jsonrpc.CodeInternalError,
			`{"resultType":"input_required","requestState":5}`:                                                              jsonrpc.CodeInternalError,
			`{"resultType":"input_required","inputRequests":{"q":{"method":"roots/list"}}}`:                                 jsonrpc.CodeMissingCapability,
			`{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"url"}}}}`: jsonrpc.CodeMissingCapability,
		} {
			c.meta = metaRevision + `,"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`
			results = map[string]string{"": result}
			if got := c.request("tools/call", `"name":"x"`); !strings.Contains(string(got), fmt.Sprintf(`"code":%d`, code)) {
				t.Errorf("%s: %s", result, got)
			}
		}
	})
}

// TestStateHostile sends thousands of states that are not accepted, on one connection.
func TestStateHostile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newStateless(t, confirming, runtime.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
		c := &client{conn: dial(t.Context(), t, server), meta: metaAll, answers: func(string) string { return `{"action":"accept"}` }}
		first := c.round("tools/call", confirm, "")
		state := first.GetString("requestState")
		for i := range 2000 {
			at := i % len(state)
			bad := state[:at] + string("AB"[(i+1)%2]) + state[at+1:]
			if bad == state {
				continue
			}
			wantCode(t, c.request("tools/call", confirm+fmt.Sprintf(`,"requestState":%q`, bad)), jsonrpc.CodeInvalidParams, refusedState)
		}
		wantSaid(t, c.round("tools/call", confirm, first), "done")
		c.hangUp()
	})
}

// TestUseOnceShared checks that two replicas together allow a state once, and none while their store fails.
func TestUseOnceShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &brokenStore{Store: tasks.NewMemory(0)}
		a, b := share.UseOnce(store), share.UseOnce(store)
		check := func(use func(context.Context, string, time.Time) (bool, error), id string, want bool) {
			t.Helper()
			if ok, err := use(t.Context(), id, time.Now().Add(time.Minute)); ok != want || err != nil {
				t.Errorf("%s: %t, %v; want %t", id, ok, err, want)
			}
		}
		check(a, "1", true)
		check(b, "1", false)
		check(a, "1", false)
		check(b, "2", true)
		store.err = errors.New("no connection")
		if ok, err := a(t.Context(), "3", time.Now().Add(time.Minute)); ok || !errors.Is(err, store.err) {
			t.Errorf("without the store: %t, %v", ok, err)
		}
		store.err = nil
		time.Sleep(time.Minute + 59*time.Second)
		check(b, "1", false) // a replica whose clock is late still accepts it
		time.Sleep(time.Second)
		synctest.Wait()
		check(b, "1", true) // forgotten
	})
}

// brokenStore is a store that can fail.
type brokenStore struct {
	tasks.Store
	err error
}

func (f *brokenStore) Create(ctx context.Context, r *tasks.Record) error {
	if f.err != nil {
		return f.err
	}
	return f.Store.Create(ctx, r)
}
