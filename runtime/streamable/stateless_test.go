package streamable

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// modern has methods whose headers repeat more than the method.
var modern = base.With(mcptest.Handlers{
	"tools/call": func(_ context.Context, _ *runtime.Message) (wire.Appender, error) {
		return wire.Raw(`{"called":true}`), nil
	},
	"resources/read": func(context.Context, *runtime.Message) (wire.Appender, error) {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "no such resource")
	},
	// need fails because of what the client has not declared.
	"need": func(context.Context, *runtime.Message) (wire.Appender, error) {
		return nil, jsonrpc.MissingCapability(`{"sampling":{}}`)
	},
	// garble fails with an error that cannot be written.
	"garble": func(context.Context, *runtime.Message) (wire.Appender, error) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "m", Data: "{"}
	},
})

// modernBinding is a binding of modern in which the tool "query" has headers.
func modernBinding(t testing.TB, h mcptest.Handlers) runtime.Binding {
	b := h.Bind(r07, runtime.ToServer)
	table, err := headers.NewTable(`{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},"limit":{"type":"integer","x-mcp-header":"Limit"},"dry":{"type":"boolean","x-mcp-header":"Dry"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	b.ToolHeaders = func(tool string) *headers.Table {
		if tool == "query" {
			return table
		}
		return nil
	}
	return b
}

// newModernRig returns a rig whose server has revisions with sessions as well if dual.
func newModernRig(t *testing.T, h mcptest.Handlers, dual bool, opts Options) *rig {
	bindings := []runtime.Binding{modernBinding(t, h)}
	if dual {
		bindings = append(bindings, h.Bind(r11, runtime.ToServer), h.Bind(r03, runtime.ToServer))
	}
	server := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1", Grace: time.Second, Logger: discard}, bindings...)
	return newRigOf(t, server, opts)
}

// eras runs a test with a server of revisions without sessions, and with one of all revisions.
func eras(t *testing.T, test func(t *testing.T, dual bool)) {
	for name, dual := range map[string]bool{"one era": false, "both eras": true} {
		t.Run(name, func(t *testing.T) { test(t, dual) })
	}
}

// TestStatelessPost checks the status and the answer of single messages.
func TestStatelessPost(t *testing.T) {
	tool := func(arguments string) string {
		return alone(7, "tools/call", `"name":"query","arguments":`+arguments)
	}
	named := func(more ...string) []string {
		return standard("tools/call", append([]string{"Mcp-Name", "query"}, more...)...)
	}
	other := func(revision string) string { return mcptest.Call(7, "echo", "{"+terms(revision)+"}") }
	const mismatch, unsupported = jsonrpc.CodeHeaderMismatch, jsonrpc.CodeUnsupportedVersion
	type row struct {
		name, body string
		header     []string
		status     int
		code       int64 // of the error; 0 for a result, -1 for no body
	}
	rows := []row{
		{"H1 H10 a request", alone(7, "echo", `"a":1`), standard("echo"), 200, 0},
		{"H10 a request with a string as id", alone(`"x"`, "echo", ""), standard("echo"), 200, 0},
		{"H60 a session id is ignored", alone(7, "echo", ""), standard("echo", "Mcp-Session-Id", "whatever"), 200, 0},
		{"H61 Last-Event-ID is ignored", alone(7, "echo", ""), standard("echo", "Last-Event-Id", "x_1"), 200, 0},
		{"H50 header names in upper case", alone(7, "echo", ""), []string{"MCP-PROTOCOL-VERSION", r07, "MCP-METHOD", "echo"}, 200, 0},
		{"H64 white space around values", tool(`{}`), standard(" tools/call ", "Mcp-Name", "  query  "), 200, 0},
		{"H54 no version", alone(7, "echo", ""), []string{"Mcp-Method", "echo"}, 400, mismatch},
		{"H54 no method", alone(7, "echo", ""), []string{"Mcp-Protocol-Version", r07}, 400, mismatch},
		{"H54 no name", tool(`{}`), standard("tools/call"), 400, mismatch},
		{"H23 the version of a session", alone(7, "echo", ""), []string{"Mcp-Protocol-Version", r11, "Mcp-Method", "echo"}, 400, mismatch},
		{"H23 an unknown version in the header", alone(7, "echo", ""), []string{"Mcp-Protocol-Version", "2099-01-01", "Mcp-Method", "echo"}, 400, mismatch},
		{"H23 an unknown version in the body", other("2099-01-01"), standard("echo"), 400, mismatch},
		{"H24 a version that the server does not speak", other("2099-01-01"), []string{"Mcp-Protocol-Version", "2099-01-01", "Mcp-Method", "echo"}, 400, unsupported},
		{"H24 text that is no version", other("v999.0.0"), []string{"Mcp-Protocol-Version", "v999.0.0", "Mcp-Method", "echo"}, 400, unsupported},
		{"H24 B25 a version with sessions in each message", other(r11), []string{"Mcp-Protocol-Version", r11, "Mcp-Method", "echo"}, 400, unsupported},
		{"H25 an unknown method", alone(7, "no/such", ""), standard("no/such"), 404, jsonrpc.CodeMethodNotFound},
		{"H25 ping", alone(7, "ping", ""), standard("ping"), 404, jsonrpc.CodeMethodNotFound},
		{"H25 initialize of a client without sessions", alone(7, "initialize", ""), standard("initialize"), 404, jsonrpc.CodeMethodNotFound},
		{"V16 initialize of a client with sessions", mcptest.Call(7, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`), standard("initialize"), 400, unsupported},
		{"H51 another method", alone(7, "echo", ""), standard("boom"), 400, mismatch},
		{"H50 the method in upper case", alone(7, "echo", ""), standard("ECHO"), 400, mismatch},
		{"H51 another name", tool(`{}`), standard("tools/call", "Mcp-Name", "other"), 400, mismatch},
		{"H51 a name for a request without one", alone(7, "tools/call", ""), named(), 400, mismatch},
		{"H42 an encoded name", tool(`{}`), standard("tools/call", "Mcp-Name", "=?base64?cXVlcnk=?="), 200, 0},
		{"H46 a badly encoded name", tool(`{}`), standard("tools/call", "Mcp-Name", "=?base64?cXVlcnk?="), 400, mismatch},
		{"H28 a URI", alone(7, "resources/read", `"uri":"file:///a"`), standard("resources/read", "Mcp-Name", "file:///a"), 200, jsonrpc.CodeInvalidParams},
		{"H51 another URI", alone(7, "resources/read", `"uri":"file:///a"`), standard("resources/read", "Mcp-Name", "file:///b"), 400, mismatch},
		{"H47 the headers of arguments", tool(`{"region":"us-west1","limit":42,"dry":true}`), named("Mcp-Param-Region", "us-west1", "Mcp-Param-Limit", "42", "Mcp-Param-Dry", "true"), 200, 0},
		{"H47 another argument", tool(`{"region":"us-west1"}`), named("Mcp-Param-Region", "eu"), 400, mismatch},
		{"H42 an encoded argument", tool(`{"region":"Hello"}`), named("Mcp-Param-Region", "=?base64?SGVsbG8=?="), 200, 0},
		{"H46 an argument with bad base64", tool(`{"region":"Hello"}`), named("Mcp-Param-Region", "=?base64?SGVsbG8?="), 400, mismatch},
		{"H46 an argument that is not ASCII", tool(`{"region":"é"}`), named("Mcp-Param-Region", "é"), 400, mismatch},
		{"H42 without the prefix it is not encoded", tool(`{"region":"SGVsbG8="}`), named("Mcp-Param-Region", "SGVsbG8="), 200, 0},
		{"H48 null and absent arguments", tool(`{"region":null}`), named(), 200, 0},
		{"H48 a header for null", tool(`{"region":null}`), named("Mcp-Param-Region", "x"), 400, mismatch},
		{"H49 an argument without a header", tool(`{"region":"us-west1"}`), named(), 400, mismatch},
		{"H52 integers are compared as numbers", tool(`{"limit":42}`), named("Mcp-Param-Limit", "42.0"), 200, 0},
		{"H45 an unknown header is ignored", tool(`{}`), named("Mcp-Param-Other", "x"), 200, 0},
		{"H45 a tool without headers", alone(7, "tools/call", `"name":"plain","arguments":{"region":"r"}`), standard("tools/call", "Mcp-Name", "plain", "Mcp-Param-Region", "other"), 200, 0},
		{"H9 a notification", `{"jsonrpc":"2.0","method":"notifications/n","params":{` + terms(r07) + `}}`, []string{"Mcp-Protocol-Version", r07}, 202, -1},
		{"H9 a notification without _meta", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, []string{"Mcp-Protocol-Version", r07}, 202, -1},
		{"H8 a response", `{"jsonrpc":"2.0","id":7,"result":{}}`, standard("echo"), 400, jsonrpc.CodeInvalidRequest},
		{"H8 an error response", `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"}}`, standard("echo"), 400, jsonrpc.CodeInvalidRequest},
		{"H8 a batch", "[" + alone(7, "echo", "") + "]", standard("echo"), 400, jsonrpc.CodeInvalidRequest},
		{"H10 not JSON", `{"jsonrpc":`, standard("echo"), 400, jsonrpc.CodeParseError},
		{"H10 no message", `{}`, standard("echo"), 400, jsonrpc.CodeInvalidRequest},
		{"H10 an empty body", "", standard("echo"), 400, jsonrpc.CodeParseError},
		{"H6 no event streams accepted", alone(7, "echo", ""), standard("echo", "Accept", "application/json"), 406, jsonrpc.CodeInvalidRequest},
		{"H10 another content type", alone(7, "echo", ""), standard("echo", "Content-Type", "text/plain"), 415, jsonrpc.CodeInvalidRequest},
		{"H2 a foreign page", alone(7, "echo", ""), standard("echo", "Origin", "http://evil.example.com"), 403, jsonrpc.CodeInvalidRequest},
		{"H2 a foreign host", alone(7, "echo", ""), standard("echo", "Host", "evil.example.com"), 403, jsonrpc.CodeInvalidRequest},
		{"H2 a local page", alone(7, "echo", ""), standard("echo", "Origin", "http://localhost:3000"), 200, 0},
		{"B32 no _meta", mcptest.Call(7, "echo", `{}`), standard("echo"), 400, jsonrpc.CodeInvalidParams},
		{"B32 no capabilities", mcptest.Call(7, "echo", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), standard("echo"), 400, jsonrpc.CodeInvalidParams},
		{"B35 a capability that the client has not declared", alone(7, "need", ""), standard("need"), 400, jsonrpc.CodeMissingCapability},
		{"a handler that panics", alone(7, "boom", ""), standard("boom"), 200, jsonrpc.CodeInternalError},
		{"an error that cannot be written", alone(7, "garble", ""), standard("garble"), 200, jsonrpc.CodeInternalError},
	}
	eras(t, func(t *testing.T, dual bool) {
		r := newModernRig(t, modern, dual, Options{})
		for _, c := range rows {
			t.Run(c.name, func(t *testing.T) {
				resp, text := r.do("POST", c.body, c.header...)
				if resp.StatusCode != c.status {
					t.Errorf("status %d, want %d: %s", resp.StatusCode, c.status, text)
				}
				checkStatelessHeader(t, resp)
				if c.code == -1 {
					if text != "" {
						t.Errorf("body %q", text)
					}
					return
				}
				if got := codeOf(t, text); got != c.code {
					t.Errorf("code %d, want %d: %s", got, c.code, text)
				}
				if strings.Contains(c.body, `"id":7,"method"`) && c.body[0] == '{' && resp.StatusCode != 403 && resp.StatusCode != 406 && resp.StatusCode != 415 && !strings.Contains(text, `"id":7`) {
					t.Errorf("the answer has another id: %s", text)
				}
			})
		}
	})
}

