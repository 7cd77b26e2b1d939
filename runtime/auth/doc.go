// Package auth protects a server over HTTP: it admits requests with an access token that an
// authorization server has issued for this server, tells other clients how to get one, and checks what
// the token permits (basic/authorization of every revision; the server is the resource server of OAuth
// 2.1, section 5).
//
//	guard, err := auth.NewGuard(auth.Options{
//		Resource: "https://mcp.example.com/mcp",
//		Issuers:  []auth.Issuer{{URL: "https://auth.example.com"}},
//	})
//	if err != nil {
//		return err
//	}
//	return streamable.ListenAndServe(ctx, ":8080", "/mcp", guard.Protect(handler))
//
// A token is verified by the keys of its issuer (a JWT) or by asking the issuer (an opaque token), and
// remembered for a short time. Handlers learn who calls from [CallerOf]. The transports bind
// sessions, sealed states and limits to the caller.
//
// Tools, prompts and resources require scopes of their own by the field Scopes in package
// runtime/catalog. A client whose token lacks some gets status 403 with all scopes of the operation.
//
// The package does not issue tokens, ask for consent or forward tokens: a server that calls other
// services obtains its own tokens for them. Package client, below this one, obtains tokens for a client.
package auth
