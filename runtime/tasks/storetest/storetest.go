package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Open returns an empty store as two processes see it: what one of the two changes, the other one finds.
// They are the same value if only one process can use the store. The store keeps at most limit tasks; 0
// means that the test needs no limit. Open registers with t what closes the store.
type Open func(t testing.TB, limit int) (one, other tasks.Store)

// Test checks that a store does what tasks.Store demands. Each test opens a store of its own. What does not
// happen at once, such as the expiry of tasks, is awaited without a limit other than that of the test.
func Test(t *testing.T, open Open) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Open)
	}{
		{"Create", testCreate},
		{"Swap", testSwap},
		{"Memory", testMemory},
		{"OddIDs", testOddIDs},
		{"Large", testLarge},
		{"ConcurrentCreate", testConcurrentCreate},
		{"ConcurrentSwap", testConcurrentSwap},
		{"Lease", testLease},
		{"CancelRace", testCancelRace},
		{"Watch", testWatch},
		{"WatchMany", testWatchMany},
		{"List", testList},
		{"Due", testDue},
		{"Expire", testExpire},
		{"Full", testFull},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
}

// record returns a task on which a process works.
func record(id string) *tasks.Record {
	now := time.Now()
	return &tasks.Record{
		ID: id, Owner: "ann \u2603", Method: "tools/call", Params: `{"name":"dig","arguments":{"depth":1.50}}`,
		Status: "working", Message: "digging", Created: now, Updated: now, Expires: now.Add(time.Hour), Poll: time.Second,
		Holder: "one", Leased: now.Add(time.Minute), Attempt: 1, Lost: 1,
	}
}

// text returns everything in a record, as one text.
func text(t testing.TB, r *tasks.Record) string {
	t.Helper()
	s, err := wire.MarshalString(r)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(r.Version, " ", s)
}

func create(t testing.TB, s tasks.Store, r *tasks.Record) {
	t.Helper()
	if err := s.Create(t.Context(), r); err != nil {
		t.Fatalf("Create: %v", err)
	}
}

func get(t testing.TB, s tasks.Store, id string) *tasks.Record {
	t.Helper()
	r, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatalf("Get %.100q: %v", id, err)
	}
	return r
}

func swap(t testing.TB, s tasks.Store, r *tasks.Record) {
	t.Helper()
	if err := s.Swap(t.Context(), r); err != nil {
		t.Fatalf("Swap: %v", err)
	}
}

func wantErr(t testing.TB, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: the error is %v, want %v", what, got, want)
	}
}

