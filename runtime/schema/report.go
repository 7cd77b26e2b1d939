package schema

import (
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// class is what a problem reveals about the alternative of a schema that it belongs to.
type class uint8

const (
	other class = iota
	wrongType
	wrongConst // differs from the only allowed value
	wrongEnum  // is not in the list of allowed values
)

// problem is a violated rule.
type problem struct {
	wire.Problem
	class class
	depth int // number of open containers around the value
	// For all classes but other: the expected value, such as "a string", and the actual
	// one.
	want, found string
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

// atLeast reports a value with n items of a kind if n is less than least.
func (c *Checker) atLeast(n int, least int64, thing string) {
	if int64(n) < least && c.wanted() {
		c.report("must have at least " + count(least, thing) + ", has " + strconv.Itoa(n))
	}
}

// atMost is atLeast for n greater than most.
func (c *Checker) atMost(n int, most int64, thing string) {
	if int64(n) > most && c.wanted() {
		c.report("must have at most " + count(most, thing) + ", has " + strconv.Itoa(n))
	}
}

// reportKind records that a value is not the expected one.
func (c *Checker) reportKind(class class, want, found string) {
	message := "must be " + want + ", found " + found
	c.keep(problem{Problem: wire.Problem{Message: message}, class: class, want: want, found: found})
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
	var dst []byte
	for _, at := range c.path[:depth] {
		if at < 0 {
			dst = strconv.AppendInt(append(dst, '/'), int64(^at), 10)
		} else {
			dst = wire.AppendPointer(dst, c.r.NameFrom(at))
		}
	}
	return string(dst)
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
func count(n int64, thing string) string {
	if n != 1 {
		thing += "s"
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

// quoted returns the first hundred names, each in quotes.
func quoted(names []string) []string {
	const most = 100
	var all []string
	for i, name := range names {
		if i == most {
			return append(all, strconv.Itoa(len(names)-most)+" more")
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
