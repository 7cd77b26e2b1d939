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

// generatedJudge returns nil because this build has no generated code.
func generatedJudge(gen.Source) diff.Judge { return nil }

// These verbs need the generated code, which a program built with the tag bootstrap lacks.
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

// fetch needs the generated code to connect to a server.
func (o *origin) fetch(context.Context, io.Writer) ([]byte, error) { return nil, errBootstrap }

// catalog needs the generated code to connect to a server.
func (o *origin) catalog(context.Context, io.Writer) ([]byte, error) { return nil, errBootstrap }
