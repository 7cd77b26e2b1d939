package streamable

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// counter is a handler that sends notifications 1 to n, waiting for a step before each
// when there are steps, and then its answer.
func counter(n int, steps <-chan struct{}) func(context.Context, *runtime.Message) (wire.Appender, error) {
	return func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		for i := 1; i <= n; i++ {
			if steps != nil {
				<-steps
			}
			if err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", wire.Raw(fmt.Sprintf(`{"i":%d}`, i))); err != nil {
				return nil, err
			}
		}
		return params, nil
	}
}

// TestResumption kills connections at random points, also within an event; the client that
// comes back with Last-Event-ID gets every event once, in order: those of a call, and
// the server's own messages.
func TestResumption(t *testing.T) {
	const n = 40
	for _, revision := range []string{r03, r11} {
		for seed := range uint64(10) {
			random := rand.New(rand.NewPCG(seed, 1))
			calls := make(chan *runtime.Call, 1)
			r := newRig(t, base.With(mcptest.Handlers{
				"count": counter(n, nil),
				"leave": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
					params := wire.Raw(message.Object())
					calls <- runtime.CallOf(ctx)
					return params, nil
				},
			}), Options{})
			session := []string{"Mcp-Session-Id", r.open(revision)}
			for i, text := range collect(r, random, n+1, "POST", mcptest.Call(1, "count", `{}`), session) {
				want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/n","params":{"i":%d}}`, i+1)
				if i == n {
					want = `{"jsonrpc":"2.0","id":1,"result":{}}`
				}
				if text != want {
					t.Fatalf("event %d of a call is %s", i, text)
				}
			}

			r.do("POST", mcptest.Call(2, "leave", `{}`), session...)
			ctx, cancel := context.WithCancel(t.Context())
			own := <-calls
			var sending sync.WaitGroup
			sending.Go(func() {
				for i := 1; ctx.Err() == nil; i++ {
					own.Notify(ctx, "notifications/own", wire.Raw(fmt.Sprintf(`{"i":%d}`, i)))
					if i%10 == 0 {
						time.Sleep(time.Millisecond) // so that connections also find nothing to read
					}
				}
			})
			for i, text := range collect(r, random, n, "GET", "", session) {
				if want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/own","params":{"i":%d}}`, i+1); text != want {
					t.Fatalf("event %d of the server's own is %s", i, text)
				}
			}
			cancel()
			sending.Wait()
		}
	}
}

// collect makes a request, and kills its connection and comes back until n messages have
// come.
func collect(r *rig, random *rand.Rand, n int, method, body string, session []string) (messages []string) {
	r.t.Helper()
	last := ""
	for range 1000 {
		header := session
		bytes := int64(random.IntN(600))
		if last == "" {
			bytes += 300 // so that there is an id
		} else {
			method, body = "GET", ""
			header = append(header, "Last-Event-ID", last)
		}
		ctx, cancel := context.WithCancel(r.t.Context())
		resp := r.request(ctx, method, body, header...)
		if resp.StatusCode != 200 {
			r.t.Fatalf("%s after %q: %s", method, last, resp.Status)
		}
		reader := eventstream.NewReader(io.LimitReader(resp.Body, bytes), 1<<20)
		for len(messages) < n {
			e, err := reader.Next()
			if err != nil {
				break
			}
			if e.ID == "" {
				r.t.Errorf("an event without an id: %q", e.Data)
			}
			if last = e.ID; e.Data != "" {
				messages = append(messages, e.Data)
			}
		}
		cancel()
		resp.Body.Close()
		if len(messages) == n {
			return messages
		}
	}
	r.t.Fatal("no progress")
	return nil
}

