//go:build bootstrap

package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/diff"
)

// generatedJudge has no generated code to judge by.
func generatedJudge(gen.Source) diff.Judge { return nil }

// These stand on the generated code, and are not there in a program built to make it.
func verifyCommand() *cobra.Command { return absent("verify") }
func proxyCommand() *cobra.Command  { return absent("proxy") }

func absent(verb string) *cobra.Command {
	return &cobra.Command{
		Use:    verb,
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			return errBootstrap
		},
	}
}

var errBootstrap = errors.New("this mcpgen was built without the generated code (-tags bootstrap)")

// fetch needs the generated code to talk to a server.
func (o *origin) fetch(context.Context, io.Writer) ([]byte, error) { return nil, errBootstrap }

// catalog does too.
func (o *origin) catalog(context.Context, io.Writer) ([]byte, error) { return nil, errBootstrap }
