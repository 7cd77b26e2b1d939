package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// keys returns a key for each number.
func keys(numbers ...byte) [][]byte {
	var all [][]byte
	for _, n := range numbers {
		all = append(all, bytes.Repeat([]byte{n}, seal.MinKey))
	}
	return all
}

// options are those of a replica.
type options struct {
	streamable.Options
	Sharing Sessions
}

// replicas are replicas of the same server.
type replicas []*replica

// ServeHTTP lets a replica be used like its handler.
func (p *replica) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// newReplicas returns a replica for each of the options. It uses no network, so it may be in a bubble.
func newReplicas(t testing.TB, h mcptest.Handlers, opts ...options) replicas {
	var all replicas
	for _, o := range opts {
		if o.StreamAfter == 0 {
			o.StreamAfter = -1
		}
		server := newRuntimeServer(h, runtime.ServerOptions{Logger: discard, Grace: time.Second, Capabilities: wire.Raw(`{"logging":{}}`)}, r11, r06)
		p, err := newReplica(server, o.Options, o.Sharing)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
		t.Cleanup(func() {
			p.handler.Close()
			if n := p.handler.Stats().Sessions; n != 0 {
				t.Errorf("%d sessions are left", n)
			}
		})
	}
	return all
}

// alike returns n replicas with the same options.
func alike(t testing.TB, n int, h mcptest.Handlers, o options) replicas {
	all := make([]options, n)
	for i := range all {
		all[i] = o
	}
	return newReplicas(t, h, all...)
}

// open initializes a session at a replica and returns the header that names it.
func (rs replicas) open(t testing.TB, at int, revision string, header ...string) []string {
	t.Helper()
	w := testkit.Serve(t.Context(), rs[at], "POST", mcptest.Initialize(revision), header...)
	id := w.Header().Get(headerSession)
	if w.Code != 200 || id == "" {
		t.Fatalf("initialize: %d: %s", w.Code, w.Body)
	}
	session := append([]string{headerSession, id}, header...)
	if w := testkit.Serve(t.Context(), rs[at], "POST", mcptest.Initialized, session...); w.Code != 202 {
		t.Fatalf("initialized: %d: %s", w.Code, w.Body)
	}
	return session
}

// echo sends a call to a replica and returns the status.
func (rs replicas) echo(t testing.TB, at int, session []string) int {
	t.Helper()
	w := testkit.Serve(t.Context(), rs[at], "POST", mcptest.Call(1, "echo", `{"a":1}`), session...)
	if w.Code == 200 != strings.Contains(w.Body.String(), `"result":{"a":1}`) {
		t.Errorf("replica %d: %d: %s", at, w.Code, w.Body)
	}
	return w.Code
}

// TestReplicas checks that replicas with nothing but a key in common serve the same session, at any time.
func TestReplicas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rs := alike(t, 3, mcptest.Server, options{Sharing: Sessions{Keys: keys(1)}, Options: streamable.Options{IdleTimeout: time.Minute}})
		session := rs.open(t, 0, r06)
		for i := range 9 {
			if status := rs.echo(t, i%3, session); status != 200 {
				t.Errorf("request %d: status %d", i, status)
			}
			time.Sleep(40 * time.Second)
		}
		time.Sleep(2 * time.Minute)
		for i, r := range rs {
			if n := r.handler.Stats().Sessions; n != 0 {
				t.Errorf("replica %d holds %d idle sessions", i, n)
			}
			if status := rs.echo(t, i, session); status != 200 {
				t.Errorf("after the idle timeout: status %d", status)
			}
		}
	})
}

