package web

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
)

// slow is a body that arrives after a time, and the response to it, whose read deadline it keeps.
type slow struct {
	http.ResponseWriter
	after    time.Duration
	deadline time.Time
	read     bool
}

func (s *slow) SetReadDeadline(t time.Time) error {
	s.deadline = t
	return nil
}

func (s *slow) Read(p []byte) (int, error) {
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

func (s *slow) Close() error { return nil }

var unlimited = NewGate(Limits{}, LoadLimits{}, -1)

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
				body := &slow{ResponseWriter: httptest.NewRecorder(), after: c.after}
				r := httptest.NewRequest("POST", "/", body)
				r.ContentLength = 4
				var response Response
				response.Init(body, c.timeout, unlimited)
				text, err := response.ReadBody(r, &Admission{Gate: unlimited}, 100, false)
				if refusal, ok := errors.AsType[*Refusal](err); c.late != (ok && refusal.Status == http.StatusRequestTimeout) || !c.late && text != "text" {
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
			server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				Serve(w, r, Guard{}, slog.New(slog.DiscardHandler), new(Refusals), func(w http.ResponseWriter, r *http.Request) error {
					if refusal := CheckPost(r, false); refusal != nil {
						return refusal
					}
					var response Response
					response.Init(w, time.Second, unlimited)
					_, err := response.ReadBody(r, &Admission{Gate: unlimited}, 100, false)
					return err
				})
			})}
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
