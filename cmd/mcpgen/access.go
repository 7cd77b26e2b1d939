package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/oauth2"

	"github.com/mcpgen/mcpgen/runtime/auth/client"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// access holds the flags about access to a server at a URL. Every verb that talks to such a server has
// them.
type access struct {
	headers   []string
	login     bool
	clientID  string
	redirect  string // the redirect URI of the client
	tokenFile string
	base      http.RoundTripper // sends the requests; nil is the default
}

// Environment variables of logins.
const (
	folderVariable = "MCPGEN_TOKENS"        // the folder of remembered logins
	secretVariable = "MCPGEN_CLIENT_SECRET" // of --client-id; flags are seen by other users of the machine
)

// askForAccess says what to do about a server that refuses requests without a token.
const askForAccess = `the server asks for credentials: use --login, --token-file FILE or --header "Authorization=Bearer TOKEN"`

// explainRefusal adds to an error what the user can do about a server that asks for credentials.
func explainRefusal(err error) error {
	if status, ok := errors.AsType[*streamable.StatusError](err); ok && status.Status == http.StatusUnauthorized {
		return fmt.Errorf("%w: %s", err, askForAccess)
	}
	return err
}

// advised is a transport for requests whose errors the user does not see. If the server refuses one without
// credentials, it says once what to do.
type advised struct {
	http.RoundTripper
	verb   string
	stderr io.Writer
	once   sync.Once
}

// RoundTrip implements http.RoundTripper.
func (a *advised) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := a.RoundTripper.RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		a.once.Do(func() { fmt.Fprintf(a.stderr, "mcpgen %s: %s\n", a.verb, askForAccess) })
	}
	return resp, err
}

// flags adds the flags to a command.
func (a *access) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&a.headers, "header", nil, "`NAME=VALUE` of an HTTP header for --url; may be repeated")
	a.loginFlags(cmd)
	cmd.Flags().StringVar(&a.tokenFile, "token-file", "", "`FILE` with an access token for --url")
	cmd.Flags().BoolVar(&a.login, "login", false, "log in to --url with a browser if it asks for that, and remember the login")
	needs(cmd, "client-id redirect-uri", "login")
	excludes(cmd, "login", "token-file")
	idle(cmd, "login token-file", "has no effect with --header Authorization", func([]string) bool {
		header, err := a.header()
		return err == nil && header.Get("Authorization") != ""
	})
	completeFiles(cmd, "token-file")
}

// accessFlags are the flags of access, which have an effect only with the URL of a server.
const accessFlags = "header login client-id redirect-uri token-file"

// loginFlags adds the flags of a login.
func (a *access) loginFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.clientID, "client-id", "", "`ID` of mcpgen at the authorization server, or the HTTPS URL of its metadata; its secret, if there is one, is in "+secretVariable)
	cmd.Flags().StringVar(&a.redirect, "redirect-uri", "", "`URL` of this machine at which the client of --client-id is registered (default: http://127.0.0.1/callback, with any port)")
}

// options returns what a client needs to reach the server at a URL. With --login, it logs in. Otherwise it
// uses a remembered login if there is one.
func (a *access) options(ctx context.Context, address string, stderr io.Writer) (streamable.ClientOptions, error) {
	header, err := a.header()
	if err != nil {
		return streamable.ClientOptions{}, err
	}
	transport, err := a.transport(ctx, address, stderr, nil)
	if err != nil || transport == nil {
		return streamable.ClientOptions{Header: header}, err
	}
	return streamable.ClientOptions{Header: header, HTTPClient: transport.Client()}, nil
}

// transport returns the transport that adds tokens to the requests to a server, after a login if necessary,
// or nil if no tokens are added. Stdin, which may be nil, is read for the URL after a login.
func (a *access) transport(ctx context.Context, address string, stderr io.Writer, stdin io.Reader) (*client.Transport, error) {
	header, err := a.header()
	switch {
	case err != nil:
		return nil, err
	case header.Get("Authorization") != "":
		return nil, nil
	case a.tokenFile != "":
		source := fileToken(a.tokenFile)
		if _, err := source.Token(); err != nil {
			return nil, err
		}
		return client.New(address, client.Options{Base: a.base, Flow: client.TokenSource{TokenSource: source}})
	case !a.login:
		return remembered(ctx, address)
	}
	opts, err := a.interactive(stderr, stdin)
	if err != nil {
		return nil, err
	}
	transport, err := client.New(address, opts)
	if err != nil {
		return nil, err
	}
	if err = transport.Login(ctx); err != nil && ctx.Err() != nil {
		fmt.Fprintf(stderr, "mcpgen: the login was not finished; if the browser shows an error, mcpgen auth logout %s makes the next login register mcpgen anew\n", address)
	}
	return transport, err
}

// interactive returns the options of a login.
func (a *access) interactive(stderr io.Writer, stdin io.Reader) (client.Options, error) {
	store, err := rememberedLogins()
	if err != nil {
		return client.Options{}, err
	}
	opts := client.Options{
		Name:  "mcpgen",
		Store: store,
		Base:  a.base,
		Flow:  client.AuthorizationCode{Agent: &client.Browser{RedirectURI: a.redirect, Output: stderr, Input: stdin}},
	}
	if id, err := url.Parse(a.clientID); err == nil && id.Scheme == "https" {
		opts.ClientIDURL = a.clientID
	} else if a.clientID != "" {
		opts.Credentials = []client.Credentials{{ClientID: a.clientID, Secret: client.Secret(os.Getenv(secretVariable))}}
	}
	return opts, nil
}

// header parses the headers. Values may be secret, so errors do not show them.
func (a *access) header() (http.Header, error) {
	all := http.Header{}
	for i, h := range a.headers {
		name, value, ok := strings.Cut(h, "=")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf("--header number %d: expected NAME=VALUE", i+1)
		}
		all.Add(strings.TrimSpace(name), value)
	}
	return all, nil
}

// remembered returns the transport of a login that was remembered, or nil if there is none.
func remembered(ctx context.Context, address string) (*client.Transport, error) {
	store, err := rememberedLogins()
	if err != nil {
		return nil, nil // nothing was ever remembered
	}
	transport, err := client.New(address, client.Options{Store: store, Flow: client.AuthorizationCode{Agent: noLogin{}}})
	if err != nil {
		return nil, nil // a login to this URL is impossible
	}
	_, err = transport.Status(ctx)
	if errors.Is(err, client.ErrNoGrant) {
		return nil, nil
	}
	return transport, err
}

// noLogin is the user agent of a verb without --login.
type noLogin struct{}

// Authorize implements client.UserAgent.
func (noLogin) Authorize(context.Context, string, func(string) (string, error)) (string, error) {
	return "", errors.New("the remembered login is not enough any more: use --login")
}

// rememberedLogins returns the store of logins, in the user's folder for configuration.
func rememberedLogins() (*client.File, error) {
	folder := os.Getenv(folderVariable)
	if folder == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return nil, fmt.Errorf("remembered logins: %w; set %s", err, folderVariable)
		}
		folder = filepath.Join(config, "mcpgen", "tokens")
	}
	return client.NewFile(folder)
}

// fileToken is the access token in a file, which is read for each token because other programs renew it.
type fileToken string

// Token implements oauth2.TokenSource.
func (f fileToken) Token() (*oauth2.Token, error) {
	text, err := os.ReadFile(string(f))
	if err != nil {
		return nil, fmt.Errorf("--token-file: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return nil, fmt.Errorf("--token-file: expected one token in %s", string(f))
	}
	return &oauth2.Token{AccessToken: token}, nil
}
