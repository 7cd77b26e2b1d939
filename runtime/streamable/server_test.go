package streamable

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
)

// TestSession checks the requests of a session from its beginning to its end.
func TestSession(t *testing.T) {
	r := newRig(t, base, Options{})
	id := r.open(r11)
	session := []string{"Mcp-Session-Id", id, "MCP-Protocol-Version", r11}

	resp, text := r.do("POST", mcptest.Call(1, "echo", `{"a":1}`), session...)
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "application/json" || text != `{"jsonrpc":"2.0","id":1,"result":{"a":1}}` {
		t.Errorf("echo: %s %s: %s", resp.Status, resp.Header.Get("Content-Type"), text)
	}
	resp, text = r.do("POST", mcptest.Call(2, "note", `{}`), session...)
	events := testkit.Events(t, strings.NewReader(text), 0)
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" || len(events) != 3 ||
		events[2].Data != `{"jsonrpc":"2.0","id":2,"result":{}}` || !strings.Contains(text, "retry: 1000\n") {
		t.Errorf("note: %s %s: %s", resp.Status, resp.Header.Get("Content-Type"), text)
	}
	if resp, _ := r.do("DELETE", "", session...); resp.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE: %s", resp.Status)
	}
	for method, body := range map[string]string{"POST": mcptest.Call(3, "echo", `{}`), "GET": "", "DELETE": ""} {
		resp, text := r.do(method, body, session...)
		if resp.StatusCode != 404 || codeOf(t, text) != -32600 {
			t.Errorf("%s after DELETE: %s: %s", method, resp.Status, text)
		}
	}
}

// TestNoServer has no server. The panic says so.
func TestNoServer(t *testing.T) {
	defer func() {
		if got := recover(); got != "streamable: the server of a handler is nil" {
			t.Errorf("got %v", got)
		}
	}()
	var server *runtime.Server
	NewHandler(server, Options{})
}

// TestBodyNeverComes checks that a client cannot keep a connection by announcing a body that it does not send, whatever
// it requests, and that a handler may take its time for a request whose body has arrived.
func TestBodyNeverComes(t *testing.T) {
	for _, request := range []string{"GET /healthz", "GET /nowhere", "POST /nowhere", "GET /long", "DELETE /mcp", "GET /mcp", "PUT /mcp", "POST /mcp", "POST /slow"} {
		synctest.Test(t, func(t *testing.T) {
			h := NewHandler(newRuntimeServer(t, base, runtime.ServerOptions{Logger: discard}, r11), Options{IOTimeout: -1})
			defer h.Close()
			mux := http.NewServeMux()
			mux.Handle("/mcp", h)
			mux.HandleFunc("POST /slow", func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				select {
				case <-r.Context().Done():
				case <-time.After(time.Hour):
					_, _ = io.WriteString(w, "done")
				}
			})
			mux.HandleFunc("GET /long", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) })
			MountProbes(mux, h)
			network := testkit.NewNetwork()
			server := NewServer(mux)
			go server.Serve(network)
			defer server.Close()
			conn, err := network.DialContext(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			body, limit := "", time.Minute
			if request == "POST /slow" {
				body, limit = "0123456789", 2*time.Hour
			}
			_, _ = io.WriteString(conn, request+" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n"+
				"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\r\n"+body)
			_ = conn.SetReadDeadline(time.Now().Add(limit))
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			switch {
			case request == "POST /mcp": // the handler has a limit of its own, and none here
				if err == nil {
					t.Errorf("%s: %s", request, resp.Status)
				}
			case err != nil:
				t.Errorf("%s: no response: %v", request, err)
			case request == "POST /slow":
				if text, _ := io.ReadAll(resp.Body); string(text) != "done" {
					t.Errorf("a slow handler was ended: %s %s", resp.Status, text)
				}
			}
		})
	}
}

// TestSlowReader checks that a client which takes its time for a response may send the next request over the same
// connection.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe() // has no buffer
		defer near.Close()
		network := pipeListener{make(chan net.Conn, 1)}
		network.conns <- far
		server := NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if err := r.Context().Err(); err != nil {
				t.Errorf("the context of a new request has ended: %v", err)
			}
			_, _ = w.Write(make([]byte, 1<<20))
		}))
		go server.Serve(network)
		defer server.Close()
		reader := bufio.NewReader(near)
		for range 2 {
			_, _ = io.WriteString(near, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
			resp, err := http.ReadResponse(reader, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.ReadFull(resp.Body, make([]byte, 1<<20))
			time.Sleep(time.Minute)
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Error(err)
			}
		}
	})
}

// pipeListener is a listener of connections that are sent on a channel.
type pipeListener struct{ conns chan net.Conn }

func (l pipeListener) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l pipeListener) Close() error { close(l.conns); return nil }

func (l pipeListener) Addr() net.Addr { return &net.TCPAddr{} }
