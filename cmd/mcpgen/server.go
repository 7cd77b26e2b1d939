package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/skeleton"
)

func serverCommand() *cobra.Command {
	var p project
	var missing bool
	var transport string
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Generate a typed server, and a client for it, from a tool list",
		Long: `Generate a Go server from a tool list: a method for each tool with typed
arguments and results, their validation and encoding, a typed client, and tests
that every correct implementation passes.

Files that end in .gen.go and .gen_test.go are generated on each run. The other
files (main.go, http.go, handlers.go, go.mod, go.sum, README.md, Dockerfile) are
yours: a missing one is written, an existing one is never changed. If any file
cannot be written, none is.

The server uses standard input and output, or HTTP if it is started with
--http ADDRESS. With --transport stdio there is no http.go, so the program does
not link net/http and has less than half the size.

With --package, the handlers may be in another package, so that a change of them
does not recompile the generated code.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			start := time.Now()
			if transport != "all" && transport != "stdio" {
				return fmt.Errorf("--transport: expected all or stdio, got %q", transport)
			}
			if err := p.load(cmd, "main"); err != nil {
				return err
			}
			made, err := skeleton.Server(p.options())
			if err != nil {
				return p.explain(err)
			}
			if missing {
				source, _ := skeleton.Missing(p.survey, p.pkg, made.Tools)
				if source != "" {
					fmt.Fprintln(cmd.OutOrStdout(), source)
				}
				return nil
			}
			if p.check {
				return p.finish(cmd, made, nil, start)
			}
			users, err := p.users(made, transport == "all")
			if err != nil {
				return err
			}
			return p.finish(cmd, made, users, start)
		},
	}
	p.flags(cmd, "main")
	cmd.Flags().StringVar(&transport, "transport", "all", "transports of a new main.go: all or stdio")
	cmd.Flags().BoolVar(&missing, "missing", false, "print methods for tools that the package does not implement yet, and write nothing")
	return cmd
}

// users returns the files that belong to the user.
func (p *project) users(made *skeleton.Result, http bool) ([]files.File, error) {
	name, err := p.name()
	if err != nil {
		return nil, err
	}
	module, err := p.module(name)
	if err != nil {
		return nil, err
	}
	list, err := p.fromOut()
	if err != nil {
		return nil, err
	}
	program, err := p.program()
	if err != nil {
		return nil, err
	}
	generate := program + " server --tools " + quoteWord(list) + " --out ."
	if p.named && p.pkg != "main" {
		generate += " --package " + p.pkg
	}
	return skeleton.User(skeleton.UserOptions{
		Name: name, Package: p.pkg, Source: p.source(), Generate: generate,
		Tools: made.Tools, Module: module, HTTP: http, Apart: p.apart(), Survey: p.survey,
	})
}
