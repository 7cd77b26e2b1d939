// Package audit checks the messages between a client and a server against the protocol: the
// schema of the revision, and the rules that depend on earlier messages, the sender or the
// transport.
//
// A rule is a row of [Rules]. A finding is a broken rule or a note. A [Recording] checks the
// entries of a recording, and a [Session] checks the messages of one session.
package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Side is the client or the server.
type Side = recording.Side

// The sides. Unknown is the sender of a message that nothing attributes to a side.
const (
	Unknown = recording.Unknown
	Client  = recording.Client
	Server  = recording.Server
)

// Finding is a broken rule or a note.
type Finding struct {
	Rule  Rule
	Level Level
	// Line is the line of the value within the message, counted from 0.
	Line int
	// Pointer is the JSON Pointer of the value.
	Pointer string
	Problem string
	// From is the sender of the message, or Unknown.
	From Side
	// Session names the session over HTTP. Number counts the messages of the session from 1.
	Session string
	Number  int
	// Place is the line of the recording where the message begins.
	Place int
}

// String returns the level, the place and the problem of a finding, and its rule.
func (f Finding) String() string {
	pointer := f.Pointer
	if pointer != "" {
		pointer += ": "
	}
	return fmt.Sprintf("%s: %s%s [%s]", f.Level, pointer, f.Problem, f.Rule)
}

// Tally counts findings by their levels.
type Tally struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
}

// Add counts a finding.
func (t *Tally) Add(f Finding) {
	switch f.Level {
	case Must:
		t.Errors++
	case Should:
		t.Warnings++
	default:
		t.Notes++
	}
}

// Reaches reports whether there is a finding of a level, Must or Should, or of a more severe one.
func (t Tally) Reaches(l Level) bool { return t.Errors > 0 || l == Should && t.Warnings > 0 }

// Options control how a session is checked.
type Options struct {
	// Revision is the revision for all messages. If nil, it is the one that the session
	// negotiates.
	Revision *generated.Revision
	// Extensions are those whose messages are known. If nil, they are those with generated code.
	Extensions *Extensions
	// Lenient reports as notes what a receiver can decode although the schema forbids it.
	Lenient bool
	// Roundtrip requires that a message stays the same when it is decoded and encoded again.
	Roundtrip bool
	// Undeclared reports members that the session's revision does not define.
	Undeclared bool
	// OwnMethods reports methods that only other revisions have, even in messages that are not
	// part of a session.
	OwnMethods bool
	// Unordered says that messages may have overtaken each other, as they can on several HTTP
	// streams. Findings that this could explain become notes.
	Unordered bool
	// Live checks each entry at once. Otherwise the first entries wait for initialize.
	Live bool
}

// Session checks the messages of one session. Without initialize, the rules between messages
// are checked as far as possible.
type Session struct {
	opts       Options
	extensions *Extensions
	revision   generated.Revision
	methods    map[string]*runtime.Method
	known      map[string]bool // the methods of any revision
	schemas    *schemas

	modern    generated.Revision // the last stateless revision that a request has named
	named     []string           // the stateless revisions that requests have named
	stateless bool               // the current message is of a stateless revision
	assumed   bool               // a message was checked against a revision that nothing names

	whole    bool // the messages include initialize
	unread   bool // a message was not read, which may be the request of any response
	recorded bool // the sender of each message is known
	shared   bool // messages of several clients without session ids may be mixed
	crossing bool // the current message may have overtaken others
	replay   bool // the current message is on a stream that resumes another

	phase                          phase
	owes                           int // the first line before which notifications/initialized is missing
	owesNumber                     int
	requestedVersion, givenVersion string
	capabilities                   map[Side]wire.Object
	perRequest                     map[Side]wire.Object // the capabilities of the current stateless message
	undiscovered                   int                  // the line of a server/discover that the server does not know
	served                         bool                 // the server has answered a stateless request
	supported                      []string             // the versions that a stateless server supports
	rounds                         rounds
	used                           map[Side]*ids
	replayed                       *ids // ids of requests that were replayed on a resumed stream
	open                           *requests
	lately                         []answer // the last answers with a known time
	tokens                         map[Side]map[wire.Scalar]*token
	level                          int
	leveled                        time.Time // when the level was set
	subscribed                     map[string]bool
	lists                          map[string]*listing
	tools                          map[string]*tool
	prompts                        map[string][]string // the required arguments of each prompt
	tasks                          map[string]*task
	elicited                       map[uint64]bool
	roots                          rootsSeen

	name   string
	number int
	line   int // of the current entry
	now    time.Time
	http   httpState
}

// phase is the progress of a session's handshake.
type phase int

const (
	silent      phase = iota
	asked             // initialize was sent
	answered          // initialize was answered
	operational       // notifications/initialized was sent
)

// knownMethods are the methods of all revisions.
var knownMethods = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for _, r := range generated.Revisions() {
		for _, m := range r.Methods {
			known[m.Name] = true
		}
	}
	return known
})

