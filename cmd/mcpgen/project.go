package main

import (
	"context"
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

	"github.com/mcpgen/mcpgen/gen/authoring"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/skeleton"
	"github.com/mcpgen/mcpgen/gen/tools"
)

// project is a folder with a server or client that was generated from a tool list.
type project struct {
	list      string // the file name of the list
	out       string
	pkg       string
	named     bool // --package was given
	client    bool // only a client is generated
	check     bool
	strict    bool
	big       bool // --big-integers was given
	time      bool
	transport string
	// transportGiven means that the user has named the transport. Otherwise it is the default of a new program.
	transportGiven bool
	// open means that the user has said that clients need no access tokens: --auth=false, or auth: false in mcpgen.yaml.
	open      bool
	protected bool // --auth was given
	console

	file   *authoring.File
	survey *skeleton.Survey
	before string // the package of the existing generated files, or ""

	counter *counter
}

func (p *project) flags(cmd *cobra.Command, pkg string) {
	cmd.Flags().StringVar(&p.list, "tools", "tools.json", "tool list, JSON or YAML; - is standard input")
	cmd.Flags().StringVarP(&p.out, "out", "o", ".", "folder of the package")
	cmd.Flags().StringVar(&p.pkg, "package", "", "name of the package (default: "+pkg+")")
	cmd.Flags().BoolVar(&p.check, "check", false, "write nothing; print how the generated files differ from what would be written, and exit with 1 if they do")
	cmd.Flags().BoolVar(&p.strict, "strict", false, "fail if a part of a schema has no Go type, or if the list has a probable mistake, such as an unknown keyword")
	cmd.Flags().BoolVar(&p.big, "big-integers", false, "let integers without limits be wire.Integer; otherwise they are int64, and values beyond it are refused")
	cmd.Flags().BoolVar(&p.time, "time", false, "let strings in the format date-time be time.Time, and refuse leap seconds and digits below a nanosecond")
	p.console.flags(cmd)
	completeFiles(cmd, "tools", "json", "yaml", "yml")
	completeFolders(cmd, "out")
}

// load reads the list and the existing files of the folder.
func (p *project) load(cmd *cobra.Command, pkg string) error {
	p.named = p.pkg != ""
	p.counter = newCounter(cmd.ErrOrStderr(), p.quiet, "file", "generated")
	var err error
	if p.file, err = readList(cmd, p.list); err != nil {
		return err
	}
	if p.strict && len(p.file.Notes) > 0 {
		return p.file.Err()
	}
	sources, err := p.sources()
	if err != nil {
		return err
	}
	if p.survey, err = skeleton.NewSurvey(sources); err != nil {
		return fmt.Errorf("%s: %w", p.out, err)
	}
	switch {
	case p.named && (!token.IsIdentifier(p.pkg) || p.pkg == "_" || strings.HasSuffix(p.pkg, "_test")):
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
	o := skeleton.Options{List: p.file.List, Source: p.source(), Package: p.pkg, Implementations: p.survey.Implementations, BigIntegers: p.big, Time: p.time, Progress: p.counter.step}
	if len(o.Implementations) == 0 && !p.apart() {
		o.Implementations = []string{skeleton.HandlersType(p.pkg)} // to be overwritten
	}
	return o
}

// library reports whether the package belongs to the module around its folder, if there is one: as a client, or as a
// server with a package name of its own.
func (p *project) library() bool { return p.pkg != "main" && (p.named || p.client) }

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

// explain adds places to errors about the list.
func (p *project) explain(err error) error {
	if _, ok := errors.AsType[*tools.Error](err); ok {
		return p.file.Explain(err)
	}
	return named(p.list, err)
}

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

// finish writes or compares the files, with the users' files of a plan.
func (p *project) finish(ctx context.Context, made *skeleton.Result, plan files.Plan, server bool, start time.Time) (*outcome, error) {
	if err := p.degraded(made); err != nil {
		return nil, err
	}
	plan.Dir, plan.Files, plan.Owned, plan.Suffixes = p.out, made.Files, []string{"."}, skeleton.Suffixes
	done := &outcome{Package: p.pkg, offers: offersOf(made.Count)}
	changes, err := p.apply(ctx, done, plan, start)
	if err != nil || p.check {
		return done, err
	}
	done.wrote(p.file, made, plan, changes)
	done.Advice = p.advice(made, done)
	if server && len(p.survey.Implementations) > 0 {
		_, done.Missing = skeleton.Missing(p.survey, p.pkg, made.Package)
		for _, stale := range skeleton.StaleMethods(p.survey, p.pkg, made.Package) {
			method := stale.Method
			if stale.Now != "" {
				method += ", which may be " + stale.Now + " now"
			}
			done.Stale = append(done.Stale, method)
		}
	}
	return done, nil
}

// apply writes or compares the files of a plan, and notes in an outcome what every one has.
func (p *project) apply(ctx context.Context, done *outcome, plan files.Plan, start time.Time) ([]files.Change, error) {
	done.Folder, done.Files, done.checked = p.out, len(plan.Files), p.check
	if p.check {
		changes, err := plan.Changes()
		done.differs(changes)
		return nil, err
	}
	changes, err := write(ctx, plan)
	done.took = time.Since(start)
	done.Notes = mistakes(p.file.Notes)
	return changes, err
}

// report prints what was done. If files differ from what would be written, it returns errFindings.
func (p *project) report(cmd *cobra.Command, done *outcome, err error) error {
	if err != nil {
		return err
	}
	if err := p.console.report(cmd, done, done.text); err != nil || len(done.Differ) == 0 {
		return err
	}
	if !p.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s to change; run \"mcpgen %s\" without --check\n", report.Plural(len(done.Differ), "generated file"), cmd.Name())
	}
	return errFindings
}

// degraded returns an error for each part of a schema without a Go type, if --strict is set.
func (p *project) degraded(made *skeleton.Result) error {
	if !p.strict {
		return nil
	}
	var errs []error
	for _, e := range made.Untyped {
		errs = append(errs, &tools.Error{Tool: e.Tool, Pointer: e.Pointer, Problem: "no Go type: " + e.Problem})
	}
	return p.file.Explain(errors.Join(errs...))
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
