package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
)

// cleanSession is a correct session with every feature of the revision.
func cleanSession(revision string) []string {
	clientCan, serverCan := `{"roots":{"listChanged":true},"sampling":{}}`, `{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{},"completions":{}}`
	if revision >= "2025-06-18" {
		clientCan = `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`
	}
	if revision >= "2025-11-25" {
		clientCan, serverCan = allOfClient, allOfServer
	}
	if revision < "2025-03-26" {
		serverCan = strings.Replace(serverCan, `,"completions":{}`, "", 1)
	}
	lines := append(opening(revision, clientCan, serverCan), []string{
		`s {"@id":"a","method":"ping"}`,
		`c {"@id":"a","result":{}}`,
		`c {"@id":1,"method":"tools/list"}`,
		`s {"@id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}],"nextCursor":"x"}}`,
		`c {"@id":2,"method":"tools/list","params":{"cursor":"x"}}`,
		`s {"@id":2,"result":{"tools":[{"name":"u","inputSchema":{"type":"object"}}]}}`,
		`s {"@method":"notifications/tools/list_changed"}`,
		`c {"@id":3,"method":"tools/list"}`,
		`s {"@id":3,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}`,
		`c {"@id":4,"method":"tools/call","params":{"name":"t","arguments":{"n":1},"_meta":{"progressToken":"p"}}}`,
		`s {"@method":"notifications/progress","params":{"progressToken":"p","progress":0.5,"total":1}}`,
		`s {"@id":1,"method":"roots/list"}`,
		`s {"@method":"notifications/progress","params":{"progressToken":"p","progress":1}}`,
		`c {"@id":1,"result":{"roots":[{"uri":"file:///a"}]}}`,
		`s {"@id":4,"result":{"content":[{"type":"image","data":"YWI=","mimeType":"image/png"},{"type":"resource","resource":{"uri":"a:b","blob":"YWJj"}}]}}`,
		`c {"@method":"notifications/roots/list_changed"}`,
		`s {"@id":2,"method":"roots/list"}`,
		`c {"@id":2,"result":{"roots":[]}}`,
		`c {"@id":5,"method":"tools/call","params":{"name":"nothing"}}`,
		`s {"@id":5,"error":{"code":-32602,"message":"Unknown tool"}}`,
		`c {"@id":6,"method":"tools/call","params":{"name":"t"}}`,
		`c {"@method":"notifications/cancelled","params":{"requestId":6,"reason":"enough"}}`,
		`c {"@id":7,"method":"prompts/list"}`,
		`s {"@id":7,"result":{"prompts":[{"name":"q","arguments":[{"name":"a","required":true},{"name":"b"}]}]}}`,
		`c {"@id":8,"method":"prompts/get","params":{"name":"q","arguments":{"a":"1"}}}`,
		`s {"@id":8,"result":{"messages":[{"role":"user","content":{"type":"text","text":"t"}}]}}`,
		`c {"@id":9,"method":"resources/read","params":{"uri":"a:z"}}`,
		`s {"@id":9,"error":{"code":-32002,"message":"Resource not found"}}`,
		`c {"@id":10,"method":"resources/subscribe","params":{"uri":"a:b"}}`,
		`s {"@method":"notifications/resources/updated","params":{"uri":"a:b/c"}}`,
		`s {"@id":10,"result":{}}`,
		`c {"@id":11,"method":"logging/setLevel","params":{"level":"warning"}}`,
		`s {"@id":11,"result":{}}`,
		`s {"@method":"notifications/message","params":{"level":"error","data":{"password":"***","note":"token expired"}}}`,
		`s {"@id":3,"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"t"}}]}}`,
		`c {"@id":3,"error":{"code":-1,"message":"User rejected sampling request"}}`,
	}...)
	if revision >= "2025-06-18" {
		lines = append(lines,
			`c {"@id":20,"method":"tools/list","params":{"_meta":{"com.example/a":1,"b":2}}}`,
			`s {"@id":20,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}`,
			`s {"@method":"notifications/tools/list_changed"}`,
			`c {"@id":21,"method":"tools/list"}`,
			`s {"@id":21,"result":{"tools":[{"name":"o","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"when":{"type":"string","format":"date-time"}},"required":["when"]}}]}}`,
			`c {"@id":22,"method":"tools/call","params":{"name":"o"}}`,
			`s {"@id":4,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"name":{"type":"string","title":"Token name"},"n":{"type":"integer"}},"required":["name"]}}}`,
			`c {"@id":4,"result":{"action":"accept","content":{"name":"a","n":2}}}`,
			`s {"@id":22,"result":{"content":[{"type":"text","text":"{ \"when\": \"2025-01-01T00:00:00Z\" }","annotations":{"lastModified":"2025-01-12T15:00:58Z"}}],"structuredContent":{"when":"2025-01-01T00:00:00Z"}}}`,
			`c {"@id":23,"method":"tools/call","params":{"name":"o"}}`,
			`s {"@id":23,"result":{"content":[{"type":"text","text":"it broke"}],"isError":true}}`,
		)
	}
	if revision >= "2025-11-25" {
		lines = append(lines,
			`s {"@id":5,"method":"elicitation/create","params":{"mode":"url","message":"m","elicitationId":"e","url":"https://example.com/x"}}`,
			`c {"@id":5,"result":{"action":"accept"}}`,
			`s {"@method":"notifications/elicitation/complete","params":{"elicitationId":"e"}}`,
			`s {"@method":"notifications/tools/list_changed"}`,
			`c {"@id":30,"method":"tools/list"}`, strings.Replace(listed, `@id":1`, `@id":30`, 1),
			strings.Replace(taskCall, `{}`, `{"ttl":1000}`, 1), created,
			`c {"@id":31,"method":"tasks/get","params":{"taskId":"k"}}`, `s {"@id":31,"result":{`+taskState("k", "input_required")+`}}`,
			`c {"@id":32,"method":"tasks/get","params":{"taskId":"k"}}`, `s {"@id":32,"result":{`+taskState("k", "completed")+`}}`,
			`c {"@id":33,"method":"tasks/result","params":{"taskId":"k"}}`, `s {"@id":33,"result":{"content":[],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"k"}}}}`,
			`c {"@id":34,"method":"tasks/list"}`, `s {"@id":34,"result":{"tasks":[{`+taskState("k", "completed")+`}]}}`,
			`s {"@id":6,"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"t"}},{"role":"assistant","content":[{"type":"tool_use","id":"i","name":"t","input":{}}]},{"role":"user","content":[{"type":"tool_result","toolUseId":"i","content":[]}]}],"tools":[{"name":"t","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"auto"}}}`,
			`c {"@id":6,"result":{"role":"assistant","model":"m","content":{"type":"tool_use","id":"j","name":"t","input":{}}}}`,
		)
	}
	// The requests of task calls reuse the id 3 of the session above.
	for i, line := range lines {
		if strings.Contains(line, `"name":"v"`) && strings.HasPrefix(line, "c ") || line == created {
			lines[i] = strings.Replace(line, `@id":3`, `@id":35`, 1)
		}
	}
	return lines
}

