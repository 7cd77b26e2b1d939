package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// legacy returns an actor of a server with sessions, which responds to a request before initialize with
// early.
func legacy(early func(m jsonrpc.Message) []string) *actor {
	return &actor{answer: func(m jsonrpc.Message) []string {
		switch {
		case m.Method == "initialize":
			return resultOf(m, greeted)
		case m.Kind != jsonrpc.Request:
			return nil
		case m.Method == "server/discover":
			return early(m)
		}
		return resultOf(m, `{}`)
	}}
}

func refusing(code int, data string) func(jsonrpc.Message) []string {
	return func(m jsonrpc.Message) []string { return failureOf(m, code, data) }
}

// TestEraOfServer checks which era a client finds, for the kinds of clients and servers.
func TestEraOfServer(t *testing.T) {
	silent := func(jsonrpc.Message) []string { return nil }
	both := func() *actor {
		s := modern(nil)
		discover := s.answer
		s.answer = func(m jsonrpc.Message) []string {
			if m.Method == "initialize" {
				return resultOf(m, greeted)
			}
			return discover(m)
		}
		return s
	}
	for _, c := range []struct {
		name   string
		server *actor
		client []string // revisions
		want   string   // revision, or part of the error
		sent   string   // methods
	}{
		{"V18 client and server without sessions", modern(nil), []string{r26}, r26, "server/discover"},
		{"V17 V19 S22 a client without sessions and a server with", legacy(refusing(-32601, "")), []string{r26}, "does not seem to speak 2026-07-28", "server/discover"},
		{"V20 both eras and a server without sessions", modern(nil), []string{r26, r25}, r26, "server/discover"},
		{"V21 S17 both eras and a server with sessions", legacy(refusing(-32601, "")), []string{r26, r25}, r25, "server/discover, initialize, notifications/initialized"},
		{"V22 a client with sessions and a server without", modern(nil), []string{r25}, "-32022", "initialize"},
		{"V23 a client with sessions and a server of both eras", both(), []string{r25}, r25, "initialize, notifications/initialized"},
		{"V24 client and server with sessions", legacy(silent), []string{r25}, r25, "initialize, notifications/initialized"},
		{"both eras on both sides", both(), []string{r26, r25}, r26, "server/discover"},

		{"S21 -32602", legacy(refusing(-32602, "")), []string{r26, r25}, r25, "server/discover, initialize, notifications/initialized"},
		{"S21 -32600", legacy(refusing(-32600, "")), []string{r26, r25}, r25, "server/discover, initialize, notifications/initialized"},
		{"S21 -32002", legacy(refusing(-32002, "")), []string{r26, r25}, r25, "server/discover, initialize, notifications/initialized"},
		{"S21 -32603", legacy(refusing(-32603, "")), []string{r26, r25}, r25, "server/discover, initialize, notifications/initialized"},
		{"S21 -32022 with a meaning of its own", legacy(refusing(-32022, `"x"`)), []string{r26, r25}, r25, "server/discover, initialize, notifications/initialized"},
		{"S21 -32021 with a meaning of its own", legacy(refusing(-32021, "")), []string{r26, r25}, r25, "server/discover, initialize, notifications/initialized"},
		{"S20 no answer", legacy(silent), []string{r26, r25}, r25, "server/discover, initialize, notifications/initialized"},
		{"S20 a result that is not one", legacy(func(m jsonrpc.Message) []string { return resultOf(m, `{}`) }), []string{r26, r25}, r25, "server/discover, initialize, notifications/initialized"},

		{"S19 V14 a revision that the client does not have", legacy(refusing(-32022, `{"supported":["2030-01-01"],"requested":"2026-07-28"}`)), []string{r26, r25}, "2030-01-01", "server/discover"},
		{"S19 V14 a capability is missing", legacy(refusing(-32021, `{"requiredCapabilities":{"roots":{}}}`)), []string{r26, r25}, "-32021", "server/discover"},
		{"S19 V14 a header differs", legacy(refusing(-32020, "")), []string{r26, r25}, "-32020", "server/discover"},
		{"S19 the only common revision has sessions", legacy(refusing(-32022, `{"supported":["2025-11-25","2024-11-05"]}`)), []string{r26, r25}, r25, "server/discover, initialize, notifications/initialized"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				session, err := eraClient(t, runtime.ClientOptions{}, nil, c.client...).Connect(t.Context(), c.server.serve())
				got := ""
				if err != nil {
					got = err.Error()
				} else {
					got = session.Revision()
					defer session.Close()
				}
				synctest.Wait()
				if sent := c.server.methods(); !strings.Contains(got, c.want) || sent != c.sent {
					t.Errorf("%s, sent %s", got, sent)
				}
			})
		})
	}
}

