//go:build bootstrap

package main

import (
	"errors"

	"github.com/spf13/cobra"
)

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
