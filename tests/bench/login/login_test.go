// Package login holds tests only. Clients of this project log in to servers on the official Go SDK.
package login

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/mcpgen/mcpgen/generated/compat"
	ours "github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/auth/client"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/tests/internal/authserver"
)

// protected serves one tool with the Go SDK to those who have a token of the authorization server for it.
func protected(t *testing.T, as *authserver.Server) string {
	server := mcp.NewServer(&mcp.Implementation{Name: "protected", Version: "1"}, nil)
	type in struct{}
	mcp.AddTool(server, &mcp.Tool{Name: "who", Description: "Tells the user."},
		func(_ context.Context, req *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: req.Extra.TokenInfo.UserID}}}, nil, nil
		})
	mux := http.NewServeMux()
	front := httptest.NewServer(mux)
	t.Cleanup(front.Close)
	url := front.URL + "/mcp"
	verify := func(_ context.Context, token string, _ *http.Request) (*sdkauth.TokenInfo, error) {
		parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256, jose.RS256})
		if err != nil {
			return nil, sdkauth.ErrInvalidToken
		}
		var claims struct {
			jwt.Claims
			Scope string `json:"scope"`
		}
		if err := parsed.UnsafeClaimsWithoutVerification(&claims); err != nil || !slices.Contains(claims.Audience, url) || claims.Issuer != as.Issuer {
			return nil, sdkauth.ErrInvalidToken
		}
		return &sdkauth.TokenInfo{Scopes: strings.Fields(claims.Scope), Expiration: claims.Expiry.Time(), UserID: claims.Subject}, nil
	}
	metadata := front.URL + "/.well-known/oauth-protected-resource/mcp"
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	mux.Handle("/mcp", sdkauth.RequireBearerToken(verify, &sdkauth.RequireBearerTokenOptions{ResourceMetadataURL: metadata, Scopes: []string{"tools"}})(handler))
	mux.Handle("/.well-known/oauth-protected-resource/mcp", sdkauth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource: url, AuthorizationServers: []string{as.Issuer}, ScopesSupported: []string{"tools"},
	}))
	return url
}

// A3, A4, A5: the client finds the authorization server of a server on the Go SDK, and logs in.
func TestGoSDK(t *testing.T) {
	as := authserver.New(t, authserver.Options{Scopes: []string{"tools", "offline_access"}})
	url := protected(t, as)
	ctx := testkit.Context(t)
	login, err := client.New(url, client.Options{
		Name: "test",
		Flow: client.AuthorizationCode{Agent: &client.Browser{Open: authserver.Browse}},
	})
	if err != nil {
		t.Fatal(err)
	}
	transport, err := streamable.NewTransport(url, streamable.ClientOptions{HTTPClient: login.Client()})
	if err != nil {
		t.Fatal(err)
	}
	c := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, compat.Client(ours.BindClient(ours.UnimplementedClient{}), compat.Options{})...)
	session, err := c.Connect(ctx, transport)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := ours.NewServerCaller(session).CallTool(ctx, &ours.CallToolRequestParams{Name: "who"})
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := result.Content[0].(*ours.TextContent); !ok || text.Text != "user" {
		t.Errorf("%+v", result.Content)
	}
	status, err := login.Status(ctx)
	if err != nil || status.Issuer != as.Issuer || !slices.Contains(status.Scopes, "tools") {
		t.Errorf("%+v, %v", status, err)
	}
}
