// Package jsonrpc reads and writes the JSON-RPC 2.0 envelope of MCP messages.
//
// A message is a request (method and id), a notification (method, no id) or a
// response (result or error). A batch is an array of messages; only revision
// 2025-03-26 of MCP has them. The package knows the envelope alone: params and
// results stay source text ([wire.Raw]) until the code for their method decodes them.
//
// Reading is exact. Member names match case and all; a text that is not one
// acceptable JSON value (syntax, UTF-8, duplicate names at any depth, nesting,
// trailing bytes) is a parse error, [CodeParseError]; JSON that is not a message is an
// invalid request, [CodeInvalidRequest]. Unknown members of the envelope are ignored.
//
// Ids are strings or integers, as MCP demands (JSON-RPC alone would allow null and
// fractions). The token of an id survives exactly: 1 and "1" differ, and
// 9007199254740993 stays what it is. An error answer to a message whose id cannot be
// told carries "id": null, as section 5 of the JSON-RPC specification says.
package jsonrpc
