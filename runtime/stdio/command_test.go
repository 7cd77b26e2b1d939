//go:build unix

package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	goruntime "runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestCommand checks what becomes of sessions with child processes of all manners, and
// which of its waits Close needs.
//
// S12
func TestCommand(t *testing.T) {
	for _, c := range []struct {
		mode       string
		status     string        // of the error of Close, "" for none
		exit, term time.Duration // the waits: an hour is one that must not be needed
	}{
		{mode: "good", exit: time.Hour, term: time.Hour},
		{mode: "garbage", exit: time.Hour, term: time.Hour},
		{mode: "flood", exit: time.Hour, term: time.Hour},
		{mode: "chatty", exit: time.Hour, term: time.Hour},
		{mode: "parent", exit: time.Hour, term: time.Hour},
		{mode: "deaf", exit: time.Second, term: time.Hour},
		{mode: "stubborn", status: "signal: killed", exit: time.Second, term: time.Second},
	} {
		t.Run(c.mode, func(t *testing.T) {
			before := goruntime.NumGoroutine()
			s, process := connect(t, c.mode, settings{ExitWait: c.exit, TermWait: c.term})
			var got wire.Raw
			if err := s.Call(t.Context(), "echo", wire.Raw(`{"a":1}`), &got); err != nil || got != `{"a":1}` {
				t.Errorf("echo: %s, %v", got, err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("session: %v", err)
			}
			err := process.Close()
			if exit, _ := errors.AsType[*ExitError](err); c.status != "" && (exit == nil || exit.Status != c.status) || c.status == "" && err != nil {
				t.Errorf("close: %v, want %q", err, c.status)
			}
			testkit.Goroutines(t, before)
		})
	}
}

// TestCommandDies checks what calls and the session return when the process ends under
// their hands.
//
// S14
func TestCommandDies(t *testing.T) {
	s, c := connect(t, "good", settings{})
	waiting := make(chan error, 1)
	go func() { waiting <- s.Call(t.Context(), "wait", nil, nil) }()
	want := &ExitError{Status: "exit status 5", Code: 5, Stderr: "about to die\n"}
	died := s.Call(t.Context(), "die", nil, nil)
	for name, err := range map[string]error{"call": died, "other call": <-waiting, "session": s.Wait(), "close": c.Close()} {
		got, _ := errors.AsType[*ExitError](err)
		if got == nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, &ExitError{Status: got.Status, Code: got.Code, Stderr: got.Stderr}, cmp.AllowUnexported(ExitError{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Errorf("%s: no exec.ExitError in %v", name, err)
		}
	}
	if !errors.Is(died, runtime.ErrClosed) || !strings.Contains(died.Error(), "exit status 5: about to die") {
		t.Errorf("call: %v", died)
	}

	s, c = connect(t, "good", settings{})
	if err := s.Call(t.Context(), "exit", nil, nil); err != runtime.ErrClosed {
		t.Errorf("call: %v", err)
	}
	if err := errors.Join(s.Wait(), c.Close()); err != nil {
		t.Errorf("after exit with 0: %v", err)
	}
}

// TestCommandNeverServes has processes that do not become servers.
func TestCommandNeverServes(t *testing.T) {
	before := goruntime.NumGoroutine()
	_, err := helperClient().Connect(t.Context(), command(t, "broken", settings{}))
	exit, ok := errors.AsType[*ExitError](err)
	if !ok || exit.Code != 3 || exit.Stderr != "first line\nno configuration\n" || !strings.HasSuffix(err.Error(), "exit status 3: no configuration") {
		t.Errorf("broken: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	c := command(t, "mute", settings{ExitWait: -1, TermWait: time.Minute})
	if _, err := helperClient().Connect(ctx, c); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("mute: %v", err)
	}
	if err := c.Close(); err != nil { // SIGTERM is no failure
		t.Errorf("mute: %v", err)
	}
	testkit.Goroutines(t, before)

	c = Command(exec.Command("/nowhere/to/be/found"))
	if _, err := helperClient().Connect(t.Context(), c); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such program: %v", err)
	}
	if err := c.Close(); err != nil { // there is no process
		t.Errorf("no such program: %v", err)
	}
	cmd := helperCommand(t, "good")
	cmd.Stdin = strings.NewReader("")
	if err := Command(cmd).Open(t.Context()); err == nil {
		t.Error("a command with a Stdin was started")
	}
}

// TestCommandUnread has a process that does not read: a Send that waits for it ends by
// Close.
func TestCommandUnread(t *testing.T) {
	c := command(t, "mute", settings{ExitWait: -1})
	if err := c.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() {
		sent <- c.Send(t.Context(), runtime.Outgoing{Text: []byte(strings.Repeat("x", 1<<20))})
	}()
	received := make(chan error, 1)
	go func() {
		_, err := c.receive(t.Context(), 1000)
		received <- err
	}()
	time.Sleep(50 * time.Millisecond)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-sent; err != runtime.ErrClosed {
		t.Errorf("send: %v", err)
	}
	if err := <-received; err != runtime.ErrClosed {
		t.Errorf("receive: %v", err)
	}
}

// TestStderr checks that the standard error of a process is passed on whole and that a
// flood of it neither blocks the process nor is kept.
//
// S2
func TestStderr(t *testing.T) {
	var got bytes.Buffer
	s, c := connect(t, "flood", settings{Stderr: &got})
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n := got.Len(); n != 5000*1001+len("end of flood\n") {
		t.Errorf("%d bytes passed on", n)
	}
	if kept := c.tail.String(); len(kept) > maxTail || !strings.HasPrefix(kept, "xxxx") || !strings.HasSuffix(kept, "x\nend of flood\n") {
		t.Errorf("%d bytes kept: %q", len(kept), kept)
	}
	if cap(c.tail.kept) > 4*maxTail {
		t.Errorf("a buffer of %d bytes is kept", cap(c.tail.kept))
	}
}

// TestGroup checks that what a server process has started does not outlive it.
func TestGroup(t *testing.T) {
	var stderr bytes.Buffer
	s, _ := connect(t, "parent", settings{Stderr: &stderr})
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(stderr.String()))
	if err != nil {
		t.Fatal(err)
	}
	if !testkit.Eventually(func() bool { return !alive(pid) }) {
		t.Errorf("process %d is left", pid)
	}
}

func TestTail(t *testing.T) {
	for _, c := range []struct {
		name   string
		writes []string
		want   string
	}{
		{"nothing", nil, ""},
		{"short", []string{"a\n", "b"}, "a\nb"},
		{"half a line goes", []string{strings.Repeat("x", maxTail), "\nend"}, "end"},
		{"one long line", []string{strings.Repeat("x", 3*maxTail)}, strings.Repeat("x", maxTail)},
		{"one long line, ended", []string{strings.Repeat("x", 3*maxTail), "\n"}, strings.Repeat("x", maxTail-1) + "\n"},
		{"not UTF-8", []string{"a\xffb"}, "a\uFFFDb"},
	} {
		tail := &tail{w: failing{}}
		for _, w := range c.writes {
			if n, err := tail.Write([]byte(w)); n != len(w) || err != nil {
				t.Errorf("%s: %d, %v", c.name, n, err)
			}
		}
		if diff := cmp.Diff(c.want, tail.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestLogLines(t *testing.T) {
	var got strings.Builder
	l := slog.New(slog.NewTextHandler(&got, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	w := LogLines(l, slog.LevelWarn)
	for _, text := range []string{"one\n\ntw", "o\r\n", strings.Repeat("x", maxLogged) + "rest\n", "unfinished"} {
		if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
			t.Error(n, err)
		}
	}
	want := "level=WARN msg=one\nlevel=WARN msg=two\nlevel=WARN msg=" + strings.Repeat("x", maxLogged) + "\nlevel=WARN msg=rest\n"
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// alive reports whether there is such a process; one that only waits for its parent to
// ask for its status is not.
func alive(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	return syscall.Kill(pid, 0) == nil
}
