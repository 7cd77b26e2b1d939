package tools

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// written is a CallToolResult that has been written.
type written string

// AppendJSON implements wire.Appender.
func (w written) AppendJSON(dst []byte) ([]byte, error) { return append(dst, w...), nil }

// structured is the CallToolResult of a structured result, of which it is the text.
type structured string

// AppendJSON implements wire.Appender.
func (s structured) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := appendText(append(dst, `{"content":[`...), string(s))
	dst = append(dst, `],"structuredContent":`...)
	return append(append(dst, s...), '}'), err
}

// unstructured is the same in a revision without structuredContent.
type unstructured string

// AppendJSON implements wire.Appender.
func (u unstructured) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := appendText(append(dst, `{"content":[`...), string(u))
	return append(dst, `]}`...), err
}

// content is the CallToolResult of content blocks, for a revision.
type content[Block wire.Appender] struct {
	blocks   []Block
	revision string
}

// AppendJSON implements wire.Appender.
func (c content[Block]) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"content":[`...)
	for i, block := range c.blocks {
		dst = wire.AppendComma(dst)
		start := len(dst)
		var err error
		if dst, err = block.AppendJSON(dst); err == nil && !allKinds(c.revision) {
			dst, err = restate(dst, start, c.revision)
		}
		if err != nil {
			return dst, fmt.Errorf("block %d of the tool's result cannot be written: %w", i, err)
		}
	}
	return append(dst, `]}`...), nil
}

// allKinds reports whether a revision has all kinds of content block.
func allKinds(revision string) bool { return revision == "" || revision >= revisionStructured }

// restate makes of a block, which begins at start, a text block with its JSON if the
// revision has none of its kind.
func restate(dst []byte, start int, revision string) ([]byte, error) {
	block := string(dst[start:])
	if since(stringMember(wire.Object(block), "type")) <= revision {
		return dst, nil
	}
	return appendText(dst[:start], block)
}

// since is the revision that a kind of content block came with.
func since(kind string) string {
	switch kind {
	case "audio":
		return revisionAudio
	case "resource_link":
		return revisionStructured
	}
	return ""
}

// appendText appends a text block.
func appendText(dst []byte, text string) ([]byte, error) {
	dst, err := wire.AppendString(append(dst, `{"type":"text","text":`...), text)
	return append(dst, '}'), err
}

// stringMember is the string that a member of an object is, or "".
func stringMember(o wire.Object, name string) string {
	raw, _ := o.Get(name)
	if raw.Kind() != wire.KindString {
		return ""
	}
	r := wire.NewStringReader(string(raw))
	s := r.ReadString()
	if r.Err() != nil {
		return ""
	}
	return s
}

// maxProblems bounds what is told of one value, so that a list of a million bad items is
// not answered with a million sentences.
const maxProblems = 100

// explain says what is wrong with a value, a line for each problem when there are
// several.
func explain(what string, err error) string {
	all, ok := errors.AsType[*wire.ValidationError](err)
	if !ok {
		if e, ok := errors.AsType[*wire.Error](err); ok {
			return what + ": " + wire.Problem{Pointer: e.Pointer, Message: e.Problem}.String()
		}
		return what + ": " + err.Error()
	}
	if len(all.Problems) == 1 {
		return what + ": " + all.Problems[0].String()
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s, %d problems:", what, len(all.Problems))
	for i, p := range all.Problems {
		if i == maxProblems {
			fmt.Fprintf(&text, "\n- and %d more", len(all.Problems)-i)
			break
		}
		text.WriteString("\n- " + p.String())
	}
	return text.String()
}
