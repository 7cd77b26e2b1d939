package sharetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/share"
)

// OpenKV returns an empty store as two processes see it: what one of the two changes, the other one finds. They
// are the same value if only one process can use the store. OpenKV registers with t what closes the store.
type OpenKV func(t testing.TB) (one, other share.KV)

// TestKV checks that a store does what share.KV demands. Each test opens a store of its own. The end of a
// value's time is awaited without a limit other than that of the test.
func TestKV(t *testing.T, open OpenKV) {
	run(t, open, []test[share.KV]{
		{"Put", testPut},
		{"Delete", testDelete},
		{"Keys", testKeys},
		{"Memory", testKVMemory},
		{"Large", testLargeValue},
		{"OddKeys", testOddKeys},
		{"Create", testCreateRace},
		{"Change", testChangeRace},
		{"TTL", testTTL},
	})
}

func put(t testing.TB, s share.KV, key, text string, version uint64, ttl time.Duration) uint64 {
	t.Helper()
	got, err := s.Put(t.Context(), key, []byte(text), version, ttl)
	if err != nil || got == 0 || got == version {
		t.Fatalf("Put %s with version %d: version %d, %v", key, version, got, err)
	}
	return got
}

// wantValue checks the value of a key.
func wantValue(t testing.TB, s share.KV, key, text string, version uint64) {
	t.Helper()
	if got, v, err := s.Get(t.Context(), key); string(got) != text || v != version || err != nil {
		t.Errorf("Get %.20s: %.20q, version %d, %v, want %.20q, version %d", key, got, v, err, text, version)
	}
}

func wantNone(t testing.TB, s share.KV, key string) {
	t.Helper()
	if got, v, err := s.Get(t.Context(), key); !errors.Is(err, share.ErrNotFound) {
		t.Errorf("Get %.20s: %.20q, version %d, %v, want ErrNotFound", key, got, v, err)
	}
}

// wantConflict checks that a version is not that of a key.
func wantConflict(t testing.TB, s share.KV, key string, version uint64) {
	t.Helper()
	if got, err := s.Put(t.Context(), key, []byte("conflict"), version, 0); !errors.Is(err, share.ErrConflict) {
		t.Errorf("Put %.20s with version %d: version %d, %v, want ErrConflict", key, version, got, err)
	}
}

// testPut checks that only the newest version is replaced, and that both processes find it at once.
func testPut(t *testing.T, one, other share.KV) {
	wantNone(t, one, "k")
	wantConflict(t, one, "k", 7)
	first := put(t, one, "k", "1", 0, 0)
	wantValue(t, other, "k", "1", first)
	wantConflict(t, other, "k", 0)
	wantConflict(t, other, "k", first+1)
	second := put(t, other, "k", "2", first, time.Hour)
	wantConflict(t, one, "k", first)
	wantConflict(t, one, "k", 0)
	wantValue(t, one, "k", "2", second)
	third := put(t, one, "k", "", second, 0)
	wantValue(t, other, "k", "", third) // an empty value is a value
	wantConflict(t, other, "k", 0)
}

// testDelete checks that a deleted value is gone, and that its version is not that of a later one.
func testDelete(t *testing.T, one, other share.KV) {
	remove := func(s share.KV) {
		t.Helper()
		if err := s.Delete(t.Context(), "k"); err != nil {
			t.Errorf("Delete: %v", err)
		}
	}
	remove(one) // there is none
	first := put(t, one, "k", "1", 0, time.Hour)
	remove(other)
	wantNone(t, one, "k")
	wantConflict(t, one, "k", first)
	second := put(t, one, "k", "2", 0, 0)
	if second == first {
		t.Errorf("two values have version %d", first)
	}
	wantConflict(t, other, "k", first)
	wantValue(t, other, "k", "2", second)
	remove(one)
	remove(one)
	wantNone(t, other, "k")
}

// testKeys checks that keys which resemble each other have values of their own.
func testKeys(t *testing.T, one, other share.KV) {
	keys := []string{"a", "a.b", "a.b.c", "b", "A", "a-b", "a_b", longSubject}
	versions := map[string]uint64{}
	for _, key := range keys {
		versions[key] = put(t, one, key, key, 0, 0)
	}
	for _, key := range keys {
		wantValue(t, other, key, key, versions[key])
	}
	for i, key := range keys {
		if err := other.Delete(t.Context(), key); err != nil {
			t.Errorf("Delete: %v", err)
		}
		wantNone(t, one, key)
		for _, left := range keys[i+1:] {
			wantValue(t, one, left, left, versions[left])
		}
	}
}

// testKVMemory checks that a store shares no memory with its callers.
func testKVMemory(t *testing.T, one, other share.KV) {
	data := []byte("hello")
	version, err := one.Put(t.Context(), "k", data, 0, 0)
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	clear(data)
	got, _, err := other.Get(t.Context(), "k")
	if err != nil || string(got) != "hello" {
		t.Fatalf("Get: %q, %v", got, err)
	}
	clear(got)
	wantValue(t, other, "k", "hello", version)
}