// checkStatelessHeader checks that a response has nothing of a session (H18, H60).
func checkStatelessHeader(t *testing.T, resp *http.Response) {
	t.Helper()
	for _, name := range []string{"Mcp-Session-Id", "Last-Event-Id"} {
		if v := resp.Header.Values(name); len(v) > 0 {
			t.Errorf("the response has the header %s: %q", name, v)
		}
	}
	if resp.StatusCode == http.StatusOK && resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("content type %q", resp.Header.Get("Content-Type"))
	}
}

// TestStatelessErrorData checks the data of errors by which a client corrects its request. A refusal lists the
// versions that server/discover lists.
func TestStatelessErrorData(t *testing.T) {
	discovers := modern.With(mcptest.Handlers{"server/discover": func(context.Context, *runtime.Message) (wire.Appender, error) {
		return nil, runtime.MethodNotFound("server/discover") // the runtime answers it
	}})
	versions := func(t *testing.T, r *rig) string {
		t.Helper()
		_, text := r.do("POST", alone(6, "server/discover", ""), standard("server/discover")...)
		result, _ := wire.Object(text).Get("result")
		all, _ := wire.Object(result).Get("supportedVersions")
		if !strings.Contains(string(all), r07) {
			t.Fatalf("server/discover: %s", text)
		}
		return string(all)
	}
	eras(t, func(t *testing.T, dual bool) {
		r := newModernRig(t, discovers, dual, Options{})
		supported := versions(t, r)
		for _, c := range []struct{ name, body, header, method, want string }{
			{"H24 the version in _meta", mcptest.Call(7, "echo", "{"+terms("2099-01-01")+"}"), "2099-01-01", "echo", `{"supported":` + supported + `,"requested":"2099-01-01"}`},
			{"B35 capabilities", alone(7, "need", ""), r07, "need", `{"requiredCapabilities":{"sampling":{}}}`},
		} {
			t.Run(c.name, func(t *testing.T) {
				_, text := r.do("POST", c.body, "Mcp-Protocol-Version", c.header, "Mcp-Method", c.method)
				m, err := jsonrpc.Parse(text)
				if err != nil || m.Error == nil || !json.Valid([]byte(m.Error.Data)) || !wire.Equal(m.Error.Data, wire.Raw(c.want)) {
					t.Errorf("%s, want the data %s", text, c.want)
				}
			})
		}
	})
	t.Run("H24 the version in the header alone", func(t *testing.T) {
		r := newModernRig(t, discovers, true, Options{})
		resp, text := r.do("POST", mcptest.Call(7, "echo", `{}`), "Mcp-Protocol-Version", "2099-01-01")
		if resp.StatusCode != 400 || codeOf(t, text) != jsonrpc.CodeUnsupportedVersion || !strings.Contains(text, `{"supported":`+versions(t, r)+`,"requested":"2099-01-01"}`) {
			t.Errorf("%s: %s", resp.Status, text)
		}
	})
}

