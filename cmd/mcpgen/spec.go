package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/authoring"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/spec"
)

func specCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "spec",
		Short: "Revisions of the protocol: list, import and verify schemas, generate their packages",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(specListCommand(), specImportCommand(), specVerifyCommand(), specGenerateCommand(), specCheckCommand())
	return cmd
}

// pinned is a row of spec list.
type pinned struct {
	Name        string `json:"name"` // of a revision or an extension
	Package     string `json:"package"`
	Definitions int    `json:"definitions"`
	Methods     int    `json:"methods"`
	Dialect     string `json:"dialect"`
	SHA256      string `json:"sha256"` // of the upstream file
}

func specListCommand() *cobra.Command {
	var c console
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the pinned revisions and extensions",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := allPinned()
			if err != nil {
				return err
			}
			return c.report(cmd, all, func(out io.Writer) {
				rows := [][]string{{"REVISION", "PACKAGE", "DEFINITIONS", "METHODS", "DIALECT", "SHA256 OF THE UPSTREAM FILE"}}
				for _, p := range all {
					rows = append(rows, []string{p.Name, p.Package, strconv.Itoa(p.Definitions), strconv.Itoa(p.Methods), p.Dialect, p.SHA256})
				}
				table := report.Printer{W: out}
				table.Table(rows)
			})
		},
	}
	c.flags(cmd)
	return cmd
}

// allPinned returns the pinned revisions and extensions.
func allPinned() ([]pinned, error) {
	project, err := spec.Load(spec.Embedded())
	if err != nil {
		return nil, err
	}
	var all []pinned
	for _, pin := range project.Pins {
		lowered, err := gen.LowerPinned(project, pin.Revision)
		if err != nil {
			return nil, err
		}
		all = append(all, pinned{pin.Revision, lowered.Revision.Package,
			len(lowered.Document.Definitions), len(lowered.Revision.Methods), pin.Dialect, pin.SHA256})
	}
	for _, x := range project.Extensions {
		src, err := gen.PinnedExtension(project, x.Name)
		if err != nil {
			return nil, err
		}
		lowered, err := gen.LowerExtension(project, src)
		if err != nil {
			return nil, err
		}
		all = append(all, pinned{x.Name, "ext/" + lowered.Revision.Package,
			len(lowered.Document.Definitions), len(lowered.Revision.Methods), x.Dialect, x.SHA256})
	}
	return all, nil
}

func specImportCommand() *cobra.Command {
	var revision, extension, commit, dir string
	var c console
	cmd := &cobra.Command{
		Use:   "import FILE|URL",
		Short: "Pin an upstream schema.json: store its facts and its checksum",
		Long: `Pin an upstream schema.json: write its facts, without its prose, and its
checksum to the spec folder. FILE may be an https URL or "-". With --extension, the
file is the schema of an extension.

The output lists the changes since the last import of the same revision, or else
since the revision before it. It also lists the errata that apply, the rows
that must be added or ended before the revision can be generated, and the
identifiers without a doc comment. If rows must be added or ended, the exit code
is 1.

A program has the pins it was built with, so mcpgen spec generate does not see the
new ones until make has built it again.`,
		Args: oneArgument("FILE or URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if info, err := os.Stat(filepath.Join(dir, "pins.json")); err != nil || info.IsDir() {
				return fmt.Errorf("%s: not a spec folder: it has no pins.json", dir)
			}
			project, err := spec.Load(os.DirFS(dir))
			if err != nil {
				return err
			}
			upstream, err := readSchema(cmd, args[0])
			if err != nil {
				return err
			}
			imported, err := importSchema(project, extension, revision, commit, upstream)
			if err != nil {
				return inSchema(args[0], err)
			}
			if err := replace(cmd.Context(), dir, imported.Files...); err != nil {
				return err
			}
			done := pinnedSchema{imported.Pin.Revision, imported.Pin.SHA256, dir, imported.Effects}
			return ended(c.report(cmd, done, done.text), len(done.Needed)+len(done.Stale) > 0)
		},
	}
	cmd.Flags().StringVar(&revision, "revision", "", "revision of the file, or the one that an extension extends (required, except that an extension extends the newest one by default)")
	cmd.Flags().StringVar(&extension, "extension", "", "identifier of the extension that the file is the schema of, such as io.modelcontextprotocol/tasks")
	cmd.Flags().StringVar(&commit, "commit", "", "upstream commit of the file")
	cmd.Flags().StringVar(&dir, "spec", "spec", "spec folder")
	c.flags(cmd)
	return cmd
}

// readSchema reads an upstream schema.json. The error about a text that is not JSON has its line and column.
func readSchema(cmd *cobra.Command, name string) ([]byte, error) {
	text, err := readSource(cmd.Context(), cmd.InOrStdin(), name)
	if err == nil {
		_, err = authoring.NewSources(name, "", text, nil)
	}
	return text, err
}

