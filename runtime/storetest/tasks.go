package storetest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Tasks checks that a store does what tasks.Store demands.
func Tasks(t *testing.T, open Open[tasks.Store]) { run(t, open, tasksChecks) }

var tasksChecks = []check[tasks.Store]{
	{"Create", 0, tasksCreate},
	{"Swap", 0, tasksSwap},
	{"Memory", 0, tasksMemory},
	{"IDs", 0, tasksIDs},
	{"Large", 0, tasksLarge},
	{"Race", 0, tasksRace},
	{"Changes", 0, tasksChanges},
	{"Watch", 0, tasksWatch},
	{"WatchMany", 0, tasksWatchMany},
	{"List", 0, tasksList},
	{"Due", 0, tasksDue},
	{"Expire", 0, tasksExpire},
	{"Full", 2, tasksFull},
}

// record returns a task on which a process works.
func record(id string) *tasks.Record {
	now := time.Now()
	return &tasks.Record{
		ID: id, Owner: "ann \u2603", Limited: true, Scopes: []string{"dig", ""}, Method: "tools/call", Params: `{"name":"dig","arguments":{"depth":1.50}}`,
		Status: "working", Message: "digging", Created: now, Updated: now, Expires: now.Add(time.Hour), Poll: time.Second,
		Holder: "one", Leased: now.Add(time.Minute), Attempt: 1, Lost: 1,
	}
}

// text returns everything in a record, as one text.
func text(t testing.TB, r *tasks.Record) string {
	t.Helper()
	s, err := wire.MarshalString(r)
	must(t, err, "a record as text")
	return fmt.Sprint(r.Version, " ", s)
}

func create(t testing.TB, s tasks.Store, r *tasks.Record) *tasks.Record {
	t.Helper()
	must(t, s.Create(t.Context(), r), "Create")
	return r
}

func get(t testing.TB, s tasks.Store, id string) *tasks.Record {
	t.Helper()
	r, err := s.Get(t.Context(), id)
	must(t, err, "Get %.100q", id)
	return r
}

func swap(t testing.TB, s tasks.Store, r *tasks.Record) {
	t.Helper()
	must(t, s.Swap(t.Context(), r), "Swap")
}

// wantTask checks that a store has a task as it is in a record.
func wantTask(t testing.TB, s tasks.Store, r *tasks.Record) {
	t.Helper()
	want(t, text(t, get(t, s, r.ID)), text(t, r), "Get")
}

// wantUnknown checks that a store has no such task.
func wantUnknown(t testing.TB, s tasks.Store, id string) {
	t.Helper()
	r, err := s.Get(t.Context(), id)
	wantErr(t, err, tasks.ErrNotFound, "Get %.20q = %v", id, r)
}

// wantIDs waits until list returns ids.
func wantIDs(t testing.TB, what string, list func() ([]string, error), ids ...string) {
	t.Helper()
	await(t, fmt.Sprintf("%s: %q", what, ids), func() bool {
		found, err := list()
		must(t, err, "%s", what)
		return slices.Equal(found, ids)
	})
}

// tasksCreate checks that a created task is found at once, also by another process, as it was.
func tasksCreate(t testing.TB, one, other tasks.Store) {
	r := record("A")
	r.Cancelled, r.Awaited, r.Session = true, true, "s"
	r.Questions = wire.Members{{Name: "q2", Value: `{"method":"elicitation/create"}`}, {Name: "q1", Value: `{}`}}
	r.Answers = wire.Members{{Name: "q0", Value: `{"action":"accept"}`}}
	r.State, r.Result, r.Error = `"state"`, `{"content":[]}`, `{"code":-32603,"message":"broken"}`
	create(t, one, r)
	if r.Version == 0 {
		t.Errorf("Create has set no version")
	}
	for _, s := range []tasks.Store{one, other} {
		wantTask(t, s, r)
		wantErr(t, s.Create(t.Context(), record("A")), tasks.ErrConflict, "Create of a task that exists")
		wantUnknown(t, s, "B")
		for _, version := range []uint64{0, 1, r.Version} {
			unknown := record("B")
			unknown.Version = version
			wantErr(t, s.Swap(t.Context(), unknown), tasks.ErrNotFound, "Swap of an unknown task")
		}
	}
	wantTask(t, one, r) // what was refused has changed nothing
}

