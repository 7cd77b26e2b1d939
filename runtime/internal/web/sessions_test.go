package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// guest is a session under test.
type guest struct {
	entry      Entry
	since      time.Time
	used, busy bool
	evicted    bool
	asked      int    // how often Rest was called
	onExpire   func() // called by Expire
	shut       chan struct{}
}

func (g *guest) Entry() *Entry { return &g.entry }
func (g *guest) Usage() (time.Time, bool, bool) {
	g.asked++
	return g.since, g.used, g.busy
}
func (g *guest) Expire() bool {
	if g.onExpire != nil {
		g.onExpire()
	}
	return !g.busy
}
func (g *guest) Evict()                   { g.evicted = true }
func (g *guest) Shutdown(context.Context) { close(g.shut) }

// visitors opens sessions.
type visitors struct {
	t        *testing.T
	sessions *Sessions
	clock    time.Time
	opened   int
}

func (v *visitors) now() time.Time {
	v.clock = v.clock.Add(time.Second)
	return v.clock
}

// open opens a session of a user at an address. It returns nil if the session is refused.
func (v *visitors) open(user, address string, used bool) *guest {
	v.t.Helper()
	v.opened++
	id := fmt.Sprint(v.opened)
	g := &guest{since: v.now(), used: used}
	r := httptest.NewRequest("POST", "/", nil)
	r.RemoteAddr = address + ":1234"
	if err := v.sessions.Open(g, r, Key(user, id), func() error { return nil }); err != nil {
		if err != error(errTooMany) {
			v.t.Error(err)
		}
		return nil
	}
	return g
}

// rest ends the use of a session.
func (v *visitors) rest(g *guest) {
	g.busy, g.since = false, v.now()
	v.sessions.Idle(g)
}

func evicted(guests ...*guest) (is string) {
	for i, g := range guests {
		if g.evicted {
			is += fmt.Sprint(i)
		}
	}
	return is
}

func newVisitors(t *testing.T, all, perUser, perAddress int) *visitors {
	sessions := NewSessions(Limits{All: all, PerUser: perUser, PerAddress: perAddress})
	return &visitors{t: t, sessions: sessions, clock: time.Now().Add(-1000 * time.Hour)}
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
	a.since = v.now()
	b.since = v.now()
	e.busy = true
	g := v.open("", "g", true)
	if got := evicted(a, b, e, f, g); got != "3" {
		t.Errorf("%s made room, want 3, which was not used for longest", got)
	}
	h := v.open("", "h", true)
	if got := evicted(a, b, e, g, h); got != "0" {
		t.Errorf("%s made room, want 0", got)
	}
	b.busy, g.busy, h.busy = true, true, true
	if v.open("", "i", true) != nil {
		t.Error("there was room, though all sessions are in use")
	}
	if got := evicted(b, e, g, h); got != "" {
		t.Errorf("%s made room, though in use", got)
	}
	v.sessions.Leave(g)
	v.sessions.Leave(g) // twice does no harm
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
	e.busy, f.busy = true, true
	g := v.open("eve", "192.0.2.1", true)
	if got := evicted(b, c, d, e, f, g); got != "0" {
		t.Errorf("%s made room for a fourth session of the address", got)
	}
	g.busy = true
	if v.open("fay", "192.0.2.1", true) != nil {
		t.Error("the address got a fourth session, though the others are in use")
	}
	for range 10 {
		if v.open("cal", "127.0.0.1", true) == nil {
			t.Error("a loopback address is limited")
		}
	}
	for _, left := range []*guest{c, d, e, f, g} {
		v.sessions.Leave(left)
	}
	if n := len(v.sessions.groups); n != 2 { // all, and cal's
		t.Errorf("%d groups are kept", n)
	}
}

// TestManyBusySessions checks that busy sessions make no room, and that looking for one that does
// costs little even if all others are busy.
func TestManyBusySessions(t *testing.T) {
	v := newVisitors(t, 10_000, -1, -1)
	busy := make([]*guest, 5000)
	for i := range busy {
		busy[i] = v.open("", "a", true)
		busy[i].busy = true
	}
	for i := range 20_000 {
		if v.open("", "a", i%2 == 0) == nil {
			t.Fatal("no room for session ", i)
		}
	}
	if got := evicted(busy...); got != "" {
		t.Errorf("%s made room, though in use", got)
	}
	asked := 0
	for _, g := range busy {
		asked += g.asked
	}
	if asked > 3*len(busy) {
		t.Errorf("%d busy sessions were asked %d times", len(busy), asked)
	}
}

