package wire

// Equal reports whether a and b are the same JSON value. White space, the order of members and
// the spelling of strings and numbers do not matter. Numbers are compared by their exact values:
// 1, 1.0 and 10e-1 are equal, 0.1 and 0.10000000000000001 are not. Malformed text is equal only
// to the same text.
func Equal(a, b Raw) bool {
	if a == b {
		return true
	}
	x, ok := parseTree(string(a))
	if !ok {
		return false
	}
	y, ok := parseTree(string(b))
	return ok && equalTrees(&x, &y)
}

// tree is a value with its parts.
type tree struct {
	kind     Kind
	text     string // of a string its meaning, of another scalar its token
	elements []tree
	members  map[string]tree
}

func parseTree(text string) (tree, bool) {
	r := Reader{src: text}
	r.Skip()
	r.End()
	if r.err != nil {
		return tree{}, false
	}
	r.pos, r.checked = 0, true
	return r.tree(), true
}

// tree reads a value that has been checked.
func (r *Reader) tree() tree {
	t := tree{kind: r.Kind()}
	switch t.kind {
	case KindObject:
		t.members = map[string]tree{}
		for r.BeginObject(); r.Member(); {
			name := r.Name()
			t.members[name] = r.tree()
		}
	case KindArray:
		for r.BeginArray(); r.Element(); {
			t.elements = append(t.elements, r.tree())
		}
	case KindString:
		t.text = r.ReadString()
	default:
		t.text = string(r.Take())
	}
	return t
}

func equalTrees(a, b *tree) bool {
	if a.kind != b.kind || len(a.members) != len(b.members) || len(a.elements) != len(b.elements) {
		return false
	}
	for name, x := range a.members {
		y, ok := b.members[name]
		if !ok || !equalTrees(&x, &y) {
			return false
		}
	}
	for i := range a.elements {
		if !equalTrees(&a.elements[i], &b.elements[i]) {
			return false
		}
	}
	return a.text == b.text || a.kind == KindNumber && CompareNumbers(Raw(a.text), Raw(b.text)) == 0
}
