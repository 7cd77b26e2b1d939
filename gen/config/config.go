// Package config reads YAML files that people write, such as mcpgen.yaml. Each problem has a line and a
// column, and the nearest known key is suggested for an unknown one.
package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/yaml"
	"github.com/mcpgen/mcpgen/runtime/schema"
)

// File is a YAML file that is being read. Its methods collect the problems.
type File struct {
	name string
	errs []error
}

// Reader reads the value of a key.
type Reader func(n *yaml.Node)

// Read reads the top-level mapping of a file with the readers of its keys. The readers are made for the
// file, so that they can report problems. The error joins one error for each problem, each of which
// begins with name, line and column.
func Read(name string, src []byte, keys func(f *File) map[string]Reader) error {
	f := &File{name: name}
	docs, err := yaml.Parse(src)
	if fault, ok := errors.AsType[*yaml.Error](err); ok && fault.Line > 0 {
		return fmt.Errorf("%s:%w", name, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(docs) > 1 {
		f.Fail(docs[1], "the file has a second document; it must have one")
	}
	if len(docs) > 0 {
		f.Mapping(docs[0], "", keys(f))
	}
	return errors.Join(f.errs...)
}

// Failed returns the number of problems so far.
func (f *File) Failed() int { return len(f.errs) }

// Fail reports a problem with a node.
func (f *File) Fail(n *yaml.Node, format string, args ...any) {
	f.errs = append(f.errs, fmt.Errorf("%s: %s", f.Where(n), fmt.Sprintf(format, args...)))
}

// Where returns the location of a node, such as "mcpgen.yaml:3:5".
func (f *File) Where(n *yaml.Node) string {
	if n == nil {
		return f.name + ":1:1"
	}
	return fmt.Sprintf("%s:%d:%d", f.name, n.Line, n.Column)
}

// Mapping reads the known keys of a mapping. Errors begin with what. A missing value is an
// empty mapping.
func (f *File) Mapping(n *yaml.Node, what string, known map[string]Reader) {
	members, ok := yaml.Members(n)
	if !ok && !yaml.IsNull(n) {
		f.Fail(n, "%sexpected a mapping, found %s", prefix(what), yaml.Describe(n))
	}
	seen := map[string]bool{}
	for _, m := range members {
		if seen[m.Name] {
			f.Fail(m.Key, "%sthe key %q occurs twice", prefix(what), m.Name)
			continue
		}
		seen[m.Name] = true
		if read, ok := known[m.Name]; ok {
			read(m.Value)
			continue
		}
		f.Fail(m.Key, "%sunknown key %q%s", prefix(what), m.Name, Suggestion(m.Name, slices.Sorted(maps.Keys(known))))
	}
}

// Sequence reads the elements of a list.
func (f *File) Sequence(n *yaml.Node, what string, read Reader) {
	list, ok := yaml.Elements(n)
	if !ok && !yaml.IsNull(n) {
		f.Fail(n, "%sexpected a list, found %s", prefix(what), yaml.Describe(n))
		return
	}
	for _, element := range list {
		read(element)
	}
}

// Text returns a scalar as written, so that a fingerprint of digits is not read as a number.
func (f *File) Text(n *yaml.Node, what string) string {
	text, ok := yaml.Text(n)
	if !ok {
		f.Fail(n, "%sexpected a string, found %s", prefix(what), yaml.Describe(n))
		return ""
	}
	return strings.TrimSpace(text)
}

// Bool returns a truth value.
func (f *File) Bool(n *yaml.Node, what string) bool {
	value, ok := yaml.Bool(n)
	if !ok {
		f.Fail(n, "%sexpected true or false, found %s", prefix(what), yaml.Describe(n))
	}
	return value
}

func prefix(what string) string {
	if what == "" {
		return ""
	}
	return what + ": "
}

// Suggestion returns a remark that names the known word closest to an unknown one.
func Suggestion(word string, known []string) string {
	if best, ok := schema.Nearest(word, known, len(word)/3+1); ok {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	if len(known) <= 8 {
		return fmt.Sprintf("; expected one of %s", strings.Join(known, ", "))
	}
	return ""
}
