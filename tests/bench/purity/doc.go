// Package purity holds tests only. It counts the messages of servers that are not valid
// in the revision of their session: servers with the same features on mcpgen, the official
// Go SDK and mcp-go, with a client of each revision.
package purity
