// Package skeleton generates the files of a Go server and of a Go client from a list of tools,
// prompts, resources and resource templates.
//
// There are two kinds of files. Generated files are rewritten each time: the types of
// arguments and results, the checks of their schemas, the definitions, the interface that a
// server implements and its registration, the client, and the contract tests. The user's
// files are created once, from templates/, and never changed again: main.go, handlers.go
// and the files that a module needs.
//
// The package does not access the file system. [Survey] provides the facts about the user's code
// that it needs.
package skeleton