// TestRevisionOfServer checks that the client uses the newest revision that both sides speak.
func TestRevisionOfServer(t *testing.T) {
	const later, latest = "2027-01-01", "2028-01-01"
	for _, c := range []struct {
		name      string
		client    []string
		supported string // by the server, which refuses others
		want      string
		asked     string // revisions of the requests
	}{
		{"V2 S18 the newest", []string{r26, later}, `["2026-07-28","2027-01-01","2028-01-01"]`, later, later},
		{"V2 V5 S18 an older one", []string{r26, later, r25}, `["2026-07-28","2025-11-25"]`, r26, later + " " + r26},
		{"V2 none", []string{later, latest}, `["2026-07-28"]`, "", latest},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked []string
				s := &actor{answer: func(m jsonrpc.Message) []string {
					revision, _ := object(m, "_meta", "io.modelcontextprotocol/protocolVersion").Str()
					asked = append(asked, revision)
					if !strings.Contains(c.supported, revision) {
						return failureOf(m, -32022, `{"supported":`+c.supported+`,"requested":"`+revision+`"}`)
					}
					return resultOf(m, strings.Replace(discovered, `["2026-07-28"]`, c.supported, 1))
				}}
				session, err := eraClient(t, runtime.ClientOptions{}, nil, c.client...).Connect(t.Context(), s.serve())
				if c.want == "" {
					if _, ok := errors.AsType[*runtime.VersionError](err); !ok {
						t.Errorf("error %v", err)
					}
				} else if err != nil || session.Revision() != c.want {
					t.Errorf("%v, %v", session, err)
				}
				if got := strings.Join(asked, " "); got != c.asked {
					t.Errorf("asked under %s", got)
				}
				if session != nil {
					session.Close()
				}
			})
		})
	}
}

// TestSlowServer checks that a server that starts slowly is found to be what it is.
func TestSlowServer(t *testing.T) {
	for _, c := range []struct {
		name    string
		start   time.Duration
		between time.Duration // the answers
		order   func(discover, initialize []string) [][]string
		want    string
	}{
		{"S20 in order", 2 * waits.Probe, time.Millisecond, func(d, i []string) [][]string { return [][]string{d, i} }, r26},
		{"S20 in another order", 2 * waits.Probe, time.Millisecond, func(d, i []string) [][]string { return [][]string{i, d} }, r26},
		{"S20 long after the refusal", 2 * waits.Probe, 2 * waits.Probe, func(d, i []string) [][]string { return [][]string{i, d} }, r26},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := modern(nil)
				answer := slow.answer
				var first []string
				slow.answer = func(m jsonrpc.Message) []string {
					switch m.Method {
					case "server/discover":
						first = answer(m)
						return nil
					case "initialize":
						go func() {
							time.Sleep(c.start)
							for _, texts := range c.order(first, answer(m)) {
								time.Sleep(c.between)
								slow.send(texts[0])
							}
						}()
					}
					return nil
				}
				session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26, r25), slow)
				if got := session.Revision(); got != c.want {
					t.Errorf("revision %s", got)
				}
				if got := slow.methods(); got != "server/discover, initialize" {
					t.Errorf("sent %s", got)
				}
			})
		})
	}
}

