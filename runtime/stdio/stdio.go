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
	"bufio"
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
	lines   *bufio.Reader
	long    strings.Builder // beginning of a line, from earlier reads
	skip    bool            // the rest of a line that was too long is skipped
	closer  sync.Once
	closed  context.Context // ends with Close
	end     context.CancelFunc
	writing chan struct{} // holds a token while a line is written
	failed  error         // of a write; guarded by writing
	pipe    *pipeWriter   // writes to Out without waiting; nil if that is impossible
}

func (t *Transport) setup() {
	t.once.Do(func() {
		if t.In == nil {
			t.In = os.Stdin
		}
		if t.Out == nil {
			t.Out = os.Stdout
		}
		t.lines = bufio.NewReaderSize(t.In, readSize)
		t.closed, t.end = context.WithCancel(context.Background())
		t.writing = make(chan struct{}, 1)
	})
}

// Start implements runtime.Transport.
func (t *Transport) Start(in runtime.Inbox, max int) {
	t.setup()
	start(source{Receive: t.receive, Buffered: t.lines.Buffered}, in, max)
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

// readSize is the size of a read. A line that fits into one read is copied once.
const readSize = 32 << 10

// receive reads the next line that is not blank, without its end. Of a line that is longer than max bytes, it returns
// the beginning, which is longer too, and the next call skips the rest. The end of ctx does not interrupt a read. Close
// does, if closing the reader interrupts its Read.
func (t *Transport) receive(ctx context.Context, max int) (runtime.Incoming, error) {
	for ctx.Err() == nil {
		part, err := t.lines.ReadSlice('\n')
		part, ended := bytes.CutSuffix(part, []byte{'\n'})
		text := ""
		switch {
		case t.skip:
			t.skip = !ended
		case ended && t.long.Len() == 0:
			text = string(bytes.TrimSuffix(part, []byte{'\r'}))
		default:
			t.long.Write(part)
			line := strings.TrimSuffix(t.long.String(), "\r") // which may be part of the end of the line
			if cut := !ended && len(line) > max; cut || ended || err == io.EOF {
				text, t.skip = line, cut
				t.long.Reset()
			}
		}
		switch {
		case strings.TrimLeft(text, " \t\r") != "":
			return runtime.Incoming{Text: text}, nil
		case err != nil && err != bufio.ErrBufferFull:
			return runtime.Incoming{}, err
		}
	}
	return runtime.Incoming{}, context.Cause(ctx)
}

// ProbeTimeout returns ProbeWait or its default. A client calls it.
func (t *Transport) ProbeTimeout() time.Duration { return cmp.Or(t.ProbeWait, defaultProbeWait) }

// Send implements runtime.Transport: it writes one line with one Write. If ctx ends while the peer
// does not read, Send returns, and a goroutine writes the rest of the line when the peer continues
// to read, so that no line is truncated. For responses, Send waits until they are written. After a
// failed write, Send returns its error, because the stream may have ended within a line.
func (t *Transport) Send(ctx context.Context, m runtime.Outgoing) error {
	t.setup() // a program that uses it without a session may send before Start
	line := append(m.Text, '\n')
	if bytes.IndexByte(m.Text, '\n') >= 0 { // generated code writes none, but an Appender of a user may
		line = append(bytes.ReplaceAll(m.Text, []byte{'\n'}, []byte{' '}), '\n')
	}
	select {
	case t.writing <- struct{}{}:
	default: // ctx.Done is called only here, because it may start a timer
		select {
		case t.writing <- struct{}{}:
		case <-t.closed.Done():
			return runtime.ErrClosed
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if t.pipe != nil && t.failed == nil {
		var n int
		n, t.failed = t.pipe.write(line)
		if line = line[n:]; len(line) == 0 {
			<-t.writing
			return nil
		}
	}
	if ctx.Done() == nil || m.Kind == jsonrpc.Response {
		return t.write(line)
	}
	written := make(chan error, 1)
	rest := bytes.Clone(line)
	go func() { written <- t.write(rest) }()
	select {
	case err := <-written:
		return err
	case <-t.closed.Done():
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

// write writes a line, or the rest of one, and lets the next Send write. Nothing is written after a failure and after
// Close.
func (t *Transport) write(line []byte) error {
	defer func() { <-t.writing }()
	if t.failed == nil && t.closed.Err() == nil {
		n, err := t.Out.Write(line)
		if err == nil && n < len(line) {
			err = io.ErrShortWrite
		}
		if t.failed = err; err == nil {
			return nil
		}
	}
	if t.closed.Err() != nil {
		return runtime.ErrClosed
	}
	return t.failed
}

// Close implements runtime.Transport.
func (t *Transport) Close() error {
	t.setup()
	var err error
	t.closer.Do(func() {
		t.end()
		err = errors.Join(closeStream(t.Out), closeStream(t.In))
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