// inSchema adds the name of the file to an error about what an upstream schema.json says.
func inSchema(name string, err error) error {
	if _, ok := errors.AsType[*schema.Error](err); ok {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// importSchema imports the schema of a revision, or of an extension if it has an identifier.
func importSchema(project *spec.Spec, extension, revision, commit string, upstream []byte) (*gen.Imported, error) {
	revisions := project.Revisions()
	switch {
	case extension == "" && revision == "":
		return nil, errors.New("--revision or --extension is required")
	case extension == "":
		return gen.Import(project, revision, commit, upstream)
	case revision == "" && len(revisions) > 0:
		revision = revisions[len(revisions)-1]
	}
	return gen.ImportExtension(project, extension, revision, commit, upstream)
}

// pinnedSchema is the report of spec import.
type pinnedSchema struct {
	Revision string `json:"revision"` // or the identifier of an extension
	SHA256   string `json:"sha256"`
	Folder   string `json:"folder"`

	gen.Effects
}

func (p pinnedSchema) text(out io.Writer) {
	fmt.Fprintf(out, "pinned %s, sha256 %s, in %s\n", p.Revision, p.SHA256, p.Folder)
	list := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintf(out, "\n%s\n", title)
		for _, line := range lines {
			fmt.Fprintln(out, "  "+line)
		}
	}
	if p.Against != "" {
		if len(p.Changes) == 0 {
			fmt.Fprintf(out, "no changes since %s\n", p.Against)
		}
		list(fmt.Sprintf("changes since %s:", p.Against), p.Changes)
	}
	list("errata that apply:", p.Errata)
	list("errata of other revisions that would apply:", p.Ended)
	list("rows without effect, which need an until before the revision can be generated:", p.Stale)
	list("still needed before the revision can be generated:", p.Needed)
	list("note: the resultType of these results is written empty, unless values in overlay.yaml has these rows:", p.Untyped)
	list("without a doc comment in docs.yaml:", p.Undocumented)
	list(unbridgedTitle, p.Unbridged)
	if len(p.Needed)+len(p.Stale) == 0 {
		fmt.Fprintln(out, "\nnext: run make, which builds mcpgen with these pins and generates the packages; this mcpgen has the pins it was built with")
	}
}

// comparison is the report of spec verify.
type comparison struct {
	File    string `json:"file"`
	Matches bool   `json:"matches"`
	// Pinned is the revision or the identifier of the extension that the file matches, or else the
	// nearest one.
	Pinned      string   `json:"pinned"`
	SameBytes   bool     `json:"sameBytes"`
	Differences []string `json:"differences,omitempty"`

	kind string // revision or extension
}

func (c comparison) text(out io.Writer) {
	switch {
	case !c.Matches:
		fmt.Fprintf(out, "%s differs from the pinned %s %s:\n  %s\n", c.File, c.kind, c.Pinned, strings.Join(c.Differences, "\n  "))
	case c.SameBytes:
		fmt.Fprintf(out, "%s matches the pinned %s %s (same file as imported)\n", c.File, c.kind, c.Pinned)
	default:
		fmt.Fprintf(out, "%s matches the pinned %s %s (different bytes, same facts)\n", c.File, c.kind, c.Pinned)
	}
}

func specVerifyCommand() *cobra.Command {
	var revision, extension string
	var c console
	cmd := &cobra.Command{
		Use:   "verify FILE|URL",
		Short: "Report whether an upstream schema.json matches the pinned facts",
		Long: `Compare an upstream schema.json with the pinned facts. Without --revision, it is
compared with every pinned revision. If none matches, the differences from the
nearest one are printed and the exit code is 1.`,
		Args: oneArgument("FILE or URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			project, err := spec.Load(spec.Embedded())
			if err != nil {
				return err
			}
			upstream, err := readSchema(cmd, args[0])
			if err != nil {
				return err
			}
			verify, candidates, kind := gen.VerifyFacts, project.Revisions(), "revision"
			switch {
			case extension != "":
				verify, candidates, kind = gen.VerifyExtension, []string{extension}, "extension"
			case revision != "":
				candidates = []string{revision}
			}
			var nearest *comparison
			for _, candidate := range candidates {
				differences, sameBytes, err := verify(project, candidate, upstream)
				if err != nil {
					return inSchema(args[0], err)
				}
				if nearest == nil || len(differences) < len(nearest.Differences) {
					nearest = &comparison{args[0], len(differences) == 0, candidate, sameBytes, differences, kind}
				}
				if nearest.Matches {
					break
				}
			}
			if nearest == nil {
				return errors.New("no revision is pinned")
			}
			return ended(c.report(cmd, nearest, nearest.text), !nearest.Matches)
		},
	}
	cmd.Flags().StringVar(&revision, "revision", "", "revision to compare with")
	cmd.Flags().StringVar(&extension, "extension", "", "identifier of the pinned extension to compare with")
	excludes(cmd, "extension", "revision")
	c.flags(cmd)
	return cmd
}
