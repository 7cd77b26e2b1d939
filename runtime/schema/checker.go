package schema

import (
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Check runs a check function on a well-formed JSON value. It returns nil or a
// [*wire.ValidationError] with all problems.
func Check(text wire.Raw, check func(*Checker)) error {
	c := checkers.Get().(*Checker)
	err := c.check(text, check)
	c.release()
	return err
}

// Collect runs a check function on the text of a value and adds the problems to c.
func Collect(c *wire.Collector, v wire.Appender, check func(*Checker)) {
	text, err := wire.MarshalString(v)
	if err == nil {
		err = Check(wire.Raw(text), check)
	}
	c.Include(err)
}

// Decode runs Check and decodes the value into v if there is no problem.
func Decode(text wire.Raw, check func(*Checker), v wire.Decoder) error {
	c := checkers.Get().(*Checker)
	err := c.check(text, check)
	if err == nil {
		err = c.r.DecodeChecked(text, v)
	}
	c.release()
	return err
}

func (c *Checker) check(text wire.Raw, check func(*Checker)) error {
	c.r.Renew(string(text))
	c.allowance = free + perByte*len(text)
	check(c)
	return c.err()
}

func (c *Checker) release() {
	c.r.Renew("")
	c.hashes = c.hashes[:0]
	c.state = state{}
	checkers.Put(c)
}

// checkers holds Checkers that are not in use.
var checkers = sync.Pool{New: func() any { return new(Checker) }}

// A Checker is a position in a JSON text and the problems found so far. Generated check
// functions call its methods.
type Checker struct {
	r wire.Reader
	// path has an entry for each open container: for an object the offset of the current
	// member's name, for an array ^i for the current element i.
	path   []int
	hashes []hashed

	state
}

// state is the part of a Checker that is reset for each value.
type state struct {
	problems []problem
	omitted  int
	naming   bool // the value is the name of a member

	// trial means that only the verdict matters: the first problem ends the walk and is not
	// kept.
	trial bool
	stop  bool
	fatal string // why the value cannot be judged

	allowance int // number of bytes that may still be read again
}

// Checking a value against alternatives reads it several times, and recursive schemas
// multiply that. These constants limit the bytes that may be read again: a fixed number for
// any text, and a number for each byte of it.
const (
	free    = 1 << 24
	perByte = 256
	perRead = 16 // cost of going back, in bytes
)

// spend counts bytes that are read again.
func (c *Checker) spend(n int) {
	c.allowance -= n + perRead
	if c.allowance < 0 {
		c.fail("is too large to be checked against all the alternatives of its schema")
	}
}

// fail gives up and discards earlier problems.
func (c *Checker) fail(why string) {
	if c.fatal == "" {
		c.fatal = why
	}
	c.stop = true
}

// Mark returns the current position.
func (c *Checker) Mark() wire.Mark { return c.r.Mark() }

// Reset returns to a position.
func (c *Checker) Reset(m wire.Mark) {
	at := c.r.Offset()
	c.r.Reset(m)
	c.spend(at - c.r.Offset())
}

// Pass skips a value that may be anything.
func (c *Checker) Pass() {
	if !c.stop {
		c.r.Take()
	}
}

// Never reports any value: it is the check of the schema false.
func (c *Checker) Never() {
	if c.stop {
		return
	}
	c.r.Take()
	if c.wanted() {
		c.report("is not allowed")
	}
}

// open records that a container was entered.
func (c *Checker) open() {
	if n := c.r.Depth(); n > len(c.path) {
		c.path = append(c.path, 0)
	}
	c.path[c.r.Depth()-1] = 0
}

// Object enters an object. It reports any other value if its type is not in types, skips it
// and returns false.
func (c *Checker) Object(types Types) bool {
	if c.stop {
		return false
	}
	if types&Object == 0 || c.r.Kind() != wire.KindObject {
		c.Value(types)
		return false
	}
	c.r.BeginObject()
	c.open()
	return true
}

// Member moves to the next member of the innermost open object, so that its value comes
// next. After the last member, it leaves the object and returns false.
func (c *Checker) Member() bool {
	if c.stop || !c.r.Member() {
		return false
	}
	c.path[c.r.Depth()-1] = c.r.NameAt()
	return true
}

// Name returns the name of the current member. It must be called before the value is read.
func (c *Checker) Name() string { return c.r.Name() }

// Array enters an array. It reports any other value if its type is not in types, skips it
// and returns false.
func (c *Checker) Array(types Types) bool {
	if c.stop {
		return false
	}
	if types&Array == 0 || c.r.Kind() != wire.KindArray {
		c.Value(types)
		return false
	}
	c.r.BeginArray()
	c.open()
	return true
}

// Element reports whether another element of the innermost open array comes next. After the
// last element, it leaves the array.
func (c *Checker) Element() bool {
	if c.stop || !c.r.Element() {
		return false
	}
	at := &c.path[c.r.Depth()-1]
	*at = min(*at-1, -1)
	return true
}

// Text skips the next value and returns its text, for checks that do not use a Checker and
// then call [Checker.Report]. ok is false if there is nothing to check.
func (c *Checker) Text() (text wire.Raw, ok bool) {
	if c.stop {
		return "", false
	}
	text = c.r.Take()
	return text, text != ""
}
