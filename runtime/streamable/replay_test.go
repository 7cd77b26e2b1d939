package streamable

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// noteAndWait sends an event and waits until it is cancelled.
func noteAndWait(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
	if err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", message.Params); err != nil {
		return nil, err
	}
	return base["wait"](ctx, message)
}

const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`

// resumed returns the response to a client that comes back: the status and the number of messages.
func (r *rig) resumed(id string, session []string) (status, messages int, resp *http.Response) {
	r.t.Helper()
	resp, text := r.do("GET", "", append(session, "Last-Event-ID", id)...)
	if resp.StatusCode == 200 {
		for _, e := range testkit.Events(r.t, strings.NewReader(text), 0) {
			if e.Data != "" {
				messages++
			}
		}
	}
	return resp.StatusCode, messages, resp
}

// TestNothingLeft checks that a client that resumes a stream that has ended gets the events that it has
// missed, or if there are none a response after which it does not ask again, in every revision.
func TestNothingLeft(t *testing.T) {
	for _, revision := range []string{r03, r06, r11} {
		t.Run(revision, func(t *testing.T) {
			r := newRig(t, base.With(mcptest.Handlers{"steps": noteAndWait}), Options{})
			session := []string{"Mcp-Session-Id", r.open(revision)}

			resp := r.request(t.Context(), "POST", mcptest.Call(1, "steps", "{}"), session...)
			defer resp.Body.Close()
			event := testkit.Events(t, resp.Body, 1)[0].ID
			r.do("POST", cancelled, session...)
			if left := testkit.Events(t, resp.Body, 0); len(left) != 0 {
				t.Errorf("after the cancellation: %q", left)
			}
			status, _, resp := r.resumed(event, session)
			if allow := resp.Header.Get("Allow"); status != 405 || allow != "POST, DELETE" {
				t.Errorf("after the last event of a cancelled call: status %d, Allow: %s", status, allow)
			}
			name, _, _ := parseEventID(event)
			if status, n, _ := r.resumed(string(eventID(name, 0)), session); status != 200 || n != 1 {
				t.Errorf("from the beginning of a cancelled call: status %d, %d messages", status, n)
			}

			_, text := r.do("POST", mcptest.Call(1, "note", "{}"), session...)
			events := testkit.Events(t, strings.NewReader(text), 0)
			if status, _, _ := r.resumed(events[2].ID, session); status != 405 {
				t.Errorf("after the answer: status %d", status)
			}
			if status, n, _ := r.resumed(events[1].ID, session); status != 200 || n != 1 {
				t.Errorf("before the answer: status %d, %d messages", status, n)
			}
		})
	}
}

// TestAnswersBecomeStreams checks that an answer that takes longer than StreamAfter can be resumed in
// revisions that allow it, and is JSON in the others.
func TestAnswersBecomeStreams(t *testing.T) {
	for _, disconnect := range []bool{false, true} {
		inBubble(t, Options{Disconnect: disconnect, StreamAfter: 10 * time.Millisecond}, func(t *testing.T, h *Handler, open func(string) []string) {
			for _, c := range []struct {
				revision, method, media string
			}{
				{r11, "echo", "application/json"},
				{r11, "sleep", "text/event-stream"},
				{r06, "sleep", "application/json"},
			} {
				session := open(c.revision)
				w := testkit.Serve(t.Context(), h, "POST", mcptest.Call(1, c.method, `{}`), session...)
				text := w.Body.String()
				if got := w.Header().Get("Content-Type"); got != c.media || !strings.Contains(text, `{"jsonrpc":"2.0","id":1,"result":{}}`) {
					t.Errorf("%s %s: %s: %q", c.revision, c.method, got, text)
				}
				if got := w.Header().Get("Content-Type"); got != "text/event-stream" {
					continue
				}
				events := testkit.Events(t, strings.NewReader(text), 0)
				if len(events) != 2 || events[0].ID == "" || events[0].Data != "" || !strings.Contains(text, "retry: 1000\n") {
					t.Errorf("not primed: %q", text)
				}
				again := testkit.Serve(t.Context(), h, "GET", "", append(session, headerLast, events[0].ID)...)
				if left := testkit.Events(t, again.Body, 0); len(left) != 1 || left[0] != events[1] {
					t.Errorf("resumed: %q, want %q", left, events[1:])
				}
			}
		})
	}
}

// late is an Inbox that takes a message after something else.
type late struct {
	runtime.Inbox
	before func()
}

func (l late) Accept(in runtime.Incoming) func() {
	l.before()
	return l.Inbox.Accept(in)
}

// TestWhatBecomesAStream checks that only the answer to a request becomes a stream: a notification has
// none, and everything else gets an HTTP status.
func TestWhatBecomesAStream(t *testing.T) {
	r := newRig(t, base, Options{})
	for text, want := range map[string]bool{
		mcptest.Call(1, "echo", "{}"):             true,
		mcptest.Initialized:                       false,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:    false,
		`{"jsonrpc":"2.0","id":{},"method":"x"`:   false,
		"[" + mcptest.Call(1, "echo", "{}") + "]": false,
	} {
		session := r.sessionOf(r.open(r11))
		p := r.handler.newPost(httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(text)))
		if err := p.read(); err != nil {
			t.Fatal(err)
		}
		p.timer = time.AfterFunc(time.Hour, func() {})
		session.inbox = late{session.inbox, func() {
			p.keepAlive()
			if got := p.streaming; got != want {
				t.Errorf("%s: %t, want %t", text, got, want)
			}
		}}
		if _, err := p.serveBy(session, false); err != nil {
			t.Error(err)
		}
	}
}
