package streamable

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestPeerMistakes sends the known mistakes of other implementations. The names say what is sent.
func TestPeerMistakes(t *testing.T) {
	r := newRig(t, base, Options{})
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	for _, c := range []struct {
		name, body string
		revision   string // default r11
		status     int
		code       int64  // of the error in the body
		want       string // else part of the body
	}{
		{name: "trailing bytes", body: mcptest.Call(1, "echo", "{}") + " xyz", status: 400, code: -32700},
		{name: "Method in another case", body: `{"jsonrpc":"2.0","id":1,"Method":"echo","params":{}}`, status: 200, code: -32600},
		{name: "duplicate method", body: `{"jsonrpc":"2.0","id":1,"method":"echo","method":"boom"}`, status: 200, code: -32600},
		{name: "duplicate argument", body: mcptest.Call(1, "echo", `{"a":1,"a":2}`), status: 200, code: -32600},
		{name: "id 1.5", body: mcptest.Call("1.5", "echo", "{}"), status: 400, code: -32600},
		{name: "id 2^53+1", body: mcptest.Call("9007199254740993", "echo", "{}"), status: 200, want: `"id":9007199254740993,`},
		{name: "id true", body: mcptest.Call("true", "echo", "{}"), status: 400, code: -32600},
		{name: "id {}", body: mcptest.Call("{}", "echo", "{}"), status: 400, code: -32600},
		{name: "id null", body: mcptest.Call("null", "echo", "{}"), status: 400, code: -32600},
		{name: "int64 argument 2^53+1", body: mcptest.Call(1, "echo", `{"n":9007199254740993}`), status: 200, want: `"result":{"n":9007199254740993}`},
		{name: "unknown method", body: mcptest.Call(1, "nope", "{}"), status: 200, code: -32601},
		{name: "server/discover", body: mcptest.Call(1, "server/discover", "{}"), status: 200, code: -32601},
		{name: "not JSON", body: "hello", status: 400, code: -32700},
		{name: "empty body", body: "", status: 400, code: -32700},
		{name: "bad version tag", body: `{"jsonrpc":"1.0","id":1,"method":"echo"}`, status: 200, code: -32600},
		{name: "nesting 2,000", body: mcptest.Call(1, "echo", `{"a":`+deep+`}`), status: 400, code: -32700},
		{name: "batch at 2025-11-25", body: "[" + mcptest.Call(1, "echo", "{}") + "]", status: 400, code: -32600},
		{name: "batch at 2025-06-18", body: "[" + mcptest.Call(1, "echo", "{}") + "]", revision: r06, status: 400, code: -32600},
		{name: "batch at 2025-03-26", body: "[" + mcptest.Call(1, "echo", "{}") + "," + mcptest.Initialized + "]", revision: r03, status: 200, want: `[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		{name: "batch of notifications at 2025-03-26", body: "[" + mcptest.Initialized + "]", revision: r03, status: 202},
		{name: "both method and result", body: `{"jsonrpc":"2.0","id":1,"method":"echo","result":{}}`, status: 200, code: -32600},
		{name: "second initialize", body: mcptest.Initialize(r11), status: 200, code: -32600},
		{name: "panic in the handler", body: mcptest.Call(1, "boom", "{}"), status: 200, code: -32603},
		{name: "invalid UTF-8", body: mcptest.Call(1, "echo", "{\"a\":\"\xff\"}"), status: 400, code: -32700},
		{name: "response to nothing", body: `{"jsonrpc":"2.0","id":77,"result":{}}`, status: 202},
		{name: "bad response", body: `{"jsonrpc":"2.0","id":77,"result":{},"error":{}}`, status: 400, code: -32600},
		{name: "unknown notification", body: `{"jsonrpc":"2.0","method":"notifications/x"}`, status: 202},
		{name: "and still served", body: mcptest.Call(1, "echo", "{}"), status: 200, want: `"result":{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			revision := c.revision
			if revision == "" {
				revision = r11
			}
			id := r.open(revision)
			resp, text := r.do("POST", c.body, "Mcp-Session-Id", id, "Mcp-Protocol-Version", revision)
			if resp.StatusCode != c.status || !strings.Contains(text, c.want) {
				t.Errorf("%s: %s; want %d and %s", resp.Status, text, c.status, c.want)
			}
			if c.code != 0 && codeOf(t, text) != c.code {
				t.Errorf("%s; want code %d", text, c.code)
			}
			if c.status == 202 && text != "" {
				t.Errorf("a body: %s", text)
			}
		})
	}
}

