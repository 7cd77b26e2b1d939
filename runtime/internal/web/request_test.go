package web

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"
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
				text, err := NewResponse(body, c.timeout, nil).ReadBody(r, 100, 0)
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