// TestAnswerAfterDisconnect checks that a call goes on without its client, and that the client
// gets the answer later.
func TestAnswerAfterDisconnect(t *testing.T) {
	steps := make(chan struct{})
	r := newRig(t, base.With(mcptest.Handlers{"count": counter(3, steps)}), Options{})
	id := r.open(r11)
	session := []string{"Mcp-Session-Id", id}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { steps <- struct{}{} }()
	resp := r.request(ctx, "POST", mcptest.Call(1, "count", `{}`), session...)
	first := testkit.Events(t, resp.Body, 1)
	cancel()
	resp.Body.Close()
	steps <- struct{}{}
	steps <- struct{}{}
	name, _, _ := parseEventID(first[0].ID)
	testkit.Eventually(func() bool { return r.sessionOf(id).streams.find(name) == nil }) // the handler has returned
	_, text := r.do("GET", "", append(session, "Last-Event-ID", first[0].ID)...)
	events := testkit.Events(t, strings.NewReader(text), 0)
	if len(events) != 3 || events[2].Data != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("%q", events)
	}
	// Again: events remain stored after they were sent.
	if _, again := r.do("GET", "", append(session, "Last-Event-ID", first[0].ID)...); again != text {
		t.Errorf("%q, then %q", text, again)
	}
}

// TestOwnStream checks that the server's own messages go to the GET stream only, wait for it, and
// are not lost with its connection.
func TestOwnStream(t *testing.T) {
	calls := make(chan *runtime.Call, 1)
	r := newRig(t, base.With(mcptest.Handlers{"leave": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		calls <- runtime.CallOf(ctx)
		return params, nil
	}}), Options{})
	session := []string{"Mcp-Session-Id", r.open(r11)}
	if _, text := r.do("POST", mcptest.Call(1, "leave", "{}"), session...); !strings.Contains(text, "result") {
		t.Fatal(text)
	}
	c := <-calls
	n := 0
	notify := func() {
		n++
		if err := c.Notify(t.Context(), "notifications/n", wire.Raw(fmt.Sprintf(`{"i":%d}`, n))); err != nil {
			t.Error(err)
		}
	}
	check := func(events []testkit.Event, from int) {
		t.Helper()
		for i, e := range events {
			if !strings.Contains(e.Data, fmt.Sprintf(`{"i":%d}`, from+i)) {
				t.Errorf("event %d: %s", from+i, e.Data)
			}
		}
	}
	notify()
	notify()
	ctx, cancel := context.WithCancel(t.Context())
	resp := r.request(ctx, "GET", "", session...)
	events := testkit.Events(t, resp.Body, 3)
	if events[0].Data != "" || events[0].ID == "" {
		t.Errorf("not primed: %q", events[0])
	}
	check(events[1:], 1)
	notify()
	check(testkit.Events(t, resp.Body, 1), 3)
	// A second connection does not end the first. It gets the next messages, because the
	// first one may be dead.
	second := r.request(t.Context(), "GET", "", session...)
	testkit.Events(t, second.Body, 1)
	notify()
	check(testkit.Events(t, second.Body, 1), 4)
	// When the second one has ended, the first one goes on.
	second.Body.Close()
	if !testkit.Eventually(func() bool { return r.followed(session[1]) == 1 }) {
		t.Fatal("the second connection is held")
	}
	notify()
	events = append(events, testkit.Events(t, resp.Body, 1)...)
	check(events[3:], 5)
	// The client comes back on another connection, before the server has seen that the first is dead.
	third := r.request(t.Context(), "GET", "", append(session, "Last-Event-ID", events[2].ID)...)
	again := testkit.Events(t, third.Body, 3)
	check(again[1:2], 3)
	check(again[2:], 5) // 4 was sent on the second connection
	if left := testkit.Events(t, resp.Body, 0); len(left) != 0 {
		t.Errorf("the first connection goes on: %q", left)
	}
	cancel()
	third.Body.Close()
	if !testkit.Eventually(func() bool { return r.followed(session[1]) == 0 }) {
		t.Fatal("a connection is held")
	}
	// A message waits for the next stream if there is none.
	notify()
	fourth := r.request(t.Context(), "GET", "", session...)
	check(testkit.Events(t, fourth.Body, 2)[1:], 6)
	fourth.Body.Close()
}