// TestRequests checks which methods and headers are refused. Every refusal has a JSON-RPC error as
// its body.
func TestRequests(t *testing.T) {
	r := newRig(t, base, Options{Origins: []string{"https://app.example.com"}})
	id := r.open(r06)
	echo := mcptest.Call(1, "echo", "{}")
	local := strings.TrimPrefix(r.URL, "http://")
	for _, c := range []struct {
		name, method, body string
		header             []string
		alone              bool // without the session's id
		status             int
	}{
		{name: "plain", method: "POST", body: echo, status: 200},
		{name: "revision absent", method: "POST", body: echo, header: []string{"Mcp-Protocol-Version", ""}, status: 200},
		{name: "revision of the session", method: "POST", body: echo, header: []string{"Mcp-Protocol-Version", r06}, status: 200},
		{name: "another supported revision", method: "POST", body: echo, header: []string{"Mcp-Protocol-Version", r11}, status: 200},
		{name: "revision that is not supported", method: "POST", body: echo, header: []string{"Mcp-Protocol-Version", "2024-11-05"}, status: 400},
		{name: "revision that is not supported on GET", method: "GET", header: []string{"Mcp-Protocol-Version", "2024-11-05"}, status: 400},
		{name: "revision that is not supported on DELETE", method: "DELETE", header: []string{"Mcp-Protocol-Version", "x"}, status: 400},
		{name: "revision on initialize", method: "POST", body: mcptest.Initialize(r06), alone: true, header: []string{"Mcp-Protocol-Version", r11}, status: 200},
		{name: "no session", method: "POST", body: echo, alone: true, status: 400},
		{name: "no session on GET", method: "GET", alone: true, status: 400},
		{name: "no session on DELETE", method: "DELETE", alone: true, status: 400},
		{name: "batch without a session", method: "POST", body: "[" + mcptest.Initialize(r03) + "]", alone: true, status: 400},
		{name: "no JSON without a session", method: "POST", body: "{", alone: true, status: 400},
		{name: "initialize with {} params", method: "POST", body: mcptest.Call(1, "initialize", "{}"), alone: true, status: 200},
		{name: "forged session id", method: "POST", body: echo, header: []string{"Mcp-Session-Id", "3fd34f7a-5a3e-4c1e-b8a8-0e6d2d1b4a11"}, status: 404},
		{name: "forged session id on GET", method: "GET", header: []string{"Mcp-Session-Id", "x"}, status: 404},
		{name: "Host evil", method: "POST", body: mcptest.Initialize(r11), alone: true, header: []string{"Host", "evil.example.com"}, status: 403},
		{name: "Host evil with the port", method: "POST", body: echo, header: []string{"Host", "evil.example.com:80"}, status: 403},
		{name: "Host localhost", method: "POST", body: echo, header: []string{"Host", "localhost:1234"}, status: 200},
		{name: "Host [::1]", method: "POST", body: echo, header: []string{"Host", "[::1]:1234"}, status: 200},
		{name: "Origin evil", method: "POST", body: echo, header: []string{"Origin", "http://evil.example.com"}, status: 403},
		{name: "Origin evil on GET", method: "GET", header: []string{"Origin", "http://evil.example.com"}, status: 403},
		{name: "Origin that begins well", method: "POST", body: echo, header: []string{"Origin", "http://localhost.evil.example.com"}, status: 403},
		{name: "Origin null", method: "POST", body: echo, header: []string{"Origin", "null"}, status: 403},
		{name: "Origin same", method: "POST", body: echo, header: []string{"Origin", "http://" + local}, status: 200},
		{name: "Origin of another local server", method: "POST", body: echo, header: []string{"Origin", "http://localhost:6274"}, status: 200},
		{name: "Origin that is allowed", method: "POST", body: echo, header: []string{"Origin", "https://app.example.com"}, status: 200},
		{name: "Content-Type absent", method: "POST", body: echo, header: []string{"Content-Type", ""}, status: 415},
		{name: "Content-Type of a form", method: "POST", body: echo, header: []string{"Content-Type", "text/plain"}, status: 415},
		{name: "Content-Type with charset", method: "POST", body: echo, header: []string{"Content-Type", "application/json; charset=UTF-8"}, status: 200},
		{name: "Content-Type with another charset", method: "POST", body: echo, header: []string{"Content-Type", "application/json; charset=latin1"}, status: 415},
		{name: "compressed", method: "POST", body: echo, header: []string{"Content-Encoding", "gzip"}, status: 415},
		{name: "Accept JSON alone", method: "POST", body: echo, header: []string{"Accept", "application/json"}, status: 406},
		{name: "Accept refuses events", method: "POST", body: echo, header: []string{"Accept", "application/json, text/event-stream;q=0"}, status: 406},
		{name: "Accept any", method: "POST", body: echo, header: []string{"Accept", "*/*"}, status: 200},
		{name: "Accept ranges", method: "POST", body: echo, header: []string{"Accept", "Application/*;q=0.5, text/*"}, status: 200},
		{name: "body on GET", method: "GET", body: echo, header: []string{"Accept", "application/json"}, status: 400},
		{name: "Accept JSON on GET", method: "GET", header: []string{"Accept", "application/json"}, status: 406},
		{name: "bad event id", method: "GET", header: []string{"Last-Event-ID", "x"}, status: 400},
		{name: "unknown stream", method: "GET", header: []string{"Last-Event-ID", "x_1"}, status: 400},
		{name: "unknown stream from its beginning", method: "GET", header: []string{"Last-Event-ID", "x_0"}, status: 400},
		{name: "PUT", method: "PUT", body: echo, status: 405},
		{name: "OPTIONS", method: "OPTIONS", status: 405},
		{name: "too long", method: "POST", body: mcptest.Call(1, "echo", `{"a":"`+strings.Repeat("x", 4<<20)+`"}`), status: 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := []string{"Mcp-Session-Id", id}
			if c.alone {
				header = nil
			}
			resp, text := r.do(c.method, c.body, append(header, c.header...)...)
			if resp.StatusCode != c.status {
				t.Errorf("%s: %s; want %d", resp.Status, text, c.status)
			}
			if c.status >= 400 && codeOf(t, text) == 0 {
				t.Errorf("no error in the body: %s", text)
			}
			if c.name == "initialize with {} params" && (codeOf(t, text) != -32602 || resp.Header.Get("Mcp-Session-Id") != "") {
				t.Errorf("session %q: %s", resp.Header.Get("Mcp-Session-Id"), text)
			}
		})
	}
}

