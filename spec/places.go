package spec

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v4"
)

// Places knows the lines of the values of a YAML file. The zero value knows none.
type Places struct {
	file  string
	lines map[string]int
}

// At returns the place of a value for messages, as in "overlay.yaml:12: names/3". The path of a
// value is its keys and indexes.
func (p Places) At(path string) string {
	line, ok := p.lines[path]
	switch {
	case p.file == "":
		return path
	case !ok:
		return p.file + ": " + path
	}
	return fmt.Sprintf("%s:%d: %s", p.file, line, path)
}

// has reports whether the file has a value with the path.
func (p Places) has(path string) bool {
	_, ok := p.lines[path]
	return ok
}

// within records the lines of the values of a node.
func (p Places) within(prefix string, n *yaml.Node) {
	switch n.Kind {
	case yaml.DocumentNode:
		for _, root := range n.Content {
			p.within(prefix, root)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			path := prefix + n.Content[i].Value
			p.lines[path] = n.Content[i].Line
			p.within(path+"/", n.Content[i+1])
		}
	case yaml.SequenceNode:
		for i, value := range n.Content {
			path := prefix + strconv.Itoa(i)
			p.lines[path] = value.Line
			p.within(path+"/", value)
		}
	}
}
