package proxy_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/proxy"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
)

// asServer makes the test binary act as a server that answers line by line.
const asServer = "MCPGEN_TEST_SERVER"

func TestMain(m *testing.M) {
	switch os.Getenv(asServer) {
	case "":
		os.Exit(m.Run())
	case "stubborn", "parent", "deaf":
		stay(os.Getenv(asServer))
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fmt.Print(answer(lines.Text()))
	}
}

const (
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	opened     = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
	ready      = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	list       = `{"jsonrpc":"2.0",  "id":1,"method":"tools/list"}`
	listed     = `{"jsonrpc":"2.0","id":1,"result":{"tools":7}}`
	bad        = `/result/tools: expected an array, found a number`
)

// answer returns the server's reply to a line. The replies have all allowed line ends.
func answer(line string) string {
	switch line {
	case initialize:
		return opened + "\r\n\n"
	case list:
		return listed + "\n"
	}
	return ""
}

// findings collects the findings that a tap reports.
type findings struct {
	mu  sync.Mutex
	all []string
}

func (f *findings) add(one proxy.Finding) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one.Level == audit.Note || strings.HasPrefix(string(one.Rule), "http-") || one.Rule == "unanswered" {
		return // the rules of HTTP have their own tests
	}
	f.all = append(f.all, fmt.Sprintf("%d %s: %s: %s", one.Number, one.From, one.Pointer, one.Problem))
}

func TestStdio(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asServer+"=1")
	var found findings
	tap := proxy.NewTap(audit.Options{}, new(recording.Redactor), nil, found.add)
	in, client := io.Pipe()
	server, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- tap.Stdio(t.Context(), cmd, in, out)
		out.Close()
	}()
	var heard strings.Builder
	lines := bufio.NewReader(server)
	read := func() {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		heard.WriteString(line)
	}
	io.WriteString(client, initialize[:20]) // writes the messages in pieces
	io.WriteString(client, initialize[20:]+"\n")
	read()
	read()
	io.WriteString(client, ready+"\n"+list+"\n")
	read()
	client.Close()
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	heard.Write(rest)
	if err := <-done; err != nil {
		t.Error(err)
	}
	tap.Close()
	if want := opened + "\r\n\n" + listed + "\n"; heard.String() != want {
		t.Errorf("the client heard %q, want %q", heard.String(), want)
	}
	if diff := cmp.Diff([]string{"5 server: " + bad}, found.all); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if n := tap.Counts(); n.Messages != 5 || n.Errors != 1 {
		t.Errorf("%+v", n)
	}
}

func TestStdioErrors(t *testing.T) {
	tap := proxy.NewTap(audit.Options{}, new(recording.Redactor), nil, func(proxy.Finding) {})
	defer tap.Close()
	in, client := io.Pipe() // a client that does not close its end
	defer client.Close()
	if err := tap.Stdio(t.Context(), exec.Command("/does/not/exist"), in, io.Discard); err == nil {
		t.Error("a command that does not exist")
	}
	if err := tap.Stdio(t.Context(), exec.Command("false"), in, io.Discard); err == nil {
		t.Error("a command that fails")
	}
}

// post sends a message through the proxy and returns the response.
func post(t *testing.T, to, session, text string) (http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	return do(t, r)
}

func do(t *testing.T, r *http.Request) (http.Header, string) {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Header, string(body)
}

// through starts a server behind a proxy.
func through(t *testing.T, found *findings, server http.HandlerFunc) (string, *proxy.Tap) {
	t.Helper()
	target := httptest.NewServer(server)
	t.Cleanup(target.Close)
	u, err := url.Parse(target.URL)
	if err != nil {
		t.Fatal(err)
	}
	tap := proxy.NewTap(audit.Options{}, new(recording.Redactor), nil, found.add)
	front := httptest.NewServer(tap.HTTP(proxy.Upstream{URL: u}, log.New(t.Output(), "", 0)))
	t.Cleanup(front.Close)
	return front.URL, tap
}

func TestStreamable(t *testing.T) {
	const stream = "id: 1\r\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{\"tools\":7}}\n\n: comment\n\nid: 2\ndata:\n\n"
	var found findings
	front, tap := through(t, &found, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case string(body) == initialize:
			w.Header().Set("Mcp-Session-Id", "abc")
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			io.WriteString(w, opened)
		case string(body) == ready:
			w.WriteHeader(http.StatusAccepted)
		default: // the list and the resumed stream
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, stream)
		}
	})
	if header, body := post(t, front+"/mcp", "", initialize); body != opened || header.Get("Mcp-Session-Id") != "abc" {
		t.Errorf("%s %v", body, header)
	}
	post(t, front+"/mcp", "abc", ready)
	if _, body := post(t, front+"/mcp", "abc", list); body != stream {
		t.Errorf("the client heard %q", body)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, front+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Mcp-Session-Id", "abc")
	r.Header.Set("Last-Event-ID", "0")
	if _, body := do(t, r); body != stream {
		t.Errorf("the client heard %q", body)
	}
	tap.Close()
	want := []string{"5 server: " + bad}
	if diff := cmp.Diff(want, found.all); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestStateless checks a server without sessions: a header names the revision.
func TestStateless(t *testing.T) {
	var found findings
	front, tap := through(t, &found, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, listed)
	})
	post(t, front, "", list)
	tap.Close()
	if diff := cmp.Diff([]string{"2 server: " + bad}, found.all); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestHeaders checks that the headers of a request of a revision without sessions pass and are
