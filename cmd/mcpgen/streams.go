package main

import (
	"context"
	"fmt"
	"io"
	"os"
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

// replaceable returns an error if a file must not be overwritten: one with a text that does not begin like those that
// the program writes there. Files that are not regular, such as /dev/stderr, are written to in any case.
func replaceable(name, what, begin string) error {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil // opening it for writing reports what is wrong
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	start := make([]byte, len(begin))
	n, err := io.ReadFull(f, start)
	if n > 0 && string(start[:n]) != begin {
		return fmt.Errorf("%s: is not %s, so it is not overwritten", name, what)
	}
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	return nil
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
