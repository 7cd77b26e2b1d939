package catalog

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// FromYAML converts a YAML document to JSON. It keeps the order of members and the notation
// of numbers. An error is a [*tools.Error].
func FromYAML(text []byte) ([]byte, error) {
	docs, err := fromYAML(text)
	if err != nil {
		return nil, err
	}
	switch len(docs) {
	case 0:
		return nil, &tools.Error{Problem: "is empty"}
	case 1:
		return docs[0], nil
	}
	return nil, &tools.Error{Problem: "must be a single YAML document"}
}

// fromYAML converts each document of a text to JSON.
func fromYAML(text []byte) ([][]byte, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n") // the parser's source excerpt follows
		return nil, &tools.Error{Problem: line}
	}
	var docs [][]byte
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		y := yaml{anchors: map[string]ast.Node{}}
		text, err := y.append(nil, doc.Body, "")
		if err != nil {
			return nil, err
		}
		docs = append(docs, text)
	}
	return docs, nil
}

// maxText is the maximum size in bytes of a text with its aliases expanded. maxDepth is its
// maximum nesting depth.
const (
	maxText  = 64 << 20
	maxDepth = 1000
)

// yaml writes the nodes of a document as JSON.
type yaml struct {
	anchors map[string]ast.Node
	depth   int
}

func fail(pointer string, n ast.Node, format string, args ...any) error {
	problem := fmt.Sprintf(format, args...)
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		problem = fmt.Sprintf("line %d, column %d: %s", tk.Position.Line, tk.Position.Column, problem)
	}
	return &tools.Error{Pointer: pointer, Problem: problem}
}

func (y *yaml) append(dst []byte, n ast.Node, at string) ([]byte, error) {
	y.depth++
	defer func() { y.depth-- }()
	if y.depth > maxDepth {
		return dst, fail("", n, "is nested too deeply")
	}
	if len(dst) > maxText {
		return dst, fail("", n, "is longer than %d MiB with its aliases expanded", maxText>>20)
	}
	switch n := n.(type) {
	case *ast.AnchorNode:
		dst, err := y.append(dst, n.Value, at)
		y.anchors[n.Name.GetToken().Value] = n.Value // set after the value, so that no value contains itself
		return dst, err
	case *ast.AliasNode:
		value, ok := y.anchors[n.Value.GetToken().Value]
		if !ok {
			return dst, fail(at, n, "the alias *%s has no anchor", n.Value.GetToken().Value)
		}
		return y.append(dst, value, at)
	case *ast.TagNode:
		if n.Start.Value == "!!str" {
			return appendString(dst, n.Value.GetToken().Value, at, n)
		}
		return y.append(dst, n.Value, at)
	case *ast.MappingNode:
		return y.mapping(dst, n.Values, at)
	case *ast.MappingValueNode:
		return y.mapping(dst, []*ast.MappingValueNode{n}, at)
	case *ast.SequenceNode:
		dst = append(dst, '[')
		for i, value := range n.Values {
			var err error
			if dst, err = y.append(wire.AppendComma(dst), value, fmt.Sprintf("%s/%d", at, i)); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case *ast.NullNode:
		return append(dst, "null"...), nil
	case *ast.BoolNode:
		return wire.AppendBool(dst, n.Value), nil
	case *ast.StringNode:
		// The parser returns a number that no Go type can hold as a string.
		if n.Token.Type == token.StringType && jsonNumber.MatchString(n.Value) {
			return append(dst, n.Value...), nil
		}
		return appendString(dst, n.Value, at, n)
	case *ast.LiteralNode:
		return appendString(dst, n.Value.Value, at, n)
	case *ast.IntegerNode:
		return appendNumber(dst, n.GetToken().Value, n.Value, at, n)
	case *ast.FloatNode:
		return appendNumber(dst, n.GetToken().Value, n.Value, at, n)
	}
	return dst, fail(at, n, "%s has no counterpart in JSON", n.Type())
}

func (y *yaml) mapping(dst []byte, values []*ast.MappingValueNode, at string) ([]byte, error) {
	dst = append(dst, '{')
	for _, member := range values {
		if member.Key.IsMergeKey() {
			return dst, fail(at, member, "merge keys (<<) are not supported")
		}
		name := keyOf(member.Key)
		within := wire.ChildPointer(at, name)
		if len(dst) > 0 && dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendString(dst, name, within, member); err != nil {
			return dst, err
		}
		if dst, err = y.append(append(dst, ':'), member.Value, within); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// keyOf returns the name of a member as written, even if YAML gives it another type.
func keyOf(key ast.MapKeyNode) string {
	switch k := key.(type) {
	case *ast.StringNode:
		return k.Value
	case *ast.MappingKeyNode:
		if inner, ok := k.Value.(ast.MapKeyNode); ok {
			return keyOf(inner)
		}
	}
	return key.GetToken().Value
}

func appendString(dst []byte, s, at string, n ast.Node) ([]byte, error) {
	dst, err := wire.AppendString(dst, s)
	if err != nil {
		return dst, fail(at, n, "is not valid UTF-8")
	}
	return dst, nil
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// appendNumber writes a number as written or, if JSON does not have the notation, its
// value.
func appendNumber(dst []byte, token string, value any, at string, n ast.Node) ([]byte, error) {
	if jsonNumber.MatchString(token) {
		return append(dst, token...), nil
	}
	text := fmt.Sprint(value)
	if !jsonNumber.MatchString(text) {
		return dst, fail(at, n, "%s is not a number in JSON", token)
	}
	return append(dst, text...), nil
}
