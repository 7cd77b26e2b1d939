package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/authoring"
	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/judge"
	"github.com/mcpgen/mcpgen/gen/diff/render/page"
)

// diffSide is a side of a comparison: a revision or a tool list.
type diffSide struct {
	label    string
	revision *diff.Revision
	tools    *diff.ToolList
	// file is the path of a side that is a file.
	file string
	// text is the text of a side that is not a pinned revision.
	text []byte
}

func (s *diffSide) kind() string {
	if s.tools != nil {
		return "a tool list"
	}
	return "a schema"
}

// side reads the side that an argument names.
func (d *differ) side(cmd *cobra.Command, arg string) (*diffSide, error) {
	side := &diffSide{label: arg}
	if command, ok := strings.CutPrefix(arg, "cmd:"); ok {
		return side, d.liveSide(cmd, side, d.live.with(origin{command: command}))
	}
	if url, ok := strings.CutPrefix(arg, "url:"); ok {
		side.label = withoutSecrets(url)
		return side, d.liveSide(cmd, side, d.live.with(origin{url: url, access: d.live.access}))
	}
	revision, name, named := strings.Cut(arg, "=")
	if !named || gen.CheckRevision(revision) != nil || strings.Contains(revision, "/") {
		revision, name, named = "", arg, false
	}
	if _, pinned := d.project.Pin(name); pinned && !named {
		return d.pinned(name)
	}
	extension, file := d.extensionOf(arg)
	if extension != "" && file == "" {
		return d.pinnedExtension(extension)
	} else if extension != "" {
		name = file
	}
	src, err := readSide(cmd.Context(), cmd.InOrStdin(), name)
	if err != nil {
		return nil, err
	}
	side.text = src
	if name != "-" && !strings.Contains(name, ":") {
		side.file = name
	}
	text, isSchema := catalog.Schema(name, src)
	if extension == "" && isSchema && !named {
		extension = d.extension // that of the other side
	}
	switch {
	case extension != "" && !isSchema:
		return nil, fmt.Errorf("%s: a tool list belongs to no extension", arg)
	case extension != "":
		return side, d.extensionSide(side, extensionSource(d.project, extension, "", text))
	case isSchema:
		return side, d.schemaSide(side, revision, name, text)
	case named:
		return nil, fmt.Errorf("%s: a tool list belongs to no revision; leave out %q", arg, revision+"=")
	}
	open, done, err := besideSide(cmd.Context(), name)
	if err != nil {
		return nil, err
	}
	defer done()
	return side, d.listSide(side, name, authoring.Bundle(name, src, open).Text)
}

// pinned returns the side of a pinned revision. The generated code judges it, if the program
// has that code.
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
	side.revision = &diff.Revision{Label: side.label, IR: lowered.Revision, Document: lowered.Document}
	for _, e := range d.project.Errata {
		if e.Contains(src.Revision) {
			side.revision.Notes.Errata = append(side.revision.Notes.Errata, e)
		}
	}
	return d.judged(side, lowered, generatedJudge(src))
}

// judged sets the judge of a side that is a schema, and its text for the page.
func (d *differ) judged(side *diffSide, lowered *gen.Lowered, by diff.Judge) (err error) {
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
	if side.revision.Judge = by; by == nil {
		side.revision.Judge, err = judge.Revision(lowered.Document, lowered.Revision)
	}
	return err
}

// schemaSide reads a side that is a schema. A schema with the pinned facts of a revision counts as
// pinned, whatever its name says; others are read leniently, with the rows of a pinned revision:
// the one that is named, or whose date is the last one in the path. If that revision is not pinned,
// it is the one that shares the most definitions with the schema, the newest of equals.
func (d *differ) schemaSide(side *diffSide, revision, name string, src []byte) error {
	closest := gen.Closest(d.project, src)
	if differences, _, err := gen.VerifyFacts(d.project, closest, src); err == nil && len(differences) == 0 {
		pinned, err := gen.PinnedSource(d.project, closest)
		if err != nil {
			return err
		}
		return d.lower(side, pinned)
	}
	revision = cmp.Or(revision, lastDate(name))
	if _, pinned := d.project.Pin(revision); !pinned {
		revision = closest
	}
	lenient, err := gen.LowerLenient(d.project, gen.Source{Revision: revision, Schema: src})
	if err != nil {
		return fmt.Errorf("%s, read as revision %s: %w", side.label, revision, err)
	}
	return d.lenient(side, lenient)
}

// lenient sets what a side is whose schema was read leniently.
func (d *differ) lenient(side *diffSide, read *gen.Lenient) error {
	side.revision = &diff.Revision{Label: side.label, IR: read.Lowered.Revision, Document: read.Lowered.Document}
	side.revision.Notes.Errata = read.Errata
	for _, note := range read.Notes {
		side.revision.Notes.Skipped = append(side.revision.Notes.Skipped, diff.Skipped{Where: diff.Place{Pointer: note.Pointer}, Why: note.Problem})
	}
	return d.judged(side, read.Lowered, nil)
}

// lastDate returns the last date in a path, or "".
func lastDate(name string) string {
	if dates := dateInPath.FindAllString(name, -1); dates != nil {
		return dates[len(dates)-1]
	}
	return ""
}

var dateInPath = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`)

// readSide reads the text of a side that is not a pinned revision.
func readSide(ctx context.Context, stdin io.Reader, name string) ([]byte, error) {
	if object, ok, err := parseGit(name); err != nil {
		return nil, err
	} else if ok {
		return object.read(ctx)
	}
	src, err := readSource(ctx, stdin, name)
	if err != nil && dateInPath.FindString(name) == name {
		return nil, fmt.Errorf("revision %q is not pinned, and there is no file of that name", name)
	}
	return src, err
}

// besideSide is [beside] for a side.
func besideSide(ctx context.Context, name string) (open func(path string) ([]byte, error), done func() error, err error) {
	object, ok, err := parseGit(name)
	if !ok || err != nil {
		return beside(ctx, name)
	}
	open = func(at string) ([]byte, error) {
		return gitObject{object.rev, path.Join(path.Dir(object.path), at)}.read(ctx)
	}
	return open, func() error { return nil }, nil
}