// compared with its message (H23, H51).
func TestHeaders(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":%q}]}}`, r.Header.Get("Mcp-Name"))
	}))
	defer target.Close()
	u, err := url.Parse(target.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, want string }{{"t", "[]"}, {"u", "[http-header-mismatch http-header-accepted]"}, {"=?base64?dA==?=", "[]"}} {
		rules := []audit.Rule{}
		tap := proxy.NewTap(audit.Options{}, new(recording.Redactor), nil, func(f proxy.Finding) { rules = append(rules, f.Rule) })
		front := httptest.NewServer(tap.HTTP(proxy.Upstream{URL: u}, log.New(t.Output(), "", 0)))
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front.URL, strings.NewReader(call))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": test.name,
		} {
			r.Header.Set(name, value)
		}
		_, body := do(t, r)
		front.Close()
		tap.Close()
		if got := fmt.Sprint(rules); got != test.want || !strings.Contains(body, fmt.Sprintf("%q", test.name)) {
			t.Errorf("%s: got %s, want %s; the client heard %s", test.name, got, test.want, body)
		}
	}
}

func TestSSE(t *testing.T) {
	var found findings
	posted := make(chan string)
	front, tap := through(t, &found, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			posted <- r.URL.RequestURI() + " " + string(body)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "event: endpoint\ndata: /messages?id=7\n\n")
		w.(http.Flusher).Flush()
		for range 2 {
			if text, _ := strings.CutPrefix(<-posted, "/messages?id=7 "); answer(text) != "" {
				fmt.Fprintf(w, "event: message\ndata: %s\n\n", strings.TrimSpace(answer(text)))
				w.(http.Flusher).Flush()
			}
		}
	})
	stream, err := http.Get(front + "/sse")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	lines := bufio.NewScanner(stream.Body)
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		t.Fatal("the stream has ended")
		return ""
	}
	to := front + next()
	post(t, to, "", initialize)
	if got := next(); got != opened {
		t.Errorf("the client heard %q", got)
	}
	post(t, to, "", list)
	next()
	tap.Close()
	want := []string{
		"4 server: " + bad,
		"3 client: : notifications/initialized must come after the answer to initialize, but never came",
	}
	if diff := cmp.Diff(want, found.all); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestUnread(t *testing.T) {
	var found findings
	front, tap := through(t, &found, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "br")
		io.WriteString(w, "x")
	})
	post(t, front, "", list)
	tap.Close()
	if n := tap.Counts(); n.Messages != 1 || n.Notes == 0 || len(found.all) > 0 {
		t.Errorf("%+v, found %q", n, found.all)
	}
}

// BenchmarkLine measures the time that the tap adds to a message, which is queued for the
// check.
func BenchmarkLine(b *testing.B) {
	cmd := exec.Command("cat")
	tap := proxy.NewTap(audit.Options{}, new(recording.Redactor), nil, func(proxy.Finding) {})
	in, client := io.Pipe()
	server, out := io.Pipe()
	go tap.Stdio(b.Context(), cmd, in, out)
	lines := bufio.NewReader(server)
	for b.Loop() {
		io.WriteString(client, list+"\n")
		if _, err := lines.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
	client.Close()
}

// TestRecord checks that every byte of the messages is recorded, and no secret.
func TestRecord(t *testing.T) {
	var file bytes.Buffer
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Mcp-Session-Id", "secret session")
		w.Header().Set("Set-Cookie", "secret cookie")
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "id: 1\ndata: "+listed+"\n\n")
	}))
	defer target.Close()
	u, err := url.Parse(target.URL)
	if err != nil {
		t.Fatal(err)
	}
	tap := proxy.NewTap(audit.Options{}, new(recording.Redactor), recording.NewWriter(&file), func(proxy.Finding) {})
	front := httptest.NewServer(tap.HTTP(proxy.Upstream{URL: u}, log.New(t.Output(), "", 0)))
	defer front.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front.URL+"/mcp?key=secretkey", strings.NewReader(list))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer secret")
	do(t, r)
	packed, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front.URL+"/mcp", strings.NewReader("a compressed secret"))
	if err != nil {
		t.Fatal(err)
	}
	packed.Header.Set("Content-Encoding", "gzip")
	do(t, packed)
	tap.Close()
	if strings.Contains(file.String(), "secret") {
		t.Errorf("the recording contains a secret:\n%s", &file)
	}
	in, err := recording.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		e, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(e.Kind, " ", e.From, " ", e.Exchange, " ", e.EventID, " ", e.Text))
	}
	want := []string{
		"request client 1  " + list, "response server 1  ", "event server 1 1 " + listed, "end server 1  ",
		"request client 2  ", "response server 2  ", "event server 2 1 " + listed, "end server 2  ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
