// Package yaml reads and writes YAML texts: lists of tools, OpenAPI documents, and the files that people write.
// It is the only importer of the YAML library in gen.
//
// A text is a tree of nodes with lines and columns. [Parse] refuses a text whose aliases make it many times
// longer than it is, before anything expands them, so that the readers of trees need no limits of their own.
package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Node is a value of a text. Its line and column count from 1, columns in Unicode code points.
type Node = yaml.Node

// Error is a fault of a text, with its place. Line and Column are 0 if the place is not known.
type Error struct {
	Line, Column int
	// Pointer is a JSON Pointer (RFC 6901) to a value that JSON does not have, or "".
	Pointer string
	Problem string
}

// Error returns the place, the pointer and the problem.
func (e *Error) Error() string {
	text := e.Problem
	if e.Pointer != "" {
		text = e.Pointer + ": " + text
	}
	if e.Line > 0 {
		text = fmt.Sprintf("%d:%d: %s", e.Line, e.Column, text)
	}
	return text
}

// Limits of a text with its aliases expanded. The length is that of its JSON: at most mostTimes that of the
// text, where a short text may reach shortText, and never more than mostText.
const (
	mostTimes = 10
	shortText = 1 << 20
	mostText  = 64 << 20
	mostDepth = 1000
)

// Parse returns the values of the documents of a text, without empty documents. An error is an [*Error].
func Parse(text []byte) ([]*Node, error) {
	docs, err := load(plain(text))
	var fault *yaml.LoadError
	if errors.As(err, &fault) && fault.Stage == yaml.ScannerStage && surrogates.Match(text) {
		// A program that writes JSON strings has written this text: they have pairs of escapes for one character.
		if joined, failed := load(plain(surrogates.ReplaceAllFunc(text, joinSurrogates))); failed == nil {
			docs, err = joined, nil
		}
	}
	if err != nil {
		return nil, syntaxError(text, err)
	}
	limit := min(max(mostTimes*len(text), shortText), mostText)
	for _, doc := range docs {
		m := measure{expanded: map[*Node]extent{}, limit: limit}
		if _, err := m.node(doc); err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// load returns the values of the documents of a text.
func load(text []byte) ([]*Node, error) {
	l, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var docs []*Node
	for {
		var doc Node
		if err := l.Load(&doc); err == io.EOF {
			return docs, nil
		} else if err != nil {
			return nil, err
		}
		root := &doc
		if root.Kind == yaml.DocumentNode {
			if len(root.Content) == 0 {
				continue
			}
			root = root.Content[0]
		}
		if isNull(root) && root.Value == "" {
			continue
		}
		docs = append(docs, root)
	}
}

// plain returns a text in which the directives %YAML 1.2 are comments: the library refuses them.
func plain(text []byte) []byte {
	if !bytes.Contains(text, []byte("%YAML")) {
		return text
	}
	text = bytes.Clone(text)
	head := true
	for line := range bytes.Lines(text) {
		switch {
		case head && bytes.HasPrefix(line, []byte("%YAML 1.")):
			line[0] = '#'
		case bytes.HasPrefix(line, []byte("...")):
			head = true
		case bytes.HasPrefix(line, []byte("---")):
			head = false
		}
	}
	return text
}

// surrogates matches the escapes of a character beyond the basic plane in a JSON string.
var surrogates = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)

// joinSurrogates returns the escape of YAML for a match of surrogates.
func joinSurrogates(pair []byte) []byte {
	high, _ := strconv.ParseUint(string(pair[2:6]), 16, 16)
	low, _ := strconv.ParseUint(string(pair[8:12]), 16, 16)
	return fmt.Appendf(nil, `\U%08X`, utf16.DecodeRune(rune(high), rune(low)))
}

// line returns a line of a text, or nil. Lines count from 1.
func line(text []byte, n int) []byte {
	for l := range bytes.Lines(text) {
		if n--; n == 0 {
			return l
		}
	}
	return nil
}

// syntaxError converts an error of the library.
func syntaxError(text []byte, err error) error {
	var fault *yaml.LoadError
	if !errors.As(err, &fault) {
		return &Error{Problem: "is not YAML: " + err.Error()}
	}
	e := &Error{Line: fault.Mark.Line, Column: fault.Mark.Column, Problem: "is not YAML: " + fault.Message}
	end := Place(text, len(bytes.TrimRight(text, " \t\r\n"))-1)
	switch {
	case bytes.HasPrefix(bytes.TrimLeft(line(text, e.Line), " "), []byte{'\t'}):
		e.Problem = "is not YAML: the line begins with a tab, and only spaces can indent"
	case e.Line == 0:
		e.Line, e.Column = unprintable(text)
	case fault.ContextMsg == "":
	case e.Line > end.Line: // the text ends too early
		e.Problem += ", " + fault.ContextMsg
		if e.Line, e.Column = end.Line, end.Column; fault.ContextMark.Line <= end.Line {
			e.Line, e.Column = fault.ContextMark.Line, fault.ContextMark.Column
		}
	default:
		e.Problem += fmt.Sprintf(", %s that begins at line %d, column %d", fault.ContextMsg, fault.ContextMark.Line, fault.ContextMark.Column)
	}
	return e
}

// unprintable returns the place of the first character that no text has, or zeros.
func unprintable(text []byte) (line, column int) {
	i := bytes.IndexFunc(text, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\r' && r != '\n' || r == 0xFFFE || r == 0xFFFF || r == utf8.RuneError
	})
	if i < 0 {
		return 0, 0
	}
	at := Place(text, i)
	return at.Line, at.Column
}

