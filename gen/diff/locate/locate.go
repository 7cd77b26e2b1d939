// Package locate finds the lines and columns of JSON Pointers in JSON and YAML texts.
package locate

import (
	"bytes"
	"encoding/json"
	"slices"
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
		return positions(text, root)
	}
	found := map[string]Position{}
	findYAML(text, root, found)
	return found
}

// node is a step of the pointers. Pointers form a tree, so that one pass over the text finds
// them all.
type node struct {
	pointer string
	wanted  bool
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

// each calls f for the pointers that end at a node or pass through it.
func (n *node) each(f func(pointer string)) {
	if n.wanted {
		f(n.pointer)
	}
	for _, next := range n.next {
		next.each(f)
	}
}

// positions finds the pointers in a JSON text.
func positions(text []byte, root *node) map[string]Position {
	s := scanner{text: text, dec: json.NewDecoder(bytes.NewReader(text)), at: map[string]int{}}
	s.value(root)
	offsets := make([]int, 0, len(s.at))
	for _, offset := range s.at {
		offsets = append(offsets, offset)
	}
	slices.Sort(offsets)
	where := map[int]Position{}
	at, scanned := Position{1, 1}, 0
	for _, offset := range slices.Compact(offsets) {
		between := text[scanned:offset]
		if i := bytes.LastIndexByte(between, '\n'); i >= 0 {
			at.Line += bytes.Count(between, []byte("\n"))
			at.Column, between = 1, between[i+1:]
		}
		// Count each line's columns once, because a line may be the whole text.
		at.Column += utf8.RuneCount(between)
		where[offset], scanned = at, offset
	}
	found := map[string]Position{}
	for pointer, offset := range s.at {
		found[pointer] = where[offset]
	}
	return found
}

// scanner reads a valid JSON text once.
type scanner struct {
	text []byte
	dec  *json.Decoder
	at   map[string]int
}

// next returns the offset of the next name or value.
func (s *scanner) next() int {
	offset := int(s.dec.InputOffset())
	for offset < len(s.text)-1 && strings.IndexByte(" \t\r\n,:", s.text[offset]) >= 0 {
		offset++
	}
	return offset
}

// here sets the offset of a node and, until they are found, of all its descendants.
func (s *scanner) here(n *node) {
	offset := s.next()
	n.each(func(pointer string) { s.at[pointer] = offset })
}

// value reads a value that pointers lead to. root means that it is the whole text.
func (s *scanner) value(root *node) {
	s.here(root)
	s.within(root)
}

// within reads the value of a node whose offset is known.
func (s *scanner) within(n *node) {
	if len(n.next) == 0 {
		s.skip()
		return
	}
	token, err := s.dec.Token()
	if err != nil {
		return
	}
	switch token {
	case json.Delim('{'):
		for s.dec.More() {
			offset := s.next()
			name, err := s.dec.Token()
			if err != nil {
				return
			}
			next := n.next[name.(string)]
			if next == nil {
				s.skip()
				continue
			}
			next.each(func(pointer string) { s.at[pointer] = offset })
			s.within(next)
		}
	case json.Delim('['):
		for i := 0; s.dec.More(); i++ {
			if next := n.next[strconv.Itoa(i)]; next != nil {
				s.value(next)
			} else {
				s.skip()
			}
		}
	default:
		return
	}
	s.dec.Token() // the end of the object or array
}

func (s *scanner) skip() {
	var raw json.RawMessage
	if s.dec.Decode(&raw) != nil {
		return
	}
}