// TestClean expects no findings in correct sessions, in any form of recording.
func TestClean(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		for _, f := range judged(t, audit.Options{Undeclared: true}, cleanSession(revision)) {
			if f.Rule == "undeclared" && !strings.Contains(f.Problem, "CallToolRequestParams.task") {
				t.Errorf("%s: %s: %s", revision, f.Pointer, f.Problem)
			}
		}
		for _, form := range []string{"sides", "messages", "log"} {
			t.Run(revision+"/"+form, func(t *testing.T) {
				lines := cleanSession(revision)
				for i, line := range lines {
					switch {
					case form == "messages":
						lines[i] = "r" + line[1:]
					case form == "log" && line[0] == 'c':
						lines[i] = "r 12:00:00 INFO client -> server: " + line[2:]
					case form == "log":
						lines[i] = "r 12:00:01 INFO server -> client: " + line[2:]
					}
				}
				if form == "log" {
					lines = append([]string{"r 12:00:00 INFO starting"}, lines...)
				}
				for _, f := range judged(t, audit.Options{}, lines) {
					if f.Rule == "schema-unchecked" {
						continue
					}
					t.Errorf("line %d: %s %s at %s: %s\n%.300s", f.Place, f.Level, f.Rule, f.Pointer, f.Problem, lines[min(max(f.Place-1, 0), len(lines)-1)])
				}
			})
		}
	}
}

