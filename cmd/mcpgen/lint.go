package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/authoring"
	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/diff/locate"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/lint"
	"github.com/mcpgen/mcpgen/gen/lint/render"
	"github.com/mcpgen/mcpgen/gen/merge"
	"github.com/mcpgen/mcpgen/gen/skeleton"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// linter is one run of lint.
type linter struct {
	from                       origin
	hosts, format, failOn, out string
	disabled                   []string
	fix, rules, quiet          bool

	refused, noted []lint.Problem // what mcpgen server says about the file
}

func lintCommand() *cobra.Command {
	var l linter
	cmd := &cobra.Command{
		Use:   "lint [FILE]",
		Short: "Find faults in what a server offers to models",
		Long: `Find faults in a list of tools, prompts and resources: in a file, in the answers of
a server that is started (--cmd), or of one that is reached over HTTP (--url). "-"
is standard input. The file has one of the forms that mcpgen diff reads.

The rules are about

  protocol       names, annotations, URIs, headers, what the protocol allows
  schema         schemas that are invalid, contradict themselves or say nothing
  host           the parts of JSON Schema that Anthropic, OpenAI and Gemini accept
  security       texts that hide something or instruct the model (tool poisoning)
  documentation  descriptions and output schemas that are missing
  size           what the list costs of each conversation

--rules lists them with their sources. A finding of level err is a fault that a
host refuses or that harms users; warn is one that works in some hosts only or is
most likely a mistake; info is advice.

--fix rewrites the faults that have an equivalent form without the fault. Each
rewritten schema has accepted and refused the same sample values as before. --fix
replaces a JSON file; for YAML and for servers, --out names the file to write.

The exit code is 0 without findings of the level of --fail-on, 1 with one, and 2
if the list cannot be read.`,
		Args: atMostOne,
		RunE: l.run,
	}
	l.from.flags(cmd, "cmd", "url")
	cmd.Flags().StringVar(&l.hosts, "host", "all", "hosts whose rules apply: anthropic, openai, openai-strict, gemini, separated by commas; all (without openai-strict) or none")
	cmd.Flags().StringSliceVar(&l.disabled, "disable", nil, "`RULES` that do not apply, separated by commas")
	cmd.Flags().StringVar(&l.format, "format", "text", "text, json, github, gitlab (code quality), junit, sarif or html (a self-contained page)")
	cmd.Flags().StringVar(&l.failOn, "fail-on", "err", "least serious level that makes the exit code 1: err, warn, info or none")
	cmd.Flags().BoolVar(&l.fix, "fix", false, "rewrite faults that have an equivalent form without the fault")
	cmd.Flags().StringVarP(&l.out, "out", "o", "", "file for the list that --fix writes, as JSON or YAML by its name (default: the file that was read); - is standard output")
	cmd.Flags().BoolVar(&l.rules, "rules", false, "list the rules and exit")
	cmd.Flags().BoolVarP(&l.quiet, "quiet", "q", false, "print no report, only set the exit code")
	jsonFormat(cmd, &l.format)
	alone(cmd, "rules", "format", "json")
	needs(cmd, "out", "fix")
	idle(cmd, "format json fail-on", "has no effect with --out -, which prints the list", func([]string) bool { return l.out == "-" })
	idle(cmd, "quiet", "has no effect with --out -, which prints the list", func([]string) bool { return l.out == "-" && !l.from.given() })
	return cmd
}

func (l *linter) run(cmd *cobra.Command, args []string) error {
	if l.rules {
		return render.Rules(cmd.OutOrStdout(), render.Format(l.format))
	}
	options, err := l.options()
	if err != nil {
		return err
	}
	if err := l.from.check(cmd, args); err != nil {
		return err
	}
	name, file, list, err := l.read(cmd, args)
	if err != nil {
		return err
	}
	text := list.Text
	options.Refused, options.Noted = l.refused, l.noted
	if options.Find = list.Find; l.fix {
		if text, err = l.rewrite(cmd, name, file, list, options); err != nil {
			return err
		}
		options.Find = nil
		options.Refused, options.Noted = generator(name, text, nil)
		if l.out != "" {
			name, file = l.out, l.out
		}
	}
	if l.fix && l.out == "-" {
		return nil // the list is the output
	}
	report, err := lint.Lint(name, text, options)
	if err != nil {
		return named(name, err)
	}
	if !l.quiet {
		failOn := lint.Level(l.failOn)
		if l.failOn == "none" {
			failOn = ""
		}
		if err := render.Write(cmd.OutOrStdout(), render.Format(l.format), report, file, failOn); err != nil {
			return err
		}
	}
	return ended(nil, slices.ContainsFunc(report.Findings, func(f *lint.Finding) bool { return l.failOn != "none" && f.Level.AtLeast(lint.Level(l.failOn)) }))
}