// TestSealedHandshake checks what another replica knows of a session.
func TestSealedHandshake(t *testing.T) {
	h := mcptest.Server.With(mcptest.Handlers{"who": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		s := runtime.CallOf(ctx).Session()
		return wire.Raw(fmt.Sprintf(`{"r":%q,"info":%s,"capabilities":%s}`, s.Revision(), s.PeerInfo(), s.PeerCapabilities())), nil
	}})
	rs := alike(t, 2, h, options{Sharing: Sessions{Keys: keys(1)}})
	w := testkit.Serve(t.Context(), rs[0], "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"x":1}},"clientInfo":{"name":"ü","version":"2","title":"T"}}}`)
	id := w.Header().Get(headerSession)
	if strings.ContainsFunc(id, func(r rune) bool { return r < 0x21 || r > 0x7e }) || len(id) > 500 {
		t.Errorf("the id is %q", id)
	}
	got := testkit.Serve(t.Context(), rs[1], "POST", mcptest.Call(1, "who", "{}"), headerSession, id).Body.String()
	if want := `{"r":"2025-06-18","info":{"name":"ü","version":"2"},"capabilities":{"roots":{"x":1}}}`; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}

	// What no id can carry is refused at once.
	for n, status := range map[int]int{600: 200, 1100: 400} {
		w := testkit.Serve(t.Context(), rs[0], "POST", strings.Replace(mcptest.Initialize(r11), `"test"`, `"`+strings.Repeat("x", n)+`"`, 1))
		id, text := w.Header().Get(headerSession), w.Body.String()
		if refused := strings.Contains(text, "-32602") && strings.Contains(text, "at most 1024 are allowed"); refused != (status != 200) || (id == "") != refused {
			t.Errorf("a name of %d bytes: id %q: %s", n, id, text)
		}
	}
}

