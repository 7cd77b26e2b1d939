package locate

import (
	"strconv"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// findYAML finds the pointers in a YAML text. The position of a value behind an alias is that
// of its anchor.
func findYAML(text []byte, root *node, found map[string]Position) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil || len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return
	}
	w := walker{found: found, anchors: Anchors(file.Docs[0].Body)}
	w.here(root, file.Docs[0].Body)
	w.within(root, file.Docs[0].Body)
}

// Anchors returns the values of a document's anchors by their names.
func Anchors(doc ast.Node) map[string]ast.Node {
	found := anchors{}
	ast.Walk(found, doc)
	return found
}

type anchors map[string]ast.Node

// Visit implements [ast.Visitor].
func (a anchors) Visit(n ast.Node) ast.Visitor {
	if anchor, ok := n.(*ast.AnchorNode); ok {
		a[anchor.Name.GetToken().Value] = anchor.Value
	}
	return a
}

// Content returns the value of a node behind anchors, tags and aliases. It is nil for an alias
// without an anchor.
func Content(n ast.Node, anchors map[string]ast.Node) ast.Node {
	for range 100 { // an alias may refer to a value that contains it
		switch t := n.(type) {
		case *ast.AnchorNode:
			n = t.Value
		case *ast.TagNode:
			n = t.Value
		case *ast.AliasNode:
			n = anchors[t.Value.GetToken().Value]
		default:
			return n
		}
	}
	return nil
}

// Members returns the members of a mapping. ok is false if the node is not a mapping.
func Members(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// Name returns the name of a member as written, whatever type YAML gives it.
func Name(m *ast.MappingValueNode) string {
	key := ast.Node(m.Key)
	if explicit, ok := key.(*ast.MappingKeyNode); ok && explicit.Value != nil {
		key = explicit.Value
	}
	if text, ok := key.(*ast.StringNode); ok {
		return text.Value
	}
	return key.GetToken().Value
}

// Start returns the position at which a node begins.
func Start(n ast.Node) Position {
	switch t := n.(type) {
	case *ast.MappingNode:
		if !t.IsFlowStyle && len(t.Values) > 0 {
			return Start(t.Values[0])
		}
	case *ast.MappingValueNode:
		return Start(t.Key)
	}
	token := n.GetToken()
	if token == nil || token.Position == nil {
		return Position{1, 1}
	}
	return Position{token.Position.Line, token.Position.Column}
}

// walker visits the nodes of a YAML text.
type walker struct {
	found   map[string]Position
	anchors map[string]ast.Node
}

func (w *walker) here(n *node, at ast.Node) {
	position := Start(at)
	n.each(func(pointer string) { w.found[pointer] = position })
}

func (w *walker) within(n *node, value ast.Node) {
	if len(n.next) == 0 {
		return
	}
	value = Content(value, w.anchors)
	if list, ok := value.(*ast.SequenceNode); ok {
		for i, element := range list.Values {
			if next := n.next[strconv.Itoa(i)]; next != nil {
				w.here(next, element)
				w.within(next, element)
			}
		}
		return
	}
	members, _ := Members(value)
	for _, m := range members {
		if next := n.next[Name(m)]; next != nil {
			w.here(next, m)
			w.within(next, m.Value)
		}
	}
}
