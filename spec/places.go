package spec

import (
	"fmt"
	"strconv"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
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

// readPlaces returns the lines of all values of a file.
func readPlaces(name string, src []byte) (Places, error) {
	file, err := parser.ParseBytes(src, 0)
	if err != nil {
		return Places{}, fmt.Errorf("%s: %w", name, err)
	}
	p := Places{name, map[string]int{}}
	for _, doc := range file.Docs {
		p.within("", doc.Body)
	}
	return p, nil
}

func (p Places) within(prefix string, node ast.Node) {
	switch n := node.(type) {
	case *ast.AnchorNode:
		p.within(prefix, n.Value)
	case ast.MapNode:
		for it := n.MapRange(); it.Next(); {
			path := prefix + it.Key().GetToken().Value
			p.lines[path] = it.Key().GetToken().Position.Line
			p.within(path+"/", it.Value())
		}
	case *ast.SequenceNode:
		for i, value := range n.Values {
			path := prefix + strconv.Itoa(i)
			p.lines[path] = firstLine(value)
			p.within(path+"/", value)
		}
	}
}

// firstLine returns the line on which a node begins. The token of a mapping is its first colon.
func firstLine(node ast.Node) int {
	if m, ok := node.(ast.MapNode); ok {
		if it := m.MapRange(); it.Next() {
			return it.Key().GetToken().Position.Line
		}
	}
	return node.GetToken().Position.Line
}
