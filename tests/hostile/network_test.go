package hostile

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// hasty is the read timeout of a hasty server, for the header and for the body.
	hasty = 5 * time.Second
	// maxIdlers is the number of idle connections, if the process may have so many files open.
	maxIdlers = 10_000
	// spareFiles are reserved for the other files of the process.
	spareFiles = 300
)

// idlers are texts of clients that block a connection. The first text is sent at once, and the
// second byte by byte.
var idlers = []struct {
	name, first, slow string
	status            string // the expected answer, or ""
}{
	{name: "says nothing"},
	{name: "half a header", first: "POST / HTTP/1.1\r\nHost: localhost\r\nX-A"},
	{name: "a slow header", first: "POST / HTTP/1.1\r\nHost: localhost\r\nX-A: ", slow: strings.Repeat("a", 1000)},
	{name: "half a body", first: idlerHead + `{"jsonrpc":`, status: " 408 "},
	{name: "a slow body", first: idlerHead, slow: strings.Repeat(" ", 1000), status: " 408 "},
}

const idlerHead = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
	"Accept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n"

// TestIdleConnections checks that thousands of idle or slow connections do not keep the server
// from serving others, and that the server closes them.
func TestIdleConnections(t *testing.T) {
	url := start(t, "hasty")
	address := strings.Trim(strings.TrimPrefix(url, "http://"), "/")
	n := max(min(maxIdlers, openFiles()-spareFiles), 100)
	t.Logf("%d connections", n)
	conns := make([]net.Conn, 0, n)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for i := range n {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		conns = append(conns, c)
		io.WriteString(c, idlers[i%len(idlers)].first)
	}
	full := make(chan struct{}) // closed to stop the slow writer
	var trickle sync.WaitGroup
	trickle.Go(func() {
		for sent := 0; ; sent++ {
			for i, c := range conns {
				if slow := idlers[i%len(idlers)].slow; sent < len(slow) {
					io.WriteString(c, slow[sent:sent+1]) // fails once the server has closed the connection
				}
			}
			select {
			case <-full:
				return
			case <-time.After(hasty / 20):
			}
		}
	})
	var others sync.WaitGroup
	for range 10 {
		others.Go(func() {
			p := &posts{url: url}
			handshake(t, p, r11)
			for range 30 {
				served(t, p)
			}
			p.end(t)
		})
	}
	others.Wait()
	for i, c := range conns {
		who := idlers[i%len(idlers)]
		c.SetReadDeadline(time.Now().Add(patience))
		r := bufio.NewReader(c)
		line, err := r.ReadString('\n')
		if os.IsTimeout(err) {
			t.Fatalf("%s: the connection is still open", who.name)
		}
		// The answer may be lost: the connection is reset if the server closes it while bytes
		// are on their way.
		if line != "" && who.status != "" && !strings.Contains(line, who.status) {
			t.Errorf("%s: %q; want %q", who.name, line, who.status)
		}
		c.Close()
	}
	close(full)
	trickle.Wait()
	p := &posts{url: url}
	handshake(t, p, r11)
	served(t, p)
	p.end(t)
}

// TestLargeHeaders checks that the server refuses headers that are too large, and still serves
// the next client.
func TestLargeHeaders(t *testing.T) {
	url := startHTTP(t)
	p := &posts{url: url}
	handshake(t, p, r11)
	for name, header := range map[string]http.Header{
		"a long value": {"X-A": {strings.Repeat("a", 100<<10)}},
		"many values":  {"X-A": strings.Fields(strings.Repeat("a ", 50_000))},
	} {
		req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(request("ping", "{}")))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = header
		resp, err := (&http.Client{Timeout: patience}).Do(req)
		if err != nil {
			// The server may close the connection before the client has sent everything.
			t.Log(name, err)
		} else {
			resp.Body.Close()
			if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
				t.Errorf("%s: %s", name, resp.Status)
			}
		}
		served(t, p)
	}
	p.end(t)
}