// TestOwnStreamsAreRemoved checks that a session keeps at most one stream that no client listens on,
// however many were open at a time, and that a client can still resume the others.
func TestOwnStreamsAreRemoved(t *testing.T) {
	r := newRig(t, base, Options{})
	id := r.open(r11)
	session := []string{headerSession, id}
	s := r.sessionOf(id)
	var last []string
	for range 3 {
		var open []*http.Response
		last = nil
		for i := range 5 {
			resp := r.request(t.Context(), "GET", "", session...)
			open = append(open, resp)
			testkit.Events(t, resp.Body, 1)
			if err := s.streams.current().Send(t.Context(), runtime.Outgoing{Text: fmt.Appendf(nil, `{"n":%d}`, i)}); err != nil {
				t.Fatal(err)
			}
			last = append(last, testkit.Events(t, resp.Body, 1)[0].ID)
		}
		for _, resp := range open {
			resp.Body.Close()
		}
		if !testkit.Eventually(func() bool { return r.followed(id) == 0 }) {
			t.Fatal("a connection is held")
		}
	}
	s.streams.mu.Lock()
	own, named := len(s.streams.own), len(s.streams.byName)
	s.streams.mu.Unlock()
	if own != 1 || named != 1 {
		t.Errorf("%d own streams are left, %d streams have names", own, named)
	}
	// Each of the five missed nothing, and goes on with the server's next message.
	for _, event := range last {
		resp := r.request(t.Context(), "GET", "", append(session, headerLast, event)...)
		if err := s.streams.current().Send(t.Context(), runtime.Outgoing{Text: []byte(`{"next":true}`)}); err != nil {
			t.Fatal(err)
		}
		if events := testkit.Events(t, resp.Body, 2); resp.StatusCode != 200 || events[1].Data != `{"next":true}` {
			t.Errorf("%s: %q", resp.Status, events)
		}
		resp.Body.Close()
		if !testkit.Eventually(func() bool { return r.followed(id) == 0 }) {
			t.Fatal("a connection is held")
		}
	}
}

// followed returns how many GETs a session's own streams have.
func (r *rig) followed(id string) (n int) {
	s := r.sessionOf(id)
	s.streams.mu.Lock()
	defer s.streams.mu.Unlock()
	for _, st := range s.streams.own {
		n += st.listeners
	}
	return n
}

// TestAskOnTheCallsStream checks that a request to the client travels on the stream of the
// call it belongs to.
func TestAskOnTheCallsStream(t *testing.T) {
	r := newRig(t, base, Options{})
	session := []string{"Mcp-Session-Id", r.open(r11)}
	resp := r.request(t.Context(), "POST", mcptest.Call(1, "ask", `{"q":1}`), session...)
	defer resp.Body.Close()
	question := testkit.Events(t, resp.Body, 1)[0].Data
	if question != `{"jsonrpc":"2.0","id":1,"method":"client/echo","params":{"q":1}}` {
		t.Fatal(question)
	}
	if resp, text := r.do("POST", `{"jsonrpc":"2.0","id":1,"result":{"a":2}}`, session...); resp.StatusCode != 202 {
		t.Fatalf("%s: %s", resp.Status, text)
	}
	if answer := testkit.Events(t, resp.Body, 0); len(answer) != 1 || answer[0].Data != `{"jsonrpc":"2.0","id":1,"result":{"a":2}}` {
		t.Errorf("%q", answer)
	}
}

// TestCancelled checks that the stream of a cancelled request ends without an answer, and that it
// has no effect on other sessions.
func TestCancelled(t *testing.T) {
	waiting := make(chan struct{}, 2)
	r := newRig(t, base.With(mcptest.Handlers{"wait": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		waiting <- struct{}{}
		return base["wait"](ctx, message)
	}}), Options{})
	id, other := r.open(r11), r.open(r11)
	answered := make(chan string, 2)
	for _, session := range []string{id, other} {
		go func() {
			resp, text := r.do("POST", mcptest.Call(5, "wait", "{}"), "Mcp-Session-Id", session)
			answered <- fmt.Sprintf("%t %d %s %s.", session == id, resp.StatusCode, resp.Header.Get("Content-Type"), text)
		}()
	}
	<-waiting
	<-waiting
	r.do("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`, "Mcp-Session-Id", id)
	if got := <-answered; got != "true 200 text/event-stream ." {
		t.Error(got)
	}
	r.do("POST", mcptest.Call(6, "echo", "{}"), "Mcp-Session-Id", other)
	select {
	case got := <-answered:
		t.Errorf("the other session's request ended too: %s", got)
	default:
	}
	r.do("DELETE", "", "Mcp-Session-Id", other)
	if got := <-answered; !strings.Contains(got, "404") {
		t.Errorf("when the session ended: %s", got)
	}
}

