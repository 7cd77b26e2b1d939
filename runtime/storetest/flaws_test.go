package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// TestFlaws checks that each mistake that an implementation may have is found, and that one without any passes.
func TestFlaws(t *testing.T) {
	find(t, "Bus", busChecks, func(flaw string, _ int) share.Bus { return &flawedBus{flaw: flaw} }, []flaw{
		{"disorders", "Order", "message of publisher a: `1`, want `0`"},
		{"confuses", "Subjects", "another subject: `A.B`, want `a.b`"},
		{"overlaps", "Overlap", "calls of receive overlap"},
		{"continues", "StopSubscribe", "has received messages after stop"},
		{"keeps", "Memory", `received: "\x00`},
		{"waits", "Nobody", "want share: no process serves the subject"},
		{"repeats", "One", "how many times 100 requests were handled: `200`"},
		{"detaches", "Ends", "Request whose context has ended: the error is <nil>"},
		{"grows", "Large", "Publish of more than MaxMessage: the error is <nil>"},
		{"accepts", "OddSubjects", `Publish "": the error is <nil>`},
	})
	find(t, "Events", eventsChecks, func(flaw string, limit int) streamable.EventStore {
		if flaw == "overflows" || limit == 0 {
			limit = 1 << 30
		}
		return &flawedEvents{MemoryEvents: streamable.NewMemoryEvents(limit), flaw: flaw}
	}, []flaw{
		{"repeats", "After", "after event 1 of a"},
		{"invents", "After", "the error is <nil>, want streamable: events are no longer kept"},
		{"mixes", "Streams", "after event 0 of a"},
		{"keeps", "Memory", `1 events ["\x00`},
		{"hoards", "Drop", "the error is <nil>, want streamable: events are no longer kept"},
		{"empties", "Drop", "streamable: events are no longer kept"},
		{"wildcards", "OddIDs", `after event 0 of "*"`},
		{"skips", "Limit", "after event 0"},
		{"overflows", "Limit", "events of 10000 bytes are kept"},
	})
	find(t, "Tasks", tasksChecks, func(flaw string, limit int) tasks.Store {
		if flaw == "overflows" {
			limit = 0
		}
		return &flawedTasks{Store: tasks.NewMemory(limit), flaw: flaw}
	}, []flaw{
		{"replaces", "Create", "Create of a task that exists: the error is <nil>"},
		{"replaces", "Race", "several at once have succeeded: `8`, want `1`"},
		{"overrides", "Race", "Swap by the former holder: the error is <nil>"},
		{"merges", "IDs", "Get: `"},
		{"ages", "Expire", `Get "longer": tasks: no such task`},
		{"forgets", "Create", "Get: `1 {\"id\":\"A\""},
		{"overrides", "Swap", "Swap of an old version: the error is <nil>"},
		{"renumbers", "Swap", "a refused Swap has changed the version"},
		{"shares", "Memory", "a change of the result of Get has changed the store"},
		{"wildcards", "IDs", `Get "*"`},
		{"shortens", "Large", "Get: `2 {"},
		{"hurries", "Expire", `Get "long": tasks: no such task`},
		{"mixes", "List", "the process that has created the tasks finds"},
		{"overflows", "Full", "Create in a full store: the error is <nil>"},
	})
}

// flaw is a mistake: its name, the check that finds it, and a part of what that reports.
type flaw struct{ name, check, report string }

// find runs all checks with an implementation without a flaw, and one check with each flaw.
func find[S any](t *testing.T, kit string, checks []check[S], open func(flaw string, limit int) S, flaws []flaw) {
	t.Run(kit+"/none", func(t *testing.T) {
		t.Parallel()
		run(t, func(_ testing.TB, limit int) (one, other S) {
			s := open("", limit)
			return s, s
		}, checks)
	})
	for _, f := range flaws {
		t.Run(kit+"/"+f.check+"/"+f.name, func(t *testing.T) {
			t.Parallel()
			c := checks[slices.IndexFunc(checks, func(c check[S]) bool { return c.name == f.check })]
			r, s := &recorder{TB: t}, open(f.name, c.limit)
			var end sync.WaitGroup
			end.Go(func() { c.run(r, s, s) })
			end.Wait()
			if got := r.text(); !strings.Contains(got, f.report) {
				t.Errorf("want %q in\n%.2000s", f.report, got)
			}
		})
	}
}

// recorder is a test that a check fails.
type recorder struct {
	testing.TB
	mu      sync.Mutex
	reports strings.Builder
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(&r.reports, format+"\n", args...)
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reports.String()
}

// flawedBus is a bus with a flaw.
type flawedBus struct {
	share.Memory
	flaw string
	held []byte         // a message that is sent later
	over []func([]byte) // of subscriptions that have been stopped
}

func (b *flawedBus) Publish(ctx context.Context, subject string, data []byte) error {
	for _, receive := range b.over {
		receive(data)
	}
	switch {
	case b.flaw == "disorders" && string(data) == "a0":
		b.held = data
		return nil
	case b.flaw == "disorders" && string(data) == "a1":
		_ = b.Memory.Publish(ctx, subject, data)
		data = b.held
	case b.flaw == "confuses" && string(data) == "a.b":
		data = []byte("A.B") // as if it were of another subject
	case b.flaw == "keeps":
		b.held = data // until the publisher has changed it
		return nil
	}
	err := b.Memory.Publish(ctx, subject, data)
	if b.flaw == "grows" && errors.Is(err, share.ErrTooLarge) || b.flaw == "accepts" && errors.Is(err, share.ErrSubject) {
		return nil
	}
	return err
}

