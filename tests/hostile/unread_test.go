package hostile

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// stuck is a pipe that nobody reads. Like the standard output of a process, it does not notice that it is closed while
// a write waits. Its first answers have room.
type stuck struct {
	room  int
	never chan struct{}
}

func (s *stuck) Write(p []byte) (int, error) {
	if s.room -= len(p); s.room >= 0 {
		return len(p), nil
	}
	<-s.never
	return 0, io.ErrClosedPipe
}

// TestUnreadStdio checks that a server over stdio ends within the five seconds that supervisors give a process, if its
// client reads nothing: when the client closes the server's input, and when the server gets a signal.
func TestUnreadStdio(t *testing.T) {
	for _, end := range []string{"the input ends", "a signal"} {
		for _, calls := range []int{1, 90, 150, 1000} {
			t.Run(fmt.Sprintf("%s after %d calls", end, calls), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					x := newTarget(t)
					in, send := io.Pipe()
					out := &stuck{room: 10_000, never: make(chan struct{})}
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					ended := make(chan error, 1)
					go func() { ended <- x.Serve(ctx, &stdio.Transport{In: in, Out: out}) }()
					go func() {
						fmt.Fprintln(send, requestAs(`"open"`, "initialize", `{"protocolVersion":"`+r11+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`))
						fmt.Fprintln(send, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
						for i := range calls {
							fmt.Fprintln(send, requestAs(fmt.Sprint(i), "tools/call", `{"name":"large","arguments":{"size":100000}}`))
						}
						if end == "the input ends" {
							send.Close()
						}
					}()
					if end == "a signal" {
						time.Sleep(10 * time.Second)
						cancel()
					}
					signalled := time.Now()
					<-ended
					if took := time.Since(signalled); took >= 5*time.Second {
						t.Errorf("the server ran on for %s", took)
					}
					close(out.never)
					send.Close()
				})
			})
		}
	}
}

// TestLargeAnswerIsNotResumed checks that a client that has lost the connection before an answer that is too large to
// be kept gets to know that, when it comes back for the answer.
func TestLargeAnswerIsNotResumed(t *testing.T) {
	h := newTarget(t).serve(t, streamable.Options{Events: streamable.NewMemoryEvents(megabyte), StreamAfter: time.Nanosecond})
	session := open(t, h)
	for size, want := range map[int]string{
		100_000: `"text":"xxxx`,
		200_000: `"error":{"code":-32603`,
	} {
		// The client leaves while the answer is written, behind the event from which it can resume.
		lost := &gated{ResponseRecorder: httptest.NewRecorder()}
		lost.write = func(p []byte) error {
			if len(p) > 1000 {
				return errGone
			}
			return nil
		}
		h.ServeHTTP(lost, post(t.Context(), request("tools/call", fmt.Sprintf(`{"_meta":{"progressToken":1},"name":"large_later","arguments":{"size":%d}}`, size)), 0, "", "", session))
		_, last, ok := strings.Cut(lost.Body.String(), "id: ")
		if !ok {
			t.Fatalf("no event with an id: %d %q", lost.Code, lost.Body)
		}
		last, _, _ = strings.Cut(last, "\n")
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept", "text/event-stream")
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Last-Event-Id", last)
		if w := answer(h, r); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"id":1,`) || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%d bytes: %d %.300s", size, w.Code, w.Body)
		}
	}
}
