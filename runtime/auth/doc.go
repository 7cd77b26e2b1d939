// Package auth holds what the two halves of authorization share: who calls ([Caller]), the challenges by
// which a server asks for a token ([Challenge]), and the documents by which servers describe themselves
// ([ProtectedResourceMetadata], [AuthorizationServerMetadata]) with the URLs where they are found.
//
// Package resource, below this one, protects a server. Package client obtains tokens for a client.
//
// In the words of OAuth 2.1, an MCP server is a resource server; the authorization server issues the
// access tokens that it accepts; a scope is one permission that a token may carry.
package auth
