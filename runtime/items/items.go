// Package items is the runtime of the prompts, resources and resource templates in the servers and
// clients that mcpgen generates from lists. Package tools is the runtime of their tools.
//
// A server checks the arguments of a prompt, decodes them and calls a typed handler
// ([ServePrompt]). It does the same for the variables of a URI ([ServeTemplate]). A client encodes
// them and decodes the result ([GetPrompt], [ReadTemplate]).
//
// The package contains no types of a revision or of an item; generated code passes them in.
package items

import (
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ItemsV1 is true while this package is compatible with code generated for its first version.
// Generated code refers to it, so that a mismatch does not compile.
const ItemsV1 = true

// Prompt holds the generated facts about a prompt.
type Prompt struct {
	Name string
	// Definition is the prompt's definition in the list.
	Definition wire.Object
	// Arguments checks the arguments, an object of strings.
	Arguments func(*schema.Checker)
	// Blank are the optional arguments for which an empty string counts as absent: their values are
	// listed, and the empty string is not among them. Hosts send it for a field of a form that a
	// user left blank.
	Blank []string
	// Literals are the arguments that are numbers or booleans. A text that is one in JSON stands for it.
	Literals []string
	// Scopes are those of catalog.Prompt.
	Scopes []string
}

// Resource holds the generated facts about a resource.
type Resource struct {
	URI string
	// Definition is the resource's definition in the list.
	Definition wire.Object
	// Scopes are those of catalog.Resource.
	Scopes []string
}

// Template holds the generated facts about a resource template.
type Template struct {
	URITemplate string
	// Definition is the template's definition in the list.
	Definition wire.Object
	// Variables checks the variables of a URI, an object of strings and of the arrays of strings
	// that are lists.
	Variables func(*schema.Checker)
	// Exploded are the variables that are lists (RFC 6570, section 2.4.2).
	Exploded []string
	// Literals are the variables that are numbers or booleans, see Prompt.
	Literals []string
	// Scopes are those of catalog.Template.
	Scopes []string
}