// await waits until f returns true.
func await(t testing.TB, what string, f func() bool) {
	t.Helper()
	for !f() {
		select {
		case <-t.Context().Done():
			t.Fatalf("%s: %v", what, context.Cause(t.Context()))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// together runs n functions at once.
func together(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

// testCreate checks that a created task is found at once, also by another process, as it was.
func testCreate(t *testing.T, open Open) {
	one, other := open(t, 0)
	r := record("A")
	r.Cancelled, r.Awaited, r.Session = true, true, "s"
	r.Questions = wire.Members{{Name: "q2", Value: `{"method":"elicitation/create"}`}, {Name: "q1", Value: `{}`}}
	r.Answers = wire.Members{{Name: "q0", Value: `{"action":"accept"}`}}
	r.State, r.Result, r.Error = `"state"`, `{"content":[]}`, `{"code":-32603,"message":"broken"}`
	create(t, one, r)
	if r.Version == 0 {
		t.Error("Create has set no version")
	}
	for _, s := range []tasks.Store{one, other} {
		if got, want := text(t, get(t, s, "A")), text(t, r); got != want {
			t.Errorf("Get returns %s, want %s", got, want)
		}
		wantErr(t, "Create of a task that exists", s.Create(t.Context(), record("A")), tasks.ErrConflict)
		_, err := s.Get(t.Context(), "B")
		wantErr(t, "Get of an unknown task", err, tasks.ErrNotFound)
		for _, version := range []uint64{0, 1, r.Version} {
			unknown := record("B")
			unknown.Version = version
			wantErr(t, "Swap of an unknown task", s.Swap(t.Context(), unknown), tasks.ErrNotFound)
		}
	}
	if got, want := text(t, get(t, one, "A")), text(t, r); got != want {
		t.Errorf("after refused changes, Get returns %s, want %s", got, want)
	}
}

// testSwap checks that only the newest version can be replaced.
func testSwap(t *testing.T, open Open) {
	one, other := open(t, 0)
	r := record("A")
	create(t, one, r)
	stale := get(t, other, "A")
	before := r.Version
	r.Status, r.Result, r.Leased, r.Holder = "completed", `{"content":[]}`, time.Time{}, ""
	swap(t, one, r)
	if r.Version <= before {
		t.Errorf("the version is %d after %d", r.Version, before)
	}
	if got, want := text(t, get(t, other, "A")), text(t, r); got != want {
		t.Errorf("Get returns %s, want %s", got, want)
	}
	version := stale.Version
	stale.Message = "stale"
	wantErr(t, "Swap of an old version", other.Swap(t.Context(), stale), tasks.ErrConflict)
	if stale.Version != version {
		t.Errorf("a refused Swap has changed the version from %d to %d", version, stale.Version)
	}
	if got, want := text(t, get(t, one, "A")), text(t, r); got != want {
		t.Errorf("after a refused Swap, Get returns %s, want %s", got, want)
	}
	newer := get(t, other, "A")
	swap(t, other, newer)
	wantErr(t, "Swap after another process", one.Swap(t.Context(), r), tasks.ErrConflict)
	if get(t, one, "A").Version != newer.Version {
		t.Error("the processes see different versions")
	}
}

// testMemory checks that a store shares no memory with its callers.
func testMemory(t *testing.T, open Open) {
	one, _ := open(t, 0)
	r := record("A")
	r.Questions = wire.Members{{Name: "q", Value: `1`}, {Name: "r", Value: `2`}}
	create(t, one, r)
	want := text(t, r)
	r.Message, r.Questions[0].Value = "changed", `3`
	got := get(t, one, "A")
	if text(t, got) != want {
		t.Errorf("a change of the record after Create has changed the store: %s", text(t, got))
	}
	got.Message = "changed"
	got.Questions = slices.Delete(got.Questions, 0, 1)
	if again := text(t, get(t, one, "A")); again != want {
		t.Errorf("a change of the result of Get has changed the store: %s", again)
	}
}

// testOddIDs checks that ids which the server has not made name no task.
func testOddIDs(t *testing.T, open Open) {
	one, _ := open(t, 0)
	create(t, one, record("A"))
	for _, id := range []string{"", "*", ">", "?", "a", "A.B", "A B", "A\n", "\x00", "../A", "A/../A", "%41", "Ä", "\xff", "$JS.A", strings.Repeat("A", 1<<17)} {
		if r, err := one.Get(t.Context(), id); !errors.Is(err, tasks.ErrNotFound) {
			t.Errorf("Get %.20q = %v, %v, want ErrNotFound", id, r, err)
		}
		stop, err := one.Watch(t.Context(), id, func() {})
		if err == nil {
			stop()
		} else if !errors.Is(err, tasks.ErrNotFound) {
			t.Errorf("Watch %.20q: %v", id, err)
		}
	}
}

// testLarge checks that a large task is stored as it is or refused with ErrTooLarge.
func testLarge(t *testing.T, open Open) {
	one, other := open(t, 0)
	r := record("A")
	create(t, one, r)
	for size := 1 << 10; size <= 4<<20; size *= 4 {
		before := text(t, get(t, one, "A"))
		r.Result = wire.Object(`{"text":"` + strings.Repeat("x", size) + `"}`)
		switch err := one.Swap(t.Context(), r); {
		case errors.Is(err, tasks.ErrTooLarge):
			if text(t, get(t, other, "A")) != before {
				t.Errorf("a refused Swap of %d bytes has changed the task", size)
			}
			create := record(fmt.Sprint("B", size))
			create.Result = r.Result
			wantErr(t, fmt.Sprintf("Create of %d bytes", size), one.Create(t.Context(), create), tasks.ErrTooLarge)
		case err != nil:
			t.Fatalf("Swap of %d bytes: %v", size, err)
		case text(t, get(t, other, "A")) != text(t, r):
			t.Errorf("the task is not as it was stored with %d bytes", size)
		}
	}
}

// testFull checks that a full store takes no more tasks and forgets none, until one has expired.
func testFull(t *testing.T, open Open) {
	one, other := open(t, 2)
	r := record("A")
	create(t, one, r)
	create(t, other, record("B"))
	for _, s := range []tasks.Store{one, other} {
		wantErr(t, "Create in a full store", s.Create(t.Context(), record("C")), tasks.ErrFull)
	}
	swap(t, other, r)
	get(t, one, "B")

	one, other = open(t, 1)
	short := record("A")
	short.Expires = time.Now().Add(time.Second)
	create(t, one, short)
	await(t, "room for a task when another one has expired", func() bool {
		err := one.Create(t.Context(), record("B"))
		if err != nil && !errors.Is(err, tasks.ErrFull) {
			t.Fatalf("Create: %v", err)
		}
		return err == nil
	})
	get(t, other, "B")
}
