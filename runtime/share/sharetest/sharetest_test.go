package sharetest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/flaws"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/share/sharetest"
)

// known are the mistakes that an implementation may have, each with the test that finds it and what that
// reports.
var known = []flaws.Flaw{
	{"disorders", "Bus/Order", "when 1 was due"},
	{"confuses", "Bus/Subjects", "a subscriber of a.b has received a message of A.B"},
	{"overlaps", "Bus/Overlap", "calls of receive overlap"},
	{"continues", "Bus/StopSubscribe", "has received messages after stop"},
	{"keeps", "Bus/Memory", `received "\x00`},
	{"waits", "Bus/Nobody", "want ErrNobody"},
	{"repeats", "Bus/One", "100 requests were handled 200 times"},
	{"detaches", "Bus/Ends", "Request whose context has ended"},
	{"grows", "Bus/Large", "Publish of more than MaxMessage: <nil>"},
	{"accepts", "Bus/OddSubjects", `Publish "": <nil>`},
	{"replaces", "KV/Put", "Put k with version 7"},
	{"counts", "KV/Delete", "want ErrConflict"},
	{"branches", "KV/Keys", "Get a.b"},
	{"shares", "KV/Memory", `Get k: "\x00`},
	{"grows", "KV/Large", "Put of more than MaxMessage"},
	{"accepts", "KV/OddKeys", `Put "": <nil>`},
	{"doubles", "KV/Create", "was created twice"},
	{"ages", "KV/TTL", "Get renewed"},
	{"hurries", "KV/TTL", "a value that lives for 1s was gone after"},
}

// TestFlaws checks that each flaw is found, and that an implementation without any passes.
func TestFlaws(t *testing.T) { flaws.Run(t, known) }

// TestFlawed tests an implementation with the flaw in the environment.
func TestFlawed(t *testing.T) {
	flaw := flaws.Current()
	if flaw == "" {
		return // TestFlaws runs it in a process for each flaw
	}
	t.Run("Bus", func(t *testing.T) {
		sharetest.TestBus(t, func(testing.TB) (one, other share.Bus) {
			b := &flawedBus{flaw: flaw}
			return b, b
		})
	})
	t.Run("KV", func(t *testing.T) {
		sharetest.TestKV(t, func(testing.TB) (one, other share.KV) {
			s := &flawedKV{flaw: flaw}
			return s, s
		})
	})
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
		return b.Memory.Publish(ctx, subject, b.held)
	case b.flaw == "confuses" && string(data) == "a.b":
		data = []byte("A.B") // as if it were of another subject
	case b.flaw == "keeps":
		b.held = data // until the publisher has changed it
		return nil
	}
	return b.lenient(b.Memory.Publish(ctx, subject, data))
}

// lenient leaves out an error that the flaw does not know.
func (b *flawedBus) lenient(err error) error {
	if b.flaw == "grows" && errors.Is(err, share.ErrTooLarge) || b.flaw == "accepts" && errors.Is(err, share.ErrSubject) {
		return nil
	}
	return err
}

func (b *flawedBus) Subscribe(ctx context.Context, subject string, receive func([]byte)) (func(), error) {
	switch b.flaw {
	case "overlaps":
		inner := receive
		receive = func(data []byte) { go inner(data) }
	case "continues":
		stop, err := b.Memory.Subscribe(ctx, subject, receive)
		return func() {
			stop()
			b.over = append(b.over, receive)
		}, err
	}
	return b.Memory.Subscribe(ctx, subject, receive)
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
		answers := make(chan error, 1)
		go func() {
			_, err := b.Memory.Request(context.WithoutCancel(ctx), subject, data)
			answers <- err
		}()
		select {
		case err := <-answers:
			return nil, err
		case <-ctx.Done():
			return nil, nil
		}
	case "repeats":
		_, _ = b.Memory.Request(ctx, subject, data)
	}
	answer, err := b.Memory.Request(ctx, subject, data)
	if b.flaw == "waits" && errors.Is(err, share.ErrNobody) {
		return nil, context.DeadlineExceeded
	}
	return answer, err
}

// flawedKV is a store with a flaw.
type flawedKV struct {
	share.Memory
	flaw string

	mu     sync.Mutex
	first  []byte
	counts map[string]uint64 // the changes of each key since it was created
}

func (s *flawedKV) Get(ctx context.Context, key string) ([]byte, uint64, error) {
	data, version, err := s.Memory.Get(ctx, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.flaw == "counts" && err == nil:
		version = s.counts[key]
	case s.flaw == "shares" && err == nil:
		if s.first == nil {
			s.first = data
		}
		data = s.first
	}
	return data, version, err
}

func (s *flawedKV) Put(ctx context.Context, key string, data []byte, version uint64, ttl time.Duration) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, now, err := s.Memory.Get(ctx, key)
	have := err == nil
	switch s.flaw {
	case "replaces":
		version = now
	case "doubles":
		if version == 0 {
			version = now
		}
	case "counts":
		if version != s.counts[key] {
			return 0, share.ErrConflict
		}
		version = now
	case "ages":
		if have && ttl > time.Second {
			ttl = time.Second / 2
		}
	case "hurries":
		if key == "short" {
			ttl = 1
		}
	case "accepts":
		if share.CheckSubject(key) != nil {
			return 1, nil
		}
	case "grows":
		if len(data) > share.MaxMessage {
			return 1, nil
		}
	}
	v, err := s.Memory.Put(ctx, key, data, version, ttl)
	if s.flaw == "counts" && err == nil {
		if s.counts == nil {
			s.counts = map[string]uint64{}
		}
		s.counts[key]++
		v = s.counts[key]
	}
	return v, err
}

func (s *flawedKV) Delete(ctx context.Context, key string) error {
	switch s.flaw {
	case "branches":
		_ = s.Memory.Delete(ctx, key+".b")
	case "counts":
		s.mu.Lock()
		delete(s.counts, key)
		s.mu.Unlock()
	}
	return s.Memory.Delete(ctx, key)
}