// TestEraOfSilence checks that a revision which a client has found because a server was silent is not
// remembered, and that a client waits for an answer where no server can be silent.
func TestEraOfSilence(t *testing.T) {
	silent := func(jsonrpc.Message) []string { return nil }
	for _, c := range []struct {
		name    string
		server  *actor
		timeout time.Duration // of requests
		kept    string
	}{
		{"an answer", legacy(refusing(-32601, "")), 0, r25},
		{"silence", legacy(silent), 0, ""},
		{"silence until the end of the request", legacy(silent), time.Second, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var eras runtime.Eras
				session := openScript(t, eraClient(t, runtime.ClientOptions{Eras: &eras, Limits: runtime.Limits{Timeout: c.timeout}}, nil, r26, r25), c.server)
				if got := eras.Get("actor"); got != c.kept || session.Revision() != r25 {
					t.Errorf("%q is remembered, the session has %s", got, session.Revision())
				}
			})
		})
	}
	t.Run("no silence", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := modern(nil)
			answer := s.answer
			s.answer = func(m jsonrpc.Message) []string {
				time.Sleep(10 * waits.Probe)
				return answer(m)
			}
			session, err := eraClient(t, runtime.ClientOptions{}, nil, r26, r25).Connect(t.Context(), s.serve().Transport)
			if err != nil || s.methods() != "server/discover" {
				t.Fatalf("%v, sent %s", err, s.methods())
			}
			session.Close()
		})
	})
}

// TestFallsForward checks that a server which refuses initialize with a list of revisions gets a revision of
// that list, although it has answered server/discover as if it did not know it.
func TestFallsForward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modern(nil)
		answer := s.answer
		s.answer = func(m jsonrpc.Message) []string {
			if len(s.messages()) == 1 {
				return failureOf(m, -32601, "")
			}
			return answer(m)
		}
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26, r25), s)
		if got := s.methods(); session.Revision() != r26 || got != "server/discover, initialize, server/discover" {
			t.Errorf("%s, sent %s", session.Revision(), got)
		}
	})
}

// TestOpeningEnds checks that the end of the context ends the probe, without a session.
func TestOpeningEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := legacy(func(jsonrpc.Message) []string { return nil })
		ctx, cancel := context.WithTimeout(t.Context(), waits.Probe/2)
		defer cancel()
		start := time.Now()
		_, err := eraClient(t, runtime.ClientOptions{}, nil, r26, r25).Connect(ctx, s.serve())
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != waits.Probe/2 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if got := s.methods(); got != "server/discover" {
			t.Errorf("sent %s", got)
		}
	})
}

// TestErasTogether checks that this package's clients and servers find the newest revision that both
// speak, over both kinds of transports.
func TestErasTogether(t *testing.T) {
	const fails = ""
	want := map[[2]string]string{
		{"new", "new"}: r26, {"new", "old"}: fails, {"new", "both"}: r26,
		{"old", "new"}: fails, {"old", "old"}: r25, {"old", "both"}: r25,
		{"both", "new"}: r26, {"both", "old"}: r25, {"both", "both"}: r26,
	}
	speaks := map[string][]string{"new": {r26}, "old": {r25}, "both": {r26, r25}}
	row := map[[2]string]string{
		{"new", "new"}: "V18", {"new", "old"}: "V19", {"both", "new"}: "V20", {"both", "old"}: "V21",
		{"old", "new"}: "V16 V22", {"old", "both"}: "V23", {"old", "old"}: "V24",
	}
	for kinds, revision := range want {
		for _, lines := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s a %s client and a %s server, lines %t", row[kinds], kinds[0], kinds[1], lines), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var bindings []runtime.Binding
					for _, r := range speaks[kinds[1]] {
						methods := map[string][]runtime.Method{r26: mcp20260728.Methods, r25: mcp20251125.Methods}[r]
						b := tools.bind(r, runtime.ToServer)
						b.Methods = methods
						bindings = append(bindings, b)
					}
					server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(`{"tools":{}}`)}, bindings...)
					ended := make(chan error, 1)
					var ours, theirs runtime.Transport = inproc.Pair()
					if lines {
						inR, inW := io.Pipe()
						outR, outW := io.Pipe()
						ours, theirs = &stdio.Transport{In: outR, Out: inW}, &stdio.Transport{In: inR, Out: outW}
					}
					go func() { ended <- server.Serve(context.Background(), theirs) }()
					session, err := eraClient(t, runtime.ClientOptions{}, nil, speaks[kinds[0]]...).Connect(t.Context(), ours)
					if revision == fails {
						if err == nil {
							t.Error("no error")
						} else if kinds[0] == "old" && !strings.Contains(err.Error(), r26) {
							t.Errorf("the error names no revision: %v", err)
						}
						<-ended
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					var got wire.Raw
					if err := session.Call(t.Context(), "tools/call", &toolParams{Name: "echo", Arguments: `{"content":[]}`}, &got); err != nil || session.Revision() != revision {
						t.Errorf("%s, %v in %s", got, err, session.Revision())
					}
					session.Close()
					<-ended
				})
			})
		}
	}
}

