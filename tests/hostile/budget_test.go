package hostile

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// The tests below give a handler a budget of a megabyte, of which messages of more than 64 KB may use 3/4.
const (
	budget = megabyte
	big    = 200 << 10
)

// whole is the length of a message that has room only if nothing else is in memory.
const whole = budget - budget/8

// fills calls the tool wait with large messages until one is refused, and returns how many were not. Next makes the
// HTTP request with the number of a call.
func (x *target) fills(t *testing.T, h http.Handler, all *sync.WaitGroup, next func(i int) *http.Request) (n int) {
	t.Helper()
	for ; ; n++ {
		ended := make(chan *httptest.ResponseRecorder, 1)
		r := next(n)
		all.Go(func() { ended <- answer(h, r) })
		select {
		case <-x.begun:
		case w := <-ended:
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "too much memory") {
				t.Errorf("call %d: %d %v %s", n, w.Code, w.Header(), w.Body)
			}
			return n
		}
	}
}

// callWith returns a call of a tool whose arguments have n bytes, in a session unless that is "".
func callWith(ctx context.Context, id, tool string, n int, session string) *http.Request {
	meta := terms
	if session != "" {
		meta = ""
	}
	return post(ctx, requestAs(id, "tools/call", `{"_meta":{`+meta+`},"name":"`+tool+`","arguments":{"size":300000,"x":"#"}}`), n, "tools/call", tool, session)
}

// TestBudgetOfBodies checks that large messages of many requests are refused together when each of them is allowed,
// that small ones are served nevertheless, and that everything is served afterwards.
func TestBudgetOfBodies(t *testing.T) {
	for _, era := range []string{"with a session", "without a session"} {
		t.Run(era, func(t *testing.T) {
			x := newTarget(t)
			h := x.serve(t, streamable.Options{MaxBytes: budget, StreamAfter: -1})
			session := ""
			if era == "with a session" {
				session = open(t, h)
			}
			var all sync.WaitGroup
			call := func(i int) *http.Request {
				return callWith(t.Context(), string(rune('1'+i)), "wait", big, session)
			}
			if n := x.fills(t, h, &all, call); n < 2 || n > 3 {
				t.Errorf("%d calls of %d bytes are in flight", n, big)
			}
			unread := callWith(t.Context(), `"unread"`, "greet", big, session)
			unread.Body = io.NopCloser(unreadable{t})
			if w := answer(h, unread); w.Code != http.StatusServiceUnavailable {
				t.Errorf("a body that must not be read: %d %s", w.Code, w.Body)
			}
			for _, size := range []int{0, 30 << 10} {
				if w := answer(h, callWith(t.Context(), `"small"`, "greet", size, session)); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "hello") {
					t.Errorf("a small call: %d %s", w.Code, w.Body)
				}
			}
			close(x.release)
			all.Wait()
			if w := answer(h, callWith(t.Context(), `"whole"`, "greet", whole, session)); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "hello") {
				t.Errorf("a call that has all room: %d %s", w.Code, w.Body)
			}
		})
	}
}

// unreadable is a body that must not be read.
type unreadable struct{ t *testing.T }

func (u unreadable) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.ErrUnexpectedEOF
}

// TestBudgetOfAnswers checks that answers that clients do not read count, and that those for which there is no room
// become errors.
func TestBudgetOfAnswers(t *testing.T) {
	for _, era := range []string{"with a session", "without a session"} {
		t.Run(era, func(t *testing.T) {
			x := newTarget(t)
			h := x.serve(t, streamable.Options{MaxBytes: budget, StreamAfter: -1})
			session := ""
			if era == "with a session" {
				session = open(t, h)
			}
			read := make(chan struct{})
			var all sync.WaitGroup
			for i := range 2 { // of 300,000 bytes each
				w, blocked := unread(read)
				all.Go(func() { h.ServeHTTP(w, callWith(t.Context(), string(rune('1'+i)), "large", 0, session)) })
				<-blocked
			}
			if w := answer(h, callWith(t.Context(), `"body"`, "greet", big, session)); w.Code != http.StatusServiceUnavailable {
				t.Errorf("a body: %d %s", w.Code, w.Body)
			}
			if w := answer(h, callWith(t.Context(), `"lost"`, "large", 0, session)); w.Code != http.StatusInternalServerError ||
				!strings.Contains(w.Body.String(), `"id":"lost","error":{"code":-32603`) || !strings.Contains(w.Body.String(), "the request was handled") {
				t.Errorf("an answer: %d %.300s", w.Code, w.Body)
			}
			if w := answer(h, callWith(t.Context(), `"small"`, "greet", 0, session)); w.Code != http.StatusOK {
				t.Errorf("a small answer: %d %s", w.Code, w.Body)
			}
			close(read)
			all.Wait()
			if w := answer(h, callWith(t.Context(), `"whole"`, "greet", whole, session)); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "hello") {
				t.Errorf("a call that has all room: %d %s", w.Code, w.Body)
			}
		})
	}
}