// inBubble runs a test of a handler without a network, in a bubble of testing/synctest.
// Open returns the header of an open session.
func inBubble(t *testing.T, opts Options, test func(t *testing.T, h *Handler, open func(revision string) []string)) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHandler(newRuntimeServer(t, base, runtime.ServerOptions{Logger: discard}, r11, r06), opts)
		defer h.Close()
		test(t, h, func(revision string) []string {
			session := []string{"Mcp-Session-Id", testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(revision)).Header().Get("Mcp-Session-Id")}
			testkit.Serve(t.Context(), h, "POST", mcptest.Initialized, session...)
			return session
		})
	})
}

// TestIdle checks that idle sessions end, and others do not.
func TestIdle(t *testing.T) {
	inBubble(t, Options{IdleTimeout: 100 * time.Second}, func(t *testing.T, h *Handler, open func(string) []string) {
		idle, busy, listening := open(r11), open(r11), open(r11)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go testkit.Serve(ctx, h, "GET", "", listening...)
		for range 6 {
			time.Sleep(50 * time.Second)
			if w := testkit.Serve(t.Context(), h, "POST", mcptest.Call(1, "echo", "{}"), busy...); w.Code != 200 {
				t.Fatalf("busy: %d: %s", w.Code, w.Body)
			}
		}
		for name, c := range map[string]struct {
			session []string
			status  int
		}{"idle": {idle, 404}, "listening": {listening, 200}} {
			if w := testkit.Serve(t.Context(), h, "POST", mcptest.Call(1, "echo", "{}"), c.session...); w.Code != c.status {
				t.Errorf("%s: %d: %s; want %d", name, w.Code, w.Body, c.status)
			}
		}
	})
}

// TestIdleInTurn checks that each of several sessions ends when it has been idle, or up to a second later.
func TestIdleInTurn(t *testing.T) {
	inBubble(t, Options{IdleTimeout: 100 * time.Second}, func(t *testing.T, h *Handler, open func(string) []string) {
		start := time.Now()
		for _, pause := range []time.Duration{0, 300 * time.Millisecond, 300 * time.Millisecond, time.Minute} {
			time.Sleep(pause)
			open(r11)
		}
		for _, want := range []struct{ after, sessions int }{{99, 4}, {102, 1}, {160, 1}, {163, 0}} {
			time.Sleep(time.Until(start.Add(time.Duration(want.after) * time.Second)))
			synctest.Wait()
			if n := h.sessions.count.len(); n != want.sessions {
				t.Errorf("after %d s: %d sessions, want %d", want.after, n, want.sessions)
			}
		}
	})
}

// TestKeepAlive checks that silent streams carry comments, and that the answer to a slow call becomes
// a stream that the client can resume.
func TestKeepAlive(t *testing.T) {
	for revision, primed := range map[string]bool{r06: false, r11: true} {
		inBubble(t, Options{KeepAlive: 20 * time.Millisecond}, func(t *testing.T, h *Handler, open func(string) []string) {
			w := testkit.Serve(t.Context(), h, "POST", mcptest.Call(1, "sleep", "{}"), open(revision)...) // of 50 ms
			if text := w.Body.String(); w.Header().Get("Content-Type") != "text/event-stream" || !strings.Contains(text, ":\n\n") ||
				!strings.Contains(text, `"result"`) || strings.HasPrefix(text, "id: ") != primed {
				t.Errorf("%s: %s: %q", revision, w.Header().Get("Content-Type"), text)
			}
		})
	}
}

