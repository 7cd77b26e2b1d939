package client_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/auth/client"
)

// proxy is an HTTP proxy on this machine. It connects every target to one server, as a proxy does that reaches the
// public servers of a test.
type proxy struct {
	*httptest.Server
	mu      sync.Mutex
	targets []string
}

// newProxy returns a proxy to a server. The server has a certificate for example.com and names below it.
func newProxy(t *testing.T, to *httptest.Server) *proxy {
	p := &proxy{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.targets = append(p.targets, r.Method+" "+r.Host)
		p.mu.Unlock()
		if r.Method != http.MethodConnect {
			http.Error(w, "a secret of the proxy", http.StatusOK)
			return
		}
		server, err := net.Dial("tcp", to.Listener.Addr().String())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer server.Close()
		browser, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer browser.Close()
		io.WriteString(browser, "HTTP/1.1 200 OK\r\n\r\n")
		tunnel(browser, buffered.Reader, server)
	}))
	t.Cleanup(p.Close)
	return p
}

func tunnel(client net.Conn, from io.Reader, server net.Conn) {
	go func() {
		io.Copy(server, from)
		server.(*net.TCPConn).CloseWrite()
	}()
	io.Copy(client, server)
}

// newSOCKS returns the address of a SOCKS 5 proxy to a server.
func newSOCKS(t *testing.T, to *httptest.Server) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				r := bufio.NewReader(conn)
				head := make([]byte, 3)
				io.ReadFull(r, head) // version, one method, none
				conn.Write([]byte{5, 0})
				head = make([]byte, 5)
				io.ReadFull(r, head) // version, connect, 0, a name, its length
				io.ReadFull(r, make([]byte, int(head[4])+2))
				conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
				if server, err := net.Dial("tcp", to.Listener.Addr().String()); err == nil {
					defer server.Close()
					tunnel(conn, r, server)
				}
			}()
		}
	}()
	return listener.Addr().String()
}

// public is a server that names itself mcp.example.com and answers 401. It is the authorization server
// auth.example.com, too. Its metadata is what a test needs.
func public(t *testing.T, metadata func() (resource, server map[string]any)) *httptest.Server {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		resource, server := metadata()
		switch {
		case strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource"):
			reply(w, 200, resource)
		case strings.HasPrefix(r.URL.Path, "/.well-known/oauth-authorization-server"):
			reply(w, 200, server)
		case r.URL.Path == "/token":
			reply(w, 200, map[string]any{"access_token": "good", "token_type": "Bearer", "refresh_token": "r"})
		case r.Header.Get("Authorization") == "Bearer good":
			io.WriteString(w, "ok")
		default:
			challenge := "Bearer"
			if place, ok := resource["place"]; ok {
				challenge += fmt.Sprintf(` resource_metadata="%s"`, place)
			}
			w.Header().Set("WWW-Authenticate", challenge)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

const publicURL = "https://mcp.example.com/mcp"

// honest is the metadata of the public servers.
func honest() (resource, server map[string]any) {
	return map[string]any{"resource": publicURL, "authorization_servers": []string{"https://auth.example.com"}}, map[string]any{
		"issuer": "https://auth.example.com", "token_endpoint": "https://auth.example.com/token",
		"authorization_endpoint": "https://auth.example.com/authorize", "code_challenge_methods_supported": []string{"S256"},
	}
}

var (
	clientFlow  = client.Options{Flow: client.ClientCredentials{}, Credentials: []client.Credentials{{ClientID: "c", Secret: "s"}}}
	errNotAsked = errors.New("the user was not to be asked")
)

// inside returns the port of a server on this machine that a server elsewhere must not make the client reach. It
// speaks HTTP, or HTTPS if a client does.
func inside(t *testing.T) (port string, reached func() bool) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	var mu sync.Mutex
	count := 0
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			count++
			mu.Unlock()
			conn.Close()
		}
	}()
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	return port, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return count > 0
	}
}

// forbidden are places to which a public server must not send a client that uses a proxy.
func forbidden(port, proxyPort string) []string {
	return []string{
		"http://127.0.0.1:" + port + "/admin", "https://127.0.0.1:" + port, "http://localhost:" + port, "https://localhost:" + port,
		"https://LOCALHOST.:" + port, "https://a.localhost:" + port, "https://2130706433:" + port, "https://0x7f.1:" + port, "https://0x7f000001:" + port,
		"https://127.1:" + port, "https://[::1]:" + port, "https://[::ffff:127.0.0.1]:" + port, "https://[64:ff9b::7f00:1]:" + port,
		"https://10.0.0.1", "https://192.168.1.1/admin", "https://169.254.169.254/latest", "https://１６９.２５４.１６９.２５４/latest", "https://0.0.0.0:" + port, "https://[fd00::1]", "https://.:" + port,
		"http://127.0.0.1:" + proxyPort + "/", "https://127.0.0.1:" + proxyPort + "/", "http://localhost:" + proxyPort + "/", // the proxy itself
	}
}

