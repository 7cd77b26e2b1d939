package stdio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// The defaults of a Process.
const (
	DefaultExitWait = 2 * time.Second
	DefaultTermWait = 2 * time.Second
)

const (
	// killWait bounds the wait for a process that cannot even be killed.
	killWait = 5 * time.Second
	// drainWait is how long the output of a process is read on after its end, in case
	// a process that it started holds the stream open; and how long the end is waited
	// for when the output has ended.
	drainWait = time.Second
)

// Process is a client's runtime.Transport to a server that runs as a child process, over
// the child's standard input and output. Create it with Command.
//
// If the process ends by itself with another status than 0, the session's error wraps an
// *ExitError. Close ends the process and all processes that are left in its process group.
type Process struct {
	// ExitWait is how long the process may take to exit after its input is closed, before
	// it gets SIGTERM. It defaults to DefaultExitWait; less than 0 means not at all.
	ExitWait time.Duration
	// TermWait is how long the process may take to exit after SIGTERM, before it is
	// killed. It defaults to DefaultTermWait; less than 0 means not at all.
	TermWait time.Duration

	cmd     *exec.Cmd
	lines   *Transport // reads the child's output, writes its input
	output  *os.File
	stderr  *os.File
	tail    *tail
	copied  chan struct{} // closed when stderr has ended
	started atomic.Bool
	closing atomic.Bool
	closer  sync.Once

	deadlines   sync.Mutex // held while a deadline of output is set
	drained     time.Time  // when what is left in output is to have been read; zero while the process runs
	interrupted bool       // the deadline is that of Interrupt

	exited  chan struct{} // closed when the process has been waited for
	status  error         // of the process; read after exited
	stopped error         // what Close returns
}

// Command returns the transport to a server that cmd describes. The process starts when a
// client connects.
//
// The command's Stdin and Stdout must be nil. Its Stderr defaults to os.Stderr; io.Discard
// throws the output away, and LogLines logs it. The environment, folder and SysProcAttr are
// the caller's. On unix the process leads its own process group, unless SysProcAttr says
// otherwise: signals go to the whole group, and signals of the terminal do not reach it.
func Command(cmd *exec.Cmd) *Process {
	return &Process{cmd: cmd, copied: make(chan struct{}), exited: make(chan struct{})}
}

// Open implements runtime.Opener: it starts the process. Without a session, the caller must
// call Close.
func (c *Process) Open(context.Context) error {
	if c.cmd.Stdin != nil || c.cmd.Stdout != nil {
		return errors.New("stdio: the command's Stdin or Stdout is set")
	}
	c.tail = &tail{w: c.cmd.Stderr}
	if c.tail.w == nil {
		c.tail.w = os.Stderr
	}
	ownGroup(c.cmd)
	if err := c.start(); err != nil {
		return fmt.Errorf("stdio: start: %w", err)
	}
	c.started.Store(true)
	go c.copyStderr()
	go c.wait()
	return nil
}

// start starts the process on pipes of ours. Those that the command would make are
// closed when the process ends, with its last messages still unread.
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
	c.lines = New(io.NopCloser(c.output), ours[0])
	c.lines.try = newTryWriter(ours[0])
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

// wait is the goroutine that waits for the process.
func (c *Process) wait() {
	err := c.cmd.Wait()
	killGroup(c.cmd)
	// What is left in the pipes can be read at once; more can come only from processes
	// that have left the group.
	end := time.Now().Add(drainWait)
	c.drainUntil(end)
	c.stderr.SetReadDeadline(end)
	select {
	case <-c.copied:
	case <-time.After(2 * drainWait): // the writer does not take it
	}
	if err != nil {
		c.status = &ExitError{Status: err.Error(), Code: c.cmd.ProcessState.ExitCode(), Stderr: c.tail.String(), err: err}
	}
	close(c.exited)
}

// Pid returns the id of the process, which must have been started.
func (c *Process) Pid() int { return c.cmd.Process.Pid }

