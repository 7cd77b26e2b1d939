package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// metaAll declares every capability that the questions of the tests need.
const metaAll = metaRevision + `,"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}`

// ask asks the client a question of a form.
func ask(ctx context.Context, text string) (string, error) {
	var answer wire.Raw
	err := runtime.CallOf(ctx).Call(ctx, "elicitation/create", wire.Raw(`{"message":"`+text+`"}`), &answer)
	return wire.Object(answer).GetString("action"), err
}

// said returns a result with a text.
func said(format string, args ...any) (wire.Appender, error) {
	return wire.Raw(fmt.Sprintf(`{"said":%q}`, fmt.Sprintf(format, args...))), nil
}

// client answers the questions of results, as scripted.
type client struct {
	*conn
	id      int
	meta    string                  // of its requests
	answers func(key string) string // to the question with a key; "" for no answer
}

// round sends a request with the answers to a result, which is "" for the first round, and returns the
// result or the error of the response.
func (c *client) round(method, params string, last wire.Object) wire.Object {
	c.t.Helper()
	if last != "" {
		questions, _ := last.Get("inputRequests")
		responses := ""
		for key := range wire.Object(questions).All() {
			if answer := c.answers(key); answer != "" {
				responses += fmt.Sprintf(",%q:%s", key, answer)
			}
		}
		params += `,"inputResponses":{` + strings.TrimPrefix(responses, ",") + `}`
		if state, ok := last.Get("requestState"); ok {
			params += `,"requestState":` + string(state)
		}
	}
	return c.request(method, params)
}

// request sends a request and returns the result or the error of the response.
func (c *client) request(method, params string) wire.Object {
	c.t.Helper()
	c.id++
	c.send(request(fmt.Sprint(c.id), method, params, c.meta))
	got := c.replies()
	if len(got) != 1 || strings.Contains(got[0], `"method":"elicitation/create"`) && !strings.Contains(got[0], `"inputRequests"`) {
		c.t.Fatalf("the answer to %s is %q", method, got)
	}
	if result, ok := wire.Object(got[0]).Get("result"); ok {
		return wire.Object(result)
	}
	e, _ := wire.Object(got[0]).Get("error")
	return wire.Object(e)
}

// run repeats a call of a tool until it is complete. It returns the results.
func (c *client) run(tool string) (all []wire.Object) {
	c.t.Helper()
	last := wire.Object("")
	for range 20 {
		last = c.round("tools/call", `"name":"`+tool+`"`, last)
		all = append(all, last)
		if last.GetString("resultType") != "input_required" {
			return all
		}
	}
	c.t.Fatalf("%s is not complete after %d rounds: %s", tool, len(all), last)
	return nil
}

// questions returns the keys and the questions of a result in their order.
func questions(result wire.Object) (keys []string, texts []wire.Object) {
	all, _ := result.Get("inputRequests")
	for key, question := range wire.Object(all).All() {
		keys, texts = append(keys, key), append(texts, wire.Object(question))
	}
	return keys, texts
}

// rounds runs a test with a client of tools, which accepts everything.
func rounds(t *testing.T, name string, s side, opts runtime.ServerOptions, test func(t *testing.T, c *client)) {
	t.Helper()
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	alone(t, name, s, opts, nil, func(t *testing.T, c *conn) {
		test(t, &client{conn: c, meta: metaAll, answers: func(string) string { return `{"action":"accept"}` }})
	})
}

func wantCode(t *testing.T, got wire.Object, code int64, text string) {
	t.Helper()
	if c, _ := got.Get("code"); string(c) != fmt.Sprint(code) || !strings.Contains(got.GetString("message"), text) {
		t.Errorf("got %s, want error %d with %q", got, code, text)
	}
}

func wantSaid(t *testing.T, got wire.Object, text string) {
	t.Helper()
	if got.GetString("said") != text || got.GetString("resultType") != "complete" {
		t.Errorf("got %s, want %q", got, text)
	}
}

