package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/skeleton"
)

func serverCommand() *cobra.Command {
	var p project
	var missing bool
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Generate a typed server from a tool list",
		Long: `Generate a Go server from a tool list: a method for each tool with typed
arguments and results, their validation and encoding, and tests that every correct
implementation passes. Prompts, resources and resource templates in the list have a
method each, too. "mcpgen client" generates a client, in a package of its own.

Files that end in .gen.go, .gen_test.go and .gen.txt are generated on each run. The other
files (main.go, http.go, handlers.go, go.mod, go.sum, mcpgen.mod, mcpgen.sum,
README.md, Dockerfile, .gitignore) are yours: a missing one is written, and one that
you have edited is never changed. If any file cannot be written, none is. "go
generate" runs mcpgen by mcpgen.mod, so that go.mod has only what the server links.

The server uses standard input and output, or HTTP if it is started with
--http ADDRESS. With --transport stdio there is no http.go, so the program does
not link net/http and has less than half the size. With --auth, http.go accepts only
clients with access tokens. Both flags also apply to an existing program: they
replace main.go and http.go if these are as mcpgen wrote them. Otherwise nothing is
written, the output says what must change, and the exit code is 1.

A program is a module of its own, unless the module around its folder requires mcpgen.
In a workspace (go.work), "go generate" needs GOWORK=off; with a folder vendor, it
needs another command, which README.md names.

With --package, the handlers may be in another package, so that a change of them
does not recompile the generated code.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p.transportGiven = given(cmd, "transport")
			p.open = cmd.Flags().Changed("auth") && !p.protected
			if missing {
				return p.missing(cmd)
			}
			done, err := p.server(cmd)
			return p.report(cmd, done, err)
		},
	}
	p.flags(cmd, "main")
	cmd.Flags().StringVar(&p.transport, "transport", transportAll, "transports of the program: all or stdio")
	cmd.Flags().BoolVar(&p.protected, "auth", false, "let http.go accept only clients with access tokens; see runtime/auth/README.md")
	cmd.Flags().BoolVar(&missing, "missing", false, "print methods for tools and other items that the package does not implement yet, and write nothing")
	alone(cmd, "missing", "tools", "out", "package", "strict", "big-integers", "time")
	completeValues(cmd, "transport", transportAll, transportStdio)
	return cmd
}

// The values of --transport.
const (
	transportAll   = "all"
	transportStdio = "stdio"
)

// server generates or checks a server.
func (p *project) server(cmd *cobra.Command) (*outcome, error) {
	start := time.Now()
	made, err := p.makeServer(cmd)
	if err != nil {
		return nil, err
	}
	var plan files.Plan
	if p.check && !p.protected && !p.open && !p.transportGiven {
		return p.finish(cmd.Context(), made, plan, true, start)
	}
	o, err := p.users(made)
	if err != nil {
		return nil, err
	}
	if !p.check {
		if plan.Users, err = skeleton.User(o); err != nil {
			return nil, err
		}
	}
	if err := p.serve(&plan, o); err != nil {
		return nil, err
	}
	return p.finish(cmd.Context(), made, plan, true, start)
}

func (p *project) makeServer(cmd *cobra.Command) (*skeleton.Result, error) {
	if p.transport != transportAll && p.transport != transportStdio {
		return nil, fmt.Errorf("--transport: expected all or stdio, got %q", p.transport)
	}
	if p.protected && p.transport == transportStdio {
		return nil, errors.New("--auth: authorization is for HTTP, and --transport is stdio")
	}
	if err := p.load(cmd, "main"); err != nil {
		return nil, err
	}
	made, err := skeleton.Server(p.options())
	p.counter.end()
	if err != nil {
		return nil, p.explain(err)
	}
	return made, nil
}

// missing prints the methods that the package does not implement.
func (p *project) missing(cmd *cobra.Command) error {
	made, err := p.makeServer(cmd)
	if err != nil {
		return err
	}
	if source, _ := skeleton.Missing(p.survey, p.pkg, made.Package); source != "" {
		fmt.Fprintln(cmd.OutOrStdout(), source)
	}
	return nil
}

// users returns the options of the files that belong to the user.
func (p *project) users(made *skeleton.Result) (o skeleton.UserOptions, err error) {
	name, err := p.name()
	if err != nil {
		return o, err
	}
	module, err := p.module(name, made)
	if err != nil {
		return o, err
	}
	list, err := p.fromOut()
	if err != nil {
		return o, err
	}
	folder := ""
	if module == nil {
		if folder, err = p.within(); err != nil {
			return o, err
		}
	}
	program, err := p.program()
	if err != nil {
		return o, err
	}
	generate := program + " server --tools " + quoteWord(list) + " --out ."
	if p.named && p.pkg != "main" {
		generate += " --package " + p.pkg
	}
	if p.big {
		generate += " --big-integers"
	}
	if p.time {
		generate += " --time"
	}
	return skeleton.UserOptions{
		Name: name, Package: p.pkg, Source: p.source(), List: quoteWord(list), Folder: folder, Generate: generate,
		Types: made.Package, Module: module, HTTP: p.transport == transportAll, Auth: p.protected, Apart: p.apart(), Survey: p.survey,
	}, nil
}
