package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	askName  = `"name":{"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{}}}}`
	askRoots = `"r":{"method":"roots/list"}`
)

// answering are handlers of the questions.
var answering = runtime.Handlers{
	"elicitation/create": func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		return wire.Raw(`{"action":"accept","content":{"said":` + string(object(jsonrpc.Message{Params: params}, "message")) + `}}`), nil
	},
	"roots/list": func(context.Context, *runtime.Message) (wire.Appender, error) {
		return wire.Raw(`{"roots":[{"uri":"file:///a"}]}`), nil
	},
}

// asking returns an actor that answers a tool call with one result after the other.
func asking(results ...string) *actor {
	n := 0
	return modern(func(m jsonrpc.Message) []string {
		n++
		return resultOf(m, results[min(n, len(results))-1])
	})
}

// sentParams returns the params of the messages with the method, without _meta.
func sentParams(s *actor, method string) []string {
	var all []string
	for _, m := range s.of(method) {
		all = append(all, string(wire.Object(m.Params).Without("_meta")))
	}
	return all
}

func TestClientRounds(t *testing.T) {
	const done = `{"resultType":"complete","content":[]}`
	asks := func(requests, state string) string {
		text := `{"resultType":"input_required"`
		if requests != "" {
			text += `,"inputRequests":{` + requests + `}`
		}
		if state != "" {
			text += `,"requestState":` + state
		}
		return text + "}"
	}
	const (
		name  = `"name":{"action":"accept","content":{"said":"who?"}}`
		roots = `"r":{"roots":[{"uri":"file:///a"}]}`
	)
	for _, c := range []struct {
		name    string
		results []string
		params  string
		want    []string
		says    string
	}{
		{"P15 one question", []string{asks(askName, `"s"`), done}, `{"name":"a"}`,
			[]string{`{"name":"a"}`, `{"name":"a","inputResponses":{` + name + `},"requestState":"s"}`}, ""},
		{"P15 two questions", []string{asks(askName+","+askRoots, ""), done}, `{"name":"a"}`,
			[]string{`{"name":"a"}`, `{"name":"a","inputResponses":{` + name + `,` + roots + `}}`}, ""},
		{"P16 the exact state", []string{asks(askName, `"\u0061 \"\\\/ü "`), done}, `{"name":"a"}`,
			[]string{`{"name":"a"}`, `{"name":"a","inputResponses":{` + name + `},"requestState":"\u0061 \"\\\/ü "}`}, ""},
		{"P17 a state only where the last result has one", []string{asks(askName, `"1"`), asks(askName, ""), asks("", `""`), done}, `{"name":"a"}`,
			[]string{`{"name":"a"}`, `{"name":"a","inputResponses":{` + name + `},"requestState":"1"}`, `{"name":"a","inputResponses":{` + name + `}}`, `{"name":"a","requestState":""}`}, ""},
		{"P15 a state alone", []string{asks("", `"1"`), done}, `{"name":"a"}`,
			[]string{`{"name":"a"}`, `{"name":"a","requestState":"1"}`}, ""},
		{"answers of the caller are replaced", []string{asks(askRoots, `"2"`), done}, `{"name":"a","inputResponses":{"x":{}},"requestState":"1"}`,
			[]string{`{"name":"a","inputResponses":{"x":{}},"requestState":"1"}`, `{"name":"a","inputResponses":{` + roots + `},"requestState":"2"}`}, ""},
		{"P24 without end", []string{asks(askRoots, "")}, `{}`, nil, "not complete after 10 rounds"},
		{"P24 without end and without questions", []string{asks("", `"s"`)}, `{}`, nil, "not complete after 10 rounds"},
		{"P24 too many questions", []string{asks(many(101), "")}, `{}`, nil, "101 questions"},
		{"P13 an undeclared capability", []string{asks(`"s":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`, "")}, `{}`, nil, "sampling"},
		{"P13 F46 an undeclared mode", []string{asks(`"s":{"method":"elicitation/create","params":{"mode":"url","url":"https://a.example","message":"a","elicitationId":"1"}}`, "")}, `{}`, nil, "elicitation.url"},
		{"P5 a method that is not a question", []string{asks(`"s":{"method":"tools/list"}`, "")}, `{}`, nil, "method not found"},
		{"P5 not a request", []string{asks(`"s":1`, "")}, `{}`, nil, "method not found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := asking(c.results...)
				session := openScript(t, eraClient(t, runtime.ClientOptions{}, answering, r26), s)
				var got wire.Raw
				err := session.Call(t.Context(), "tools/call", wire.Raw(c.params), &got)
				if c.says != "" {
					if err == nil || !strings.Contains(err.Error(), c.says) {
						t.Errorf("error %v", err)
					}
					if n := len(s.of("tools/call")); n > 11 {
						t.Errorf("%d requests", n)
					}
					return
				}
				if err != nil || got != done {
					t.Errorf("%s, %v", got, err)
				}
				if diff := cmp.Diff(c.want, sentParams(s, "tools/call")); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				ids := make(map[string]bool)
				for _, m := range s.messages() {
					ids[m.ID.String()] = true
				}
				if len(ids) != len(s.messages()) {
					t.Errorf("P18: ids %v of %s", ids, s.methods())
				}
			})
		})
	}
}