// TestGreetingsOfOtherMessages checks that each greeting has only members of its own: members of another one that it
// has too are unknown to it, whatever they are.
func TestGreetingsOfOtherMessages(t *testing.T) {
	const named = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"other","version":"2"}}`
	for _, row := range []struct {
		revision, result, want string
	}{
		{r25, strings.Replace(greeted, "{", `{"supportedVersions":null,"clientInfo":7,`+named+",", 1), `{"name":"old","version":"1"}`},
		{r25, strings.TrimSuffix(greeted, "}") + `,"supportedVersions":[1],"clientInfo":"c",` + named + `}`, `{"name":"old","version":"1"}`},
		{r26, strings.Replace(discovered, "{", `{"protocolVersion":1,"serverInfo":"s","clientInfo":null,`, 1), `{"name":"scripted","version":"7"}`},
		{r26, strings.TrimSuffix(discovered, "}") + `,"serverInfo":{"name":"other"}}`, `{"name":"scripted","version":"7"}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &actor{answer: func(m jsonrpc.Message) []string { return resultOf(m, row.result) }}
			session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, row.revision), s)
			if got := string(session.ServerInfo()); got != row.want || session.Revision() != row.revision {
				t.Errorf("%s: the server is %s of %s", row.result, got, session.Revision())
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		name := ""
		server := newServer(t, tools.with(side{"echo": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			name = string(runtime.CallOf(ctx).PeerInfo())
			return wire.Raw(`{}`), nil
		}}), runtime.ServerOptions{}, r06)
		conn := dial(t.Context(), t, server)
		hello := fmt.Sprintf(initialize, r06)
		conn.send(strings.Replace(hello, `"params":{`, `"params":{"serverInfo":"s","supportedVersions":{},`+named+",", 1), toolCall("1", "echo", "{}"))
		if got := conn.replies(); len(got) != 2 || strings.Contains(got[0], `"error"`) || name != `{"name":"test","version":"1"}` {
			t.Errorf("got %s from a client that is %s", got, name)
		}
		conn.hangUp()
	})
}

// TestSlowProbe checks that a client waits for its middleware when the server has answered the probe after all.
func TestSlowProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := modern(nil)
		answer := slow.answer
		var first []string
		slow.answer = func(m jsonrpc.Message) []string {
			switch m.Method {
			case "server/discover":
				first = answer(m)
				return nil
			case "initialize":
				return append(first, resultOf(m, greeted)...)
			}
			return nil
		}
		patient := func(next runtime.Handler) runtime.Handler {
			return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
				result, err := next(ctx, m)
				if m.Method == "server/discover" {
					time.Sleep(2 * waits.Probe)
				}
				return result, err
			}
		}
		session := openScript(t, eraClient(t, runtime.ClientOptions{Sending: []runtime.Middleware{patient}}, nil, r26, r25), slow)
		if got := session.Revision(); got != r26 {
			t.Errorf("revision %s", got)
		}
	})
}
