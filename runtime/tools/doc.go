// Package tools is what the servers and the clients share that mcpgen generates of a
// list of tools: how a call becomes a call of a typed handler, and how its result comes
// back.
//
// A server checks the text of the arguments against the tool's input schema, decodes it,
// applies the defaults, calls the handler, and checks the text of what it returns against
// the output schema ([Structured], [Content]). A client writes the arguments, makes an
// [Error] of a result that says isError, checks the structured content and decodes it
// ([Call], [CallContent]).
//
// The package knows no type of any revision and of no tool: generated code brings them.
// Values are checked as text, because that is what JSON Schema speaks of; a value that
// passes decodes, unless it has an integer that an int64 does not hold.
package tools

import (
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ToolsV2 is true while this package fits code generated against its second version.
// Generated code refers to it, so that a mismatch does not compile.
const ToolsV2 = true

// The revisions at which something about the results of tools begins. Revisions are
// dates, so they compare as strings.
const (
	revisionAudio      = "2025-03-26" // content may be audio
	revisionStructured = "2025-06-18" // structuredContent, and content may be a resource_link
	revisionInputError = "2025-11-25" // bad arguments are an error of the tool, which the model reads
)

// Tool is what generated code knows of a tool.
type Tool struct {
	Name string
	// Definition is the Tool object of the list, as it was read. It is of the tool called
	// Name and good: a catalog relies on that until the tools are listed.
	Definition wire.Object
	// Input checks arguments, Output structured content; Output is nil where there is no
	// output schema.
	Input, Output func(*schema.Checker)
}

// Definitions are those of the tools, in their order.
func Definitions(list []*Tool) []wire.Object {
	all := make([]wire.Object, len(list))
	for i, t := range list {
		all[i] = t.Definition
	}
	return all
}
