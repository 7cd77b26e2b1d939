// Package stdio sends messages as lines over a pair of byte streams: the standard input and output
// of a server, or any reader and writer (section "stdio" of basic/transports in every revision).
// [Serve] and [Transport] are for servers. A client uses [Command], which starts the server as a
// child process.
//
// Each message is one line. A line ends with a newline, which may follow a carriage return and may
// be absent from the last line. Blank lines are skipped. A line that is longer than the session
// allows is refused and skipped without being stored.
package stdio

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/signals"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Transport is a runtime.Transport over a reader and a writer. The zero value uses the standard
// input and output of the process, to which nothing else may write. Close closes both streams if
// they implement io.Closer. A Transport serves one session.
type Transport struct {
	In  io.Reader // nil: os.Stdin
	Out io.Writer // nil: os.Stdout

	ProbeWait time.Duration // of a client, as in a Process

	once    sync.Once
	lines   lines
	out     io.Writer
	closer  sync.Once
	closed  chan struct{}
	writing chan struct{} // holds a token while a line is written
	failed  error         // of the last write; guarded by writing
	pipe    *pipeWriter   // writes to out without waiting; nil if that is impossible
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

// Start implements runtime.Transport.
func (t *Transport) Start(in runtime.Inbox, max int) {
	start(source{Receive: t.receive, Buffered: t.buffered}, in, max)
}

// source is where the lines of a Transport or a Process come from.
type source = engine.Source[runtime.Incoming]

// start puts the lines of a source into an inbox. The inbox of a session reads them by itself, so that a call need
// not wake another goroutine.
func start(from source, in runtime.Inbox, max int) {
	if session, ok := in.(interface{ Read(source) }); ok {
		session.Read(from)
		return
	}
	go func() {
		for {
			m, err := from.Receive(context.Background(), max)
			if err != nil {
				in.End(err)
				return
			}
			if run := in.Accept(m); run != nil {
				go run()
			}
		}
	}()
}

// receive reads the next line. A line longer than max bytes is cut off after
// that, and the next call skips the rest. The end of ctx does not interrupt a read. Close does, if closing the reader
// interrupts its Read.
func (t *Transport) receive(ctx context.Context, max int) (runtime.Incoming, error) {
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

// ProbeTimeout returns ProbeWait or its default. A client calls it.
func (t *Transport) ProbeTimeout() time.Duration { return cmp.Or(t.ProbeWait, defaultProbeWait) }

// buffered reports whether a part of a line has been read.
func (t *Transport) buffered() bool { return len(t.lines.unread) > 0 }

func blank(text string) bool {
	for i := range len(text) {
		if c := text[i]; c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// Send implements runtime.Transport: it writes one line with one Write. If ctx ends while the peer
// does not read, Send returns, and a goroutine writes the rest of the line when the peer continues
// to read, so that no line is truncated. For responses, Send waits until they are written. After a
// failed write, Send returns its error, because the stream may have ended within a line.
func (t *Transport) Send(ctx context.Context, m runtime.Outgoing) error {
	t.setup()
	line := append(oneLine(m.Text), '\n')
	if err := t.lock(ctx); err != nil {
		return err
	}
	if t.pipe != nil {
		n, err := t.pipe.write(line)
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

// lock waits until no other line is being written.
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

// write writes a line, or the rest of one. The caller holds the lock.
func (t *Transport) write(line []byte) error {
	n, err := t.out.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	return t.done(err)
}

// done records the result of a write and returns the error for the caller of Send. The caller holds
// the lock.
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

// oneLine replaces the line breaks of a JSON text by spaces. Generated code writes none, but an
// Appender of a user may.
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

// Serve serves a session over the standard input and output of the process. It returns nil when
// the client ends the session. When ctx ends, or the process receives SIGINT or SIGTERM, Serve
// shuts the session down gracefully, as [runtime.Server.Serve] does, and returns nil. A second
// signal ends the process at once.
func Serve(ctx context.Context, server runtime.SessionServer) error {
	ctx, stop := signals.Context(ctx)
	defer stop()
	err := runtime.Serve(ctx, server, &Transport{})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// Main runs a server as a whole program: it serves one session over the standard input and
// output of the process, as [Serve] does, and ends the process with status 1 if that fails.
// It takes the results of a constructor:
//
//	stdio.Main(mcp.NewServer(options, tool))
func Main(server *runtime.Server, err error) {
	if err == nil {
		err = Serve(context.Background(), server)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// readSize is the size of a read. A line that fits into one read is copied once.
const readSize = 32 << 10

// maxEmptyReads is how many reads in a row may return neither data nor an error.
const maxEmptyReads = 100

// lines splits a stream into lines.
type lines struct {
	src    io.Reader
	buf    []byte          // readSize bytes
	unread []byte          // unprocessed part of buf
	long   strings.Builder // beginning of a line, from earlier reads
	err    error           // of src; returned when unread is empty
	skip   bool            // the rest of a line that was too long is skipped
}

// next returns a copy of the next line, without its newline. If the line is longer than max, it
// returns what it has read as soon as that is longer; the next call skips the rest of the
// line. An error of src is returned by every further call until retry.
func (l *lines) next(max int) (string, error) {
	for {
		i := bytes.IndexByte(l.unread, '\n')
		part := l.unread
		if i >= 0 {
			part = l.unread[:i]
		}
		switch {
		case l.skip:
			l.skip = i < 0
			l.drop(len(part), i >= 0)
			if i < 0 {
				if err := l.fill(); err != nil {
					return "", err
				}
			}
			continue
		case l.lineLen(part) > max:
			l.skip = true
			l.long.Write(part)
			return l.takeLong(), nil
		case i >= 0 && l.long.Len() == 0:
			text := string(bytes.TrimSuffix(part, []byte{'\r'}))
			l.drop(len(part), true)
			return text, nil
		}
		l.long.Write(part)
		l.drop(len(part), i >= 0)
		if i >= 0 {
			return l.takeLong(), nil
		}
		if err := l.fill(); err != nil {
			if err == io.EOF && l.long.Len() > 0 {
				return l.takeLong(), nil
			}
			return "", err
		}
	}
}

func (l *lines) takeLong() string {
	line := strings.TrimSuffix(l.long.String(), "\r")
	l.long.Reset()
	return line
}

// retry makes next read src again after an error.
func (l *lines) retry() { l.err = nil }

// drop removes n bytes from unread, and the newline after them if there is one.
func (l *lines) drop(n int, newline bool) {
	if newline {
		n++
	}
	l.unread = l.unread[n:]
}

// fill reads more input. Call it when unread is empty.
func (l *lines) fill() error {
	if l.buf == nil {
		l.buf = make([]byte, readSize)
	}
	for range maxEmptyReads {
		if l.err != nil {
			return l.err
		}
		var n int
		n, l.err = l.src.Read(l.buf)
		if n > 0 {
			l.unread = l.buf[:n]
			return nil
		}
	}
	return io.ErrNoProgress
}

// lineLen returns the length of the incomplete line that ends with part. A carriage return at its
// end is not counted, as it may be part of the end of the line.
func (l *lines) lineLen(part []byte) int {
	n := l.long.Len() + len(part)
	if bytes.HasSuffix(part, []byte{'\r'}) || len(part) == 0 && strings.HasSuffix(l.long.String(), "\r") {
		n--
	}
	return n
}
