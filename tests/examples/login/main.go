// Program login asks a protected weather server over HTTP by the generated client: with the access token in the
// variable TOKEN or, without one, after the user has logged in with a browser.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"golang.org/x/oauth2"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/auth/client"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	weather "github.com/mcpgen/mcpgen/tests/examples/weather/client"
)

// connect connects to a server whose tokens come from a flow.
func connect(ctx context.Context, url string, flow client.Flow) (*weather.Client, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	store, err := client.NewFile(filepath.Join(folder, "my-program", "tokens")) // remembers logins
	if err != nil {
		return nil, err
	}
	login, err := client.New(url, client.Options{
		Flow:  flow,
		Name:  "My program", // shown to the user by the authorization server
		Store: store,
	})
	if err != nil {
		return nil, err
	}
	if err := login.Login(ctx); err != nil { // now, because a user may take longer than a call may
		return nil, err
	}
	transport := streamable.URL(url, streamable.ClientOptions{HTTPClient: login.Client()})
	return weather.Connect(ctx, transport, runtime.ClientOptions{Name: "login", Version: "1.0.0"})
}

func main() {
	ctx := context.Background()
	var flow client.Flow = client.AuthorizationCode{Agent: &client.Browser{Output: os.Stderr}}
	if token := os.Getenv("TOKEN"); token != "" {
		flow = client.TokenSource{TokenSource: oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})}
	}
	c, err := connect(ctx, os.Args[1], flow)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	blocks, err := c.GetWeather(ctx, &weather.GetWeatherInput{City: "Oslo"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(blocks[0].(*mcp.TextContent).Text)
}
