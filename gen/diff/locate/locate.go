// Package locate finds the lines and columns of JSON Pointers in JSON and YAML texts.
package locate

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Position is a location in a text. Lines and columns count from 1. Columns count Unicode code
// points.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Find returns the position of each JSON Pointer (RFC 6901) in a JSON or YAML text. The
// position of a member is that of its name. A pointer to a missing value has the position of
// the closest existing ancestor. The result is empty if the text cannot be parsed.
func Find(text []byte, pointers []string) map[string]Position {
	root := &node{}
	for _, pointer := range pointers {
		root.add(pointer)
	}
	if json.Valid(text) {
		s := scanner{text: string(text), at: Position{1, 1}}
		s.Reader = wire.Raw(s.text).Reader()
		s.Kind() // skips white space
		s.here(root, s.Offset())
		s.value(root)
	} else {
		findYAML(text, root)
	}
	found := map[string]Position{}
	root.each(func(n *node) {
		if n.at.Line > 0 {
			found[n.pointer] = n.at
		}
	})
	return found
}

// node is a step of the pointers. Pointers form a tree, so that one pass over the text finds
// them all.
type node struct {
	pointer string
	wanted  bool
	at      Position
	next    map[string]*node
}

func (n *node) add(pointer string) {
	if pointer != "" {
		for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
			name := wire.PointerName(step)
			if n.next == nil {
				n.next = map[string]*node{}
			}
			if n.next[name] == nil {
				n.next[name] = &node{}
			}
			n = n.next[name]
		}
	}
	n.pointer, n.wanted = pointer, true
}

// each calls f for the nodes of the pointers that end at a node or pass through it.
func (n *node) each(f func(n *node)) {
	if n.wanted {
		f(n)
	}
	for _, next := range n.next {
		next.each(f)
	}
}

// here sets the position of a node and, until they are found, of all its descendants.
func (n *node) here(at Position) { n.each(func(n *node) { n.at = at }) }

// scanner reads a valid JSON text once.
type scanner struct {
	*wire.Reader
	text string
	// at is the position of the offset up to which lines have been counted.
	at      Position
	counted int
}

// here sets the position of a node to that of an offset. The node may be nil.
func (s *scanner) here(n *node, offset int) {
	if n == nil {
		return
	}
	between := s.text[s.counted:offset]
	if i := strings.LastIndexByte(between, '\n'); i >= 0 {
		s.at.Line += strings.Count(between, "\n")
		s.at.Column, between = 1, between[i+1:]
	}
	// Count each line's columns once, because a line may be the whole text.
	s.at.Column += utf8.RuneCountInString(between)
	s.counted = offset
	n.here(s.at)
}

// value reads the value of a node whose position is known. The node is nil for a value that no pointer leads to. The
// text is valid, so there are no errors.
func (s *scanner) value(n *node) {
	kind := s.Kind()
	switch {
	case n != nil && len(n.next) > 0 && kind == wire.KindObject:
		for s.BeginObject(); s.Member(); {
			next := n.next[s.Name()]
			s.here(next, s.NameAt())
			s.value(next)
		}
	case n != nil && len(n.next) > 0 && kind == wire.KindArray:
		s.BeginArray()
		for i := 0; s.Element(); i++ {
			next := n.next[strconv.Itoa(i)]
			s.here(next, s.Offset())
			s.value(next)
		}
	default:
		s.Skip()
	}
}
