// Package storetest checks implementations of share.Bus, streamable.EventStore and tasks.Store, as testing/fstest
// checks those of fs.FS. Each check has a bus or store of its own. What does not happen at once, such as the end of a
// lifetime, is awaited without a limit other than that of the test.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Open returns an empty bus or store as two processes see it: what one of the two changes, the other one finds.
// They are the same value if only one process can use it. An event store keeps about limit bytes, and a store of
// tasks at most limit tasks; 0 means that the check needs no limit. Open registers with t what closes the store.
type Open[S any] func(t testing.TB, limit int) (one, other S)

// check is a check of a bus or store. It reports with Errorf and Fatalf.
type check[S any] struct {
	name  string
	limit int // of the store
	run   func(t testing.TB, one, other S)
}

func run[S any](t *testing.T, open Open[S], checks []check[S]) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			one, other := open(t, c.limit)
			c.run(t, one, other)
		})
	}
}

// names are subjects and ids that resemble each other, the last one as long as subjects may be.
var names = []string{"a", "a.b", "a.b.c", "b", "A", "a-b", "a_b", longest}

var longest = "a.B-9_." + string(bytes.Repeat([]byte("z"), 249))

// oddNames are neither valid subjects nor ids that a server makes.
var oddNames = []string{
	"", ".", "a.", ".a", "a..b", "*", "a.*", ">", "a.>", "?", "a b", "a ", "a\n", "\x00", "a/b", "../a", "a/../a", "%61", "ä", "\xff", "$a", "$JS.a",
	string(bytes.Repeat([]byte("a"), 257)), string(bytes.Repeat([]byte("a"), 1<<17)),
}

// wantErr checks the error of an operation, which may have to be nil.
func wantErr(t testing.TB, got, want error, format string, args ...any) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: the error is %v, want %v", fmt.Sprintf(format, args...), got, want)
	}
}

func want[V comparable](t testing.TB, got, want V, format string, args ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %#.1000q, want %#.1000q", fmt.Sprintf(format, args...), fmt.Sprint(got), fmt.Sprint(want))
	}
}

// must ends the test if an operation has failed.
func must(t testing.TB, err error, format string, args ...any) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", fmt.Sprintf(format, args...), err)
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

// together runs n functions at once, with both processes in turn.
func together[S any](n int, one, other S, f func(i int, s S)) {
	sides := [2]S{one, other}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i, sides[i%2]) })
	}
	all.Wait()
}

// oneWins runs functions at once, and checks that one succeeds and that the others fail with the error lost. It returns
// the number of the one that has succeeded.
func oneWins[S any](t testing.TB, one, other S, lost error, f func(i int, s S) error) int {
	t.Helper()
	var winners, winner atomic.Int32
	together(8, one, other, func(i int, s S) {
		if err := f(i, s); err == nil {
			winners.Add(1)
			winner.Store(int32(i))
		} else {
			wantErr(t, err, lost, "one of several at once")
		}
	})
	want(t, winners.Load(), 1, "several at once have succeeded")
	return int(winner.Load())
}
