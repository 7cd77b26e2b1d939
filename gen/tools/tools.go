// Package tools reads lists of tools: answers to tools/list, and files with the same content.
// A file may also have prompts, resources and resource templates.
//
// [Read] is strict and is for generation. [Lenient] leaves out what it cannot read and is for
// comparisons. Package jsonschema below this folder reads the schemas of a tool, package typing
// derives Go types from them, and package samples makes values for them.
//
// A definition keeps its text: the order of members, the digits of numbers, and members that
// the protocol does not define.
package tools

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/rest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// List is what a server offers.
type List struct {
	// Tools are in the order of the list. Their names are unique.
	Tools []*Tool
	// Items are the prompts, the resources and the resource templates, each kind in the order of the list. The names of
	// prompts, the URIs of resources and the URI templates are unique.
	Items []*Item
	// Instructions are what a model should know about the server, or "".
	Instructions string
	// Notes report what was not read as written.
	Notes []*Error
}

// Tool is the definition of a tool.
type Tool struct {
	Name        string
	Title       string
	Description string
	// GoName is the Go identifier that the list gives the tool (x-go-name), or "".
	GoName string
	// Source is the text of the definition, without white space between tokens. Schemas that mean objects
	// have the type "object", which [Read] adds to those without it. Definition is Source without the members
	// that this project adds, as a server sends it.
	Source, Definition wire.Object
	// Input is the inputSchema. Output is the outputSchema, or nil.
	Input, Output *jsonschema.Schema
	// Values means that structured results need not be objects, see [Root].
	Values bool
	// Scopes are the values of the member x-mcp-scopes: those that the access token of a caller must have.
	Scopes []string
	// Operation is the value of the member x-openapi, or nil.
	Operation *rest.Operation
	// Pointer is the place of the tool in the text, such as "/tools/0".
	Pointer string
}

// MemberScopes is the member of a definition that lists its scopes. It is of this project.
const MemberScopes = "x-mcp-scopes"

// Error is a problem of a tool list, with its place.
type Error struct {
	// Tool is the name of the tool, or of the prompt, resource or template that Pointer leads
	// into. It is "" if the problem is outside of them.
	Tool string
	// Pointer is a JSON Pointer (RFC 6901) into the list.
	Pointer string
	Problem string
}

// Error returns the item, the place and the problem.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Tool != "" {
		fmt.Fprintf(&b, "%s %q: ", noun(e.Pointer), e.Tool)
	}
	if e.Pointer != "" {
		fmt.Fprintf(&b, "%s: ", e.Pointer)
	}
	b.WriteString(e.Problem)
	return b.String()
}

// noun returns the kind of the item that a pointer leads into.
func noun(pointer string) string {
	pointer = strings.TrimPrefix(pointer, "/result")
	for _, k := range ItemKinds {
		if strings.HasPrefix(pointer, "/"+string(k.Kind)+"/") {
			return k.Noun
		}
	}
	return "tool"
}
