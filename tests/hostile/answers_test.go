package hostile

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const (
	r2024 = "2024-11-05"
	r03   = "2025-03-26"
	r11   = "2025-11-25"
)

// request returns a request with the id 1.
func request(method, params string) string { return requestAs("1", method, params) }

func requestAs(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

const greeting = `{"name":"greet"}`

// rows are messages that a peer may send by mistake or on purpose, with the answers of a
// correct server.
var rows = []struct {
	name     string
	revision string // r11 if ""
	fresh    bool   // sent before the handshake
	send     string

	status int    // over HTTP; 200 if 0
	code   int    // the code of the error in the answer
	id     string // the id of the answer, "1" if ""; "null" also allows no id if the schema does
	want   string // a part of the answer
	lacks  []string
	quiet  bool // no answer over stdio; over HTTP the status and code apply
}{
	{name: "bytes after the message", send: request("tools/call", greeting) + " xyz", status: 400, code: -32700, id: "null"},
	{name: "method in another case", send: `{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":` + greeting + `}`, code: -32600},
	{name: "name in another case", send: request("tools/call", `{"NAME":"greet"}`), code: -32602},
	{name: "method twice", send: `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":` + greeting + `}`, code: -32600},
	{name: "name twice", send: request("tools/call", `{"name":"count","name":"greet"}`), code: -32600},
	{name: "an argument twice", send: request("tools/call", `{"name":"count","arguments":{"to":1,"to":2}}`), code: -32600},
	{name: "an argument twice, once escaped", send: request("tools/call", `{"name":"count","arguments":{"to":1,"\u0074o":2}}`), code: -32600},
	{name: "id 1.5", send: requestAs("1.5", "ping", "{}"), status: 400, code: -32600, id: "null"},
	{name: "id 1e400", send: requestAs("1e400", "ping", "{}"), status: 400, code: -32600, id: "null"},
	{name: "id of 2 KB", send: requestAs(`"`+strings.Repeat("x", 2048)+`"`, "ping", "{}"), status: 400, code: -32600, id: "null"},
	{name: "progress token of 2 KB", send: request("tools/call", `{"name":"greet","_meta":{"progressToken":"`+strings.Repeat("x", 2048)+`"}}`), code: -32602, want: "progressToken"},
	{name: "id 2^53+1", send: requestAs("9007199254740993", "tools/call", greeting), id: "9007199254740993", want: "hello"},
	{name: "id true", send: requestAs("true", "ping", "{}"), status: 400, code: -32600, id: "null"},
	{name: "id {}", send: requestAs("{}", "ping", "{}"), status: 400, code: -32600, id: "null"},
	{name: "id null", send: requestAs("null", "ping", "{}"), status: 400, code: -32600, id: "null"},
	{name: "argument 2^53+1", send: request("tools/call", `{"name":"count","arguments":{"to":9007199254740993}}`), want: "counted to 9007199254740993"},
	{name: "unknown method", send: request("tools/destroy", "{}"), code: -32601},
	{name: "not JSON", send: "hello", status: 400, code: -32700, id: "null"},
	{name: "wrong version of JSON-RPC", send: `{"jsonrpc":"1.0","id":1,"method":"ping"}`, code: -32600},
	{name: "no version of JSON-RPC", send: `{"id":1,"method":"ping"}`, code: -32600},
	{name: "JSON that breaks off", send: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`, status: 400, code: -32700, id: "null"},
	{name: "nesting of 2,000", send: request("tools/call", `{"name":"greet","arguments":{"a":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+`}}`), status: 400, code: -32700, id: "null"},
	{name: "batch where there are none", send: "[" + request("tools/call", greeting) + "]", status: 400, code: -32600, id: "null"},
	{name: "batch where there are some", revision: r03, send: "[" + request("tools/call", greeting) + `,{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`, want: `[{"jsonrpc":"2.0","id":1,"result":{"content":[`},
	{name: "blank", send: " \t", quiet: true, status: 400, code: -32700, id: "null"},
	{name: "method and result", send: `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, code: -32600},
	{name: "a level that is none", send: request("logging/setLevel", `{"level":"bogus"}`), code: -32602},
	{name: "initialize with {}", fresh: true, send: request("initialize", "{}"), code: -32602},
	{name: "initialize again", send: request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`), code: -32600},
	{name: "initialize again with {}", send: request("initialize", "{}"), code: -32600},

	// Streamable HTTP is newer than 2024-11-05, but a client of that revision is served over
	// it.
	//
	// A result of a handler is sent unchanged: the server does not remove members that the
	// revision lacks. A handler that must not send them checks the revision.
	{name: "content of a later revision", revision: r2024, send: request("tools/call", `{"name":"later"}`), want: `"type":"audio"`},
	// The same holds for the definitions of a catalog: nothing is added to them.
	{name: "a list for the oldest revision", revision: r2024, send: request("tools/list", "{}"), want: `"name":"greet"`, lacks: []string{"ttlMs", "cacheScope", "resultType"}},

	{name: "an empty text comes back", send: request("tools/call", `{"name":"again_resource","arguments":{"type":"resource","resource":{"uri":"file:///a","text":""}}}`),
		want: `"structuredContent":{"type":"resource","resource":{"text":"","uri":"file:///a"}}`},
	{name: "a priority of 0 comes back", send: request("tools/call", `{"name":"again_text","arguments":{"type":"text","text":"a","annotations":{"priority":0}}}`),
		want: `"structuredContent":{"type":"text","text":"a","annotations":{"priority":0}}`},
	{name: "what a tool says of its execution comes back, and unknown members",
		send: request("tools/call", `{"name":"again_tool","arguments":{"name":"a","inputSchema":{"type":"object","allOf":[{"required":["b"]}],"x-vendor":{"n":9007199254740993}},"execution":{"taskSupport":"optional"},"vendor":[1,null]}}`),
		want: `"structuredContent":{"inputSchema":{"type":"object","allOf":[{"required":["b"]}],"x-vendor":{"n":9007199254740993}},"name":"a","execution":{"taskSupport":"optional"},"vendor":[1,null]}`},
}

func TestAnswers(t *testing.T) {
	url := startHTTP(t)
	for over, open := range map[string]func(t *testing.T) peer{
		"stdio": overStdio,
		"HTTP":  func(*testing.T) peer { return &posts{url: url} },
	} {
		for _, row := range rows {
			t.Run(over+"/"+row.name, func(t *testing.T) {
				p := open(t)
				defer p.end(t)
				revision := row.revision
				if revision == "" {
					revision = r11
				}
				if !row.fresh {
					handshake(t, p, revision)
				}
				answer, status := p.exchange(t, row.send, row.quiet)
				quiet := row.quiet && over == "stdio"
				if over == "HTTP" && status != max(row.status, 200) {
					t.Errorf("status %d, want %d", status, max(row.status, 200))
				}
				if !quiet {
					judge(t, answer, row.code, row.id, revision)
				}
				if !strings.Contains(answer, row.want) {
					t.Errorf("%s\nlacks %s", answer, row.want)
				}
				for _, part := range row.lacks {
					if strings.Contains(answer, part) {
						t.Errorf("%s\nhas %s", answer, part)
					}
				}
				if row.fresh {
					handshake(t, p, revision)
				}
				served(t, p)
			})
		}
	}
}

// judge checks that an answer is a JSON-RPC message with the given id and error code. The code
// 0 means no error.
func judge(t *testing.T, answer string, code int, id, revision string) {
	t.Helper()
	answer = strings.TrimSpace(answer)
	if batch, ok := strings.CutPrefix(answer, "["); ok {
		answer = strings.TrimSuffix(batch, "]")
	}
	var got struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || got.JSONRPC != "2.0" {
		t.Fatalf("not a JSON-RPC message: %v\n%s", err, answer)
	}
	want := id
	switch {
	case id == "":
		want = "1"
	case id == "null" && revision == r11:
		want = "" // The schema allows no null id but lets the id be absent.
	}
	if string(got.ID) != want {
		t.Errorf("id %s, want %s", got.ID, want)
	}
	if code == 0 && (got.Error != nil || got.Result == nil) ||
		code != 0 && (got.Error == nil || got.Result != nil || got.Error.Code != code || got.Error.Message == "") {
		t.Errorf("%s\nwant code %d", answer, code)
	}
}

// TestForgedSession checks that a well-formed but unknown session id is refused, and that a
// real session still works.
func TestForgedSession(t *testing.T) {
	p := &posts{url: startHTTP(t)}
	handshake(t, p, r11)
	own := p.session
	for _, forged := range []string{
		"3fd34f7a-5a3e-4c1e-b8a8-0e6d2d1b4a11", "x", strings.ToLower(own) + "0", own[:len(own)-1], own + own,
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			body := ""
			if method == http.MethodPost {
				body = request("tools/call", greeting)
			}
			answer, status := p.do(t, method, body, forged)
			if status != http.StatusNotFound || !strings.Contains(answer, `"error":{"code":-`) {
				t.Errorf("%s with %q: %d, %s", method, forged, status, answer)
			}
		}
		served(t, p)
	}
	p.end(t)
}
