package tasks_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/storetest"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func openMemory(_ testing.TB, limit int) (one, other tasks.Store) {
	m := tasks.NewMemory(limit)
	return m, m
}

func TestMemory(t *testing.T) { storetest.Tasks(t, openMemory) }

func BenchmarkMemory(b *testing.B) { storetest.BenchmarkTasks(b, openMemory) }

// TestMemoryOwners checks that an owner who fills its part of a store leaves room for others.
func TestMemoryOwners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := tasks.NewMemory(1000)
		ctx := t.Context()
		created := 0
		create := func(owner string, result int, lifetime time.Duration) error {
			created++
			return m.Create(ctx, &tasks.Record{
				ID: fmt.Sprint(created), Owner: owner, Method: "tools/call", Status: "working",
				Result: wire.Object(strings.Repeat(" ", result)), Expires: time.Now().Add(lifetime),
			})
		}
		want := func(what string, got, want error) {
			t.Helper()
			if !errors.Is(got, want) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}

		want("the first task", create("ann", 0, time.Second), nil)
		for range 99 {
			want("a task of ann", create("ann", 0, time.Hour), nil)
		}
		want("task 101 of ann", create("ann", 0, time.Hour), tasks.ErrFull)
		time.Sleep(time.Second)
		synctest.Wait()
		want("a task in place of one whose lifetime has ended", create("ann", 0, time.Hour), nil)
		want("task 101 of ann", create("ann", 0, time.Hour), tasks.ErrFull)
		want("a task of bob", create("bob", 0, time.Hour), nil)
		for range 500 {
			want("a task without an owner", create("", 0, time.Hour), nil)
		}

		const room = 4 << 20 // of an owner
		want("a task that is too large", create("cleo", room, time.Hour), tasks.ErrTooLarge)
		want("half of the room", create("cleo", room/2, time.Hour), nil)
		id := fmt.Sprint(created)
		want("more than is left", create("cleo", room/2, time.Hour), tasks.ErrFull)
		r, err := m.Get(ctx, id)
		want("Get", err, nil)
		r.Result = wire.Object(strings.Repeat(" ", room))
		want("a change that needs more than the room", m.Swap(ctx, r), tasks.ErrTooLarge)
		r.Result = ""
		want("a change that needs less", m.Swap(ctx, r), nil)
		want("more than was left before", create("cleo", room/2, time.Hour), nil)
	})
}

// TestFullStoreEndsTasks checks that a task can fail or be cancelled when its owner has no room for its result.
func TestFullStoreEndsTasks(t *testing.T) {
	m := tasks.NewMemory(1)
	r := &tasks.Record{ID: "a", Owner: "ann", Method: "tools/call", Status: "working", Expires: time.Now().Add(time.Hour)}
	if err := m.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for size := 4 << 20; size > 0; size /= 2 { // other tasks take all room that there is
		r.Params = wire.Raw(strings.Repeat("x", len(r.Params)+size))
		if err := m.Swap(t.Context(), r); err != nil {
			r.Params = r.Params[size:]
		}
	}
	large := *r
	large.Status, large.Result = "completed", wire.Object(strings.Repeat("x", 10_000))
	if err := m.Swap(t.Context(), &large); !errors.Is(err, tasks.ErrTooLarge) {
		t.Errorf("a large result: %v", err)
	}
	r.Status, r.Error = "failed", wire.Object(strings.Repeat("x", 500))
	if err := m.Swap(t.Context(), r); err != nil {
		t.Errorf("an error: %v", err)
	}
	r.Error += "x"
	if err := m.Swap(t.Context(), r); !errors.Is(err, tasks.ErrTooLarge) {
		t.Errorf("a task that has ended grows: %v", err)
	}
}

// TestMemoryLifetime checks the lifetime of records to the second, which not every store keeps.
func TestMemoryLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := tasks.NewMemory(0)
		r := &tasks.Record{ID: "k", Message: "1", Expires: time.Now().Add(time.Minute)}
		if err := m.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Second)
		r.Message, r.Expires = "2", time.Now().Add(time.Minute)
		if err := m.Swap(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute - time.Nanosecond)
		if r, err := m.Get(t.Context(), "k"); err != nil || r.Message != "2" {
			t.Errorf("Get: %+v, %v", r, err)
		}
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		if _, err := m.Get(t.Context(), "k"); !errors.Is(err, tasks.ErrNotFound) {
			t.Errorf("Get after the lifetime: %v", err)
		}
	})
}
