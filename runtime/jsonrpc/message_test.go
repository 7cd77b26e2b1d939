package jsonrpc_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// messages holds the cases of TestParse, TestAppend and FuzzParse.
var messages = []struct {
	name string
	text string
	want jsonrpc.Message
	code int64  // of the error, or 0
	says string // part of its message
}{
	{name: "request", text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`,
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1), Method: "tools/call", Params: `{"name":"a"}`}},
	{name: "string id", text: `{"jsonrpc":"2.0","id":"1","method":"ping"}`,
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf("1"), Method: "ping"}},
	{name: "empty string id", text: `{"jsonrpc":"2.0","id":"","method":"ping"}`,
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(""), Method: "ping"}},
	{name: "id 2^53+1", text: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`,
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: scalar(`9007199254740993`), Method: "ping"}},
	{name: "id beyond int64", text: `{"jsonrpc":"2.0","id":92233720368547758080,"method":"ping"}`,
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: scalar(`92233720368547758080`), Method: "ping"}},
	{name: "id 1.0", text: `{"jsonrpc":"2.0","id":1.0,"method":"ping"}`,
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: scalar(`1.0`), Method: "ping"}},
	{name: "white space", text: " { \"method\" : \"m\" ,\r\n\t\"params\" : { } , \"jsonrpc\" : \"2.0\" } ",
		want: jsonrpc.Message{Kind: jsonrpc.Notification, Method: "m", Params: `{ }`}},
	{name: "escaped names", text: `{"json\u0072pc":"2.0","m\u0065thod":"\u006d"}`,
		want: jsonrpc.Message{Kind: jsonrpc.Notification, Method: "m"}},
	{name: "empty method", text: `{"jsonrpc":"2.0","id":1,"method":""}`,
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1)}},
	{name: "unknown members", text: `{"jsonrpc":"2.0","x":{"y":[1]},"method":"m","z":null}`,
		want: jsonrpc.Message{Kind: jsonrpc.Notification, Method: "m"}},
	{name: "params null", text: `{"jsonrpc":"2.0","id":1,"method":"m","params":null}`,
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1), Method: "m"}},
	{name: "error null beside a result", text: `{"jsonrpc":"2.0","id":1,"result":{},"error":null}`,
		want: jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf(1), Result: `{}`}},
	{name: "result null beside an error", text: `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""},"result":null}`,
		want: jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf(1), Error: &jsonrpc.Error{Code: 1}}},
	{name: "result null", text: `{"jsonrpc":"2.0","id":1,"result":null}`,
		want: jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf(1), Result: `null`}},
	{name: "result", text: `{"jsonrpc":"2.0","id":1,"result":{}}`,
		want: jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf(1), Result: `{}`}},
	{name: "error", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":[1]}}`,
		want: jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf(1), Error: &jsonrpc.Error{Code: -32601, Message: "no", Data: `[1]`}}},
	{name: "error with id null", text: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`,
		want: jsonrpc.Message{Kind: jsonrpc.Response, Error: &jsonrpc.Error{Code: -32700, Message: "no"}}},
	{name: "error without id", text: `{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}`,
		want: jsonrpc.Message{Kind: jsonrpc.Response, Error: &jsonrpc.Error{Code: -32700, Message: "no"}}},

	{name: "empty text", text: ``, code: -32700},
	{name: "not JSON", text: `hello`, code: -32700},
	{name: "truncated", text: `{"jsonrpc":"2.0","id":1,"method":"ping"`, code: -32700},
	{name: "truncated in params", text: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":`, code: -32700},
	{name: "trailing bytes", text: `{"jsonrpc":"2.0","id":1,"method":"ping"} xyz`, code: -32700},
	{name: "two values", text: `{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, code: -32700},
	{name: "bad UTF-8 in a result", text: "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xff\"}}", code: -32700,
		want: jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf(1)}},
	{name: "a result cut off", text: `{"jsonrpc":"2.0","id":"1","result":{"a":`, code: -32700,
		want: jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf("1")}},
	{name: "a result cut off before its id", text: `{"jsonrpc":"2.0","result":{"a":`, code: -32700},
	{name: "both null", text: `{"jsonrpc":"2.0","id":1,"result":null,"error":null}`,
		want: jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf(1), Result: `null`}},
	{name: "error null", text: `{"jsonrpc":"2.0","id":1,"error":null}`, code: -32600, says: "error",
		want: jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf(1), Error: &jsonrpc.Error{}}},
	{name: "bad UTF-8", text: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}", code: -32700},
	{name: "bad UTF-8 in params", text: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\",\"params\":{\"a\":\"\xff\"}}", code: -32700},
	{name: "lone surrogate", text: `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`, code: -32700},
	{name: "duplicate method", text: `{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`, want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1)}, code: -32600},
	{name: "duplicate escaped", text: `{"jsonrpc":"2.0","id":1,"method":"a","\u006dethod":"b"}`, want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1)}, code: -32600},
	{name: "duplicate in a notification", text: `{"jsonrpc":"2.0","method":"a","params":{"n":1,"n":2}}`, want: jsonrpc.Message{Kind: jsonrpc.Notification}, code: -32600},
	{name: "duplicate in a result", text: `{"jsonrpc":"2.0","id":1,"result":{"n":1,"n":2}}`, want: jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf(1)}, code: -32600},
	{name: "duplicate id", text: `{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}`, want: jsonrpc.Message{Kind: jsonrpc.Request}, code: -32600},
	{name: "duplicate unknown", text: `{"jsonrpc":"2.0","id":1,"method":"a","x":1,"x":1}`, want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1)}, code: -32600},
	{name: "duplicate in params", text: `{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":1,"n":2}}`, want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1)}, code: -32600},
	{name: "deep", text: `{"jsonrpc":"2.0","id":1,"method":"a","params":` + strings.Repeat(`{"a":`, 100_000) + `1` + strings.Repeat(`}`, 100_000) + `}`, code: -32700},
	{name: "bad after fault", text: `{"jsonrpc":1,"id":true,"method":"a"`, code: -32700},

	{name: "array", text: `[]`, code: -32600, says: "object"},
	{name: "number", text: `1`, code: -32600, says: "object"},
	{name: "no members", text: `{}`, code: -32600, says: "neither"},
	{name: "other case", text: `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, code: -32600, says: "neither",
		want: jsonrpc.Message{ID: wire.ScalarOf(1)}},
	{name: "no version", text: `{"id":1,"method":"ping"}`, code: -32600, says: "jsonrpc",
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1), Method: "ping"}},
	{name: "version 1.0", text: `{"jsonrpc":"1.0","id":1,"method":"ping"}`, code: -32600, says: "jsonrpc",
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1), Method: "ping"}},
	{name: "version number", text: `{"jsonrpc":2.0,"id":1,"method":"ping"}`, code: -32600, says: "jsonrpc",
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1), Method: "ping"}},
	{name: "id 1e30", text: `{"jsonrpc":"2.0","id":1e30,"method":"ping"}`,
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: scalar(`1e30`), Method: "ping"}},
	{name: "id 1e400", text: `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, code: -32600, says: "id is a number beyond the range of a float64",
		want: jsonrpc.Message{Kind: jsonrpc.Request, Method: "ping"}},
	{name: "id 1e400 beside a repeated member", text: `{"jsonrpc":"2.0","id":1e400,"method":"ping","method":"ping"}`, code: -32600,
		want: jsonrpc.Message{Kind: jsonrpc.Request}},
	{name: "id of 1,024 bytes", text: `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1024) + `","method":"ping"}`,
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(strings.Repeat("x", 1024)), Method: "ping"}},
	{name: "id of 1,025 bytes", text: `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1025) + `","method":"ping"}`, code: -32600, says: "id is longer than 1024 bytes",
		want: jsonrpc.Message{Kind: jsonrpc.Request, Method: "ping"}},
	{name: "id 1.0 with many digits", text: `{"jsonrpc":"2.0","id":1.` + strings.Repeat("0", 1024) + `,"method":"ping"}`, code: -32600, says: "id is longer than 1024 bytes",
		want: jsonrpc.Message{Kind: jsonrpc.Request, Method: "ping"}},
	{name: "id 1.5", text: `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, code: -32600, says: "id",
		want: jsonrpc.Message{Kind: jsonrpc.Request, Method: "ping"}},
	{name: "id true", text: `{"jsonrpc":"2.0","id":true,"method":"ping"}`, code: -32600, says: "id",
		want: jsonrpc.Message{Kind: jsonrpc.Request, Method: "ping"}},
	{name: "id object", text: `{"jsonrpc":"2.0","id":{},"method":"ping"}`, code: -32600, says: "id",
		want: jsonrpc.Message{Kind: jsonrpc.Request, Method: "ping"}},
	{name: "id null", text: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, code: -32600, says: "id",
		want: jsonrpc.Message{Kind: jsonrpc.Request, Method: "ping"}},
	{name: "method number", text: `{"jsonrpc":"2.0","id":1,"method":1}`, code: -32600, says: "method",
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1)}},
	{name: "params array", text: `{"jsonrpc":"2.0","id":1,"method":"m","params":[]}`, code: -32600, says: "params",
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1), Method: "m", Params: `[]`}},
	{name: "method and result", text: `{"jsonrpc":"2.0","id":1,"method":"m","result":{}}`, code: -32600, says: "both",
		want: jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1), Method: "m", Result: `{}`}},
	{name: "result and error", text: `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`, code: -32600, says: "both",
		want: jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf(1), Result: `{}`}},
	{name: "result without id", text: `{"jsonrpc":"2.0","result":{}}`, code: -32600, says: "without an id",
		want: jsonrpc.Message{Kind: jsonrpc.Response, Result: `{}`}},
	{name: "error string", text: `{"jsonrpc":"2.0","id":1,"error":"no"}`, code: -32600, says: "error",
		want: jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf(1), Error: &jsonrpc.Error{}}},
	{name: "error without code", text: `{"jsonrpc":"2.0","id":1,"error":{"message":"no"}}`, code: -32600, says: "code",
		want: jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf(1), Error: &jsonrpc.Error{Message: "no"}}},
}

func scalar(token string) wire.Scalar {
	var s wire.Scalar
	if err := wire.UnmarshalString(token, &s); err != nil {
		panic(err)
	}
	return s
}

var scalars = cmp.Comparer(func(a, b wire.Scalar) bool { return a == b })

func TestParse(t *testing.T) {
	for _, c := range messages {
		t.Run(c.name, func(t *testing.T) {
			got, err := jsonrpc.Parse(c.text)
			if diff := cmp.Diff(c.want, got, scalars); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			e, _ := errors.AsType[*jsonrpc.Error](err)
			switch {
			case c.code == 0 && err != nil:
				t.Errorf("error %v", err)
			case c.code != 0 && (e == nil || e.Code != c.code || !strings.Contains(e.Message, c.says)):
				t.Errorf("error %v, want code %d and %q", err, c.code, c.says)
			}
		})
	}
}

func TestAppend(t *testing.T) {
	for _, c := range messages {
		if c.code != 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			text, err := c.want.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := jsonrpc.Parse(string(text))
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			want := c.want
			if want.Params == `{ }` {
				want.Params = `{}`
			}
			if diff := cmp.Diff(want, got, scalars); diff != "" {
				t.Errorf("%s (-want +got):\n%s", text, diff)
			}
		})
	}
}

func TestAppendText(t *testing.T) {
	for _, c := range []struct {
		m    jsonrpc.Message
		want string
	}{
		{jsonrpc.Message{Kind: jsonrpc.Request, ID: scalar(`9007199254740993`), Method: "a\n", Params: "{ \"a\" :\n1 }"},
			`{"jsonrpc":"2.0","id":9007199254740993,"method":"a\n","params":{"a":1}}`},
		{jsonrpc.Message{Kind: jsonrpc.Notification, Method: "m"}, `{"jsonrpc":"2.0","method":"m"}`},
		{jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.ScalarOf("1"), Result: `{}`}, `{"jsonrpc":"2.0","id":"1","result":{}}`},
		{jsonrpc.Message{Kind: jsonrpc.Response, Error: &jsonrpc.Error{Code: -32700, Message: "bad \xff", Data: `null`}},
			`{"jsonrpc":"2.0","error":{"code":-32700,"message":"bad ` + "\uFFFD" + `","data":null}}`},
		{jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.NullScalar(), Error: &jsonrpc.Error{Code: -32700, Message: "bad"}},
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}}`},
	} {
		got, err := c.m.AppendJSON(nil)
		if err != nil || string(got) != c.want {
			t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
		}
	}
}

func TestAppendRefusesBadRaw(t *testing.T) {
	for _, m := range []jsonrpc.Message{
		{Kind: jsonrpc.Request, ID: wire.ScalarOf(1), Method: "m", Params: `{`},
		{Kind: jsonrpc.Request, ID: wire.ScalarOf(1), Method: "\xff"},
		{Kind: jsonrpc.Response, ID: wire.ScalarOf(1)},
		{Kind: jsonrpc.Response, ID: wire.ScalarOf(1), Error: &jsonrpc.Error{Data: `]`}},
	} {
		if text, err := m.AppendJSON(nil); err == nil {
			t.Errorf("%+v encoded as %s", m, text)
		}
	}
}

func TestParseBatch(t *testing.T) {
	batch := jsonrpc.ParseText(` [ {"jsonrpc":"2.0","id":1,"method":"a"}, 1, {"jsonrpc":"2.0","method":"b"}, {"jsonrpc":"2.0","id":1.5,"method":"c"} ] `)
	if batch.Err != nil {
		t.Fatal(batch.Err)
	}
	var got []string
	for _, item := range batch.Batch {
		verdict := "ok"
		if item.Err != nil {
			verdict = "bad"
		}
		got = append(got, item.Kind.String()+" "+item.Method+" "+verdict)
	}
	want := []string{"request a ok", "unknown  bad", "notification b ok", "request c bad"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	many := func(n int) string { return "[" + strings.Repeat("1,", n-1) + "1]" }
	for text, code := range map[string]int64{`[]`: -32600, many(jsonrpc.MaxBatch + 1): -32600, `[`: -32700, `[1] x`: -32700, `[{"a":1,"a":2}]`: -32700} {
		err := jsonrpc.ParseText(text).Err
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != code {
			t.Errorf("%.100s: %v, want code %d", text, err, code)
		}
	}
	if batch := jsonrpc.ParseText(many(jsonrpc.MaxBatch)); batch.Err != nil || len(batch.Batch) != jsonrpc.MaxBatch {
		t.Errorf("%d messages: %v", len(batch.Batch), batch.Err)
	}
}

func TestIsBatch(t *testing.T) {
	for text, want := range map[string]bool{"": false, " ": false, "{}": false, " \t\r\n[": true, "[]": true, "x[": false} {
		if got := jsonrpc.IsBatch(text); got != want {
			t.Errorf("IsBatch(%q) = %t", text, got)
		}
	}
}

// FuzzParse checks that Parse returns a message or a sendable error for every text, that it
// parses what it wrote to the same message, and that it agrees with ParseText on an array
// with the same text.
func FuzzParse(f *testing.F) {
	for _, c := range messages {
		if len(c.text) < 1000 {
			f.Add(c.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := jsonrpc.Parse(text)
		if err != nil {
			e, ok := errors.AsType[*jsonrpc.Error](err)
			if !ok || e.Code != jsonrpc.CodeParseError && e.Code != jsonrpc.CodeInvalidRequest {
				t.Fatalf("error %v", err)
			}
			if _, err := e.Answer(m.ID).AppendJSON(nil); err != nil {
				t.Fatalf("an error that cannot be sent: %v", err)
			}
			return
		}
		again, err := m.AppendJSON(nil)
		if err != nil {
			t.Fatalf("a message that cannot be written: %v", err)
		}
		back, err := jsonrpc.Parse(string(again))
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if back.ID != m.ID || back.Method != m.Method || back.Kind != m.Kind {
			t.Fatalf("%s came back as %+v", again, back)
		}
		batch := jsonrpc.ParseText("[" + text + "]")
		if batch.Err != nil || len(batch.Batch) != 1 || batch.Batch[0].Err != nil {
			t.Fatalf("in a batch: %v, %v", batch.Batch, batch.Err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	const start = `{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"get_weather","arguments":{"location":"Berlin","days":3,"units":"metric"},`
	const terms = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"}}`
	for _, row := range []struct{ name, meta string }{
		{"session", `"_meta":{"progressToken":7}`},
		{"stateless", terms},
	} {
		text := start + row.meta + "}}"
		b.Run(row.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := jsonrpc.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
