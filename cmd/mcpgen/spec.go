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
		Short: "Pin an upstream schema.json: take over its facts and its checksum",
		Long: `Pin an upstream schema.json: write its facts, without its prose, and its
checksum to the spec folder. FILE may be an https URL or "-".

It says what changed since the newest pinned revision, or since the last import
of the same one, and what the overlay must still say, or no longer, before the
revision can be generated. In that case the exit code is 1.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if info, err := os.Stat(filepath.Join(dir, "pins.json")); err != nil || info.IsDir() {
				return fmt.Errorf("%s: is not a spec folder: it has no pins.json", dir)
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
	cmd.Flags().StringVar(&revision, "revision", "", "the revision the file is of (required)")
	cmd.Flags().StringVar(&commit, "commit", "", "the upstream commit the file was taken from")
	cmd.Flags().StringVar(&dir, "spec", "spec", "the spec folder")
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
			fmt.Fprintf(out, "nothing changed against %s\n", imported.Against)
		}
		list(fmt.Sprintf("changed against %s:", imported.Against), imported.Changes)
	}
	list("overlay rows it has no use for, which need an until before it can be generated:", imported.Unused)
	list("still needed before it can be generated:", imported.Needed)
	if len(imported.Needed)+len(imported.Unused) > 0 {
		return errFindings
	}
	return nil
}

func specVerifyCommand() *cobra.Command {
	var revision string
	cmd := &cobra.Command{
		Use:   "verify FILE|URL",
		Short: "Tell whether an upstream schema.json says the same as the pinned facts",
		Long: `Compare an upstream schema.json with the pinned facts. Without --revision the
revision is the one whose facts are the same. A difference makes the exit code 1.`,
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
					note := "the same file as was imported"
					if !sameBytes {
						note = "the file's bytes differ from the imported one's, its facts do not"
					}
					fmt.Fprintf(cmd.OutOrStdout(), "%s says what is pinned for %s (%s)\n", args[0], candidate, note)
					return nil
				}
				header := fmt.Sprintf("%s differs from what is pinned for %s:", args[0], candidate)
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
	cmd.Flags().StringVar(&revision, "revision", "", "the revision the file should be of")
	return cmd
}
