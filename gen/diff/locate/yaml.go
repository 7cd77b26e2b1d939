package locate

import (
	"strconv"

	"github.com/mcpgen/mcpgen/gen/yaml"
)

// findYAML finds the pointers in a YAML text. The position of a value behind an alias is that
// of its anchor.
func findYAML(text []byte, root *node) {
	docs, err := yaml.Parse(text)
	if err != nil || len(docs) == 0 {
		return
	}
	root.here(positionOf(docs[0]))
	root.within(docs[0])
}

func positionOf(at *yaml.Node) Position { return Position{at.Line, at.Column} }

// within finds what is within the YAML value of a node.
func (n *node) within(value *yaml.Node) {
	if len(n.next) == 0 {
		return
	}
	if list, ok := yaml.Elements(value); ok {
		for i, element := range list {
			if next := n.next[strconv.Itoa(i)]; next != nil {
				next.here(positionOf(element))
				next.within(element)
			}
		}
		return
	}
	members, _ := yaml.Members(value)
	for _, m := range members {
		if next := n.next[m.Name]; next != nil {
			next.here(positionOf(m.Key))
			next.within(m.Value)
		}
	}
}
