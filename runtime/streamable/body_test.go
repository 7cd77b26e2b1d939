package streamable

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// slowBody is a request body that arrives after a time. It is also the ResponseWriter, which records the read deadline.
type slowBody struct {
	http.ResponseWriter
	after    time.Duration
	deadline time.Time
	read     bool
}

func (s *slowBody) SetReadDeadline(t time.Time) error {
	s.deadline = t
	return nil
}

func (s *slowBody) Read(p []byte) (int, error) {
	if s.read {
		return 0, io.EOF
	}
	if left := time.Until(s.deadline); !s.deadline.IsZero() && left < s.after {
		time.Sleep(left)
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(s.after)
	s.read = true
	return copy(p, "text"), nil
}

func (s *slowBody) Close() error { return nil }

// TestReadBodyInTime checks that a body that arrives too late is refused, and that the deadline does
// not outlast the reading.
func TestReadBodyInTime(t *testing.T) {
	for _, c := range []struct {
		name           string
		after, timeout time.Duration
		late           bool
	}{
		{name: "in time", after: time.Second, timeout: time.Minute},
		{name: "late", after: time.Hour, timeout: time.Minute, late: true},
		{name: "any time", after: time.Hour, timeout: -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body := &slowBody{ResponseWriter: httptest.NewRecorder(), after: c.after}
				r := httptest.NewRequest("POST", "/", body)
				r.ContentLength = 4
				p := visitorsOf(t, Options{IOTimeout: c.timeout, MaxBytes: -1}).handler.newPost(body, r)
				err := p.read()
				text := p.in.Text
				if refusal, ok := errors.AsType[*web.Refusal](err); c.late != (ok && refusal.Status == http.StatusRequestTimeout) || !c.late && text != "text" {
					t.Errorf("%q, %v", text, err)
				}
				if !body.deadline.IsZero() {
					t.Error("the deadline is still set")
				}
			})
		})
	}
}

// TestRefusedBody checks that a client which does not send the body of a refused request does not keep its connection.
func TestRefusedBody(t *testing.T) {
	for _, header := range []string{"", "Content-Type: application/json\r\n", "Content-Type: application/json\r\nExpect: 100-continue\r\n"} {
		synctest.Test(t, func(t *testing.T) {
			server := http.Server{Handler: visitorsOf(t, Options{IOTimeout: time.Second}).handler}
			network := testkit.NewNetwork()
			go server.Serve(network)
			near, err := network.DialContext(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(near, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 50\r\n"+header+"\r\n"); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(near); err != nil || !strings.Contains(string(got), "HTTP/1.1 4") {
				t.Errorf("%q: %s, %v", header, got, err)
			}
			near.Close()
			server.Close()
		})
	}
}