// TestCleanHTTP expects no findings in a correct session over Streamable HTTP, in which a
// stream is resumed, and its request is replayed and answered again.
func TestCleanHTTP(t *testing.T) {
	t.Parallel()
	const good = accept + "," + session + "," + version
	open := strings.Replace(started[2:], `"capabilities":{}`, `"capabilities":{"roots":{}}`, 1)
	lines := []string{
		post(1, accept, open), respond(1, 200, typeJSON+","+session, replied[2:]),
		post(2, good, ready[2:]), respond(2, 202, "", ""),
		post(3, good, `{"@id":1,"method":"tools/call","params":{"name":"t"}}`), respond(3, 200, typeStream, ""),
		entry("event", 3, `"event":{"id":"0"}`),
		entry("event", 3, `"event":{"id":"1"},"message":"{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"roots/list\"}"`),
		post(4, good, `{"@id":"r","result":{"roots":[]}}`), respond(4, 202, "", ""),
		entry("end", 3, session),
		entry("request", 5, `"http":{"method":"GET","path":"/mcp","headers":{"Accept":"text/event-stream","Last-Event-ID":"0",`+session+`,`+version+`}}`),
		respond(5, 200, typeStream, ""),
		entry("event", 5, `"event":{"id":"1"},"message":"{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"roots/list\"}"`),
		post(6, good, `{"@id":"r","result":{"roots":[]}}`), respond(6, 202, "", ""),
		entry("event", 5, `"event":{"id":"2"},"message":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}"`),
		entry("end", 5, session),
		entry("request", 7, `"http":{"method":"DELETE","path":"/mcp","headers":{`+session+`,`+version+`}}`), respond(7, 200, "", ""),
		post(8, good, `{"@id":2,"method":"ping"}`), respond(8, 404, "", ""),
		post(9, accept, open), respond(9, 200, typeJSON+`,"Mcp-Session-Id":"sha256:2"`, replied[2:]),
	}
	for _, f := range judged(t, audit.Options{}, lines) {
		t.Errorf("line %d: %s %s: %s", f.Place, f.Level, f.Rule, f.Problem)
	}
	ends := append(handshake(),
		post(3, good, list[2:]), respond(3, 200, typeStream, ""),
		post(4, good, `{"@method":"notifications/cancelled","params":{"requestId":1}}`), respond(4, 202, "", ""), entry("end", 3, session),
		post(5, good, strings.Replace(list[2:], `"@id":1`, `"@id":5`, 1)), respond(5, 200, typeStream, ""),
		entry("event", 5, `"event":{"id":"a"}`), strings.Replace(entry("end", 5, session), "server->client", "client->server", 1),
		entry("request", 6, `"http":{"method":"GET","path":"/mcp","headers":{"Accept":"text/event-stream","Last-Event-ID":"a",`+session+`,`+version+`}}`),
		respond(6, 200, typeStream, ""), entry("event", 6, `"event":{"id":"b"},"message":"{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"tools\":[]}}"`), entry("end", 6, session))
	for i := range ends {
		ends[i] = strings.ReplaceAll(ends[i], "2025-11-25", "2025-06-18")
	}
	for _, f := range judged(t, audit.Options{}, ends) {
		t.Errorf("streams that end, line %d: %s %s: %s", f.Place, f.Level, f.Rule, f.Problem)
	}
}

