// Package tools is the runtime of the servers and clients that mcpgen generates from lists of tools,
// prompts, resources and resource templates. It turns a call into a call of a typed handler, and
// returns the handler's result.
//
// A server validates the text of the arguments against the tool's input schema, decodes it, which sets absent members to
// their defaults, calls the handler, and validates the text of the result against the output schema ([Structured],
// [Content]). A client encodes the arguments, converts a result with isError into an [Error], validates the structured
// content and decodes it ([Call], [CallContent]).
//
// For prompts and templates, a server checks and decodes the arguments or the variables of a URI
// ([ServePrompt], [ServeTemplate]), and a client encodes them ([GetPrompt], [ReadResource]).
//
// The package contains no types of a revision or of a tool; generated code passes them in.
// Values are validated as text, because JSON Schema applies to JSON. A valid value can be
// decoded, unless it has a number that does not fit in a float64.
package tools

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// revisionInputError is the first revision in which invalid arguments are an error of the tool,
// which the model reads. Revisions are dates, so they compare as strings.
const revisionInputError = "2025-11-25"

// revisionValues is the revision since which structured results need not be objects.
const revisionValues = "2026-07-28"

// Item holds the generated facts about a tool, a prompt, a resource or a resource template.
type Item struct {
	// Kind is "tool", "prompt", "resource" or "template".
	Kind string
	// Key identifies the item: the name of a tool or prompt, the URI of a resource, or the URI template.
	Key string
	// Definition is the item's definition in the list, unchanged. That of a tool must be valid and have
	// the name Key: a catalog relies on that until the tools are listed.
	Definition wire.Object
	// Input checks the arguments of a tool or prompt, or the variables of a template. Those of a prompt are
	// strings, and those of a template strings, and arrays of strings that are lists.
	Input func(*schema.Checker)
	// Output checks the structured content of a tool. It is nil if there is no output schema.
	Output func(*schema.Checker)
	// Blank are the optional arguments of a prompt for which an empty string counts as absent, because it is not
	// one of their values. Hosts send it for a field of a form that a user left blank.
	Blank []string
	// Literals are the arguments of a prompt or the variables of a template that are numbers or booleans. A
	// text that is one in JSON stands for it.
	Literals []string
	// Exploded are the variables of a template that are lists (RFC 6570, section 2.4.2).
	Exploded []string
	// Scopes are those that the access token of a caller must have, see [runtime.Authorize].
	Scopes []string
}

// ReadDefinitions returns the definitions in a file that mcpgen has generated. The first line of the file is a comment.
// Each other line has the key of a definition, a space, and the definition.
func ReadDefinitions(file string) map[string]wire.Object {
	all := map[string]wire.Object{}
	_, lines, _ := strings.Cut(file, "\n")
	for line := range strings.Lines(lines) {
		key, definition, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[key] = wire.Object(definition)
	}
	return all
}

// maxProblems limits the problems reported for one value, so that the answer to a long list
// of invalid items remains short.
const maxProblems = 100

// explain describes the problems of a value, with one line for each if there are several.
func explain(what string, err error) string {
	problems := wire.ProblemsOf(err)
	if len(problems) == 1 {
		return what + ": " + problems[0].String()
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s, %d problems:", what, len(problems))
	for i, p := range problems {
		if i == maxProblems {
			fmt.Fprintf(&text, "\n- and %d more", len(problems)-i)
			break
		}
		text.WriteString("\n- " + p.String())
	}
	return text.String()
}
