package hostile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
)

// patience is the time limit for an answer.
const patience = testkit.Limit

// peer is a client that sends arbitrary text.
type peer interface {
	// exchange sends a text and returns the answer. Over HTTP it returns "" if there is none.
	// Over stdio the caller says whether to expect one.
	exchange(t *testing.T, text string, quiet bool) (answer string, status int)
	end(t *testing.T)
}

// handshake opens a session in a revision.
func handshake(t *testing.T, p peer, revision string) {
	t.Helper()
	answer, _ := p.exchange(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"hostile","version":"1"}}}`, revision), false)
	if !strings.Contains(answer, `"protocolVersion":"`+revision+`"`) {
		t.Fatalf("initialize: %s", answer)
	}
	p.exchange(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, true)
}

// served checks that the server still serves the peer.
func served(t *testing.T, p peer) {
	t.Helper()
	answer, _ := p.exchange(t, `{"jsonrpc":"2.0","id":"good","method":"tools/call","params":{"name":"greet"}}`, false)
	if want := `{"jsonrpc":"2.0","id":"good","result":{"content":[{"type":"text","text":"hello"}]}}`; !same(answer, want) {
		t.Errorf("a valid request after it: %s", answer)
	}
}

// same reports whether two texts are the same JSON, regardless of the order of members.
func same(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}

// lines is a peer over stdio with its own server.
type lines struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out chan string
}

func overStdio(t *testing.T) peer {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), subjectVariable+"=stdio")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l := &lines{cmd: cmd, in: in, out: make(chan string, 10)}
	go func() {
		defer close(l.out)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			l.out <- line
		}
	}()
	return l
}

func (l *lines) exchange(t *testing.T, text string, quiet bool) (string, int) {
	t.Helper()
	if _, err := io.WriteString(l.in, text+"\n"); err != nil {
		t.Fatal(err)
	}
	if quiet {
		return "", 0
	}
	select {
	case line := <-l.out:
		return line, 0
	case <-time.After(patience):
		t.Fatal("no answer")
		return "", 0
	}
}

// end checks that the server sends nothing more and exits without an error.
func (l *lines) end(t *testing.T) {
	l.in.Close()
	kill := time.AfterFunc(patience, func() { l.cmd.Process.Kill() })
	defer kill.Stop()
	for line := range l.out {
		t.Errorf("unexpected line: %s", line)
	}
	if err := l.cmd.Wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
}

// posts is a peer over Streamable HTTP. It keeps the session that it opened last.
type posts struct {
	url     string
	session string
}

// startHTTP starts one server for all rows and returns its URL.
func startHTTP(t *testing.T) string { return start(t, "http") }

func start(t *testing.T, over string) string {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), subjectVariable+"="+over)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log := new(bytes.Buffer)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	end := sync.OnceFunc(func() { cmd.Process.Kill(); cmd.Wait() })
	t.Cleanup(func() {
		select {
		case <-ended:
			end()
			t.Errorf("the server ended:\n%s", log)
		default:
			end()
		}
	})
	r := bufio.NewReader(out)
	url, err := r.ReadString('\n')
	if err != nil {
		end()
		t.Fatalf("%v\n%s", err, log)
	}
	go func() {
		_, err := r.ReadByte()
		ended <- err
	}()
	return strings.TrimSpace(url)
}

func (p *posts) exchange(t *testing.T, text string, _ bool) (string, int) {
	t.Helper()
	return p.do(t, "POST", text, p.session)
}

func (p *posts) do(t *testing.T, method, text, session string) (string, int) {
	t.Helper()
	req, err := http.NewRequest(method, p.url, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == "GET" {
		req.Header.Set("Accept", "text/event-stream")
	}
	req.Header.Set("Content-Type", "application/json")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := (&http.Client{Timeout: patience}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" && resp.StatusCode == 200 {
		p.session = id
	}
	if typ := resp.Header.Get("Content-Type"); len(body) > 0 && typ != "application/json" {
		t.Errorf("%s with a body of %s: %s", resp.Status, typ, body)
	}
	return string(body), resp.StatusCode
}

func (p *posts) end(t *testing.T) {
	if _, status := p.do(t, "DELETE", "", p.session); status != 204 {
		t.Errorf("DELETE: %d", status)
	}
}
