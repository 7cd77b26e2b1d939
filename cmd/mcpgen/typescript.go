package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/typescript"
)

func typescriptCommand() *cobra.Command {
	var p project
	cmd := &cobra.Command{
		Use:   "typescript",
		Short: "Generate a typed TypeScript client from a tool list",
		Long: `Generate TypeScript that calls tools: a file for each tool with a function and the
types of its arguments and result, and index.ts with a line about each tool. A model
that writes code reads the index, and then the files that it needs. The functions take
anything with a method callTool, such as the Client of the official SDKs.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			done, err := p.typescript(cmd)
			return p.report(cmd, done, err)
		},
	}
	cmd.Flags().StringVar(&p.list, "tools", "tools.json", "tool list, JSON or YAML; - is standard input")
	cmd.Flags().StringVarP(&p.out, "out", "o", ".", "folder of the files")
	cmd.Flags().BoolVar(&p.check, "check", false, "write nothing; print how the files differ from what would be written, and exit with 1 if they do")
	p.console.flags(cmd)
	completeFiles(cmd, "tools", "json", "yaml", "yml")
	completeFolders(cmd, "out")
	return cmd
}

// typescript generates or checks a TypeScript client.
func (p *project) typescript(cmd *cobra.Command) (*outcome, error) {
	start := time.Now()
	var err error
	if p.file, err = readList(cmd, p.list); err != nil {
		return nil, err
	}
	plan := files.Plan{Dir: p.out, Files: typescript.Files(p.file.List, p.source()), Owned: []string{".", "tools"}, Suffixes: []string{".ts"}}
	done := &outcome{offers: offers{Tools: len(p.file.List.Tools)}}
	changes, err := p.apply(cmd.Context(), done, plan, start)
	if err == nil && !p.check {
		done.changed(plan, changes)
	}
	return done, err
}
