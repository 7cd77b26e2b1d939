package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// testWatch checks that each watcher in each process learns of changes, and that those which do not
// listen hinder nobody.
func testWatch(t *testing.T, open Open) {
	one, other := open(t, 0)
	r := record("A")
	create(t, one, r)
	watch := func(s tasks.Store) (<-chan struct{}, func()) { return watched(t, s, "A") }
	_, stopDeaf := watch(other)
	defer stopDeaf()
	near, stopNear := watch(one)
	far, stopFar := watch(other)
	for i := range 3 {
		r.Message = fmt.Sprint("change ", i)
		swap(t, one, r)
		for _, w := range []struct {
			s       tasks.Store
			changes <-chan struct{}
		}{{one, near}, {other, far}} {
			for {
				<-w.changes
				if get(t, w.s, "A").Version == r.Version {
					break
				}
				// A value for an earlier change; there is another one for the last.
			}
		}
	}
	stopNear()
	stopFar()
	again, stop := watch(other)
	defer stop()
	swap(t, one, r)
	<-again
}

// watched returns a channel that receives a value after a task has changed.
func watched(t testing.TB, s tasks.Store, id string) (changes <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	stop, err := s.Watch(t.Context(), id, func() {
		select {
		case c <- struct{}{}:
		default: // it holds a value already
		}
	})
	if err != nil {
		t.Errorf("Watch: %v", err)
		return c, func() {}
	}
	return c, stop
}

// testWatchMany checks that a watcher that reads the task after each value misses no last change, while
// the task changes faster than it reads.
func testWatchMany(t *testing.T, open Open) {
	one, other := open(t, 0)
	const watchers, changes = 4, 50
	for i := range watchers {
		create(t, one, record(fmt.Sprint("A", i)))
	}
	together(2*watchers, func(i int) {
		id := fmt.Sprint("A", i/2)
		if i%2 == 0 {
			for n := range changes {
				r, err := one.Get(t.Context(), id)
				if err == nil {
					r.Attempt = n + 1
					err = one.Swap(t.Context(), r)
				}
				if err != nil {
					t.Errorf("change %d of %s: %v", n, id, err)
				}
			}
			return
		}
		values, stop := watched(t, other, id)
		defer stop()
		for {
			r, err := other.Get(t.Context(), id)
			if err != nil {
				t.Errorf("Get: %v", err)
				return
			}
			if r.Attempt == changes {
				return
			}
			<-values
		}
	})
}

// testList checks that a store lists the tasks of a session, and no others.
func testList(t *testing.T, open Open) {
	one, other := open(t, 0)
	add := func(id, session string) *tasks.Record {
		r := record(id)
		r.Session = session
		create(t, one, r)
		return r
	}
	want := func(s tasks.Store, session string, ids ...string) {
		t.Helper()
		await(t, fmt.Sprintf("the tasks of session %q: %q", session, ids), func() bool {
			found, err := s.List(t.Context(), session)
			if err != nil {
				t.Fatalf("List: %v", err)
			}
			return slices.Equal(found, ids)
		})
	}
	add("C", "s1")
	add("A", "s1")
	add("B", "")
	short := add("D", "s1")
	add("E", "s10")
	if found, err := one.List(t.Context(), "s1"); err != nil || !slices.Equal(found, []string{"A", "C", "D"}) {
		t.Fatalf("the process that has created the tasks finds %q, %v", found, err)
	}
	for _, s := range []tasks.Store{one, other} {
		want(s, "s1", "A", "C", "D")
		want(s, "s10", "E")
		want(s, "s")
	}
	short.Status, short.Expires = "cancelled", time.Now()
	swap(t, other, short)
	for _, s := range []tasks.Store{one, other} {
		await(t, "the end of a task's lifetime in List", func() bool {
			if err := s.Expire(t.Context(), time.Now()); err != nil {
				t.Fatalf("Expire: %v", err)
			}
			found, err := s.List(t.Context(), "s1")
			return err == nil && slices.Equal(found, []string{"A", "C"})
		})
	}
	r := get(t, other, "A")
	if r.Session != "s1" {
		t.Errorf("the session is %q", r.Session)
	}
	swap(t, other, r)
	want(one, "s1", "A", "C")
}