// TestStatelessMethods checks the other HTTP methods (H59).
func TestStatelessMethods(t *testing.T) {
	eras(t, func(t *testing.T, dual bool) {
		r := newModernRig(t, modern, dual, Options{})
		for _, method := range []string{"GET", "DELETE", "PUT"} {
			for _, header := range [][]string{{"Mcp-Protocol-Version", r07}, {"Mcp-Protocol-Version", r07, "Mcp-Session-Id", "x", "Last-Event-Id", "y_1"}, nil} {
				if dual && header == nil {
					continue // for sessions
				}
				resp, text := r.do(method, "", header...)
				if resp.StatusCode != 405 || resp.Header.Get("Allow") != "POST" {
					t.Errorf("H59 %s %v: %s, Allow %q: %s", method, header, resp.Status, resp.Header.Get("Allow"), text)
				}
			}
		}
	})
}

// TestErasShareURL uses a session and requests without one at the same time.
func TestErasShareURL(t *testing.T) {
	r := newModernRig(t, modern, true, Options{})
	id := r.open(r11)
	session := []string{"Mcp-Session-Id", id, "Mcp-Protocol-Version", r11}
	for range 3 {
		if resp, text := r.do("POST", mcptest.Call(1, "echo", `{"a":1}`), session...); resp.StatusCode != 200 || !strings.Contains(text, `"a":1`) {
			t.Errorf("V8 in the session: %s: %s", resp.Status, text)
		}
		if resp, text := r.do("POST", alone(1, "echo", `"a":2`), standard("echo")...); resp.StatusCode != 200 || !strings.Contains(text, `"a":2`) {
			t.Errorf("V8 without a session: %s: %s", resp.Status, text)
		}
	}
	t.Run("H26 a message without a version belongs to an old session", func(t *testing.T) {
		old := r.open(r03)
		if resp, text := r.do("POST", mcptest.Call(1, "echo", `{"a":1}`), "Mcp-Session-Id", old); resp.StatusCode != 200 {
			t.Errorf("%s: %s", resp.Status, text)
		}
	})
	t.Run("H51 a request with its own revision in a session is compared with its headers", func(t *testing.T) {
		for _, header := range [][]string{session, {"Mcp-Session-Id", id}} {
			resp, text := r.do("POST", alone(1, "echo", `"a":2`), header...)
			if resp.StatusCode != 400 || codeOf(t, text) != jsonrpc.CodeHeaderMismatch {
				t.Errorf("%s: %s", resp.Status, text)
			}
		}
	})
	t.Run("H60 the session of a request with the headers of its own is not used", func(t *testing.T) {
		resp, text := r.do("POST", alone(1, "note", ""), standard("note", "Mcp-Session-Id", id)...)
		if resp.StatusCode != 200 || strings.Contains(text, "id: ") || resp.Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: %s", resp.Status, text)
		}
	})
}

