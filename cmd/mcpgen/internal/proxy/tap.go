// Package proxy forwards every byte between a client and a server unchanged, and has the
// messages recorded and checked.
//
// Messages are copied as they pass, recorded at once, and checked by one goroutine in the order
// in which they passed, so that neither side waits for a check. A message is queued before its
// last byte is forwarded, so that an answer is never checked before its request.
package proxy

import (
	"bytes"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
)

// Finding is a finding of the audit with the beginning of its message.
type Finding struct {
	audit.Finding
	Message string
}

// maxMessage limits the size of a message. A longer one is forwarded without a check.
const maxMessage = 64 << 20

// The reasons why a message is not checked.
const (
	tooLong    = "a message of more than 64 MiB is not checked"
	compressed = "a compressed message is not checked"
)

// Tap records and checks messages. It is safe for concurrent use.
type Tap struct {
	report   func(Finding)
	record   *recording.Writer // nil without a recording
	redactor *recording.Redactor
	audit    *audit.Recording
	queue    chan recording.Entry
	done     chan struct{}

	exchanges atomic.Int64

	mu     sync.Mutex // held while an entry is recorded and queued
	closed bool
	line   int // of the recording

	counting sync.Mutex
	counts   Counts
}

// Counts are the numbers of messages and findings.
type Counts struct {
	Messages int
	audit.Tally
}

// NewTap returns a tap that calls report for each finding. If record is not nil, the tap
// records into it. The redactor replaces secrets in both.
func NewTap(opts audit.Options, redactor *recording.Redactor, record *recording.Writer, report func(Finding)) *Tap {
	opts.Live = true
	t := &Tap{
		report: report, record: record, redactor: redactor, audit: audit.NewRecording(opts),
		queue: make(chan recording.Entry, 1024), done: make(chan struct{}), line: 1,
	}
	go func() {
		defer close(t.done)
		for e := range t.queue {
			t.tell(t.audit.Entry(e), e)
		}
		t.tell(t.audit.Close(), recording.Entry{})
	}()
	return t
}

// Close waits until all messages are checked. Later messages are ignored.
func (t *Tap) Close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	close(t.queue)
	<-t.done
}

// add records an entry and queues it for the check. It waits while the queue is full.
func (t *Tap) add(e recording.Entry) {
	e.Time = time.Now()
	var clean recording.Entry
	if t.record != nil {
		clean, _ = t.redactor.Entry(e)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.line++
	e.Line = t.line
	if t.record != nil {
		t.record.Write(clean)
	}
	t.queue <- e
}

// Counts returns the numbers so far.
func (t *Tap) Counts() Counts {
	t.counting.Lock()
	defer t.counting.Unlock()
	return t.counts
}

// tell counts and reports the findings of an entry.
func (t *Tap) tell(findings []audit.Finding, e recording.Entry) {
	t.counting.Lock()
	t.counts.Messages = t.audit.Counts().Messages
	for _, f := range findings {
		t.counts.Add(f)
	}
	t.counting.Unlock()
	if len(findings) == 0 {
		return
	}
	const shown = 400
	e, secrets := t.redactor.Entry(e)
	for _, f := range findings {
		f.Problem = secrets.Replace(f.Problem)
		t.report(Finding{f, e.Text[:min(len(e.Text), shown)]})
	}
}

// text collects the bytes of a message.
type text struct {
	bytes   []byte
	dropped bool // why the message is too large or unreadable, or ""
}

func (t *text) add(p []byte) {
	if t.dropped || len(t.bytes)+len(p) > maxMessage {
		t.bytes, t.dropped = nil, true
		return
	}
	t.bytes = append(t.bytes, p...)
}

// take sets the text of e, or the reason why there is none, and starts a new message.
func (t *text) take(e recording.Entry) recording.Entry {
	e.Text = string(bytes.TrimSpace(t.bytes))
	if t.dropped {
		e.Unread = tooLong
	}
	t.bytes, t.dropped = t.bytes[:0], false
	if cap(t.bytes) > 1<<20 {
		t.bytes = nil
	}
	return e
}

// splitter is an io.Writer that passes each line on to be checked.
type splitter struct {
	tap  *Tap
	from audit.Side
	line text
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

// end passes on an incomplete last line.
func (s *splitter) end() {
	e := s.line.take(recording.Entry{Kind: recording.Message, From: s.from, Transport: recording.Stdio})
	if e.Text != "" || e.Unread != "" {
		s.tap.add(e)
	}
}
