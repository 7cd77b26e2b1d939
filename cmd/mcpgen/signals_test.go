package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/testkit"
)

// waits says how a test of a verb knows that the verb is at work and waits for something.
type waits int

const (
	forInput  waits = iota // it has read what fits into no pipe
	forServer              // its server has got a request, or has started
	forReader              // it has begun to write what fits into no pipe
	forClient              // it has said on standard error that it serves
)

// interruptions are command lines of verbs that go on until a signal ends them. FILE is a list,
// SPEC the pinned revisions, URL a server that does not answer, and SERVER a
// command that does not, and ends neither with its input nor on SIGTERM.
var interruptions = []struct {
	args []string
	waits
}{
	{[]string{"diff", "-", "FILE"}, forInput},
	{[]string{"diff", "FILE", "--cmd", "SERVER"}, forServer},
	{[]string{"diff", "FILE", "--url", "URL"}, forServer},
	{[]string{"diff", "--all", "--format", "json"}, forReader},
	{[]string{"lint", "-"}, forInput},
	{[]string{"lint", "--cmd", "SERVER"}, forServer},
	{[]string{"verify", "--revision", "2025-11-25", "-"}, forInput},
	{[]string{"docs", "-", "--llms", "llms.txt"}, forInput},
	{[]string{"docs", "--url", "URL", "--llms", "llms.txt"}, forServer},
	{[]string{"tools", "import", "-"}, forInput},
	{[]string{"tools", "import", "--url", "URL"}, forServer},
	{[]string{"tools", "import", "--cmd", "SERVER"}, forServer},
	{[]string{"docs", "--cmd", "SERVER", "--llms", "llms.txt"}, forServer},
	{[]string{"test", "RECORDING", "--cmd", "SERVER"}, forServer},
	{[]string{"typescript", "--tools", "-"}, forInput},
	{[]string{"server", "--tools", "-"}, forInput},
	{[]string{"client", "--tools", "-", "--out", "client"}, forInput},
	{[]string{"mock", "FILE"}, forClient},
	{[]string{"mock", "FILE", "--listen", "localhost:0"}, forClient},
	{[]string{"bridge", "--cmd", "SERVER", "--listen", "localhost:0"}, forClient},
	{[]string{"proxy", "--url", "URL", "--listen", "localhost:0"}, forClient},
	{[]string{"proxy", "--cmd", "SERVER"}, forServer},
	{[]string{"test", "-", "--cmd", "SERVER"}, forInput},
	{[]string{"auth", "login", "URL"}, forServer},
	{[]string{"spec", "import", "-", "--revision", "2025-11-25", "--spec", "SPEC"}, forInput},
	{[]string{"spec", "verify", "-"}, forInput},
}

