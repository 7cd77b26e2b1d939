package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/merge"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/skeleton"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func toolsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Work with tool lists",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(importCommand(), schemaCommand())
	return cmd
}

// origin is the source of a tool list.
type origin struct {
	command string
	url     string
	program []string // the words of a command: a program that --go has built, or a command after --
	access

	declares capabilities
	quiet    bool // suppresses reports of what mcpgen waits for
}

func importCommand() *cobra.Command {
	var from origin
	var c console
	var api apiSource
	var program goProgram
	var out string
	var all bool
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Write the tool list of a running server, a file or an API to tools.json",
		Long: `Write a tool list to a file, which "mcpgen server" and "mcpgen client" read. The
list comes from a server that is started (--cmd) or reached over HTTP (--url), or
from a JSON or YAML file; "-" is standard input.

A server receives only the handshake and requests for the pages of its list. Some
servers list more tools for clients that can do more, so mcpgen declares all
capabilities of clients, unless --capabilities names some. The file has the complete
definitions in the server's order. It does not name their source. It is JSON, or YAML
if its name ends in .yaml or .yml.

If the file is there, it must be a list. What you have changed in it stays, such as
x-mcp-scopes and x-go-name at any depth; what only the server has changed follows the
server. The list as it was imported is written beside it, with the suffix .imported,
to tell the two apart. If the server no longer has a tool that you have edited,
nothing is written, and the exit code is 1.

With --go, the server is a Go program on any library, such as the Go SDK or mcp-go:
mcpgen builds its package, starts it with the arguments after -- and imports its
list over stdio, or over HTTP if --url says where it listens.

With --all, the file also has the server's prompts, resources, resource templates,
instructions and capabilities. mcpgen diff compares them, and "mcpgen server" and
"mcpgen client" generate a method for each prompt, resource and template.

With --openapi, the tools are the operations of an HTTP API, described by an OpenAPI
document (2.0 and 3.0 to 3.2, JSON or YAML). "mcpgen server" generates handlers that
call the API. The mapping file says which operations become tools and what the tools
are called; an import writes it if it is missing, and otherwise only adds to it.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if program.pkg != "" {
				return beforeDash(atMostOne)(cmd, args)
			}
			return atMostOne(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := program.take(cmd, args)
			if err != nil {
				return err
			}
			if api.document != "" {
				if from.given() || program.pkg != "" || len(args) > 0 {
					return oneSource(cmd)
				}
				done, err := api.write(cmd, out)
				if err != nil || out == "-" {
					return err
				}
				return c.report(cmd, done, done.text)
			}
			from.quiet = c.quiet
			if program.pkg != "" && (from.command != "" || len(args) > 0) {
				return oneSource(cmd)
			}
			end, err := program.start(cmd, &from)
			if err != nil {
				return err
			}
			defer end()
			done, text, err := from.file(cmd, args, all)
			if err != nil {
				return err
			}
			if out == "-" {
				_, err := cmd.OutOrStdout().Write(text)
				return err
			}
			if err := done.write(cmd.Context(), out, text); err != nil {
				return err
			}
			if from.given() {
				done.Declared = from.declares.names()
			}
			done.Next = program.next(out, &from)
			return c.report(cmd, done, done.text)
		},
	}
	from.flags(cmd, "cmd", "url", "go")
	program.flags(cmd)
	c.flags(cmd)
	api.flags(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "write everything that a running server offers, not only its tools")
	cmd.Flags().StringVarP(&out, "out", "o", "tools.json", "output file; - is standard output")
	needs(cmd, "mapping", "openapi")
	needs(cmd, "openapi-limit", "openapi")
	needs(cmd, "all", "cmd", "url", "go")
	idle(cmd, "json", "has no effect with --out -, which prints the list", func([]string) bool { return out == "-" })
	idle(cmd, "quiet", "has no effect with --out -, which prints the list", func([]string) bool { return out == "-" && !from.given() && program.pkg == "" })
	completeFiles(cmd, "out", "json", "yaml", "yml")
	return cmd
}

// imported is the report of tools import.
type imported struct {
	File string `json:"file"`
	offers

	Declared []string `json:"declared,omitzero"` // the capabilities that were declared to a running server
	Notes    []string `json:"notes,omitempty"`   // notes about entries that were changed or left out
	Merged   []string `json:"merged,omitempty"`  // what became of what people have changed in the file
	Base     string   `json:"base,omitempty"`    // the new file that tells the next import what people have changed
	Next     []string `json:"next,omitempty"`    // what to do with the list of a Go program
}

// baseSuffix is appended to the name of the list, which people may edit, for the file with the list as it was
// imported.
const baseSuffix = ".imported"

// write merges a list with the one in a file, and writes it with other files: all of them or none.
func (i *imported) write(ctx context.Context, out string, list []byte, others ...files.File) error {
	out, err := files.Target(out)
	if err != nil {
		return err
	}
	in := merge.Imported{Name: out, Theirs: list}
	base := out + baseSuffix
	for _, file := range []struct {
		name string
		into *[]byte
	}{{out, &in.Mine}, {base, &in.Base}} {
		text, err := os.ReadFile(file.name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		*file.into = text
	}
	if in.Base != nil && !json.Valid(in.Base) {
		return fmt.Errorf("%s: is not a file that an import has written; if you do not need it, delete it", base)
	}
	if in.Base == nil {
		i.Base = base
	}
	merged, err := in.Merge()
	if gone, ok := errors.AsType[*merge.GoneError](err); ok {
		return problem{gone.Error()}
	}
	if err != nil {
		return err
	}
	offered, err := catalog.Read(out, merged.Text)
	if err != nil {
		return named(out, err)
	}
	i.File, i.Merged, i.offers = out, merged.Notes, offersOf(offered.Count)
	return replace(ctx, "", append(others, files.File{Path: out, Content: merged.Text}, files.File{Path: base, Content: merged.Base})...)
}

func (i imported) text(w io.Writer) {
	for _, note := range i.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	declared := ""
	switch {
	case len(i.Declared) > 0:
		declared = "; declared " + strings.Join(i.Declared, ", ")
	case i.Declared != nil:
		declared = "; declared no capabilities"
	}
	fmt.Fprintf(w, "%s: %s%s\n", i.File, i.offers, declared)
	for _, line := range i.Merged {
		fmt.Fprintln(w, line)
	}
	if i.Base != "" {
		fmt.Fprintf(w, "%s: what was imported, so that the next import keeps what you change in %s; put both under version control\n", i.Base, i.File)
	}
	for _, line := range i.Next {
		fmt.Fprintln(w, line)
	}
}

// file returns the report of an import and the text of the output file.
func (o *origin) file(cmd *cobra.Command, args []string, all bool) (*imported, []byte, error) {
	if all {
		if err := o.check(cmd, args); err != nil {
			return nil, nil, err
		}
		return o.everything(cmd)
	}
	list, text, err := o.read(cmd, args)
	if err != nil {
		return nil, nil, err
	}
	return &imported{Notes: texts(list.Notes)}, text, nil
}

// everything imports all that a running server offers. Prompts, resources and templates that no
// server could be generated from are written too, with a note, because mcpgen diff compares them.
func (o *origin) everything(cmd *cobra.Command) (*imported, []byte, error) {
	text, err := o.indented(cmd)
	if err != nil {
		return nil, nil, err
	}
	definitions, _ := wire.Object(text).Get("tools")
	list, err := skeleton.Read("list.json", []byte(definitions))
	if err != nil {
		return nil, nil, err
	}
	done := &imported{Notes: texts(list.Notes)}
	if _, err := skeleton.Read("list.json", text); err != nil {
		done.Notes = append(done.Notes, "mcpgen server and mcpgen client refuse the file: "+strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return done, text, nil
}

// texts returns the texts of notes.
func texts[E error](notes []E) []string {
	var all []string
	for _, n := range notes {
		all = append(all, n.Error())
	}
	return all
}

// indented returns the indented catalog of a running server.
func (o *origin) indented(cmd *cobra.Command) ([]byte, error) {
	text, err := o.catalog(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	return report.Indented(text, nil), nil
}

// flags adds the flags that name a running server, and the one that says how mcpgen introduces itself. Starts are
// the flags that name such a server.
func (o *origin) flags(cmd *cobra.Command, starts ...string) {
	o.locating(cmd)
	o.declares.flag(cmd)
	needs(cmd, "capabilities", starts...)
	needs(cmd, accessFlags, "url")
}

// locating adds the flags that name a running server.
func (o *origin) locating(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.command, "cmd", "", "`COMMAND` with arguments that starts a server over stdio")
	cmd.Flags().StringVar(&o.url, "url", "", "`URL` of a server")
	o.access.flags(cmd)
}

// with returns another server with the same settings.
func (o *origin) with(other origin) *origin {
	other.declares, other.quiet = o.declares, o.quiet
	return &other
}

// given reports whether a running server is named.
func (o *origin) given() bool { return o.count() > 0 }

// one requires that exactly one server is given: by --cmd, by --url, or by the words of a command after --. The words
// of either command become those of the program.
func (o *origin) one(words []string) (err error) {
	o.program = words
	if o.count() != 1 {
		return errors.New("expected one of --cmd, --url and a command after --")
	}
	if o.command != "" {
		o.program, err = o.words()
	}
	return err
}

// words returns the words of --cmd.
func (o *origin) words() ([]string, error) {
	words, err := splitWords(o.command)
	if err != nil {
		return nil, fmt.Errorf("--cmd: %w", err)
	}
	return words, nil
}

// count returns how many servers are given.
func (o *origin) count() (n int) {
	for _, given := range []bool{o.command != "", o.url != "", len(o.program) > 0} {
		if given {
			n++
		}
	}
	return n
}

// oneSource reports that a command has several sources of a list, or none.
func oneSource(cmd *cobra.Command) error {
	var flags []string
	for _, name := range []string{"cmd", "url", "go", "openapi"} {
		if cmd.Flags().Lookup(name) != nil {
			flags = append(flags, "--"+name)
		}
	}
	return fmt.Errorf("expected one of %s and FILE", strings.Join(flags, ", "))
}

// check requires exactly one source.
func (o *origin) check(cmd *cobra.Command, args []string) error {
	given := o.count() + len(args)
	if o.program != nil && o.url != "" { // the program of --go listens there
		given--
	}
	if given != 1 {
		return oneSource(cmd)
	}
	return nil
}

// read returns the list of a file or the tools of a running server, and its text.
func (o *origin) read(cmd *cobra.Command, args []string) (*tools.List, []byte, error) {
	if err := o.check(cmd, args); err != nil {
		return nil, nil, err
	}
	if len(args) == 1 {
		file, err := readList(cmd, args[0])
		if err != nil {
			return nil, nil, err
		}
		return file.List, file.Text(), nil
	}
	text, err := o.fetch(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return nil, nil, err
	}
	list, err := skeleton.Read("list.json", text)
	if err != nil {
		return nil, nil, err
	}
	return list, skeleton.Canonical(list), nil
}

// named adds the name of a file to each error of a joined error. The line and column of a syntax error
// follow the name.
func named(name string, err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, e := range all.Unwrap() {
			errs = append(errs, named(name, e))
		}
		return errors.Join(errs...)
	}
	if e, ok := errors.AsType[*catalog.SyntaxError](err); ok && e.Line > 0 {
		return fmt.Errorf("%s:%w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// process returns the command that starts a server.
func (o *origin) process(ctx context.Context) (*exec.Cmd, error) {
	words := o.program
	if words == nil {
		var err error
		if words, err = o.words(); err != nil {
			return nil, err
		}
	}
	return serverProcess(ctx, words), nil
}

// serverProcess returns the command that starts a server. When ctx ends, the server is asked to end, and killed with
// its process group soon after.
func serverProcess(ctx context.Context, words []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = os.Environ()
	cmd.WaitDelay = serverEnd
	cmd.Cancel = func() error {
		if cmd.Process.Signal(syscall.SIGTERM) == nil {
			return nil
		}
		return cmd.Process.Kill() // this system has no such signal
	}
	return cmd
}

// serverEnd is how long a server may take to end once the program is interrupted.
const serverEnd = 400 * time.Millisecond

// splitWords splits a command line into words like a shell, with quotes and backslashes but
// without expansions.
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
		return nil, fmt.Errorf("unclosed quote %c", quote)
	case escaped:
		return nil, errors.New("trailing backslash")
	case started:
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("is empty")
	}
	return words, nil
}
