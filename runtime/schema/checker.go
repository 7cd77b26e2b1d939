package schema

import (
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Check runs a check function on a well-formed JSON value. It returns nil or a
// [*wire.ValidationError] with every problem.
func Check(text wire.Raw, check func(*Checker)) error {
	c := checkers.Get().(*Checker)
	err := c.check(text, check)
	c.release()
	return err
}

// Decode is Check that decodes the value into v when there is no problem.
func Decode(text wire.Raw, check func(*Checker), v wire.Value) error {
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

// checkers holds memory that no caller can see.
var checkers = sync.Pool{New: func() any { return new(Checker) }}

// A Checker is a place in a JSON text, and the problems found so far. Generated
// check functions call its methods; they are of no use by themselves.
type Checker struct {
	r wire.Reader
	// path has an entry for each open container: of an object the offset of the
	// current member's name, of an array ^i for the current element i.
	path   []int
	hashes []hashed

	state
}

// state is what a Checker begins anew with each value.
type state struct {
	problems []problem
	omitted  int
	naming   bool // the value is the name of a member

	// trial says that only the verdict counts: nothing is kept of a problem but
	// that it is there, and it stops the walk.
	trial bool
	stop  bool
	fatal string // why nothing is known of the value

	allowance int // how many bytes may still be read again
}

// A check of a value that has alternatives reads it several times, and where
// schemas are recursive, this multiplies. These bound it: bytes that may be read
// again in any text, and in addition for each byte of it.
const (
	free    = 1 << 24
	perByte = 256
	perRead = 16 // the cost of going back, in bytes
)

// spend counts bytes that are read again.
func (c *Checker) spend(n int) {
	c.allowance -= n + perRead
	if c.allowance < 0 {
		c.fail("is too large to be checked against all the alternatives of its schema")
	}
}

// fail gives up: what went before does not count.
func (c *Checker) fail(why string) {
	if c.fatal == "" {
		c.fatal = why
	}
	c.stop = true
}

// Mark is a place to which a Checker can go back.
type Mark = wire.Mark

// Mark returns where the Checker is.
func (c *Checker) Mark() Mark { return c.r.Mark() }

// Reset goes back to where the Checker has been.
func (c *Checker) Reset(m Mark) {
	at := c.r.Offset()
	c.r.Reset(m)
	c.spend(at - c.r.Offset())
}

// Pass moves behind a value of which nothing is demanded.
func (c *Checker) Pass() {
	if !c.stop {
		c.r.Take()
	}
}

// Never reports a value where none is allowed: that of the schema false.
func (c *Checker) Never() {
	if c.stop {
		return
	}
	c.r.Take()
	if c.wanted() {
		c.report("is not allowed")
	}
}

// open remembers that a container was entered.
func (c *Checker) open() {
	if n := c.r.Depth(); n > len(c.path) {
		c.path = append(c.path, 0)
	}
	c.path[c.r.Depth()-1] = 0
}

// Object enters an object. Of any other value it reports whether its type is not
// among types, moves behind it, and returns false.
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

// Member moves to the next member of the object that was entered last, so that
// its value comes next. After the last one it leaves the object and returns false.
func (c *Checker) Member() bool {
	if c.stop || !c.r.Member() {
		return false
	}
	c.path[c.r.Depth()-1] = c.r.NameAt()
	return true
}

// Name returns the name of the member that Member moved to. It has to be asked
// for before the value is read.
func (c *Checker) Name() string { return c.r.Name() }

// Array enters an array. Of any other value it reports whether its type is not
// among types, moves behind it, and returns false.
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

// Element reports whether another element of the array that was entered last
// comes next. After the last one it leaves the array.
func (c *Checker) Element() bool {
	if c.stop || !c.r.Element() {
		return false
	}
	at := &c.path[c.r.Depth()-1]
	*at = min(*at-1, -1)
	return true
}

// Text moves behind the value that comes next and returns its text. It is for
// checks that know nothing of a Checker, which then call [Checker.Report]; ok is
// false when there is nothing to be checked.
func (c *Checker) Text() (text wire.Raw, ok bool) {
	if c.stop {
		return "", false
	}
	text = c.r.Take()
	return text, text != ""
}