// testDue checks that a store lists the tasks on which nobody works.
func testDue(t *testing.T, open Open) {
	one, other := open(t, 0)
	now := time.Now()
	add := func(id string, change func(*tasks.Record)) *tasks.Record {
		r := record(id)
		change(r)
		create(t, one, r)
		return r
	}
	add("dropped", func(r *tasks.Record) { r.Holder, r.Leased = "", time.Time{} })
	add("ended", func(r *tasks.Record) { r.Leased = now.Add(-time.Second) })
	held := add("held", func(r *tasks.Record) { r.Leased = now.Add(10 * time.Minute) })
	asking := add("asking", func(r *tasks.Record) { r.Status, r.Leased = "input_required", time.Time{} })
	add("session", func(r *tasks.Record) { r.Session, r.Status, r.Leased = "s", "input_required", now.Add(-time.Second) })
	add("completed", func(r *tasks.Record) { r.Status, r.Leased = "completed", time.Time{} })
	add("short", func(r *tasks.Record) { r.Expires = now.Add(5 * time.Minute) })
	want := func(after time.Duration, ids ...string) {
		t.Helper()
		slices.Sort(ids)
		for _, s := range []tasks.Store{one, other} {
			var due []string
			await(t, fmt.Sprint("due after ", after, ": ", ids), func() bool {
				var err error
				if due, err = s.Due(t.Context(), now.Add(after)); err != nil {
					t.Fatalf("Due: %v", err)
				}
				slices.Sort(due)
				return slices.Equal(due, ids)
			})
		}
	}
	want(0, "dropped", "ended", "session")
	want(2*time.Minute, "dropped", "ended", "session", "short")
	want(20*time.Minute, "dropped", "ended", "held", "session") // the lifetime of "short" has ended
	asking.Status = "working"
	swap(t, one, asking)
	want(0, "asking", "dropped", "ended", "session")
	for _, id := range []string{"asking", "dropped"} {
		r := get(t, other, id)
		r.Holder, r.Leased = "two", now.Add(time.Minute)
		swap(t, other, r)
	}
	held.Status, held.Leased = "failed", time.Time{}
	swap(t, one, held)
	want(0, "ended", "session")
	want(20*time.Minute, "asking", "dropped", "ended", "session")
}

// testExpire checks that tasks do not outlive their lifetime, and live as long.
func testExpire(t *testing.T, open Open) {
	one, other := open(t, 0)
	short, longer, long := record("short"), record("longer"), record("long")
	short.Expires = time.Now().Add(time.Second)
	longer.Expires = short.Expires
	for _, r := range []*tasks.Record{short, longer, long} {
		create(t, one, r)
	}
	longer.Expires = longer.Expires.Add(time.Hour)
	swap(t, one, longer)
	if err := other.Expire(t.Context(), time.Now()); err != nil {
		t.Fatalf("Expire: %v", err)
	}
	if _, err := other.Get(t.Context(), "short"); err != nil && time.Now().Before(short.Expires) {
		t.Errorf("Get within the lifetime of a task: %v", err)
	}
	await(t, "the end of a task's lifetime", func() bool {
		if err := other.Expire(t.Context(), time.Now()); err != nil {
			t.Fatalf("Expire: %v", err)
		}
		_, err := one.Get(t.Context(), "short")
		return err != nil
	})
	for _, s := range []tasks.Store{one, other} {
		_, err := s.Get(t.Context(), "short")
		wantErr(t, "Get after the lifetime of a task", err, tasks.ErrNotFound)
		wantErr(t, "Swap after the lifetime of a task", s.Swap(t.Context(), short), tasks.ErrNotFound)
		get(t, s, "long")
		get(t, s, "longer")
	}
	create(t, one, record("short"))
}
