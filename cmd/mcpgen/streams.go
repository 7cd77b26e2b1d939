package main

import (
	"context"
	"io"
)

// interruptible is a reader whose Read returns when the context ends, even while it waits for a
// terminal or a pipe. It must not be used after that.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := i.r.Read(p)
		done <- result{n, err}
	}()
	select {
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	case got := <-done:
		return got.n, got.err
	}
}

// output keeps the first write error, so that the verbs need not check for it. A report that
// cannot be written is a failure.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}
