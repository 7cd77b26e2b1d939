package seal_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	now     = time.Unix(1_800_000_000, 0)
	later   = now.Add(time.Minute)
	purpose = seal.Purpose{Principal: "ada", Request: seal.Request("r", "tools/call", `{"name":"a"}`)}
)

func ring(t testing.TB, keys ...byte) *seal.Ring {
	var all [][]byte
	for _, k := range keys {
		all = append(all, bytes.Repeat([]byte{k}, seal.MinKey))
	}
	r, err := seal.NewRing(all...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sealed(t testing.TB, r *seal.Ring, content string) string {
	text, err := r.Seal(purpose, later, []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestOpen(t *testing.T) {
	r := ring(t, 1)
	text := sealed(t, r, "content")
	o, err := r.Open(text, purpose, now)
	if err != nil || string(o.Content) != "content" || !o.Expires.Equal(later) {
		t.Fatalf("Open = %+v, %v", o, err)
	}
	if other := sealed(t, r, "content"); other == text {
		t.Error("the same content gives the same text twice")
	}
	if raw, _ := base64.RawURLEncoding.DecodeString(text); bytes.Contains(raw, []byte("content")) || bytes.Contains(raw, []byte("ada")) {
		t.Error("the text shows its content")
	}
}

func TestRefused(t *testing.T) {
	r := ring(t, 1)
	text := sealed(t, r, "content")
	other := func(change func(*seal.Purpose)) seal.Purpose {
		p := purpose
		change(&p)
		return p
	}
	for _, test := range []struct {
		name    string
		text    string
		purpose seal.Purpose
		at      time.Time
		want    error
	}{
		{"P7 more bytes", text + "A", purpose, now, seal.ErrForeign},
		{"P7 fewer bytes", text[:len(text)-4], purpose, now, seal.ErrForeign},
		{"P7 a line break", text + "\n", purpose, now, seal.ErrForeign},
		{"P7 not base64", text + "-TAMPERED!", purpose, now, seal.ErrForeign},
		{"P7 empty", "", purpose, now, seal.ErrForeign},
		{"P8 another principal", text, other(func(p *seal.Purpose) { p.Principal = "bob" }), now, seal.ErrPrincipal},
		{"P8 no principal", text, other(func(p *seal.Purpose) { p.Principal = "" }), now, seal.ErrPrincipal},
		{"P9 expired", text, purpose, later, seal.ErrExpired},
		{"P10 another tool", text, other(func(p *seal.Purpose) { p.Request = seal.Request("r", "tools/call", `{"name":"b"}`) }), now, seal.ErrRequest},
		{"P10 another method", text, other(func(p *seal.Purpose) { p.Request = seal.Request("r", "prompts/get", `{"name":"a"}`) }), now, seal.ErrRequest},
	} {
		t.Run(test.name, func(t *testing.T) {
			if o, err := r.Open(test.text, test.purpose, test.at); !errors.Is(err, test.want) {
				t.Errorf("Open = %v, %v; want %v", o, err, test.want)
			}
		})
	}
}

// TestEveryBit changes each bit of a sealed text.
func TestEveryBit(t *testing.T) {
	r := ring(t, 1)
	raw, _ := base64.RawURLEncoding.DecodeString(sealed(t, r, "x"))
	for i := range len(raw) * 8 {
		raw[i/8] ^= 1 << (i % 8)
		if _, err := r.Open(base64.RawURLEncoding.EncodeToString(raw), purpose, now); err != seal.ErrForeign {
			t.Fatalf("bit %d changed: %v", i, err)
		}
		raw[i/8] ^= 1 << (i % 8)
	}
}

func TestRotation(t *testing.T) {
	old := sealed(t, ring(t, 1), "old")
	both := ring(t, 2, 1)
	if o, err := both.Open(old, purpose, now); err != nil || string(o.Content) != "old" {
		t.Errorf("a text of the second key: %v", err)
	}
	fresh := sealed(t, both, "new")
	if _, err := ring(t, 2).Open(fresh, purpose, now); err != nil {
		t.Errorf("a text that two keys sealed is not of the first: %v", err)
	}
	if _, err := ring(t, 2).Open(old, purpose, now); err != seal.ErrForeign {
		t.Errorf("a text of a key that is gone: %v", err)
	}
}

func TestKeys(t *testing.T) {
	if _, err := seal.NewRing(make([]byte, seal.MinKey), make([]byte, seal.MinKey-1)); err == nil || !strings.Contains(err.Error(), "key 1 has 31 bytes") {
		t.Errorf("a short key: %v", err)
	}
	a, errA := seal.NewRing()
	b, errB := seal.NewRing()
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if _, err := b.Open(sealed(t, a, "x"), purpose, now); err != seal.ErrForeign {
		t.Errorf("two rings without keys have the same one: %v", err)
	}
}

func TestRequest(t *testing.T) {
	sum := func(params wire.Object) seal.Sum { return seal.Request("r", "m", params, "_meta", "requestState") }
	base := sum(`{"name":"a","arguments":{"x":[1,"é",{}],"y":null}}`)
	for _, same := range []wire.Object{
		`{ "arguments" : {"y":null, "x":[1.0,"\u00e9",{ }]}, "name":"a" }`,
		`{"_meta":{"a":1},"name":"a","requestState":"s","arguments":{"x":[1,"é",{}],"y":null}}`,
	} {
		if sum(same) != base {
			t.Errorf("%s is another request", same)
		}
	}
	for _, other := range []wire.Object{
		"", `{"name":"b","arguments":{"x":[1,"é",{}],"y":null}}`,
		`{"name":"a","arguments":{"x":[1,"é",{}]}}`,
		`{"name":"a","arguments":{"x":["1","é",{}],"y":null}}`,
		`{"name":"a","arguments":{"x":[1,"é",[]],"y":null}}`,
		`{"name":"a","arguments":{"x":[1,["é",{}]],"y":null}}`,
		`{"name":"a","arguments":{"x":[1,"é",{"_meta":1}],"y":null}}`,
		`{"name":"a","arguments":{"y":[1,"é",{}],"x":null}}`,
	} {
		if sum(other) == base {
			t.Errorf("%s is the same request", other)
		}
	}
	if sum("") != sum("{}") {
		t.Error("absent params differ from empty ones")
	}
}

func TestUsed(t *testing.T) {
	u := seal.NewUsed(2, 2)
	for _, step := range []struct {
		n           rune
		expires, at time.Time
		want        string
	}{
		{1, later, now, "true false"},
		{1, later, now, "false false"}, // P11 used twice
		{2, later.Add(time.Minute), now, "true false"},
		{3, later, now, "false true"},
		{3, later.Add(time.Minute), later, "true false"}, // the first has expired
		{4, later, later, "false true"},
	} {
		added, full := u.Add("", string(step.n), step.expires, step.at)
		if got := fmt.Sprint(added, full); got != step.want {
			t.Errorf("Add of id %d at %v: %s; want %s", step.n, step.at.Sub(now), got, step.want)
		}
	}
}

// TestUsedByOwners checks that the ids of an owner take no room from others.
func TestUsedByOwners(t *testing.T) {
	u := seal.NewUsed(100, 2)
	for i, step := range []struct {
		owner, id string
		at        time.Duration
		want      string
	}{
		{"ada", "1", 0, "true false"},
		{"ada", "1", 0, "false false"},
		{"ada", "2", time.Second, "true false"},
		{"ada", "3", time.Second, "false true"},
		{"bob", "1", time.Second, "true false"},
		{"bob", "2", 50 * time.Second, "true false"},
		{"bob", "3", 50 * time.Second, "false true"},
		{"eve", "1", time.Minute, "true false"},
		{"ada", "2", time.Minute, "false false"}, // remembered, though there is room again
		{"ada", "3", time.Minute, "true false"},
		{"ada", "4", time.Minute, "false true"},
		{"bob", "2", 109 * time.Second, "false false"},
		{"bob", "2", 110 * time.Second, "true false"},
		{"eve", "1", 110 * time.Second, "false false"},
		{"eve", "1", 120 * time.Second, "true false"},
	} {
		at := now.Add(step.at)
		added, full := u.Add(step.owner, step.id, at.Add(time.Minute), at)
		if got := fmt.Sprint(added, full); got != step.want {
			t.Errorf("step %d, id %s of %s: got %s, want %s", i, step.id, step.owner, got, step.want)
		}
	}
}

// TestUsedByMany checks that owners with few ids have room when others have taken it all, and that many owners cannot
// fill the memory: together, they have at most twice the limit.
func TestUsedByMany(t *testing.T) {
	const limit = 1000
	u := seal.NewUsed(limit, 100)
	total := 0
	fill := func(owner, ids int) (added int) {
		for id := range ids {
			if ok, _ := u.Add(fmt.Sprint("owner ", owner), fmt.Sprint("id ", id), later, now); ok {
				added++
			}
		}
		total += added
		return added
	}
	for owner := range 10 {
		if n := fill(owner, 200); n != 100 {
			t.Errorf("owner %d has room for %d ids, want 100", owner, n)
		}
	}
	if n := fill(10, 200); n != 90 {
		t.Errorf("an owner in a full memory has room for %d ids, want an equal part of %d for 11, rounded down", n, limit)
	}
	for owner := range 10 * limit {
		fill(11+owner, 20)
	}
	if total > 2*limit {
		t.Errorf("%d ids are remembered, the limit is %d", total, limit)
	}
	if added, full := u.Add("new", "id", later.Add(time.Hour), later); !added || full {
		t.Errorf("when all have expired: %t, %t", added, full)
	}
}

// TestUsedTogether checks that ids are counted exactly when they are added while others are forgotten, which lets other
// callers have their turn.
func TestUsedTogether(t *testing.T) {
	const limit, callers = 5000, 4
	u := seal.NewUsed(limit, limit)
	var wait sync.WaitGroup
	for caller := range callers {
		wait.Go(func() {
			for i := range 3 * limit {
				at := now.Add(time.Duration(i) * 400 * time.Microsecond) // as many as the limit in two seconds
				u.Add(fmt.Sprint("owner ", i%5), fmt.Sprint(caller, " ", i), at.Add(200*time.Millisecond+time.Duration(i%3)*time.Second/2), at)
			}
		})
	}
	wait.Wait()
	for i := range limit + 1 {
		added, full := u.Add("", fmt.Sprint(i), later.Add(time.Hour), later)
		if added != (i < limit) || full != (i == limit) {
			t.Fatalf("id %d: %t, %t", i, added, full)
		}
	}
}

// TestKeeper checks that states which are kept are told apart from sealed ones, and accepted in requests of
// their server only.
func TestKeeper(t *testing.T) {
	k := &seal.Keeper{Server: new(int)}
	kept := k.Keep([]byte("content"))
	if content, ok := k.Open(kept); !ok || string(content) != "content" {
		t.Errorf("Open = %q, %t", content, ok)
	}
	ring, err := seal.NewRing()
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := ring.Seal(seal.Purpose{}, later, []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "A", kept + "\n", sealed} {
		if content, ok := k.Open(text); ok {
			t.Errorf("Open(%q) = %q", text, content)
		}
	}
	if _, err := ring.Open(kept, seal.Purpose{}, now); err != seal.ErrForeign {
		t.Errorf("a ring opens what is not sealed: %v", err)
	}
	ctx := seal.WithKeeper(t.Context(), k)
	if seal.KeeperOf(ctx, k.Server) == nil || seal.KeeperOf(ctx, new(int)) != nil || seal.KeeperOf(t.Context(), k.Server) != nil {
		t.Error("KeeperOf is not the one of the server in the context")
	}
}

// FuzzOpen opens what clients may send. Only what was sealed comes out.
func FuzzOpen(f *testing.F) {
	r := ring(f, 2, 1)
	good := sealed(f, r, "content")
	f.Add(good)
	f.Add(good + "=")
	f.Add(strings.ToLower(good))
	f.Add(sealed(f, ring(f, 3), "content"))
	f.Fuzz(func(t *testing.T, text string) {
		if o, err := r.Open(text, purpose, now); err == nil && string(o.Content) != "content" {
			t.Errorf("Open(%q) = %v, %v", text, o, err)
		}
	})
}
