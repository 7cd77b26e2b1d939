// Package purity counts the messages of servers that are invalid in the revision of their
// session. It uses servers with the same features on mcpgen, the official Go SDK and mcp-go,
// with a client of each revision. It contains only tests.
package purity
