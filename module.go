// Package mcpgen holds what the module says of itself. The packages to use are below:
// runtime is the engine of servers and clients, generated has the protocol's revisions,
// and cmd/mcpgen is the program.
package mcpgen

import _ "embed"

// Mod is the module's go.mod and Sum its go.sum, from which the program knows what a
// module needs that uses this one.
var (
	//go:embed go.mod
	Mod string
	//go:embed go.sum
	Sum string
)
