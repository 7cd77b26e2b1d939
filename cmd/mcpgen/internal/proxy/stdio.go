package proxy

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
)

// exitWait is how long a server may take to end once its input has.
const exitWait = 10 * time.Second

// Stdio runs a server between in and out, until it ends. The end of in is the end of the
// server's input; when ctx ends the server is asked to, and killed if it does not. The
// error is that of starting it, or how it ended.
func (t *Tap) Stdio(ctx context.Context, server *exec.Cmd, in io.Reader, out io.Writer, opts audit.Options) error {
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
	err = server.Start()
	stdout.Close()
	if err != nil {
		return err
	}

	s := newSession("", opts)
	ended := make(chan struct{})
	go func() {
		defer toServer.Close()
		lines := &splitter{tap: t, session: s, from: audit.Client}
		pass(toServer, in, lines, ended)
	}()
	var reading sync.WaitGroup
	reading.Go(func() {
		lines := &splitter{tap: t, session: s, from: audit.Server}
		pass(out, fromServer, lines, nil)
	})

	exited := make(chan error, 1)
	go func() { exited <- server.Wait() }()
	select {
	case err = <-exited:
	case <-ctx.Done():
		server.Process.Signal(os.Interrupt)
		select {
		case err = <-exited:
		case <-time.After(exitWait):
			server.Process.Kill()
			err = <-exited
		}
	}
	close(ended)
	reading.Wait()
	return errors.Join(err, ctx.Err())
}

// pass copies from src to dst until either ends, each piece after lines has seen it.
// Once ended is closed, nothing more is handed to lines.
func pass(dst io.Writer, src io.Reader, lines *splitter, ended <-chan struct{}) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := src.Read(buffer)
		select {
		case <-ended:
			return
		default:
		}
		lines.Write(buffer[:n])
		if n > 0 {
			if _, werr := dst.Write(buffer[:n]); werr != nil {
				return
			}
		}
		if err != nil {
			lines.end()
			return
		}
	}
}
