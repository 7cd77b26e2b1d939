//go:build bootstrap

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/compat"
)

// generatedJudge has no generated code to judge by.
func generatedJudge(gen.Source) compat.Judge { return nil }

// verifyCommand is not there in a program built to make the generated code,
// which verify itself stands on.
func verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "verify",
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("this mcpgen was built without the generated code (-tags bootstrap)")
		},
	}
}