func (b *flawedBus) Subscribe(ctx context.Context, subject string, receive func([]byte), missed func()) (func(), error) {
	if b.flaw == "overlaps" {
		return b.Memory.Subscribe(ctx, subject, func(data []byte) { go receive(data) }, missed)
	}
	stop, err := b.Memory.Subscribe(ctx, subject, receive, missed)
	return func() {
		if stop(); b.flaw == "continues" {
			b.over = append(b.over, receive)
		}
	}, err
}

func (b *flawedBus) Serve(ctx context.Context, subject string, answer func(context.Context, []byte) []byte) (func(), error) {
	if b.flaw == "keeps" {
		_ = b.Memory.Publish(ctx, "a", b.held)
	}
	return b.Memory.Serve(ctx, subject, answer)
}

func (b *flawedBus) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	switch b.flaw {
	case "detaches":
		go func() { _, _ = b.Memory.Request(context.WithoutCancel(ctx), subject, data) }()
		<-ctx.Done()
		return nil, nil
	case "repeats":
		_, _ = b.Memory.Request(ctx, subject, data)
	}
	answer, err := b.Memory.Request(ctx, subject, data)
	if b.flaw == "waits" && errors.Is(err, share.ErrNobody) {
		return nil, context.DeadlineExceeded
	}
	return answer, err
}

// flawedEvents is a store with a flaw.
type flawedEvents struct {
	*streamable.MemoryEvents
	flaw string
	held []byte // an event that is stored when it is read
}

func (s *flawedEvents) Append(ctx context.Context, session, stream string, n uint64, data []byte) error {
	switch s.flaw {
	case "mixes":
		session = strings.ToLower(session)
	case "keeps":
		s.held = data
		return nil
	}
	return s.MemoryEvents.Append(ctx, session, stream, n, data)
}

func (s *flawedEvents) After(ctx context.Context, session, stream string, n uint64) iter.Seq2[[]byte, error] {
	switch {
	case s.flaw == "repeats" && n > 0:
		n--
	case s.flaw == "mixes":
		session = strings.ToLower(session)
	case s.flaw == "wildcards" && stream == "*":
		stream = "a"
	case s.flaw == "keeps":
		_ = s.MemoryEvents.Append(ctx, session, stream, 1, s.held)
	}
	events := s.MemoryEvents.After(ctx, session, stream, n)
	for _, err := range events {
		switch {
		case err != nil && s.flaw == "invents":
			return func(func([]byte, error) bool) {}
		case err != nil && s.flaw == "skips" && n < 1000:
			return s.After(ctx, session, stream, n+1)
		}
		break
	}
	return events
}

func (s *flawedEvents) Drop(ctx context.Context, session string) error {
	switch s.flaw {
	case "hoards":
		return nil
	case "empties":
		_ = s.MemoryEvents.Drop(ctx, "t")
	}
	return s.MemoryEvents.Drop(ctx, session)
}

// flawedTasks is a store with a flaw.
type flawedTasks struct {
	tasks.Store
	flaw   string
	shared *tasks.Record // what Get has returned first
}

func (s *flawedTasks) Create(ctx context.Context, r *tasks.Record) error {
	c := *r
	switch {
	case s.flaw == "forgets":
		c.Answers = nil
	case s.flaw == "hurries" && r.ID == "long":
		c.Expires = time.Now().Add(time.Second / 2)
	}
	err := s.Store.Create(ctx, &c)
	r.Version = c.Version
	if s.flaw == "replaces" && errors.Is(err, tasks.ErrConflict) {
		return nil
	}
	return err
}

func (s *flawedTasks) Get(ctx context.Context, id string) (*tasks.Record, error) {
	switch {
	case s.flaw == "wildcards" && id == "*":
		id = "a"
	case s.flaw == "merges":
		id = strings.ToLower(id)
	}
	r, err := s.Store.Get(ctx, id)
	if s.flaw == "shares" {
		s.shared = cmp.Or(s.shared, r)
		r = s.shared
	}
	return r, err
}

func (s *flawedTasks) List(ctx context.Context, session string) ([]string, error) {
	ids, err := s.Store.List(ctx, session)
	if s.flaw == "mixes" {
		ids = append(ids, "B")
	}
	return ids, err
}

func (s *flawedTasks) Swap(ctx context.Context, r *tasks.Record) error {
	c := *r
	if have, err := s.Store.Get(ctx, r.ID); s.flaw == "overrides" && err == nil {
		c.Version = have.Version
	}
	switch {
	case s.flaw == "shortens" && len(c.Result) > 1000:
		c.Result = "{}"
	case s.flaw == "ages":
		c.Expires = time.Now()
	}
	err := s.Store.Swap(ctx, &c)
	if err == nil || s.flaw == "renumbers" {
		r.Version++
	}
	return err
}
