package stdio

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// The defaults of the fields of a Process.
const (
	defaultExitWait  = 2 * time.Second
	defaultTermWait  = 2 * time.Second
	defaultProbeWait = waits.Probe // of a Transport too
)

// Process is a client's runtime.Transport to a server that runs as a child process. It uses the
// child's standard input and output. Create it with Command.
//
// If the process exits with a nonzero status, the error of the session wraps an *ExitError. Close
// ends the process and all processes that are left in its process group.
type Process struct {
	// ExitWait is how long the process may take to exit after its input is closed. After
	// that it receives SIGTERM. 0 means 2 seconds; a negative ExitWait means no wait.
	ExitWait time.Duration
	// TermWait is how long the process may take to exit after SIGTERM. After that it is
	// killed. 0 means 2 seconds; a negative TermWait means no wait.
	TermWait time.Duration
	// ProbeWait is how long a client with revisions of both kinds waits for the answer to server/discover.
	// After that it sends initialize as well, because some servers with sessions are silent before that. 0
	// means 3 seconds; with a negative ProbeWait the client waits as for every request.
	ProbeWait time.Duration

	cmd     *exec.Cmd
	like    exec.Cmd   // cmd before its start
	lines   *Transport // reads the child's output, writes its input
	output  *os.File
	stderr  *os.File
	tail    *tail
	copied  chan struct{} // closed when stderr has ended
	started atomic.Bool
	closing atomic.Bool
	closer  sync.Once

	deadlines   sync.Mutex // guards the deadline of output and the next two fields
	drained     time.Time  // when reading output stops after the end of the process; zero before
	interrupted bool       // interrupt has set the deadline

	exited  chan struct{} // closed when the process has ended
	status  error         // an *ExitError or nil; valid after exited is closed
	stopped error         // result of Close
}

// Command returns the transport to the server that cmd starts. The process starts when a client
// connects.
//
// The Stdin and Stdout of cmd must be nil. Its Stderr defaults to os.Stderr; io.Discard discards
// the output, and LogLines logs it. All other fields of cmd are used as they are. On unix, the
// process leads a process group of its own, unless SysProcAttr is set: signals are sent to the
// whole group, and signals from the terminal do not reach it.
func Command(cmd *exec.Cmd) *Process {
	return &Process{cmd: cmd, copied: make(chan struct{}), exited: make(chan struct{})}
}

// Open implements runtime.Remote: it starts the process. A caller that does not pass c to a client
// must call Close.
func (c *Process) Open(context.Context) error {
	if c.cmd.Stdin != nil || c.cmd.Stdout != nil {
		return errors.New("stdio: the command's Stdin or Stdout is set")
	}
	c.like = *c.cmd
	c.tail = &tail{w: c.cmd.Stderr}
	if c.tail.w == nil {
		c.tail.w = os.Stderr
	}
	ownGroup(c.cmd)
	if err := c.start(); err != nil {
		return prefix.Errorf("stdio: start: %w", err)
	}
	c.started.Store(true)
	go c.copyStderr()
	go c.wait()
	return nil
}

// start starts the process with its own pipes. Wait closes the pipes that cmd makes, even if they
// hold unread messages.
func (c *Process) start() error {
	var ours, theirs [3]*os.File
	defer func() { closeAll(theirs[:]) }()
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours[:])
			return err
		}
		if ours[i], theirs[i] = r, w; i == 0 {
			ours[i], theirs[i] = w, r
		}
	}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	if err := c.cmd.Start(); err != nil {
		closeAll(ours[:])
		return err
	}
	c.output, c.stderr = ours[1], ours[2]
	c.lines = &Transport{In: io.NopCloser(c.output), Out: ours[0], pipe: newPipeWriter(ours[0])}
	c.lines.setup()
	return nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

func (c *Process) copyStderr() {
	defer close(c.copied)
	io.Copy(c.tail, c.stderr)
	c.stderr.Close()
}

// wait runs in a goroutine until the process has ended and its standard error is read.
func (c *Process) wait() {
	err := c.cmd.Wait()
	killGroup(c.cmd)
	// The content of the pipes can be read at once. Only processes that have left the group can
	// still write to them.
	end := time.Now().Add(waits.Output)
	c.drainUntil(end)
	c.stderr.SetReadDeadline(end)
	select {
	case <-c.copied:
	case <-time.After(2 * waits.Output): // the writer in Stderr blocks
	}
	if err != nil {
		c.status = &ExitError{Status: err.Error(), Code: c.cmd.ProcessState.ExitCode(), Stderr: c.tail.String(), err: err}
	}
	close(c.exited)
}

