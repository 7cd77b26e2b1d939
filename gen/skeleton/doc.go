// Package skeleton makes of a list of tools the files of a Go server and of a Go client.
//
// There are two sorts of files. Generated ones are written anew each time: the types of
// arguments and results, the checks of their schemas, the definitions, the interface that
// a server implements and its registration, the client, and the contract tests. The
// user's are made once, from the text in templates/, and never touched again: main.go,
// handlers.go and what a module needs.
//
// The package reads no files and writes none; what it must know of the user's code it is
// told by [Survey].
package skeleton
