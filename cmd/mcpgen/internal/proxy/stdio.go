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

// exitWait is how long a server may take to end once it has been asked to.
const exitWait = 2 * time.Second

// Stdio runs a server between in and out, until it ends. When in ends, so does the server's
// input; a server that writes nothing for two seconds after that is terminated. When ctx
// ends, the server and the processes that it has started get the signal that ended ctx, if
// its cause has a method Signal, and are killed two seconds later. No process is left.
//
// The error is that of starting the server, or says how it ended by itself.
func (t *Tap) Stdio(ctx context.Context, server *exec.Cmd, in io.Reader, out io.Writer) error {
	toServer, err := server.StdinPipe()
	if err != nil {
		return err
	}
	// A pipe of our own: that of StdoutPipe is closed by Wait, read to its end or not.
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
			gone() // it does not read any more
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
	case <-time.After(exitWait): // somebody outside of the group holds the pipe
		fromServer.SetReadDeadline(time.Now())
		<-drained
	}
	if wanted || err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return fmt.Errorf("ended before its client: %w", err)
}

// wait waits for the end of the server, and brings it about if that is wanted: if the
// client has gone, or ctx has ended.
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
			return true, group.stop(syscall.SIGTERM, exited)
		case <-ctx.Done():
			return true, group.stop(cause(ctx), exited)
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

// cause returns the signal that ended ctx, or an interrupt.
func cause(ctx context.Context) os.Signal {
	var by interface{ Signal() os.Signal }
	if errors.As(context.Cause(ctx), &by) {
		return by.Signal()
	}
	return os.Interrupt
}

// stop sends a signal to the processes, kills them if the server is still there after two
// seconds, and returns how the server ended.
func (g *group) stop(signal os.Signal, exited <-chan error) error {
	g.signal(signal)
	select {
	case err := <-exited:
		return err
	case <-time.After(exitWait):
		g.signal(os.Kill)
		return <-exited
	}
}

// pass copies from src to dst until either ends, each piece after lines has seen it, and
// counts the bytes. It returns false if dst takes no more. Once ended is closed, nothing
// more is handed to lines.
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
