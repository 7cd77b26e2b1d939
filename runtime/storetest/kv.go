package storetest

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/share"
)

// KV checks that a store does what share.KV demands.
func KV(t *testing.T, open Open[share.KV]) { run(t, open, kvChecks) }

var kvChecks = []check[share.KV]{
	{"Put", 0, kvPut},
	{"Delete", 0, kvDelete},
	{"Keys", 0, kvKeys},
	{"Memory", 0, kvMemory},
	{"Large", 0, kvLarge},
	{"OddKeys", 0, kvOddKeys},
	{"Create", 0, kvCreate},
	{"Change", 0, kvChange},
	{"TTL", 0, kvTTL},
}

func put(t testing.TB, s share.KV, key, text string, version uint64, ttl time.Duration) uint64 {
	t.Helper()
	got, err := s.Put(t.Context(), key, []byte(text), version, ttl)
	if err != nil || got == 0 || got == version {
		t.Fatalf("Put %s with version %d: version %d, %v", key, version, got, err)
	}
	return got
}

func remove(t testing.TB, s share.KV, key string) {
	t.Helper()
	wantErr(t, s.Delete(t.Context(), key), nil, "Delete")
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
	got, v, err := s.Get(t.Context(), key)
	wantErr(t, err, share.ErrNotFound, "Get %.20s: %.20q, version %d", key, got, v)
}

// wantConflict checks that a version is not that of a key.
func wantConflict(t testing.TB, s share.KV, key string, version uint64) {
	t.Helper()
	got, err := s.Put(t.Context(), key, []byte("conflict"), version, 0)
	wantErr(t, err, share.ErrConflict, "Put %.20s with version %d: version %d", key, version, got)
}

// kvPut checks that only the newest version is replaced, and that both processes find it at once.
func kvPut(t testing.TB, one, other share.KV) {
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

// kvDelete checks that a deleted value is gone, and that its version is not that of a later one.
func kvDelete(t testing.TB, one, other share.KV) {
	remove(t, one, "k") // there is none
	first := put(t, one, "k", "1", 0, time.Hour)
	remove(t, other, "k")
	wantNone(t, one, "k")
	wantConflict(t, one, "k", first)
	second := put(t, one, "k", "2", 0, 0)
	wantConflict(t, other, "k", first)
	wantValue(t, other, "k", "2", second)
	remove(t, one, "k")
	remove(t, one, "k")
	wantNone(t, other, "k")
}

// kvKeys checks that keys which resemble each other have values of their own.
func kvKeys(t testing.TB, one, other share.KV) {
	versions := map[string]uint64{}
	for _, key := range names {
		versions[key] = put(t, one, key, key, 0, 0)
	}
	for i, key := range names {
		for _, left := range names[i:] {
			wantValue(t, other, left, left, versions[left])
		}
		remove(t, one, key)
		wantNone(t, other, key)
	}
}

// kvMemory checks that a store shares no memory with its callers.
func kvMemory(t testing.TB, one, other share.KV) {
	data := []byte("hello")
	version, err := one.Put(t.Context(), "k", data, 0, 0)
	must(t, err, "Put")
	clear(data)
	got, _, err := other.Get(t.Context(), "k")
	must(t, err, "Get")
	want(t, string(got), "hello", "Get")
	clear(got)
	wantValue(t, other, "k", "hello", version)
}

// kvLarge checks values of the greatest length, and longer ones.
func kvLarge(t testing.TB, one, other share.KV) {
	largest := string(bytes.Repeat([]byte("x"), share.MaxMessage))
	version := put(t, one, longest, largest, 0, time.Hour)
	for _, v := range []uint64{0, version} {
		_, err := one.Put(t.Context(), longest, []byte(largest+"x"), v, 0)
		wantErr(t, err, share.ErrTooLarge, "Put of more than MaxMessage")
	}
	wantValue(t, other, longest, largest, version)
}

// kvOddKeys checks that keys of another form are refused.
func kvOddKeys(t testing.TB, one, _ share.KV) {
	version := put(t, one, "a", "1", 0, 0)
	for _, key := range oddNames {
		_, _, err := one.Get(t.Context(), key)
		wantErr(t, err, share.ErrSubject, "Get %.20q", key)
		_, err = one.Put(t.Context(), key, nil, 0, 0)
		wantErr(t, err, share.ErrSubject, "Put %.20q", key)
		wantErr(t, one.Delete(t.Context(), key), share.ErrSubject, "Delete %.20q", key)
	}
	wantValue(t, one, "a", "1", version)
}

// kvCreate checks that one of several that put a new value succeeds.
func kvCreate(t testing.TB, one, other share.KV) {
	for round := range 10 {
		key := fmt.Sprint("k", round)
		creator := oneWins(t, 8, one, other, share.ErrConflict, func(i int, s share.KV) error {
			_, err := s.Put(t.Context(), key, []byte(strconv.Itoa(i)), 0, time.Hour)
			return err
		})
		got, _, err := other.Get(t.Context(), key)
		must(t, err, "Get")
		want(t, string(got), strconv.Itoa(creator), "the value of %s", key)
	}
}

// kvChange checks that no change is lost.
func kvChange(t testing.TB, one, other share.KV) {
	put(t, one, "k", "0", 0, 0)
	changes := countUp(t, one, other, share.ErrConflict, func(s share.KV) error {
		text, version, err := s.Get(t.Context(), "k")
		if err != nil {
			return err
		}
		n, _ := strconv.Atoi(string(text))
		_, err = s.Put(t.Context(), "k", []byte(strconv.Itoa(n+1)), version, 0)
		return err
	})
	got, _, err := other.Get(t.Context(), "k")
	must(t, err, "Get")
	want(t, string(got), strconv.Itoa(changes), "changes that were stored")
}

// kvTTL checks that values live as long as their last Put says.
func kvTTL(t testing.TB, one, other share.KV) {
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
		await(t, "the end of a value", func() bool {
			_, _, err := other.Get(t.Context(), key)
			return err != nil
		})
		if lived := time.Since(begun); lived < ttl {
			t.Errorf("a value that lives for %v was gone after %v", ttl, lived)
		}
		wantNone(t, other, key)
	}
	wantValue(t, one, "renewed", "2", renewed)
	wantValue(t, one, "kept", "2", kept)
	wantConflict(t, one, "short", short)
	wantConflict(t, one, "again", again)
	put(t, one, "short", "2", 0, 0)
}
