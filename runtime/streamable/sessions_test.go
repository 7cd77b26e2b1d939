package streamable

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// visitors opens sessions.
type visitors struct {
	t        *testing.T
	handler  *Handler
	sessions *sessions // of the handler
	opened   int
}

// open opens a session of a user at an address. It returns nil if the session is refused.
func (v *visitors) open(user, address string, used bool) *Session {
	v.t.Helper()
	v.opened++
	s := v.handler.newSession("", keyOf(user, fmt.Sprint(v.opened)))
	s.used = used
	r := httptest.NewRequest("POST", "/", nil)
	r.RemoteAddr = address + ":1234"
	if err := v.sessions.open(s, r, func() error { return nil }); err != nil {
		if err != error(errTooMany) {
			v.t.Error(err)
		}
		return nil
	}
	return s
}

// work begins requests of sessions, and rest ends them.
func (v *visitors) work(all ...*Session) {
	for _, s := range all {
		if v.sessions.enter(s.key, true) != s {
			v.t.Error("a session is not found")
		}
	}
}

func (v *visitors) rest(all ...*Session) {
	for _, s := range all {
		s.Leave()
	}
}

func evicted(all ...*Session) (is string) {
	for i, s := range all {
		if s.over.Load() {
			is += fmt.Sprint(i)
		}
	}
	return is
}

func newVisitors(t *testing.T, all, perUser, perAddress int) *visitors {
	return visitorsOf(t, Options{MaxSessions: all, MaxSessionsPerUser: perUser, MaxSessionsPerAddress: perAddress})
}

func visitorsOf(t *testing.T, opts Options) *visitors {
	h := NewHandler(runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Logger: discard}), opts)
	return &visitors{t: t, handler: h, sessions: &h.sessions}
}

// TestMakeRoom checks which session makes room for another: one that was never used, otherwise the
// least recently used one, and none that is in use.
func TestMakeRoom(t *testing.T) {
	v := newVisitors(t, 4, -1, -1)
	a, b, c, d := v.open("", "a", true), v.open("", "b", true), v.open("", "c", false), v.open("", "d", false)
	e := v.open("", "e", true)
	if got := evicted(a, b, c, d, e); got != "2" {
		t.Errorf("%s made room, want 2, which was not used and came first", got)
	}
	f := v.open("", "f", true)
	if got := evicted(a, b, d, e, f); got != "2" {
		t.Errorf("%s made room, want 2, which was not used", got)
	}
	v.work(a, b, e)
	v.rest(a, b)
	g := v.open("", "g", true)
	if got := evicted(a, b, e, f, g); got != "3" {
		t.Errorf("%s made room, want 3, which was not used for longest", got)
	}
	h := v.open("", "h", true)
	if got := evicted(a, b, e, g, h); got != "0" {
		t.Errorf("%s made room, want 0", got)
	}
	v.work(b, g, h)
	if v.open("", "i", true) != nil {
		t.Error("there was room, though all sessions are in use")
	}
	if got := evicted(b, e, g, h); got != "" {
		t.Errorf("%s made room, though in use", got)
	}
	v.sessions.remove(g)
	v.sessions.remove(g) // twice does no harm
	if v.open("", "j", true) == nil || evicted(b, e, h) != "" {
		t.Error("there was no room, though a session has left")
	}
}

// TestMakeRoomInGroups checks that users and addresses have limits of their own, and make room for
// themselves.
func TestMakeRoomInGroups(t *testing.T) {
	v := newVisitors(t, 100, 2, 3)
	a, b := v.open("ann", "192.0.2.1", true), v.open("bob", "192.0.2.1", true)
	c, d := v.open("ann", "192.0.2.2", true), v.open("ann", "192.0.2.3", true)
	if got := evicted(a, b, c, d); got != "0" {
		t.Errorf("%s made room for a third session of ann", got)
	}
	e, f := v.open("cal", "192.0.2.1", true), v.open("dot", "192.0.2.1", true)
	if got := evicted(b, c, d, e, f); got != "" {
		t.Errorf("%s made room, though the address has three sessions", got)
	}
	v.work(e, f)
	g := v.open("eve", "192.0.2.1", true)
	if got := evicted(b, c, d, e, f, g); got != "0" {
		t.Errorf("%s made room for a fourth session of the address", got)
	}
	v.work(g)
	if v.open("fay", "192.0.2.1", true) != nil {
		t.Error("the address got a fourth session, though the others are in use")
	}
	for range 10 {
		if v.open("cal", "127.0.0.1", true) == nil {
			t.Error("a loopback address is limited")
		}
	}
	for _, left := range []*Session{c, d, e, f, g} {
		v.sessions.remove(left)
	}
	if n := len(v.sessions.count.counts); n != 2 { // all, and cal's
		t.Errorf("%d groups are kept", n)
	}
}

