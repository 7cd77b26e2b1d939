package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// guest is a session under test.
type guest struct {
	place      Place
	since      time.Time
	used, busy bool
	evicted    bool
}

func (g *guest) Rest() (time.Time, bool, bool) { return g.since, g.used, g.busy }
func (g *guest) Evict()                        { g.evicted = true }

// visitors opens sessions at places.
type visitors struct {
	t      *testing.T
	places *Places
	clock  time.Time
}

func (v *visitors) now() time.Time {
	v.clock = v.clock.Add(time.Second)
	return v.clock
}

// open opens a session of a user at an address; nil when it is refused.
func (v *visitors) open(user, address string, used bool) *guest {
	v.t.Helper()
	g := &guest{since: v.now(), used: used}
	r := httptest.NewRequest("POST", "/", nil)
	r.RemoteAddr = address + ":1234"
	if err := v.places.Enter(&g.place, g, r, user+":id", "id"); err != nil {
		if err != error(errTooMany) {
			v.t.Error(err)
		}
		return nil
	}
	return g
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
	user := func(*http.Request) (string, error) { return "", nil }
	return &visitors{t, NewPlaces(all, perUser, perAddress, user, nil), time.Now().Add(-1000 * time.Hour)}
}

// TestPlaces holds which session makes room: one that was never used, else the one that has not
// been used for longest, and none that is in use.
func TestPlaces(t *testing.T) {
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
	v.places.Leave(&g.place)
	v.places.Leave(&g.place) // twice does no harm
	if v.open("", "j", true) == nil || evicted(b, e, h) != "" {
		t.Error("there was no room, though a session has left")
	}
}

// TestPlacesOfGroups holds that users and addresses have limits of their own, and make room for
// themselves.
func TestPlacesOfGroups(t *testing.T) {
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
		v.places.Leave(&left.place)
	}
	if n := len(v.places.groups); n != 2 { // all, and cal's
		t.Errorf("%d groups are kept", n)
	}
}

// TestPlacesAtScale has ten thousand sessions be opened over and over, of which some are busy.
func TestPlacesAtScale(t *testing.T) {
	v := newVisitors(t, 10_000, -1, -1)
	busy := make([]*guest, 5000)
	for i := range busy {
		busy[i] = v.open("", "a", true)
		busy[i].busy = true
	}
	for i := range 100_000 {
		if v.open("", "a", i%2 == 0) == nil {
			t.Fatal("no room for session ", i)
		}
	}
	if got := evicted(busy...); got != "" {
		t.Errorf("%s made room, though in use", got)
	}
}

// TestAddress holds which addresses count as one, and which are not limited.
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

// TestRefusedEvictsNobody holds that a session which is refused takes the place of no other.
func TestRefusedEvictsNobody(t *testing.T) {
	v := newVisitors(t, 10, 1, 1)
	idle := v.open("a", "192.0.2.1", true)
	v.open("b", "192.0.2.2", true).busy = true
	if v.open("b", "192.0.2.1", false) != nil || idle.evicted {
		t.Error("a session of a user whose sessions are all in use has taken the place of another")
	}
}
