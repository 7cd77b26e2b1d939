package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

func entries(t *testing.T, text string) []Entry {
	t.Helper()
	r, err := NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var all []Entry
	for {
		e, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
}

// TestRoundTrip checks that entries are read as they were written, byte by byte.
func TestRoundTrip(t *testing.T) {
	want := []Entry{
		{Kind: Message, From: Client, Transport: Stdio, Text: "{\"jsonrpc\": \"2.0\",  \"id\":1}<&>\u2028"},
		{Kind: Message, From: Server, Transport: Stdio, Text: "no UTF-8: \xff"},
		{Kind: Request, From: Client, Transport: HTTP, Session: "sha256:1", Exchange: 7, Method: "POST", Path: "/mcp", Header: map[string]string{"Accept": "*/*"}, Text: "[]"},
		{Kind: Response, From: Server, Transport: HTTP, Exchange: 7, Status: 202, Header: map[string]string{}},
		{Kind: Event, From: Server, Transport: HTTP, Exchange: 7, EventID: "1", EventType: "message", Text: "{}"},
		{Kind: End, From: Server, Transport: HTTP, Exchange: 7},
		{Kind: Message, From: Server, Unread: "too long"},
		{Kind: Close, From: Client, Transport: Stdio},
	}
	var text strings.Builder
	w := NewWriter(&text)
	for i := range want {
		want[i].Time, want[i].Line = time.Unix(int64(i), 5).UTC(), i+2
		w.Write(want[i])
	}
	if w.Err() != nil {
		t.Fatal(w.Err())
	}
	if diff := cmp.Diff(want, entries(t, text.String())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// A truncated file is readable up to the cut.
	cutOff := text.String()[:text.Len()-10]
	if got := entries(t, cutOff); len(got) != len(want) || got[len(got)-2].Unread == "" {
		t.Errorf("truncated recording: got %d entries", len(got))
	}
}

// TestOtherTypes reads an entry that was written by hand, with members of other types than those that are written.
func TestOtherTypes(t *testing.T) {
	text := `{"kind":"request","time":5,"direction":"client","transport":"http","exchange":"1","http":{"method":"POST","status":"200","headers":{"Accept":"*/*","Content-Length":12}},"message":{"id":1}}`
	want := []Entry{{Kind: Request, From: Client, Transport: HTTP, Method: "POST", Header: map[string]string{"Accept": "*/*", "Content-Length": ""}, Text: `{"id":1}`, Line: 2}}
	if diff := cmp.Diff(want, entries(t, "{\"mcpgen\":\"recording\",\"version\":1}\n"+text+"\n")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestNewerVersion(t *testing.T) {
	r, err := NewReader(strings.NewReader(`{"mcpgen":"recording","version":2}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("got %v", err)
	}
}

func TestRedactor(t *testing.T) {
	r, _ := NewRedactor()
	got := r.Header(http.Header{
		"Authorization": {"Bearer secret"}, "Cookie": {"a=secret"}, "Mcp-Session-Id": {"secret"}, "X-Own": {"secret"}, "Mcp-Name": {"n"}, "Mcp-Param-Region": {"r"},
		"Accept": {"a/b", "c/d"}, "Www-Authenticate": {`Bearer realm="secret"`},
	})
	want := map[string]string{
		"Authorization": "redacted", "Cookie": "redacted", "Mcp-Session-Id": r.Digest("secret"), "Mcp-Name": "n", "Mcp-Param-Region": "r",
		"Accept": "a/b, c/d", "Www-Authenticate": "Bearer",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	u, err := url.Parse("http://h/a/b?sessionId=secret&x")
	if err != nil {
		t.Fatal(err)
	}
	if path := r.Path(u); path != "/a/b?sessionId="+r.Digest("secret")+"&x" {
		t.Errorf("path %s", path)
	}
	e, _ := r.Entry(Entry{Text: r.Path(u)})
	if e.Text != r.Path(u) {
		t.Errorf("endpoint %s", e.Text)
	}
	if path := r.Path(&url.URL{Path: "/mcp/sk-abcdefghijklmnopqrstu/sse"}); !strings.HasPrefix(path, "/mcp/"+RedactedPrefix) || !strings.HasSuffix(path, "/sse") {
		t.Errorf("path %s", path)
	}
	if d := r.Digest("a b"); !strings.HasSuffix(d, Invalid) || strings.HasSuffix(r.Digest("ab"), Invalid) {
		t.Errorf("digest %s", d)
	}
}

func inUTF16(s string, order binary.AppendByteOrder, mark bool) string {
	var b []byte
	if mark {
		b = order.AppendUint16(b, 0xfeff)
	}
	for _, unit := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

func compressed(t *testing.T, s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDecode(t *testing.T) {
	text := "{\"a\":\"ä😀\"}\n" + strings.Repeat("x", 10000)
	for name, in := range map[string]string{
		"UTF-8":                     text,
		"UTF-8 with a mark":         "\xef\xbb\xbf" + text,
		"UTF-16LE with a mark":      inUTF16(text, binary.LittleEndian, true),
		"UTF-16BE with a mark":      inUTF16(text, binary.BigEndian, true),
		"UTF-16LE":                  inUTF16(text, binary.LittleEndian, false),
		"UTF-16BE":                  inUTF16(text, binary.BigEndian, false),
		"gzip":                      compressed(t, text),
		"gzip with UTF-16LE":        compressed(t, inUTF16(text, binary.LittleEndian, true)),
		"gzip of several, appended": compressed(t, text[:9]) + compressed(t, text[9:]),
	} {
		r, err := Decode(strings.NewReader(in))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != text {
			t.Errorf("%s: %.40q, %v", name, got, err)
		}
	}
	for in, want := range map[string]string{
		"PK\x03\x04...": "zip", "\x28\xb5\x2f\xfd...": "zstd", "BZh9": "bzip2", "\xfd7zXZ\x00": "xz", "{\x00\x00\x00": "UTF-32",
		compressed(t, compressed(t, text)): "more than once",
	} {
		if _, err := Decode(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.4q: %v, want %q", in, err, want)
		}
	}
	if r, err := Decode(strings.NewReader("")); err != nil || r == nil {
		t.Errorf("empty: %v", err)
	}
}

func TestLabels(t *testing.T) {
	const message = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for line, want := range map[string]Side{
		message:             Unknown,
		"[" + message + "]": Unknown,
		`{"direction":"client->server","time":1,"message":` + message + `}`:       Client,
		`{"dir":"s2c","msg":` + message + `}`:                                     Server,
		`{"from":"server","message":"{\"jsonrpc\":\"2.0\"}"}`:                     Server,
		`2025-06-18T12:00:00Z [x] [info] Message from client: ` + message + ` {}`: Client,
		`2025-06-18T12:00:00Z [x] [info] Message from server: ` + message + ` {}`: Server,
		`client → server: ` + message:                                             Client,
		`client <- server: ` + message:                                            Server,
		`[sse] SSE → Child: ` + message:                                           Client,
		`to server ` + message:                                                    Client,
	} {
		e := entries(t, line)[0]
		if e.From != want || e.Kind != Message || !strings.Contains(e.Text, `"jsonrpc"`) || !IsValue(e.Text) {
			t.Errorf("%s: %+v", line, e)
		}
	}
	if e := entries(t, `listening on port 80 {"port":80}`)[0]; e.Kind != Log {
		t.Errorf("a line of something else: %+v", e)
	}
	if e := entries(t, `{"direction":"server->client","message":"listening"}`)[0]; e.Kind != Message || e.From != Server || e.Text != "listening" {
		t.Errorf("text of a side: %+v", e)
	}
	// The sides behind "read" and "write" are known after initialize.
	for first, sides := range map[string][2]Side{"read": {Client, Server}, "write": {Client, Client}} {
		got := entries(t, first+`: {"jsonrpc":"2.0","id":0,"method":"initialize"}`+"\nwrite: "+message)
		if got[0].From != sides[0] || got[1].From != sides[1] {
			t.Errorf("%s: %q, then %q", first, got[0].From, got[1].From)
		}
	}
}

// FuzzReader checks that reading ends and returns only known errors.
func FuzzReader(f *testing.F) {
	f.Add([]byte(`{"mcpgen":"recording","version":1}` + "\n" + `{"kind":"request","direction":"client->server","http":{"headers":{"a":1}},"message":{}}`))
	f.Add([]byte("\xff\xfe{\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := NewReader(bytes.NewReader(in))
		for err == nil {
			_, err = r.Next()
		}
	})
}