// TestRounds checks requests that take several rounds.
//
// B21
func TestRounds(t *testing.T) {
	runs := 0
	s := side{
		"two": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			runs++
			a, err := ask(ctx, "a?")
			if err != nil {
				return nil, err
			}
			b, err := ask(ctx, "b?")
			if err != nil {
				return nil, fmt.Errorf("second: %w", err)
			}
			return said("%s %s after %d", a, b, runs)
		},
		"same": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			for i := range 3 {
				if _, err := ask(ctx, "again?"); err != nil {
					return said("the handler ignores the error of question %d", i)
				}
			}
			return said("three")
		},
	}
	rounds(t, "P2 P4 P5 P12 the client is asked one question after the other", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		all := c.run("two")
		if len(all) != 3 {
			t.Fatalf("%d rounds: %s", len(all), all)
		}
		wantSaid(t, all[2], "accept accept after 3")
		for i, text := range []string{"a?", "b?"} {
			keys, asked := questions(all[i])
			if len(asked) != 1 || asked[0] != wire.Object(`{"method":"elicitation/create","params":{"message":"`+text+`"}}`) || keys[0] == "" {
				t.Errorf("round %d asks %s", i, asked)
			}
			if all[i].GetString("requestState") == "" {
				t.Errorf("round %d has no state", i)
			}
			for _, hint := range []string{"ttlMs", "cacheScope"} {
				if _, ok := all[i].Get(hint); ok {
					t.Errorf("F2 round %d has %s", i, hint)
				}
			}
		}
		if all[0].GetString("requestState") == all[1].GetString("requestState") {
			t.Error("two rounds have the same state")
		}
	})
	rounds(t, "P4 equal questions have different keys; the handler may ignore the error", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		all := c.run("same")
		wantSaid(t, all[len(all)-1], "three")
		seen := map[string]bool{}
		for _, result := range all[:len(all)-1] {
			keys, _ := questions(result)
			for _, key := range keys {
				if seen[key] {
					t.Errorf("key %s is asked twice", key)
				}
				seen[key] = true
			}
		}
		if len(seen) != 3 {
			t.Errorf("%d questions", len(seen))
		}
	})
	rounds(t, "P14 P23 a missing answer is asked for again", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		first := c.round("tools/call", `"name":"two"`, "")
		c.answers = func(string) string { return "" }
		again := c.round("tools/call", `"name":"two"`, first)
		if a, _ := first.Get("inputRequests"); string(a) == "" || !strings.Contains(string(again), string(a)) {
			t.Errorf("first %s, then %s", first, again)
		}
	})
	rounds(t, "P22 other answers are ignored, also of unknown types", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		first := c.round("tools/call", `"name":"two"`, "")
		keys, _ := questions(first)
		got := c.request("tools/call", fmt.Sprintf(`"name":"two","inputResponses":{"x":1,%q:{"action":"accept"},"y":{"foo":[]}},"requestState":%q`, keys[0], first.GetString("requestState")))
		if _, asked := questions(got); len(asked) != 1 || !strings.Contains(string(asked[0]), "b?") {
			t.Errorf("got %s", got)
		}
	})
	rounds(t, "P20 P21 answers that cannot be read are errors", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		wantCode(t, c.request("tools/call", `"name":"two","inputResponses":[]`), jsonrpc.CodeInvalidParams, "/inputResponses: expected an object")
		wantCode(t, c.request("tools/call", `"name":"two","requestState":5`), jsonrpc.CodeInvalidParams, "/requestState")
		if got := c.request("tools/call", `"name":"two","inputResponses":null,"requestState":null`); got.GetString("resultType") != "input_required" {
			t.Errorf("null is not absent: %s", got)
		}
	})
}

// TestRoundsTyped checks answers that are decoded into types.
func TestRoundsTyped(t *testing.T) {
	s := side{"typed": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		var p toolParams
		err := runtime.CallOf(ctx).Call(runtime.WithInputKey(ctx, "tool"), "elicitation/create", wire.Raw(`{"message":"?"}`), &p)
		if err != nil {
			return said("ignored: %v", err)
		}
		return said("%s", p.Name)
	}}
	for answer, want := range map[string]string{
		`{"name":"a"}`: "",
		`5`:            "/inputResponses/tool: ",
		`{"name":5}`:   "/inputResponses/tool/name: ",
		`{}`:           "/inputResponses/tool: ",
		`{"name":""}`:  "/inputResponses/tool/name: ", // not valid
	} {
		rounds(t, "P20 "+answer, s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
			c.answers = func(string) string { return answer }
			got := c.run("typed")
			if last := got[len(got)-1]; want == "" {
				wantSaid(t, last, "a")
			} else {
				wantCode(t, last, jsonrpc.CodeInvalidParams, want)
			}
		})
	}
}

