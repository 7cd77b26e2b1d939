package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/client"
)

// The parameters that the suite passes to the client for the scenarios auth/*.
const (
	authScenario  = "auth/"
	redirectURI   = "http://localhost:3000/callback"
	clientIDURL   = "https://conformance-test.local/client-metadata.json"
	exampleClient = "everything-client"
)

// secrets is the part of the context that the scenarios auth/* have.
type secrets struct {
	ClientID         string        `json:"client_id"`
	ClientSecret     client.Secret `json:"client_secret"`
	Issuer           string        `json:"issuer"`
	PrivateKey       string        `json:"private_key_pem"`
	IDPClientID      string        `json:"idp_client_id"`
	IDPToken         client.Secret `json:"idp_id_token"`
	IDPIssuer        string        `json:"idp_issuer"`
	IDPTokenEndpoint string        `json:"idp_token_endpoint"`
	JWT              client.Secret `json:"valid_jwt"`
}

// login returns an HTTP client that obtains tokens as a scenario wants.
func login(scenario, url string) (*http.Client, error) {
	var given secrets
	if text := os.Getenv(contextVariable); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return nil, fmt.Errorf("%s: %w", contextVariable, err)
		}
	}
	opts := client.Options{
		Name:        exampleClient,
		ClientIDURL: clientIDURL,
		DPoP:        strings.HasPrefix(scenario, authScenario+"dpop"),
		Flow:        client.AuthorizationCode{Agent: agent{}},
	}
	if given.ClientID != "" {
		credentials := client.Credentials{Issuer: given.Issuer, ClientID: given.ClientID, Secret: given.ClientSecret}
		if given.PrivateKey != "" {
			key, err := client.ParseKey([]byte(given.PrivateKey), "")
			if err != nil {
				return nil, err
			}
			credentials.Key = key
		}
		opts.Credentials = []client.Credentials{credentials}
	}
	switch strings.TrimPrefix(scenario, authScenario) {
	case "client-credentials-jwt", "client-credentials-basic":
		opts.Flow = client.ClientCredentials{}
	case "enterprise-managed-authorization":
		opts.Flow = client.Enterprise{
			Issuer:        given.IDPIssuer,
			TokenEndpoint: given.IDPTokenEndpoint,
			Client:        client.Credentials{Issuer: given.IDPIssuer, ClientID: given.IDPClientID},
			Identity:      func(context.Context) (client.Secret, error) { return given.IDPToken, nil },
		}
	case "wif-jwt-bearer":
		opts.Flow = client.Workload{Assertion: func(context.Context, string) (client.Secret, error) { return given.JWT, nil }}
	}
	transport, err := client.New(url, opts)
	if err != nil {
		return nil, err
	}
	return transport.Client(), nil
}

// agent is a browser whose user agrees to everything: it takes the first redirect as the response.
type agent struct{}

// Authorize implements client.UserAgent.
func (agent) Authorize(ctx context.Context, _ string, begin func(redirectURI string) (string, error)) (string, error) {
	address, err := begin(redirectURI)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		return "", fmt.Errorf("%s: status %d: %w", address, resp.StatusCode, err)
	}
	return back.String(), nil
}
