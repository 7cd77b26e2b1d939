package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestEnvelope checks what requests say about the client.
func TestEnvelope(t *testing.T) {
	const (
		terms    = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}}`
		identity = `,"io.modelcontextprotocol/clientInfo":{"name":"test","title":"A test","version":"1"}`
	)
	roots := runtime.ClientOptions{Title: "A test", Capabilities: wire.Raw(`{"roots":{}}`)}
	for _, c := range []struct {
		name   string
		opts   runtime.ClientOptions
		params wire.Appender
		want   string
	}{
		{"B33 B34 no params", roots, nil, `{"_meta":{` + terms + identity + `}}`},
		{"B33 B34 params without _meta", roots, wire.Raw(`{"name":"a"}`), `{"name":"a","_meta":{` + terms + identity + `}}`},
		{"B33 params with _meta", roots, wire.Raw(`{"_meta":{"traceparent":"00-1-2-01","com.example/a":[1]},"name":"a"}`),
			`{"name":"a","_meta":{` + terms + identity + `,"traceparent":"00-1-2-01","com.example/a":[1]}}`},
		{"B33 params that contradict the connection", roots, wire.Raw(`{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01","io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}`),
			`{"_meta":{` + terms + identity + `}}`},
		{"B33 the word _meta in an argument", roots, wire.Raw(`{"name":"_meta","\u005fmeta":{"a":1}}`), `{"name":"_meta","_meta":{` + terms + identity + `,"a":1}}`},
		{"a generated type", roots, &mcp20260728.CallToolRequestParams{Name: "a"}, `{"name":"a","_meta":{` + terms + identity + `}}`},
		{"a log level of the request", roots, wire.Raw(`{"_meta":{"io.modelcontextprotocol/logLevel":"error"}}`),
			`{"_meta":{` + terms + identity + `,"io.modelcontextprotocol/logLevel":"error"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := modern(func(m jsonrpc.Message) []string { return resultOf(m, `{"content":[]}`) })
				session := openScript(t, eraClient(t, c.opts, nil, r26), s)
				if err := session.Call(t.Context(), "tools/call", c.params, nil); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, string(s.of("tools/call")[0].Params)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if got := s.of("server/discover")[0].Params; got != `{"_meta":{`+terms+identity+`}}` {
					t.Errorf("server/discover: %s", got)
				}
			})
		})
	}
	t.Run("B34 a client without a name", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := modern(nil)
			openScript(t, runtime.NewClient(runtime.ClientOptions{}, runtime.Handlers{}.Bind(r26, mcp20260728.Methods)), s)
			if got := s.of("server/discover")[0].Params; strings.Contains(string(got), "clientInfo") {
				t.Errorf("%s", got)
			}
		})
	})
}

// TestStatelessSession checks what a session says about a server without sessions.
func TestStatelessSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modern(nil)
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26, r25), s)
		got := []string{session.Revision(), string(session.ServerInfo()), session.Instructions()}
		if diff := cmp.Diff([]string{r26, `{"name":"scripted","version":"7"}`, "go"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if !runtime.Declares(session.ServerCapabilities(), "resources.subscribe") {
			t.Errorf("capabilities %s", session.ServerCapabilities())
		}
		err := session.Call(t.Context(), "completion/complete", nil, nil)
		if e, ok := errors.AsType[*runtime.CapabilityError](err); !ok || e.Capability != "completions" {
			t.Errorf("an undeclared capability: %v", err)
		}
		err = session.Call(t.Context(), "roots/list", nil, nil)
		if _, ok := errors.AsType[*runtime.MethodError](err); !ok {
			t.Errorf("a request of servers: %v", err)
		}
		if err := session.Ping(t.Context()); err != nil || len(s.of("server/discover")) != 2 {
			t.Errorf("ping: %v, sent %s", err, s.methods())
		}
	})
}

// TestResultType checks which results a client takes.
func TestResultType(t *testing.T) {
	for _, c := range []struct{ name, method, result, says string }{
		{"B9 absent", "tools/call", `{"content":[]}`, ""},
		{"B9 absent in a list", "tools/list", `{"tools":[]}`, ""},
		{"complete", "tools/call", `{"resultType":"complete","content":[]}`, ""},
		{"B8 unknown", "tools/call", `{"resultType":"task","content":[],"taskId":"1"}`, `unknown resultType "task"`},
		{"B8 not a string", "tools/call", `{"resultType":1,"content":[]}`, "unknown resultType 1"},
		{"B8 null", "tools/call", `{"resultType":null,"content":[]}`, "unknown resultType null"},
		{"P3 input_required where no input may be asked for", "tools/list", `{"resultType":"input_required","tools":[],"requestState":"x"}`, `unknown resultType "input_required"`},
		{"P12 neither requests nor state", "tools/call", `{"resultType":"input_required"}`, "neither"},
	} {
		for _, discard := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, discarded %t", c.name, discard), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := modern(func(m jsonrpc.Message) []string { return resultOf(m, c.result) })
					session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), s)
					var got wire.Value = new(wire.Raw)
					if discard {
						got = nil
					}
					err := session.Call(t.Context(), c.method, nil, got)
					if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
						t.Errorf("error %v", err)
					}
				})
			})
		}
	}
}

