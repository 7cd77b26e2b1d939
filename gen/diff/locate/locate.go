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
	s.here(root, s.next())
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

// here sets the offset of a node and, until they are found, of all its descendants. The node may be nil.
func (s *scanner) here(n *node, offset int) {
	if n != nil {
		n.each(func(pointer string) { s.at[pointer] = offset })
	}
}

// value reads the value of a node whose offset is known. The node is nil for a value that no pointer leads to. The
// text is valid, so there are no errors.
func (s *scanner) value(n *node) {
	if n == nil || len(n.next) == 0 {
		var raw json.RawMessage
		s.dec.Decode(&raw)
		return
	}
	open, _ := s.dec.Token()
	if _, ok := open.(json.Delim); !ok {
		return
	}
	for i := 0; s.dec.More(); i++ {
		offset, name := s.next(), strconv.Itoa(i)
		if open == json.Delim('{') {
			token, _ := s.dec.Token()
			name = token.(string)
		}
		s.here(n.next[name], offset)
		s.value(n.next[name])
	}
	s.dec.Token() // the end of the object or array
}