// TestManyBusySessions checks that busy sessions make no room, even if most are busy, and that one makes room when it
// is idle again.
func TestManyBusySessions(t *testing.T) {
	v := newVisitors(t, 10_000, -1, -1)
	busy := make([]*Session, 5000)
	for i := range busy {
		busy[i] = v.open("", "a", true)
		v.work(busy[i], busy[i]) // two requests
	}
	for i := range 20_000 {
		if v.open("", "a", i%2 == 0) == nil {
			t.Fatal("no room for session ", i)
		}
	}
	v.rest(busy...)
	if got := evicted(busy...); got != "" {
		t.Errorf("%s made room, though in use", got)
	}
	v = newVisitors(t, 2, -1, -1)
	a, b := v.open("", "a", true), v.open("", "b", true)
	v.work(a, b)
	for range 3 {
		if v.open("", "c", true) != nil {
			t.Fatal("there was room, though all sessions are in use")
		}
	}
	v.rest(a)
	if c := v.open("", "c", true); c == nil || evicted(a, b) != "0" {
		t.Errorf("%s made room", evicted(a, b))
	}
	v.rest(b)
	if d := v.open("", "d", true); d == nil || v.sessions.count.len() != 2 || v.sessions.enter(a.key, true) != nil {
		t.Errorf("%d sessions", v.sessions.count.len())
	}
}

// TestFullGroup checks that a user who was refused has room again as soon as one of its sessions rests or ends.
func TestFullGroup(t *testing.T) {
	v := newVisitors(t, 100, 2, -1)
	a, b := v.open("u", "a", true), v.open("u", "b", true)
	v.work(a, b)
	for range 2 {
		if v.open("u", "c", true) != nil {
			t.Fatal("a user with busy sessions only has room")
		}
	}
	if v.open("w", "a", true) == nil {
		t.Error("a user has no room because another one is at its limit")
	}
	v.rest(b)
	c := v.open("u", "c", true)
	if c == nil || evicted(b) == "" {
		t.Fatal("a session that rests makes no room")
	}
	v.work(c)
	if v.open("u", "d", true) != nil {
		t.Fatal("a user with busy sessions only has room")
	}
	v.sessions.remove(a)
	if v.open("u", "d", true) == nil {
		t.Error("a session that has ended makes no room")
	}
	if len(v.sessions.full) > 0 {
		t.Errorf("%v are full", v.sessions.full)
	}
}

// TestIdleSessions checks when sessions end that are not in use, with a limit for those that were used and without.
func TestIdleSessions(t *testing.T) {
	const never = -1
	for _, c := range []struct{ idle, unused, used time.Duration }{
		{time.Second, time.Second, time.Second},
		{time.Hour, waits.FirstUse, time.Hour},
		{-1, waits.FirstUse, never},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			var mu sync.Mutex
			ended := make(map[*Session]time.Duration)
			v := visitorsOf(t, Options{IdleTimeout: c.idle})
			unused, used := v.open("", "a", false), v.open("", "a", true)
			busy, later := v.open("", "a", true), v.open("", "a", true)
			for _, s := range []*Session{unused, used, busy, later} {
				over := s.gone()
				go func() {
					<-over
					mu.Lock()
					defer mu.Unlock()
					ended[s] = time.Since(began)
				}()
			}
			defer func() {
				for s := range v.handler.All() {
					s.end(nil) // the bubble waits for the goroutines
				}
			}()
			v.work(busy, later)
			time.Sleep(time.Minute)
			v.rest(later)
			time.Sleep(3 * time.Hour)
			mu.Lock()
			defer mu.Unlock()
			if _, over := ended[busy]; over {
				t.Errorf("%s: a session in use has ended", c.idle)
			}
			for g, want := range map[*Session]time.Duration{unused: c.unused, used: c.used, later: c.used + time.Minute} {
				got, over := ended[g]
				if over && (got < want || got > want+waits.Sweep) || over != (g == unused || c.used != never) {
					t.Errorf("%s: a session ended after %s, want %s", c.idle, got, want)
				}
			}
		})
	}
}

// closing is the inbox of a session that ends when it is shut down.
type closing struct {
	runtime.Inbox
	session *Session
}

func (c closing) End(error) {}