// TestStaleIDs checks that ids that are not those of a session get status 404, at the replica that has the
// session and at another one, and that the log says why.
//
// H4
func TestStaleIDs(t *testing.T) {
	log := new(testkit.Buffer)
	server := newRuntimeServer(mcptest.Server, runtime.ServerOptions{Logger: slog.New(slog.NewTextHandler(log, nil))}, r11)
	replica := func(key byte) *streamable.Handler {
		h, err := NewHandler(server, streamable.Options{User: testkit.UserOf}, Sessions{Keys: keys(key)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Close)
		return h
	}
	a, b, foreign := replica(1), replica(1), replica(2)
	as := func(user string, h *streamable.Handler, method, body, id string) *httptest.ResponseRecorder {
		header := []string{"X-User", user}
		if id != "" {
			header = append(header, headerSession, id)
		}
		return testkit.Serve(t.Context(), testkit.Authenticated(h), method, body, header...)
	}
	id := as("ann", a, "POST", mcptest.Initialize(r11), "").Header().Get(headerSession)
	second := as("ann", a, "POST", mcptest.Initialize(r11), "").Header().Get(headerSession)
	other := as("ann", foreign, "POST", mcptest.Initialize(r11), "").Header().Get(headerSession)
	last := byte('A')
	if id[len(id)-5] == 'A' {
		last = 'B'
	}
	forged := id[:len(id)-5] + string(last) + id[len(id)-4:]
	for _, c := range []struct {
		name, user, id, reason string
	}{
		{"of another user", "bob", id, seal.ErrPrincipal.Error()},
		{"of another user with a similar name", "ann:", id, seal.ErrPrincipal.Error()},
		{"changed", "ann", forged, seal.ErrForeign.Error()},
		{"without its end", "ann", id[:len(id)-4], seal.ErrForeign.Error()},
		{"the name alone", "ann", id[:nameLength], seal.ErrForeign.Error()},
		{"of another key", "ann", other, seal.ErrForeign.Error()},
		{"with the name of another session", "ann", second[:nameLength] + id[nameLength:], seal.ErrForeign.Error()},
		{"of no replica", "ann", "EXAMPLE", seal.ErrForeign.Error()},
		{"with a colon", "ann", "x:" + id, ""},
	} {
		for _, h := range []*streamable.Handler{a, b} {
			for method, body := range map[string]string{"POST": mcptest.Call(1, "echo", "{}"), "GET": "", "DELETE": ""} {
				if w := as(c.user, h, method, body, c.id); w.Code != 404 {
					t.Errorf("%s %s: %d: %s", method, c.name, w.Code, w.Body)
				}
			}
		}
		if !strings.Contains(log.String(), c.reason) {
			t.Errorf("%s: the log does not say %q:\n%s", c.name, c.reason, log)
		}
	}
	for _, h := range []*streamable.Handler{a, b} {
		if w := as("ann", h, "POST", mcptest.Call(1, "echo", "{}"), id); w.Code != 200 {
			t.Errorf("the id itself: %d: %s", w.Code, w.Body)
		}
	}
	if strings.Contains(log.String(), id) {
		t.Errorf("the log has the id:\n%s", log)
	}
}

// TestKeyRotation replaces the keys of replicas one after the other.
func TestKeyRotation(t *testing.T) {
	with := func(numbers ...byte) options { return options{Sharing: Sessions{Keys: keys(numbers...)}} }
	rs := newReplicas(t, mcptest.Server, with(1), with(2, 1), with(2))
	old := rs.open(t, 0, r11)
	if status := rs.echo(t, 1, old); status != 200 {
		t.Errorf("the old key in second place: status %d", status)
	}
	if status := rs.echo(t, 2, old); status != 404 {
		t.Errorf("the old key is gone: status %d", status)
	}
	if status := rs.echo(t, 2, rs.open(t, 1, r11)); status != 200 {
		t.Errorf("the new key seals: status %d", status)
	}
}

// TestSessionExpiry checks that a session ends with its lifetime, although it is in use.
func TestSessionExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rs := alike(t, 3, mcptest.Server, options{Sharing: Sessions{Keys: keys(1), Lifetime: time.Hour}})
		session := rs.open(t, 0, r11)
		for range 5 {
			time.Sleep(10 * time.Minute)
			rs.echo(t, 0, session)
			if status := rs.echo(t, 1, session); status != 200 {
				t.Errorf("status %d", status)
			}
		}
		time.Sleep(10 * time.Minute)
		for i := range rs {
			if status := rs.echo(t, i, session); status != 404 {
				t.Errorf("replica %d: status %d", i, status)
			}
		}
		synctest.Wait()
		for i, r := range rs {
			if n := r.handler.Stats().Sessions; n != 0 {
				t.Errorf("replica %d has %d sessions", i, n)
			}
		}
	})
}

// TestSharedDelete checks which replicas refuse a session that its client has ended.
func TestSharedDelete(t *testing.T) {
	for _, c := range []struct {
		name    string
		sharing Sessions
		want    [3]int // at the replica that ends it, at one that has the session and at one that does not
	}{
		{"store", Sessions{Store: tasks.NewMemory(0)}, [3]int{404, 200, 404}},
		{"bus", Sessions{Bus: new(Memory)}, [3]int{404, 404, 404}},
		{"nothing", Sessions{}, [3]int{404, 200, 200}},
	} {
		synctest.Test(t, func(t *testing.T) {
			c.sharing.Keys = keys(1)
			rs := alike(t, 3, mcptest.Server, options{Sharing: c.sharing})
			session := rs.open(t, 1, r11)
			if w := testkit.Serve(t.Context(), rs[0], "DELETE", "", session...); w.Code != 204 {
				t.Errorf("%s: DELETE: %d: %s", c.name, w.Code, w.Body)
			}
			synctest.Wait()
			var got [3]int
			for i := range rs {
				got[i] = rs.echo(t, i, session)
			}
			if got != c.want {
				t.Errorf("%s: status %v, want %v", c.name, got, c.want)
			}
			again := testkit.Serve(t.Context(), rs[0], "DELETE", "", session...)
			if again.Code != 404 {
				t.Errorf("%s: DELETE again: %d", c.name, again.Code)
			}
		})
	}
}

