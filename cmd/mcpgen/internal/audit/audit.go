// Package audit follows what a client and a server say to each other, and finds what
// breaks the protocol: messages that their revision does not allow, and messages that it
// allows elsewhere, at another time or from the other side.
//
// The words: a rule is a row of [Rules]; a finding is a rule that was broken, or a note; a
// [Recording] judges entries of a recording, a [Session] those of one session.
package audit

import (
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

// Side is one of the two that talk.
type Side = recording.Side

// The sides. Unknown is the side of a message of which only the content is known.
const (
	Unknown = recording.Unknown
	Client  = recording.Client
	Server  = recording.Server
)

// Finding is a rule that was broken, or a note.
type Finding struct {
	Rule  Rule
	Level Level
	// Line counts from the first line of the message, 0.
	Line int
	// Pointer is the JSON Pointer of the value.
	Pointer string
	Problem string
	// From is the side that sent the message, as far as that is known.
	From Side
	// Session names the session over HTTP. Number counts its messages from 1.
	Session string
	Number  int
	// Place is the line of the recording in which the message begins.
	Place int
}

// Options say how a session is judged.
type Options struct {
	// Revision judges all messages. Nil is the revision that the session negotiates.
	Revision *generated.Revision
	// Lenient makes notes of what a receiver can decode although the schema forbids it.
	Lenient bool
	// Roundtrip demands that a message that is decoded and encoded again is the same.
	Roundtrip bool
	// Undeclared reports members that the session's revision does not define.
	Undeclared bool
	// OwnMethods reports a method that only other revisions have also in messages that are
	// no session.
	OwnMethods bool
	// Unordered says that messages may have overtaken each other, as messages on several
	// streams of HTTP do: what may be due to that is a note.
	Unordered bool
	// Live judges each entry when it comes. Otherwise the first ones wait for initialize.
	Live bool
}

// Session is one session. Without an initialize among its messages the rules between
// messages hold as far as they can be told.
type Session struct {
	opts     Options
	revision generated.Revision
	methods  map[string]*runtime.Method
	known    map[string]bool // methods of any revision
	schemas  *schemas

	whole    bool // initialize is among the messages
	recorded bool // the sides of messages are known
	shared   bool // several clients without session ids may be mixed
	crossing bool // the current message may have overtaken others
	replay   bool // the current message is on a stream that resumes another

	phase                          phase
	owes                           int // the line of a message before which notifications/initialized is missing
	owesNumber                     int
	requestedVersion, givenVersion string
	capabilities                   map[Side]wire.Object
	used                           map[Side]*ids
	replayed                       *ids // ids of requests that came again on a stream that was resumed
	open                           *requests
	lately                         []answer // the last ones with a time
	tokens                         map[Side]map[wire.Scalar]*token
	level                          int
	leveled                        time.Time // when the level was set
	subscribed                     map[string]bool
	lists                          map[string]*listing
	tools                          map[string]*tool
	prompts                        map[string][]string // the arguments that each requires
	tasks                          map[string]*task
	elicited                       map[uint64]bool
	roots                          rootsSeen

	name   string
	number int
	line   int // of the current entry
	now    time.Time
	http   httpState
}

// phase is how far a session has come.
type phase int

const (
	silent      phase = iota
	asked             // initialize is under way
	answered          // and has been answered
	operational       // the client has said so
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

// NewSession returns a session of which no message is known yet.
func NewSession(opts Options) *Session {
	s := &Session{
		opts:         opts,
		known:        knownMethods(),
		schemas:      newSchemas(),
		capabilities: map[Side]wire.Object{},
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
		all := generated.Revisions()
		s.speak(all[len(all)-1])
	}
	return s
}

// Revision returns the revision by which the next message will be judged.
func (s *Session) Revision() string { return s.revision.ID }

// negotiatedVersion returns the revision that the two sides have agreed on, or "".
func (s *Session) negotiatedVersion() string {
	if !s.whole || s.phase < answered {
		return ""
	}
	return s.revision.ID
}

// follows reports whether rules between messages hold: not for messages that have
// nothing to do with each other.
func (s *Session) follows() bool { return s.whole || s.recorded }

// since reports whether the session's revision is a given one or newer.
func (s *Session) since(revision string) bool { return s.revision.ID >= revision }

func (s *Session) speak(revision generated.Revision) {
	s.revision = revision
	s.methods = map[string]*runtime.Method{}
	for i := range revision.Methods {
		s.methods[revision.Methods[i].Name] = &revision.Methods[i]
	}
}

// negotiated has the session go on in a revision.
func (s *Session) negotiated(c *check, version wire.Raw, pointer string) {
	if version.Kind() != wire.KindString {
		return
	}
	id := text(version)
	if !isDate(id) {
		c.breaks("version-form", pointer, 0, "%q is no protocol version, which is a date of the form YYYY-MM-DD", id)
		return
	}
	revision, ok := generated.Lookup(id)
	switch {
	case s.opts.Revision != nil:
	case ok:
		s.speak(revision)
	default:
		c.note("revision-unknown", pointer, 0, "revision %q is not known: messages are judged as of %s", id, s.revision.ID)
	}
}

func isDate(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil
}

// Message judges the next message, or batch of messages.
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

// opens reports whether a message is initialize, or a batch with it.
func opens(src string) bool {
	if !strings.Contains(src, `"initialize"`) {
		return false
	}
	if jsonrpc.IsBatch(src) {
		items, _ := jsonrpc.ParseBatch(src, 1000)
		return slices.ContainsFunc(items, func(i jsonrpc.Item) bool { return i.Kind == jsonrpc.Request && i.Method == "initialize" })
	}
	m, err := jsonrpc.Parse(src)
	return err == nil && m.Kind == jsonrpc.Request && m.Method == "initialize"
}

// Value judges a value of a definition of the revision.
func Value(revision generated.Revision, definition, src string, opts Options) []Finding {
	opts.Revision = &revision
	s := NewSession(opts)
	c := s.begin(Unknown, src)
	c.value(revision, definition, src, "", 0)
	return c.done()
}

// late reports a problem that is due to something at a time before, or a note if messages
// may have overtaken each other since.
func (s *Session) late(c *check, since time.Time, rule Rule, pointer string, base int, format string, args ...any) {
	const reordered = time.Second // at most
	longAgo := !since.IsZero() && s.now.Sub(since) > reordered
	if (s.opts.Unordered || s.crossing) && !longAgo {
		c.note("crossed", pointer, base, "%s", fmt.Sprintf(format, args...))
		return
	}
	c.breaks(rule, pointer, base, format, args...)
}

// text returns the meaning of a value that is a string.
func text(raw wire.Raw) string {
	s, _ := raw.Str()
	return s
}

// member returns a member of params or a result, or "".
func member(raw wire.Raw, path ...string) wire.Raw {
	for _, name := range path {
		raw, _ = wire.Object(raw).Get(name)
	}
	return raw
}

// sender returns who may send a message of the method, if only one side may.
func sender(m *runtime.Method) Side {
	switch m.Direction {
	case runtime.ToServer:
		return Client
	case runtime.ToClient:
		return Server
	}
	return Unknown
}
