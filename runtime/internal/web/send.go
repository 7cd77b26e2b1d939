package web

import "net/http"

// send is c.Do. That gets ready for redirects, cookies and more with every request, so it has
// its part only where something of the kind comes up.
func send(c *http.Client, req *http.Request) (*http.Response, error) {
	if !isPlain(c) || req.URL.User != nil {
		return c.Do(req)
	}
	over := transport(c)
	resp, err := over.RoundTrip(req)
	if err == nil && resp != nil && resp.Body != nil && resp.StatusCode/100 != 3 {
		return resp, nil
	}
	rest := *c
	rest.Transport = &replay{resp: resp, err: err, rest: over}
	return rest.Do(req)
}

// isPlain reports whether c does no more for a request than to follow redirects.
func isPlain(c *http.Client) bool { return c.Jar == nil && c.Timeout == 0 }

func transport(c *http.Client) http.RoundTripper {
	if c.Transport == nil {
		return http.DefaultTransport
	}
	return c.Transport
}

// replay is a transport which has what the first request brings already.
type replay struct {
	resp *http.Response
	err  error
	done bool
	rest http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (r *replay) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.done {
		return r.rest.RoundTrip(req)
	}
	r.done = true
	return r.resp, r.err
}

// LeavesHeaders reports whether the requests of c may share a header: net/http itself changes
// none, but other transports do, though they should not.
func LeavesHeaders(c *http.Client) bool {
	_, ok := transport(c).(*http.Transport)
	return ok && isPlain(c)
}
