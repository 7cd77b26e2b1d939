package convert

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Loss is a part of a value that a conversion did not keep as it was.
type Loss struct {
	// Pointer is the JSON Pointer of the part, in the value before the conversion.
	Pointer string
	// Reason says why the part was lost, and what replaces it, if anything.
	Reason string
}

// String returns the pointer and the reason in one line.
func (l Loss) String() string { return l.Pointer + ": " + l.Reason }

// Error reports that a value cannot be converted.
type Error struct {
	// Pointer is the JSON Pointer of the part that cannot be converted.
	Pointer string
	Reason  string
}

// Error returns the pointer and the reason in one line.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return "convert: " + e.Reason
	}
	return "convert: at " + e.Pointer + ": " + e.Reason
}

// Conversion is the state of converting one value. The zero Conversion is ready to use.
type Conversion struct {
	// Facts, if not nil, returns a fact about the session in terms of a revision, or "" if it is
	// not known. The facts are those of [KnownFacts].
	Facts func(fact, revision string) wire.Raw

	shapes []Shape  // of the step and the direction
	to     string   // the revision that the step converts to
	path   []string // from the whole value to the current one
	losses []Loss
	err    *Error

	changed bool // the value of the step differs from what it was made of

	bridge *bridge // has the facts if Facts is nil; nil for none
	ctx    context.Context
	few    [4]string // the first names of path, so that most paths take no allocation
}

// Losses returns the parts that were not kept, in the order in which they were met.
func (c *Conversion) Losses() []Loss { return c.losses }

// Err returns nil, or an [*Error] with the first reason why the value cannot be converted.
func (c *Conversion) Err() error {
	if c.err == nil {
		return nil
	}
	return c.err
}

// Lose records that the current value, or the value below it at a path of names, is lost.
func (c *Conversion) Lose(reason string, names ...string) {
	c.losses = append(c.losses, Loss{c.pointer(names), reason})
}

// Refuse records that the current value, or the value below it at a path of names, cannot
// be converted.
func (c *Conversion) Refuse(reason string, names ...string) {
	if c.err == nil {
		c.err = &Error{c.pointer(names), reason}
	}
}

// The facts about a session that a value may contain in one revision and not in another.
const (
	ProtocolVersion    = "protocolVersion" // the revision of the session
	ClientCapabilities = "clientCapabilities"
	ClientInfo         = "clientInfo"
	ServerInfo         = "serverInfo"
)

// KnownFacts returns the facts with the definitions of their values, "" for a string.
func KnownFacts() map[string]string {
	return map[string]string{
		ProtocolVersion: "", ClientCapabilities: "ClientCapabilities", ClientInfo: "Implementation", ServerInfo: "Implementation",
	}
}

// fact returns a fact about the session. Without a session, the version is that of the value
// and the client has no capabilities.
func (c *Conversion) fact(name string) wire.Raw {
	switch {
	case c.Facts != nil:
		return c.Facts(name, c.to)
	case c.bridge != nil:
		return c.bridge.fact(c.ctx, name, c.to)
	}
	switch name {
	case ProtocolVersion:
		return quote(c, c.to)
	case ClientCapabilities:
		return "{}"
	}
	return ""
}

func (c *Conversion) pointer(names []string) string {
	var p []byte
	for _, name := range c.path {
		p = wire.AppendPointer(p, name)
	}
	for _, name := range names {
		p = wire.AppendPointer(p, name)
	}
	return string(p)
}

// Options configure the conversion of messages. The zero value is ready to use.
type Options struct {
	// Lost, if not nil, is called for each loss before the message is sent or handled. It is
	// called concurrently. For a list that is kept for later requests it is called once.
	Lost func(ctx context.Context, r Report)
}

// Report describes a loss.
type Report struct {
	From, To string // revisions
	Method   string // "" for capabilities
	// Item is the name or the URI of the item in a list, or "" if the loss is in params or in
	// a result.
	Item string
	Loss
}

// String returns the place and the reason in one line.
func (r Report) String() string {
	if r.Item == "" {
		return r.Method + r.Loss.String()
	}
	return r.Method + " " + r.Item + r.Loss.String()
}