// many returns n questions.
func many(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"%d":{"method":"roots/list"}`, i))
	}
	return strings.Join(all, ",")
}

// TestRoundsFail checks that a question whose handler fails fails the request, and ends the others.
func TestRoundsFail(t *testing.T) {
	for name, refuse := range map[string]func() (wire.Appender, error){
		"an error":  func() (wire.Appender, error) { return nil, jsonrpc.Errorf(1, "not today") },
		"a panic":   func() (wire.Appender, error) { panic("not today") },
		"no result": func() (wire.Appender, error) { return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := false
				s := asking(`{"resultType":"input_required","inputRequests":{` + askName + `,` + askRoots + `}}`)
				session := openScript(t, eraClient(t, runtime.ClientOptions{}, runtime.Handlers{
					"elicitation/create": func(context.Context, *runtime.Message) (wire.Appender, error) { return refuse() },
					"roots/list": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
						<-ctx.Done()
						ended = true
						return nil, ctx.Err()
					},
				}, r26), s)
				err := session.Call(t.Context(), "tools/call", nil, nil)
				if err == nil || !strings.Contains(err.Error(), `"name"`) || !ended || len(s.of("tools/call")) != 1 {
					t.Errorf("%v, ended %t, sent %s", err, ended, s.methods())
				}
			})
		})
	}
}

// TestRoundsInParallel checks that the questions of one request do not affect another one.
func TestRoundsInParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Log("P19")
		s := modern(func(m jsonrpc.Message) []string {
			if object(m, "name") == `"plain"` {
				return resultOf(m, `{"content":[]}`)
			}
			if object(m, "requestState") == object(m, "name") {
				return resultOf(m, `{"content":[]}`)
			}
			return resultOf(m, fmt.Sprintf(`{"resultType":"input_required","requestState":%s,"inputRequests":{%s}}`, object(m, "name"), askName))
		})
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, runtime.Handlers{
			"elicitation/create": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
				time.Sleep(time.Second)
				return wire.Raw(`{"action":"decline"}`), nil
			},
		}, r26), s)
		errs := make(chan error, 20)
		for i := range 20 {
			go func() {
				name := fmt.Sprintf(`{"name":"%d"}`, i)
				if i%2 == 0 {
					name = `{"name":"plain"}`
				}
				errs <- session.Call(t.Context(), "tools/call", wire.Raw(name), nil)
			}()
		}
		for range 20 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if n := len(s.of("tools/call")); n != 30 {
			t.Errorf("%d requests", n)
		}
	})
}

// TestRoundsEnd checks that a question ends with its caller's context and with the session.
func TestRoundsEnd(t *testing.T) {
	for _, closing := range []bool{false, true} {
		t.Run(fmt.Sprint("closing ", closing), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				session := openScript(t, eraClient(t, runtime.ClientOptions{}, runtime.Handlers{
					"elicitation/create": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
						if c := runtime.CallOf(ctx); c.Method() != "elicitation/create" || c.Revision() != r26 || c.Session() != nil {
							t.Errorf("call %s %s", c.Method(), c.Revision())
						}
						<-ctx.Done()
						return nil, context.Cause(ctx)
					},
				}, r26), asking(`{"resultType":"input_required","inputRequests":{`+askName+`}}`))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if closing {
					time.AfterFunc(time.Second, func() { session.Close() })
				} else {
					time.AfterFunc(time.Second, cancel)
				}
				start := time.Now()
				err := session.Call(ctx, "tools/call", nil, nil)
				if want := map[bool]error{false: context.Canceled, true: runtime.ErrClosed}[closing]; !errors.Is(err, want) || time.Since(start) != time.Second {
					t.Errorf("%v after %v", err, time.Since(start))
				}
			})
		})
	}
}

// TestRoundsByHand checks that a program can answer questions itself, and that middleware sees them.
func TestRoundsByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const asked = `{"resultType":"input_required","requestState":"s"}`
		session := openScript(t, eraClient(t, runtime.ClientOptions{MaxRounds: -1}, answering, r26), asking(asked))
		var got wire.Raw
		if err := session.Call(t.Context(), "tools/call", nil, &got); err != nil || got != asked {
			t.Errorf("%s, %v", got, err)
		}
		var seen []string
		middleware := func(next runtime.Handler) runtime.Handler {
			return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
				result, err := next(ctx, m)
				q, _ := errors.AsType[*runtime.QuestionsError](err)
				seen = append(seen, fmt.Sprint(m.Method, " ", m.ID(), " ", m.Revision(), " ", q != nil))
				return result, err
			}
		}
		session = openScript(t, eraClient(t, runtime.ClientOptions{Sending: []runtime.Middleware{middleware}}, answering, r26), asking(asked, `{"content":[]}`))
		if err := session.Call(t.Context(), "tools/call", nil, nil); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"server/discover 1 2026-07-28 false", "tools/call 2 2026-07-28 true", "tools/call 3 2026-07-28 false"}, seen); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestNewRevisionOfServer checks that a client follows a server that changes its revisions.
func TestNewRevisionOfServer(t *testing.T) {
	const later = "2027-01-01"
	synctest.Test(t, func(t *testing.T) {
		t.Log("V2 on a request")
		speaks := r26
		s := &actor{answer: func(m jsonrpc.Message) []string {
			if object(m, "_meta", "io.modelcontextprotocol/protocolVersion") != wire.Raw(`"`+speaks+`"`) {
				return failureOf(m, -32022, `{"supported":["`+speaks+`"]}`)
			}
			if m.Method == "server/discover" {
				return resultOf(m, strings.Replace(discovered, r26, speaks, 1))
			}
			return resultOf(m, `{"tools":[]}`)
		}}
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26, later), s)
		if session.Revision() != r26 {
			t.Fatalf("revision %s", session.Revision())
		}
		speaks = later
		if err := session.Call(t.Context(), "tools/list", nil, nil); err != nil || session.Revision() != later {
			t.Errorf("%v, revision %s", err, session.Revision())
		}
		speaks = "2099-01-01"
		if err := session.Call(t.Context(), "tools/list", nil, nil); code(err) != -32022 {
			t.Errorf("no common revision: %v", err)
		}
	})
}

// TestNewRevisionUnanswered checks that a call ends with its context while another one waits for a server that has changed
// its revisions and does not say to which.
func TestNewRevisionUnanswered(t *testing.T) {
	const later = "2027-01-01"
	known := true
	s := &actor{answer: func(m jsonrpc.Message) []string {
		switch {
		case m.Method != "server/discover":
			known = false
			return failureOf(m, -32022, `{"supported":["`+later+`"]}`)
		case !known:
			return nil
		case object(m, "_meta", "io.modelcontextprotocol/protocolVersion") != `"`+r26+`"`:
			return failureOf(m, -32022, `{"supported":["`+r26+`"]}`)
		}
		return resultOf(m, discovered)
	}}
	session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26, later), s)
	first, stop := context.WithTimeout(t.Context(), 2*testkit.Limit) // in place of the timeout
	defer stop()
	go session.Call(first, "tools/list", nil, nil)
	if !testkit.Eventually(func() bool { return len(s.of("server/discover")) == 3 }) {
		t.Fatal("the first call does not ask for the revisions")
	}
	second, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- session.Call(second, "tools/list", nil, nil) }()
	if !testkit.Eventually(func() bool { return len(s.of("tools/list")) == 2 }) {
		t.Fatal("the second call is not sent")
	}
	cancel()
	select {
	case <-ended:
	case <-time.After(testkit.Limit):
		t.Error("the second call goes on")
	}
}

// TestHeaderMismatch checks that a client asks for the tools again when a server refuses the headers of a
// call, which may be of an older definition of the tool.
func TestHeaderMismatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Log("H44")
		fixed := false
		s := modern(func(m jsonrpc.Message) []string {
			switch {
			case m.Method == "tools/list" && object(m, "cursor") == "":
				return resultOf(m, `{"tools":[],"nextCursor":"2"}`)
			case m.Method == "tools/list":
				fixed = true
				return resultOf(m, `{"tools":[]}`)
			case fixed && object(m, "name") != `"never"`:
				return resultOf(m, `{"content":[]}`)
			}
			return failureOf(m, -32020, "")
		})
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), s)
		if err := session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"a"}`), nil); err != nil {
			t.Error(err)
		}
		if got := s.methods(); got != "server/discover, tools/call, tools/list, tools/list, tools/call" {
			t.Errorf("sent %s", got)
		}
		if err := session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"never"}`), nil); code(err) != -32020 {
			t.Errorf("error %v", err)
		}
	})
}