// Place returns the line and column of an offset in a text.
func Place(text []byte, offset int) Error {
	before := text[:min(max(offset, 0), len(text))]
	return Error{Line: bytes.Count(before, []byte("\n")) + 1, Column: utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1}
}

// extent is the size of a value with its aliases expanded.
type extent struct{ length, depth int }

// measure finds the extent of a document without expanding it: each anchor is measured once.
type measure struct {
	expanded map[*Node]extent
	limit    int
}

// node returns the extent of a value.
func (m *measure) node(n *Node) (extent, error) {
	if n.Kind == yaml.AliasNode {
		of, known := m.expanded[n.Alias]
		if !known {
			return extent{}, fault(n, "the alias *%s is within its own anchor", n.Value)
		}
		return of, nil
	}
	e := extent{len(n.Value) + 2, 0}
	for _, child := range n.Content {
		c, err := m.node(child)
		if err != nil {
			return e, err
		}
		e.length += c.length + 1
		e.depth = max(e.depth, c.depth+1)
		switch {
		case e.length > m.limit:
			return e, fault(n, "is longer than %d bytes with its aliases expanded, which is too much for a text of this length", m.limit)
		case e.depth > mostDepth:
			return e, fault(n, "is nested more than %d levels deep", mostDepth)
		}
	}
	if n.Anchor != "" {
		m.expanded[n] = e
	}
	return e, nil
}

func fault(n *Node, format string, args ...any) *Error {
	return &Error{Line: n.Line, Column: n.Column, Problem: fmt.Sprintf(format, args...)}
}

// Content returns the value of a node, which may be an alias.
func Content(n *Node) *Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// Member is a member of a mapping.
type Member struct {
	// Name is the key as written, whatever type YAML gives it.
	Name       string
	Key, Value *Node
}

// Members returns the members of a mapping, with those of merge keys (<<) that it does not have itself, and reports
// whether the node is one.
func Members(n *Node) ([]Member, bool) {
	n = Content(n)
	if n.Kind != yaml.MappingNode {
		return nil, false
	}
	members := make([]Member, 0, len(n.Content)/2)
	var own map[string]bool // nil without merge keys
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if !isMerge(key) {
			members = append(members, Member{Content(key).Value, key, value})
			continue
		}
		if own == nil {
			own = map[string]bool{}
			for i := 0; i+1 < len(n.Content); i += 2 {
				own[Content(n.Content[i]).Value] = !isMerge(n.Content[i])
			}
		}
		sources := []*Node{value}
		if list, ok := Elements(value); ok {
			sources = list
		}
		for _, source := range sources {
			merged, _ := Members(source)
			for _, m := range merged {
				if !own[m.Name] {
					own[m.Name] = true
					members = append(members, m)
				}
			}
		}
	}
	return members, true
}

// Elements returns the elements of a sequence, and reports whether the node is one.
func Elements(n *Node) ([]*Node, bool) {
	if n = Content(n); n.Kind != yaml.SequenceNode {
		return nil, false
	}
	return n.Content, true
}

// Text returns a scalar as written, so that digits are not read as a number, and reports whether the node is one.
func Text(n *Node) (string, bool) {
	n = Content(n)
	if isNull(n) {
		return "", true
	}
	return n.Value, n.Kind == yaml.ScalarNode
}

// Bool returns a truth value, and reports whether the node is one.
func Bool(n *Node) (value, ok bool) {
	n = Content(n)
	ok = tag(n) == tagBool && n.Decode(&value) == nil
	return value, ok
}

// IsNull reports whether a node is null or has no value.
func IsNull(n *Node) bool { return isNull(Content(n)) }

// IsFlow reports whether a mapping or a sequence is in brackets.
func IsFlow(n *Node) bool { return n.Style&yaml.FlowStyle != 0 }

// Describe returns what a node is, for errors.
func Describe(n *Node) string {
	switch n = Content(n); {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case isNull(n):
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

// Tags of scalars, in their short form.
const (
	tagNull  = "!!null"
	tagBool  = "!!bool"
	tagInt   = "!!int"
	tagFloat = "!!float"
	tagText  = "!!str"
	tagMerge = "!!merge"
)

// tag returns the tag of a scalar, written or resolved. One of a program, such as !thing, says nothing about JSON.
func tag(n *Node) string {
	if n.Kind != yaml.ScalarNode {
		return ""
	}
	switch short := n.ShortTag(); {
	case strings.HasPrefix(short, "!!"):
		return short
	case n.Style&^yaml.TaggedStyle != 0:
		return tagText
	}
	switch n.Value {
	case "null", "~", "":
		return tagNull
	case "true", "false":
		return tagBool
	}
	return tagText
}

func isNull(n *Node) bool  { return tag(n) == tagNull }
func isMerge(n *Node) bool { return tag(n) == tagMerge }