// TestSignals sends signals to the program while it waits, in each way in which verbs wait.
func TestSignals(t *testing.T) {
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mcpgen := filepath.Join(dir, "mcpgen")
	if err := os.Symlink(program, mcpgen); err != nil { // TestMain runs the program for this name
		t.Fatal(err)
	}
	list := filepath.Join(dir, "tools.json")
	if err := os.WriteFile(list, []byte(`[{"name":"a","inputSchema":{"type":"object"}}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	recording := filepath.Join(dir, "session.jsonl")
	if err := os.WriteFile(recording, []byte(recorded), 0o600); err != nil {
		t.Fatal(err)
	}
	spec, err := filepath.Abs("../../spec")
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string]bool{}
	for i, test := range interruptions {
		signal, code := syscall.SIGINT, 130
		if i%2 == 1 {
			signal, code = syscall.SIGTERM, 143
		}
		verb, _, err := newRoot().Find(test.args)
		if err != nil {
			t.Fatal(err)
		}
		tested[verb.CommandPath()] = true
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{}, 100)
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) // only then, the server notices that the client has gone
				asked <- struct{}{}
				<-r.Context().Done()
			}))
			defer server.Close()
			args := strings.NewReplacer("FILE", list, "RECORDING", recording, "SPEC", spec, "URL", server.URL, "SERVER", "sh -c 'trap \"\" TERM; echo started $$ >&2; exec sleep 1000'")
			cmd := exec.CommandContext(testkit.Context(t), mcpgen)
			for _, arg := range test.args {
				cmd.Args = append(cmd.Args, args.Replace(arg))
			}
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "MCPGEN_TOKENS="+filepath.Join(cmd.Dir, "tokens"))
			stdin, stdout, stderr := pipes(t, cmd)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			said := &firstLine{done: make(chan struct{})}
			ended := make(chan struct{})
			go func() { io.Copy(said, stderr); close(ended) }()
			begun := asked
			switch {
			case test.waits == forInput:
				io.WriteString(stdin, strings.Repeat(" ", 1<<20))
			case test.waits == forReader:
				stdout.Read(make([]byte, 1))
			default:
				if test.waits == forClient || strings.Contains(strings.Join(test.args, " "), "SERVER") {
					begun = said.done
				}
				select {
				case <-begun:
				case <-ended:
				}
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Errorf("the program has ended: %v", err)
			}
			if test.waits != forReader {
				go io.Copy(io.Discard, stdout)
			}
			<-ended
			err := cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != code {
				t.Errorf("%v, expected the exit code %d\n%s", err, code, said.text.String())
			}
			if _, after, ok := strings.Cut(said.text.String(), "started "); ok {
				id, _, _ := strings.Cut(after, "\n")
				if pid, err := strconv.Atoi(id); err != nil || syscall.Kill(pid, syscall.SIGKILL) == nil {
					t.Errorf("the server has not ended: %v", err)
				}
			}
		})
	}
	for _, verb := range verbs(newRoot()) {
		if !tested[verb] && !quick[verb] {
			t.Errorf("%s: no test interrupts it", verb)
		}
	}
}

// recorded is a recording with one request.
const recorded = `{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}
{"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}}
{"from":"client","message":{"jsonrpc":"2.0","method":"notifications/initialized"}}
{"from":"client","message":{"jsonrpc":"2.0","id":2,"method":"tools/list"}}
{"from":"server","message":{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}}
`

// quick are the verbs that wait for nothing.
var quick = map[string]bool{
	"mcpgen auth logout": true, "mcpgen auth status": true, "mcpgen bundle": true, "mcpgen check": true, "mcpgen generate": true,
	"mcpgen rules": true, "mcpgen version": true, "mcpgen tools schema": true,
	"mcpgen spec check": true, "mcpgen spec generate": true, "mcpgen spec list": true,
}

// verbs returns the paths of the commands that do something.
func verbs(cmd *cobra.Command) []string {
	var all []string
	for _, c := range cmd.Commands() {
		all = append(all, verbs(c)...)
	}
	if !cmd.HasSubCommands() {
		all = append(all, cmd.CommandPath())
	}
	return all
}

// firstLine keeps a text, and closes done when it has a line.
type firstLine struct {
	text bytes.Buffer
	done chan struct{}
}

func (f *firstLine) Write(p []byte) (int, error) {
	had := bytes.IndexByte(f.text.Bytes(), '\n') >= 0
	f.text.Write(p)
	if !had && bytes.IndexByte(p, '\n') >= 0 {
		close(f.done)
	}
	return len(p), nil
}

func pipes(t *testing.T, cmd *exec.Cmd) (stdin io.WriteCloser, stdout, stderr io.ReadCloser) {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err = cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err = cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	return stdin, stdout, stderr
}

// TestHold checks that an interrupted program lives until a verb has released it, although the verb ignores its
// context.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		finished := false
		abandoned := make(chan struct{})
		verb := &cobra.Command{RunE: func(cmd *cobra.Command, _ []string) error {
			release, err := hold(cmd.Context())
			if err != nil {
				return err
			}
			cancel()
			if _, err := hold(cmd.Context()); !errors.Is(err, context.Canceled) {
				t.Errorf("a hold after the end of the context: %v", err)
			}
			time.Sleep(10 * abandonAfter)
			finished = true
			release()
			<-abandoned
			return nil
		}}
		verb.SetArgs(nil)
		if err := execute(ctx, verb); err != errAbandoned || !finished {
			t.Errorf("%v, and the verb has finished: %t", err, finished)
		}
		close(abandoned)
	})
}
