package audit

import (
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxSessions is how many sessions over HTTP are followed at once; one more and the oldest
// is forgotten, so that clients that never end theirs do not fill the memory.
const maxSessions = 2000

// waiting bounds what waits for initialize at the beginning of a recording.
const (
	maxWaiting      = 1000
	maxWaitingBytes = 8 << 20
)

// Recording judges the entries of a recording, in their order. It finds out which session
// each belongs to.
type Recording struct {
	opts    Options
	only    *Session // all that came neither over HTTP nor with a session
	schemas *schemas

	bySession map[string]*Session
	order     []string
	exchanges map[int]*exchange
	oldest    []int

	waiting      []recording.Entry
	waitingBytes int
	waited       bool

	plain  bool // messages have nothing beside them
	prefix bool // messages have: other lines are those of a log
	lines  []recording.Entry
	count  Counts
	closed Side
	spoken []string
}

// Counts says what a recording holds.
type Counts struct {
	Messages int // that were judged
	Others   int // lines that are no messages
	First    int // the line of the first of them
}

// NewRecording returns a recording without entries.
func NewRecording(opts Options) *Recording {
	return &Recording{opts: opts, schemas: newSchemas(), bySession: map[string]*Session{}, exchanges: map[int]*exchange{}}
}

// Counts returns what has come so far.
func (r *Recording) Counts() Counts { return r.count }

// Revisions returns the revisions by which messages were judged, in their order.
func (r *Recording) Revisions() []string {
	r.speaks(r.only)
	return r.spoken
}

func (r *Recording) speaks(s *Session) {
	if s == nil {
		return
	}
	for _, known := range r.spoken {
		if known == s.Revision() {
			return
		}
	}
	r.spoken = append(r.spoken, s.Revision())
}

// Entry judges an entry. Unless the options say Live, the findings of the first entries
// are returned once initialize has come, or there are too many to wait.
func (r *Recording) Entry(e recording.Entry) []Finding {
	if r.opts.Live || r.waited || e.Exchange != 0 {
		return r.judge(e)
	}
	r.waiting = append(r.waiting, e)
	r.waitingBytes += len(e.Text)
	switch begun := opens(e.Text); {
	case begun:
		r.session().whole = true
		if len(r.waiting) > 1 {
			r.anticipate(e)
		}
	case len(r.waiting) < maxWaiting && r.waitingBytes < maxWaitingBytes:
		return nil
	}
	return r.flush()
}

// anticipate judges what came before initialize by the revision that it asks for.
func (r *Recording) anticipate(e recording.Entry) {
	s := r.session()
	if s.opts.Revision != nil {
		return
	}
	if revision, ok := generated.Lookup(text(member(wire.Raw(e.Text), "params", "protocolVersion"))); ok {
		s.speak(revision)
	}
}

// flush judges what has waited.
func (r *Recording) flush() []Finding {
	r.waited = true
	var findings []Finding
	for _, e := range r.waiting {
		findings = append(findings, r.judge(e)...)
	}
	r.waiting = nil
	return findings
}

// session returns the session of entries that say nothing of one.
func (r *Recording) session() *Session {
	if r.only == nil {
		r.only = r.newSession("")
	}
	return r.only
}

func (r *Recording) newSession(name string) *Session {
	s := NewSession(r.opts)
	s.schemas, s.name = r.schemas, name
	return s
}

func (r *Recording) judge(e recording.Entry) []Finding {
	switch {
	case e.Kind == recording.Log:
		return r.other(e)
	case e.Kind == recording.Close:
		if r.closed == Unknown {
			r.closed = e.From
			r.session().now = e.Time
		}
		return nil
	case e.Exchange != 0:
		return r.http(e)
	}
	findings := r.begun(e)
	s := r.session()
	if e.Session != "" {
		s = r.named(e.Session)
	}
	return append(findings, r.message(s, nil, e)...)
}

// message judges the message of an entry.
func (r *Recording) message(s *Session, x *exchange, e recording.Entry) []Finding {
	s.line, s.now = e.Line, e.Time
	if e.Unread != "" {
		c := s.begin(e.From, "")
		c.note("unjudged", "", 0, "%s", e.Unread)
		return c.done()
	}
	r.count.Messages++
	c := s.begin(e.From, e.Text)
	c.stdio = e.Transport == recording.Stdio
	c.exchange = x
	s.whole = s.whole || opens(e.Text)
	c.message(s)
	return c.done()
}

// other counts a line that is no message. Amid messages that stand for themselves it is
// text that a peer wrote; in a log it is a line about something else.
func (r *Recording) other(e recording.Entry) []Finding {
	r.count.Others++
	if r.count.First == 0 {
		r.count.First = e.Line
	}
	switch {
	case r.plain:
		return r.message(r.session(), nil, e)
	case !r.prefix && len(r.lines) < 20:
		r.lines = append(r.lines, e)
	}
	return nil
}

// begun decides by the first message what the lines before it are.
func (r *Recording) begun(e recording.Entry) []Finding {
	if r.plain || r.prefix {
		return nil
	}
	r.plain, r.prefix = e.Plain, !e.Plain
	var findings []Finding
	for _, line := range r.lines {
		if r.plain {
			findings = append(findings, r.message(r.session(), nil, line)...)
		}
	}
	r.lines = nil
	return findings
}

// Close ends the recording. It returns what has waited, and what is left open.
func (r *Recording) Close() []Finding {
	findings := r.flush()
	if r.only != nil {
		findings = append(findings, r.end(r.only)...)
	}
	for _, key := range r.order {
		if s := r.bySession[key]; s != nil {
			findings = append(findings, r.end(s)...)
			delete(r.bySession, key)
		}
	}
	return findings
}

func (r *Recording) end(s *Session) []Finding {
	r.speaks(s)
	findings := s.Close(r.closed)
	if !s.whole && s.number > 0 && s.opts.Revision == nil {
		f := Finding{Rule: "no-initialize", Level: Note, Session: s.name, Place: 1}
		f.Problem = "there is no initialize: messages are judged by " + s.revision.ID + ", unless --revision says another"
		findings = append([]Finding{f}, findings...)
	}
	return findings
}
