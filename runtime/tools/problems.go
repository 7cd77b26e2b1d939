package tools

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

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
