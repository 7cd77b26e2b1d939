package authoring

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff/locate"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// File is a list that has been read.
type File struct {
	List *tools.List
	// Notes report faults of the list, which can be served nevertheless.
	Notes   []*Problem
	reader  *reader
	bundled wire.Raw // the text as JSON, with copies of shared schemas
}

// Read reads a list. Name is the name of its file. Open is nil if a $ref must not lead to
// another file. The error joins a [*Problem] for each fault of a list that cannot be served.
func Read(name string, text []byte, open Open) (*File, error) {
	sources, err := NewSources(name, "", text, few(open))
	if err != nil {
		return nil, err
	}
	r := &reader{Sources: sources}
	bundled := r.bundle()
	list, err := tools.Read([]byte(bundled))
	for _, e := range joined(err) {
		at := r.origin(e.Pointer)
		reported := func(p *Problem) bool { return p.File == at.file.Name && p.Pointer == at.pointer } // as a fault of a reference
		if !slices.ContainsFunc(r.faults, reported) {
			r.fail(e.Tool, at, "%s", e.Problem)
		}
	}
	if len(r.faults) > 0 {
		r.misspelled() // what is missing may be there under another name
		return nil, r.placed(append(r.faults, r.notes...))
	}
	r.lint(list)
	if len(r.faults) > 0 {
		return nil, r.placed(r.faults)
	}
	r.Locate(r.notes)
	return &File{list, distinct(r.notes), r, bundled}, nil
}

// Text returns the list as JSON that stands alone: each tool has the shared schemas that it uses, and schemas that mean
// objects say so. It has what the file has, apart from members of answers to tools/list.
func (f *File) Text() []byte {
	root := f.bundled
	if result, ok := wire.Object(root).Get("result"); root.Kind() == wire.KindObject && ok && result.Kind() == wire.KindObject {
		root = result
	}
	all := []byte{'['}
	for _, t := range f.List.Tools {
		all = append(wire.AppendComma(all), t.Source...)
	}
	all = append(all, ']')
	text := []byte{'{'}
	if root.Kind() == wire.KindArray {
		text = append(wire.AppendName(text, "tools"), all...)
	} else {
		for name, value := range wire.Object(root).All() {
			if name == "tools" {
				value = wire.Raw(all)
			}
			if i := slices.Index(namesOf(topLevel), name); i < offered {
				text = append(wire.AppendName(text, name), value...)
			}
		}
	}
	return report.Indented(append(text, '}'), nil)
}

// Bundle returns a list for readers that do not support shared schemas: in the text, each tool has a copy of
// those that it uses. The text is unchanged if the tools share none, or if it is not one document. A
// reference without a target is left unchanged.
func Bundle(name string, text []byte, open Open) *Bundled {
	sources, err := NewSources(name, "", text, few(open))
	if err != nil {
		return &Bundled{Text: text}
	}
	r := &reader{Sources: sources}
	bundled := r.bundle()
	if bundled == r.Root.Value {
		return &Bundled{Text: text}
	}
	return &Bundled{Text: []byte(bundled), reader: r}
}

// Bundled is the result of [Bundle].
type Bundled struct {
	Text   []byte
	reader *reader // nil if Text is that of the file
}

// Shared reports whether Text differs from that of the file. It is JSON then.
func (b *Bundled) Shared() bool { return b.reader != nil }

// Find returns the positions in the file of JSON Pointers into Text, as [locate.Find] does. A schema of another
// file has the position of the tool's schema that uses it.
func (b *Bundled) Find(pointers []string) map[string]locate.Position {
	if b.reader == nil {
		return locate.Find(b.Text, pointers)
	}
	origins := make([]string, len(pointers))
	for i, pointer := range pointers {
		origins[i] = pointer // at the closest ancestor that the file has
		if from := b.reader.origin(pointer); from.file == b.reader.Root {
			origins[i] = from.pointer
		}
	}
	at := locate.Find(b.reader.Root.Text, origins)
	found := map[string]locate.Position{}
	for i, pointer := range pointers {
		if position, ok := at[origins[i]]; ok {
			found[pointer] = position
		}
	}
	return found
}