// TestTakeOverAtOnce checks that requests of a session that reach a replica at the same time all find the
// session there, however many of them take it over, and that it is opened once.
func TestTakeOverAtOnce(t *testing.T) {
	const requests = 50
	for _, state := range []*Memory{nil, new(Memory)} {
		sharing := Sessions{Keys: keys(1)}
		if state != nil {
			sharing.Bus, sharing.Store = state, tasks.NewMemory(0)
		}
		rs := alike(t, 2, mcptest.Server, options{Sharing: sharing})
		session := rs.open(t, 0, r11)
		var all sync.WaitGroup
		for i := range requests {
			all.Go(func() {
				w := testkit.Serve(t.Context(), rs[1], "POST", mcptest.Call(i, "echo", `{}`), session...)
				if w.Code != 200 || !strings.Contains(w.Body.String(), fmt.Sprintf(`"id":%d,"result":{}`, i)) {
					t.Errorf("request %d: %d: %s", i, w.Code, w.Body)
				}
			})
		}
		all.Wait()
		if n := rs[1].handler.Stats().Sessions; n != 1 {
			t.Errorf("%d sessions", n)
		}
	}
}

// TestRoomAtOnce checks that sessions that make room for each other while they are used lose no request.
func TestRoomAtOnce(t *testing.T) {
	rs := newReplicas(t, mcptest.Server, options{Sharing: Sessions{Keys: keys(1)}}, options{Sharing: Sessions{Keys: keys(1)}, Options: streamable.Options{MaxSessions: 2}})
	var all sync.WaitGroup
	for range 4 {
		session := rs.open(t, 0, r11)
		all.Go(func() {
			for range 100 {
				w := testkit.Serve(t.Context(), rs[1], "POST", mcptest.Call(1, "echo", `{}`), session...)
				if w.Code != 200 && !strings.Contains(w.Body.String(), "too many sessions") {
					t.Errorf("%d: %s", w.Code, w.Body)
				}
			}
		})
	}
	all.Wait()
}

// TestInitializedElsewhere checks that a replica accepts notifications although another one got
// notifications/initialized.
func TestInitializedElsewhere(t *testing.T) {
	got := make(chan struct{}, 1)
	h := mcptest.Server.With(mcptest.Handlers{"notifications/n": func(context.Context, *runtime.Message) (wire.Appender, error) {
		got <- struct{}{}
		return nil, nil
	}})
	rs := alike(t, 2, h, options{Sharing: Sessions{Keys: keys(1)}})
	id := testkit.Serve(t.Context(), rs[0], "POST", mcptest.Initialize(r11)).Header().Get(headerSession)
	testkit.Serve(t.Context(), rs[1], "POST", mcptest.Initialized, headerSession, id)
	testkit.Serve(t.Context(), rs[0], "POST", `{"jsonrpc":"2.0","method":"notifications/n"}`, headerSession, id)
	<-got
}

// brokenStore is a store that fails.
type brokenStore struct{ tasks.Store }

func (brokenStore) Get(context.Context, string) (*tasks.Record, error) {
	return nil, errors.New("no connection")
}

// TestBrokenStore checks that requests that need the store fail, and the others do not.
func TestBrokenStore(t *testing.T) {
	with := func(store tasks.Store) options { return options{Sharing: Sessions{Keys: keys(1), Store: store}} }
	rs := newReplicas(t, mcptest.Server, with(tasks.NewMemory(0)), with(brokenStore{}))
	own, foreign := rs.open(t, 1, r11), rs.open(t, 0, r11)
	if status := rs.echo(t, 1, own); status != 200 {
		t.Errorf("a session that is here: status %d", status)
	}
	if status := rs.echo(t, 1, foreign); status != 503 {
		t.Errorf("a session that is not: status %d", status)
	}
	if w := testkit.Serve(t.Context(), rs[1], "DELETE", "", own...); w.Code != 503 {
		t.Errorf("DELETE: %d: %s", w.Code, w.Body)
	}
	if status := rs.echo(t, 1, own); status != 200 {
		t.Errorf("a session that could not be ended: status %d", status)
	}
}

