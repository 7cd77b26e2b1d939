//go:build bootstrap

package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// verifyCommand is not there in a program built to make the generated code,
// which verify itself stands on.
func verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "verify",
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			return errBootstrap
		},
	}
}

var errBootstrap = errors.New("this mcpgen was built without the generated code (-tags bootstrap)")

// fetch needs the generated code to talk to a server.
func (o *origin) fetch(context.Context, io.Writer) ([]byte, error) { return nil, errBootstrap }
