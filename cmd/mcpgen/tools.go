package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/skeleton"
	"github.com/mcpgen/mcpgen/gen/tools"
)

func toolsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Work with lists of tools",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(importCommand())
	return cmd
}

// origin is where a list of tools comes from.
type origin struct {
	command string
	url     string
	headers []string
}

func importCommand() *cobra.Command {
	var from origin
	var out string
	var all bool
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Write the list of a running server's tools, or of a file, to tools.json",
		Long: `Write a list of tools to a file, from which "mcpgen server" and "mcpgen client"
generate: the list of a server that is started (--cmd) or reached over HTTP
(--url), or that in a JSON or YAML file, where "-" is standard input.

A server gets the handshake and requests for the pages of its list, nothing else.
The file has the full definitions in the server's order, and nothing about where
they came from.

With --all the file also has the server's prompts, resources, resource templates,
instructions and capabilities, which mcpgen diff compares.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, text, err := from.file(cmd, args, all)
			if err != nil {
				return err
			}
			if out == "-" {
				_, err := cmd.OutOrStdout().Write(text)
				return err
			}
			if err := files.Replace(filepath.Dir(out), []files.File{{Path: filepath.Base(out), Content: text}}); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", out, plural(len(list.Tools), "tool"))
			return nil
		},
	}
	from.flags(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "write all that a running server offers, not only its tools")
	cmd.Flags().StringVarP(&out, "out", "o", "tools.json", "file to write; - is standard output")
	return cmd
}

// file returns a list and the text that is written of it.
func (o *origin) file(cmd *cobra.Command, args []string, all bool) (*tools.List, []byte, error) {
	if !all {
		list, err := o.read(cmd, args)
		if err != nil {
			return nil, nil, err
		}
		return list, skeleton.Canonical(list), nil
	}
	if err := o.check(args); err != nil {
		return nil, nil, err
	}
	text, err := o.indented(cmd)
	if err != nil {
		return nil, nil, err
	}
	list, err := skeleton.Read("list.json", text)
	return list, text, err
}

// indented is the catalog of a running server as it is kept in a file.
func (o *origin) indented(cmd *cobra.Command) ([]byte, error) {
	if !o.given() {
		return nil, errors.New("--all is for --cmd and --url")
	}
	text, err := o.catalog(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		return nil, err
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}

// flags are those that name a running server.
func (o *origin) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.command, "cmd", "", "`COMMAND` with arguments that starts a server on its standard input and output")
	cmd.Flags().StringVar(&o.url, "url", "", "`URL` of a server")
	cmd.Flags().StringArrayVar(&o.headers, "header", nil, "`NAME=VALUE` of an HTTP header for --url; may be given again")
}

// given reports whether a running server is named.
func (o *origin) given() bool { return o.command != "" || o.url != "" }

// check refuses more or less than one source.
func (o *origin) check(args []string) error {
	given := len(args)
	for _, flag := range []string{o.command, o.url} {
		if flag != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("give one of --cmd, --url and FILE")
	case o.url == "" && len(o.headers) > 0:
		return errors.New("--header is for --url")
	}
	return nil
}

func (o *origin) read(cmd *cobra.Command, args []string) (*tools.List, error) {
	if err := o.check(args); err != nil {
		return nil, err
	}
	if len(args) == 1 {
		return readList(cmd, args[0])
	}
	text, err := o.fetch(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	return skeleton.Read("list.json", text)
}

// readList reads a list from a file.
func readList(cmd *cobra.Command, name string) (*tools.List, error) {
	text, err := readSource(cmd.Context(), cmd.InOrStdin(), name)
	if err != nil {
		return nil, err
	}
	list, err := skeleton.Read(name, text)
	if err != nil {
		return nil, named(name, err)
	}
	return list, nil
}

// named puts the name of a file before each of its errors.
func named(name string, err error) error {
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fmt.Errorf("%s: %w", name, err)
	}
	var errs []error
	for _, e := range all.Unwrap() {
		errs = append(errs, fmt.Errorf("%s: %w", name, e))
	}
	return errors.Join(errs...)
}

// header parses the headers; a value is nobody's business but the server's, so that no
// error has one.
func (o *origin) header() (http.Header, error) {
	all := http.Header{}
	for i, h := range o.headers {
		name, value, ok := strings.Cut(h, "=")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf("header %d is not of the form NAME=VALUE", i+1)
		}
		all.Add(strings.TrimSpace(name), value)
	}
	return all, nil
}

// process is the command that starts a server.
func (o *origin) process() (*exec.Cmd, error) {
	words, err := splitWords(o.command)
	if err != nil {
		return nil, fmt.Errorf("--cmd: %w", err)
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = os.Environ()
	return cmd, nil
}

// splitWords splits a command line as a shell does, with quotes and backslashes but
// without anything that has another meaning.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, started, escaped := rune(0), false, false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, started = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, started = r, true
		case strings.ContainsRune(" \t\n", r):
			if started {
				words = append(words, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteRune(r)
			started = true
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	case escaped:
		return nil, errors.New("ends with a backslash")
	case started:
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("is empty")
	}
	return words, nil
}

// plural counts things in words.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