// TestIdle checks that a session that was busy when room was needed can be evicted when it is idle,
// once, and only if it still has its entry.
func TestIdle(t *testing.T) {
	v := newVisitors(t, 2, -1, -1)
	a, b := v.open("", "a", true), v.open("", "b", true)
	a.busy, b.busy = true, true
	for range 3 {
		if v.open("", "c", true) != nil {
			t.Fatal("there was room, though all sessions are in use")
		}
	}
	if a.asked > 3 {
		t.Errorf("a busy session was asked %d times", a.asked)
	}
	v.rest(a)
	v.rest(a)
	if c := v.open("", "c", true); c == nil || !a.evicted || b.evicted {
		t.Errorf("%s made room", evicted(a, b))
	}
	v.rest(a) // it has no entry any more
	v.rest(b)
	if d := v.open("", "d", true); d == nil || v.sessions.Len() != 2 {
		t.Errorf("%d sessions", v.sessions.Len())
	}
}

// TestRequestBeforeEviction checks that a session is not evicted if a request of its client arrives at
// the last moment.
func TestRequestBeforeEviction(t *testing.T) {
	v := newVisitors(t, 2, -1, -1)
	a, b := v.open("", "a", true), v.open("", "b", true)
	a.onExpire = func() { a.busy = true }
	if c := v.open("", "c", true); c == nil || evicted(a, b) != "1" {
		t.Errorf("%s made room", evicted(a, b))
	}
}

// TestShutdownWhileOpening checks that a shutdown that begins while a session is opened, even by the
// code that opens it, neither waits for that session nor leaves it open.
func TestShutdownWhileOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sessions := NewSessions(Limits{})
		r := httptest.NewRequest("POST", "/", nil)
		old := &guest{shut: make(chan struct{})}
		if err := sessions.Open(old, r, "old", func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		go func() {
			<-old.shut
			sessions.Leave(old)
			sessions.Done(old)
		}()
		g := &guest{}
		err := sessions.Open(g, r, "key", func() error { return sessions.Shutdown(t.Context()) })
		if err != error(ErrClosing) || sessions.Find("key") != nil || sessions.Len() != 0 {
			t.Errorf("%v, %d sessions", err, sessions.Len())
		}
		if sessions.Context().Err() == nil {
			t.Error("the context of the sessions has not ended")
		}
	})
}

// TestOpenTwice checks that two requests cannot open the same session, and that the later one waits
// for the other.
func TestOpenTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sessions := NewSessions(Limits{})
		r := httptest.NewRequest("POST", "/", nil)
		first := &guest{}
		begun, opened := make(chan struct{}), make(chan struct{})
		go func() {
			sessions.Open(first, r, "key", func() error {
				close(begun)
				<-opened
				return nil
			})
		}()
		<-begun
		result := make(chan error, 1)
		go func() {
			result <- sessions.Open(&guest{}, r, "key", func() error { return errors.New("opened twice") })
		}()
		synctest.Wait()
		if len(result) > 0 || sessions.Find("key") != nil {
			t.Error("the second request did not wait")
		}
		close(opened)
		if err := <-result; err != error(ErrOpen) || sessions.Find("key") != Session(first) {
			t.Errorf("%v", err)
		}
		if err := sessions.Open(&guest{}, r, "other", func() error { return errUser }); err != error(errUser) || sessions.Len() != 1 {
			t.Errorf("%v, %d sessions", err, sessions.Len())
		}
	})
}

// TestUserKey checks that users have different keys for the same id.
func TestUserKey(t *testing.T) {
	r := httptest.NewRequest("POST", "/", nil)
	log := slog.New(slog.DiscardHandler)
	nobody := User(func(*http.Request) (string, error) { return "", nil })
	ann := User(func(*http.Request) (string, error) { return "ann", nil })
	unknown := User(func(*http.Request) (string, error) { return "", errors.New("who?") })
	for _, c := range []struct {
		user User
		id   string
		key  string
		err  error
	}{
		{nobody, "b", "b", nil},
		{nobody, "a:b", "", ErrNoSession},
		{ann, "b", "ann:b", nil},
		{ann, "a:b", "", ErrNoSession},
		{unknown, "b", "", errUser},
	} {
		if key, err := c.user.Key(r, c.id, log); key != c.key || c.err != nil && err != c.err || c.err == nil && err != nil {
			t.Errorf("%s: %q, %v", c.id, key, err)
		}
	}
}

// TestUserOf checks that the key of a session tells its user.
func TestUserOf(t *testing.T) {
	for _, user := range []string{"", "ann", "ann:x", ":"} {
		if got := UserOf(Key(user, "id")); got != user {
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
		if got := Address(&http.Request{RemoteAddr: remote}); got != want {
			t.Errorf("%s: %q, want %q", remote, got, want)
		}
	}
}

// TestRefusedEvictsNobody checks that a session that is refused does not evict another.
func TestRefusedEvictsNobody(t *testing.T) {
	v := newVisitors(t, 10, 1, 1)
	idle := v.open("a", "192.0.2.1", true)
	v.open("b", "192.0.2.2", true).busy = true
	if v.open("b", "192.0.2.1", false) != nil || idle.evicted {
		t.Error("a session of a user whose sessions are all in use has taken the place of another")
	}
}
