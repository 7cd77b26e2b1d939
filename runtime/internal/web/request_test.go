package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// deadlines is a response that takes note of the deadlines for reading.
type deadlines struct {
	http.ResponseWriter
	set int
}

func (d *deadlines) SetReadDeadline(time.Time) error {
	d.set++
	return nil
}

// slowly is a body that comes after a time.
type slowly struct {
	io.Reader
	after  time.Duration
	panics bool
}

func (s *slowly) Read(p []byte) (int, error) {
	time.Sleep(s.after)
	if s.panics {
		panic("read")
	}
	return s.Reader.Read(p)
}

func (s *slowly) Close() error { return nil }

// TestReadBodyInTime holds that a body which comes too late is refused, and that no deadline is set
// when it is not read any more.
func TestReadBodyInTime(t *testing.T) {
	for _, c := range []struct {
		name string
		body slowly
		late bool
	}{
		{name: "in time", body: slowly{after: time.Second}},
		{name: "late", body: slowly{after: time.Hour}, late: true},
		{name: "panics", body: slowly{after: time.Second, panics: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var alarms Alarms
				w := &deadlines{ResponseWriter: httptest.NewRecorder()}
				c.body.Reader = bytes.NewReader([]byte("text"))
				r := httptest.NewRequest("POST", "/", &c.body)
				r.ContentLength = 4
				func() {
					defer func() {
						if panicked := recover() != nil; panicked != c.body.panics {
							t.Errorf("panicked: %t", panicked)
						}
					}()
					text, err := new(BodyReader).ReadBody(w, r, 100, time.Minute, &alarms)
					if refusal, ok := errors.AsType[*Refusal](err); c.late != (ok && refusal.Status == http.StatusRequestTimeout) || !c.late && text != "text" {
						t.Errorf("%q, %v", text, err)
					}
				}()
				time.Sleep(time.Hour)
				if set := w.set > 0; set != c.late {
					t.Errorf("a deadline was set %d times", w.set)
				}
			})
		})
	}
}
