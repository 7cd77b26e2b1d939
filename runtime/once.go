package runtime

import (
	"context"
	"errors"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Once returns the value of f, which is called once in a request. In a session, that is all it does. The
// handler of a stateless call runs again after each question to the client, and Once then returns the value
// that f returned in an earlier round:
//
//	order, err := runtime.Once(ctx, "order", func(ctx context.Context) (string, error) {
//		return shop.NewOrder(ctx)
//	})
//	...
//	answer, err := client.Elicit(ctx, ...)
//
// The value travels with the client, sealed (see [Rounds]), as JSON, so T must survive encoding and decoding
// as by [wire.RawOf] and [wire.Raw.Decode]. If f fails, nothing is kept. Uses with equal keys are numbered in
// their order. If a client starts over without the state, f runs again.
func Once[T any](ctx context.Context, key string, f func(ctx context.Context) (T, error)) (T, error) {
	kept, keep := onceOf(ctx, key)
	if kept != "" {
		var v T
		err := kept.Decode(&v)
		return v, err
	}
	v, err := f(ctx)
	if err != nil || keep == nil {
		return v, err
	}
	text, err := wire.RawOf(v)
	if err != nil {
		return v, err
	}
	keep(text)
	return v, nil
}

// onceOf returns the value of Once in an earlier round, or a function that keeps the value. In a session it
// returns neither.
func onceOf(ctx context.Context, key string) (kept wire.Raw, keep func(wire.Raw)) {
	c := CallOf(ctx)
	if c == nil || c.alone == nil {
		return "", nil
	}
	r := c.rounds()
	r.mu.Lock()
	defer r.mu.Unlock()
	key = r.key("once:" + key)
	for i := range r.done {
		if r.done[i].Name == key {
			return r.done[i].Value, nil
		}
	}
	return "", func(value wire.Raw) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.done.Set(key, value)
	}
}

// Together calls functions that each ask the client, so that it is asked everything at once: in a session
// the requests are sent at the same time, and the result of a stateless call has all questions, which takes
// one round instead of several. It returns the errors of all functions, joined. If a function fails
// otherwise than with [ErrInputRequired], none of the questions is asked in a stateless call.
func Together(ctx context.Context, ask ...func(ctx context.Context) error) error {
	errs := make([]error, len(ask))
	if c := CallOf(ctx); c != nil && c.alone != nil {
		return c.together(ctx, ask, errs)
	}
	panics := make([]any, len(ask))
	var all sync.WaitGroup
	for i := range ask {
		all.Go(func() {
			defer func() { panics[i] = recover() }()
			errs[i] = ask[i](ctx)
		})
	}
	all.Wait()
	for _, v := range panics {
		if v != nil {
			panic(v)
		}
	}
	return errors.Join(errs...)
}

// together is Together for a stateless call.
func (c *Call) together(ctx context.Context, ask []func(ctx context.Context) error, errs []error) error {
	r := c.rounds()
	r.mu.Lock()
	before := len(r.asked)
	r.mu.Unlock()
	failed := false
	for i := range ask {
		errs[i] = ask[i](ctx)
		failed = failed || errs[i] != nil && !errors.Is(errs[i], ErrInputRequired)
	}
	if failed {
		r.mu.Lock()
		r.asked = r.asked[:before]
		r.mu.Unlock()
	}
	return errors.Join(errs...)
}
