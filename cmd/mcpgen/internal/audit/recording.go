package audit

import (
	"slices"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxSessions limits the number of HTTP sessions. Beyond it the oldest session is forgotten,
// because clients need not end their sessions.
const maxSessions = 2000

// The limits of the entries that wait for initialize at the start of a recording.
const (
	maxWaiting      = 1000
	maxWaitingBytes = 8 << 20
)

// Recording checks the entries of a recording in their order, and assigns each one to its
// session.
type Recording struct {
	opts    Options
	only    *Session // the session of entries without HTTP and without a session
	schemas *schemas

	bySession map[string]*Session
	order     []string
	exchanges map[int]*exchange
	oldest    []int

	waiting      []recording.Entry
	waitingBytes int
	waited       bool

	plain  bool // messages stand alone
	prefix bool // messages follow other text, as in a log
	lines  []recording.Entry
	count  Counts
	closed Side
	spoken []string
}

// Counts are the numbers of messages and other lines in a recording.
type Counts struct {
	Messages int // messages that were checked
	Others   int // lines that are not messages
	First    int // the first line that is not a message, or 0
}

// NewRecording returns a recording without entries.
func NewRecording(opts Options) *Recording {
	return &Recording{opts: opts, schemas: newSchemas(), bySession: map[string]*Session{}, exchanges: map[int]*exchange{}}
}

// Counts returns the numbers so far.
func (r *Recording) Counts() Counts { return r.count }

// Revisions returns the revisions that messages were checked against, in the order of use.
func (r *Recording) Revisions() []string {
	r.speaks(r.only)
	return r.spoken
}

func (r *Recording) speaks(s *Session) {
	if s == nil {
		return
	}
	for _, revision := range s.Revisions() {
		if !slices.Contains(r.spoken, revision) {
			r.spoken = append(r.spoken, revision)
		}
	}
}

// Entry checks an entry. Unless Options.Live is set, it returns the findings of the first
// entries only after initialize, or once too many entries wait.
func (r *Recording) Entry(e recording.Entry) []Finding {
	if r.opts.Live || r.waited || e.Exchange != 0 {
		return r.judge(e)
	}
	r.waiting = append(r.waiting, e)
	r.waitingBytes += len(e.Text)
	switch {
	case opens(e.Text):
		r.session().whole = true
		if len(r.waiting) > 1 {
			r.anticipate(e)
		}
	case begins(e.Text):
	case len(r.waiting) < maxWaiting && r.waitingBytes < maxWaitingBytes:
		return nil
	}
	return r.flush()
}

// anticipate checks the messages before initialize against the revision that it requests.
func (r *Recording) anticipate(e recording.Entry) {
	s := r.session()
	if s.opts.Revision != nil {
		return
	}
	if revision, ok := generated.Lookup(text(member(wire.Raw(e.Text), "params", "protocolVersion"))); ok {
		s.speak(revision)
	}
}

// flush checks the waiting entries.
func (r *Recording) flush() []Finding {
	r.waited = true
	var findings []Finding
	for _, e := range r.waiting {
		findings = append(findings, r.judge(e)...)
	}
	r.waiting = nil
	return findings
}

// session returns the session of entries that name none.
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

// message checks the message of an entry.
func (r *Recording) message(s *Session, x *exchange, e recording.Entry) []Finding {
	s.line, s.now = e.Line, e.Time
	if e.Unread != "" {
		s.unread = true
		c := s.begin(e.From, "")
		c.note("unjudged", "", "%s", e.Unread)
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

// other handles a line that is not a message. Among plain messages it is text that a peer
// wrote; in a log it is an unrelated line.
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

// begun decides at the first message what the lines before it are.
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

// Close ends the recording. It returns the findings of waiting entries and of open requests.
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
	if s.assumed && !s.whole && s.opts.Revision == nil {
		f := Finding{Rule: "no-initialize", Level: Note, Session: s.name, Place: 1}
		f.Problem = "no initialize: messages are checked against " + s.revision.ID + "; use --revision for another"
		findings = append([]Finding{f}, findings...)
	}
	return findings
}
