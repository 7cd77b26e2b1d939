package lint

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// node is a JSON value that can be changed. It keeps the order of members and the text of
// numbers.
type node struct {
	kind     wire.Kind
	scalar   wire.Raw // for values that are neither objects nor arrays
	members  []member
	elements []*node
}

type member struct {
	name  string
	value *node
}

// parse returns the tree of a well-formed value.
func parse(raw wire.Raw) *node {
	n := &node{kind: raw.Kind()}
	switch n.kind {
	case wire.KindObject:
		for name, value := range wire.Object(raw).All() {
			n.members = append(n.members, member{name, parse(value)})
		}
	case wire.KindArray:
		for _, element := range raw.Elements() {
			n.elements = append(n.elements, parse(element))
		}
	default:
		n.scalar = wire.Raw(strings.TrimSpace(string(raw)))
	}
	return n
}

// raw returns the text of a tree.
func (n *node) raw() wire.Raw { return wire.Raw(n.append(nil)) }

func (n *node) append(dst []byte) []byte {
	switch n.kind {
	case wire.KindObject:
		dst = append(dst, '{')
		for i, m := range n.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst, _ = wire.AppendString(dst, m.name) // a name that was read is UTF-8
			dst = m.value.append(append(dst, ':'))
		}
		return append(dst, '}')
	case wire.KindArray:
		dst = append(dst, '[')
		for i, element := range n.elements {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = element.append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, n.scalar...)
}

// get returns the value of a member, or nil.
func (n *node) get(name string) *node {
	if i := n.index(name); i >= 0 {
		return n.members[i].value
	}
	return nil
}

func (n *node) index(name string) int {
	return slices.IndexFunc(n.members, func(m member) bool { return m.name == name })
}

// has reports whether an object has one of some members.
func (n *node) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return n.index(name) >= 0 })
}

// set replaces the value of a member, or appends the member.
func (n *node) set(name string, value *node) {
	if i := n.index(name); i >= 0 {
		n.members[i].value = value
		return
	}
	n.members = append(n.members, member{name, value})
}

// drop removes members.
func (n *node) drop(names ...string) {
	n.members = slices.DeleteFunc(n.members, func(m member) bool { return slices.Contains(names, m.name) })
}

// text returns the value of a string.
func (n *node) text() string {
	if n == nil || n.kind != wire.KindString {
		return ""
	}
	s, _ := n.scalar.Str()
	return s
}

// is reports whether a value, which may be nil, is a scalar with a text such as "true".
func (n *node) is(text string) bool { return n != nil && string(n.scalar) == text }

// isEmptySchema reports whether a schema accepts every value.
func (n *node) isEmptySchema() bool {
	return n.is("true") || n != nil && n.kind == wire.KindObject && len(n.members) == 0
}

func (n *node) clone() *node { return parse(n.raw()) }

// at returns the value that a JSON Pointer leads to, or nil.
func (n *node) at(pointer string) *node {
	for pointer != "" && n != nil {
		step, rest, more := strings.Cut(pointer[1:], "/")
		name := wire.PointerName(step)
		if n.kind == wire.KindArray {
			n = element(n.elements, name)
		} else {
			n = n.get(name)
		}
		if pointer = ""; more {
			pointer = "/" + rest
		}
	}
	return n
}

func element(all []*node, index string) *node {
	i := 0
	for _, c := range []byte(index) {
		if c < '0' || c > '9' || i > len(all) {
			return nil
		}
		i = i*10 + int(c-'0')
	}
	if index == "" || i >= len(all) {
		return nil
	}
	return all[i]
}

// Makers of values.
func object(members ...member) *node { return &node{kind: wire.KindObject, members: members} }
func array(elements ...*node) *node  { return &node{kind: wire.KindArray, elements: elements} }
func scalar(raw wire.Raw) *node      { return &node{kind: raw.Kind(), scalar: raw} }

func str(s string) *node {
	text, _ := wire.AppendString(nil, s)
	return scalar(wire.Raw(text))
}

// eachSchema calls f with each schema of a tree that is an object, the inner ones first.
func (n *node) eachSchema(f func(s *node)) {
	if n == nil || n.kind != wire.KindObject {
		return
	}
	n.children(func(child *node) { child.eachSchema(f) })
	f(n)
}

// children calls f with the schemas that a schema directly contains.
func (n *node) children(f func(s *node)) {
	for _, m := range n.members {
		switch v := m.value; jsonschema.Holds(m.name, v.kind) {
		case jsonschema.NamedForm:
			for _, inner := range v.members {
				f(inner.value)
			}
		case jsonschema.SchemasForm:
			for _, inner := range v.elements {
				f(inner)
			}
		case jsonschema.SchemaForm:
			f(v)
		}
	}
}