// TestFallback expects no findings about a client that finds a server of HTTP+SSE as the specification
// says: it sends initialize by POST, which the server refuses, and then opens a stream.
func TestFallback(t *testing.T) {
	t.Parallel()
	message := func(exchange int, text string) string {
		return strings.Replace(post(exchange, `"Content-Type":"application/json"`, text), "/mcp", "/message?s=1", 1)
	}
	lines := []string{
		post(1, accept, started[2:]), respond(1, 404, "", ""),
		entry("request", 2, `"http":{"method":"GET","path":"/mcp","headers":{"Accept":"text/event-stream"}}`), respond(2, 200, typeStream, ""),
		entry("event", 2, `"event":{"type":"endpoint"},"message":"/message?s=1"`),
		message(3, started[2:]), respond(3, 202, "", ""),
		strings.ReplaceAll(entry("event", 2, `"event":{"type":"message"},"message":`+replied[2:]), `{"@`, `{"jsonrpc":"2.0","`),
		message(4, ready[2:]), respond(4, 202, "", ""),
	}
	for _, f := range judged(t, audit.Options{}, lines) {
		t.Errorf("line %d: %s %s: %s", f.Place, f.Level, f.Rule, f.Problem)
	}
}

// TestBrokenRequest expects no findings about a server that answers an invalid request.
func TestBrokenRequest(t *testing.T) {
	lines := append(opening("2025-11-25", allOfClient, allOfServer),
		`c {"@id":1,"method":"tools/list","params":null}`, `s {"@id":1,"error":{"code":-32602,"message":"m"}}`,
		`c {"@id":2,"method":"tools/call","params":{"name":"t","name":"u"}}`, `s {"@id":2,"result":{"content":[]}}`,
	)
	found := 0
	for _, f := range judged(t, audit.Options{}, lines) {
		found++
		if f.Rule != "schema" || f.From != client {
			t.Errorf("line %d: %s of the %s: %s", f.Place, f.Rule, f.From, f.Problem)
		}
	}
	if found != 2 {
		t.Errorf("%d findings", found)
	}
}

