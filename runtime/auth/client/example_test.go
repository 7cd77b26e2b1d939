package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"golang.org/x/oauth2"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/auth/client"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// A client of a server that asks users to log in. It remembers the login.
func Example() {
	connect := func(ctx context.Context, mcpClient *runtime.Client, url string) (*runtime.Session, error) {
		folder, err := os.UserConfigDir()
		if err != nil {
			return nil, err
		}
		store, err := client.NewFile(filepath.Join(folder, "my-program", "tokens"))
		if err != nil {
			return nil, err
		}
		login, err := client.New(url, client.Options{
			Flow:  client.AuthorizationCode{Agent: &client.Browser{Output: os.Stderr}},
			Name:  "My program",
			Store: store,
		})
		if err != nil {
			return nil, err
		}
		if err := login.Login(ctx); err != nil { // now, because a user may take longer than a call may
			return nil, err
		}
		return mcpClient.Connect(ctx, streamable.URL(url, streamable.ClientOptions{HTTPClient: login.Client()}))
	}
	_ = connect
}

// A program that acts on its own behalf, with a key that the authorization server knows.
func ExampleClientCredentials() {
	connect := func(ctx context.Context, mcpClient *runtime.Client, url string, pem []byte) (*runtime.Session, error) {
		key, err := client.ParseKey(pem, "key-1")
		if err != nil {
			return nil, err
		}
		login, err := client.New(url, client.Options{
			Flow:        client.ClientCredentials{},
			Credentials: []client.Credentials{{Issuer: "https://auth.example.com", ClientID: "my-program", Key: key}},
		})
		if err != nil {
			return nil, err
		}
		return mcpClient.Connect(ctx, streamable.URL(url, streamable.ClientOptions{HTTPClient: login.Client()}))
	}
	_ = connect
}

// A token from elsewhere, such as the environment. It is sent to the server at the URL and to no other one.
func ExampleTokenSource() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("Authorization"))
	}))
	defer server.Close()
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "token-of-the-environment"})
	login, err := client.New(server.URL+"/mcp", client.Options{Flow: client.TokenSource{TokenSource: source}})
	if err != nil {
		fmt.Println(err)
		return
	}
	response, err := login.Client().Get(server.URL + "/mcp")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	fmt.Println(string(text), err)
	// Output: Bearer token-of-the-environment <nil>
}

// A program can show the state of a login without asking the server.
func ExampleTransport_Status() {
	login, err := client.New("https://mcp.example.com/mcp", client.Options{Flow: client.AuthorizationCode{}, Store: &client.Memory{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = login.Status(context.Background())
	fmt.Println(errors.Is(err, client.ErrNoGrant), err)
	// Output: true auth: not logged in to https://mcp.example.com/mcp
}

// Secrets are not printed by accident.
func ExampleSecret() {
	credentials := client.Credentials{ClientID: "my-program", Secret: "correct horse battery staple"}
	fmt.Printf("%s %v\n", credentials.ClientID, credentials.Secret)
	// Output: my-program [redacted]
}