// TestStatelessStream checks the response to a request with notifications.
func TestStatelessStream(t *testing.T) {
	eras(t, func(t *testing.T, dual bool) {
		r := newModernRig(t, modern, dual, Options{})
		resp, text := r.do("POST", alone(7, "note", ""), standard("note")...)
		if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("H10 %s, %s", resp.Status, resp.Header.Get("Content-Type"))
		}
		if got := resp.Header.Get("X-Accel-Buffering"); got != "no" {
			t.Errorf("H16 X-Accel-Buffering is %q", got)
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "id") || strings.HasPrefix(line, "retry") {
				t.Errorf("H18 the stream can be resumed: %q", line)
			}
		}
		events := testkit.Events(t, strings.NewReader(text), 0)
		if len(events) != 3 {
			t.Fatalf("H12 H14 %d events: %s", len(events), text)
		}
		for i, e := range events {
			m, err := jsonrpc.Parse(e.Data)
			if err != nil || i < 2 && m.Method != "notifications/n" || i == 2 && m.Kind != jsonrpc.Response {
				t.Errorf("H12 H14 event %d: %s, %v", i, e.Data, err)
			}
		}
	})
	t.Run("H13 a handler cannot send a request", func(t *testing.T) {
		r := newModernRig(t, modern, true, Options{})
		_, text := r.do("POST", alone(7, "ask", ""), standard("ask")...)
		if codeOf(t, text) == 0 || strings.Contains(text, "client/echo") {
			t.Error(text)
		}
	})
	t.Run("an error after notifications", func(t *testing.T) {
		r := newModernRig(t, modern.With(mcptest.Handlers{"fail": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			if err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", wire.Raw(`{}`)); err != nil {
				return nil, err
			}
			return nil, jsonrpc.MissingCapability(`{}`)
		}}), true, Options{})
		resp, text := r.do("POST", alone(7, "fail", ""), standard("fail")...)
		events := testkit.Events(t, strings.NewReader(text), 0)
		if resp.StatusCode != 200 || len(events) != 2 || codeOf(t, events[1].Data) != jsonrpc.CodeMissingCapability {
			t.Errorf("%s: %s", resp.Status, text)
		}
	})
}

