// Package config reads YAML files that people write, such as mcpgen.yaml. Each problem has a line and a
// column, and the nearest known key is suggested for an unknown one.
package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/mcpgen/mcpgen/gen/diff/locate"
)

// File is a YAML file that is being read. Its methods collect the problems.
type File struct {
	name    string
	anchors map[string]ast.Node
	errs    []error
}

// Reader reads the value of a key.
type Reader func(n ast.Node)

// Read reads the top-level mapping of a file with the readers of its keys. The readers are made for the
// file, so that they can report problems. The error joins one error for each problem, each of which
// begins with name, line and column.
func Read(name string, src []byte, keys func(f *File) map[string]Reader) error {
	f := &File{name: name}
	file, err := parser.ParseBytes(src, 0)
	if err != nil {
		return f.syntax(err)
	}
	if len(file.Docs) > 1 {
		f.Fail(file.Docs[1].Body, "the file has a second document; it must have one")
	}
	if len(file.Docs) > 0 && file.Docs[0].Body != nil {
		root := file.Docs[0].Body
		f.anchors = locate.Anchors(root)
		f.Mapping(root, "", keys(f))
	}
	return errors.Join(f.errs...)
}

// Failed returns the number of problems so far.
func (f *File) Failed() int { return len(f.errs) }

// syntax converts an error of the parser.
func (f *File) syntax(err error) error {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.Token != nil {
		return fmt.Errorf("%s:%d:%d: %s", f.name, syntax.Token.Position.Line, syntax.Token.Position.Column, syntax.Message)
	}
	line, _, _ := strings.Cut(err.Error(), "\n") // the rest is an excerpt of the source
	return fmt.Errorf("%s: %s", f.name, line)
}

// Fail reports a problem with a node.
func (f *File) Fail(n ast.Node, format string, args ...any) {
	f.errs = append(f.errs, fmt.Errorf("%s: %s", f.Where(n), fmt.Sprintf(format, args...)))
}

// Where returns the location of a node, such as "mcpgen.yaml:3:5".
func (f *File) Where(n ast.Node) string {
	if n == nil {
		return f.name + ":1:1"
	}
	at := locate.Start(n)
	return fmt.Sprintf("%s:%d:%d", f.name, at.Line, at.Column)
}

// Mapping reads the known keys of a mapping. Errors begin with what. A missing value is an
// empty mapping.
func (f *File) Mapping(n ast.Node, what string, known map[string]Reader) {
	content := locate.Content(n, f.anchors)
	if _, empty := content.(*ast.NullNode); empty {
		return
	}
	members, ok := locate.Members(content)
	if !ok {
		f.Fail(n, "%sexpected a mapping, found %s", prefix(what), found(content))
		return
	}
	for _, m := range members {
		name := locate.Name(m)
		if read, ok := known[name]; ok {
			read(m.Value)
			continue
		}
		f.Fail(m, "%sunknown key %q%s", prefix(what), name, Suggestion(name, slices.Sorted(maps.Keys(known))))
	}
}

// Sequence reads the elements of a list.
func (f *File) Sequence(n ast.Node, what string, read Reader) {
	content := locate.Content(n, f.anchors)
	if _, empty := content.(*ast.NullNode); empty {
		return
	}
	list, ok := content.(*ast.SequenceNode)
	if !ok {
		f.Fail(n, "%sexpected a list, found %s", prefix(what), found(content))
		return
	}
	for _, element := range list.Values {
		read(element)
	}
}

// Text returns a scalar as written, so that a fingerprint of digits is not read as a number.
func (f *File) Text(n ast.Node, what string) string {
	switch t := locate.Content(n, f.anchors).(type) {
	case *ast.StringNode:
		return t.Value
	case *ast.LiteralNode:
		return strings.TrimSpace(t.Value.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return t.GetToken().Value
	case *ast.NullNode:
	default:
		f.Fail(n, "%sexpected a string, found %s", prefix(what), found(t))
	}
	return ""
}

// Bool returns a truth value.
func (f *File) Bool(n ast.Node, what string) bool {
	content := locate.Content(n, f.anchors)
	if b, ok := content.(*ast.BoolNode); ok {
		return b.Value
	}
	f.Fail(n, "%sexpected true or false, found %s", prefix(what), found(content))
	return false
}

func prefix(what string) string {
	if what == "" {
		return ""
	}
	return what + ": "
}

// found describes the kind of a node.
func found(n ast.Node) string {
	switch n.(type) {
	case nil:
		return "an alias without an anchor"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	}
	return fmt.Sprintf("%q", n.GetToken().Value)
}

// Suggestion returns a remark that names the known word closest to an unknown one.
func Suggestion(word string, known []string) string {
	if best, ok := Nearest(word, known, len(word)/3+1); ok {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	if len(known) <= 8 {
		return fmt.Sprintf("; expected one of %s", strings.Join(known, ", "))
	}
	return ""
}

// Nearest returns the known word closest to a word, whatever the case of letters. It returns false if
// more than most changes are needed for each of them: insertions, deletions, replacements and swaps
// of neighbours.
func Nearest(word string, known []string, most int) (string, bool) {
	best, least := "", most+1
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best, least <= most
}

// distance returns the number of bytes to insert, delete or replace, and of neighbours to swap, to turn
// one word into another.
func distance(a, b string) int {
	// The rows hold the distances between the beginnings of a, of three successive lengths, and those
	// of b.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
