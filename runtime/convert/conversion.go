package convert

import (
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// V1 is true while this package fits code generated against its first version.
// Generated code refers to it, so that a mismatch does not compile.
const V1 = true

// Loss is something that a conversion could not keep as it was.
type Loss struct {
	// Pointer is the JSON Pointer of what is lost, in the value that was converted. It
	// stands for all that is below, too.
	Pointer string
	// Reason says why, and what became of it if it was not left out.
	Reason string
}

// String returns the pointer and the reason in one line.
func (l Loss) String() string { return l.Pointer + ": " + l.Reason }

// Error says that a value cannot be converted.
type Error struct {
	// Pointer is the JSON Pointer of what stands in the way.
	Pointer string
	// Reason says why.
	Reason string
}

// Error returns the pointer and the reason in one line.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return "compat: " + e.Reason
	}
	return "compat: at " + e.Pointer + ": " + e.Reason
}

// Conversion is the state of converting one value. The zero Conversion is ready to use,
// for one value after the other too, as long as Err is nil.
//
// Converters return a value of the right type also after a refusal, but one that is not
// to be used.
type Conversion struct {
	path   []token
	losses []Loss
	err    *Error
}

// token is a step of the way to the value at hand: a name or, where that is "" and the
// index not negative, an index.
type token struct {
	name  string
	index int
}

// Losses are what could not be kept, in the order in which it was met.
func (c *Conversion) Losses() []Loss { return c.losses }

// Err is nil or an [*Error] with the first reason why the value cannot be converted.
func (c *Conversion) Err() error {
	if c.err == nil {
		return nil
	}
	return c.err
}

// Lose tells that the value at hand, or what is below it by these names, is lost.
func (c *Conversion) Lose(reason string, names ...string) {
	c.losses = append(c.losses, Loss{c.pointer(names), reason})
}

// Refuse tells that the value at hand, or what is below it by these names, stands in the
// way of a conversion.
func (c *Conversion) Refuse(reason string, names ...string) {
	if c.err == nil {
		c.err = &Error{c.pointer(names), reason}
	}
}

// Drop loses the member called name if it is there.
func (c *Conversion) Drop(name string, there bool, reason string) {
	if there {
		c.Lose(reason, name)
	}
}

// Require refuses a value in which the member called name is not there.
func (c *Conversion) Require(name string, there bool, reason string) {
	if !there {
		c.Refuse(reason, name)
	}
}

// Extra returns the members that no type had a field for. Those whose names the other
// revision gives a meaning, which they had not where they come from, are lost.
func (c *Conversion) Extra(extra wire.Members, taken ...string) wire.Members {
	isTaken := func(m wire.Member) bool { return slices.Contains(taken, m.Name) }
	if !slices.ContainsFunc(extra, isTaken) {
		return extra
	}
	kept := make(wire.Members, 0, len(extra))
	for _, m := range extra {
		if isTaken(m) {
			c.Lose("the revision it comes from does not define it, and the other one does", m.Name)
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

func (c *Conversion) pointer(names []string) string {
	var p []byte
	for _, t := range c.path {
		if t.index >= 0 {
			p = strconv.AppendInt(append(p, '/'), int64(t.index), 10)
		} else {
			p = wire.AppendPointer(p, t.name)
		}
	}
	for _, name := range names {
		p = wire.AppendPointer(p, name)
	}
	return string(p)
}