// TestPingsNeedListener checks that a session is not ended because its client has no GET open, which carries the pings.
func TestPingsNeedListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newRuntimeServer(t, base, runtime.ServerOptions{Logger: discard, Limits: runtime.Limits{KeepAlive: time.Second}}, r11)
		r := newMemoryRig(t, server, Options{})
		id := r.open(r11)
		time.Sleep(5 * time.Second)
		if resp, text := r.do("POST", mcptest.Call(5, "echo", `{"a":1}`), headerSession, id); resp.StatusCode != 200 {
			t.Errorf("%s: %s", resp.Status, text)
		}
	})
}

// TestDisconnectResumed checks that a handler in the goroutine of its POST can end the GET by which the client has come
// back for the answer, but not the POST.
func TestDisconnectResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		step, outcome := make(chan struct{}), make(chan error)
		h := NewHandler(newRuntimeServer(t, base.With(mcptest.Handlers{"steps": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			if err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", message.Params); err != nil {
				return nil, err
			}
			for range 2 {
				<-step
				outcome <- Disconnect(ctx, time.Second)
			}
			<-step
			return wire.Raw("{}"), nil
		}}), runtime.ServerOptions{Logger: discard}, r11), Options{KeepAlive: -1, IdleTimeout: -1, StreamAfter: -1})
		defer h.Close()
		session := []string{headerSession, testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11)).Header().Get(headerSession)}
		testkit.Serve(t.Context(), h, "POST", mcptest.Initialized, session...)
		posted, resumed := make(chan *httptest.ResponseRecorder, 1), make(chan *httptest.ResponseRecorder, 1)
		go func() { posted <- testkit.Serve(t.Context(), h, "POST", mcptest.Call(1, "steps", "{}"), session...) }()
		step <- struct{}{}
		if err := <-outcome; err == nil {
			t.Error("the POST was ended")
		}
		s := h.sessions.find(session[1])
		s.streams.mu.Lock()
		var id string
		for name := range s.streams.byName {
			id = string(eventID(name, 1))
		}
		s.streams.mu.Unlock()
		go func() { resumed <- testkit.Serve(t.Context(), h, "GET", "", append(session, headerLast, id)...) }()
		synctest.Wait()
		step <- struct{}{}
		if err := <-outcome; err != nil {
			t.Fatal(err)
		}
		if w := <-resumed; !strings.Contains(w.Body.String(), "retry: 1000\n") {
			t.Errorf("GET: %d: %s", w.Code, w.Body)
		}
		step <- struct{}{}
		<-posted
		if left := testkit.Events(t, testkit.Serve(t.Context(), h, "GET", "", append(session, headerLast, id)...).Body, 0); len(left) != 1 {
			t.Errorf("%q", left)
		}
	})
}

// TestDisconnect checks that a handler can end its connection, and that the client gets the answer when
// it comes back.
func TestDisconnect(t *testing.T) {
	back := make(chan struct{})
	r := newRig(t, base.With(mcptest.Handlers{"part": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		err := Disconnect(ctx, 70*time.Millisecond)
		if err == nil {
			<-back
		}
		return params, err
	}}), Options{Disconnect: true})
	session := []string{"Mcp-Session-Id", r.open(r11)}
	_, text := r.do("POST", mcptest.Call(1, "part", "{}"), session...)
	events := testkit.Events(t, strings.NewReader(text), 0)
	if len(events) != 1 || events[0].Data != "" || !strings.Contains(text, "retry: 70\n") {
		t.Fatalf("%q", text)
	}
	resp := r.request(t.Context(), "GET", "", append(session, "Last-Event-ID", events[0].ID)...)
	defer resp.Body.Close()
	close(back)
	if events := testkit.Events(t, resp.Body, 0); len(events) != 2 || events[1].Data != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("%q", events)
	}
	if _, text := r.do("POST", mcptest.Call(1, "part", "{}"), "Mcp-Session-Id", r.open(r06)); codeOf(t, text) != -32603 {
		t.Errorf("2025-06-18: %s", text)
	}
}

// held is a response that reports when it is garbage.
type held struct {
	http.ResponseWriter
	_ *int
}