// TestRoundsKeys checks questions with keys that the handler has chosen.
func TestRoundsKeys(t *testing.T) {
	asked := 0
	s := side{"named": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		asked++
		if _, err := ask(runtime.WithInputKey(ctx, "user_name"), fmt.Sprintf("number %d?", asked)); err != nil {
			return nil, err
		}
		return said("thanks")
	}, "changing": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		asked++
		_, err := ask(ctx, fmt.Sprintf("number %d?", asked))
		return wire.Raw("{}"), err
	}}
	rounds(t, "an answer belongs to the key whatever the params", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		all := c.run("named")
		if keys, _ := questions(all[0]); len(keys) != 1 || keys[0] != "user_name" {
			t.Errorf("keys %q", keys)
		}
		wantSaid(t, all[len(all)-1], "thanks")
	})
	rounds(t, "a client that knows the key answers at once", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		wantSaid(t, c.request("tools/call", `"name":"named","inputResponses":{"user_name":{"action":"accept"},"other":{}}`), "thanks")
	})
	var logged strings.Builder
	o := runtime.ServerOptions{Logger: slog.New(slog.NewTextHandler(&logged, nil))}
	rounds(t, "a question that changes in every round is logged", s, o, func(t *testing.T, c *client) {
		first := c.round("tools/call", `"name":"changing"`, "")
		if strings.Contains(logged.String(), "another question") {
			t.Error("logged in the first round")
		}
		second := c.round("tools/call", `"name":"changing"`, first)
		if second.GetString("resultType") != "input_required" || !strings.Contains(logged.String(), "another question") {
			t.Errorf("got %s, logged %s", second, logged.String())
		}
	})
}

// TestTogetherExits checks that a function which ends its goroutine has failed.
func TestTogetherExits(t *testing.T) {
	exit := func(context.Context) error { goruntime.Goexit(); return nil }
	if err := runtime.Together(t.Context(), exit); err == nil {
		t.Error("no error")
	}
}

// TestRoundsTogether checks several questions in one round.
func TestRoundsTogether(t *testing.T) {
	asks := func(text string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := ask(ctx, text)
			return err
		}
	}
	roots := func(ctx context.Context) error {
		return runtime.CallOf(ctx).Call(ctx, "roots/list", nil, new(wire.Raw))
	}
	s := side{
		"all": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			if err := runtime.Together(ctx, asks("a?"), asks("b?"), roots); err != nil {
				return nil, err
			}
			return said("all")
		},
		"parallel": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			done := make(chan error)
			for _, text := range []string{"a?", "b?", "c?"} {
				go func() { done <- asks(text)(ctx) }()
			}
			if err := errors.Join(<-done, <-done, <-done); err != nil {
				return nil, err
			}
			return said("parallel")
		},
	}
	rounds(t, "P4 several questions in one round", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		for tool, n := range map[string]int{"all": 3, "parallel": 3} {
			all := c.run(tool)
			if keys, _ := questions(all[0]); len(all) != 2 || len(keys) != n {
				t.Errorf("%s takes %d rounds: %s", tool, len(all), all)
			}
			wantSaid(t, all[len(all)-1], tool)
		}
	})
	rounds(t, "P23 only what is missing is asked again", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		c.answers = func(key string) string {
			if strings.HasPrefix(key, "roots/list") {
				return ""
			}
			return `{"action":"accept"}`
		}
		second := c.round("tools/call", `"name":"all"`, c.round("tools/call", `"name":"all"`, ""))
		if _, asked := questions(second); len(asked) != 1 || asked[0].GetString("method") != "roots/list" {
			t.Errorf("got %s", second)
		}
		c.answers = func(string) string { return `{"roots":[]}` }
		wantSaid(t, c.round("tools/call", `"name":"all"`, second), "all")
	})
	rounds(t, "P13 B35 nothing is asked in vain: a capability is missing", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		c.meta = strings.Replace(metaAll, `,"roots":{}`, "", 1)
		got := c.request("tools/call", `"name":"all"`)
		wantCode(t, got, jsonrpc.CodeMissingCapability, "roots")
		if data, _ := got.Get("data"); data != `{"requiredCapabilities":{"roots":{}}}` {
			t.Errorf("data %s", data)
		}
	})
	t.Run("in a session, the requests are sent at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := open(t.Context(), t, newServer(t, s.with(side{"all": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
				if err := runtime.Together(ctx, roots, roots); err != nil {
					return nil, err
				}
				return said("all")
			}}), runtime.ServerOptions{}, r11), r11)
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"all"}}`)
			sent := c.replies()
			if len(sent) != 2 {
				t.Fatalf("sent %q", sent)
			}
			for _, line := range sent {
				id, _ := wire.Object(line).Get("id")
				c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"roots":[]}}`, id))
			}
			match(t, c.replies(), []string{answered("1", `\{"said":"all"\}`)})
			if err := c.hangUp(); err != nil {
				t.Error(err)
			}
		})
	})
}

