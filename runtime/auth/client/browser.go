package client

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/reach"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// Browser is a UserAgent that opens the browser of the user and listens on this machine for the redirect
// (RFC 8252, section 7.3). It can also print the URL, and read the redirect from what the user pastes, for
// machines without a browser.
type Browser struct {
	// RedirectURI is the redirect URI at which the client is registered, such as
	// "http://127.0.0.1:8765/callback". Its host must be localhost or a loopback address. If it has no
	// port, a free one is used. "" is "http://127.0.0.1/callback" (RFC 8252, section 8.3), or
	// "http://localhost/callback" if the authorization server refuses to register that.
	RedirectURI string
	// Open opens a URL in the browser. Nil means the default browser of the system.
	Open func(address string) error
	// Output receives the URL for users whose browser does not open. Nil means that it is not printed.
	Output io.Writer
	// Input is read for a line with the URL to which the browser was redirected, which users paste if
	// their browser runs on another machine. If it is nil, no URL can be pasted. If the redirect arrives
	// another way, reading continues up to the next line.
	Input io.Reader

	mu      sync.Mutex
	visits  []*visit       // those that wait for a redirect, the newest last
	lines   *bufio.Scanner // of Input; nil before the first line and after the last one
	reading bool           // a goroutine reads lines
}

// The default redirect URI, without its port. The name localhost is the second choice, because it may be
// resolved to an address at which another program listens.
const (
	defaultRedirect = "http://" + defaultHost + "/callback"
	defaultHost     = "127.0.0.1"
	localhost       = "localhost"
)