// tasksSwap checks that only the newest version can be replaced.
func tasksSwap(t testing.TB, one, other tasks.Store) {
	r := create(t, one, record("A"))
	stale := get(t, other, "A")
	version := stale.Version
	r.Status, r.Result, r.Leased, r.Holder = "completed", `{"content":[]}`, time.Time{}, ""
	swap(t, one, r)
	if r.Version <= version {
		t.Errorf("the version is %d after %d", r.Version, version)
	}
	wantTask(t, other, r)
	stale.Message = "stale"
	wantErr(t, other.Swap(t.Context(), stale), tasks.ErrConflict, "Swap of an old version")
	want(t, stale.Version, version, "a refused Swap has changed the version")
	wantTask(t, one, r)
	newer := get(t, other, "A")
	swap(t, other, newer)
	wantErr(t, one.Swap(t.Context(), r), tasks.ErrConflict, "Swap after another process")
	want(t, get(t, one, "A").Version, newer.Version, "the version that the first process sees")
}

// tasksMemory checks that a store shares no memory with its callers.
func tasksMemory(t testing.TB, one, _ tasks.Store) {
	r := record("A")
	r.Questions = wire.Members{{Name: "q", Value: `1`}, {Name: "r", Value: `2`}}
	before := text(t, create(t, one, r))
	r.Message, r.Questions[0].Value = "changed", `3`
	got := get(t, one, "A")
	want(t, text(t, got), before, "a change of the record after Create has changed the store")
	got.Message = "changed"
	got.Questions = slices.Delete(got.Questions, 0, 1)
	want(t, text(t, get(t, one, "A")), before, "a change of the result of Get has changed the store")
}

// tasksIDs checks that similar ids name different records, and that an id for which nothing was stored names none.
func tasksIDs(t testing.TB, one, other tasks.Store) {
	var records []*tasks.Record
	for _, id := range []string{"a", "A", "aa", "a-b", "a_b", "used-" + strings.Repeat("a1", 32)} {
		records = append(records, create(t, one, record(id)))
	}
	for _, r := range records {
		wantTask(t, other, r)
	}
	for _, id := range append([]string{"b", longest, "a.b"}, oddNames...) {
		wantUnknown(t, one, id)
		one.Watch(id, func() {})()
	}
}

// tasksLarge checks that a large task is stored as it is or refused with ErrTooLarge.
func tasksLarge(t testing.TB, one, other tasks.Store) {
	r := create(t, one, record("A"))
	for size := 1 << 10; size <= 4<<20; size *= 4 {
		before := text(t, get(t, one, "A"))
		r.Result = wire.Object(`{"text":"` + strings.Repeat("x", size) + `"}`)
		err := one.Swap(t.Context(), r)
		if err == nil {
			wantTask(t, other, r)
			continue
		}
		wantErr(t, err, tasks.ErrTooLarge, "Swap of %d bytes", size)
		want(t, text(t, get(t, other, "A")), before, "after a refused Swap")
		larger := record(fmt.Sprint("B", size))
		larger.Result = r.Result
		wantErr(t, one.Create(t.Context(), larger), tasks.ErrTooLarge, "Create of %d bytes", size)
	}
}

// tasksRace lets several processes create a task and take its work over at once. It checks that one of them succeeds,
// and that a former holder can no longer store anything.
func tasksRace(t testing.TB, one, other tasks.Store) {
	for round := range 10 {
		id := fmt.Sprint("A", round)
		former := record(id)
		for attempt := range 5 {
			winner := oneWins(t, one, other, tasks.ErrConflict, func(i int, s tasks.Store) error {
				r := record(id)
				r.Attempt = attempt
				var err error
				if attempt > 0 {
					r, err = s.Get(t.Context(), id)
				}
				switch {
				case err != nil:
					return err
				case r.Attempt != attempt: // another one has it
					return tasks.ErrConflict
				}
				r.Holder = fmt.Sprint(i)
				if r.Attempt++; attempt > 0 {
					return s.Swap(t.Context(), r)
				}
				return s.Create(t.Context(), r)
			})
			if attempt > 0 {
				former.Status, former.Result = "completed", `{"content":[]}`
				wantErr(t, one.Swap(t.Context(), former), tasks.ErrConflict, "Swap by the former holder")
			}
			former = get(t, other, id)
			want(t, former.Holder, fmt.Sprint(winner), "the holder")
			want(t, fmt.Sprint(former.Attempt, former.Status), fmt.Sprint(attempt+1, "working"), "attempts and status")
		}
	}
}

// tasksChanges checks that no change is lost.
func tasksChanges(t testing.TB, one, other tasks.Store) {
	const goroutines, times = 8, 10
	create(t, one, record("A"))
	together(goroutines, one, other, func(_ int, s tasks.Store) {
		for done := 0; done < times; {
			r, err := s.Get(t.Context(), "A")
			if err == nil {
				r.Attempt++
				err = s.Swap(t.Context(), r)
			}
			if err == nil {
				done++
			} else if !errors.Is(err, tasks.ErrConflict) {
				t.Errorf("one of several at once: %v", err)
				return
			}
		}
	})
	want(t, get(t, one, "A").Attempt, 1+goroutines*times, "changes that were stored")
}

