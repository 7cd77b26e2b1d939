// Package oauth holds what both halves of authorization use: the challenges by which a server asks for a token
// ([Challenge]), the documents by which servers describe themselves ([ProtectedResourceMetadata],
// [AuthorizationServerMetadata]), and the requests to URLs that other parties have chosen, such as those in these
// documents ([Fetcher]). A request goes over HTTPS, or to this machine; to public addresses, and to others as far as
// its user permits; and what it gets is limited.
package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/reach"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

const (
	// maxDocument limits responses, in bytes. Metadata of large OpenID providers has 10 KB.
	maxDocument = 256 << 10
	// MaxHeader limits headers, in bytes.
	MaxHeader = 64 << 10
)

// FetchOptions configure a Fetcher.
type FetchOptions struct {
	// Host is the host and the port of a server that may be reached wherever it is; "" if there is none.
	Host string
	// Timeout limits a request with its response.
	Timeout time.Duration
	// Redirects is how many redirects of a GET are followed. Other requests carry secrets.
	Redirects int
	// Idle is how many unused connections to a host are kept.
	Idle int
	// HTTP, if not nil, sends the requests, and decides alone where they may go.
	HTTP *http.Client
}

// Fetcher sends requests. It is an http.RoundTripper, too, without the limits on responses.
type Fetcher struct {
	opts            FetchOptions
	allowed         atomic.Uint32 // kinds of addresses
	http            *http.Client
	direct, proxied *http.Transport
}

// NewFetcher returns a Fetcher.
func NewFetcher(o FetchOptions) *Fetcher {
	t := &http.Transport{
		ForceAttemptHTTP2: true, MaxResponseHeaderBytes: MaxHeader,
		DisableKeepAlives: o.Idle == 0, MaxIdleConnsPerHost: o.Idle, IdleConnTimeout: waits.AuthIdle,
	}
	f := &Fetcher{opts: o, http: o.HTTP, direct: t, proxied: t.Clone()}
	f.direct.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		// The address is checked when it is known, so that a name cannot resolve to another one after a check.
		d := &net.Dialer{ControlContext: func(_ context.Context, _, at string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(at)
			if err != nil {
				return err
			}
			return f.check(address, ap.Addr())
		}}
		return d.DialContext(ctx, network, address)
	}
	f.proxied.Proxy = http.ProxyFromEnvironment
	if f.http == nil {
		f.http = &http.Client{Timeout: o.Timeout, CheckRedirect: f.checkRedirect, Transport: f}
	}
	return f
}

// RoundTrip implements http.RoundTripper. It sends a request through the proxy that the environment sets for it, or
// else checks the address that it connects to.
func (f *Fetcher) RoundTrip(req *http.Request) (*http.Response, error) {
	by := f.direct
	err := f.CheckHost(req.URL)
	if err == nil && IsProxied(req, nil) {
		by, err = f.proxied, f.checkProxied(req)
	}
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	return by.RoundTrip(req)
}

// IsProxied reports whether a transport, or nil for one of this package, sends a request to a proxy, as far as that
// is known.
func IsProxied(req *http.Request, by http.RoundTripper) bool {
	choose := http.ProxyFromEnvironment
	if t, ok := by.(*http.Transport); ok {
		choose = t.Proxy
	}
	if choose == nil {
		return false
	}
	proxy, err := choose(req)
	return proxy != nil || err != nil
}

// Allow adds kinds of addresses to the public ones that requests may reach.
func (f *Fetcher) Allow(kinds reach.Kind) { f.allowed.Or(uint32(kinds)) }

// Allowed returns the added kinds.
func (f *Fetcher) Allowed() reach.Kind { return reach.Kind(f.allowed.Load()) }

func (f *Fetcher) checkRedirect(req *http.Request, via []*http.Request) error {
	switch {
	case via[0].Method != http.MethodGet || f.opts.Redirects == 0:
		return http.ErrUseLastResponse
	case len(via) > f.opts.Redirects:
		return errors.New("too many redirects")
	}
	return CheckURL(req.URL)
}

// check returns an error if an address must not be reached. Host is the host and the port in the URL.
func (f *Fetcher) check(host string, a netip.Addr) error {
	kind := reach.Of(a)
	if kind == reach.Public || kind&f.Allowed() != 0 || host == f.opts.Host {
		return nil
	}
	return fmt.Errorf("refused to connect to %s: its address %v is %v, and that of the server that names it is not", Shown(host), a, kind)
}

// CheckHost returns an error if the host of a URL is an address or a name of this machine that must not be reached,
// or may be taken for one.
func (f *Fetcher) CheckHost(u *url.URL) error {
	host := HostPort(u)
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return f.check(host, a)
	}
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if reach.IsLoopback(name) || strings.HasSuffix(name, ".localhost") {
		return f.check(host, netip.IPv6Loopback())
	}
	// Some programs take 2130706433 or 0x7f.1 for addresses. No top-level domain begins with a digit. Package http turns
	// letters and digits beyond ASCII into others, so that a name in which they stand may become an address.
	if last := name[strings.LastIndexByte(name, '.')+1:]; last == "" || !IsVisible(name) || last[0] >= '0' && last[0] <= '9' {
		return fmt.Errorf("refused to connect to %s: it is neither an address nor a name in ASCII, such as xn--bcher-kva.example", Shown(host))
	}
	return nil
}

// checkProxied is check for a request through a proxy, which resolves the name in the URL by itself. So the
// addresses that this machine finds under the name are checked, if it finds any.
func (f *Fetcher) checkProxied(req *http.Request) error {
	ctx, cancel := context.WithTimeout(req.Context(), waits.ProxiedName)
	defer cancel()
	found, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", req.URL.Hostname())
	for _, a := range found {
		if err := f.checkFound(req.URL, a); err != nil {
			return err
		}
	}
	return nil
}