// TestRoundsCapabilities checks that a client is not asked what it cannot answer.
func TestRoundsCapabilities(t *testing.T) {
	s := side{
		"form": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			_, err := ask(ctx, "?")
			return wire.Raw("{}"), err
		},
		"url": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			return nil, runtime.CallOf(ctx).Call(ctx, "elicitation/create", wire.Raw(`{"mode":"url","url":"https://example.com/"}`), nil)
		},
		"choose": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			if _, err := ask(ctx, "?"); err == nil || errors.Is(err, runtime.ErrInputRequired) {
				return nil, err
			}
			if err := runtime.CallOf(ctx).Call(ctx, "sampling/createMessage", wire.Raw(`{"messages":[],"maxTokens":1}`), nil); err != nil {
				return nil, err
			}
			return said("sampled")
		},
	}
	capabilities := func(text string) string {
		return metaRevision + `,"io.modelcontextprotocol/clientCapabilities":` + text
	}
	rounds(t, "P13 F47 capabilities and modes", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		for _, test := range []struct{ has, tool, missing string }{
			{`{}`, "form", `{"elicitation":{}}`},
			{`{"elicitation":{}}`, "form", ""}, // no mode means forms
			{`{"elicitation":{"url":{}}}`, "form", `{"elicitation":{"form":{}}}`},
			{`{"elicitation":{}}`, "url", `{"elicitation":{"url":{}}}`},
			{`{"elicitation":{"url":{}}}`, "url", ""},
		} {
			c.meta = capabilities(test.has)
			got := c.request("tools/call", `"name":"`+test.tool+`"`)
			if test.missing == "" {
				if got.GetString("resultType") != "input_required" {
					t.Errorf("%s with %s: %s", test.tool, test.has, got)
				}
				continue
			}
			wantCode(t, got, jsonrpc.CodeMissingCapability, "")
			if data, _ := got.Get("data"); string(data) != `{"requiredCapabilities":`+test.missing+`}` {
				t.Errorf("%s with %s: data %s", test.tool, test.has, data)
			}
		}
	})
	rounds(t, "P13 a handler asks otherwise", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		c.meta = capabilities(`{"sampling":{}}`)
		all := c.run("choose")
		if _, asked := questions(all[0]); len(asked) != 1 || asked[0].GetString("method") != "sampling/createMessage" {
			t.Errorf("asked %s", asked)
		}
		wantSaid(t, all[len(all)-1], "sampled")
	})
}

// TestRoundsWhere checks which requests can ask.
func TestRoundsWhere(t *testing.T) {
	asking := func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		_, err := ask(ctx, "?")
		return wire.Raw(`{}`), err
	}
	byHand := func(context.Context, *runtime.Message) (wire.Appender, error) {
		return wire.Raw(`{"resultType":"input_required","requestState":"x"}`), nil
	}
	var late func() error
	s := side{"prompts/get": asking, "resources/read": asking, "tools/list": asking, "prompts/list": byHand,
		"late": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			late = func() error { _, err := ask(ctx, "?"); return err }
			return said("early")
		}}
	rounds(t, "P3 where the revision allows it", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		for _, method := range []string{"prompts/get", "resources/read"} {
			first := c.request(method, `"name":"a","uri":"a:b"`)
			if first.GetString("resultType") != "input_required" || c.round(method, `"name":"a","uri":"a:b"`, first).GetString("resultType") != "complete" {
				t.Errorf("%s: %s", method, first)
			}
		}
		for _, method := range []string{"tools/list", "prompts/list"} {
			wantCode(t, c.request(method, ""), jsonrpc.CodeInternalError, "")
			// Their params have no members of rounds, so they are not looked at.
			wantCode(t, c.request(method, `"requestState":"x"`), jsonrpc.CodeInternalError, "")
		}
	})
	rounds(t, "not after the answer", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		wantSaid(t, c.run("late")[0], "early")
		if err := late(); err == nil || errors.Is(err, runtime.ErrInputRequired) {
			t.Errorf("a question after the answer: %v", err)
		}
	})
}

