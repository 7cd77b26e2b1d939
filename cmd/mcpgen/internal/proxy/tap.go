// Package proxy stands between a client and a server, hands on every byte as it came,
// and has what they say judged meanwhile.
//
// Messages are copied where they pass and judged by one goroutine, in the order in which
// they passed, so that neither side waits for a verdict. A message is queued before its
// last byte is handed on: an answer cannot be judged before its request.
package proxy

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
)

// Finding is what was found in a session.
type Finding struct {
	audit.Finding
	// Session is the id of the session over HTTP, "" over standard input and output.
	Session string
	// Number counts the messages of the session, from 1.
	Number int
	// Message is the message, cut after some hundred bytes.
	Message string
}

// maxMessage bounds what is kept of a message that is not complete yet. Longer ones are
// handed on and not judged.
const maxMessage = 64 << 20

// What is said of messages that are not judged.
const (
	tooLong    = "a message of more than 64 MiB is not judged"
	compressed = "a compressed response is not judged"
	foreign    = "a response that is no message is not judged"
)

// Tap has messages judged. Its methods may be called concurrently.
type Tap struct {
	report func(Finding)
	queue  chan queued
	done   chan struct{}

	open   sync.RWMutex // held while a message is queued
	closed bool

	mu       sync.Mutex
	messages int
	problems int
}

// queued is a message on its way to be judged.
type queued struct {
	session *session
	from    audit.Side
	text    string
	unread  string // why there is no text
	// header is what goes with a message over HTTP, nil for one that came otherwise.
	header http.Header
	broken string // what the transport does wrong with it
}

// session is one that passes through.
type session struct {
	*audit.Session
	number int // of the message that is judged

	mu     sync.Mutex
	id     string
	events map[string]struct{} // ids of server-sent events that came already
}

// NewTap returns a tap that calls report for each finding.
func NewTap(report func(Finding)) *Tap {
	t := &Tap{report: report, queue: make(chan queued, 1024), done: make(chan struct{})}
	go func() {
		defer close(t.done)
		for q := range t.queue {
			t.judge(q)
		}
	}()
	return t
}

// Close waits until all messages are judged. Those that still come are not.
func (t *Tap) Close() {
	t.open.Lock()
	t.closed = true
	t.open.Unlock()
	close(t.queue)
	<-t.done
}

// enqueue has a message judged. It waits while very many are queued.
func (t *Tap) enqueue(q queued) {
	t.open.RLock()
	defer t.open.RUnlock()
	if !t.closed {
		t.queue <- q
	}
}

// Counts returns how many messages were judged, and how many problems found.
func (t *Tap) Counts() (messages, problems int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.messages, t.problems
}

func newSession(id string, opts audit.Options) *session {
	return &session{Session: audit.NewSession(opts), id: id, events: map[string]struct{}{}}
}

func (s *session) name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

func (s *session) rename(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id = id
}

func (t *Tap) judge(q queued) {
	s := q.session
	s.number++
	negotiated := s.Negotiated()
	findings := []audit.Finding{{Note: true, From: q.from, Problem: q.unread}}
	if q.unread == "" {
		findings = s.Message(q.from, q.text)
	}
	if problem := q.broken; problem != "" {
		findings = append(findings, audit.Finding{Rule: audit.Transport, From: q.from, Problem: problem})
	}
	// "Protocol Version Header" in basic/transports, from 2025-06-18 on.
	if spoken := q.header.Get(headerRevision); q.header != nil && negotiated >= "2025-06-18" && spoken != negotiated {
		findings = append(findings, audit.Finding{Rule: audit.Transport, From: q.from,
			Problem: fmt.Sprintf("the header MCP-Protocol-Version is %q, and %s was negotiated", spoken, negotiated)})
	}
	t.mu.Lock()
	t.messages++
	for _, f := range findings {
		if !f.Note {
			t.problems++
		}
	}
	t.mu.Unlock()
	const shown = 400
	for _, f := range findings {
		t.report(Finding{Finding: f, Session: s.name(), Number: s.number, Message: q.text[:min(len(q.text), shown)]})
	}
}

// text gathers what is to be a message.
type text struct {
	bytes   []byte
	dropped bool // as there was too much of it
}

func (t *text) add(p []byte) {
	if t.dropped || len(t.bytes)+len(p) > maxMessage {
		t.bytes, t.dropped = nil, true
		return
	}
	t.bytes = append(t.bytes, p...)
}

// take gives q the text, or the reason for there being none, and begins anew.
func (t *text) take(q queued) queued {
	q.text = string(bytes.TrimSpace(t.bytes))
	if t.dropped {
		q.unread = tooLong
	}
	t.bytes, t.dropped = t.bytes[:0], false
	return q
}

// splitter is an io.Writer that has each line judged.
type splitter struct {
	tap     *Tap
	session *session
	from    audit.Side
	line    text
}

func (s *splitter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			break
		}
		s.line.add(p[:i])
		s.end()
		p = p[i+1:]
	}
	s.line.add(p)
	return n, nil
}

// end has the line judged that was written, if there is any.
func (s *splitter) end() {
	q := s.line.take(queued{session: s.session, from: s.from})
	if q.text != "" || q.unread != "" {
		s.tap.enqueue(q)
	}
}