// TestNotificationWithoutRoom checks that a request without a session is answered although Options.MaxBytes leaves no
// room for a notification before the answer.
func TestNotificationWithoutRoom(t *testing.T) {
	r := newModernRig(t, modern.With(mcptest.Handlers{"large": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		if err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", wire.Raw(`{"a":"`+strings.Repeat("a", 200_000)+`"}`)); err == nil {
			t.Error("the notification was sent")
		}
		return wire.Raw("{}"), nil
	}}), true, Options{MaxBytes: 100_000})
	resp, text := r.do("POST", alone(7, "large", `"b":"`+strings.Repeat("b", 5000)+`"`), standard("large")...)
	if resp.StatusCode != 200 || codeOf(t, text) != 0 {
		t.Errorf("%s: %s", resp.Status, text)
	}
}

// TestStatelessKeepAlive checks that a long answer becomes an event stream with comments (H17).
func TestStatelessKeepAlive(t *testing.T) {
	release := make(chan struct{})
	r := newModernRig(t, modern.With(mcptest.Handlers{"long": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		<-release
		return wire.Raw("{}"), nil
	}}), true, Options{KeepAlive: time.Millisecond})
	resp := r.request(t.Context(), "POST", alone(7, "long", ""), standard("long")...)
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for range 3 {
		for _, want := range []string{":\n", "\n"} {
			if line, err := lines.ReadString('\n'); err != nil || line != want {
				t.Fatalf("H17 %q, %v, want %q", line, err, want)
			}
		}
	}
	close(release)
	rest, err := io.ReadAll(lines)
	events := testkit.Events(t, strings.NewReader(string(rest)), 0)
	if err != nil || len(events) != 1 || codeOf(t, events[0].Data) != 0 {
		t.Errorf("H14 %q, %v", rest, err)
	}
}