// watched returns a channel that receives a value after a task has changed.
func watched(s tasks.Store, id string) (changes <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	return c, s.Watch(id, func() {
		select {
		case c <- struct{}{}:
		default: // it holds a value already
		}
	})
}

// tasksWatch checks that each watcher in each process learns of changes, and that those which do not
// listen hinder nobody.
func tasksWatch(t testing.TB, one, other tasks.Store) {
	r := create(t, one, record("A"))
	_, stopDeaf := watched(other, "A")
	defer stopDeaf()
	near, stopNear := watched(one, "A")
	far, stopFar := watched(other, "A")
	learns := func(s tasks.Store, changes <-chan struct{}) {
		// A value may be for an earlier change; there is another one for the last.
		for <-changes; get(t, s, "A").Version != r.Version; <-changes {
		}
	}
	for i := range 3 {
		r.Message = fmt.Sprint("change ", i)
		swap(t, one, r)
		learns(one, near)
		learns(other, far)
	}
	stopNear()
	stopFar()
	again, stop := watched(other, "A")
	defer stop()
	swap(t, one, r)
	<-again
}

// tasksWatchMany checks that a watcher that reads the task after each value misses no last change, while
// the task changes faster than it reads.
func tasksWatchMany(t testing.TB, one, other tasks.Store) {
	const watchers, changes = 4, 50
	for i := range watchers {
		create(t, one, record(fmt.Sprint("A", i)))
	}
	together(2*watchers, one, other, func(i int, s tasks.Store) {
		id := fmt.Sprint("A", i/2)
		if i%2 == 0 { // it changes the task
			for n := range changes {
				r, err := s.Get(t.Context(), id)
				if err == nil {
					r.Attempt = n + 1
					err = s.Swap(t.Context(), r)
				}
				wantErr(t, err, nil, "change %d of %s", n, id)
			}
			return
		}
		values, stop := watched(s, id)
		defer stop()
		for {
			r, err := s.Get(t.Context(), id)
			if wantErr(t, err, nil, "Get"); err != nil || r.Attempt == changes {
				return
			}
			<-values
		}
	})
}

// tasksList checks that a store lists the tasks of a session, and no others.
func tasksList(t testing.TB, one, other tasks.Store) {
	add := func(id, session string) *tasks.Record {
		r := record(id)
		r.Session = session
		return create(t, one, r)
	}
	wantList := func(s tasks.Store, session string, ids ...string) {
		t.Helper()
		wantIDs(t, "the tasks of session "+session, func() ([]string, error) { return s.List(t.Context(), session) }, ids...)
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
		wantList(s, "s1", "A", "C", "D")
		wantList(s, "s10", "E")
		wantList(s, "s")
	}
	short.Status, short.Expires = "cancelled", time.Now()
	swap(t, other, short)
	for _, s := range []tasks.Store{one, other} {
		wantIDs(t, "the tasks whose lifetime has not ended", func() ([]string, error) {
			_, err := s.Due(t.Context(), time.Now())
			must(t, err, "Due")
			return s.List(t.Context(), "s1")
		}, "A", "C")
	}
	r := get(t, other, "A")
	want(t, r.Session, "s1", "the session")
	swap(t, other, r)
	wantList(one, "s1", "A", "C")
}

// tasksDue checks that a store lists the tasks on which nobody works.
func tasksDue(t testing.TB, one, other tasks.Store) {
	now := time.Now()
	add := func(id string, change func(*tasks.Record)) *tasks.Record {
		r := record(id)
		change(r)
		return create(t, one, r)
	}
	add("dropped", func(r *tasks.Record) { r.Holder, r.Leased = "", time.Time{} })
	add("ended", func(r *tasks.Record) { r.Leased = now.Add(-time.Second) })
	held := add("held", func(r *tasks.Record) { r.Leased = now.Add(10 * time.Minute) })
	asking := add("asking", func(r *tasks.Record) { r.Status, r.Leased = "input_required", time.Time{} })
	add("session", func(r *tasks.Record) { r.Session, r.Status, r.Leased = "s", "input_required", now.Add(-time.Second) })
	add("completed", func(r *tasks.Record) { r.Status, r.Leased = "completed", time.Time{} })
	add("short", func(r *tasks.Record) { r.Expires = now.Add(5 * time.Minute) })
	wantDue := func(after time.Duration, ids ...string) {
		t.Helper()
		for _, s := range []tasks.Store{one, other} {
			wantIDs(t, fmt.Sprint("due after ", after), func() ([]string, error) {
				due, err := s.Due(t.Context(), now.Add(after))
				slices.Sort(due)
				return due, err
			}, ids...)
		}
	}
	wantDue(0, "dropped", "ended", "session")
	wantDue(2*time.Minute, "dropped", "ended", "session", "short")
	wantDue(20*time.Minute, "dropped", "ended", "held", "session") // the lifetime of "short" has ended
	asking.Status = "working"
	swap(t, one, asking)
	wantDue(0, "asking", "dropped", "ended", "session")
	for _, id := range []string{"asking", "dropped"} {
		r := get(t, other, id)
		r.Holder, r.Leased = "two", now.Add(time.Minute)
		swap(t, other, r)
	}
	held.Status, held.Leased = "failed", time.Time{}
	swap(t, one, held)
	wantDue(0, "ended", "session")
	wantDue(20*time.Minute, "asking", "dropped", "ended", "session")
}

