package convert

import (
	"context"

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