// TestBudgetIsGivenBack checks that no message takes part of the budget for ever, whatever becomes of it.
func TestBudgetIsGivenBack(t *testing.T) {
	x := newTarget(t)
	h := x.serve(t, streamable.Options{MaxBytes: budget, StreamAfter: -1})
	session := open(t, h)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for name, r := range map[string]*http.Request{
		"not JSON":                       post(ctx, "#", big, "tools/call", "greet", ""),
		"not JSON in a session":          post(ctx, "#", big, "", "", session),
		"no message":                     post(ctx, `{"x":"#"}`, big, "tools/call", "greet", ""),
		"an unknown method":              post(ctx, alone("no/such", `,"x":"#"`), big, "no/such", "", ""),
		"a wrong header":                 post(ctx, alone("no/such", `,"x":"#"`), big, "other", "", ""),
		"an unknown method in a session": post(ctx, request("no/such", `{"x":"#"}`), big, "", "", session),
		"a notification":                 post(ctx, `{"jsonrpc":"2.0","method":"notifications/x","params":{"x":"#"}}`, big, "", "", session),
		"a response":                     post(ctx, `{"jsonrpc":"2.0","id":7,"result":{"x":"#"}}`, big, "", "", session),
		"a batch":                        post(ctx, "["+request("ping", `{"x":"#"}`)+"]", big, "", "", session),
		"an unknown session":             post(ctx, request("ping", `{"x":"#"}`), big, "", "", "unknown"),
		"too large":                      callWith(ctx, "1", "greet", 5<<20, session),
		"a call":                         callWith(ctx, "1", "greet", big, ""),
		"a large answer":                 callWith(ctx, "1", "large", big, ""),
	} {
		answer(h, r)
		if w := answer(h, callWith(t.Context(), `"whole"`, "greet", whole, session)); w.Code != http.StatusOK {
			t.Errorf("after %s: %d %.300s", name, w.Code, w.Body)
		}
	}
	short := callWith(ctx, "1", "greet", big, session)
	short.Body = io.NopCloser(io.MultiReader(pad(big/2), broken{}))
	answer(h, short)
	for _, of := range []string{session, ""} {
		panics := callWith(ctx, "1", "greet", big, of)
		panics.Body = io.NopCloser(io.MultiReader(pad(big/2), panicking{}))
		func() {
			defer func() {
				if recover() != http.ErrAbortHandler {
					t.Error("the panic of a body is lost")
				}
			}()
			answer(h, panics)
		}()
	}
	chunked := callWith(ctx, "1", "greet", big, session)
	chunked.ContentLength = -1
	answer(h, chunked)

	for i, of := range []string{session, ""} { // calls that their clients leave
		r := callWith(ctx, string(rune('8'+i)), "wait", big, of)
		all.Go(func() { answer(h, r) })
		<-x.begun
	}
	cancel()
	del := httptest.NewRequest(http.MethodDelete, "/", nil)
	del.Header.Set("Mcp-Session-Id", session)
	if w := answer(h, del); w.Code != http.StatusNoContent {
		t.Errorf("DELETE: %d %s", w.Code, w.Body)
	}
	all.Wait()
	if !testkit.Eventually(func() bool {
		return answer(h, callWith(t.Context(), `"whole"`, "greet", whole, "")).Code == http.StatusOK
	}) {
		t.Error("a call that has all room is refused after calls that their clients have left")
	}
}

// broken is a body whose client has closed the connection.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the client is gone") }

// panicking is a body of middleware that aborts the request.
type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic(http.ErrAbortHandler) }

// TestBudgetOfSSE checks the budget of the oldest transport, whose POSTs end before their calls do.
func TestBudgetOfSSE(t *testing.T) {
	x := newTarget(t)
	//lint:ignore SA1019 It is for peers that have nothing newer.
	h := streamable.NewSSEHandler(x.Server, streamable.Options{MaxBytes: budget})
	t.Cleanup(h.Close)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events := make(chan string, 100)
	stream := &gated{httptest.NewRecorder(), func(p []byte) error {
		events <- string(p)
		return nil
	}}
	get := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	get.Header.Set("Accept", "text/event-stream")
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	all.Go(func() { h.ServeHTTP(stream, get) })
	endpoint := strings.TrimSpace(strings.TrimPrefix(<-events, "event: endpoint\ndata: "))
	send := func(text string, n int) *httptest.ResponseRecorder {
		message, length := body(text, n)
		r := httptest.NewRequest(http.MethodPost, endpoint, message)
		r.ContentLength = int64(length)
		r.Header.Set("Content-Type", "application/json")
		return answer(h, r)
	}
	send(request("initialize", `{"protocolVersion":"`+r2024+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`), 0)
	<-events
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, 0)
	n := 0
	for ; n < 10; n++ {
		w := send(requestAs(string(rune('1'+n)), "tools/call", `{"name":"wait","arguments":{"x":"#"}}`), big)
		if w.Code != http.StatusAccepted {
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
				t.Errorf("call %d: %d %s", n, w.Code, w.Body)
			}
			break
		}
		<-x.begun
	}
	if n < 2 || n > 3 {
		t.Errorf("%d calls of %d bytes are in flight", n, big)
	}
	close(x.release)
	for range n {
		if event := <-events; !strings.Contains(event, "released") {
			t.Errorf("an answer: %s", event)
		}
	}
	if !testkit.Eventually(func() bool {
		return send(requestAs(`"whole"`, "tools/call", `{"name":"greet","arguments":{"x":"#"}}`), whole).Code == http.StatusAccepted
	}) {
		t.Fatal("a call that has all room is refused")
	}
	if event := <-events; !strings.Contains(event, "hello") {
		t.Errorf("an answer: %s", event)
	}
}
