package locate

import (
	"strconv"

	"github.com/mcpgen/mcpgen/gen/yaml"
)

// findYAML finds the pointers in a YAML text. The position of a value behind an alias is that
// of its anchor.
func findYAML(text []byte, root *node, found map[string]Position) {
	docs, err := yaml.Parse(text)
	if err != nil || len(docs) == 0 {
		return
	}
	w := walker{found}
	w.here(root, docs[0])
	w.within(root, docs[0])
}

// walker visits the nodes of a YAML text.
type walker struct {
	found map[string]Position
}

func (w walker) here(n *node, at *yaml.Node) {
	n.each(func(pointer string) { w.found[pointer] = Position{at.Line, at.Column} })
}

func (w walker) within(n *node, value *yaml.Node) {
	if len(n.next) == 0 {
		return
	}
	if list, ok := yaml.Elements(value); ok {
		for i, element := range list {
			if next := n.next[strconv.Itoa(i)]; next != nil {
				w.here(next, element)
				w.within(next, element)
			}
		}
		return
	}
	members, _ := yaml.Members(value)
	for _, m := range members {
		if next := n.next[m.Name]; next != nil {
			w.here(next, m.Key)
			w.within(next, m.Value)
		}
	}
}
