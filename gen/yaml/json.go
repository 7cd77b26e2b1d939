package yaml

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ToJSON returns a text, which must be one document, as JSON. It keeps the order of members and the notation of
// numbers. A text that is JSON is returned as it is. An error is an [*Error].
func ToJSON(text []byte) ([]byte, error) {
	docs, err := Documents(text)
	switch {
	case err != nil:
		return nil, err
	case len(docs) == 0:
		return nil, &Error{Problem: "is empty"}
	case len(docs) > 1:
		return nil, &Error{Problem: "must be a single YAML document"}
	}
	return docs[0], nil
}

// Documents returns each document of a text as [ToJSON] does.
func Documents(text []byte) ([][]byte, error) {
	if json.Valid(text) {
		return [][]byte{text}, nil
	}
	docs, err := Parse(text)
	if err != nil {
		return nil, err
	}
	texts := make([][]byte, len(docs))
	for i, doc := range docs {
		if texts[i], err = appendJSON(nil, doc, ""); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// JSON returns the JSON text of a node that [ToJSON] has accepted or [FromJSON] has made.
func JSON(n *Node) wire.Raw {
	text, err := appendJSON(nil, n, "")
	if err != nil {
		return "null"
	}
	return wire.Raw(text)
}

// appendJSON appends the JSON text of the node at a pointer.
func appendJSON(dst []byte, n *Node, at string) ([]byte, error) {
	switch n = Content(n); n.Kind {
	case yaml.MappingNode:
		return appendObject(dst, n, at)
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, element := range n.Content {
			var err error
			if dst, err = appendJSON(wire.AppendComma(dst), element, at+"/"+strconv.Itoa(i)); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	}
	text, err := scalar(n)
	if err != nil {
		e := fault(n, "%v", err)
		e.Pointer = at
		return dst, e
	}
	return append(dst, text...), nil
}

func appendObject(dst []byte, n *Node, at string) ([]byte, error) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; Content(key).Kind != yaml.ScalarNode {
			return dst, fault(key, "the name of a member is %s; expected a text", Describe(key))
		}
		if value := n.Content[i+1]; isMerge(n.Content[i]) && !mergeable(value) {
			return dst, fault(value, "a merge key (<<) has %s; expected a mapping, or a list of mappings", Describe(value))
		}
	}
	dst = append(dst, '{')
	members, _ := Members(n)
	for _, m := range members {
		var err error
		if dst, err = appendName(dst, m.Name); err != nil {
			return dst, fault(m.Key, "%v", err)
		}
		if dst, err = appendJSON(dst, m.Value, wire.ChildPointer(at, m.Name)); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// appendName appends the name of a member. Unlike the function of package wire, it checks the text.
func appendName(dst []byte, name string) ([]byte, error) {
	dst, err := wire.AppendString(wire.AppendComma(dst), name)
	return append(dst, ':'), err
}

// mergeable reports whether a value may follow a merge key.
func mergeable(n *Node) bool {
	if list, ok := Elements(n); ok {
		for _, source := range list {
			if Content(source).Kind != yaml.MappingNode {
				return false
			}
		}
		return true
	}
	return Content(n).Kind == yaml.MappingNode
}

// jsonNumber matches the numbers that JSON has. Others, such as hexadecimal ones, are written as their values.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// scalar returns the JSON text of a scalar.
func scalar(n *Node) ([]byte, error) {
	switch t := tag(n); {
	case t == tagNull:
		return []byte("null"), nil
	case t == tagBool:
		var value bool
		if err := n.Decode(&value); err != nil {
			return nil, fmt.Errorf("%q is neither true nor false", n.Value)
		}
		return strconv.AppendBool(nil, value), nil
	case t == tagInt || t == tagFloat,
		n.Style&^yaml.TaggedStyle == 0 && !isText(n) && jsonNumber.MatchString(n.Value): // beyond the numbers of Go
		return number(n)
	}
	text, err := wire.AppendString(nil, n.Value)
	return text, err
}

// isText reports whether a scalar has the tag !!str, written out.
func isText(n *Node) bool { return n.Style&yaml.TaggedStyle != 0 && n.ShortTag() == tagText }

// number returns a number as written or, if JSON does not have the notation, its value.
func number(n *Node) ([]byte, error) {
	if jsonNumber.MatchString(n.Value) {
		return []byte(n.Value), nil
	}
	var value any
	if err := n.Decode(&value); err != nil {
		return nil, fmt.Errorf("%q is not a number", n.Value)
	}
	if f, ok := value.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
		return nil, fmt.Errorf("%s has no counterpart in JSON", n.Value)
	}
	text := fmt.Sprint(value)
	if !jsonNumber.MatchString(text) {
		return nil, fmt.Errorf("%q is not a number in JSON", n.Value)
	}
	return []byte(text), nil
}
