// Package audit follows what a client and a server say to each other, and tells what
// of it breaks the protocol: messages that their revision does not allow, and messages
// that it allows elsewhere, at another time or of another side.
//
// The words: a finding is a problem or a note, which is worth a line and breaks
// nothing; a rule is what a problem breaks; the side of a message is who sent it.
package audit

import (
	"fmt"
	"sync"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Side is one of the two that talk.
type Side string

// The sides. Unknown is that of a message of which only its content is known.
const (
	Unknown Side = ""
	Client  Side = "client"
	Server  Side = "server"
)

// other returns who a side talks to.
func (s Side) other() Side {
	switch s {
	case Client:
		return Server
	case Server:
		return Client
	}
	return Unknown
}

// Rule is what a message breaks.
type Rule string

// The rules, beside the schema's.
const (
	Schema     Rule = "schema"     // the message is one of the revision
	Lifecycle  Rule = "lifecycle"  // initialize comes first, and once
	Method     Rule = "method"     // the revision has the method, for this side to send
	ID         Rule = "id"         // ids are not used again, and answers have a request
	Capability Rule = "capability" // what is used has been declared
	Progress   Rule = "progress"   // it is asked for, and increases
	Cancelling Rule = "cancel"     // a side cancels requests of its own that are under way
	Logging    Rule = "logging"    // messages are of the level that was set
	Subscribed Rule = "subscribe"  // updates are of resources that were subscribed to
	Transport  Rule = "transport"  // what goes with a message over HTTP fits it
)

// Finding is a problem, or a note on what is none.
type Finding struct {
	// Line counts from the first line of the message, 0.
	Line int
	// Pointer is the JSON Pointer of the value.
	Pointer string
	Problem string
	Note    bool
	Rule    Rule
	// From is who sent the message, as far as that is known.
	From Side
}

// Options say how a session is judged.
type Options struct {
	// Revision judges all messages. Nil is the one that the session negotiates.
	Revision *generated.Revision
	// Lenient makes notes of what a receiver can decode.
	Lenient bool
	// Roundtrip demands that a message that is decoded and encoded again is the same.
	Roundtrip bool
	// OwnMethods makes a problem of a method that only other revisions have, which in a
	// session it is anyway.
	OwnMethods bool
	// Unordered says that messages may have overtaken each other, as those on several
	// streams of HTTP do: what may be due to that is a note.
	Unordered bool
}

// Session is one session, judged from its first message on. Where that is not
// initialize, the messages are not those of a session: each is judged for itself.
type Session struct {
	opts     Options
	revision generated.Revision
	methods  map[string]*runtime.Method
	known    map[string]bool // methods of any revision

	begun, rules bool
	phase        phase
	capabilities map[Side]wire.Object
	used         map[Side]*ids
	pending      map[wire.Scalar][]*request
	tokens       map[Side]map[wire.Scalar]*token
	level        int
	subscribed   map[string]bool
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
		capabilities: map[Side]wire.Object{},
		used:         map[Side]*ids{Client: newIDs(), Server: newIDs()},
		pending:      map[wire.Scalar][]*request{},
		tokens:       map[Side]map[wire.Scalar]*token{Client: {}, Server: {}},
		level:        -1,
		subscribed:   map[string]bool{},
	}
	if opts.Revision != nil {
		s.speak(*opts.Revision)
	} else {
		all := generated.Revisions()
		s.speak(all[len(all)-1])
	}
	return s
}

// Revision is the revision by which the next message will be judged.
func (s *Session) Revision() string { return s.revision.ID }

// Recorded reports whether the messages are those of a session, from its beginning.
func (s *Session) Recorded() bool { return s.rules }

// Negotiated is the revision that the two sides have agreed on, or "".
func (s *Session) Negotiated() string {
	if !s.rules || s.phase < answered {
		return ""
	}
	return s.revision.ID
}

func (s *Session) speak(revision generated.Revision) {
	s.revision = revision
	s.methods = map[string]*runtime.Method{}
	for i := range revision.Methods {
		s.methods[revision.Methods[i].Name] = &revision.Methods[i]
	}
}

// negotiated has the session go on in a revision.
func (s *Session) negotiated(c *check, version wire.Raw, pointer string) {
	if s.opts.Revision != nil || version.Kind() != wire.KindString {
		return
	}
	id := text(version)
	revision, ok := generated.Lookup(id)
	if !ok {
		c.note(pointer, 0, fmt.Sprintf("revision %q is not known: messages are judged as of %s", id, s.revision.ID))
		return
	}
	s.speak(revision)
}

// Message judges the next message, or batch of messages.
func (s *Session) Message(from Side, src string) []Finding {
	if !s.begun {
		s.begun = true
		m, err := jsonrpc.Parse(src)
		s.rules = err == nil && m.Kind == jsonrpc.Request && m.Method == "initialize"
	}
	c := &check{lenient: s.opts.Lenient, roundtrip: s.opts.Roundtrip, src: src, from: from}
	c.message(s)
	return c.findings
}

// Value judges a value of a definition of the revision.
func Value(revision generated.Revision, definition, src string, opts Options) []Finding {
	c := &check{lenient: opts.Lenient, roundtrip: opts.Roundtrip, src: src}
	c.value(revision, definition, src, "", 0)
	return c.findings
}

// late is a problem, unless it may come of messages that overtook each other.
func (s *Session) late(c *check, rule Rule, pointer string, base int, format string, args ...any) {
	if s.opts.Unordered {
		c.note(pointer, base, fmt.Sprintf(format, args...))
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

// side returns who may have sent a message of the method, if only one side may.
func sender(m *runtime.Method) Side {
	switch m.Direction {
	case runtime.ToServer:
		return Client
	case runtime.ToClient:
		return Server
	}
	return Unknown
}
