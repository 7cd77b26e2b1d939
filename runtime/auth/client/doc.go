// Package client obtains access tokens for the requests of an MCP client. A [Transport] is an
// http.RoundTripper for one server: it adds the token to each request, and answers 401 and 403 by
// obtaining another one. Use it as the HTTP client of packages streamable, sse and dial:
//
//	login, err := client.New("https://mcp.example.com/mcp", client.Options{
//		Flow: client.AuthorizationCode{},
//		Name: "My program",
//	})
//	transport, err := streamable.NewTransport("https://mcp.example.com/mcp",
//		streamable.ClientOptions{HTTPClient: login.Client()})
//
// It finds the authorization server through the metadata of the server, chooses or registers the id of
// the client, and obtains the token by a [Flow]: [AuthorizationCode] for users, [ClientCredentials],
// [Enterprise] and [Workload] for programs, and [TokenSource] for tokens from elsewhere. It implements
// basic/authorization of the revisions 2025-03-26 to 2026-07-28 and the extensions for client
// credentials and for enterprise-managed authorization.
//
// A [Store] keeps tokens and registrations. What it keeps is bound to the server and to the
// authorization server that issued it, and is sent to no other server.
//
// # Words
//
// A grant is an access token with its refresh token, its scopes and its issuer. Renewing replaces a
// grant, by its refresh token or by the flow. A challenge is a WWW-Authenticate header of the server.
package client
