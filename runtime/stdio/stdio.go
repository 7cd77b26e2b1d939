// Package stdio carries messages as lines over a pair of byte streams: a server's
// standard input and output, or any reader and writer (section "stdio" of
// basic/transports in every revision). A [Transport] is a server's end; a [Command] is
// a client's, which starts the server and ends it.
//
// A message is one line. Lines end with a newline, after an optional carriage return;
// the last one may lack it. Blank lines are skipped. A line longer than the session
// allows is refused while it is read and its bytes are thrown away, so it costs no
// memory.
package stdio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Transport is a runtime.Transport over a reader and a writer. The zero value is that of
// a server process: it uses the standard input and output, to which nothing else may
// write then. Close closes both streams if they can be closed. A Transport serves one
// session.
type Transport struct {
	In  io.Reader // nil: os.Stdin
	Out io.Writer // nil: os.Stdout

	once    sync.Once
	lines   lines
	out     io.Writer
	closer  sync.Once
	closed  chan struct{}
	writing chan struct{} // holds a token while a line is written
	failed  error         // of a write, after which the stream has half a line; guarded by writing
	try     *tryWriter    // writes to out without waiting; nil when it cannot
}

// New returns a transport that reads from in and writes to out.
func New(in io.Reader, out io.Writer) *Transport {
	return &Transport{In: in, Out: out}
}

func (t *Transport) setup() {
	t.once.Do(func() {
		t.lines.src, t.out = t.In, t.Out
		if t.lines.src == nil {
			t.lines.src = os.Stdin
		}
		if t.out == nil {
			t.out = os.Stdout
		}
		t.closed = make(chan struct{})
		t.writing = make(chan struct{}, 1)
	})
}

// Receive implements runtime.Transport: it reads the next line. Ctx cannot interrupt a
// read; Close can, if closing the reader does.
func (t *Transport) Receive(ctx context.Context, max int) (runtime.Incoming, error) {
	t.setup()
	for {
		if err := ctx.Err(); err != nil {
			return runtime.Incoming{}, context.Cause(ctx)
		}
		text, err := t.lines.next(max)
		if err != nil || !blank(text) {
			return runtime.Incoming{Text: text}, err
		}
	}
}

// Buffered implements runtime.Buffered.
func (t *Transport) Buffered() bool { return len(t.lines.rest) > 0 }

func blank(text string) bool {
	for i := range len(text) {
		if c := text[i]; c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// Send implements runtime.Transport: it writes one line with one Write. When ctx ends while
// the peer does not read, Send returns, and the line is finished when the peer reads on, so
// that no line is broken off. Responses are the exception: a session sends them without a
// bound, and Send waits until they are written. After a failed write it writes no more,
// because the stream may have ended within a line.
func (t *Transport) Send(ctx context.Context, m runtime.Outgoing) error {
	t.setup()
	line := append(oneLine(m.Text), '\n')
	if err := t.lock(ctx); err != nil {
		return err
	}
	if t.try != nil {
		n, err := t.try.write(line)
		if err != nil || n == len(line) {
			defer t.unlock()
			return t.done(err)
		}
		line = line[n:]
	}
	if ctx.Done() == nil || m.Kind == jsonrpc.Response {
		defer t.unlock()
		return t.write(line)
	}
	written := make(chan error, 1)
	line = bytes.Clone(line)
	go func() {
		defer t.unlock()
		written <- t.write(line)
	}()
	select {
	case err := <-written:
		return err
	case <-t.closed:
		return runtime.ErrClosed
	case <-ctx.Done():
		select {
		case err := <-written:
			return err
		default:
			return context.Cause(ctx)
		}
	}
}

// lock waits for the turn to write.
func (t *Transport) lock(ctx context.Context) error {
	select {
	case t.writing <- struct{}{}:
	case <-t.closed:
		return runtime.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	err := t.failed
	if t.isClosed() {
		err = runtime.ErrClosed
	}
	if err != nil {
		t.unlock()
	}
	return err
}

func (t *Transport) unlock() { <-t.writing }

// write writes a line, or the rest of one. Between lock and unlock.
func (t *Transport) write(line []byte) error {
	n, err := t.out.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	return t.done(err)
}

// done takes note of the end of a write, and returns its error. Between lock and unlock.
func (t *Transport) done(err error) error {
	if t.failed = err; err != nil && t.isClosed() {
		return runtime.ErrClosed
	}
	return err
}

func (t *Transport) isClosed() bool {
	select {
	case <-t.closed:
		return true
	default:
		return false
	}
}

// oneLine makes white space of the line breaks in a JSON text. Generated code writes
// none; an Appender of the user's may.
func oneLine(text []byte) []byte {
	for rest := text; ; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return text
		}
		rest[i] = ' '
		rest = rest[i+1:]
	}
}

// Close implements runtime.Transport.
func (t *Transport) Close() error {
	t.setup()
	var err error
	t.closer.Do(func() {
		close(t.closed)
		err = errors.Join(closeStream(t.out), closeStream(t.lines.src))
	})
	return err
}

func closeStream(s any) error {
	if c, ok := s.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
