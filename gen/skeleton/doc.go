// Package skeleton generates the files of a Go server and of a Go client from a list of tools,
// prompts, resources and resource templates.
//
// There are two kinds of files. Generated files are rewritten each time: the types of
// arguments and results, the checks of their schemas, the definitions, the interface that a
// server implements and its registration, the client, and the contract tests. The user's
// files are created once, from templates/, and never changed again: main.go, handlers.go
// and the files that a module needs.
//
// A list keeps its text: the order of members, the text of numbers and unknown members survive, so tools/list
// returns the list that was read. definitions.gen.txt has a line for each item, which the program embeds;
// contract.gen.txt has the samples of the contract tests. Each tool has a Go file of its own: adding a tool adds
// one, and changes server.gen.go, the contract tests and these two. Definitions with an x-go-name, which several
// items may have, are in shared.gen.go. HTTP has a file of its own, without which the program does not link
// net/http. The existing Go files are read to find the type that implements Tools, and one assertion for each
// method is generated, so that the compiler names every missing one.
//
// The go.mod of a server has mcpgen and what the server links, and its go.sum what go mod tidy would write. The
// program mcpgen has a mod file of its own, mcpgen.mod, for go tool -modfile=mcpgen.mod mcpgen: a tool line in
// go.mod would require 14 more modules. The program as a module of its own would not change that, because the
// user's module would still require it, and one version for the program and the runtime keeps generated code and
// runtime together. go run PACKAGE@VERSION needs no file, but cannot run an unpublished checkout and has no checksums.
//
// The package does not access the file system. [Survey] provides the facts about the user's code
// that it needs.
package skeleton