// Restart implements runtime.Remote: it returns a transport to another process of the same command.
func (c *Process) Restart() (runtime.Transport, error) {
	cmd := c.like
	next := Command(&cmd)
	next.ExitWait, next.TermWait, next.ProbeWait = c.ExitWait, c.TermWait, c.ProbeWait
	if cmd.Cancel != nil { // it refers to the process that has ended
		cmd.Cancel = func() error { return cmd.Process.Kill() }
	}
	return next, nil
}

// Fallback implements runtime.Remote. There is none.
func (c *Process) Fallback(_ context.Context, refused error) (runtime.Transport, error) {
	return nil, refused
}

// Server implements runtime.Remote. It returns the command line.
func (c *Process) Server() string { return c.cmd.String() }

// ProbeTimeout returns ProbeWait or its default. A client calls it.
func (c *Process) ProbeTimeout() time.Duration { return cmp.Or(c.ProbeWait, defaultProbeWait) }

// Pid returns the id of the process, which must have been started.
func (c *Process) Pid() int { return c.cmd.Process.Pid }

// Start implements runtime.Transport.
func (c *Process) Start(in runtime.Inbox, max int) {
	from := source{Receive: c.receive, Buffered: c.lines.lines.Buffered}
	if c.interruptible() {
		from.Interrupt = c.interrupt
	}
	start(from, in, max)
}

