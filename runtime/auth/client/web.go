package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"

	"github.com/mcpgen/mcpgen/runtime/internal/reach"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

const (
	// maxDocument limits metadata and the responses of authorization servers, in bytes. Metadata of
	// large OpenID providers has 10 KB.
	maxDocument = 256 << 10
	// maxHeader limits their headers, in bytes.
	maxHeader = 64 << 10
	// maxRedirects limits the redirects of a request for metadata.
	maxRedirects = 3
)

// web sends the requests whose URLs come from metadata. See the type horizon.
type web struct {
	horizon
	client *http.Client

	mu      sync.Mutex
	proxies map[string]bool // addresses of proxies, which the user has chosen
}

func newWeb() *web {
	w := &web{proxies: make(map[string]bool)}
	dialer := &net.Dialer{}
	w.client = &http.Client{
		Timeout:       waits.AuthorizationServer,
		CheckRedirect: checkRedirect,
		Transport: &http.Transport{
			Proxy:                  w.proxy,
			ForceAttemptHTTP2:      true,
			MaxResponseHeaderBytes: maxHeader,
			DisableKeepAlives:      true, // requests are rare, and a kept connection is not checked again
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				guarded := *dialer
				if !w.isProxy(address) {
					guarded.ControlContext = w.control(address)
				}
				return guarded.DialContext(ctx, network, address)
			},
		},
	}
	return w
}

// proxy returns the proxy that the user's environment sets for a request, and permits connections to it.
func (w *web) proxy(req *http.Request) (*url.URL, error) {
	u, err := http.ProxyFromEnvironment(req)
	if err != nil || u == nil {
		return nil, err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.proxies[net.JoinHostPort(u.Hostname(), port)] = true
	// The proxy resolves names, but an address in the URL can be checked here.
	if a, err := netip.ParseAddr(req.URL.Hostname()); err == nil {
		return u, w.check(req.URL.Host, a)
	}
	return u, nil
}

func (w *web) isProxy(address string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.proxies[address]
}

// control checks each address before it is connected to, so that a name cannot resolve to another address
// after a check.
func (w *web) control(host string) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return w.check(host, ap.Addr())
	}
}

// checkRedirect permits redirects of requests for metadata only: others carry secrets.
func checkRedirect(req *http.Request, via []*http.Request) error {
	switch {
	case via[0].Method != http.MethodGet:
		return http.ErrUseLastResponse
	case len(via) > maxRedirects:
		return errors.New("too many redirects")
	}
	return checkURL(req.URL)
}

// checkURL refuses URLs other than those of HTTPS, and of HTTP on this machine ("Communication Security",
// 2026-07-28).
func checkURL(u *url.URL) error {
	switch {
	case u.Host == "" || u.User != nil || u.Fragment != "":
	case u.Scheme == "https", u.Scheme == "http" && reach.IsLoopback(u.Hostname()):
		return nil
	case u.Scheme == "http":
		return fmt.Errorf("refused the URL %q: only this machine may be reached without HTTPS", shown(u.Redacted()))
	}
	return fmt.Errorf("refused the URL %q: expected https://HOST/PATH", shown(u.Redacted()))
}

// parseEndpoint parses the URL of an endpoint in metadata.
func parseEndpoint(name, text string) (*url.URL, error) {
	if text == "" {
		return nil, fmt.Errorf("the metadata of the authorization server has no %s", name)
	}
	u, err := url.Parse(text)
	if err == nil {
		err = checkURL(u)
	}
	if err != nil {
		return nil, fmt.Errorf("the %s of the authorization server: %w", name, err)
	}
	return u, nil
}

// missing is the error of a document that is not there.
type missing struct {
	url    string
	status int
}

func (e *missing) Error() string {
	return fmt.Sprintf("%s: the server responds with status %d", shown(e.url), e.status)
}

// document gets a JSON document. The error is a *missing if the status is 4xx.
func (w *web) document(ctx context.Context, address string, header http.Header, into any) error {
	u, err := url.Parse(address)
	if err == nil {
		err = checkURL(u)
	}
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	status, _, text, err := w.do(req)
	switch {
	case err != nil:
		return err
	case status/100 == 4 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout:
		return &missing{address, status}
	case status != http.StatusOK:
		return fmt.Errorf("%s: the server responds with status %d", shown(address), status)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: not a JSON document as expected: %w", shown(address), err)
	}
	return nil
}

// do sends a request and reads its response.
func (w *web) do(req *http.Request) (status int, header http.Header, text []byte, err error) {
	if err := checkURL(req.URL); err != nil {
		return 0, nil, nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := w.client.Do(req)
	if err != nil {
		return 0, nil, nil, withoutQuery(err)
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	place := shown(req.URL.Scheme + "://" + req.URL.Host + req.URL.Path)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("%s: %w", place, err)
	}
	if len(text) > maxDocument {
		return 0, nil, nil, fmt.Errorf("%s: the response is longer than %d bytes", place, maxDocument)
	}
	return resp.StatusCode, resp.Header, text, nil
}

// withoutQuery removes the query of the URL that the errors of package http show. It may be that of a
// redirect, which another party has chosen.
func withoutQuery(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		address, _, _ := strings.Cut(e.URL, "?")
		return fmt.Errorf("%s %s: %w", strings.ToUpper(e.Op), shown(address), e.Err)
	}
	return err
}