// A connection to a proxy does not make its address that of the server, whatever kind of proxy and however the
// program has configured it.
func TestProxyTeachesNothing(t *testing.T) {
	port, reached := inside(t)
	place := ""
	server := public(t, func() (map[string]any, map[string]any) {
		resource, server := honest()
		resource["place"] = place
		return resource, server
	})
	via := newProxy(t, server)
	_, proxyPort, _ := net.SplitHostPort(via.Listener.Addr().String())
	trust := &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	socks := newSOCKS(t, server)
	for name, base := range map[string]http.RoundTripper{
		"HTTP":   &http.Transport{TLSClientConfig: trust, Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: via.Listener.Addr().String()})},
		"HTTP/2": &http.Transport{TLSClientConfig: trust, ForceAttemptHTTP2: true, Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: via.Listener.Addr().String()})},
		"SOCKS":  &http.Transport{TLSClientConfig: trust, Proxy: http.ProxyURL(&url.URL{Scheme: "socks5", Host: socks})},
		"a dialer": &http.Transport{TLSClientConfig: trust, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
		}},
		"wrapped": struct{ http.RoundTripper }{&http.Transport{TLSClientConfig: trust, Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: via.Listener.Addr().String()})}},
	} {
		urls := []string{publicURL}
		if _, ok := base.(*http.Transport); ok { // whose proxy is known, so that its port may be that of the server
			urls = append(urls, "https://mcp.example.com:"+proxyPort+"/mcp")
		}
		for i, at := range urls {
			places := forbidden(port, proxyPort)
			if i > 0 {
				places = places[:1]
			}
			for _, place = range places {
				opts := clientFlow
				opts.Base = base
				transport, err := client.New(at, opts)
				if err != nil {
					t.Fatal(err)
				}
				err = transport.Login(t.Context())
				if err == nil || !strings.Contains(err.Error(), "refused ") {
					t.Errorf("%s, %s, %s: got %v, want a refusal", name, at, place, err)
				}
				transport.CloseIdleConnections()
			}
		}
	}
	if reached() {
		t.Error("the client reached this machine")
	}
}

// environment is set in the process of TestProxyFromEnvironment.
const environment = "TEST_PROXY"

// The proxy of the environment is used for all requests, and no hole.
func TestProxyFromEnvironment(t *testing.T) {
	if text := os.Getenv(environment); text != "" {
		testProxied(t, text)
		return
	}
	port, reached := inside(t)
	place, endpoint := "", ""
	var mu sync.Mutex
	server := public(t, func() (map[string]any, map[string]any) {
		mu.Lock()
		defer mu.Unlock()
		resource, server := honest()
		if place != "" {
			resource["place"] = place
		}
		if endpoint != "" {
			server["authorization_endpoint"], server["token_endpoint"] = endpoint, endpoint
		}
		return resource, server
	})
	control := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		place, endpoint = r.FormValue("place"), r.FormValue("endpoint")
	}))
	defer control.Close()
	via := newProxy(t, server)
	_, proxyPort, _ := net.SplitHostPort(via.Listener.Addr().String())
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, proxyURL := range map[string]string{"HTTP": via.URL, "SOCKS": "socks5://" + newSOCKS(t, server)} {
		plan, err := json.Marshal(map[string]any{"control": control.URL, "places": forbidden(port, proxyPort)})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxyFromEnvironment$")
		cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.Contains(strings.ToLower(v), "_proxy=") }),
			"HTTPS_PROXY="+proxyURL, "HTTP_PROXY="+proxyURL, "ALL_PROXY="+proxyURL, "SSL_CERT_FILE="+authority, environment+"="+string(plan))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	if reached() {
		t.Error("the client reached this machine")
	}
	for _, target := range via.targets {
		if target != "CONNECT mcp.example.com:443" && target != "CONNECT auth.example.com:443" {
			t.Errorf("the proxy got %s", target)
		}
	}
}

// testProxied is TestProxyFromEnvironment in a process with a proxy in its environment.
func testProxied(t *testing.T, text string) {
	var plan struct {
		Control string
		Places  []string
	}
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		t.Fatal(err)
	}
	set := func(values url.Values) {
		resp, err := http.PostForm(plan.Control, values)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	login := func(opts client.Options) (*client.Transport, error) {
		transport, err := client.New(publicURL, opts)
		if err != nil {
			t.Fatal(err)
		}
		return transport, transport.Login(t.Context())
	}
	set(nil)
	store := &client.Memory{}
	opts := clientFlow
	opts.Store = store
	if _, err := login(opts); err != nil {
		t.Errorf("a login through the proxy: %v", err)
	}
	const key = "grant client " + publicURL
	stored, err := store.Get(t.Context(), key)
	if err != nil || stored == nil || strings.Contains(string(stored), "reach") {
		t.Errorf("stored %s, %v, want no reach", stored, err)
	}
	// A login without the proxy, or by a program that took its address for that of the server, teaches nothing either.
	learned := bytes.Replace(stored, []byte(`"access_token":"good"`), []byte(`"reach":4294967295,"access_token":"bad"`), 1)
	if err := store.Set(t.Context(), key, learned); err != nil {
		t.Fatal(err)
	}
	set(url.Values{"place": plan.Places[:1]})
	if _, err := login(opts); err == nil || !strings.Contains(err.Error(), "refused ") {
		t.Errorf("with a stored reach: got %v, want a refusal", err)
	}
	for i, place := range plan.Places {
		set(url.Values{"place": {place}})
		if _, err := login(clientFlow); err == nil || !strings.Contains(err.Error(), "refused ") {
			t.Errorf("metadata at %s: got %v, want a refusal", place, err)
		}
		if i%8 > 0 {
			continue // each login takes many requests
		}
		set(url.Values{"endpoint": {place}})
		if _, err := login(clientFlow); err == nil || !strings.Contains(err.Error(), "refused ") {
			t.Errorf("token endpoint %s: got %v, want a refusal", place, err)
		}
		user := client.Options{Credentials: clientFlow.Credentials, Flow: client.AuthorizationCode{Agent: noUser{}}}
		if _, err := login(user); err == nil || !strings.Contains(err.Error(), "refused ") {
			t.Errorf("authorization endpoint %s: got %v, want a refusal", place, err)
		}
	}
}

// noUser is a user agent that must not be needed.
type noUser struct{}

func (noUser) Authorize(_ context.Context, _ string, begin func(string) (string, error)) (string, error) {
	_, err := begin("http://127.0.0.1:1/callback")
	return "", cmp.Or(err, errNotAsked)
}
