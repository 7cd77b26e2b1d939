//go:build unix

package proxy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/proxy"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"

	"github.com/mcpgen/mcpgen/internal/testkit"
)

// stay is a server that reports its process ids and does not end with its input. The stubborn
// one ends on a signal and reports it, the deaf one ignores signals, and the parent has started
// a child.
func stay(kind string) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals)
	if kind == "parent" {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), asServer+"=deaf")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			panic(err)
		}
	}
	fmt.Println(os.Getpid())
	for s := range signals {
		if s == syscall.SIGURG || s == syscall.SIGCHLD || kind == "deaf" {
			continue
		}
		fmt.Println(s)
		os.Exit(3)
	}
}

// gone waits for the end of a process, and reports whether it has ended.
func gone(pid int) bool {
	return testkit.Eventually(func() bool {
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err == nil && strings.Contains(string(state), ") Z ") // it waits for its parent to look
	})
}

// hangup is the cause of a context that SIGHUP has cancelled.
type hangup struct{}

func (hangup) Error() string     { return "hangup" }
func (hangup) Signal() os.Signal { return syscall.SIGHUP }

// started starts a server and returns its output. The first line has the ids of its processes.
func started(t *testing.T, ctx context.Context, kind string, processes int) (client io.Closer, said *bufio.Reader, pids []int, done chan error) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asServer+"="+kind)
	tap := proxy.NewTap(audit.Options{}, new(recording.Redactor), nil, func(proxy.Finding) {})
	t.Cleanup(tap.Close)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done = make(chan error, 1)
	go func() {
		done <- tap.Stdio(ctx, cmd, in, out)
		out.Close()
	}()
	said = bufio.NewReader(fromServer)
	for range processes {
		line, err := said.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return toServer, said, pids, done
}

// TestEnd ends servers that do not end by themselves. No process is left, and a requested end
// is not an error.
func TestEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, kind string
		processes  int
		signal     bool
		want       string // the signal that the server has received
	}{
		{"input", "stubborn", 1, false, "terminated"},
		{"input, deaf", "deaf", 1, false, ""},
		{"input, with a child", "parent", 2, false, "terminated"},
		{"signal", "stubborn", 1, true, "hangup"},
		{"signal, deaf", "deaf", 1, true, ""},
		{"signal, with a child", "parent", 2, true, "hangup"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			client, said, pids, done := started(t, ctx, test.kind, test.processes)
			rest := make(chan string, 1)
			go func() {
				text, _ := io.ReadAll(said)
				rest <- string(text)
			}()
			if test.signal {
				cancel(hangup{})
			} else {
				client.Close()
			}
			if err := <-done; err != nil {
				t.Errorf("got an error for a requested end: %v", err)
			}
			if got := strings.TrimSpace(<-rest); got != test.want {
				t.Errorf("the server received %q, want %q", got, test.want)
			}
			for _, pid := range pids {
				if !gone(pid) {
					t.Errorf("process %d still runs", pid)
				}
			}
		})
	}
}

// TestClientGone checks that the server ends when the client stops reading.
func TestClientGone(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asServer+"=stubborn")
	tap := proxy.NewTap(audit.Options{}, new(recording.Redactor), nil, func(proxy.Finding) {})
	defer tap.Close()
	in, client := io.Pipe()
	defer client.Close()
	if err := tap.Stdio(t.Context(), cmd, in, broken{}); err != nil {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }
