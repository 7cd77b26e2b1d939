package main

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/skeleton"
	"github.com/mcpgen/mcpgen/gen/tools"
)

// project is a folder with a server or client that was generated from a tool list.
type project struct {
	list   string // the file name of the list
	out    string
	pkg    string
	named  bool // --package was given
	check  bool
	strict bool

	tools  *tools.List
	survey *skeleton.Survey
	before string // the package of the existing generated files, or ""
}

func (p *project) flags(cmd *cobra.Command, pkg string) {
	cmd.Flags().StringVar(&p.list, "tools", "tools.json", "tool list, JSON or YAML; - is standard input")
	cmd.Flags().StringVar(&p.out, "out", "", "folder of the package (required)")
	cmd.Flags().StringVar(&p.pkg, "package", "", "name of the package (default: "+pkg+")")
	cmd.Flags().BoolVar(&p.check, "check", false, "write nothing; print how the generated files differ from what would be written, and exit with 1 if they do")
	cmd.Flags().BoolVar(&p.strict, "strict", false, "fail if a part of a schema has no Go type")
	if err := cmd.MarkFlagRequired("out"); err != nil {
		panic(err)
	}
}

// load reads the list and the existing files of the folder.
func (p *project) load(cmd *cobra.Command, pkg string) error {
	p.named = p.pkg != ""
	var err error
	if p.tools, err = readList(cmd, p.list); err != nil {
		return err
	}
	sources, err := p.sources()
	if err != nil {
		return err
	}
	if p.survey, err = skeleton.NewSurvey(sources); err != nil {
		return fmt.Errorf("%s: %w", p.out, err)
	}
	switch {
	case p.named && (!token.IsIdentifier(p.pkg) || p.pkg == "_"):
		return fmt.Errorf("--package: %q is not a valid package name", p.pkg)
	case !p.named && p.survey.Package != "":
		p.pkg = p.survey.Package
	case !p.named && p.before != "":
		p.pkg = p.before
	case !p.named:
		p.pkg = pkg
	case p.survey.Package != "" && p.survey.Package != p.pkg:
		return fmt.Errorf("%s: the folder has files of package %s, not %s", p.out, p.survey.Package, p.pkg)
	}
	return nil
}

// sources returns the package's own Go files, without tests and generated files.
func (p *project) sources() (map[string][]byte, error) {
	entries, err := os.ReadDir(p.out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sources := map[string][]byte{}
	for _, entry := range entries {
		name := entry.Name()
		if !entry.Type().IsRegular() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.out, name))
		if err != nil {
			return nil, err
		}
		if !files.Generated(text) {
			sources[name] = text
		} else if file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly); err == nil {
			p.before = file.Name.Name
		}
	}
	return sources, nil
}

func (p *project) options() skeleton.Options {
	o := skeleton.Options{List: p.tools, Source: p.source(), Package: p.pkg, Implementations: p.survey.Implementations}
	if len(o.Implementations) == 0 && !p.apart() {
		o.Implementations = []string{skeleton.HandlersType(p.pkg)} // to be overwritten
	}
	return o
}

// apart reports whether the folder has only generated files and the handlers are in another
// package.
func (p *project) apart() bool { return p.before != "" && p.pkg != "main" && p.survey.Package == "" }

// source returns the name of the list for the generated files.
func (p *project) source() string {
	if p.list == "-" {
		return "tools.json"
	}
	return filepath.Base(p.list)
}

// explain adds the list's name to errors about the list.
func (p *project) explain(err error) error { return named(p.list, err) }

// name returns the name of the folder.
func (p *project) name() (string, error) {
	dir, err := filepath.Abs(p.out)
	if err != nil {
		return "", err
	}
	return filepath.Base(dir), nil
}

// fromOut returns the path from the folder to the list.
func (p *project) fromOut() (string, error) {
	if p.list == "-" || strings.Contains(p.list, "://") {
		return p.source(), nil
	}
	list, err := filepath.Abs(p.list)
	if err != nil {
		return "", err
	}
	dir, err := filepath.Abs(p.out)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(dir, list)
	return filepath.ToSlash(rel), err
}

// finish writes or compares the files and prints a summary.
func (p *project) finish(cmd *cobra.Command, made *skeleton.Result, users []files.File, start time.Time) error {
	if err := p.degraded(made); err != nil {
		return err
	}
	plan := files.Plan{Dir: p.out, Files: made.Files, Owned: []string{"."}, Suffixes: skeleton.Suffixes, Users: users}
	if p.check {
		return p.compare(cmd, plan)
	}
	changes, err := plan.Write()
	if err != nil {
		return err
	}
	p.summary(cmd, made, plan, changes, time.Since(start))
	return nil
}

// degraded returns an error for each part of a schema without a Go type, if --strict is set.
func (p *project) degraded(made *skeleton.Result) error {
	var errs []error
	for _, d := range made.Diagnostics {
		if d.Raw && p.strict {
			errs = append(errs, fmt.Errorf("%s: no Go type for %s", p.list, d))
		}
	}
	return errors.Join(errs...)
}

// compare reports whether the files on disk are up to date.
func (p *project) compare(cmd *cobra.Command, plan files.Plan) error {
	changes, err := plan.Changes()
	if err != nil {
		return err
	}
	for _, c := range changes {
		cmd.OutOrStdout().Write(c.Diff())
	}
	if len(changes) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d generated files differ; run \"mcpgen %s\" without --check\n", len(changes), len(plan.Files), cmd.Name())
		return errFindings
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s up to date\n", plural(len(plan.Files), "generated file"))
	return nil
}

// summary prints the written and the kept files.
func (p *project) summary(cmd *cobra.Command, made *skeleton.Result, plan files.Plan, changes []files.Change, took time.Duration) {
	out := cmd.OutOrStdout()
	for _, d := range made.Diagnostics {
		if d.Raw {
			fmt.Fprintf(out, "untyped (wire.Raw): %s\n", d)
		} else {
			fmt.Fprintf(out, "note: %s\n", d)
		}
	}
	kinds := map[string]string{}
	for _, c := range changes {
		kinds[c.Path] = c.Kind
	}
	written, lines := 0, 0
	for _, f := range plan.Files {
		lines += countLines(f.Content)
		if kinds[f.Path] != "" {
			written++
		}
	}
	fmt.Fprintf(out, "%s: package %s, %s, %s with %d lines in %d ms: %d written, %d unchanged\n", p.out, p.pkg,
		plural(len(made.Tools), "tool"), plural(len(plan.Files), "generated file"), lines, took.Milliseconds(), written, len(plan.Files)-written)
	for _, c := range changes {
		if c.Kind == "remove" {
			fmt.Fprintf(out, "removed (no longer generated): %s\n", c.Path)
		}
	}
	var mine, kept []string
	for _, name := range skeleton.UserFiles {
		if kinds[name] != "" {
			mine = append(mine, name)
		} else if _, err := os.Lstat(filepath.Join(p.out, name)); err == nil {
			kept = append(kept, name)
		}
	}
	if len(mine) > 0 {
		fmt.Fprintf(out, "written (yours to edit): %s\n", strings.Join(mine, " "))
	}
	if len(kept) > 0 {
		fmt.Fprintf(out, "kept (yours): %s\n", strings.Join(kept, " "))
	}
	if command := p.hint(); command != "" {
		fmt.Fprintf(out, "mcpgen is not a requirement of the module; run there: %s\n", command)
	}
	if cmd.Name() == "server" && len(p.survey.Implementations) > 0 {
		if _, names := skeleton.Missing(p.survey, p.pkg, made.Tools); len(names) > 0 {
			fmt.Fprintf(out, "not implemented (see --missing): %s\n", strings.Join(names, " "))
		}
	}
}

// packageName turns the name of a folder into the name of a package.
func packageName(folder string) string {
	var name strings.Builder
	for _, r := range strings.ToLower(folder) {
		if r >= 'a' && r <= 'z' || name.Len() > 0 && r >= '0' && r <= '9' {
			name.WriteRune(r)
		}
	}
	if s := name.String(); token.IsIdentifier(s) && s != "main" {
		return s
	}
	return "tools" + strings.TrimSuffix(name.String(), "main")
}

// quoteWord quotes a word of a go:generate line if necessary.
func quoteWord(word string) string {
	if strings.ContainsAny(word, " \t\"'`$\\") {
		return fmt.Sprintf("%q", word)
	}
	return word
}