func (o *Options) report(ctx context.Context, r Report, losses []Loss) {
	if o.Lost == nil {
		return
	}
	for _, l := range losses {
		r.Loss = l
		o.Lost(ctx, r)
	}
}

// itemKey returns the name or the URI of an item in a list, or "".
func itemKey(definition string, item wire.Appender) string {
	o, _ := item.(wire.Object)
	switch definition {
	case "Tool", "Prompt":
		return o.GetString("name")
	case "Resource":
		return o.GetString("uri")
	case "ResourceTemplate":
		return o.GetString("uriTemplate")
	}
	return ""
}

// RevisionError reports that a request was not sent because the revision of the session
// cannot express it.
type RevisionError struct {
	Revision, Method string
	Err              *Error
}

// Error returns the reason in one line.
func (e *RevisionError) Error() string {
	text := fmt.Sprintf("cannot send %s in revision %s: ", e.Method, e.Revision)
	if e.Err.Pointer != "" {
		text += "at " + e.Err.Pointer + ": "
	}
	return text + e.Err.Reason
}

// Unwrap returns the reason.
func (e *RevisionError) Unwrap() error { return e.Err }

// differing names the members by which the objects of a definition differ between two revisions. Objects that
// have none of them are the same in both, except for what the runtime adds. Nil stands for a definition for
// which that is not so. Without it, a call without a session takes a twentieth longer.
type differing []string

// keeps reports whether a value is certain to be the same in both revisions.
func (names differing) keeps(v wire.Appender) bool {
	known, ok := v.(runtime.KnownMembers)
	return ok && names != nil && !slices.ContainsFunc(names, known.MayHave)
}

// addedToResults is what the runtime adds to complete results of stateless requests.
const addedToResults = `"resultType":"complete"`

// differing compares a definition in two revisions, without facts about a session.
func (t *Table) differing(from, to int, definition string) differing {
	var c Conversion
	names, text := differing{}, wire.Raw("{}") // text is the object without members
	alone := (&runtime.Binding{Methods: t.Revisions[to].Methods}).Stateless()
	for from != to {
		step, d, err := t.step(from, to, func(int) string { return definition })
		if err != nil {
			return nil
		}
		if rule := step.begin(&c, d, from < to); rule != Keep {
			s := &c.shapes[rule]
			if !s.plain() {
				return nil
			}
			for i := range s.Members {
				m := &s.Members[i]
				if m.Rewrite != nil && has(text, m.Name) { // it may depend on the rest of the object
					return nil
				}
				names = append(names, m.Name)
			}
		}
		if text, err = step.Convert(&c, d, from < to, text); err != nil || len(c.losses) > 0 {
			return nil
		}
		from = toward(from, to)
	}
	if text != "{}" && (!alone || text != "{"+addedToResults+"}") {
		return nil
	}
	return names
}

// differences has the definitions that were compared with those of a revision so far.
type differences struct {
	known atomic.Pointer[map[string]differing]
}

// of returns the differences of a definition. Two goroutines may both find them.
func (k *differences) of(t *Table, from, to int, definition string) differing {
	known := k.known.Load()
	if known != nil {
		if names, ok := (*known)[definition]; ok {
			return names
		}
	}
	names := t.differing(from, to, definition)
	next := map[string]differing{definition: names}
	if known != nil {
		maps.Copy(next, *known)
	}
	k.known.Store(&next)
	return names
}

// escaped is the beginning of every escape sequence that can stand for a character of a member's name.
const escaped = `\u00`

// plain reports whether the values of a shape can only differ in the members that it names.
func (s *Shape) plain() bool {
	return s.Known == nil && s.Each == Keep && s.Cases == nil && s.Checks == nil &&
		!slices.ContainsFunc(s.Members, func(m Member) bool { return m.Always })
}

// lackedBy reports whether text is certain to be an object without the members that the shape names.
func (s *Shape) lackedBy(text []byte) bool {
	return s.plain() && len(text) >= 2 && text[0] == '{' && !bytes.Contains(text, []byte(escaped)) &&
		!slices.ContainsFunc(s.Members, func(m Member) bool { return bytes.Contains(text, []byte(m.Name)) })
}