// testLargeValue checks values of the greatest length, and longer ones.
func testLargeValue(t *testing.T, one, other share.KV) {
	largest := string(bytes.Repeat([]byte("x"), share.MaxMessage))
	version := put(t, one, longSubject, largest, 0, time.Hour)
	for _, v := range []uint64{0, version} {
		if _, err := one.Put(t.Context(), longSubject, []byte(largest+"x"), v, 0); !errors.Is(err, share.ErrTooLarge) {
			t.Errorf("Put of more than MaxMessage: %v, want ErrTooLarge", err)
		}
	}
	wantValue(t, other, longSubject, largest, version)
}

// testOddKeys checks that keys of another form are refused.
func testOddKeys(t *testing.T, one, _ share.KV) {
	version := put(t, one, "a", "1", 0, 0)
	for _, key := range oddSubjects {
		_, _, getErr := one.Get(t.Context(), key)
		_, putErr := one.Put(t.Context(), key, nil, 0, 0)
		for method, err := range map[string]error{"Get": getErr, "Put": putErr, "Delete": one.Delete(t.Context(), key)} {
			if !errors.Is(err, share.ErrSubject) {
				t.Errorf("%s %.20q: %v, want ErrSubject", method, key, err)
			}
		}
	}
	wantValue(t, one, "a", "1", version)
}

// together runs n functions at once, with both processes in turn.
func together(n int, one, other share.KV, f func(i int, s share.KV)) {
	var all sync.WaitGroup
	for i := range n {
		s := one
		if i%2 == 1 {
			s = other
		}
		all.Go(func() { f(i, s) })
	}
	all.Wait()
}

// testCreateRace checks that one of several that put a new value succeeds.
func testCreateRace(t *testing.T, one, other share.KV) {
	for round := range 10 {
		key := fmt.Sprint("k", round)
		var winner atomic.Int32
		together(8, one, other, func(i int, s share.KV) {
			_, err := s.Put(t.Context(), key, []byte(strconv.Itoa(i)), 0, time.Hour)
			if err == nil && !winner.CompareAndSwap(0, int32(i+1)) {
				t.Errorf("%s was created twice", key)
			}
			if err != nil && !errors.Is(err, share.ErrConflict) {
				t.Errorf("Put: %v", err)
			}
		})
		if got, _, err := other.Get(t.Context(), key); err != nil || string(got) != fmt.Sprint(winner.Load()-1) {
			t.Errorf("the value of %s is %q, %v, but %d has created it", key, got, err, winner.Load()-1)
		}
	}
}

// testChangeRace checks that no change is lost.
func testChangeRace(t *testing.T, one, other share.KV) {
	put(t, one, "k", "0", 0, 0)
	const writers, changes = 8, 10
	together(writers, one, other, func(_ int, s share.KV) {
		for done := 0; done < changes; {
			text, version, err := s.Get(t.Context(), "k")
			if err != nil {
				t.Errorf("Get: %v", err)
				return
			}
			n, _ := strconv.Atoi(string(text))
			_, err = s.Put(t.Context(), "k", []byte(strconv.Itoa(n+1)), version, 0)
			switch {
			case err == nil:
				done++
			case !errors.Is(err, share.ErrConflict):
				t.Errorf("Put: %v", err)
				return
			}
		}
	})
	if got, _, err := other.Get(t.Context(), "k"); string(got) != strconv.Itoa(writers*changes) || err != nil {
		t.Errorf("%s changes were stored, want %d, %v", got, writers*changes, err)
	}
}

// testTTL checks that values live as long as their last Put says.
func testTTL(t *testing.T, one, other share.KV) {
	const ttl = time.Second
	renewed := put(t, one, "renewed", "1", 0, ttl)
	renewed = put(t, one, "renewed", "2", renewed, time.Hour)
	kept := put(t, one, "kept", "1", 0, ttl)
	kept = put(t, one, "kept", "2", kept, 0)
	begun := time.Now()
	short := put(t, one, "short", "1", 0, ttl)
	again := put(t, one, "again", "1", 0, time.Hour)
	again = put(t, one, "again", "2", again, ttl)
	for _, key := range []string{"short", "again"} {
		for {
			_, _, err := other.Get(t.Context(), key)
			if errors.Is(err, share.ErrNotFound) {
				break
			}
			if err != nil {
				t.Fatalf("Get: %v", err)
			}
			select {
			case <-t.Context().Done():
				t.Fatal(context.Cause(t.Context()))
			case <-time.After(5 * time.Millisecond):
			}
		}
		if lived := time.Since(begun); lived < ttl {
			t.Errorf("a value that lives for %v was gone after %v", ttl, lived)
		}
	}
	wantValue(t, one, "renewed", "2", renewed)
	wantValue(t, one, "kept", "2", kept)
	wantConflict(t, one, "short", short)
	wantConflict(t, one, "again", again)
	put(t, one, "short", "2", 0, 0)
}
