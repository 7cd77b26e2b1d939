package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/spec"
)

// selection is what generate and check work on.
type selection struct {
	revisions []string
	schema    string
	overlay   string
	out       string
}

func (s *selection) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&s.revisions, "revision", nil, "revision to generate; may be repeated (default: all pinned revisions)")
	cmd.Flags().StringVar(&s.schema, "schema", "", "schema.json to use for the one --revision, instead of the pinned schema")
	cmd.Flags().StringVar(&s.overlay, "overlay", "", "YAML file with overlay rows for the one --revision")
	cmd.Flags().StringVar(&s.out, "out", "generated", "folder for the packages")
}

// plan returns all files of the selection.
func (s *selection) plan(cmd *cobra.Command) (files.Plan, error) {
	plan, err := s.planFiles(cmd)
	plan.Dir = s.out
	return plan, err
}

func (s *selection) planFiles(cmd *cobra.Command) (files.Plan, error) {
	project, err := spec.Load(spec.Embedded())
	if err != nil {
		return files.Plan{}, err
	}
	switch {
	case s.schema != "" && len(s.revisions) != 1:
		return files.Plan{}, errors.New("--schema needs exactly one --revision")
	case s.schema == "" && s.overlay != "" && len(s.revisions) != 1:
		return files.Plan{}, errors.New("--overlay needs exactly one --revision")
	case s.schema == "" && len(s.revisions) == 0:
		return gen.All(project)
	}
	var overlay *spec.Overlay
	if s.overlay != "" {
		src, err := os.ReadFile(s.overlay)
		if err != nil {
			return files.Plan{}, err
		}
		if overlay, err = spec.ParseOverlay(s.overlay, src); err != nil {
			return files.Plan{}, err
		}
	}
	var all files.Plan
	var errs []error
	slices.Sort(s.revisions)
	for _, revision := range slices.Compact(s.revisions) {
		src, err := s.source(cmd, project, revision)
		if err != nil {
			return files.Plan{}, err
		}
		src.Overlay = overlay
		plan, err := gen.One(project, src)
		errs = append(errs, err)
		all.Files = append(all.Files, plan.Files...)
		all.Owned = append(all.Owned, plan.Owned...)
	}
	return all, errors.Join(errs...)
}

func (s *selection) source(cmd *cobra.Command, project *spec.Spec, revision string) (gen.Source, error) {
	if err := gen.CheckRevision(revision); err != nil {
		return gen.Source{}, err
	}
	if s.schema == "" {
		return gen.PinnedSource(project, revision)
	}
	src, err := readSource(cmd.Context(), cmd.InOrStdin(), s.schema)
	if err != nil {
		return gen.Source{}, err
	}
	_, pinned := project.Pin(revision)
	return gen.Source{Revision: revision, Schema: src, Pinned: pinned}, nil
}

func generateCommand() *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate the Go packages of protocol revisions",
		Long: `Generate the Go packages of protocol revisions, by default of all pinned ones.

--schema generates a package from any schema.json in the upstream format, also of
a new revision. --overlay adds facts that the schema does not contain. If any file
cannot be written, none is.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			start := time.Now()
			plan, err := s.plan(cmd)
			if err != nil {
				return err
			}
			changes, err := plan.Write()
			if err != nil {
				return err
			}
			report(cmd, plan, changes, time.Since(start))
			reportUnbridged(cmd, plan.Notes)
			return nil
		},
	}
	s.flags(cmd)
	return cmd
}

// report prints a line for each package and a summary.
func report(cmd *cobra.Command, plan files.Plan, changes []files.Change, took time.Duration) {
	kinds := map[string]int{}
	written := map[string]int{}
	for _, c := range changes {
		kinds[c.Kind]++
		written[filepath.Dir(c.Path)]++
	}
	for _, dir := range plan.Owned {
		planned, lines := 0, 0
		for _, f := range plan.Files {
			if filepath.Dir(f.Path) == dir {
				planned++
				lines += countLines(f.Content)
			}
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d files, %d lines, %d changed\n", filepath.Join(plan.Dir, dir), planned, lines, written[dir])
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d files in %d ms: %d added, %d modified, %d removed, %d unchanged\n",
		len(plan.Files), took.Milliseconds(), kinds["add"], kinds["modify"], kinds["remove"], len(plan.Files)-kinds["add"]-kinds["modify"])
}

// reportUnbridged lists the values that are not converted between revisions.
func reportUnbridged(cmd *cobra.Command, notes []string) {
	if len(notes) == 0 {
		return
	}
	fmt.Fprintln(cmd.OutOrStdout(), "\nnot bridged between revisions, for want of a row in convert.yaml:")
	for _, note := range notes {
		fmt.Fprintln(cmd.OutOrStdout(), "  "+note)
	}
}

func countLines(content []byte) int {
	n := 0
	for _, b := range content {
		if b == '\n' {
			n++
		}
	}
	return n
}
