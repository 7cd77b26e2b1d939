package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/spec"
)

// selection says which packages generate and check work on.
type selection struct {
	revisions []string
	schema    string
	overlay   string
	extension string
	docs      string
	out       string
	console
}

func (s *selection) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&s.revisions, "revision", nil, "revision to generate; may be repeated (default: all pinned revisions)")
	cmd.Flags().StringVar(&s.schema, "schema", "", "schema.json to use for the one --revision, instead of the pinned schema")
	cmd.Flags().StringVar(&s.overlay, "overlay", "", "YAML file with overlay rows for the one --revision")
	cmd.Flags().StringVar(&s.extension, "extension", "", "identifier of an extension to generate, such as com.example/colors; --revision is the revision that it extends (default: the newest)")
	cmd.Flags().StringVar(&s.docs, "docs", "", "YAML file with doc comments for the --extension")
	cmd.Flags().StringVarP(&s.out, "out", "o", "generated", "folder for the packages")
	needs(cmd, "docs", "extension")
	idle(cmd, "overlay docs revision", "needs --schema with --extension", func([]string) bool { return s.extension != "" && s.schema == "" })
	idle(cmd, "schema overlay", "needs exactly one --revision", func([]string) bool { return s.extension == "" && len(s.revisions) != 1 })
	completeFiles(cmd, "schema", "json")
	completeFiles(cmd, "overlay", "yaml", "yml")
	completeFolders(cmd, "out")
	completeFiles(cmd, "docs", "yaml", "yml")
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
	if s.extension != "" {
		return s.planExtension(cmd, project)
	}
	if s.schema == "" && len(s.revisions) == 0 {
		return gen.All(project)
	}
	overlay, err := readOverlay(s.overlay)
	if err != nil {
		return files.Plan{}, err
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

// readOverlay returns the rows of a file, or nil without one.
func readOverlay(name string) (*spec.Overlay, error) {
	if name == "" {
		return nil, nil
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return spec.ParseOverlay(name, src)
}

// overlayOf returns the rows of a file, or without one those of the pinned extension with a name, if there is one.
func overlayOf(project *spec.Spec, extension, name string) (*spec.Overlay, error) {
	if pinned := project.Extension(extension); name == "" && pinned != nil {
		return pinned.Overlay, nil
	}
	return readOverlay(name)
}

// extensionSource returns the source of an extension whose schema is given. Its revision defaults to that of
// the pinned extension of its name, or the newest.
func extensionSource(project *spec.Spec, name, revision string, schema []byte) gen.ExtensionSource {
	if revision == "" {
		revisions := project.Revisions()
		revision = revisions[len(revisions)-1]
		if pinned := project.Extension(name); pinned != nil {
			revision = pinned.Revision
		}
	}
	return gen.ExtensionSource{Name: name, Revision: revision, Schema: schema}
}

// planExtension returns the files of an extension: a pinned one, or that of --schema.
func (s *selection) planExtension(cmd *cobra.Command, project *spec.Spec) (files.Plan, error) {
	if s.schema == "" {
		src, err := gen.PinnedExtension(project, s.extension)
		if err != nil {
			return files.Plan{}, fmt.Errorf("%w; --schema generates any extension", err)
		}
		return gen.Extension(project, src)
	}
	revision := ""
	if len(s.revisions) > 1 {
		return files.Plan{}, errors.New("--extension needs at most one --revision")
	} else if len(s.revisions) == 1 {
		revision = s.revisions[0]
	}
	src, err := readSource(cmd.Context(), cmd.InOrStdin(), s.schema)
	if err != nil {
		return files.Plan{}, err
	}
	x := extensionSource(project, s.extension, revision, src)
	if x.Overlay, err = readOverlay(s.overlay); err != nil {
		return files.Plan{}, err
	}
	if s.docs != "" {
		src, err := os.ReadFile(s.docs)
		if err != nil {
			return files.Plan{}, err
		}
		if x.Docs, err = spec.ParseDocs(s.docs, src); err != nil {
			return files.Plan{}, err
		}
	}
	return gen.Extension(project, x)
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
	differences, _, err := gen.VerifyFacts(project, revision, src)
	return gen.Source{Revision: revision, Schema: src, Pinned: err == nil && len(differences) == 0}, nil
}

func specGenerateCommand() *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate the Go packages of protocol revisions",
		Long: `Generate the Go packages of protocol revisions, by default of all pinned ones.

--schema generates a package from any schema.json in the upstream format, also of
a new revision. --overlay adds facts that the schema does not contain. With
--extension, the package is that of an extension, in the folder ext: a pinned one,
or that of any schema.json, whose definitions are the types of the revision where
both say the same. If any file cannot be written, none is.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.generate(cmd) },
	}
	s.flags(cmd)
	s.console.flags(cmd)
	return cmd
}

// generate writes the packages.
func (s *selection) generate(cmd *cobra.Command) error {
	start := time.Now()
	plan, err := s.plan(cmd)
	if err != nil {
		return err
	}
	changes, err := write(cmd.Context(), plan)
	if err != nil {
		return err
	}
	done := packages{Files: len(plan.Files), Changed: paths(changes), Unbridged: plan.Notes}
	return s.report(cmd, done, func(w io.Writer) {
		reportWritten(w, plan, changes, time.Since(start))
		reportUnbridged(w, plan.Notes)
	})
}

// packages is the report of spec generate and spec check.
type packages struct {
	Files     int      `json:"files"`
	Changed   []string `json:"changed"`             // written, or different from what would be written
	Unbridged []string `json:"unbridged,omitempty"` // values that are not converted between revisions
}

// paths returns the paths of changed files.
func paths(changes []files.Change) []string {
	all := make([]string, len(changes))
	for i, c := range changes {
		all[i] = c.Path
	}
	return all
}

// reportWritten prints a line for each package and a summary.
func reportWritten(out io.Writer, plan files.Plan, changes []files.Change, took time.Duration) {
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
		fmt.Fprintf(out, "%s: %d files, %d lines, %d changed\n", filepath.Join(plan.Dir, dir), planned, lines, written[dir])
	}
	fmt.Fprintf(out, "%d files in %d ms: %d added, %d modified, %d removed, %d unchanged\n",
		len(plan.Files), took.Milliseconds(), kinds["add"], kinds["modify"], kinds["remove"], len(plan.Files)-kinds["add"]-kinds["modify"])
}

// unbridgedTitle is above the list of values that are not converted, each with its row.
const unbridgedTitle = "not bridged between revisions, because convert.yaml has no row for it; each line ends with a row that needs only a reason to say that this is right:"

// reportUnbridged lists the values that are not converted between revisions.
func reportUnbridged(out io.Writer, notes []string) {
	if len(notes) == 0 {
		return
	}
	fmt.Fprintln(out, "\n"+unbridgedTitle)
	for _, note := range notes {
		fmt.Fprintln(out, "  "+note)
	}
}

func countLines(content []byte) int { return bytes.Count(content, []byte("\n")) }
