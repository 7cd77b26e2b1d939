package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
)

// TestInterrupted interrupts verbs that wait for input.
func TestInterrupted(t *testing.T) {
	for _, args := range []string{
		"verify --revision 2025-06-18 -",
		"spec verify -",
		"spec generate --revision 2099-01-01 --out /nowhere --schema -",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		stdin, _ := io.Pipe()
		started := &notify{r: stdin, reading: cancel}
		var stdout, stderr strings.Builder
		if code := run(ctx, strings.Fields(args), started, &stdout, &stderr); code != exitFailed {
			t.Errorf("%s: exit code %d", args, code)
		}
		if got := stderr.String(); got != "mcpgen: interrupted\n" {
			t.Errorf("%s: printed %q", args, got)
		}
		stdin.Close()
	}
}

// TestInterruptedWork interrupts a verb that does not look at its context, as one that computes.
func TestInterruptedWork(t *testing.T) {
	for _, test := range []struct {
		cause error
		code  int
	}{
		{signalled{syscall.SIGINT}, 130},
		{signalled{syscall.SIGTERM}, 143},
		{context.Canceled, exitFailed},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			stdout := &stuck{begin: func() { cancel(test.cause) }, end: make(chan struct{})}
			defer close(stdout.end)
			var stderr strings.Builder
			if code := run(ctx, []string{"spec", "list"}, strings.NewReader(""), stdout, &stderr); code != test.code {
				t.Errorf("%v: exit code %d, expected %d", test.cause, code, test.code)
			}
			if got := stderr.String(); got != "mcpgen: interrupted\n" {
				t.Errorf("%v: printed %q", test.cause, got)
			}
		})
	}
}

// stuck is a writer whose first Write calls begin and returns once end is closed.
type stuck struct {
	begin func()
	end   chan struct{}
}

func (s *stuck) Write([]byte) (int, error) {
	s.begin()
	<-s.end
	return 0, errors.New("too late")
}

// notify signals its first read.
type notify struct {
	r       io.Reader
	reading func()
}

func (n *notify) Read(p []byte) (int, error) {
	n.reading()
	return n.r.Read(p)
}

// TestUnwritable checks that a verb fails if its report cannot be written.
func TestUnwritable(t *testing.T) {
	for _, args := range []string{"verify --revision 2025-06-18 -", "spec list", "spec generate --out " + t.TempDir()} {
		var stderr strings.Builder
		if code := run(t.Context(), strings.Fields(args), strings.NewReader("1"), full{}, &stderr); code != exitFailed {
			t.Errorf("%s: exit code %d", args, code)
		}
		if got := stderr.String(); got != "mcpgen: writing the output: no space left\n" {
			t.Errorf("%s: printed %q", args, got)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }
