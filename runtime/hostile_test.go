package runtime_test

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime"
)

const (
	r2024 = "2024-11-05"
	r03   = "2025-03-26"
	r06   = "2025-06-18"
	r11   = "2025-11-25"
)

// refused is the pattern of an error answer; id is the id's JSON text.
func refused(id, code, message string) string {
	return `^\{"jsonrpc":"2\.0","id":` + regexp.QuoteMeta(id) + `,"error":\{"code":` + code + `,"message":"` + message + `"\}\}$`
}

func answered(id, result string) string {
	return `^\{"jsonrpc":"2\.0","id":` + regexp.QuoteMeta(id) + `,"result":` + result + `\}$`
}

// hostile is what a peer should not send, and patterns of the lines it gets for it.
var hostile = []struct {
	name     string
	fresh    bool   // sent before initialize
	revision string // 2025-06-18 when ""
	send     string
	want     []string
}{
	{name: "truncated JSON", send: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`,
		want: []string{refused("null", "-32700", ".*")}},
	{name: "not JSON", send: `hello`, want: []string{refused("null", "-32700", ".*")}},
	{name: "trailing bytes", send: `{"jsonrpc":"2.0","id":1,"method":"ping"} xyz`, want: []string{refused("null", "-32700", ".*")}},
	{name: "two messages on a line", send: `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`,
		want: []string{refused("null", "-32700", ".*")}},
	{name: "bad UTF-8", send: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}", want: []string{refused("null", "-32700", ".*")}},
	{name: "byte order mark", send: "\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, want: []string{refused("null", "-32700", ".*")}},
	{name: "nesting of 100,000", send: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":` +
		strings.Repeat(`{"a":`, 100_000) + `1` + strings.Repeat(`}`, 100_002), want: []string{refused("null", "-32700", ".*")}},
	{name: "nesting of 100,000 arrays, open", send: strings.Repeat(`[`, 100_000), want: []string{refused("null", "-32700", ".*")}},
	{name: "duplicate method", send: `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`,
		want: []string{refused("1", "-32600", "invalid request: /method: duplicate member.*")}},
	{name: "duplicate id", send: `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, want: []string{refused("null", "-32600", ".*")}},
	{name: "duplicate id, escaped", send: `{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"ping"}`, want: []string{refused("null", "-32600", ".*")}},
	{name: "duplicate tool name", send: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"boom"}}`,
		want: []string{refused("1", "-32600", "invalid request: /params/name: duplicate member.*")}},
	{name: "duplicate argument", send: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1,"a":2}}}`,
		want: []string{refused("1", "-32600", "invalid request: /params/arguments/a: duplicate member.*")}},

	{name: "Method for method", send: `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, want: []string{refused("1", "-32600", ".*")}},
	{name: "NAME for name", send: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"NAME":"echo"}}`,
		want: []string{refused("1", "-32602", `invalid params: missing member.*name.*`)}},
	{name: "id 1.5", send: `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, want: []string{refused("null", "-32600", ".*")}},
	{name: "id 2^53+1", send: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, want: []string{answered("9007199254740993", `\{\}`)}},
	{name: "id beyond int64", send: `{"jsonrpc":"2.0","id":-170141183460469231731687303715884105729,"method":"ping"}`,
		want: []string{answered("-170141183460469231731687303715884105729", `\{\}`)}},
	{name: "id 1.0", send: `{"jsonrpc":"2.0","id":1.0,"method":"ping"}`, want: []string{answered("1.0", `\{\}`)}},
	{name: "id 1e400", send: `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, want: []string{refused("null", "-32600", "invalid request: id is a number beyond.*")}},
	{name: "id with a huge exponent", send: `{"jsonrpc":"2.0","id":1e99999999999999999999,"method":"ping"}`, want: []string{refused("null", "-32600", "invalid request: id is a number beyond.*")}},
	{name: "id 1e30", send: `{"jsonrpc":"2.0","id":1e30,"method":"ping"}`, want: []string{answered("1e30", `\{\}`)}},
	{name: "id with a million digits", send: `{"jsonrpc":"2.0","id":` + strings.Repeat("9", 1_000_000) + `,"method":"ping"}`, want: []string{refused("null", "-32600", "invalid request: id is longer than 1024 bytes")}},
	{name: "long duplicate name", send: `{"jsonrpc":"2.0","id":1,"` + strings.Repeat("x", 100_000) + `":1,"` + strings.Repeat("x", 100_000) + `":1}`, want: []string{refused("1", "-32600", ".{1,500}")}},
	{name: "300,000 unknown members", send: `{"jsonrpc":"2.0","id":1,"method":"ping"` + manyMembers(300_000) + `}`, want: []string{answered("1", `\{\}`)}},
	{name: "id string", send: `{"jsonrpc":"2.0","id":"1","method":"ping"}`, want: []string{answered(`"1"`, `\{\}`)}},
	{name: "id true", send: `{"jsonrpc":"2.0","id":true,"method":"ping"}`, want: []string{refused("null", "-32600", ".*")}},
	{name: "id object", send: `{"jsonrpc":"2.0","id":{},"method":"ping"}`, want: []string{refused("null", "-32600", ".*")}},
	{name: "no id to be told, where the schema lets it be absent", revision: r11, send: `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		want: []string{`^\{"jsonrpc":"2\.0","error":\{"code":-32600,.*\}\}$`}},
	{name: "id null", send: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, want: []string{refused("null", "-32600", ".*")}},
	{name: "no version", send: `{"id":1,"method":"ping"}`, want: []string{refused("1", "-32600", ".*")}},
	{name: "params array", send: `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, want: []string{refused("1", "-32600", ".*")}},
	{name: "method and result", send: `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, want: []string{refused("1", "-32600", ".*")}},
	{name: "result and error", send: `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`, want: []string{refused("null", "-32600", ".*")}},
	{name: "neither", send: `{"jsonrpc":"2.0","id":1}`, want: []string{refused("1", "-32600", ".*")}},
	{name: "a number", send: `42`, want: []string{refused("null", "-32600", ".*")}},
	{name: "blank lines", send: " \t\n\r\n"},
	{name: "CRLF", send: `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r", want: []string{answered("1", `\{\}`)}},

	{name: "batch before initialize", fresh: true, send: `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, want: []string{refused("null", "-32600", ".*")}},
	{name: "batch in 2024-11-05", revision: r2024, send: `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, want: []string{refused("null", "-32600", ".*")}},
	{name: "batch in 2025-06-18", revision: r06, send: `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, want: []string{refused("null", "-32600", ".*")}},
	{name: "batch in 2025-11-25", revision: r11, send: `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, want: []string{`^\{"jsonrpc":"2\.0","error":\{"code":-32600,.*\}\}$`}},
	{name: "batch in 2025-03-26", revision: r03, send: `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`,
		want: []string{`^\[\{"jsonrpc":"2\.0","id":1,"result":\{\}\}\]$`}},
	{name: "batch with bad elements", revision: r03, send: `[1,{"jsonrpc":"2.0","id":1.5,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"no"}]`,
		want: []string{`^\[\{"jsonrpc":"2\.0","id":null,"error":\{"code":-32600[^]]*\{"jsonrpc":"2\.0","id":null,"error":\{"code":-32600[^]]*\{"jsonrpc":"2\.0","id":2,"error":\{"code":-32601[^]]*\]$`}},
	{name: "batch with initialize", revision: r03, send: `[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}]`,
		want: []string{`^\[\{"jsonrpc":"2\.0","id":1,"error":\{"code":-32600,.*\]$`}},
	{name: "batch of notifications", revision: r03, send: `[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`},
	{name: "empty batch", revision: r03, send: `[]`, want: []string{refused("null", "-32600", ".*")}},
	{name: "truncated batch", revision: r03, send: `[{"jsonrpc":"2.0","id":1,"method":"ping"}`, want: []string{refused("null", "-32700", ".*")}},
	{name: "batch of 2,000", revision: r03, send: `[1` + strings.Repeat(`,1`, 1999) + `]`, want: []string{refused("null", "-32600", ".*")}},

	{name: "unknown method", send: `{"jsonrpc":"2.0","id":1,"method":"tools/destroy"}`, want: []string{refused("1", "-32601", `method not found: .*tools/destroy.*`)}},
	{name: "long unknown method", send: `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("é", 100_000) + `"}`, want: []string{refused("1", "-32601", `.{1,300}`)}},
	{name: "unknown notification", send: `{"jsonrpc":"2.0","method":"notifications/unheard"}`},
	{name: "request as a notification", send: `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"boom"}}`},
	{name: "notification as a request", send: `{"jsonrpc":"2.0","id":1,"method":"notifications/progress"}`, want: []string{refused("1", "-32601", `.*`)}},
	{name: "request before initialize", fresh: true, send: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`,
		want: []string{refused("1", "-32600", ".*not initialized.*")}},
	{name: "unknown method before initialize", fresh: true, send: `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, want: []string{refused("1", "-32601", ".*")}},
	{name: "ping before initialize", fresh: true, send: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, want: []string{answered("1", `\{\}`)}},
	{name: "notification before initialize", fresh: true, send: `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`},
	{name: "initialize with {}", fresh: true, send: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
		want: []string{refused("1", "-32602", `.*protocolVersion.*capabilities.*clientInfo.*`)}},
	{name: "initialize without params", fresh: true, send: `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, want: []string{refused("1", "-32602", `.*`)}},
	{name: "initialize with a number", fresh: true, send: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
		want: []string{refused("1", "-32602", `invalid params: /protocolVersion: .*`)}},
	{name: "initialize as a notification", fresh: true, send: `{"jsonrpc":"2.0","method":"initialize","params":{}}`},
	{name: "second initialize", send: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		want: []string{refused("1", "-32600", ".*already initialized.*")}},
	{name: "a handler that panics", send: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"boom"}}`, want: []string{refused("1", "-32603", "internal error")}},
	{name: "bad params", send: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[]}}`,
		want: []string{refused("1", "-32602", `invalid params: /arguments: .*`)}},
	{name: "invalid params", send: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":""}}`, want: []string{refused("1", "-32602", `invalid params: /name: .*`)}},
	{name: "response to nothing", send: `{"jsonrpc":"2.0","id":77,"result":{}}`},
	{name: "error without id", send: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`},
	{name: "cancelled of nothing", send: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`},
	{name: "cancelled without params", send: `{"jsonrpc":"2.0","method":"notifications/cancelled"}`},
	{name: "cancelled with an object", send: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`},
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%d":0`, i)
	}
	return b.String()
}

// B1
func TestHostile(t *testing.T) {
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newServer(t, tools, runtime.ServerOptions{}, r2024, r03, r06, r11)
				revision := c.revision
				if revision == "" {
					revision = r06
				}
				var conn *conn
				if c.fresh {
					conn = dial(t.Context(), t, server)
				} else {
					conn = open(t.Context(), t, server, revision)
				}
				conn.send(c.send)
				match(t, conn.replies(), c.want)
				conn.send(`{"jsonrpc":"2.0","id":"next","method":"ping"}`)
				match(t, conn.replies(), []string{answered(`"next"`, `\{\}`)})
				if err := conn.hangUp(); err != nil {
					t.Errorf("Serve: %v", err)
				}
			})
		})
	}
}

func match(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %.500q, want %d lines", got, len(want))
	}
	for i := range want {
		if !regexp.MustCompile(want[i]).MatchString(got[i]) {
			t.Errorf("got  %.500s\nwant %s", got[i], want[i])
		}
	}
}

// TestHugeLine sends a line of 100 MB: it is refused once, before it ends, and skipped.
func TestHugeLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := open(t.Context(), t, newServer(t, tools, runtime.ServerOptions{}, r06), r06)
		conn.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"` + strings.Repeat("x", 4<<20-200) + `"}}}`)
		match(t, conn.replies(), []string{`^{"jsonrpc":"2.0","id":1,"result":`})
		chunk := strings.Repeat("x", 1<<20)
		io.WriteString(conn.in, `{"jsonrpc":"2.0","id":1,"method":"`)
		for i := range 100 {
			io.WriteString(conn.in, chunk)
			if i == 10 {
				match(t, conn.replies(), []string{refused("null", "-32600", ".*longer than 4194304 bytes")})
			}
		}
		conn.send(`"}`)
		match(t, conn.replies(), nil)
		conn.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		match(t, conn.replies(), []string{answered("2", `\{\}`)})
		if err := conn.hangUp(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}
