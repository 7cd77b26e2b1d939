package web

import (
	"errors"
	"fmt"
	"net/http"
)

const (
	// maxRedirects limits how often a request is redirected.
	maxRedirects = 5
	// maxIdleConnections is the number of unused connections that a session keeps, so that
	// concurrent calls need not open new ones. http.DefaultTransport keeps 2 for each host.
	maxIdleConnections = 256
)

// Client returns a copy of c, or of http.DefaultClient if c is nil, that does not follow redirects
// to other servers. If it has no Transport, it gets connections of its own, configured as those of
// http.DefaultTransport; close closes the unused ones. Otherwise close does nothing.
func Client(c *http.Client) (client *http.Client, close func()) {
	if c == nil {
		c = http.DefaultClient
	}
	own := *c
	own.CheckRedirect = checkRedirect
	if shared, ok := http.DefaultTransport.(*http.Transport); ok && own.Transport == nil {
		t := shared.Clone()
		t.MaxIdleConns, t.MaxIdleConnsPerHost = maxIdleConnections, maxIdleConnections
		own.Transport = t
		return &own, t.CloseIdleConnections
	}
	return &own, func() {}
}

// checkRedirect is an http.Client's CheckRedirect for requests that carry a session: they are not
// repeated at another server or with another method.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) > maxRedirects:
		return errors.New("too many redirects")
	case req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host:
		return fmt.Errorf("redirect to another server, %.100s", req.URL.Host)
	case req.Method != first.Method:
		return fmt.Errorf("redirect that turns a %s into a %s", first.Method, req.Method)
	}
	return nil
}