// NewSession returns a session without messages.
func NewSession(opts Options) *Session {
	s := &Session{
		opts:         opts,
		extensions:   cmp.Or(opts.Extensions, knownExtensions()),
		known:        knownMethods(),
		schemas:      newSchemas(),
		capabilities: map[Side]wire.Object{},
		perRequest:   map[Side]wire.Object{},
		used:         map[Side]*ids{Client: newIDs(), Server: newIDs()},
		replayed:     newIDs(),
		open:         newRequests(),
		tokens:       map[Side]map[wire.Scalar]*token{Client: {}, Server: {}},
		level:        -1,
		subscribed:   map[string]bool{},
		lists:        map[string]*listing{},
		tools:        map[string]*tool{},
		prompts:      map[string][]string{},
		tasks:        map[string]*task{},
		elicited:     map[uint64]bool{},
	}
	if opts.Revision != nil {
		s.speak(*opts.Revision)
	} else {
		s.speak(newest(false))
	}
	return s
}

// Revisions returns the revisions that messages were checked against: the stateless ones, and
// that of the session.
func (s *Session) Revisions() []string {
	if s.opts.Revision == nil && s.number > 0 && !s.whole && !s.assumed && s.modern.ID != "" {
		return s.named
	}
	return append(slices.Clip(s.named), s.revision.ID)
}

// negotiatedVersion returns the negotiated revision, or "".
func (s *Session) negotiatedVersion() string {
	if !s.whole || s.phase < answered {
		return ""
	}
	return s.revision.ID
}

// follows reports whether the rules between messages apply. They do not apply to unrelated
// messages.
func (s *Session) follows() bool { return s.whole || s.recorded || s.modern.ID != "" }

// since reports whether the session's revision is the given one or newer.
func (s *Session) since(revision string) bool { return s.revision.ID >= revision }

func (s *Session) speak(revision generated.Revision) {
	revision = s.extensions.over(revision)
	s.revision, s.methods, s.stateless = revision, methodsOf(revision), stateless(revision)
}

// negotiated switches the session to a revision.
func (s *Session) negotiated(c *check, version wire.Raw, pointer string) {
	if version.Kind() != wire.KindString {
		return
	}
	id := text(version)
	if !isDate(id) {
		c.breaks("version-form", pointer, "protocol version %q is not a date in the form YYYY-MM-DD", id)
		return
	}
	revision, ok := generated.Lookup(id)
	switch {
	case s.opts.Revision != nil:
	case ok:
		s.speak(revision)
	default:
		c.note("revision-unknown", pointer, "unknown revision %q: messages are checked against %s", id, s.revision.ID)
	}
}

func isDate(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil
}

// Message checks the next message or batch of messages.
func (s *Session) Message(from Side, src string) []Finding {
	c := s.begin(from, src)
	if !s.whole && opens(src) {
		s.whole = true
	}
	c.message(s)
	return c.done()
}

// begin returns the check of the next message.
func (s *Session) begin(from Side, src string) *check {
	s.number++
	s.recorded = s.recorded || from != Unknown
	return &check{s: s, lenient: s.opts.Lenient, roundtrip: s.opts.Roundtrip, src: src, from: from}
}

// opens reports whether a message is initialize or a batch that contains it.
func opens(src string) bool {
	if !strings.Contains(src, `"initialize"`) {
		return false
	}
	initializes := func(m jsonrpc.Text) bool {
		return m.Kind == jsonrpc.Request && m.Method == "initialize"
	}
	text := jsonrpc.ParseText(src)
	return text.Err == nil && initializes(text) || slices.ContainsFunc(text.Batch, initializes)
}

// Value checks a value against a definition of the revision.
func Value(revision generated.Revision, definition, src string, opts Options) []Finding {
	opts.Revision = &revision
	s := NewSession(opts)
	c := s.begin(Unknown, src)
	c.value(revision, definition, src, "")
	return c.done()
}

// late reports a problem caused by an event at the given time. It reports a note if messages
// may have overtaken each other since.
func (s *Session) late(c *check, since time.Time, rule Rule, pointer string, format string, args ...any) {
	const reordered = time.Second // at most
	longAgo := !since.IsZero() && s.now.Sub(since) > reordered
	if (s.opts.Unordered || s.crossing) && !longAgo {
		c.note("crossed", pointer, "%s", fmt.Sprintf(format, args...))
		return
	}
	c.breaks(rule, pointer, format, args...)
}

// text returns the decoded value of a JSON string.
func text(raw wire.Raw) string {
	s, _ := raw.Str()
	return s
}

// member returns a member of params or of a result, or "" if it is absent.
func member(raw wire.Raw, path ...string) wire.Raw {
	for _, name := range path {
		raw, _ = wire.Object(raw).Get(name)
	}
	return raw
}

// sender returns the only side that may send a message of the method, or Unknown.
func sender(m *runtime.Method) Side {
	switch m.Direction {
	case runtime.ToServer:
		return Client
	case runtime.ToClient:
		return Server
	}
	return Unknown
}
