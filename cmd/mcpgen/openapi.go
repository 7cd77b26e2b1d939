package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/openapi"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/skeleton"
)

// apiSource is an OpenAPI document and the file that maps its operations to tools.
type apiSource struct {
	document string
	mapping  string
	limit    int64
}

// defaultMapping is the name of the mapping file beside the list.
const defaultMapping = "openapi.mcpgen.yaml"

func (a *apiSource) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.document, "openapi", "", "OpenAPI document `FILE`, whose operations become tools")
	cmd.Flags().StringVar(&a.mapping, "mapping", "", "`FILE` that selects and names operations (default: "+defaultMapping+" beside the output)")
	cmd.Flags().Int64Var(&a.limit, "openapi-limit", openapi.MostBytes, "most `BYTES` of the files that the document refers to")
	completeFiles(cmd, "openapi", "json", "yaml", "yml")
	completeFiles(cmd, "mapping", "yaml", "yml")
}

// write imports the document. It writes the list and the mapping file, or neither.
func (a *apiSource) write(cmd *cobra.Command, out string) (*importedAPI, error) {
	if a.limit < 1 {
		return nil, fmt.Errorf("--openapi-limit %d: expected at least 1", a.limit)
	}
	text, err := readSource(cmd.Context(), cmd.InOrStdin(), a.document)
	if err != nil {
		return nil, err
	}
	open, done, err := beside(cmd.Context(), a.document)
	if err != nil {
		return nil, err
	}
	defer done()
	if a.mapping == "" {
		a.mapping = defaultMapping
		if out != "-" {
			a.mapping = filepath.Join(filepath.Dir(out), defaultMapping)
		}
	}
	o := openapi.Options{Name: a.document, Text: text, Open: open, Limit: a.limit, MappingName: a.mapping}
	before, err := os.ReadFile(a.mapping)
	switch {
	case err == nil:
		if o.Mapping, err = openapi.ReadMapping(a.mapping, before); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case out == "-" && given(cmd, "mapping"):
		return nil, fmt.Errorf("--mapping: %w, and it is not written with --out -", err)
	}
	made, err := openapi.Import(o)
	if err != nil {
		return nil, err
	}
	list, err := skeleton.Read("tools.json", []byte(made.List))
	if err != nil {
		return nil, fmt.Errorf("the tools of %s: %w", a.document, err)
	}
	canonical := skeleton.Canonical(list)
	if out == "-" {
		_, err := cmd.OutOrStdout().Write(canonical)
		return nil, err
	}
	report := &importedAPI{Mapping: a.mapping, Operations: made.Operations, Added: made.Added, Removed: made.Removed, created: o.Mapping == nil}
	if filepath.Clean(a.mapping) == filepath.Clean(out) {
		return nil, fmt.Errorf("--mapping and --out are the same file, %s", out)
	}
	if err := report.write(cmd.Context(), out, canonical, files.File{Path: a.mapping, Content: made.Mapping}); err != nil {
		return nil, err
	}
	report.Notes = texts(made.Notes)
	return report, nil
}

// importedAPI is the report of tools import for an OpenAPI document.
type importedAPI struct {
	imported
	Mapping    string   `json:"mapping"`
	Operations int      `json:"operations"`
	Added      []string `json:"added,omitempty"`   // to the mapping file
	Removed    []string `json:"removed,omitempty"` // from the document, but still in the mapping file

	created bool // the mapping file is new
}

func (i *importedAPI) text(w io.Writer) {
	i.imported.text(w)
	state := "up to date"
	switch {
	case i.created:
		state = "written (yours to edit)"
	case len(i.Added) > 0:
		state = fmt.Sprintf("%d new", len(i.Added))
	}
	fmt.Fprintf(w, "%s: %s, %s\n", i.Mapping, report.Plural(i.Operations, "operation"), state)
	if !i.created {
		for _, key := range i.Added {
			fmt.Fprintf(w, "new: %s\n", key)
		}
	}
	for _, key := range i.Removed {
		fmt.Fprintf(w, "not in the document: %s\n", key)
	}
}
