package share

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// Memory is a [Bus] for servers in one process. The zero value is ready to use.
type Memory struct {
	mu       sync.Mutex
	subjects map[string][]*member
}

// member takes the messages of a subject: it subscribes to the subject, or serves it.
type member struct {
	receive *engine.Backlog[[]byte]  // nil if it serves the subject
	answer  func(data []byte) []byte // nil if it subscribes to the subject
	stopped atomic.Bool
}

// Publish implements [Bus].
func (m *Memory) Publish(_ context.Context, subject string, data []byte) error {
	if err := Check(subject, data); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.subjects[subject] {
		if s.receive != nil {
			s.receive.Add(bytes.Clone(data))
		}
	}
	return nil
}

// Subscribe implements [Bus]. No message is missed.
func (m *Memory) Subscribe(_ context.Context, subject string, receive func(data []byte), _ func()) (stop func(), err error) {
	s := new(member)
	s.receive = &engine.Backlog[[]byte]{Do: func(data []byte) {
		if !s.stopped.Load() {
			receive(data)
		}
	}}
	return m.join(subject, s)
}

// Request implements [Bus]. If several functions serve the subject, it chooses one at random.
func (m *Memory) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	if err := Check(subject, data); err != nil {
		return nil, err
	}
	m.mu.Lock()
	servers := slices.DeleteFunc(slices.Clone(m.subjects[subject]), func(s *member) bool { return s.answer == nil })
	m.mu.Unlock()
	if len(servers) == 0 {
		return nil, ErrNobody
	}
	s := servers[rand.IntN(len(servers))]
	data = bytes.Clone(data) // the caller may change its own when ctx has ended
	answers := make(chan []byte, 1)
	go func() { answers <- s.answer(data) }()
	select {
	case answer := <-answers:
		if len(answer) > MaxMessage {
			return nil, fmt.Errorf("the answer: %w", ErrTooLarge)
		}
		return answer, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Serve implements [Bus].
func (m *Memory) Serve(ctx context.Context, subject string, answer func(ctx context.Context, data []byte) []byte) (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	leave, err := m.join(subject, &member{answer: func(data []byte) []byte { return answer(ctx, data) }})
	if err != nil {
		cancel()
		return nil, err
	}
	return func() {
		leave()
		cancel()
	}, nil
}

// join adds a member to a subject, until stop is called.
func (m *Memory) join(subject string, s *member) (stop func(), err error) {
	if err := Check(subject, nil); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.subjects == nil {
		m.subjects = make(map[string][]*member)
	}
	m.subjects[subject] = append(m.subjects[subject], s)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		s.stopped.Store(true)
		left := slices.DeleteFunc(m.subjects[subject], func(other *member) bool { return other == s })
		if m.subjects[subject] = left; len(left) == 0 {
			delete(m.subjects, subject)
		}
	}, nil
}
