// Command mcpgen generates Go packages from the official schemas of the Model Context Protocol,
// and typed servers and clients from tool lists. It also compares schemas and tool lists, and
// checks messages against a revision.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/files"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(80) // a comparison of lists of 5,000 tools takes less than 500 MB
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	caught := make(chan struct{})
	go func() {
		defer close(caught)
		if s, ok := <-signals; ok {
			signal.Stop(signals) // a second signal ends the program at once
			cancel(signalled{s})
		}
	}()
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	// A verb that serves may have heard of the signal before ctx has ended.
	signal.Stop(signals)
	close(signals)
	<-caught
	if code == exitDone && signalOf(ctx) != 0 {
		code = exitInterrupted(ctx)
	}
	os.Exit(code)
}

// signalled is the cause of a context that a signal has cancelled.
type signalled struct{ signal os.Signal }

func (s signalled) Error() string { return s.signal.String() }

// Signal returns the signal.
func (s signalled) Signal() os.Signal { return s.signal }

// Exit codes of every verb.
const (
	exitDone     = 0
	exitFindings = 1 // the verb worked and reports findings
	exitFailed   = 2 // the verb could not do its work
)

// errFindings makes a verb exit with exitFindings. The verb has already reported why.
var errFindings = errors.New("findings")

// ended returns the result of a verb that has printed its report: an error, errFindings, or nil.
func ended(err error, found bool) error {
	if err == nil && found {
		return errFindings
	}
	return err
}

// newRoot returns the command mcpgen with all verbs.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "mcpgen",
		Short:         "Typed Go for the Model Context Protocol, generated from its official schemas",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       programVersion(),
		Args:          noArguments,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("mcpgen {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	root.AddCommand(
		generateCommand(), checkCommand(), specCommand(),
		toolsCommand(), serverCommand(), clientCommand(),
		diffCommand(), rulesCommand(), lintCommand(), docsCommand(), bundleCommand(), typescriptCommand(), mockCommand(), verifyCommand(), proxyCommand(), testCommand(), bridgeCommand(), versionCommand(),
		authCommand(),
	)
	onlyOnce(root)
	return root
}

// problem is an error that a verb reports with exitFindings.
type problem struct{ text string }

func (p problem) Error() string { return p.text }

// Is makes a problem count as findings.
func (p problem) Is(target error) bool { return target == errFindings }

// run executes a command line.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	out := &output{w: stdout}
	root.SetIn(&interruptible{ctx, stdin})
	root.SetOut(out)
	root.SetErr(stderr)
	err := unknownVerb(root, args)
	if err == nil {
		err = execute(ctx, root)
	}
	if err != errAbandoned && out.err != nil {
		err = fmt.Errorf("writing the output: %w", out.err)
	}
	switch {
	case err == nil && signalOf(ctx) != 0: // a verb that serves until then
		return exitInterrupted(ctx)
	case err != nil && signalOf(ctx) != 0 && !errors.Is(err, errFindings), errors.Is(err, context.Canceled), err == errAbandoned:
		fmt.Fprintln(stderr, "mcpgen: interrupted")
		return exitInterrupted(ctx)
	case err == nil:
		return exitDone
	case err == errFindings:
		return exitFindings
	case errors.Is(err, errFindings):
		fmt.Fprintln(stderr, "mcpgen:", err)
		return exitFindings
	default:
		fmt.Fprintln(stderr, "mcpgen:", err)
		return exitFailed
	}
}

// errAbandoned is the error of a verb that has not ended although its context has.
var errAbandoned = errors.New("abandoned")

// abandonAfter is how long a verb has to end once it is interrupted. People expect a program to end
// within a second, also one that computes or waits for a server to end.
const abandonAfter = 800 * time.Millisecond

// execute executes a command line. It abandons a verb that does not end when ctx does, but not before the verb has
// ended what it holds the program for.
func execute(ctx context.Context, root *cobra.Command) error {
	var h holds
	ctx = context.WithValue(ctx, holdsKey{}, &h)
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(abandonAfter):
		h.wait()
		return errAbandoned
	}
}

// holds counts what the program must not leave half done: files that are written, processes that run. All of it ends
// soon after the context does.
type holds struct {
	mu   sync.Mutex
	over bool
	all  sync.WaitGroup
}

type holdsKey struct{}

// hold lets the program that executes a verb live until release is called. It returns an error if the verb's context
// has ended.
func hold(ctx context.Context) (release func(), err error) {
	h, ok := ctx.Value(holdsKey{}).(*holds)
	if !ok {
		return func() {}, ctx.Err()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over || ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	h.all.Add(1)
	return sync.OnceFunc(h.all.Done), nil
}

// wait waits for all releases. After that, hold returns errors.
func (h *holds) wait() {
	h.mu.Lock()
	h.over = true
	h.mu.Unlock()
	h.all.Wait()
}

// write applies a plan. Once files get their names, an interrupted program ends after the last one.
func write(ctx context.Context, plan files.Plan) ([]files.Change, error) {
	release, err := hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return plan.Write(ctx)
}

// replace is write for files that need not be generated ones.
func replace(ctx context.Context, dir string, list ...files.File) error {
	release, err := hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	return files.Replace(ctx, dir, list)
}

// exitInterrupted returns the exit code of an interrupted verb: as in shells, 128 and the number
// of the signal.
func exitInterrupted(ctx context.Context) int {
	if number := signalOf(ctx); number != 0 {
		return 128 + int(number)
	}
	return exitFailed
}

// signalOf returns the signal that has ended ctx, or 0.
func signalOf(ctx context.Context) syscall.Signal {
	var by signalled
	errors.As(context.Cause(ctx), &by)
	number, _ := by.signal.(syscall.Signal)
	return number
}
