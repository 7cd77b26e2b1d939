package proxy

import (
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

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
)

const (
	// exitWait is the time that a server has to end after its client has gone.
	exitWait = 2 * time.Second
	// signalWait is the time that a server has to end after a signal. The proxy itself ends
	// within a second.
	signalWait = 400 * time.Millisecond
)

// Stdio runs a server between in and out until it ends. When in ends, Stdio closes the server's
// input; a server that writes nothing for two seconds after that is terminated. When ctx ends,
// the server and its child processes receive the signal from ctx's cause, if that has a method
// Signal, and are killed 400 ms later. No process is left.
//
// Stdio returns an error if the server cannot be started or ends by itself before the client.
func (t *Tap) Stdio(ctx context.Context, server *exec.Cmd, in io.Reader, out io.Writer) error {
	toServer, err := server.StdinPipe()
	if err != nil {
		return err
	}
	// This does not use StdoutPipe because Wait closes that pipe before all output is read.
	fromServer, stdout, err := os.Pipe()
	if err != nil {
		return err
	}
	defer fromServer.Close()
	server.Stdout = stdout
	group := newGroup(server)
	err = server.Start()
	stdout.Close()
	if err != nil {
		return err
	}

	ended := make(chan struct{})
	clientGone := make(chan struct{})
	gone := sync.OnceFunc(func() { close(clientGone) })
	go func() {
		pass(toServer, in, &splitter{tap: t, from: audit.Client}, ended, nil)
		gone()
		toServer.Close()
	}()
	var written atomic.Int64
	var reading sync.WaitGroup
	reading.Go(func() {
		if !pass(out, fromServer, &splitter{tap: t, from: audit.Server}, nil, &written) {
			gone() // the server no longer reads
			io.Copy(io.Discard, fromServer)
		}
	})
	exited := make(chan error, 1)
	go func() { exited <- server.Wait() }()

	wanted, err := wait(ctx, group, exited, clientGone, &written)
	close(ended)
	group.end()
	drained := make(chan struct{})
	go func() { reading.Wait(); close(drained) }()
	select {
	case <-drained:
	case <-time.After(signalWait): // a process outside of the group holds the pipe open
		fromServer.SetReadDeadline(time.Now())
		<-drained
	}
	if wanted || err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return fmt.Errorf("ended before the client: %w", err)
}

// wait waits for the end of the server. It ends the server if the client has gone or ctx has
// ended.
func wait(ctx context.Context, group *group, exited <-chan error, clientGone <-chan struct{}, written *atomic.Int64) (wanted bool, err error) {
	gone := clientGone
	var quiet <-chan time.Time
	var seen int64
	for {
		select {
		case err = <-exited:
			return ctx.Err() != nil || gone == nil || isClosed(clientGone), err
		case <-gone:
			gone, seen, quiet = nil, written.Load(), time.After(exitWait)
		case <-quiet:
			if now := written.Load(); now != seen {
				seen, quiet = now, time.After(exitWait)
				continue
			}
			return true, group.stop(syscall.SIGTERM, exitWait, exited)
		case <-ctx.Done():
			return true, group.stop(cause(ctx), signalWait, exited)
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// cause returns the signal in the cause of ctx, or an interrupt.
func cause(ctx context.Context) os.Signal {
	var by interface{ Signal() os.Signal }
	if errors.As(context.Cause(ctx), &by) {
		return by.Signal()
	}
	return os.Interrupt
}

// stop sends a signal to the processes, kills them if the server still runs after a time, and
// returns how the server ended.
func (g *group) stop(signal os.Signal, after time.Duration, exited <-chan error) error {
	g.signal(signal)
	select {
	case err := <-exited:
		return err
	case <-time.After(after):
		g.signal(os.Kill)
		return <-exited
	}
}

// pass copies from src to dst until either ends, and counts the bytes. Each piece goes to lines
// first. It returns false if dst accepts no more. After ended is closed, nothing more goes to
// lines.
func pass(dst io.Writer, src io.Reader, lines *splitter, ended <-chan struct{}, written *atomic.Int64) bool {
	buffer := make([]byte, 64<<10)
	for {
		n, err := src.Read(buffer)
		select {
		case <-ended:
			return true
		default:
		}
		lines.Write(buffer[:n])
		if written != nil {
			written.Add(int64(n))
		}
		if n > 0 {
			if _, werr := dst.Write(buffer[:n]); werr != nil {
				return false
			}
		}
		if err != nil {
			lines.end()
			lines.tap.add(recording.Entry{Kind: recording.Close, From: lines.from, Transport: recording.Stdio})
			return true
		}
	}
}