func (c closing) Shutdown(context.Context) {
	c.session.end(nil)
	c.session.handler.sessions.done(c.session)
}

// TestShutdownWhileOpening checks that a shutdown that begins while a session is opened, even by the
// code that opens it, neither waits for that session nor leaves it open.
func TestShutdownWhileOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVisitors(t, 0, 0, 0)
		h, r := v.handler, httptest.NewRequest("POST", "/", nil)
		old := h.newSession("", "old")
		old.inbox = closing{session: old}
		if err := v.sessions.open(old, r, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		err := v.sessions.open(h.newSession("", "key"), r, func() error { return h.Shutdown(t.Context()) })
		if n := v.sessions.count.len(); err != error(errClosing) || h.Find("key") != nil || n != 0 {
			t.Errorf("%v, %d sessions", err, n)
		}
		if h.Context().Err() == nil {
			t.Error("the context of the sessions has not ended")
		}
	})
}

// TestOpenTwice checks that two requests cannot open the same session, and that the later one waits
// for the other.
func TestOpenTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVisitors(t, 0, 0, 0)
		sessions, h, r := v.sessions, v.handler, httptest.NewRequest("POST", "/", nil)
		first := h.newSession("", "key")
		begun, opened := make(chan struct{}), make(chan struct{})
		go func() {
			sessions.open(first, r, func() error {
				close(begun)
				<-opened
				return nil
			})
		}()
		<-begun
		result := make(chan error, 1)
		go func() {
			result <- sessions.open(h.newSession("", "key"), r, func() error { return errors.New("opened twice") })
		}()
		synctest.Wait()
		if len(result) > 0 || sessions.find("key") != nil {
			t.Error("the second request did not wait")
		}
		close(opened)
		if err := <-result; err != error(errOpen) || sessions.find("key") != first {
			t.Errorf("%v", err)
		}
		if err := sessions.open(h.newSession("", "other"), r, func() error { return errUser }); err != error(errUser) || sessions.count.len() != 1 {
			t.Errorf("%v, %d sessions", err, sessions.count.len())
		}
	})
}

// TestUserKey checks that users have different keys for the same id.
func TestUserKey(t *testing.T) {
	r := httptest.NewRequest("POST", "/", nil)
	ann := func(*http.Request) (string, error) { return "ann", nil }
	unknown := func(*http.Request) (string, error) { return "", errors.New("who?") }
	for _, c := range []struct {
		user func(*http.Request) (string, error)
		id   string
		key  string
		err  error
	}{
		{nil, "b", "b", nil},
		{nil, "a:b", "", errNoSession},
		{ann, "b", "ann:b", nil},
		{ann, "a:b", "", errNoSession},
		{unknown, "b", "", errUser},
	} {
		if key, err := visitorsOf(t, Options{User: c.user}).handler.Key(r, c.id); key != c.key || c.err != nil && err != c.err || c.err == nil && err != nil {
			t.Errorf("%s: %q, %v", c.id, key, err)
		}
	}
}

// TestUserOf checks that the key of a session tells its user.
func TestUserOf(t *testing.T) {
	for _, user := range []string{"", "ann", "ann:x", ":"} {
		if got := userOf(keyOf(user, "id")); got != user {
			t.Errorf("%q: %q", user, got)
		}
	}
}

// TestAddress checks which addresses count as one, and which are not limited.
func TestAddress(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.1:99":           "192.0.2.1",
		"[::ffff:192.0.2.1]:99":  "192.0.2.1",
		"[2001:db8:1:2:3::4]:99": "2001:db8:1:2::/64",
		"[2001:db8:1:2:5::6]:99": "2001:db8:1:2::/64",
		"127.0.0.1:99":           "",
		"[::1]:99":               "",
		"10.1.2.3:99":            "",
		"[fd00::1]:99":           "",
		"[fe80::1%eth0]:99":      "",
		"@":                      "",
		"":                       "",
	} {
		if got := addressOf(&http.Request{RemoteAddr: remote}); got != want {
			t.Errorf("%s: %q, want %q", remote, got, want)
		}
	}
}

// TestRefusedEvictsNobody checks that a session that is refused does not evict another.
func TestRefusedEvictsNobody(t *testing.T) {
	v := newVisitors(t, 10, 1, 1)
	idle := v.open("a", "192.0.2.1", true)
	v.work(v.open("b", "192.0.2.2", true))
	if v.open("b", "192.0.2.1", false) != nil || evicted(idle) != "" {
		t.Error("a session of a user whose sessions are all in use has taken the place of another")
	}
}
