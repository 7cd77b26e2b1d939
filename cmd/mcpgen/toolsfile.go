package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/authoring"
)

// readList reads a list from a file.
func readList(cmd *cobra.Command, name string) (file *authoring.File, err error) {
	err = openList(cmd, name, func(text []byte, open authoring.Open) (err error) {
		file, err = authoring.Read(name, text, open)
		if _, placed := errors.AsType[*authoring.Problem](err); err != nil && !placed {
			err = named(name, err)
		}
		return err
	})
	return file, err
}

// withoutList adds what to do to the error about a list that does not exist.
func withoutList(cmd *cobra.Command, name string, err error) error {
	flag := cmd.Flags().Lookup("tools")
	if !errors.Is(err, fs.ErrNotExist) || flag == nil || flag.Changed {
		return err
	}
	for _, other := range []string{"tools.yaml", "tools.yml"} {
		if exists(other) {
			return fmt.Errorf("%w (did you mean --tools %s?)", err, other)
		}
	}
	return fmt.Errorf("%w; --tools names a list that you have written, and \"mcpgen tools import\" writes that of a server to %s", err, name)
}

// readShared reads a list from a file for readers that do not support shared schemas.
func readShared(cmd *cobra.Command, name string) (list *authoring.Bundled, err error) {
	err = openList(cmd, name, func(text []byte, open authoring.Open) error {
		list = authoring.Bundle(name, text, open)
		return nil
	})
	return list, err
}

// openList calls read with the text of a list and with a function that reads other files in its folder. The
// function must not be used after read has returned.
func openList(cmd *cobra.Command, name string, read func(text []byte, open authoring.Open) error) error {
	text, err := readSource(cmd.Context(), cmd.InOrStdin(), name)
	if err != nil {
		return withoutList(cmd, name, err)
	}
	open, done, err := beside(cmd.Context(), name)
	if err != nil {
		return err
	}
	defer done()
	return read(text, open)
}

// beside returns the function that reads other files in the folder of a file, or nil if the source is not a
// file. The caller must call done.
func beside(ctx context.Context, name string) (open func(path string) ([]byte, error), done func() error, err error) {
	if name == "-" || strings.Contains(name, "://") {
		return nil, func() error { return nil }, nil
	}
	root, err := os.OpenRoot(filepath.Dir(name)) // no symbolic link leads out of it either
	if err != nil {
		return nil, nil, err
	}
	return func(path string) ([]byte, error) {
		f, err := root.Open(filepath.FromSlash(path))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readLimited(&interruptible{ctx, f}, path)
	}, root.Close, nil
}

// mistakes returns a line for each kind of notes.
func mistakes(notes []*authoring.Problem) []string {
	count := map[string]int{}
	for _, n := range notes {
		count[n.Problem]++
	}
	var lines []string
	for _, n := range notes {
		more := count[n.Problem] - 1
		if delete(count, n.Problem); more > 0 {
			lines = append(lines, fmt.Sprintf("%v (and %d more)", n, more))
		} else if more == 0 {
			lines = append(lines, n.Error())
		}
	}
	return lines
}

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of tool lists, for editors",
		Long: `Print the JSON Schema of the file in which tools are written by hand. An editor
with the YAML language server completes and checks the file if its first line is

  # yaml-language-server: $schema=tools.schema.json

and "mcpgen tools schema > tools.schema.json" has written that file.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(authoring.Schema())
			return err
		},
	}
}
