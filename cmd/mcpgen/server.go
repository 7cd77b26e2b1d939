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
		Short: "Write a typed server, and a client for it, from a list of tools",
		Long: `Write a Go server from a list of tools: a method for each tool with typed
arguments and results, all that checks and carries them, a typed client, and
tests that hold for every right implementation.

Files that end in .gen.go and .gen_test.go are generated anew each time. The
others (main.go, http.go, handlers.go, go.mod, go.sum, README.md, Dockerfile)
are yours: they are written where there are none, and never touched again.
Nothing is written unless everything can be.

The program talks over standard input and output, or over HTTP when it is given
an address with --http. One that never is has less than half the size without
http.go, which --transport stdio leaves out, and with it net/http.

With --package, the handlers may be moved to another package, so that what is
generated is not compiled again when they change.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			start := time.Now()
			if transport != "all" && transport != "stdio" {
				return fmt.Errorf("--transport: %q is neither all nor stdio", transport)
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
	cmd.Flags().StringVar(&transport, "transport", "all", "what a new main.go talks over: all, or stdio alone")
	cmd.Flags().BoolVar(&missing, "missing", false, "print methods for the tools that have none in the package's own files, and write nothing")
	return cmd
}

// users makes the files of the user's.
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
