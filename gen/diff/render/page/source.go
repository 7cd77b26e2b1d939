package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// source is a side in which pointers can be resolved.
type source struct {
	Side
	root     *node
	subjects map[string]bool
}

func newSource(s Side) (*source, error) {
	if !json.Valid(s.Source) {
		return nil, fmt.Errorf("%s: the source is not JSON", s.Label)
	}
	src := &source{Side: s, root: &node{raw: s.Source}, subjects: map[string]bool{}}
	for _, name := range s.Subjects {
		src.subjects[name] = true
	}
	return src, nil
}

// node is a value of a source. It is parsed when a pointer first leads into it.
type node struct {
	raw     json.RawMessage
	opened  bool
	members map[string]*node
	list    []*node
}

// at returns the node of a JSON Pointer, or nil.
func (n *node) at(pointer string) *node {
	for _, token := range strings.Split(pointer, "/")[1:] {
		if n = n.child(wire.PointerName(token)); n == nil {
			return nil
		}
	}
	return n
}

// child returns the member or the element for a token of a pointer, or nil.
func (n *node) child(name string) *node {
	if n == nil {
		return nil
	}
	n.open()
	if n.members != nil {
		return n.members[name]
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.list) {
		return n.list[i]
	}
	return nil
}

func (n *node) open() {
	if n.opened {
		return
	}
	n.opened = true
	switch text := bytes.TrimLeft(n.raw, " \t\r\n"); {
	case bytes.HasPrefix(text, []byte("{")):
		var members map[string]json.RawMessage
		if json.Unmarshal(n.raw, &members) != nil {
			return
		}
		n.members = make(map[string]*node, len(members))
		for name, raw := range members {
			n.members[name] = &node{raw: raw}
		}
	case bytes.HasPrefix(text, []byte("[")):
		var list []json.RawMessage
		if json.Unmarshal(n.raw, &list) != nil {
			return
		}
		for _, raw := range list {
			n.list = append(n.list, &node{raw: raw})
		}
	}
}

// text returns the value of a string, or the formatted JSON text of any other value. A nil node
// has no text.
func (n *node) text() string {
	if n == nil {
		return ""
	}
	if value, ok := n.str(); ok && value != "" {
		return value
	}
	return layout(bytes.ReplaceAll(n.raw, oldReference, newReference))
}

// References of old drafts of JSON Schema are shown as newer drafts write them, so that lines which
// differ in nothing else are shown as unchanged.
var oldReference, newReference = []byte(`"#/definitions/`), []byte(`"#/$defs/`)

// str returns the value of a string.
func (n *node) str() (value string, ok bool) {
	if n == nil || !bytes.HasPrefix(bytes.TrimLeft(n.raw, " \t\r\n"), []byte(`"`)) {
		return "", false
	}
	return value, json.Unmarshal(n.raw, &value) == nil
}

// constant returns the constant that identifies the values at a place, such as "resource_link",
// or "".
func (s *source) constant(p diff.Place) string {
	if p.Pointer == "" {
		return ""
	}
	members := s.root.at(p.Pointer).child("properties")
	for _, name := range []string{"type", "method", "kind", "mode"} {
		if value, ok := members.child(name).child("const").str(); ok {
			return value
		}
		only := members.child(name).child("enum")
		if value, ok := only.child("0").str(); ok && only.child("1") == nil {
			return value
		}
	}
	return ""
}

// errata returns the errata that were applied to one side at a place or below it.
func errata(r *diff.Report, side string, p diff.Place) []diff.Corrected {
	var found []diff.Corrected
	for _, e := range r.Errata {
		if e.Side == side && p.Pointer != "" && (e.Pointer == p.Pointer || strings.HasPrefix(e.Pointer, p.Pointer+"/")) {
			found = append(found, e)
		}
	}
	return found
}