// TestOnce checks work that is not repeated.
func TestOnce(t *testing.T) {
	runs, orders := 0, 0
	type order struct {
		Number int
		Of     []string
	}
	s := side{"buy": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		runs++
		var numbers []int
		for range 2 {
			o, err := runtime.Once(ctx, "order", func(context.Context) (*order, error) {
				orders++
				return &order{orders, []string{"tea"}}, nil
			})
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, o.Number)
		}
		if _, err := runtime.Once(ctx, "fails", func(context.Context) (int, error) { return 0, errors.New("no") }); err == nil {
			return nil, errors.New("no error")
		}
		if _, err := ask(ctx, fmt.Sprintf("buy %d?", numbers[0])); err != nil {
			return nil, err
		}
		if _, err := ask(ctx, "sure?"); err != nil {
			return nil, err
		}
		return said("%v in %d runs", numbers, runs)
	}}
	rounds(t, "the value travels in the state", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		all := c.run("buy")
		wantSaid(t, all[len(all)-1], "[1 2] in 3 runs")
		if orders != 2 {
			t.Errorf("%d orders", orders)
		}
	})
	t.Run("in a session and outside of calls", func(t *testing.T) {
		v, err := runtime.Once(t.Context(), "x", func(context.Context) (int, error) { return 7, nil })
		if v != 7 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	})
}

// TestRoundsURLs checks the error with which handlers of 2025-11-25 ask for a visit.
func TestRoundsURLs(t *testing.T) {
	paid := false
	s := side{"pay": func(context.Context, *runtime.Message) (wire.Appender, error) {
		if paid {
			return said("paid")
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeURLElicitationRequired, Message: "pay", Data: `{"elicitations":[{"mode":"url","message":"Pay.","url":"https://example.com/"}]}`}
	}}
	rounds(t, "B13 the client is asked until the handler is content", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		first := c.round("tools/call", `"name":"pay"`, "")
		second := c.round("tools/call", `"name":"pay"`, first)
		for _, result := range []wire.Object{first, second} {
			if _, asked := questions(result); len(asked) != 1 || asked[0] != `{"method":"elicitation/create","params":{"mode":"url","message":"Pay.","url":"https://example.com/"}}` {
				t.Fatalf("got %s", result)
			}
		}
		paid = true
		wantSaid(t, c.round("tools/call", `"name":"pay"`, second), "paid")
	})
	paid = false
	rounds(t, "a client that answers before it is asked does not keep the server busy", s, runtime.ServerOptions{}, func(t *testing.T, c *client) {
		keys, _ := questions(c.round("tools/call", `"name":"pay"`, ""))
		answers := fmt.Sprintf(`%q:{"action":"accept"}`, keys[0])
		for i := 2; i <= 1000; i++ {
			answers += fmt.Sprintf(`,"%s#%d":{"action":"accept"}`, keys[0], i)
		}
		c.send(request("7", "tools/call", `"name":"pay","inputResponses":{`+answers+`}`, metaAll))
		if got := c.replies(); len(got) != 1 || !strings.Contains(got[0], `"error"`) {
			t.Errorf("got %.300s", got)
		}
	})
}

// TestRoundsMiddleware checks what middleware sees of a question.
func TestRoundsMiddleware(t *testing.T) {
	var seen []string
	layer := func(next runtime.Handler) runtime.Handler {
		return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
			result, err := next(ctx, m)
			text, _ := runtime.TextOf(result)
			if m.Sent() {
				seen = append(seen, fmt.Sprintf("%s %s %v", m.Method, text, errors.Is(err, runtime.ErrInputRequired)))
			} else {
				seen = append(seen, fmt.Sprintf("%s %s %v", m.Method, wire.Object(text).GetString("resultType"), err))
			}
			return result, err
		}
	}
	o := runtime.ServerOptions{Receiving: []runtime.Middleware{layer}, Sending: []runtime.Middleware{layer}}
	s := side{"one": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		a, err := ask(ctx, "?")
		if err != nil {
			return nil, err
		}
		return said("%s", a)
	}}
	rounds(t, "questions and the results with them", s, o, func(t *testing.T, c *client) {
		all := c.run("one")
		wantSaid(t, all[1], "accept")
		want := []string{"elicitation/create  true", "tools/call input_required <nil>", `elicitation/create {"action":"accept"} false`, "tools/call  <nil>"}
		if fmt.Sprint(seen) != fmt.Sprint(want) {
			t.Errorf("seen %q, want %q", seen, want)
		}
	})
}