// standIns are the addresses that the resolvers of some networks return in place of those that only their proxy knows.
var standIns = netip.MustParsePrefix("198.18.0.0/15")

// checkFound returns an error if a proxy must not be sent to an address that was found under the name in a URL.
func (f *Fetcher) checkFound(u *url.URL, a netip.Addr) error {
	if standIns.Contains(a.Unmap()) || f.check(HostPort(u), a) == nil {
		return nil
	}
	return fmt.Errorf("refused to connect to %s by a proxy: its address %v is %v; add the servers in your own network to NO_PROXY", Shown(u.Host), a, reach.Of(a))
}

// CheckURL refuses URLs other than those of HTTPS, and of HTTP on this machine ("Communication Security",
// 2026-07-28).
func CheckURL(u *url.URL) error {
	switch {
	case u.Hostname() == "" || u.User != nil || u.Fragment != "" || !IsVisible(u.String()):
	case u.Scheme == "https", u.Scheme == "http" && reach.IsLoopback(u.Hostname()):
		return nil
	case u.Scheme == "http":
		return fmt.Errorf("refused the URL %q: only this machine may be reached without HTTPS", Shown(u.Redacted()))
	}
	return fmt.Errorf("refused the URL %q: expected https://HOST/PATH", Shown(u.Redacted()))
}

// ParseURL parses a URL that CheckURL does not refuse.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err == nil {
		err = CheckURL(u)
	}
	return u, err
}

// Document gets a JSON document from the first URL at which one exists, and returns that URL. It returns "" and an
// error if the servers say that there is none. A response that is not JSON does not end the search,
// because some sites answer every path with the same page.
func (f *Fetcher) Document(ctx context.Context, header http.Header, into any, urls ...string) (found string, err error) {
	for _, address := range urls {
		req, failed := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if failed != nil {
			return address, failed
		}
		maps.Copy(req.Header, header)
		status, _, text, failed := f.do(req)
		if failed != nil {
			return address, failed
		}
		if status == http.StatusOK {
			failed = json.Unmarshal(text, into)
			if failed == nil {
				return address, nil
			}
			found, err = address, fmt.Errorf("%s: not a JSON document as expected: %w", Shown(address), failed)
			if _, page := errors.AsType[*json.SyntaxError](failed); !page {
				return found, err
			}
			continue
		}
		if found == "" { // otherwise the page is the better reason
			err = fmt.Errorf("%s: the server responds with status %d", Shown(address), status)
		}
		if status/100 != 4 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout {
			return address, err
		}
	}
	return found, err
}

// IssuerMetadata returns the metadata of an authorization server, from the first of the well-known URLs that has
// any. Its issuer is identical to the given one (RFC 8414, section 3.3).
func (f *Fetcher) IssuerMetadata(ctx context.Context, issuer string) (*AuthorizationServerMetadata, error) {
	var metadata AuthorizationServerMetadata
	u, err := CanonicalURL(issuer)
	if err == nil && (u.RawQuery != "" || !IsVisible(issuer)) {
		err = errors.New("the issuer has a query, or characters that a URL cannot have")
	}
	if err == nil {
		urls := IssuerMetadataURLs(u)
		var found string
		switch found, err = f.Document(ctx, nil, &metadata, urls...); {
		case found == "":
			err = fmt.Errorf("none at %s", strings.Join(urls, ", "))
		case err == nil && metadata.Issuer != issuer:
			err = fmt.Errorf("%s is that of the issuer %q", found, Shown(metadata.Issuer))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("metadata of the authorization server %s: %w", Shown(issuer), err)
	}
	return &metadata, nil
}

// Form is the type of the body of a form.
const Form = "application/x-www-form-urlencoded"

// Post sends a body. Authorize, if not nil, adds credentials to the request.
func (f *Fetcher) Post(ctx context.Context, address, contentType, body string, authorize func(*http.Request) error) (status int, header http.Header, text []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	req.Header.Set("Content-Type", contentType)
	if authorize != nil {
		if err := authorize(req); err != nil {
			return 0, nil, nil, err
		}
	}
	return f.do(req)
}

// do sends a request and reads its response.
func (f *Fetcher) do(req *http.Request) (status int, header http.Header, text []byte, err error) {
	if err := CheckURL(req.URL); err != nil {
		return 0, nil, nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := f.http.Do(req)
	if err != nil {
		return 0, nil, nil, withoutQuery(err)
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	address := Shown(req.URL.Scheme + "://" + req.URL.Host + req.URL.Path)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("%s: %w", address, err)
	}
	if len(text) > maxDocument {
		return 0, nil, nil, fmt.Errorf("%s: the response is longer than %d bytes", address, maxDocument)
	}
	return resp.StatusCode, resp.Header, text, nil
}

// withoutQuery removes the query of the URL that the errors of package http show. It may be that of a
// redirect, which another party has chosen.
func withoutQuery(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		address, _, _ := strings.Cut(e.URL, "?")
		return fmt.Errorf("%s %s: %w", strings.ToUpper(e.Op), Shown(address), e.Err)
	}
	return err
}

// IsVisible reports whether a text has visible ASCII characters only, and some: what tokens and the ids of clients
// consist of (RFC 6749, appendix A), and what is safe in headers and on terminals.
func IsVisible(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// maxShown limits the texts of other parties in errors.
const maxShown = 200

// Shown returns a text of another party in a form that is safe to show: short and without control
// characters.
func Shown(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if runes := []rune(text); len(runes) > maxShown {
		text = string(runes[:maxShown]) + "..."
	}
	return text
}
