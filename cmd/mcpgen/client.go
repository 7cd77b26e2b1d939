package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/skeleton"
)

func clientCommand() *cobra.Command {
	var p project
	cmd := &cobra.Command{
		Use:   "client",
		Short: "Generate a typed client from a tool list",
		Long: `Generate a Go package that calls tools. It has a method for each tool with typed
arguments and results, and one for each prompt, resource and resource template in the
list. It compares a server's list with the list that it was generated from.

The package belongs to the module around its folder. If there is none, it gets a
go.mod of its own.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			done, err := p.writeClient(cmd)
			return p.report(cmd, done, err)
		},
	}
	p.flags(cmd, "the name of the folder")
	return cmd
}

// writeClient generates or checks a client.
func (p *project) writeClient(cmd *cobra.Command) (*outcome, error) {
	start := time.Now()
	p.client = true
	name, err := p.name()
	if err != nil {
		return nil, err
	}
	if err := p.load(cmd, packageName(name)); err != nil {
		return nil, err
	}
	server := filepath.Join(p.out, "server.gen.go")
	if text, err := os.ReadFile(server); err == nil && files.Generated(text) {
		return nil, fmt.Errorf("%s is a generated server: a client needs a folder of its own, such as %s", server, filepath.Join(p.out, "client"))
	}
	made, err := skeleton.Client(p.options())
	p.counter.end()
	if err != nil {
		return nil, p.explain(err)
	}
	var plan files.Plan
	if module, err := p.module(name, made); err != nil {
		return nil, err
	} else if module != nil && !p.check {
		if plan.Users, err = skeleton.ModuleFiles(module); err != nil {
			return nil, err
		}
	}
	return p.finish(cmd.Context(), made, plan, false, start)
}
