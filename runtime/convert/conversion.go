package convert

import (
	"context"
	"fmt"
	"slices"
	"strings"

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

	way             // of the step
	path   []string // from the whole value to the current one
	losses []Loss
	err    *Error

	changed bool // the value of the step differs from what it was made of

	few [4]string // the first names of path, so that most paths take no allocation
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
	protocolVersion    = "protocolVersion" // the revision of the session
	clientCapabilities = "clientCapabilities"
	clientInfo         = "clientInfo"
	serverInfo         = "serverInfo"
)

// KnownFacts returns the facts with the definitions of their values, "" for a string.
func KnownFacts() map[string]string {
	return map[string]string{
		protocolVersion: "", clientCapabilities: "ClientCapabilities", clientInfo: "Implementation", serverInfo: "Implementation",
	}
}

// fact returns a fact about the session. Without a session, the version is that of the value
// and the client has no capabilities.
func (c *Conversion) fact(name string) wire.Raw {
	if c.Facts != nil {
		return c.Facts(name, c.to)
	}
	switch name {
	case protocolVersion:
		return quote(c, c.to)
	case clientCapabilities:
		return "{}"
	}
	return ""
}

func (c *Conversion) pointer(names []string) string {
	return wire.ChildPointer(wire.ChildPointer("", c.path...), names...)
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

func (o *Options) report(ctx context.Context, r Report, losses ...Loss) {
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

// way is the conversion of a step in one direction by one rule.
type way struct {
	shapes []Shape
	rule   Rule
	to     string // the revision that the step converts to
	// supplied means that the runtime adds facts about the session, and the type of a complete result.
	supplied bool
	plain    bool // nothing is added to an object, which is of no union
}

// keeps reports whether a value is certain to be the same, except for what the runtime adds. Most values are, and
// searching a text for a few words is less work than converting it.
func (w *way) keeps(v wire.Raw) bool {
	rule := w.rule
	for rule != unchanged && w.shapes[rule].Cases != nil {
		s := &w.shapes[rule]
		i := slices.IndexFunc(s.Cases, func(k Case) bool { return k.matches(v) })
		switch {
		case s.Checks != nil || i < 0 && s.Otherwise != "":
			return false
		case i < 0:
			return true
		case s.Cases[i].Refuse != "" || s.Cases[i].Replace != "" || s.Cases[i].Rewrite != "":
			return false
		}
		rule = s.Cases[i].Rule
	}
	if rule == unchanged {
		return true
	}
	touched, text := w.shapes[rule].Touched, string(v)
	return touched != nil && (w.plain || !w.adds(&w.shapes[rule])) && strings.HasPrefix(text, "{") && !strings.Contains(text, escaped) &&
		!slices.ContainsFunc(touched, func(word string) bool { return strings.Contains(text, word) })
}

// escaped is the beginning of every escape sequence that can stand for a character of a string in Touched.
const escaped = `\u00`

// adds reports whether an object that lacks members of a shape is changed.
func (w *way) adds(s *Shape) bool {
	return slices.ContainsFunc(s.Members, func(m Member) bool {
		return (m.Default != "" || m.Fact != "" || m.Require != "") && !w.supplies(&m)
	})
}

// supplies reports whether the runtime adds a member: a fact, an object of facts, the type of a complete result, or
// how long a result may be kept.
func (w *way) supplies(m *Member) bool {
	switch {
	case !w.supplied:
		return false
	case m.Name == "resultType":
		return m.Default == `"complete"`
	case m.Default == "{}" && m.Rule != unchanged:
		return !w.adds(&w.shapes[m.Rule])
	}
	return m.Fact != "" || m.Name == "ttlMs" || m.Name == "cacheScope"
}