// Authorize implements UserAgent.
func (b *Browser) Authorize(ctx context.Context, previous string, begin func(redirectURI string) (string, error)) (string, error) {
	v, listener, err := b.listen(ctx, previous)
	if err != nil {
		return "", err
	}
	defer listener.Close()
	address, err := begin(v.redirect.String())
	if code(err) == "invalid_redirect_uri" && b.RedirectURI == "" && v.redirect.Hostname() != localhost {
		v.redirect.Host = net.JoinHostPort(localhost, v.redirect.Port())
		address, err = begin(v.redirect.String())
	}
	if err != nil {
		return "", err
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("the authorization URL is broken")
	}
	v.state = u.Query().Get("state")
	server := &http.Server{Handler: v, ReadHeaderTimeout: waits.BrowserPage, MaxHeaderBytes: oauth.MaxHeader}
	go server.Serve(listener)
	defer func() { // the browser receives its page
		limited, cancel := context.WithTimeout(context.Background(), waits.BrowserPage)
		defer cancel()
		if server.Shutdown(limited) != nil {
			server.Close()
		}
	}()
	b.await(v, address)
	defer b.leave(v)
	open := b.Open
	if open == nil {
		open = openBrowser
	}
	if err := open(address); err != nil && b.Output == nil {
		return "", fmt.Errorf("opening a browser: %w", err)
	}
	select {
	case back := <-v.found:
		return back, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// listen begins a visit at the port of the previous one, if it is free.
func (b *Browser) listen(ctx context.Context, previous string) (v *visit, listener net.Listener, err error) {
	text := b.RedirectURI
	last, failed := url.Parse(previous)
	if failed != nil {
		last = &url.URL{}
	}
	if text == "" {
		text = defaultRedirect
		if last.Hostname() == localhost {
			text = strings.Replace(text, defaultHost, localhost, 1)
		}
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || !reach.IsLoopback(u.Hostname()) {
		return nil, nil, fmt.Errorf("the redirect URI %q is not that of this machine, such as http://127.0.0.1:8765/callback", shown(text))
	}
	u.Path = cmp.Or(u.Path, "/")
	host := u.Hostname()
	if strings.EqualFold(host, localhost) {
		host = defaultHost
	}
	ports := []string{cmp.Or(u.Port(), "0")}
	if u.Port() == "" && last.Hostname() == u.Hostname() && last.Path == u.Path {
		ports = []string{last.Port(), "0"}
	}
	var config net.ListenConfig
	for _, port := range ports {
		if listener, err = config.Listen(ctx, "tcp", net.JoinHostPort(host, port)); err == nil {
			_, port, _ = net.SplitHostPort(listener.Addr().String())
			u.Host = net.JoinHostPort(u.Hostname(), port)
			return &visit{redirect: u, found: make(chan string, 1)}, listener, nil
		}
	}
	return nil, nil, fmt.Errorf("listening for the redirect of the authorization server: %w", err)
}

// visit is one use of a Browser.
type visit struct {
	redirect *url.URL
	state    string
	found    chan string // receives the URL of the redirect; has room for one
}

// await tells the user where to go, and gives the visit what the user pastes until leave is called.
func (b *Browser) await(v *visit, address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Output != nil {
		fmt.Fprintf(b.Output, "To log in, open this URL in a browser:\n\n%s\n\n", address)
		fmt.Fprintf(b.Output, "Waiting for the browser to come to %s, to which the authorization server sends it back.\n", v.redirect)
		if b.Input != nil {
			fmt.Fprintln(b.Output, "If the browser runs on another machine, paste here the URL of the page to which it is sent back, even if that page fails to load.")
		}
	}
	b.visits = append(b.visits, v)
	if b.Input == nil || b.reading {
		return
	}
	if b.lines == nil {
		b.lines = bufio.NewScanner(b.Input)
	}
	b.reading = true
	go b.read(b.lines)
}

func (b *Browser) leave(v *visit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.visits = slices.DeleteFunc(b.visits, func(other *visit) bool { return other == v })
}

// read reads lines for all visits until none waits. A read cannot be interrupted, so a reader of one visit would
// take what the user pastes for the next one.
func (b *Browser) read(lines *bufio.Scanner) {
	for lines.Scan() {
		if !b.pasted(strings.TrimSpace(lines.Text())) {
			return
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines, b.reading = nil, false
}

// pasted gives a line to the visit whose redirect it is, and reports whether any other visit waits.
func (b *Browser) pasted(line string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	u, err := url.Parse(line)
	i := slices.IndexFunc(b.visits, func(v *visit) bool { return err == nil && u.Query().Get("state") == v.state })
	switch n := len(b.visits); {
	case line == "" || n == 0:
	case i >= 0:
		b.visits[i].arrived(line)
		b.visits = slices.Delete(b.visits, i, i+1)
	case b.Output != nil:
		fmt.Fprintf(b.Output, "This is not the URL of the page after this login. It begins with %s?\n", b.visits[n-1].redirect)
	}
	b.reading = len(b.visits) > 0
	return b.reading
}

func (v *visit) arrived(back string) {
	select {
	case v.found <- back:
	default: // the user came twice
	}
}

// ServeHTTP answers the browser after the redirect. Any page that the user visits can send requests here,
// so those without the state are refused and change nothing.
func (v *visit) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Connection", "close")
	switch {
	case oauth.HostPort(&url.URL{Scheme: v.redirect.Scheme, Host: r.Host}) != oauth.HostPort(v.redirect) || r.URL.Path != v.redirect.Path:
		http.Error(w, "Nothing is here.", http.StatusNotFound)
	case r.Method != http.MethodGet:
		http.Error(w, "Expected a GET.", http.StatusMethodNotAllowed)
	case r.URL.Query().Get("state") != v.state:
		http.Error(w, "This is not the login that the program waits for.", http.StatusBadRequest)
	default:
		text := "You can close this page and return to the program."
		if r.URL.Query().Has("error") {
			text = "The login was refused. You can close this page; the program says why."
		}
		io.WriteString(w, text+"\n")
		back := *v.redirect
		back.RawQuery = r.URL.RawQuery
		v.arrived(back.String())
	}
}

// openBrowser opens a URL, which is one of HTTP or HTTPS, in the browser of the system.
func openBrowser(address string) error {
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", address)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return errors.New("no display")
		}
		cmd = exec.Command("xdg-open", address)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait()
	return nil
}
