package tools

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// written is an encoded CallToolResult.
type written string

// AppendJSON implements wire.Appender.
func (w written) AppendJSON(dst []byte) ([]byte, error) { return append(dst, w...), nil }

// structured is the CallToolResult of a structured result with the given text.
type structured string

// AppendJSON implements wire.Appender.
func (s structured) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := appendText(append(dst, `{"content":[`...), string(s))
	dst = append(dst, `],"structuredContent":`...)
	return append(append(dst, s...), '}'), err
}

// unstructured is structured for a revision without structuredContent.
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
			return dst, fmt.Errorf("block %d of the tool's result cannot be encoded: %w", i, err)
		}
	}
	return append(dst, `]}`...), nil
}

// allKinds reports whether a revision has all kinds of content blocks.
func allKinds(revision string) bool { return revision == "" || revision >= revisionStructured }

// restate replaces the block that begins at start by a text block with its JSON, if the
// revision does not have its kind.
func restate(dst []byte, start int, revision string) ([]byte, error) {
	block := string(dst[start:])
	if since(wire.Object(block).GetString("type")) <= revision {
		return dst, nil
	}
	return appendText(dst[:start], block)
}

// since returns the revision that introduced a kind of content block.
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

// maxProblems limits the problems reported for one value, so that the answer to a long list
// of invalid items remains short.
const maxProblems = 100

// explain describes the problems of a value, with one line for each if there are several.
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
