package yaml

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// FromJSON returns a JSON text as a node. It keeps the order of members and the notation of numbers.
func FromJSON(text wire.Raw) *Node {
	switch text = wire.Raw(strings.TrimSpace(string(text))); text.Kind() {
	case wire.KindObject:
		n := &Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for name, value := range wire.Object(text).All() {
			n.Content = append(n.Content, textNode(name), FromJSON(value))
		}
		if len(n.Content) == 0 {
			n.Style = yaml.FlowStyle
		}
		return n
	case wire.KindArray:
		n := &Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		short := true
		for _, element := range text.Elements() {
			n.Content = append(n.Content, FromJSON(element))
			short = short && element.Kind() != wire.KindObject && element.Kind() != wire.KindArray
		}
		if short && len(text) <= longestFlow {
			n.Style = yaml.FlowStyle
		}
		return n
	case wire.KindString:
		value, _ := text.Str()
		return textNode(value)
	}
	n := &Node{Kind: yaml.ScalarNode, Tag: tagInt, Value: string(text)}
	switch kind := text.Kind(); {
	case kind == wire.KindNull:
		n.Tag = tagNull
	case kind == wire.KindBool:
		n.Tag = tagBool
	case strings.ContainsAny(n.Value, ".eE") || len(n.Value) > 18: // the library takes integers beyond an int64 for floats
		n.Tag = tagFloat
	}
	return n
}

// longestFlow is the length in bytes of the longest array of scalars that is written in one line.
const longestFlow = 80

// textNode returns a string, as a block of lines if it has several. One that looks like a number is quoted, because
// [JSON] takes a plain one for a number.
func textNode(value string) *Node {
	n := &Node{Kind: yaml.ScalarNode, Tag: tagText, Value: value}
	switch {
	case strings.Contains(strings.TrimRight(value, "\n"), "\n"):
		n.Style = yaml.LiteralStyle
	case jsonNumber.MatchString(value):
		n.Style = yaml.SingleQuotedStyle
	}
	return n
}

// Write returns a document as a text. It has the indentation of like, the node of an earlier text, unless
// that is nil.
func Write(n, like *Node) ([]byte, error) {
	indent, compact := 2, false
	if like != nil {
		indent, compact = layout(like, indent, compact)
	}
	text, err := yaml.Dump(n, yaml.WithIndent(indent), yaml.WithCompactSeqIndent(compact), yaml.WithLineWidth(-1))
	if err != nil {
		return nil, err
	}
	return append(bytes.TrimRight(text, "\n"), '\n'), nil
}

// layout returns the indentation of the first block in a block, and whether the dashes of lists have none.
func layout(n *Node, indent int, compact bool) (int, bool) {
	if n.Kind != yaml.MappingNode || IsFlow(n) {
		return indent, compact
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if IsFlow(value) || value.Line <= key.Line {
			continue
		}
		switch value.Kind {
		case yaml.SequenceNode:
			compact = value.Column == key.Column
			for _, element := range value.Content {
				if element.Kind == yaml.MappingNode && !IsFlow(element) {
					indent, _ = layout(element, indent, compact)
					break
				}
			}
			return indent, compact
		case yaml.MappingNode:
			return min(max(value.Column-key.Column, 2), 9), compact
		}
	}
	return indent, compact
}

// Expanded returns a copy of a node in which every alias is a copy of what it stands for.
func Expanded(n *Node) *Node {
	c := *Content(n)
	c.HeadComment, c.LineComment, c.FootComment = n.HeadComment, n.LineComment, n.FootComment
	c.Anchor, c.Content = "", nil
	if members, ok := Members(n); ok {
		for _, m := range members {
			c.Content = append(c.Content, Expanded(m.Key), Expanded(m.Value))
		}
		return &c
	}
	for _, child := range Content(n).Content {
		c.Content = append(c.Content, Expanded(child))
	}
	return &c
}

// Object returns a mapping with other members. It keeps the style and the comments of the mapping of, which may be
// nil.
func Object(of *Node, members []Member) *Node {
	n := &Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if of != nil {
		*n = *of
	}
	n.Content = nil
	for _, m := range members {
		key := m.Key
		if key == nil {
			key = textNode(m.Name)
		}
		n.Content = append(n.Content, key, m.Value)
	}
	if len(members) == 0 {
		n.Style = yaml.FlowStyle
	}
	return n
}

// List returns a sequence with other elements. It keeps the style and the comments of the sequence of, which may be
// nil.
func List(of *Node, elements []*Node) *Node {
	n := &Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if of != nil {
		*n = *of
	}
	if n.Content = elements; len(elements) == 0 {
		n.Style = yaml.FlowStyle
	}
	return n
}
