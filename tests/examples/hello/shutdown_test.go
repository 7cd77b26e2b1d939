package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// process is a server that a test ends.
type process struct {
	*fixture
	signal func(os.Signal) error
	wait   func() error // waits for the end; the error is nil if the exit code is 0
}

// ways are the transports to a server process.
var ways = []struct {
	name  string
	start func(*testing.T) process
}{
	{"stdio", func(t *testing.T) process {
		log := new(buffer)
		cmd := command()
		cmd.Stderr = log
		transport := stdio.Command(cmd)
		transport.ExitWait = time.Minute
		signal := func(s os.Signal) error { return syscall.Kill(transport.Pid(), s.(syscall.Signal)) }
		return process{connect(t, transport, log), signal, transport.Close}
	}},
	{"http", func(t *testing.T) process {
		cmd, url, log := started(t, "-http")
		transport, err := streamable.NewTransport(url, streamable.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return process{connect(t, transport, log), cmd.Process.Signal, cmd.Wait}
	}},
	{"sse", func(t *testing.T) process {
		cmd, url, log := started(t, "-sse")
		transport, err := streamable.DialSSE(t.Context(), url, streamable.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return process{connect(t, transport, log), cmd.Process.Signal, cmd.Wait}
	}},
}

// started starts a server that listens on a free port of the loopback interface.
func started(t *testing.T, flag string) (*exec.Cmd, string, *buffer) {
	t.Helper()
	log := new(buffer)
	cmd := command(flag, "127.0.0.1:0")
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	waitFor(t, log, "msg=listening")
	_, url, _ := strings.Cut(log.String(), "url=")
	return cmd, strings.TrimSpace(url), log
}

// TestShutdown ends the server with a signal during calls. Each call must be answered, and the
// exit code must be 0.
func TestShutdown(t *testing.T) {
	for _, way := range ways {
		for _, c := range []struct {
			name    string
			signal  os.Signal
			calls   int
			seconds string
		}{
			{"SIGTERM", syscall.SIGTERM, 100, "1"},
			{"SIGINT", syscall.SIGINT, 10, "1"},
			{"endless", syscall.SIGTERM, 10, "3600"},
		} {
			t.Run(way.name+" "+c.name, func(t *testing.T) {
				t.Parallel()
				p := way.start(t)
				answers := make(chan error, c.calls)
				for range c.calls {
					go func() {
						_, err := p.server.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "wait", Arguments: wire.Object(`{"seconds":` + c.seconds + `}`)})
						answers <- err
					}()
				}
				waitForMany(t, p.log, "msg=waiting", c.calls)
				if err := p.signal(c.signal); err != nil {
					t.Fatal(err)
				}
				for range c.calls {
					err := <-answers
					if c.seconds == "1" && err != nil {
						t.Errorf("a call that ends in time: %v", err)
					}
					if e, ok := errors.AsType[*jsonrpc.Error](err); c.seconds != "1" && (!ok || e.Code != jsonrpc.CodeInternalError) {
						t.Errorf("a call that does not end: %v", err)
					}
				}
				if err := p.wait(); err != nil {
					t.Errorf("the server exited with %v; its log:\n%s", err, p.log)
				}
			})
		}
	}
}

// TestInputEnds checks that calls are answered even if the client closes the server's input.
func TestInputEnds(t *testing.T) {
	cmd := command()
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"seconds":0.5}}}
`)
	out, err := cmd.Output()
	if err != nil || strings.Count(string(out), "\n") != 2 || !strings.Contains(string(out), `"done"`) {
		t.Errorf("got %s, %v", out, err)
	}
}

// TestShutdownUnread ends a server whose output nobody reads.
func TestShutdownUnread(t *testing.T) {
	t.Parallel()
	log := new(buffer)
	cmd := command()
	cmd.Stderr = log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	go func() {
		in.Write([]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"))
		for range 10_000 {
			if _, err := in.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")); err != nil {
				return
			}
		}
	}()
	waitFor(t, log, "session opened")
	time.Sleep(500 * time.Millisecond) // until the pipe is full
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(testkit.Limit, func() { cmd.Process.Kill() })
	defer stuck.Stop()
	if state, err := cmd.Process.Wait(); err != nil || !state.Success() {
		t.Errorf("the server exited with %v, %v", state, err)
	}
}

func waitForMany(t *testing.T, log *buffer, message string, n int) {
	t.Helper()
	if !testkit.Eventually(func() bool { return strings.Count(log.String(), message) >= n }) {
		t.Fatalf("the server's log does not contain %d times %q:\n%s", n, message, log)
	}
}
