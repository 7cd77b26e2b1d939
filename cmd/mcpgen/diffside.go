package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/compat"
	"github.com/mcpgen/mcpgen/gen/compat/judge"
	"github.com/mcpgen/mcpgen/gen/compat/page"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/gen/tools"
)

// diffSide is a side of a comparison: a revision or a tool list.
type diffSide struct {
	label    string
	revision *compat.Revision
	tools    *compat.ToolList
	// file is the path of a side that is a file.
	file string
	// text is what was read of a side that is no pinned revision.
	text []byte
}

func (s *diffSide) kind() string {
	if s.tools != nil {
		return "a tool list"
	}
	return "a schema"
}

// side reads what an argument names.
func (d *differ) side(cmd *cobra.Command, arg string) (*diffSide, error) {
	revision, name, named := strings.Cut(arg, "=")
	if !named || gen.CheckRevision(revision) != nil || strings.Contains(revision, "/") {
		revision, name, named = "", arg, false
	}
	if _, pinned := d.project.Pin(name); pinned && !named {
		return d.pinned(name)
	}
	src, err := readSide(cmd, name)
	if err != nil {
		return nil, err
	}
	side := &diffSide{label: arg, text: src}
	if name != "-" && !strings.Contains(name, ":") {
		side.file = name
	}
	switch kind, err := sniff(src); {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", arg, err)
	case kind == "schema":
		if revision == "" {
			revision = d.revisionOf(name)
		}
		err = d.schemaSide(side, revision, src)
		return side, err
	case named:
		return nil, fmt.Errorf("%s: a tool list is of no revision", arg)
	}
	list, err := tools.Read(src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arg, err)
	}
	var names []string
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	d.sides = append(d.sides, page.Side{Label: arg, Source: src, Subjects: names})
	side.tools = &compat.ToolList{Label: arg, List: list, Judge: judge.Tools(list)}
	return side, nil
}

// pinned is a side that is a pinned revision, judged by its generated code
// where the program has that.
func (d *differ) pinned(revision string) (*diffSide, error) {
	src, err := gen.PinnedSource(d.project, revision)
	if err != nil {
		return nil, err
	}
	side := &diffSide{label: revision}
	return side, d.lower(side, src)
}

func (d *differ) lower(side *diffSide, src gen.Source) error {
	lowered, err := gen.Lower(d.project, src)
	if err != nil {
		return err
	}
	text, err := lowered.Document.JSON()
	if err != nil {
		return err
	}
	shown := page.Side{Label: side.label, Source: text}
	for _, def := range lowered.Document.Definitions {
		shown.Definitions = append(shown.Definitions, def.Name)
	}
	for _, m := range lowered.Revision.Methods {
		shown.Subjects = append(shown.Subjects, m.Wire)
	}
	d.sides = append(d.sides, shown)
	side.revision = &compat.Revision{Label: side.label, IR: lowered.Revision}
	if side.revision.Judge = generatedJudge(src); side.revision.Judge == nil {
		side.revision.Judge, err = judge.Revision(lowered.Document, lowered.Revision)
	}
	return err
}

// schemaSide is a side that is a schema. One that says what is pinned for its
// revision is that.
func (d *differ) schemaSide(side *diffSide, revision string, src []byte) error {
	if _, pinned := d.project.Pin(revision); pinned {
		if differences, _, err := gen.VerifyFacts(d.project, revision, src); err == nil && len(differences) == 0 {
			pinned, err := gen.PinnedSource(d.project, revision)
			if err != nil {
				return err
			}
			return d.lower(side, pinned)
		}
	}
	if err := d.lower(side, gen.Source{Revision: revision, Schema: src}); err != nil {
		return fmt.Errorf("%s, read as revision %s: %w", side.label, revision, err)
	}
	return nil
}

// revisionOf guesses the revision that a schema is of: the last date in its
// path, or else the newest that is pinned.
func (d *differ) revisionOf(name string) string {
	if dates := dateInPath.FindAllString(name, -1); dates != nil {
		return dates[len(dates)-1]
	}
	revisions := d.project.Revisions()
	return revisions[len(revisions)-1]
}

var dateInPath = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`)

// readSide reads the text of a side that is no pinned revision.
func readSide(cmd *cobra.Command, name string) ([]byte, error) {
	if object, ok := strings.CutPrefix(name, "git:"); ok {
		return readGit(cmd.Context(), object)
	}
	src, err := readSource(cmd.Context(), cmd.InOrStdin(), name)
	if err != nil && dateInPath.FindString(name) == name {
		return nil, fmt.Errorf("revision %q is not pinned, and no file has that name", name)
	}
	return src, err
}

// readGit reads a file of a commit of the repository around the working
// directory.
func readGit(ctx context.Context, object string) ([]byte, error) {
	rev, path, ok := strings.Cut(object, ":")
	if !ok || rev == "" || path == "" || strings.HasPrefix(rev, "-") {
		return nil, fmt.Errorf("git:%s: is not of the form git:REV:PATH", object)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", "show", rev+":"+path)
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("git:%s: %w", object, err)
	}
	src, err := readLimited(out, "git:"+object)
	if err != nil {
		cmd.Process.Kill()
	}
	if wait := cmd.Wait(); err == nil && wait != nil {
		err = fmt.Errorf("git:%s: %s", object, strings.TrimSpace(stderr.String()))
	}
	return src, err
}

// sniff tells schemas from tool lists.
func sniff(src []byte) (string, error) {
	if text := bytes.TrimLeft(src, " \t\r\n"); bytes.HasPrefix(text, []byte("[")) {
		return "tools", nil
	}
	root, err := schema.Tree("", src)
	if err != nil {
		var problem *schema.Error
		if errors.As(err, &problem) {
			err = fmt.Errorf("%s %s", strings.TrimSpace("the text "+problem.Pointer), problem.Problem)
		}
		return "", err
	}
	for _, name := range []string{"$defs", "definitions"} {
		if _, ok := root[name]; ok {
			return "schema", nil
		}
	}
	for _, name := range []string{"tools", "result"} {
		if _, ok := root[name]; ok {
			return "tools", nil
		}
	}
	return "", errors.New(`is neither a schema, which has "$defs" or "definitions", nor a tool list, which has "tools"`)
}
