package main

import (
	"errors"
	"fmt"
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
		Short: "List, import and verify the pinned schemas",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(specListCommand(), specImportCommand(), specVerifyCommand())
	return cmd
}

func specListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the pinned revisions",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			project, err := spec.Load(spec.Embedded())
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "REVISION\tPACKAGE\tDEFINITIONS\tMETHODS\tDIALECT\tSHA256 OF THE UPSTREAM FILE")
			for _, pin := range project.Pins {
				src, err := gen.PinnedSource(project, pin.Revision)
				if err != nil {
					return err
				}
				lowered, err := gen.Lower(project, src)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", pin.Revision, lowered.Revision.Package,
					len(lowered.Document.Definitions), len(lowered.Revision.Methods), pin.Dialect, pin.SHA256)
			}
			return w.Flush()
		},
	}
}

func specImportCommand() *cobra.Command {
	var revision, commit, dir string
	cmd := &cobra.Command{
		Use:   "import FILE|URL",
		Short: "Pin an upstream schema.json: store its facts and its checksum",
		Long: `Pin an upstream schema.json: write its facts, without its prose, and its
checksum to the spec folder. FILE may be an https URL or "-".

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
			imported, err := gen.Import(project, revision, commit, upstream)
			if err != nil {
				return err
			}
			if err := files.Replace(dir, imported.Files); err != nil {
				return err
			}
			return reportImport(cmd, dir, imported)
		},
	}
	cmd.Flags().StringVar(&revision, "revision", "", "revision of the file (required)")
	cmd.Flags().StringVar(&commit, "commit", "", "upstream commit of the file")
	cmd.Flags().StringVar(&dir, "spec", "spec", "spec folder")
	cmd.MarkFlagRequired("revision")
	return cmd
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
	var revision string
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
	return cmd
}