// TestOwnResultType checks that a client takes a result of a type that the revision gives to the method.
func TestOwnResultType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		methods := slices.Clone(mcp20260728.Methods)
		i := slices.IndexFunc(methods, func(m runtime.Method) bool { return m.Name == "tools/call" })
		methods[i].ResultTypes = []string{"deferred"}
		client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1", Logger: slog.New(slog.DiscardHandler)},
			runtime.Binding{Revision: r26, Direction: runtime.ToClient, Methods: methods, Handle: runtime.Handlers{}.Bind(r26, methods).Handle})
		session := openScript(t, client, modern(func(m jsonrpc.Message) []string { return resultOf(m, `{"resultType":"deferred","tools":[]}`) }))
		var got wire.Raw
		if err := session.Call(t.Context(), "tools/call", nil, &got); err != nil || got != `{"resultType":"deferred","tools":[]}` {
			t.Errorf("got %s, %v", got, err)
		}
		if err := session.Call(t.Context(), "tools/list", nil, &got); err == nil {
			t.Error("accepted as the result of another method")
		}
	})
}

// TestNoResponses checks that a client without a session responds to nothing that the server sends.
func TestNoResponses(t *testing.T) {
	for name, text := range map[string]string{
		"S5 a request":           `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"S5 a question":          `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"object","properties":{}}}}`,
		"S5 an unknown method":   `{"jsonrpc":"2.0","id":1,"method":"x"}`,
		"S5 an invalid request":  `{"jsonrpc":"2.0","id":1,"method":"x","params":[]}`,
		"S5 a request of length": `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"` + strings.Repeat("a", 1<<20) + `"}}`,
		"S5 a batch":             `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		"S5 not a message":       `{"id":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := modern(func(m jsonrpc.Message) []string { return append([]string{text}, resultOf(m, `{"tools":[]}`)...) })
				session := openScript(t, eraClient(t, runtime.ClientOptions{Limits: runtime.Limits{MaxMessage: 1 << 20}}, runtime.Handlers{
					"elicitation/create": func(context.Context, *runtime.Message) (wire.Appender, error) {
						t.Error("the handler was called")
						return wire.Raw(`{"action":"cancel"}`), nil
					},
				}, r26, r25), s)
				if err := session.Call(t.Context(), "tools/list", nil, nil); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				if got := s.methods(); got != "server/discover, tools/list" {
					t.Errorf("sent %s", got)
				}
			})
		})
	}
}

// TestCancelStateless checks that a request is cancelled by a notification over a transport with one
// stream, and that its late answer is ignored.
func TestCancelStateless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Log("S9 P41")
		var late jsonrpc.Message
		s := modern(func(m jsonrpc.Message) []string {
			late = m
			return nil
		})
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), s)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := session.Call(ctx, "tools/call", wire.Raw(`{"name":"a"}`), nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		synctest.Wait()
		cancelled := s.of("notifications/cancelled")
		if len(cancelled) != 1 || object(cancelled[0], "requestId") != wire.Raw(late.ID.String()) || object(cancelled[0], "_meta") != "" {
			t.Fatalf("cancellations %v", cancelled)
		}
		s.send(resultOf(late, `{"content":[]}`)[0])
		if err := session.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestProgressStateless checks that progress and log messages of a request arrive.
func TestProgressStateless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modern(func(m jsonrpc.Message) []string {
			token := object(m, "_meta", "progressToken")
			return append([]string{
				fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, token),
				fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":2,"total":2}}`, token),
			}, resultOf(m, `{"content":[]}`)...)
		})
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), s)
		var mu sync.Mutex
		var got []float64
		ctx := runtime.WithProgress(t.Context(), func(p runtime.Progress) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, p.Progress)
		})
		if err := session.Call(ctx, "tools/call", wire.Raw(`{"name":"a"}`), nil); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if diff := cmp.Diff([]float64{1, 2}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
