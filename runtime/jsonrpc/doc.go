// Package jsonrpc reads and writes the JSON-RPC 2.0 envelope of MCP messages.
//
// A message is a request (method and ID), a notification (method, no ID) or a response
// (result or error). A batch is an array of messages; only revision 2025-03-26 of MCP has
// batches. The package handles the envelope only: params and results remain source text
// ([wire.Raw]) until the code of their method decodes them.
//
// Parsing is strict. Member names are case-sensitive. A text that is not one acceptable
// JSON value (syntax, UTF-8, nesting, trailing bytes) is a parse error, [CodeParseError].
// JSON that is not a message, or that has duplicate names at any depth, is an invalid
// request, [CodeInvalidRequest]. Unknown members of the envelope are ignored.
//
// IDs are strings or integers, as MCP requires; JSON-RPC alone would allow null and fractions. The
// token of an ID is preserved: 1 and "1" differ, and 9007199254740993 is not rounded. An error
// response to a message whose ID is unknown has the ID null, as JSON-RPC requires, or no ID, as
// revisions since 2025-11-25 require; the caller chooses.
package jsonrpc