// tasksExpire checks that tasks are kept until their lifetime ends, and no longer.
func tasksExpire(t testing.TB, one, other tasks.Store) {
	short, longer, long := record("short"), record("longer"), record("long")
	short.Expires = time.Now().Add(time.Second)
	longer.Expires = short.Expires
	for _, r := range []*tasks.Record{short, longer, long} {
		create(t, one, r)
	}
	longer.Expires = longer.Expires.Add(time.Hour)
	swap(t, one, longer)
	expire := func() {
		_, err := other.Due(t.Context(), time.Now())
		must(t, err, "Due")
	}
	expire()
	if _, err := other.Get(t.Context(), "short"); err != nil && time.Now().Before(short.Expires) {
		t.Errorf("Get within the lifetime of a task: %v", err)
	}
	await(t, "the end of a task's lifetime", func() bool {
		expire()
		_, err := one.Get(t.Context(), "short")
		return err != nil
	})
	for _, s := range []tasks.Store{one, other} {
		wantUnknown(t, s, "short")
		wantErr(t, s.Swap(t.Context(), short), tasks.ErrNotFound, "Swap after the lifetime of a task")
		get(t, s, "long")
		get(t, s, "longer")
	}
	create(t, one, record("short"))
}

// tasksFull checks that a full store takes no more tasks and forgets none, until one has expired.
func tasksFull(t testing.TB, one, other tasks.Store) {
	r := create(t, one, record("A"))
	create(t, other, record("B"))
	for _, s := range []tasks.Store{one, other} {
		wantErr(t, s.Create(t.Context(), record("C")), tasks.ErrFull, "Create in a full store")
	}
	swap(t, other, r)
	get(t, one, "B")
	r.Expires = time.Now().Add(time.Second)
	swap(t, one, r)
	await(t, "room for a task when another one has expired", func() bool {
		err := one.Create(t.Context(), record("C"))
		if !errors.Is(err, tasks.ErrFull) {
			must(t, err, "Create")
		}
		return err == nil
	})
	get(t, other, "B")
}

// BenchmarkTasks measures Create, Get and Swap of tasks of a usual size, by one caller at a time and by several
// at once. The store holds a thousand tasks, none of which has expired.
func BenchmarkTasks(b *testing.B, open Open[tasks.Store]) {
	for _, do := range []struct {
		name string
		call func(s tasks.Store, r *tasks.Record) error
	}{
		{"Create", func(s tasks.Store, r *tasks.Record) error {
			r.ID = rand.Text()
			return s.Create(b.Context(), r)
		}},
		{"Get", func(s tasks.Store, r *tasks.Record) error {
			_, err := s.Get(b.Context(), r.ID)
			return err
		}},
		{"Swap", func(s tasks.Store, r *tasks.Record) error { return s.Swap(b.Context(), r) }},
	} {
		for _, callers := range []int{1, 32} {
			b.Run(fmt.Sprintf("%s/callers=%d", do.name, callers), func(b *testing.B) {
				s, _ := open(b, 1_000_000_000)
				for range 1000 {
					create(b, s, record(rand.Text()))
				}
				b.ReportAllocs()
				b.SetParallelism(callers)
				work := func(next func() bool) {
					r := record(rand.Text())
					err := s.Create(b.Context(), r)
					for err == nil && next() {
						err = do.call(s, r)
					}
					wantErr(b, err, nil, "%s", do.name)
				}
				if b.ResetTimer(); callers == 1 {
					work(b.Loop)
				} else {
					b.RunParallel(func(pb *testing.PB) { work(pb.Next) })
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
			})
		}
	}
}
