package share

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
)

// Memory is a [Bus] for servers in one process. The zero value is ready to use.
type Memory struct {
	mu          sync.Mutex
	subscribers map[string]map[*subscriber]bool
	servers     map[string]map[*server]bool
}

// subscriber receives messages in a goroutine that exists only while there are some.
type subscriber struct {
	receive func([]byte)

	mu      sync.Mutex
	waiting [][]byte
	busy    bool
	stopped bool
}

type server struct {
	answer  func(context.Context, []byte) []byte
	context context.Context
}

// Publish implements [Bus].
func (m *Memory) Publish(_ context.Context, subject string, data []byte) error {
	if err := check(subject, data); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for s := range m.subscribers[subject] {
		s.add(bytes.Clone(data))
	}
	return nil
}

func (s *subscriber) add(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, data)
	if !s.busy {
		s.busy = true
		go s.run()
	}
}

func (s *subscriber) run() {
	for {
		s.mu.Lock()
		if s.stopped || len(s.waiting) == 0 {
			s.busy = false
			s.mu.Unlock()
			return
		}
		data := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.mu.Unlock()
		s.receive(data)
	}
}

func (s *subscriber) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
}

// Subscribe implements [Bus].
func (m *Memory) Subscribe(_ context.Context, subject string, receive func(data []byte)) (stop func(), err error) {
	if err := CheckSubject(subject); err != nil {
		return nil, err
	}
	s := &subscriber{receive: receive}
	m.mu.Lock()
	defer m.mu.Unlock()
	add(&m.subscribers, subject, s)
	return func() {
		s.stop()
		m.mu.Lock()
		defer m.mu.Unlock()
		remove(m.subscribers, subject, s)
	}, nil
}

// Request implements [Bus]. If several functions serve the subject, it chooses one at random.
func (m *Memory) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	if err := check(subject, data); err != nil {
		return nil, err
	}
	m.mu.Lock()
	servers := slices.Collect(maps.Keys(m.servers[subject]))
	m.mu.Unlock()
	if len(servers) == 0 {
		return nil, ErrNobody
	}
	s := servers[rand.IntN(len(servers))]
	data = bytes.Clone(data) // the caller may change its own when ctx has ended
	answers := make(chan []byte, 1)
	go func() { answers <- s.answer(s.context, data) }()
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
	if err := CheckSubject(subject); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &server{answer: answer, context: ctx}
	m.mu.Lock()
	defer m.mu.Unlock()
	add(&m.servers, subject, s)
	return func() {
		m.mu.Lock()
		remove(m.servers, subject, s)
		m.mu.Unlock()
		cancel()
	}, nil
}

// check returns an error if a message is too long or its subject is invalid.
func check(subject string, data []byte) error {
	if len(data) > MaxMessage {
		return ErrTooLarge
	}
	return CheckSubject(subject)
}

func add[T comparable](all *map[string]map[T]bool, subject string, t T) {
	if *all == nil {
		*all = make(map[string]map[T]bool)
	}
	if (*all)[subject] == nil {
		(*all)[subject] = make(map[T]bool)
	}
	(*all)[subject][t] = true
}

func remove[T comparable](all map[string]map[T]bool, subject string, t T) {
	delete(all[subject], t)
	if len(all[subject]) == 0 {
		delete(all, subject)
	}
}