// TestDisconnectLetsGo checks that a handler that goes on without its connection does not retain the
// response.
func TestDisconnectLetsGo(t *testing.T) {
	back := make(chan struct{})
	h := NewHandler(newRuntimeServer(t, base.With(mcptest.Handlers{"part": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		err := Disconnect(ctx, time.Second)
		<-back
		return params, err
	}}), runtime.ServerOptions{Logger: discard}, r11), Options{Disconnect: true})
	defer h.Close()
	defer close(back)
	id := testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11)).Header().Get(headerSession)
	garbage := make(chan struct{})
	respond := func(w http.ResponseWriter, r *http.Request) {
		response := &held{ResponseWriter: w}
		goruntime.AddCleanup(response, func(garbage chan struct{}) { close(garbage) }, garbage)
		h.ServeHTTP(response, r)
	}
	testkit.Serve(t.Context(), http.HandlerFunc(respond), "POST", mcptest.Call(1, "part", "{}"), headerSession, id)
	if !testkit.Eventually(func() bool {
		goruntime.GC()
		select {
		case <-garbage:
			return true
		default:
			return false
		}
	}) {
		t.Error("the response is still there")
	}
}

// TestDisconnectNotAllowed checks the errors of Disconnect.
func TestDisconnectNotAllowed(t *testing.T) {
	r := newRig(t, base.With(mcptest.Handlers{"part": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		if err := Disconnect(ctx, time.Second); err == nil || !strings.Contains(err.Error(), "Options.Disconnect") {
			t.Error(err)
		}
		return params, nil
	}}), Options{})
	if _, text := r.do("POST", mcptest.Call(1, "part", "{}"), headerSession, r.open(r11)); text != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Error(text)
	}
}

// TestStateless checks that a server without sessions serves each POST alone.
func TestStateless(t *testing.T) {
	r := newRig(t, base.With(mcptest.Handlers{"revision": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		return wire.Raw(`{"is":"` + runtime.CallOf(ctx).Revision() + `"}`), nil
	}}), Options{Stateless: true})
	for _, c := range []struct {
		method, body, revision string
		status                 int
		want                   string
	}{
		{"POST", mcptest.Initialize(r06), "", 200, `"protocolVersion":"2025-06-18"`},
		{"POST", mcptest.Initialized, r06, 202, ""},
		{"POST", mcptest.Call(1, "revision", "{}"), r11, 200, `{"is":"2025-11-25"}`},
		{"POST", mcptest.Call(1, "revision", "{}"), "", 200, `{"is":"2025-03-26"}`},
		{"POST", mcptest.Call(1, "revision", "{}"), "1999-01-01", 400, "revision"},
		{"POST", mcptest.Call(1, "note", "{}"), r11, 200, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"},
		{"POST", mcptest.Call(1, "ask", "{}"), r11, 200, "-32603"},
		{"POST", "[" + mcptest.Call(1, "echo", "{}") + "]", "", 200, "[{"},
		{"POST", "{", "", 400, "-32700"},
		{"GET", "", "", 405, ""},
		{"DELETE", "", "", 405, ""},
	} {
		header := []string{"Mcp-Protocol-Version", c.revision}
		if c.revision == "" {
			header = nil
		}
		resp, text := r.do(c.method, c.body, header...)
		if resp.StatusCode != c.status || !strings.Contains(text, c.want) || resp.Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s %s: %s: %s", c.method, c.body, resp.Status, text)
		}
	}
	if n := r.handler.opts.Events.(*MemoryEvents).Len(); n != 0 {
		t.Errorf("%d events are kept", n)
	}
	// A client that disconnects cancels its request, because it has no other way.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "POST", r.URL, strings.NewReader(mcptest.Call(1, "wait", "{}")))
	req.Header.Set("Content-Type", "application/json")
	if resp, err := r.Client().Do(req); err == nil {
		t.Errorf("%s", resp.Status)
	}
	if !testkit.Eventually(func() bool { return r.handler.sessions.count.len() == 0 }) {
		t.Error("the call goes on")
	}
}
