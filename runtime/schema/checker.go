// Package schema validates JSON texts. The check functions that mcpgen generates from JSON
// Schemas call it.
//
// A check function checks the next value of a [Checker], reports every rule of its schema
// that the value violates, and moves past the value:
//
//	func checkForecast(c *schema.Checker) {
//		c.Members(wire.KindObject, (*schema.Checker).Pass, []schema.Member{
//			{Name: "city", Required: true, Check: func(c *schema.Checker) { c.MinLength(c.Value(wire.KindString), 1) }},
//			{Name: "days", Types: wire.KindInteger},
//		})
//	}
//
// The check of an object with other rules, such as a pattern for names, is a loop over its members:
//
//	if c.Object(wire.KindObject) {
//		for c.Member() {
//			c.PropertyName(checkForecastName)
//			c.Pass()
//		}
//	}
//
// Validation works on the text, before it is decoded, and follows JSON Schema (drafts 07
// and 2020-12) exactly: numbers are compared as written, beyond the range of int64 and
// float64; lengths are in code points; values are equal if they are the same JSON. The
// bounds and constants of a schema are passed as JSON text too.
//
// A valid value is checked without allocating, except for strings with escapes whose
// decoded form matters. The work that a value can cause in a schema with alternatives is
// bounded in proportion to its length; a value that exceeds the bound is rejected. The text
// must be well-formed JSON, which package wire ensures when it reads a message. For any
// other text the verdict is meaningless.
package schema

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Check runs a check function on a well-formed JSON value. It returns nil or a
// [*wire.ValidationError] with all problems.
func Check(text wire.Raw, check func(*Checker)) error {
	c := checkers.Get().(*Checker)
	c.r.Renew(text)
	c.allowance = free + perByte*len(text)
	check(c)
	err := c.err()
	c.r.Renew("")
	c.state = state{}
	checkers.Put(c)
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
	if err := Check(text, check); err != nil {
		return err
	}
	return wire.UnmarshalChecked(text, v)
}

// checkers holds Checkers that are not in use.
var checkers = sync.Pool{New: func() any { return new(Checker) }}

// A Checker is a position in a JSON text and the problems found so far. Generated check
// functions call its methods.
type Checker struct {
	r wire.Reader
	// path has an entry for each open container: for an object the offset of the current
	// member's name, for an array ^i for the current element i.
	path []int

	state
}

// state is the part of a Checker that is reset for each value.
type state struct {
	problems []problem
	omitted  int
	hints    int  // how many names were compared with those that are allowed
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
		c.r.ReadRaw()
	}
}