// Receive implements runtime.Transport. When the output has ended because the process
// has failed, the error is an *ExitError.
func (c *Process) Receive(ctx context.Context, max int) (runtime.Incoming, error) {
	in, err := c.lines.Receive(ctx, max)
	if c.closing.Load() {
		return runtime.Incoming{}, runtime.ErrClosed // Close reads too, so in may be half a line
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && c.wasInterrupted() {
		c.lines.lines.retry()
		return runtime.Incoming{}, runtime.ErrInterrupted
	}
	if err == nil || ctx.Err() != nil {
		return in, err
	}
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok {
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

// Interruptible implements runtime.Interrupter: it depends on the system's pipes.
func (c *Process) Interruptible() bool {
	c.deadlines.Lock()
	defer c.deadlines.Unlock()
	return c.output.SetReadDeadline(c.drained) == nil
}

// Interrupt implements runtime.Interrupter.
func (c *Process) Interrupt() {
	c.deadlines.Lock()
	defer c.deadlines.Unlock()
	c.interrupted = true
	c.output.SetReadDeadline(time.Unix(1, 0))
}

// wasInterrupted reports whether the deadline of a read was that of Interrupt, and sets the one
// that it took the place of.
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

// drainUntil bounds the reading of the output.
func (c *Process) drainUntil(end time.Time) {
	c.deadlines.Lock()
	defer c.deadlines.Unlock()
	c.drained = end
	if !c.interrupted {
		c.output.SetReadDeadline(end)
	}
}

// Buffered implements runtime.Buffered.
func (c *Process) Buffered() bool { return c.lines.Buffered() }

// failure waits for the process, which has closed a stream, to end, and returns its
// status if that is an error.
func (c *Process) failure(ctx context.Context) error {
	timer := time.NewTimer(drainWait)
	defer timer.Stop()
	select {
	case <-c.exited:
		return c.status
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// Send implements runtime.Transport. When the process is gone, the error is
// runtime.ErrClosed, together with an *ExitError if the process has failed.
func (c *Process) Send(ctx context.Context, m runtime.Outgoing) error {
	err := c.lines.Send(ctx, m)
	switch {
	case err == nil:
	case c.closing.Load():
		return runtime.ErrClosed
	case errors.Is(err, syscall.EPIPE):
		if status := c.failure(ctx); status != nil {
			return fmt.Errorf("%w: %w", runtime.ErrClosed, status)
		}
		return runtime.ErrClosed
	}
	return err
}

// Close implements runtime.Transport: it closes the process's input, which asks a server
// to exit. After ExitWait it sends SIGTERM, and after TermWait SIGKILL (see "Shutdown" in
// basic/lifecycle of every revision). On systems without SIGTERM it kills the process after
// ExitWait. It returns when the process has ended: an *ExitError if that took SIGKILL or if
// the process had failed by itself.
func (c *Process) Close() error {
	if !c.started.Load() {
		return nil
	}
	c.closer.Do(func() {
		c.closing.Store(true)
		c.lines.Close()
		drained := make(chan struct{})
		go func() { // a process that cannot get rid of its output would not exit
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
	if c.ends(cmp.Or(c.ExitWait, DefaultExitWait)) {
		return c.status
	}
	if terminate(c.cmd) == nil && c.ends(cmp.Or(c.TermWait, DefaultTermWait)) {
		return nil
	}
	if err := kill(c.cmd); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stdio: killing the server: %w", err)
	}
	if !c.ends(killWait) {
		return errors.New("stdio: the server was killed and does not end")
	}
	return c.status
}

// ends waits for the process.
func (c *Process) ends(wait time.Duration) bool {
	timer := time.NewTimer(max(wait, 0))
	defer timer.Stop()
	select {
	case <-c.exited:
		return true
	case <-timer.C:
		return false
	}
}

// ExitError tells that a server process ended with another status than 0.
type ExitError struct {
	Status string // "exit status 3", "signal: killed"
	Code   int    // exit status; -1 when a signal ended the process
	Stderr string // the last lines of its standard error, at most 4 KiB

	err error
}

// Error tells the status and the last line of the standard error.
func (e *ExitError) Error() string {
	if line := lastLine(e.Stderr); line != "" {
		return fmt.Sprintf("stdio: the server ended: %s: %.500s", e.Status, line)
	}
	return "stdio: the server ended: " + e.Status
}

// Unwrap returns what the command's Wait returned, mostly an *exec.ExitError.
func (e *ExitError) Unwrap() error { return e.err }