// Err returns the notes as an error, or nil if there are none.
func (f *File) Err() error {
	var errs []error
	for _, n := range f.Notes {
		errs = append(errs, n)
	}
	return errors.Join(errs...)
}

// Explain returns an error about the list, which joins [*tools.Error]s, with the places of
// its problems in the files. It returns any other error as it is.
func (f *File) Explain(err error) error {
	if _, ok := errors.AsType[*tools.Error](err); !ok {
		return err
	}
	var errs []error
	for _, p := range f.Places(joined(err)) {
		errs = append(errs, p)
	}
	return errors.Join(errs...)
}

// Places returns the places in the files of faults of the list, in the order of the files. A schema that several tools
// share has its faults once.
func (f *File) Places(faults []*tools.Error) []*Problem {
	var all []*Problem
	for _, e := range faults {
		all = append(all, newProblem(e.Tool, f.reader.origin(e.Pointer), "%s", e.Problem))
	}
	f.reader.Locate(all)
	return distinct(all)
}

// joined returns the problems that an error of package tools joins.
func joined(err error) []*tools.Error {
	if err == nil {
		return nil
	}
	var all []*tools.Error
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range several.Unwrap() {
			all = append(all, joined(e)...)
		}
		return all
	}
	if one, ok := errors.AsType[*tools.Error](err); ok {
		return []*tools.Error{one}
	}
	return []*tools.Error{{Problem: err.Error()}}
}

// place is a place in a file.
type place struct {
	file    *Source
	pointer string
}

type reader struct {
	*Sources
	// copies maps the pointers of copied schemas in the list to where they come from.
	copies        map[string]place
	faults, notes []*Problem
}

func (r *reader) fail(tool string, at place, format string, args ...any) {
	r.faults = append(r.faults, newProblem(tool, at, format, args...))
}

func (r *reader) note(tool string, at place, format string, args ...any) {
	r.notes = append(r.notes, newProblem(tool, at, format, args...))
}

func newProblem(tool string, at place, format string, args ...any) *Problem {
	return &Problem{File: at.file.Name, Tool: tool, Pointer: at.pointer, Problem: fmt.Sprintf(format, args...)}
}

// origin returns the place in a file of a pointer into the bundled list.
func (r *reader) origin(pointer string) place {
	for prefix := pointer; prefix != ""; prefix = prefix[:max(strings.LastIndexByte(prefix, '/'), 0)] {
		if from, ok := r.copies[prefix]; ok {
			return place{from.file, from.pointer + pointer[len(prefix):]}
		}
	}
	return place{r.Root, pointer}
}

// placed returns problems as an error.
func (r *reader) placed(all []*Problem) error {
	r.Locate(all)
	var errs []error
	for _, p := range distinct(all) {
		errs = append(errs, p)
	}
	return errors.Join(errs...)
}

// distinct returns each problem once, although the schema with it may have been copied into
// several tools.
func distinct(all []*Problem) []*Problem {
	type key struct{ file, pointer, problem string }
	seen := map[key]bool{}
	var once []*Problem
	for _, p := range all {
		k := key{p.File, p.Pointer, p.Problem}
		if !seen[k] {
			seen[k] = true
			once = append(once, p)
		}
	}
	slices.SortStableFunc(once, func(a, b *Problem) int {
		if a.File != b.File || a.Line != b.Line {
			return strings.Compare(a.File, b.File)*2 + sign(a.Line-b.Line)
		}
		return a.Column - b.Column
	})
	return once
}

func sign(n int) int { return min(max(n, -1), 1) }

// few returns a function that opens files, and fails if a list refers to too many of them.
func few(open Open) Open {
	const mostFiles = 100
	if open == nil {
		return nil
	}
	opened := 0
	return func(path string) ([]byte, error) {
		if opened == mostFiles {
			return nil, fmt.Errorf("the list refers to more than %d other files", mostFiles)
		}
		text, err := open(path)
		if err == nil {
			opened++
		}
		return text, err
	}
}
