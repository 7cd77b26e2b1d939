package authoring

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/diff/locate"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/yaml"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Problem is a fault of a file, with its place.
type Problem struct {
	// File is the name of the file as it was given, or as a $ref has it.
	File string
	// Line and Column count from 1. They are 0 if the place is unknown.
	Line, Column int
	// Tool is the name of the tool, or "" if the problem is outside of tools.
	Tool string
	// Pointer is a JSON Pointer (RFC 6901) into the file.
	Pointer string
	Problem string
}

// Place returns the place of the problem, such as "tools.yaml:12:5".
func (p *Problem) Place() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Error returns the place, the tool and the problem.
func (p *Problem) Error() string {
	return p.Place() + ": " + (&tools.Error{Tool: p.Tool, Pointer: p.Pointer, Problem: p.Problem}).Error()
}

// Open returns the text of another file that a $ref names, by its path relative to the folder
// of the first one, with slashes. The path does not lead out of the folder.
type Open func(path string) ([]byte, error)

// Sources are a file, and those that it and they refer to.
type Sources struct {
	Root *Source
	open Open
	more map[string]*Source // by path
}

// Source is a file, JSON or YAML.
type Source struct {
	// Name is what problems call it; At is its path relative to the folder of the first file.
	Name, At string
	Text     []byte
	Value    wire.Raw
}

// NewSources parses the first file. Open is nil if it must not refer to others.
func NewSources(name, at string, text []byte, open Open) (*Sources, error) {
	root, err := newSource(name, at, text)
	if err != nil {
		return nil, err
	}
	s := &Sources{Root: root, open: open, more: map[string]*Source{}}
	if at != "" {
		s.more[at] = root
	}
	return s, nil
}

// newSource parses a file. A fault of its syntax is a [*Problem].
func newSource(name, at string, text []byte) (*Source, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, &Problem{File: name, Line: 1, Column: 1, Problem: "is empty"}
	}
	value, err := catalog.JSON(name, text)
	if e, ok := errors.AsType[*catalog.SyntaxError](err); ok {
		return nil, &Problem{File: name, Line: e.Line, Column: e.Column, Pointer: e.Pointer, Problem: e.Problem}
	}
	s := &Source{Name: name, At: at, Text: text, Value: wire.Raw(value)}
	in := wire.NewStringReader(string(value))
	in.ReadRaw()
	in.End()
	e, broken := errors.AsType[*wire.Error](in.Err())
	switch {
	case !broken:
		return s, in.Err()
	case catalog.IsYAML(name, text):
		at := locate.Find(text, []string{e.Pointer})[e.Pointer]
		return nil, &Problem{File: name, Line: at.Line, Column: at.Column, Pointer: e.Pointer, Problem: e.Problem}
	}
	begin := yaml.Place(value, int(e.Offset))
	return nil, &Problem{File: name, Line: begin.Line, Column: begin.Column, Pointer: e.Pointer, Problem: e.Problem}
}

// Load returns another file, by the path that a $ref in a file has.
func (s *Sources) Load(from *Source, ref string) (*Source, error) {
	at := path.Join(path.Dir(from.At), ref)
	if path.IsAbs(ref) || at == ".." || strings.HasPrefix(at, "../") {
		return nil, fmt.Errorf("%q is not in the folder of %s", ref, path.Base(s.Root.Name))
	}
	if known := s.more[at]; known != nil {
		return known, nil
	}
	if s.open == nil {
		return nil, fmt.Errorf("%q is another file, to which only a file may refer", ref)
	}
	text, err := s.open(at)
	if err != nil {
		return nil, err
	}
	file, err := newSource(path.Join(path.Dir(s.Root.Name), at), at, text)
	if _, placed := errors.AsType[*Problem](err); err != nil && !placed {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	if err != nil {
		return nil, err
	}
	s.more[at] = file
	return file, nil
}

// Locate sets the lines and columns of problems.
func (s *Sources) Locate(all []*Problem) {
	locateIn(s.Root, all)
	for _, file := range s.more {
		locateIn(file, all)
	}
}

func locateIn(file *Source, all []*Problem) {
	var pointers []string
	for _, p := range all {
		if p.File == file.Name {
			pointers = append(pointers, p.Pointer)
		}
	}
	if len(pointers) == 0 {
		return
	}
	found := locate.Find(file.Text, pointers)
	for _, p := range all {
		if at, ok := found[p.Pointer]; ok && p.File == file.Name {
			p.Line, p.Column = at.Line, at.Column
		}
	}
}