// Never reports any value: it is the check of the schema false.
func (c *Checker) Never() {
	if c.stop {
		return
	}
	c.r.ReadRaw()
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
func (c *Checker) Object(types wire.Kind) bool {
	if c.stop {
		return false
	}
	if types&wire.KindObject == 0 || c.r.Kind() != wire.KindObject {
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
func (c *Checker) Array(types wire.Kind) bool {
	if c.stop {
		return false
	}
	if types&wire.KindArray == 0 || c.r.Kind() != wire.KindArray {
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
	text = c.r.ReadRaw()
	return text, text != ""
}

// class is what a problem reveals about the alternative of a schema that it belongs to.
type class uint8

const (
	other class = iota
	wrongType
	wrongConst // differs from the only allowed value
	wrongEnum  // is not in the list of allowed values
	wrongName  // is a member whose name is not allowed
)

// problem is a violated rule.
type problem struct {
	wire.Problem
	class class
	depth int // number of open containers around the value
	// For all classes but other: the expected value, such as "a string", and the actual
	// one.
	want, found string
	allowed     []wire.Raw // the expected values, if want lists values
}

// maxProblems limits the problems that are kept, so that the work for a message stays
// proportional to its length.
const maxProblems = 1000

// wanted records a problem and reports whether its message is needed. A trial needs no
// messages.
func (c *Checker) wanted() bool {
	switch {
	case c.trial:
		c.stop = true
		return false
	case c.stop:
		return false
	case len(c.problems) >= maxProblems:
		c.omitted++
		return false
	}
	return true
}

// report records a problem of the current value.
func (c *Checker) report(message string) {
	c.keep(problem{Problem: wire.Problem{Message: message}})
}

// atLeast reports a value with n things if n is less than least. Matching is the schema of the things, or "".
func (c *Checker) atLeast(n int, least int64, thing, matching string) {
	if int64(n) < least && c.wanted() {
		c.report("must have at least " + count(least, thing, matching) + ", has " + strconv.Itoa(n))
	}
}

// atMost is atLeast for n greater than most.
func (c *Checker) atMost(n int, most int64, thing, matching string) {
	if int64(n) > most && c.wanted() {
		c.report("must have at most " + count(most, thing, matching) + ", has " + strconv.Itoa(n))
	}
}

// reportKind records that a value is not the expected one, or none of those allowed.
func (c *Checker) reportKind(class class, want, found string, allowed ...wire.Raw) {
	message := "must be " + want + ", found " + found
	kept := slices.Clone(allowed) // so that the lists of calls without a problem stay on the stack
	c.keep(problem{Problem: wire.Problem{Message: message}, class: class, want: want, found: found, allowed: kept})
}

func (c *Checker) keep(p problem) {
	p.depth = c.r.Depth()
	p.Pointer = c.pointer(p.depth)
	if c.naming {
		p.class = other
		name, _ := strings.CutPrefix(p.Message, "must ")
		p.Message = "the name of the member must " + name
	}
	c.problems = append(c.problems, p)
}

// pointer returns the JSON Pointer of the current value.
func (c *Checker) pointer(depth int) string {
	names := make([]string, depth)
	for i, at := range c.path[:depth] {
		if at < 0 {
			names[i] = strconv.Itoa(^at)
		} else {
			names[i] = c.r.NameFrom(at)
		}
	}
	return wire.ChildPointer("", names...)
}

// err returns all problems as one error.
func (c *Checker) err() error {
	if err := c.r.Err(); err != nil {
		return &wire.ValidationError{Problems: []wire.Problem{{Message: err.Error()}}}
	}
	if c.fatal != "" {
		return &wire.ValidationError{Problems: []wire.Problem{{Message: c.fatal}}}
	}
	if len(c.problems) == 0 {
		return nil
	}
	var all []wire.Problem
	for _, p := range c.problems {
		all = append(all, p.Problem)
	}
	if c.omitted > 0 {
		all = append(all, wire.Problem{Message: strconv.Itoa(c.omitted) + " more problems"})
	}
	return &wire.ValidationError{Problems: all}
}

// Report records a problem of the current value that no other method detects. pointer is
// the JSON Pointer of the place inside the value; message is a text such as "must be at
// least 1".
func (c *Checker) Report(pointer, message string) {
	if !c.wanted() {
		return
	}
	c.keep(problem{Problem: wire.Problem{Message: message}})
	c.problems[len(c.problems)-1].Pointer += pointer
}

// count returns a number of things in words.
func count(n int64, thing, matching string) string {
	if n != 1 {
		thing += "s"
	}
	if matching != "" {
		thing += " matching " + matching
	}
	return strconv.FormatInt(n, 10) + " " + thing
}

// list joins words: "a, b or c".
func list(words []string, last string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + last + words[n-1]
	}
}

// mostListed is the number of allowed names that a message lists.
const mostListed = 100

// quoted returns the first names, each in quotes.
func quoted(names []string) []string {
	var all []string
	for i, name := range names {
		if i == mostListed {
			return append(all, strconv.Itoa(len(names)-mostListed)+" more")
		}
		all = append(all, strconv.Quote(name))
	}
	return all
}

// shown returns text, truncated if it is long.
func shown(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
