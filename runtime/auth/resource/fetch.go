package resource

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/internal/reach"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

const (
	// maxDocument limits metadata, key sets and answers of introspection, in bytes. Real ones have a
	// few kilobytes.
	maxDocument = 512 << 10
	// maxKeys limits the keys of an issuer.
	maxKeys = 100
	// minRSA is the shortest RSA key that is accepted, in bits (RFC 7518, section 3.3).
	minRSA = 2048
)

// fetcher makes requests to an authorization server.
type fetcher struct {
	issuer  *url.URL
	own     *http.Client // for the host of the issuer
	foreign *http.Client // for other hosts, which the metadata may name: only public addresses

	mu       sync.Mutex
	metadata *auth.AuthorizationServerMetadata
}

// newFetcher returns the fetcher of an issuer, whose URL is https, or http on loopback.
func newFetcher(issuer string, given *http.Client) (*fetcher, error) {
	u, err := checkURL(issuer)
	if err != nil {
		return nil, err
	}
	f := &fetcher{issuer: u, own: given, foreign: given}
	if given == nil {
		f.own, f.foreign = newClient(nil), newClient(onlyPublic)
	}
	return f, nil
}

// checkURL parses a URL and returns an error unless requests to it are safe from eavesdroppers.
func checkURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, err
	case u.Host == "" || u.User != nil || u.Fragment != "":
		return nil, fmt.Errorf("%q is not a URL of a server", text)
	case u.Scheme == "https" || u.Scheme == "http" && reach.IsLoopback(u.Hostname()):
		return u, nil
	}
	return nil, fmt.Errorf("%q must be an https URL", text)
}

// newClient returns a client that does not follow redirects, because a document of an authorization
// server must be at the URL that its identifier determines.
func newClient(control func(network, address string, c syscall.RawConn) error) *http.Client {
	dialer := &net.Dialer{Timeout: waits.AuthFetch, Control: control}
	return &http.Client{
		Timeout: waits.AuthFetch,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: waits.AuthFetch, MaxIdleConnsPerHost: maxQuestions, IdleConnTimeout: waits.AuthIdle,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// onlyPublic refuses connections to addresses that are not public. Metadata of a public
// authorization server must not lead there.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if kind := reach.Of(at.Addr()); kind != reach.Public {
		return fmt.Errorf("the address %s is %v and not public", at.Addr(), kind)
	}
	return nil
}

// do sends a request and returns the body of the answer, which must have status 200.
func (f *fetcher) do(r *http.Request) ([]byte, error) {
	client := f.foreign
	if strings.EqualFold(r.URL.Host, f.issuer.Host) {
		client = f.own
	}
	r.Header.Set("Accept", "application/json")
	response, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: status %s", r.Method, r.URL.Redacted(), response.Status)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(io.LimitReader(response.Body, maxDocument+1)); err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.Method, r.URL.Redacted(), err)
	}
	if text.Len() > maxDocument {
		return nil, fmt.Errorf("%s %s: the document is longer than %d bytes", r.Method, r.URL.Redacted(), maxDocument)
	}
	return text.Bytes(), nil
}

// get reads a JSON document.
func (f *fetcher) get(ctx context.Context, place string, into any) error {
	u, err := checkURL(place)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	text, err := f.do(r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("GET %s: %w", u.Redacted(), err)
	}
	return nil
}

// discover returns the metadata of the authorization server. Its issuer must be identical to the
// configured one (RFC 8414, section 3.3).
func (f *fetcher) discover(ctx context.Context, issuer string) (*auth.AuthorizationServerMetadata, error) {
	f.mu.Lock()
	known := f.metadata
	f.mu.Unlock()
	if known != nil {
		return known, nil
	}
	places, err := auth.IssuerMetadataURLs(issuer)
	if err != nil {
		return nil, err
	}
	var failures []error
	for _, place := range places {
		m := new(auth.AuthorizationServerMetadata)
		err := f.get(ctx, place, m)
		if err == nil && m.Issuer != issuer {
			err = fmt.Errorf("GET %s: the metadata is of the issuer %q", place, m.Issuer)
		}
		if err == nil {
			f.mu.Lock()
			f.metadata = m
			f.mu.Unlock()
			return m, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

// forget makes the next discover ask again.
func (f *fetcher) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.metadata = nil
}

// fetchKeys reads the public keys of the issuer.
func (i *issuer) fetchKeys(ctx context.Context) ([]jose.JSONWebKey, error) {
	place := i.JWKS
	if place == "" {
		m, err := i.fetcher.discover(ctx, i.URL)
		if err != nil {
			return nil, err
		}
		if place = m.JWKSURI; place == "" {
			return nil, fmt.Errorf("the metadata of %s has no jwks_uri", i.URL)
		}
	}
	var document struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := i.fetcher.get(ctx, place, &document); err != nil {
		i.fetcher.forget() // the keys may have moved
		return nil, err
	}
	if len(document.Keys) > maxKeys {
		return nil, fmt.Errorf("GET %s: %d keys are more than %d", place, len(document.Keys), maxKeys)
	}
	var keys []jose.JSONWebKey
	for _, text := range document.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(text, &key) != nil || !isSigning(&key) {
			continue // of a kind that is not needed here
		}
		keys = append(keys, key)
	}
	return slices.Clip(keys), nil
}
