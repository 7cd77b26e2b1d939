package wire

// Equal reports whether a and b are the same JSON value: white space, the
// order of members and the spelling of strings and numbers do not count.
// Numbers are compared by their exact value, so that 1, 1.0 and 10e-1 are the
// same and 0.1 and 0.10000000000000001 are not. The same text is equal
// to itself; else malformed text is equal to nothing.
func Equal(a, b Raw) bool {
	if a == b {
		return true
	}
	x, ok := parseTree(string(a))
	if !ok {
		return false
	}
	y, ok := parseTree(string(b))
	return ok && equalNodes(x, y)
}

// A node is a value of a text that has been taken apart. The nodes of a text
// stand in a slice in the order of the text, so that a node's first child
// comes right after it and its next sibling size nodes later.
type node struct {
	kind Kind
	size int    // of the node with all nodes below it
	name string // unescaped, when it is the value of a member
	text string // string: its meaning; else a scalar's token
}

// parseTree checks text, and returns its nodes.
func parseTree(text string) ([]node, bool) {
	r := Reader{src: text}
	r.Skip()
	r.End()
	if r.err != nil {
		return nil, false
	}
	r.pos = 0
	return r.appendNodes(nil, ""), true
}

// appendNodes reads a value that has been checked.
func (r *Reader) appendNodes(nodes []node, name string) []node {
	at := len(nodes)
	kind := r.Kind()
	nodes = append(nodes, node{kind: kind, name: name})
	switch kind {
	case KindObject:
		for r.BeginObject(); r.Member(); {
			nodes = r.appendNodes(nodes, r.Name())
		}
	case KindArray:
		for r.BeginArray(); r.Element(); {
			nodes = r.appendNodes(nodes, "")
		}
	case KindString:
		nodes[at].text = r.ReadString()
	default:
		start := r.pos
		r.pos = skipValue(r.src, start)
		nodes[at].text = r.src[start:r.pos]
	}
	nodes[at].size = len(nodes) - at
	return nodes
}

// equalNodes compares the values that a and b begin with.
func equalNodes(a, b []node) bool {
	if a[0].kind != b[0].kind || a[0].size != b[0].size {
		return false
	}
	switch a[0].kind {
	case KindObject:
		return equalMembers(a[1:a[0].size], b[1:b[0].size])
	case KindArray:
		a, b = a[1:a[0].size], b[1:b[0].size]
		for len(a) > 0 && len(b) > 0 {
			if !equalNodes(a, b) {
				return false
			}
			a, b = a[a[0].size:], b[b[0].size:]
		}
		return len(a) == len(b)
	case KindNumber:
		return equalNumbers(a[0].text, b[0].text)
	}
	return a[0].text == b[0].text
}

// equalMembers compares the members of two objects. As long as they are in the
// same order that takes no search; the rest of b goes into a map.
func equalMembers(a, b []node) bool {
	for len(a) > 0 && len(b) > 0 && a[0].name == b[0].name {
		if !equalNodes(a, b) {
			return false
		}
		a, b = a[a[0].size:], b[b[0].size:]
	}
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 {
		return true
	}
	rest := make(map[string][]node)
	for len(b) > 0 {
		rest[b[0].name] = b
		b = b[b[0].size:]
	}
	n := 0
	for len(a) > 0 {
		other, ok := rest[a[0].name]
		if !ok || !equalNodes(a, other) {
			return false
		}
		a = a[a[0].size:]
		n++
	}
	return n == len(rest)
}