// TestProbe expects no findings about a client that first asks for revisions without a handshake, and sends
// initialize as well if the server is slow.
func TestProbe(t *testing.T) {
	const (
		probe   = `c {"@id":"probe","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
		unknown = `s {"@id":"probe","error":{"code":-32601,"message":"m"}}`
	)
	late := strings.Replace(result(1, discovery), `"@id":1`, `"@id":"probe"`, 1)
	refusal := failure(0, -32022, `,"data":{"supported":["2026-07-28"],"requested":"2025-11-25"}`)
	for name, lines := range map[string][]string{
		"a server with sessions":         {probe, unknown, started, replied, ready},
		"a slow server with sessions":    {probe, started, unknown, replied, ready},
		"a slow server without sessions": {probe, started, late, refusal, request(2, "tools/list", ""), result(2, `"tools":[],`+cacheable)},
	} {
		for _, f := range judged(t, audit.Options{}, lines) {
			if f.Level != audit.Note {
				t.Errorf("%s: line %d: %s %s: %s", name, f.Place, f.Level, f.Rule, f.Problem)
			}
		}
	}
}

// TestWithoutInitialize checks a session without initialize as far as possible.
func TestWithoutInitialize(t *testing.T) {
	t.Parallel()
	lines := []string{
		`s {"@id":7,"result":{}}`, // answers a request from before the recording
		`s {"@method":"notifications/progress","params":{"progressToken":"p","progress":1}}`,
		`c {"@id":8,"method":"tools/list"}`, `s {"@id":8,"result":{"tools":7}}`, `s {"@id":8,"result":{"tools":[]}}`,
		`c {"@id":8,"method":"ping"}`, `s {"@id":8,"result":{}}`,
	}
	var got []string
	for _, f := range judged(t, audit.Options{}, lines) {
		if f.Level != audit.Note {
			got = append(got, fmt.Sprint(f.Place, " ", f.Rule))
		}
	}
	if want := "[4 schema 5 response-unknown-id 6 id-reused]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestSameIDs expects no findings when both sides use the same ids at once and the senders are
// unknown: the result shows which request it answers, although any result matches a ping.
func TestSameIDs(t *testing.T) {
	lines := []string{
		`r {"@id":1,"method":"ping"}`, `r {"@id":1,"method":"roots/list"}`, `r {"@id":1,"result":{"roots":[]}}`, `r {"@id":1,"result":{}}`,
		`r {"@id":2,"method":"roots/list"}`, `r {"@id":2,"method":"ping"}`, `r {"@id":2,"result":{}}`, `r {"@id":2,"result":{"roots":[]}}`,
	}
	for i, line := range opening("2025-11-25", allOfClient, allOfServer) {
		lines = slices.Insert(lines, i, "r"+line[1:])
	}
	for _, f := range judged(t, audit.Options{}, lines) {
		t.Errorf("line %d: %s %s: %s", f.Place, f.Level, f.Rule, f.Problem)
	}
}

// TestPassed expects a note if a side could not have seen the last message of the other side,
// and a finding if it could.
func TestPassed(t *testing.T) {
	t.Parallel()
	at := func(milliseconds int, direction, message string) string {
		return fmt.Sprintf(`r {"time":"2026-01-01T12:00:00.%03dZ","kind":"message","direction":"%s","transport":"stdio","message":%s}`, milliseconds, direction, message)
	}
	const toServer, toClient, cancel = "client->server", "server->client", `{"@method":"notifications/cancelled","params":{"requestId":1}}`
	for _, test := range []struct {
		gap  int
		want audit.Rule
	}{{20, "crossed"}, {500, "cancel-completed"}, {0, "cancel-completed"}} {
		ask, end := at(100, toServer, list[2:]), at(200, toClient, listed[2:])
		t.Run(fmt.Sprint(test.gap), func(t *testing.T) {
			lines := opening("2025-11-25", allOfClient, allOfServer)
			wantRules(t, append(slices.Clip(lines), ask, end, at(200+test.gap, toServer, cancel)), test.want)
			answered := map[audit.Rule]audit.Rule{"crossed": "crossed", "cancel-completed": "cancel-answered"}[test.want]
			wantRules(t, append(slices.Clip(lines), ask, at(200, toServer, cancel), strings.Replace(end, "00.200Z", fmt.Sprintf("00.%03dZ", 200+test.gap), 1)), answered)
		})
	}
}

// TestAnswerAfterCancel expects no more than a note for an answer after a cancellation, however
// late: a receiver may be unable to cancel a request.
func TestAnswerAfterCancel(t *testing.T) {
	t.Parallel()
	stateless := []string{request(1, "tools/call", `"name":"t"`), `c {"@method":"notifications/cancelled","params":{"requestId":1}}`, result(1, complete+`,"content":[]`)}
	session := append(opening("2025-11-25", allOfClient, allOfServer), list, `c {"@method":"notifications/cancelled","params":{"requestId":1}}`, listed)
	for _, lines := range [][]string{stateless, session} {
		for _, f := range judged(t, audit.Options{}, lines) {
			if f.Level != audit.Note {
				t.Errorf("%s %s: %s", f.Level, f.Rule, f.Problem)
			}
		}
	}
}

func wantRules(t *testing.T, lines []string, want ...audit.Rule) {
	t.Helper()
	var got []audit.Rule
	for _, f := range judged(t, audit.Options{}, lines) {
		got = append(got, f.Rule)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestReservedKeys expects notes for keys that later revisions define and for keys that may
// belong to an extension.
func TestReservedKeys(t *testing.T) {
	for _, test := range []struct{ client, key string }{
		{allOfClient, "io.modelcontextprotocol/protocolVersion"},
		{`{"extensions":{"io.modelcontextprotocol/ui":{}}}`, "io.modelcontextprotocol/ui"},
	} {
		for _, f := range judged(t, audit.Options{}, append(opening("2025-11-25", test.client, allOfServer), `c {"@id":1,"method":"ping","params":{"_meta":{"`+test.key+`":"x"}}}`, `s {"@id":1,"result":{}}`)) {
			if f.Level != audit.Note {
				t.Errorf("%s: %s %s: %s", test.key, f.Level, f.Rule, f.Problem)
			}
		}
	}
}

// TestVersionForm expects versions to be compared only if they are dates.
func TestVersionForm(t *testing.T) {
	lines := []string{strings.Replace(started, "2025-11-25", "1.0", 1), replied, ready}
	wantRules(t, lines, "version-form")
}

// TestCleanStateless expects no findings in a correct recording without a session, alone and
// beside a session on the same connection (V13).
func TestCleanStateless(t *testing.T) {
	t.Parallel()
	both := append(cleanStateless(), cleanSession("2025-11-25")...)
	for i, line := range both[:len(cleanStateless())] { // the session may not use the ids again
		both[i] = strings.NewReplacer(`@id":"`, `@id":"`, `subscriptionId":"`, `subscriptionId":"`, `@id":`, `@id":1000`, `subscriptionId":`, `subscriptionId":1000`, `requestId":`, `requestId":1000`).Replace(line)
	}
	for _, test := range []struct {
		name  string
		lines []string
	}{{"alone", cleanStateless()}, {"beside a session", both}} {
		for _, form := range []string{"sides", "messages"} {
			t.Run(test.name+"/"+form, func(t *testing.T) {
				lines := slices.Clone(test.lines)
				for i, line := range lines {
					if form == "messages" {
						lines[i] = "r" + line[1:]
					}
				}
				for _, f := range judged(t, audit.Options{}, lines) {
					if f.Rule == "schema-unchecked" || f.Rule == "revision-unknown" {
						continue
					}
					t.Errorf("line %d: %s %s at %s: %s\n%.300s", f.Place, f.Level, f.Rule, f.Pointer, f.Problem, lines[min(max(f.Place-1, 0), len(lines)-1)])
				}
			})
		}
	}
}

// TestChangeBeforeSubscription expects no findings about a list that changes while no client listens.
func TestChangeBeforeSubscription(t *testing.T) {
	const asked = `"notifications":{"toolsListChanged":true}`
	lines := slices.Concat(
		[]string{request(1, "server/discover", ""), result(1, discovery)}, listing(2, "a"), listing(3, "b"),
		[]string{request(4, "subscriptions/listen", asked), told(4, "subscriptions/acknowledged", asked)}, listing(5, "c"),
		[]string{result(4, complete+`,"_meta":{"io.modelcontextprotocol/subscriptionId":4}`)}, listing(6, "d"),
		[]string{request(7, "subscriptions/listen", asked), told(7, "subscriptions/acknowledged", asked)}, listing(8, "d"),
		[]string{`c {"@method":"notifications/cancelled","params":{"requestId":7}}`}, listing(9, "e"))
	wantRules(t, lines)
}

// TestUnreadRequest expects no error about the answer to a request that was not read.
func TestUnreadRequest(t *testing.T) {
	lines := append(handshake(),
		entry("request", 3, `"http":{"method":"POST","path":"/mcp","headers":{`+accept+`,`+session+`,`+version+`}},"unread":"compressed"`),
		respond(3, 200, typeJSON, `{"@id":1,"result":{"tools":[]}}`))
	for _, f := range judged(t, audit.Options{}, lines) {
		if f.Rule != "unjudged" {
			t.Errorf("line %d: %s %s: %s", f.Place, f.Level, f.Rule, f.Problem)
		}
	}
}