// options checks the flags.
func (l *linter) options() (lint.Options, error) {
	o := lint.Options{Disabled: l.disabled, Validate: validateDefinition}
	var err error
	if o.Hosts, err = lint.ParseHosts(l.hosts); err != nil {
		return o, fmt.Errorf("--host: %w", err)
	}
	for _, id := range l.disabled {
		if !lint.IsRule(id) {
			return o, fmt.Errorf("--disable: unknown rule %q; mcpgen lint --rules lists them", id)
		}
	}
	switch {
	case !slices.Contains(render.Formats(), render.Format(l.format)):
		return o, fmt.Errorf("unknown format %q: expected text, json, github, gitlab, junit, sarif or html", l.format)
	case l.failOn != "none" && !slices.Contains(lint.Levels(), lint.Level(l.failOn)):
		return o, fmt.Errorf("--fail-on: unknown level %q: expected err, warn, info or none", l.failOn)
	}
	return o, nil
}

// read returns the name of the list for people, its path if it is a file, and the list.
func (l *linter) read(cmd *cobra.Command, args []string) (name, file string, list *authoring.Bundled, err error) {
	if len(args) == 0 {
		name = "server"
		if l.from.url != "" {
			name = withoutSecrets(l.from.url)
		}
		text, err := l.from.indented(cmd)
		return name, "", &authoring.Bundled{Text: text}, err
	}
	name = args[0]
	if name != "-" && !strings.Contains(name, "://") {
		file = name
	}
	err = openList(cmd, name, func(text []byte, open authoring.Open) error {
		list = authoring.Bundle(name, text, open)
		l.refused, l.noted = generator(name, text, open)
		return nil
	})
	return name, file, list, err
}

// generator returns why mcpgen server refuses a list, and what it notes. It returns nothing for a list in a form
// that only lint and diff read, because mcpgen generates no server from it.
func generator(name string, text []byte, open authoring.Open) (refused, noted []lint.Problem) {
	if c, err := catalog.Read(name, text); err != nil || !servable(name, c) {
		return nil, nil
	}
	file, err := authoring.Read(name, text, open)
	if err != nil {
		return problemsOf(name, err), nil
	}
	if err := skeleton.Check(skeleton.Options{List: file.List, Source: name, Package: "main"}); err != nil {
		refused = problemsOf(name, file.Explain(err))
	}
	return refused, problemsOf(name, file.Err())
}

// servable reports whether a list has the form of an answer to tools/list, or of the tools in one.
func servable(name string, c *catalog.Catalog) bool {
	switch filepath.Ext(name) {
	case ".json", ".yaml", ".yml":
	default:
		return name == "-"
	}
	for _, d := range c.Definitions {
		if d.Text.Kind() != wire.KindObject || !servablePlace.MatchString(d.Pointer) {
			return false
		}
		if _, ok := wire.Object(d.Text).Get("inputSchema"); !ok && d.Part == catalog.Tools {
			return false // lint says so, or it is a tool of a chat API
		}
	}
	return true
}

var servablePlace = regexp.MustCompile(`^((/result)?/(tools|prompts|resources|resourceTemplates))?/[0-9]+$`)

// problemsOf returns the problems that an error joins. Those in another file than the list name it.
func problemsOf(name string, err error) []lint.Problem {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var all []lint.Problem
		for _, e := range several.Unwrap() {
			all = append(all, problemsOf(name, e)...)
		}
		return all
	}
	p, ok := errors.AsType[*authoring.Problem](err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return []lint.Problem{{Message: err.Error()}}
	case p.File != name:
		return []lint.Problem{{Message: p.Error()}}
	}
	problem := lint.Problem{Pointer: p.Pointer, Message: p.Problem}
	if p.Line > 0 {
		problem.Position = &locate.Position{Line: p.Line, Column: p.Column}
	}
	return []lint.Problem{problem}
}

// rewrite writes the fixed list and returns it.
func (l *linter) rewrite(cmd *cobra.Command, name, file string, list *authoring.Bundled, options lint.Options) ([]byte, error) {
	out, text := l.out, list.Text
	switch {
	case out != "":
	case file == "":
		return nil, fmt.Errorf("%s: --fix needs --out for a list that is not a file", name)
	case strings.HasSuffix(file, ".yaml") || strings.HasSuffix(file, ".yml"):
		return nil, fmt.Errorf("%s: --fix writes JSON: name the file with --out", name)
	case list.Shared():
		return nil, fmt.Errorf("%s: --fix writes a copy of the shared schemas into each tool: name the file with --out", name)
	default:
		out = file
	}
	if out != "-" {
		if _, err := files.Target(out); err != nil {
			return nil, err
		}
	}
	to := merge.Imported{Name: out}
	if out != "-" && out != file {
		var err error
		if to.Mine, err = os.ReadFile(out); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := to.Check(); err != nil {
			return nil, err
		}
	}
	fixed, changes, err := lint.Fix(name, text, options)
	if err != nil {
		return nil, named(name, err)
	}
	if to.Theirs = fixed; catalog.IsYAML(out, nil) {
		if fixed, err = to.New(); err != nil {
			return nil, err
		}
	}
	if out == "-" {
		_, err := cmd.OutOrStdout().Write(fixed)
		return fixed, err
	}
	if !l.quiet {
		for _, c := range changes {
			fmt.Fprintf(cmd.ErrOrStderr(), "fixed: %s: %s [%s]\n", c.Subject, c.Pointer, c.Rule)
		}
	}
	if len(changes) == 0 && out == file {
		return text, nil
	}
	return fixed, replace(cmd.Context(), "", files.File{Path: out, Content: fixed})
}
