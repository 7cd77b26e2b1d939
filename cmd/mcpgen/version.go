package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/spec"
)

// programVersion returns the version of this program, "(devel)" if it is unknown.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

func versionCommand() *cobra.Command {
	var c console
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of mcpgen and the revisions that it knows",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			project, err := spec.Load(spec.Embedded())
			if err != nil {
				return err
			}
			about := struct {
				Version   string   `json:"version"`
				Go        string   `json:"go"`
				Platform  string   `json:"platform"`
				Revisions []string `json:"revisions"`
			}{programVersion(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, project.Revisions()}
			return c.report(cmd, about, func(w io.Writer) {
				fmt.Fprintf(w, "mcpgen %s (%s %s)\nrevisions: %s\n", about.Version, about.Go, about.Platform, strings.Join(about.Revisions, " "))
			})
		},
	}
	c.flags(cmd)
	return cmd
}
