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
		Short: "Write a typed client from a list of tools",
		Long: `Write a Go package that calls tools: a method for each, typed in and out, and a
comparison of a server's list with the one that the client was generated from.
A folder with a generated server has a client already.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			start := time.Now()
			name, err := p.name()
			if err != nil {
				return err
			}
			if err := p.load(cmd, packageName(name)); err != nil {
				return err
			}
			server := filepath.Join(p.out, "server.gen.go")
			if text, err := os.ReadFile(server); err == nil && files.Generated(text) {
				return fmt.Errorf("%s: is a generated server, which has a client beside it already", server)
			}
			made, err := skeleton.Client(p.options())
			if err != nil {
				return p.explain(err)
			}
			var users []files.File
			if module, err := p.module(name); err != nil {
				return err
			} else if module != nil && !p.check {
				if users, err = skeleton.ModuleFiles(module); err != nil {
					return err
				}
			}
			return p.finish(cmd, made, users, start)
		},
	}
	p.flags(cmd, "the name of the folder")
	return cmd
}
