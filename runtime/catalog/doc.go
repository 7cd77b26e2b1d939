// Package catalog keeps what a server offers (tools, prompts, resources and resource
// templates) and handles the requests that list and use it.
//
// [NewTool], [NewPrompt], [NewResource] and [NewTemplate] return items, which the
// constructor of a server takes: mcp.NewServer of generated/mcp, the current revision, or
// compat.NewServer of generated/compat for any other. A definition is a value of a generated
// type, such as *mcp.Prompt, or JSON text in a wire.Object. It appears in lists as it is
// encoded, without white space between tokens: the order of members and the text of numbers
// are preserved. Results are values of generated types or JSON text too.
//
// The items decide the capabilities of the server: those of their kind, with listChanged and
// subscribe, completions if an argument has a [Completer], and logging. They are declared
// when a session opens. Capabilities in the options of the server take precedence.
//
// A [Catalog] can be changed while sessions are open, and notifies them. Pass it to the
// constructor of the server among the items, and keep it. [Catalog.Over] puts a catalog over
// a binding, for servers that handle other methods themselves.
//
// The package knows the types of no revision. Definitions and results are written for one
// revision; Options.Convert converts them to the others.
//
// # Structured results
//
// Since revision 2026-07-28, structured results may be arrays, strings or any other value; before, they are objects.
// Tools of generated code and of package runtime/typed pass the catalog texts. In revisions that know such results,
// it lists a definition as it was written; in all others, it leaves out the outputSchema and sends the result as
// text. Therefore one revision's types suffice for both kinds of tools.
//
// # Words
//
// A kind is one of tools, prompts, resources and templates; the catalog has a list of each. An entry
// is an item in a list, and its key is the name or URI by which clients refer to it. A view is a
// snapshot of a list. Its text is rendered when clients first request the list after a change, once
// for each revision if there is a conversion. All methods have the same type of request.
package catalog
