package web

import (
	"io"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
)

// Sink is a response that is written piece by piece, each of which the client must take
// within a time. But for Interrupt it is not safe for concurrent use.
type Sink struct {
	w      http.ResponseWriter
	rc     http.ResponseController
	within time.Duration
	events bool      // it is an event stream, and its header is written
	buf    *[]byte   // for events; nil before the first and after the last
	length [1]string // a header

	held bool // see Hold

	mu          sync.Mutex
	armed       time.Time // when arm was last of use
	interrupted bool
	finished    bool // the response is no longer the sink's to touch
}

// NewSink makes a sink. Within bounds each write; 0 is no bound.
func NewSink(w http.ResponseWriter, within time.Duration) *Sink {
	s := new(Sink)
	s.Init(w, within)
	return s
}

// Init is NewSink for a sink that is a part of something.
func (s *Sink) Init(w http.ResponseWriter, within time.Duration) {
	s.w, s.rc, s.within = w, *http.NewResponseController(w), within
}

// Header is that of the response.
func (s *Sink) Header() http.Header { return s.w.Header() }

// Streaming reports whether the response has become an event stream.
func (s *Sink) Streaming() bool { return s.events }

// arm starts the time for a write, unless it has just been started. Without support for
// deadlines there is none.
func (s *Sink) arm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.within <= 0 || s.interrupted {
		return
	}
	if now := time.Now(); now.Sub(s.armed) > s.within/16 {
		s.armed = now
		_ = s.rc.SetWriteDeadline(now.Add(s.within))
	}
}

// Begin makes the response an event stream, if it is not one yet, and has that be known at once.
func (s *Sink) Begin() error {
	if s.events {
		return nil
	}
	s.begin()
	return s.Flush()
}

// begin is Begin where more is to be written.
func (s *Sink) begin() {
	s.arm()
	if s.events {
		return
	}
	s.events = true
	h := s.w.Header()
	maps.Copy(h, headersEvents)
	s.w.WriteHeader(http.StatusOK)
}

// headersEvents are those of an event stream. They are never changed.
var headersEvents = http.Header{
	"Content-Type":           {eventstream.MediaType},
	"Cache-Control":          {"no-cache, no-transform"},
	"X-Accel-Buffering":      {"no"}, // a proxy that collects events would hold them back
	"X-Content-Type-Options": headerNosniff,
}

// Event writes one event and has it leave at once.
func (s *Sink) Event(id []byte, typ string, retry time.Duration, data []byte) error {
	if err := s.Put(id, typ, retry, data); err != nil {
		return err
	}
	return s.Flush()
}

// Put is Event for one that leaves with what follows it: more, the end of the response, or Flush.
func (s *Sink) Put(id []byte, typ string, retry time.Duration, data []byte) error {
	s.begin()
	if s.buf == nil {
		s.buf = buffers.Get().(*[]byte)
	}
	*s.buf = eventstream.Append((*s.buf)[:0], id, typ, retry, data)
	_, err := s.w.Write(*s.buf)
	if cap(*s.buf) > maxKept {
		s.buf = nil
	}
	return err
}

// Beat writes a comment, by which both sides and what is between them see that the
// connection is in use.
func (s *Sink) Beat() error {
	s.begin()
	if _, err := io.WriteString(s.w, eventstream.Comment); err != nil {
		return err
	}
	return s.Flush()
}

// buffers are for events.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxKept bounds the buffers that are kept between events.
const maxKept = 64 << 10

// JSON writes the whole response: body with part in it at the index.
func (s *Sink) JSON(status int, body []byte, at int, part string) error {
	s.arm()
	return writeJSON(s.w, status, &s.length, body, at, part)
}

// Empty writes the whole response, which has no body.
func (s *Sink) Empty(status int) error {
	s.arm()
	s.w.WriteHeader(status)
	return nil
}

// Flush has what was written leave at once.
func (s *Sink) Flush() error {
	s.arm()
	return s.rc.Flush()
}

// Hold tells that the goroutine of the request is kept busy by something else than the response.
func (s *Sink) Hold() { s.held = true }

// Held reports whether Hold has been called: the response does not end with the use of the sink.
func (s *Sink) Held() bool { return s.held }

// Interrupt lets a write that waits for the client fail, and every later one. It may be
// called at any time.
func (s *Sink) Interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.finished {
		s.interrupted = true
		_ = s.rc.SetWriteDeadline(time.Unix(1, 0))
	}
}

// Finish is called when the handler of the request is about to return. What is left to be
// written then has the time of one more write.
func (s *Sink) Finish() {
	s.arm()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finished = true
	if s.buf != nil {
		buffers.Put(s.buf)
		s.buf = nil
	}
}
