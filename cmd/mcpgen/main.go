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
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		s := <-signals
		signal.Stop(signals) // a second signal ends the program at once
		cancel(signalled{s})
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
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

// run executes a command line.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
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
	root.SetArgs(args)
	out := &output{w: stdout}
	root.SetIn(&interruptible{ctx, stdin})
	root.SetOut(out)
	root.SetErr(stderr)
	err := unknownVerb(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if out.err != nil {
		err = fmt.Errorf("writing the output: %w", out.err)
	}
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "mcpgen: interrupted")
		return exitFailed
	case err == nil:
		return exitDone
	case errors.Is(err, errFindings):
		return exitFindings
	default:
		fmt.Fprintln(stderr, "mcpgen:", err)
		return exitFailed
	}
}
