//go:build unix

package stdio

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The test binary is also the child process of the tests of Command: what the variable
// helperMode says.
const helperMode = "MCPGEN_STDIO_HELPER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperMode); mode != "" {
		os.Exit(helper(mode))
	}
	os.Exit(m.Run())
}

const helperRevision = "2025-06-18"

// helper is the child process; it returns its exit status.
func helper(mode string) int {
	switch mode {
	case "stubborn": // neither the end of the input nor SIGTERM ends it
		signal.Ignore(syscall.SIGTERM)
		serve(mode)
		time.Sleep(time.Hour)
	case "deaf": // ends by SIGTERM only, with a status of its own
		terminated := make(chan os.Signal, 1)
		signal.Notify(terminated, syscall.SIGTERM)
		serve(mode)
		<-terminated
		return 7
	case "unassembled":
		Main(nil, errors.New("two tools are called greet"))
	case "mute": // never reads nor writes
		time.Sleep(time.Hour)
	case "broken":
		fmt.Fprintln(os.Stderr, "first line\nno configuration")
		return 3
	case "unread", "unread garbage", "unread requests": // reads nothing after the handshake
		return stopReading(mode)
	case "garbage":
		fmt.Println("Listening!\n{\"jsonrpc\":\n\x00\xff\n[]")
	case "flood":
		line := strings.Repeat("x", 1000) + "\n"
		for range 5000 {
			os.Stderr.WriteString(line)
		}
		fmt.Fprintln(os.Stderr, "end of flood")
	case "parent": // leaves a process behind that holds the streams open
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), helperMode+"=mute")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			return 4
		}
		fmt.Fprintln(os.Stderr, child.Process.Pid)
	}
	return serve(mode)
}

// stopReading is a server that reads two lines, of the handshake, and then none.
func stopReading(mode string) int {
	lines := bufio.NewReader(os.Stdin)
	m := wire.Object(first(lines))
	id, _ := m.Get("id")
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`+"\n", id, helperRevision)
	first(lines)
	for i := range 20_000 {
		switch mode {
		case "unread garbage":
			fmt.Println("a line of the log, written to the wrong stream")
		case "unread requests":
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"method":"nothing/known"}`+"\n", i)
		}
	}
	time.Sleep(time.Hour)
	return 0
}

func first(lines *bufio.Reader) string {
	line, _ := lines.ReadString('\n')
	return line
}

// serve is a small server. It ends with the status 5 when it is asked to "die".
func serve(mode string) int {
	err := runtime.NewServer(runtime.ServerOptions{Name: mode, Version: "1"}, runtime.Binding{
		Revision: helperRevision, Direction: runtime.ToServer,
		Handle: func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			method, params := message.Method, wire.Raw(message.Object())
			switch method {
			case "echo":
				return params, nil
			case "die":
				fmt.Fprintln(os.Stderr, "about to die")
				os.Exit(5)
			case "exit":
				os.Exit(0)
			case "wait":
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return nil, runtime.MethodNotFound(method)
		},
	}).Serve(context.Background(), &Transport{})
	if mode == "chatty" { // writes more than a pipe holds when it should exit
		os.Stdout.WriteString(strings.Repeat("bye\n", 100_000))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// helperCommand is the command of a child process.
func helperCommand(t *testing.T, mode string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), helperMode+"="+mode, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// settings configure a child process of a test.
type settings struct {
	Stderr             io.Writer
	ExitWait, TermWait time.Duration
}

// command returns the transport to a child process and checks at the end of the test that
// the process has ended.
func command(t *testing.T, mode string, s settings) *Process {
	t.Helper()
	cmd := helperCommand(t, mode)
	if cmd.Stderr = s.Stderr; s.Stderr == nil {
		cmd.Stderr = io.Discard
	}
	c := Command(cmd)
	c.ExitWait, c.TermWait = s.ExitWait, s.TermWait
	t.Cleanup(func() {
		c.Close()
		if c.cmd.ProcessState == nil {
			t.Error("the process is left")
		}
	})
	return c
}

// connect starts a child process and opens a session with it.
func connect(t *testing.T, mode string, opts settings) (*runtime.Session, *Process) {
	t.Helper()
	c := command(t, mode, opts)
	ctx := testkit.Context(t)
	s, err := helperClient().Connect(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

func helperClient() *runtime.Client {
	return runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"},
		runtime.Binding{Revision: helperRevision, Direction: runtime.ToClient})
}