// TestStatelessDisconnect checks that the end of the connection cancels the request alone (H20, H21).
func TestStatelessDisconnect(t *testing.T) {
	for _, streaming := range []bool{false, true} {
		t.Run(fmt.Sprintf("H20 H21 streaming %t", streaming), func(t *testing.T) {
			started, cancelled, sent := make(chan struct{}), make(chan error, 1), make(chan error, 1)
			other := make(chan struct{})
			h := modern.With(mcptest.Handlers{
				"hang": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
					if streaming {
						if err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", wire.Raw(`{}`)); err != nil {
							return nil, err
						}
					}
					close(started)
					<-ctx.Done()
					cancelled <- context.Cause(ctx)
					sent <- runtime.CallOf(ctx).Notify(context.WithoutCancel(ctx), "notifications/n", wire.Raw(`{}`))
					return wire.Raw("{}"), nil
				},
				"other": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
					select {
					case <-other:
						return wire.Raw("{}"), nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				},
			})
			r := newModernRig(t, h, true, Options{})
			answered := make(chan string, 1)
			go func() { // with the same id, which is not cancelled
				_, text := r.do("POST", alone(7, "other", ""), standard("other")...)
				answered <- text
			}()
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-started
				cancel()
			}()
			req, _ := http.NewRequestWithContext(ctx, "POST", r.URL, strings.NewReader(alone(7, "hang", "")))
			for i, s := 0, append(standard("hang"), "Content-Type", "application/json", "Accept", "application/json, text/event-stream"); i < len(s); i += 2 {
				req.Header.Set(s[i], s[i+1])
			}
			if resp, err := r.Client().Do(req); err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			err := <-cancelled
			if _, ok := errors.AsType[*runtime.CancelledError](err); !ok {
				t.Errorf("the cause is %v", err)
			}
			if err := <-sent; err == nil {
				t.Error("a notification was sent for a cancelled request")
			}
			close(other)
			if text := <-answered; codeOf(t, text) != 0 {
				t.Errorf("the other request: %s", text)
			}
		})
	}
}

