package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
)

// fake is a session that is over when it is told to end.
type fake struct {
	name  string
	entry *Entry[string, *fake]
}

// opener opens sessions, and logs what becomes of them.
type opener struct {
	mu      sync.Mutex // guards log
	log     []string
	opening chan struct{}              // if not nil, an opening waits for it
	fails   error                      // of the next opening
	owners  map[string]context.Context // by key
	slow    bool                       // the end of a session is up to the test
	opened  int
}

func (o *opener) note(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.log = append(o.log, what)
}

func (o *opener) pool(options Options[string, *fake]) *Pool[string, *fake] {
	options.Open = func(key string, e *Entry[string, *fake]) (*fake, error) {
		if o.opening != nil {
			<-o.opening
		}
		if o.fails != nil {
			return nil, o.fails
		}
		s := &fake{fmt.Sprint(key, o.opened), e}
		o.opened++
		o.note("open " + s.name)
		return s, nil
	}
	options.End = func(s *fake) {
		o.note("end " + s.name)
		if !o.slow {
			s.entry.Gone()
		}
	}
	options.Shares = func(s *fake) bool { return strings.HasPrefix(s.name, "shared") }
	options.Owner = func(key string) context.Context { return o.owners[key] }
	return New(options)
}

// happened returns what has happened since the last call.
func (o *opener) happened() string {
	synctest.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	log := o.log
	o.log = nil
	return strings.Join(log, ", ")
}

func take(t *testing.T, p *Pool[string, *fake], key string, exclusive bool) *Entry[string, *fake] {
	t.Helper()
	e, err := p.Take(t.Context(), key, "", exclusive)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestShared checks that requests of equal senders share a session, but for exclusive ones at a session that needs it.
func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o opener
		p := o.pool(Options[string, *fake]{Most: 10, Idle: time.Minute})
		first, second := take(t, p, "a", false), take(t, p, "a", true)
		third, other := take(t, p, "a", false), take(t, p, "b", false)
		alone := take(t, p, "a", true)
		for range 2 {
			take(t, p, "shared", true)
		}
		if first != second || first != third || alone == first || other == first {
			t.Error("the sessions are not those that are expected")
		}
		want(t, o.happened(), "open a0, open b1, open a2, open shared3")
		second.Release(true)
		if again := take(t, p, "a", true); again != first {
			t.Error("a session that is not exclusive any more was not taken")
		}
		first.Retire()
		if again := take(t, p, "a", false); again != alone {
			t.Error("a retired session was taken")
		}
		p.Close(p.o.End)
		if _, err := p.Take(t.Context(), "a", "", false); !errors.Is(err, runtime.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestUnused checks how long unused sessions are kept, and that one that is over counts no more.
func TestUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := opener{owners: map[string]context.Context{"owned": t.Context()}}
		p := o.pool(Options[string, *fake]{Most: 1, Idle: time.Minute})
		e := take(t, p, "a", false)
		take(t, p, "owned", false).Release(false)
		if _, err := p.Take(t.Context(), "b", "", false); err != ErrBusy {
			t.Errorf("beyond the limit: %v", err)
		}
		e.Release(false)
		time.Sleep(59 * time.Second)
		take(t, p, "a", false).Release(false)
		time.Sleep(59 * time.Second)
		want(t, o.happened(), "open a0, open owned1")
		time.Sleep(time.Second)
		want(t, o.happened(), "end a0")
		take(t, p, "b", false).Gone()
		take(t, p, "c", false).Release(false)
		take(t, p, "d", false) // c makes room
		want(t, o.happened(), "open b2, open c3, end c3, open d4")
		p.Drop(func(key string) bool { return key == "owned" })
		want(t, o.happened(), "end owned1")
		p.Close(p.o.End)
	})
}

// TestOpening checks what requests get that wait for a session to be opened.
func TestOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		owner, leave := context.WithCancel(t.Context())
		o := opener{owners: map[string]context.Context{"owned": owner}}
		p := o.pool(Options[string, *fake]{Most: 10, Idle: time.Minute})
		results := make(chan error, 10)
		begin := func(key string) {
			o.opening = make(chan struct{})
			for range 2 {
				go func() {
					_, err := p.Take(t.Context(), key, "", false)
					results <- err
				}()
			}
			synctest.Wait()
		}
		ends := func(name string, with error) {
			t.Helper()
			close(o.opening)
			for range 2 {
				if err := <-results; err != with {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		begin("a")
		ends("opened", nil)
		o.fails = errors.New("no server")
		begin("b")
		ends("failed", o.fails)
		o.fails = nil
		begin("owned")
		leave()
		ends("left", runtime.ErrClosed)
		want(t, o.happened(), "open a0, open owned1, end owned1")
		begin("c")
		closed := make(chan struct{})
		go func() {
			p.Close(p.o.End)
			close(closed)
		}()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("Close does not wait for a session that is being opened")
		default:
		}
		ends("closed", runtime.ErrClosed)
		<-closed
		want(t, o.happened(), "end a0, open c2, end c2")
	})
}

// TestAlone checks that each request has a session to itself, of which some are kept, and that a principal has a
// quarter of them at most, those that are being closed included.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := opener{slow: true}
		p := o.pool(Options[string, *fake]{Alone: true, Most: 8, MaxIdle: 2, Idle: time.Minute})
		var all []*Entry[string, *fake]
		refused := func(principal string) bool {
			e, err := p.Take(t.Context(), "", principal, true)
			if err == nil {
				all = append(all, e)
			}
			return err == ErrBusy
		}
		var got []bool
		for _, principal := range []string{"ann", "ann", "ann", "bob", "", "", "", ""} {
			got = append(got, refused(principal))
		}
		if !slices.Equal(got, []bool{false, false, true, false, false, false, false, false}) {
			t.Errorf("refused %t", got)
		}
		for _, e := range all[:3] {
			e.Release(true)
		}
		want(t, o.happened(), "open 0, open 1, open 2, open 3, open 4, open 5, open 6, end 2")
		got = nil
		for _, principal := range []string{"ann", "ann", "ann", "", ""} {
			got = append(got, refused(principal))
		}
		if !slices.Equal(got, []bool{false, false, true, false, true}) {
			t.Errorf("with sessions that are unused, or are being closed: refused %t", got)
		}
		all[2].Gone()
		if refused("") {
			t.Error("a session that is over counts")
		}
		want(t, o.happened(), "open 7, open 8")
		o.slow = false
		p.Close(p.o.End)
	})
}
