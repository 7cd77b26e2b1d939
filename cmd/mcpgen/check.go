package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func checkCommand() *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Report whether the generated packages are up to date",
		Long: `Compare the packages on disk with the output of generate, without writing
anything. Differences are printed as unified diffs and make the exit code 1.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := s.plan(cmd)
			if err != nil {
				return err
			}
			changes, err := plan.Changes()
			if err != nil {
				return err
			}
			for _, c := range changes {
				cmd.OutOrStdout().Write(c.Diff())
			}
			if len(changes) > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d files differ; run \"mcpgen generate\"\n", len(changes), len(plan.Files))
				return errFindings
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d files up to date\n", len(plan.Files))
			return nil
		},
	}
	s.flags(cmd)
	return cmd
}