// TestNotificationCancelsNothing checks that a client cannot cancel requests by notifications, which over
// HTTP could be those of other clients.
func TestNotificationCancelsNothing(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	r := newModernRig(t, modern.With(mcptest.Handlers{"hold": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		close(started)
		select {
		case <-release:
			return wire.Raw("{}"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}), true, Options{})
	answered := make(chan string, 1)
	go func() {
		_, text := r.do("POST", alone(7, "hold", ""), standard("hold")...)
		answered <- text
	}()
	<-started
	for _, params := range []string{`{"requestId":7}`, `{"requestId":7,` + terms(r07) + `}`} {
		resp, text := r.do("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":`+params+`}`, "Mcp-Protocol-Version", r07)
		if resp.StatusCode != 202 {
			t.Errorf("%s: %s", resp.Status, text)
		}
	}
	close(release)
	if text := <-answered; codeOf(t, text) != 0 {
		t.Error(text)
	}
}

// TestRawHeaders sends headers that clients of net/http do not send.
func TestRawHeaders(t *testing.T) {
	r := newModernRig(t, modern, true, Options{})
	body := alone(7, "tools/call", `"name":"query","arguments":{"region":"r"}`)
	for _, c := range []struct {
		name, lines string
		status      int
	}{
		{"H64 no space, and much of it", "mcp-protocol-version:2026-07-28\r\nmcp-method: \t tools/call\t \r\nMCP-NAME:query   \r\nmcp-param-region:\tr\r\n", 200},
		{"H51 a second name", "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: query\r\nMcp-Name: other\r\nMcp-Param-Region: r\r\n", 400},
		{"H51 a second version", "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Protocol-Version: 2025-11-25\r\nMcp-Method: tools/call\r\nMcp-Name: query\r\nMcp-Param-Region: r\r\n", 400},
		{"H46 a byte beyond ASCII", "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: query\r\nMcp-Param-Region: r\xff\r\n", 400},
		{"H46 a control character", "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: query\r\nMcp-Param-Region: r\x01\r\n", 400},
		{"H54 an empty method", "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method:\r\nMcp-Name: query\r\nMcp-Param-Region: r\r\n", 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", r.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: %d\r\n%s\r\n%s", len(body), c.lines, body)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != c.status {
				t.Errorf("%s: %s", resp.Status, text)
			}
		})
	}
}

// lateServer is a server that can serve requests without a session only after a while.
type lateServer struct {
	*runtime.Server
	failures int
}

func (s *lateServer) Open(ctx context.Context, out runtime.Outbox, h runtime.Handshake, ended func(error)) (runtime.Inbox, error) {
	if s.failures--; s.failures >= 0 {
		return nil, errors.Join(errors.New("not yet"), out.Close())
	}
	return s.Server.Open(ctx, out, h, ended)
}

// TestLateServer checks that a server which cannot serve requests without a session is asked again for the next one.
func TestLateServer(t *testing.T) {
	server := &lateServer{newRuntimeServer(t, modern, runtime.ServerOptions{Name: "probe", Version: "1", Logger: discard}, r07), 1}
	h := NewHandler(server, Options{})
	r := newRigOn(t, h, testkit.NewServer(h))
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusOK, http.StatusOK} {
		if resp, body := r.do("POST", alone(1, "echo", ""), standard("echo")...); resp.StatusCode != status {
			t.Errorf("status %d in place of %d: %s", resp.StatusCode, status, body)
		}
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if resp, body := r.do("POST", alone(1, "echo", ""), standard("echo")...); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("status %d after the shutdown: %s", resp.StatusCode, body)
	}
}
