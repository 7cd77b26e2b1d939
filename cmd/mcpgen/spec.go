package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/files"
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
		Short: "List the pinned revisions",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := allPinned()
			if err != nil {
				return err
			}
			return c.report(cmd, all, func(out io.Writer) {
				w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "REVISION\tPACKAGE\tDEFINITIONS\tMETHODS\tDIALECT\tSHA256 OF THE UPSTREAM FILE")
				for _, p := range all {
					fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", p.Name, p.Package, p.Definitions, p.Methods, p.Dialect, p.SHA256)
				}
				w.Flush()
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
		src, err := gen.PinnedSource(project, pin.Revision)
		if err != nil {
			return nil, err
		}
		lowered, err := gen.Lower(project, src)
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
	cmd := &cobra.Command{
		Use:   "import FILE|URL",
		Short: "Pin an upstream schema.json: store its facts and its checksum",
		Long: `Pin an upstream schema.json: write its facts, without its prose, and its
checksum to the spec folder. FILE may be an https URL or "-". With --extension, the
file is the schema of an extension.

The output lists the changes since the last import of the same revision, or else
since the newest pinned revision. It also lists the errata that apply, the rows
that must be added or ended before the revision can be generated, and the
identifiers without a doc comment. If rows must be added or ended, the exit code
is 1.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if info, err := os.Stat(filepath.Join(dir, "pins.json")); err != nil || info.IsDir() {
				return fmt.Errorf("%s: not a spec folder: it has no pins.json", dir)
			}
			project, err := spec.Load(os.DirFS(dir))
			if err != nil {
				return err
			}
			upstream, err := readSource(cmd.Context(), cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			imported, err := importSchema(project, extension, revision, commit, upstream)
			if err != nil {
				return err
			}
			if err := files.Replace(dir, imported.Files); err != nil {
				return err
			}
			return reportImport(cmd, dir, imported)
		},
	}
	cmd.Flags().StringVar(&revision, "revision", "", "revision of the file, or that an extension extends (required, but for extensions, which extend the newest by default)")
	cmd.Flags().StringVar(&extension, "extension", "", "identifier of the extension that the file is the schema of, such as io.modelcontextprotocol/tasks")
	cmd.Flags().StringVar(&commit, "commit", "", "upstream commit of the file")
	cmd.Flags().StringVar(&dir, "spec", "spec", "spec folder")
	return cmd
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

func reportImport(cmd *cobra.Command, dir string, imported *gen.Imported) error {
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "pinned %s, sha256 %s, in %s\n", imported.Pin.Revision, imported.Pin.SHA256, dir)
	list := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintf(out, "\n%s\n", title)
		for _, line := range lines {
			fmt.Fprintln(out, "  "+line)
		}
	}
	if imported.Against != "" {
		if len(imported.Changes) == 0 {
			fmt.Fprintf(out, "no changes since %s\n", imported.Against)
		}
		list(fmt.Sprintf("changes since %s:", imported.Against), imported.Changes)
	}
	list("errata that apply:", imported.Errata)
	list("errata of other revisions that would apply:", imported.Ended)
	list("rows without effect, which need an until before the revision can be generated:", imported.Stale)
	list("still needed before the revision can be generated:", imported.Needed)
	list("without a doc comment in docs.yaml:", imported.Undocumented)
	list("not bridged between revisions, for want of a row in convert.yaml:", imported.Unbridged)
	if len(imported.Needed)+len(imported.Stale) > 0 {
		return errFindings
	}
	return nil
}

func specVerifyCommand() *cobra.Command {
	var revision, extension string
	cmd := &cobra.Command{
		Use:   "verify FILE|URL",
		Short: "Report whether an upstream schema.json matches the pinned facts",
		Long: `Compare an upstream schema.json with the pinned facts. Without --revision, it is
compared with every pinned revision. If none matches, the differences from the
nearest one are printed and the exit code is 1.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			project, err := spec.Load(spec.Embedded())
			if err != nil {
				return err
			}
			upstream, err := readSource(cmd.Context(), cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			if extension != "" {
				return verifyExtension(cmd, project, extension, args[0], upstream)
			}
			candidates := project.Revisions()
			if revision != "" {
				candidates = []string{revision}
			}
			var nearest []string
			for _, candidate := range candidates {
				differences, sameBytes, err := gen.VerifyFacts(project, candidate, upstream)
				if err != nil {
					return err
				}
				if len(differences) == 0 {
					note := "same file as imported"
					if !sameBytes {
						note = "different bytes, same facts"
					}
					fmt.Fprintf(cmd.OutOrStdout(), "%s matches the pinned revision %s (%s)\n", args[0], candidate, note)
					return nil
				}
				header := fmt.Sprintf("%s differs from the pinned revision %s:", args[0], candidate)
				if nearest == nil || len(differences) < len(nearest)-1 {
					nearest = slices.Concat([]string{header}, differences)
				}
			}
			if len(nearest) == 0 {
				return errors.New("no revision is pinned")
			}
			fmt.Fprintln(cmd.OutOrStdout(), strings.Join(nearest, "\n  "))
			return errFindings
		},
	}
	cmd.Flags().StringVar(&revision, "revision", "", "revision to compare with")
	cmd.Flags().StringVar(&extension, "extension", "", "identifier of the pinned extension to compare with")
	return cmd
}

func verifyExtension(cmd *cobra.Command, project *spec.Spec, name, file string, upstream []byte) error {
	differences, sameBytes, err := gen.VerifyExtension(project, name, upstream)
	if err != nil {
		return err
	}
	if len(differences) > 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "%s differs from the pinned extension %s:\n  %s\n", file, name, strings.Join(differences, "\n  "))
		return errFindings
	}
	note := "same file as imported"
	if !sameBytes {
		note = "different bytes, same facts"
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s matches the pinned extension %s (%s)\n", file, name, note)
	return nil
}
