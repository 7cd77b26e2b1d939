package testkit

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Serve calls a handler without a network, for tests in a bubble of testing/synctest. The request is one of
// Streamable HTTP; header is name, value, name, value.
func Serve(ctx context.Context, h http.Handler, method, body string, header ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	ServeTo(ctx, w, h, method, body, header...)
	return w
}

// ServeTo is Serve with a response of the caller.
func ServeTo(ctx context.Context, w http.ResponseWriter, h http.Handler, method, body string, header ...string) {
	r := httptest.NewRequestWithContext(ctx, method, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	h.ServeHTTP(w, r)
}

// Event is an event of a stream of server-sent events.
type Event struct{ ID, Data string }

// Events reads n events of a stream, or all of them if n is 0.
func Events(t testing.TB, body io.Reader, n int) []Event {
	t.Helper()
	lines := bufio.NewReaderSize(body, 16<<10)
	var events []Event
	var e Event
	begun, data := false, []string(nil)
	for n == 0 || len(events) < n {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" && !begun {
			break
		}
		if err != nil {
			t.Fatalf("after %d events: %v", len(events), err)
		}
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			e.ID = value
		case "data":
			data = append(data, value)
		case "event", "retry":
		default: // a comment, or the end of an event
			if begun && strings.TrimRight(line, "\r\n") == "" {
				e.Data = strings.Join(data, "\n")
				events = append(events, e)
				e, begun, data = Event{}, false, nil
			}
			continue
		}
		begun = true
	}
	return events
}

type userKey struct{}

// Authenticated is a middleware that trusts the header X-User.
func Authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, r.Header.Get("X-User"))))
	})
}

// UserOf returns the user of a request that has passed through Authenticated.
func UserOf(r *http.Request) (string, error) {
	user := UserIn(r.Context())
	if user == "" {
		return "", errors.New("nobody")
	}
	return user, nil
}

// UserIn returns the user of the request that a context belongs to, or "".
func UserIn(ctx context.Context) string {
	user, _ := ctx.Value(userKey{}).(string)
	return user
}

// Flaky cuts the event streams of a handler after a number of bytes, which may be another one for each.
func Flaky(next http.Handler, bytes func() int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&cutter{ResponseWriter: w, left: bytes()}, r)
	})
}

// cutter is a response that fails after some bytes of an event stream.
type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *cutter) Write(p []byte) (int, error) {
	if c.Header().Get("Content-Type") != "text/event-stream" {
		return c.ResponseWriter.Write(p)
	}
	n := min(len(p), c.left)
	c.left -= n
	if _, err := c.ResponseWriter.Write(p[:n]); err != nil {
		return 0, err
	}
	if n < len(p) {
		http.NewResponseController(c.ResponseWriter).Flush()
		return n, errors.New("cut")
	}
	return n, nil
}