// TestErrorsHaveIDs checks that an error has the id of its request if that could be read.
func TestErrorsHaveIDs(t *testing.T) {
	started := make(chan struct{})
	r := newRig(t, base.With(mcptest.Handlers{"wait": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		close(started)
		return base["wait"](ctx, message)
	}}), Options{User: func(r *http.Request) (string, error) {
		if r.Header.Get("Authorization") == "bad" {
			return "", errors.New("unknown")
		}
		return "u", nil
	}})
	stateless := newRig(t, base, Options{Stateless: true})
	session := r.open(r11)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		req, _ := http.NewRequestWithContext(ctx, "POST", r.URL, strings.NewReader(mcptest.Call(7, "wait", "{}")))
		req.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Session-Id": {session}}
		if resp, err := r.Client().Do(req); err == nil {
			<-ctx.Done()
			resp.Body.Close()
		}
	}()
	<-started
	for _, c := range []struct {
		name   string
		rig    *rig
		body   string
		header []string
		status int
		id     string // "" for none
	}{
		{"unknown method without a session", r, mcptest.Call(`"a"`, "server/discover", "{}"), nil, 400, `"a"`},
		{"known method without a session", r, mcptest.Call(3, "echo", "{}"), nil, 400, `3`},
		{"notification without a session", r, mcptest.Initialized, nil, 400, ""},
		{"unknown user", r, mcptest.Initialize(r11), []string{"Authorization", "bad"}, 403, `"i"`},
		{"unknown revision", stateless, mcptest.Call(4, "echo", "{}"), []string{"Mcp-Protocol-Version", "1999-01-01"}, 400, `4`},
		{"duplicate in flight", r, mcptest.Call(7, "echo", "{}"), []string{"Mcp-Session-Id", session}, 200, `7`},
		{"not JSON", r, "{", nil, 400, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp, text := c.rig.do("POST", c.body, c.header...)
			m, err := jsonrpc.Parse(text)
			got := ""
			if !m.ID.IsZero() {
				got = m.ID.String()
			}
			if resp.StatusCode != c.status || err != nil || m.Error == nil || got != c.id {
				t.Errorf("%s: %s; want status %d and id %s", resp.Status, text, c.status, c.id)
			}
		})
	}
}

// raw sends bytes over a connection of its own and returns the first line of the response.
func raw(t *testing.T, r *rig, parts ...string) string {
	t.Helper()
	conn, err := r.Client().Transport.(*http.Transport).DialContext(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		for _, p := range parts {
			io.WriteString(conn, p) // fails when the server reads no further
		}
	}()
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return line
}

// TestBodies checks the limits of bodies without a length and of bodies that do not arrive.
func TestBodies(t *testing.T) {
	const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\n"
	body := mcptest.Call(1, "linger", "{}")
	big := strings.Repeat("x", 64<<10)
	var chunks []string
	for range 4<<20/len(big) + 1 {
		chunks = append(chunks, fmt.Sprintf("%x\r\n%s\r\n", len(big), big))
	}
	const patient, hasty = time.Hour, time.Second
	for _, c := range []struct {
		name    string
		timeout time.Duration
		parts   []string
		want    string
	}{
		{"announced too long", patient, []string{"Content-Length: 99999999\r\n\r\n"}, " 413 "},
		{"chunks without end", patient, append([]string{"Transfer-Encoding: chunked\r\n\r\n"}, chunks...), " 413 "},
		{"nothing comes", hasty, []string{"Content-Length: 10\r\n\r\n"}, " 408 "},
		{"half comes", hasty, []string{"Content-Length: 1000\r\n\r\n{\"jsonrpc\":"}, " 408 "},
		{"the answer takes longer than a body may", hasty, []string{fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)) + body}, " 200 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				server := newRuntimeServer(t, base, runtime.ServerOptions{}, r11, r06, r03)
				r := newMemoryRig(t, server, Options{Stateless: true, IOTimeout: c.timeout})
				got := raw(t, r, append([]string{head}, c.parts...)...)
				if took := time.Since(start); !strings.Contains(got, c.want) || took >= patient {
					t.Errorf("after %v: %s; want %s", took, got, c.want)
				}
			})
		})
	}
}