// TestSessionsOptions checks that there is no handler with bad options, and why.
func TestSessionsOptions(t *testing.T) {
	for want, sessions := range map[string]Sessions{
		"share: Sessions.Keys: key 1 has 3 bytes; it needs at least 32": {Keys: append(keys(1), []byte("abc"))},
		"share: Sessions has a Bus or a Store, but no Keys":             {Store: tasks.NewMemory(0)},
	} {
		server := newRuntimeServer(mcptest.Server, runtime.ServerOptions{Logger: discard}, r11)
		if h, err := NewHandler(server, streamable.Options{}, sessions); h != nil || err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestUsers checks that only the user of a session can use it, at the replica that has begun it and at another one.
//
// H4
func TestUsers(t *testing.T) {
	opts := options{Sharing: Sessions{Keys: keys(1)}, Options: streamable.Options{User: testkit.UserOf, Events: streamable.NewMemoryEvents(1 << 20)}}
	rs := alike(t, 2, mcptest.Server, opts)
	do := func(at int, method, body string, header ...string) *httptest.ResponseRecorder {
		return testkit.Serve(t.Context(), testkit.Authenticated(rs[at]), method, body, header...)
	}
	w := do(0, "POST", mcptest.Initialize(r11), "X-User", "ann")
	id := w.Header().Get(headerSession)
	if w.Code != 200 || id == "" || strings.Contains(id, "ann:") {
		t.Fatalf("%d, id %q: %s", w.Code, id, w.Body)
	}
	do(0, "POST", mcptest.Initialized, "X-User", "ann", headerSession, id)
	event := testkit.Events(t, do(0, "POST", mcptest.Call(1, "note", "{}"), "X-User", "ann", headerSession, id).Body, 1)[0].ID
	for at := range rs {
		for _, c := range []struct {
			user, id string
			status   int
		}{
			{"ann", id, 200},
			{"bob", id, 404},
			{"an", "n:" + id, 404},
			{"", id, 403},
			{"ann", "ann:" + id, 404},
		} {
			header := []string{headerSession, c.id, "X-User", c.user}
			if w := do(at, "POST", mcptest.Call(1, "echo", "{}"), header...); w.Code != c.status || strings.Contains(w.Body.String(), `"error"`) != (c.status != 200) {
				t.Errorf("POST as %q with %q: %d: %s", c.user, c.id, w.Code, w.Body)
			}
			if w := do(at, "GET", "", append(header, headerLast, event)...); w.Code != c.status {
				t.Errorf("GET as %q with %q: %d: %s", c.user, c.id, w.Code, w.Body)
			}
			if c.status != 200 {
				if w := do(at, "DELETE", "", header...); w.Code != c.status {
					t.Errorf("DELETE as %q with %q: %d: %s", c.user, c.id, w.Code, w.Body)
				}
			}
		}
	}
	// A user whose name contains another's and part of an id is a different user.
	if w := do(0, "POST", mcptest.Call(1, "echo", "{}"), headerSession, id, "X-User", "ann:x"); w.Code != 404 {
		t.Error(w.Code)
	}
	if w := do(0, "POST", mcptest.Initialize(r11)); w.Code != 403 || w.Header().Get(headerSession) != "" {
		t.Errorf("initialize by nobody: %d: %s", w.Code, w.Body)
	}
	if w := do(0, "DELETE", "", "X-User", "ann", headerSession, id); w.Code != 204 {
		t.Error(w.Code)
	}
}

// TestNoServer has no server.
func TestNoServer(t *testing.T) {
	if _, err := NewHandler(nil, streamable.Options{}, Sessions{}); err == nil || err.Error() != "share: NewHandler: the server is nil" {
		t.Errorf("got %v", err)
	}
}
