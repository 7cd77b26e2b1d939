package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/report"
)

func specCheckCommand() *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Report whether the generated packages are up to date",
		Long: `Compare the packages on disk with the output of spec generate, without writing
anything. Differences are printed as unified diffs and make the exit code 1.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.check(cmd) },
	}
	s.flags(cmd)
	s.console.flags(cmd)
	return cmd
}

// check compares the packages on disk with those that generate would write.
func (s *selection) check(cmd *cobra.Command) error {
	plan, err := s.plan(cmd)
	if err != nil {
		return err
	}
	if _, err := os.Stat(s.out); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: the folder of the packages does not exist: \"mcpgen spec generate\" writes it, and --out names another; \"mcpgen check\" checks what mcpgen.yaml lists", s.out)
	}
	changes, err := plan.Changes()
	if err != nil {
		return err
	}
	err = s.report(cmd, packages{Files: len(plan.Files), Changed: paths(changes)}, func(w io.Writer) {
		for _, c := range changes {
			w.Write(c.Diff())
		}
		if len(changes) == 0 {
			fmt.Fprintf(w, "%s up to date\n", report.Plural(len(plan.Files), "generated file"))
		}
	})
	if err != nil || len(changes) == 0 {
		return err
	}
	if !s.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d generated files differ; run \"mcpgen spec generate\"\n", len(changes), len(plan.Files))
	}
	return errFindings
}