// receive reads the next line, as that of a Transport does. If the output ends
// because the process has failed, the error is an *ExitError.
func (c *Process) receive(ctx context.Context, max int) (runtime.Incoming, error) {
	in, err := c.lines.receive(ctx, max)
	if c.closing.Load() {
		return runtime.Incoming{}, runtime.ErrClosed // Close reads too, so in may be incomplete
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && c.wasInterrupted() {
		return runtime.Incoming{}, engine.ErrInterrupted
	}
	if err == nil || ctx.Err() != nil {
		return in, err
	}
	if status := c.failure(ctx); status != nil {
		return runtime.Incoming{}, status
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return runtime.Incoming{}, err
}

// interruptible reports whether pipes support deadlines.
func (c *Process) interruptible() bool {
	c.deadlines.Lock()
	defer c.deadlines.Unlock()
	return c.output.SetReadDeadline(c.drained) == nil
}

// interrupt ends the read of the output.
func (c *Process) interrupt() {
	c.deadlines.Lock()
	defer c.deadlines.Unlock()
	c.interrupted = true
	c.output.SetReadDeadline(time.Unix(1, 0))
}

// wasInterrupted reports whether interrupt has ended a read, and restores the deadline that interrupt
// replaced.
func (c *Process) wasInterrupted() bool {
	c.deadlines.Lock()
	defer c.deadlines.Unlock()
	was := c.interrupted
	if was {
		c.interrupted = false
		c.output.SetReadDeadline(c.drained)
	}
	return was
}

// drainUntil limits the time for reading the output.
func (c *Process) drainUntil(end time.Time) {
	c.deadlines.Lock()
	defer c.deadlines.Unlock()
	c.drained = end
	if !c.interrupted {
		c.output.SetReadDeadline(end)
	}
}

// failure waits for the end of a process that has closed a stream. It returns the status of the
// process if that is an error.
func (c *Process) failure(ctx context.Context) error {
	if c.ends(ctx, waits.Output) {
		return c.status
	}
	return nil
}

// Send implements runtime.Transport. If the process has ended, the error is runtime.ErrClosed, and
// wraps an *ExitError as well if the process has failed.
func (c *Process) Send(ctx context.Context, m runtime.Outgoing) error {
	err := c.lines.Send(ctx, m)
	switch {
	case err == nil:
	case c.closing.Load():
		return runtime.ErrClosed
	case errors.Is(err, syscall.EPIPE):
		if status := c.failure(ctx); status != nil {
			return prefix.Errorf("runtime: %w: %w", runtime.ErrClosed, status)
		}
		return runtime.ErrClosed
	}
	return err
}

// Close implements runtime.Transport: it closes the input of the process, which asks a server to
// exit. After ExitWait it sends SIGTERM, and after TermWait SIGKILL (see "Shutdown" in
// basic/lifecycle of every revision). On systems without SIGTERM, it kills the process after
// ExitWait. Close returns when the process has ended. The error is an *ExitError if Close had to
// kill the process or if the process failed by itself.
func (c *Process) Close() error {
	if !c.started.Load() {
		return nil
	}
	c.closer.Do(func() {
		c.closing.Store(true)
		c.lines.Close()
		drained := make(chan struct{})
		go func() { // a process that blocks on its output does not exit
			defer close(drained)
			io.Copy(io.Discard, c.output)
		}()
		c.stopped = c.stop()
		c.output.Close()
		<-drained
	})
	return c.stopped
}

func (c *Process) stop() error {
	ctx := context.Background()
	if c.ends(ctx, cmp.Or(c.ExitWait, defaultExitWait)) {
		return c.status
	}
	if terminate(c.cmd) == nil && c.ends(ctx, cmp.Or(c.TermWait, defaultTermWait)) {
		return nil
	}
	if err := kill(c.cmd); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return prefix.Errorf("stdio: killing the server: %w", err)
	}
	if !c.ends(ctx, waits.Killed) {
		return errors.New("stdio: the server was killed but has not ended")
	}
	return c.status
}

// ends waits for the end of the process and reports whether it has ended.
func (c *Process) ends(ctx context.Context, wait time.Duration) bool {
	return engine.Wait(c.exited, wait, ctx.Done())
}

// ExitError reports that a server process exited with a nonzero status or was killed.
type ExitError struct {
	Status string // "exit status 3", "signal: killed"
	Code   int    // exit status; -1 when a signal ended the process
	Stderr string // the last lines of its standard error, at most 4 KiB

	err error
}

// Error returns the status and the last line of the standard error.
func (e *ExitError) Error() string {
	if line := lastLine(e.Stderr); line != "" {
		return fmt.Sprintf("stdio: the server ended: %s: %.500s", e.Status, line)
	}
	return "stdio: the server ended: " + e.Status
}

// Unwrap returns the error of cmd.Wait, usually an *exec.ExitError.
func (e *ExitError) Unwrap() error { return e.err }

const (
	// maxTail is the maximum length of ExitError.Stderr.
	maxTail = 4 << 10
	// maxLogged is the maximum length of a message of LogLines.
	maxLogged = 4 << 10
)

// tail copies its input to a writer and keeps the end of it. It ignores errors of the writer, so
// that they do not affect the process whose standard error it copies.
type tail struct {
	w  io.Writer
	mu sync.Mutex
	// kept is the end of the input. It grows to twice maxTail before its first half is
	// dropped, so that each byte is moved once.
	kept []byte
}

// Write implements io.Writer and always succeeds.
func (t *tail) Write(p []byte) (int, error) {
	t.w.Write(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	last := p[max(0, len(p)-maxTail):]
	if len(t.kept)+len(last) > 2*maxTail {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-maxTail:]...)
	}
	t.kept = append(t.kept, last...)
	return len(p), nil
}

// String returns the end of the input. It begins at the beginning of a line, unless the last line
// is longer than maxTail.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.kept
	if len(text) > maxTail {
		text = text[len(text)-maxTail:]
		if i := bytes.IndexByte(text, '\n'); i >= 0 && i+1 < len(text) {
			text = text[i+1:]
		}
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}

func lastLine(text string) string {
	text = strings.TrimRight(text, "\r\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// LogLines returns a writer that logs each line as a message with the given level. It splits
// lines longer than 4 KiB. It is meant for the Stderr of a command and is not safe for concurrent
// use.
func LogLines(l *slog.Logger, level slog.Level) io.Writer {
	return &lineLogger{log: l, level: level}
}

type lineLogger struct {
	log   *slog.Logger
	level slog.Level
	part  []byte // beginning of an incomplete line
}

func (l *lineLogger) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		ended := i >= 0
		if !ended {
			i = len(rest)
		}
		if room := maxLogged - len(l.part); i > room {
			i, ended = room, false
		}
		l.part = append(l.part, rest[:i]...)
		rest = rest[i:]
		if ended {
			rest = rest[1:]
		}
		if ended || len(l.part) == maxLogged {
			if line := bytes.TrimSpace(l.part); len(line) > 0 {
				l.log.Log(context.Background(), l.level, string(line))
			}
			l.part = l.part[:0]
		}
	}
	return len(p), nil
}
