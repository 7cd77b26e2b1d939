//go:build bootstrap

package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/lint"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// generatedJudge returns nil because this build has no generated code.
func generatedJudge(gen.Source) diff.Judge { return nil }

// These verbs need the generated code, which a program built with the tag bootstrap lacks.
func verifyCommand() *cobra.Command { return absent("verify") }
func testCommand() *cobra.Command   { return absent("test") }
func proxyCommand() *cobra.Command  { return absent("proxy") }
func bridgeCommand() *cobra.Command { return absent("bridge") }
func mockCommand() *cobra.Command   { return absent("mock") }

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

// validateDefinition needs the generated code to know what a revision allows.
func validateDefinition(catalog.Part, wire.Raw) []lint.Problem { return nil }
