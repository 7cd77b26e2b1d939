package wire

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Problem is a violated rule.
type Problem struct {
	// Pointer is the JSON Pointer of the value.
	Pointer string
	// Message describes what the value must be, such as "must be at least 1".
	Message string
	// Union is the definition that the value is not a known variant of. It is "" for all other
	// problems.
	Union string
}

// String returns the pointer and the message: "at /a/0: must be at least 1".
func (p Problem) String() string {
	if p.Pointer == "" {
		return p.Message
	}
	return "at " + p.Pointer + ": " + p.Message
}

// ValidationError holds all problems of a value.
type ValidationError struct {
	Problems []Problem
}

// Error returns the problems, one per line.
func (e *ValidationError) Error() string {
	var b strings.Builder
	b.WriteString("wire: ")
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// ProblemsOf returns the problems that an error names: those of a [*ValidationError], or one with the
// pointer of an [*Error]. Of any other error it returns the text. It is for texts that show no offsets.
func ProblemsOf(err error) []Problem {
	if e, ok := errors.AsType[*ValidationError](err); ok && len(e.Problems) > 0 {
		return e.Problems
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return []Problem{{Pointer: e.Pointer, Message: e.Problem}}
	}
	return []Problem{{Message: err.Error()}}
}

// maxProblems limits the problems that are kept, so that the work for a message stays
// proportional to its length.
const maxProblems = 1000

// A Collector collects the problems of a value while generated code walks through it. The zero
// Collector is ready to use.
type Collector struct {
	depth    int
	near     [8]step // the first steps from the outermost value to the current one
	far      []step  // the steps that follow
	problems []Problem
	omitted  int // problems past maxProblems
}

// step is the name of a member or the index of an element.
type step struct {
	name  string
	index int // -1 for a member
}

// Push goes to the member called name of the current value.
func (c *Collector) Push(name string) { c.push(step{name, -1}) }

// PushIndex goes to the i-th element of the current value.
func (c *Collector) PushIndex(i int) { c.push(step{"", i}) }

func (c *Collector) push(s step) {
	if c.depth < len(c.near) {
		c.near[c.depth] = s
	} else {
		c.far = append(c.far[:c.depth-len(c.near)], s)
	}
	c.depth++
}

// Pop undoes the last Push or PushIndex.
func (c *Collector) Pop() { c.depth-- }

// Report records a problem of the current value. The arguments are those of [fmt.Sprintf]. After
// a thousand problems, further ones are only counted.
func (c *Collector) Report(format string, args ...any) {
	c.add(Problem{Pointer: c.pointer(), Message: fmt.Sprintf(format, args...)})
}

func (c *Collector) add(p Problem) {
	if len(c.problems) >= maxProblems {
		c.omitted++
		return
	}
	c.problems = append(c.problems, p)
}

// Include records the problems of an error that was found in the current value.
func (c *Collector) Include(err error) {
	if err == nil {
		return
	}
	for _, p := range ProblemsOf(err) {
		p.Pointer = c.pointer() + p.Pointer
		c.add(p)
	}
}

// Count returns the number of problems so far.
func (c *Collector) Count() int { return len(c.problems) + c.omitted }

// Reconsider drops the problems after the first n if one of the other variants of a union accepts
// the value: it has the members of several variants.
func (c *Collector) Reconsider(n int, v Appender, others ...Value) {
	text, err := MarshalString(v)
	for _, other := range others {
		if err == nil && UnmarshalString(text, other) == nil && Validate(other) == nil {
			c.problems = c.problems[:min(n, len(c.problems))]
			c.omitted = n - len(c.problems)
			return
		}
	}
}

// UnknownVariant reports a value that is not a variant of a union. If a member names the variant,
// known lists its values.
func (c *Collector) UnknownVariant(union string, value Raw, member string, known ...string) {
	before := len(c.problems)
	tag, there := Object(value).Get(member)
	has := "which has " + quoteAll(known)
	switch {
	case value.Kind() != KindObject:
		c.Report("%s is no variant of %s", value.Kind(), union)
	case member == "":
		names := make([]string, 0, 4)
		for name := range Object(value).All() {
			names = append(names, name)
		}
		c.Report("an object with the members %s is no variant of %s", quoteAll(names), union)
	case !there:
		c.Report("missing member %q, which names the variant of %s, %s", member, union, has)
	case slices.ContainsFunc(known, func(name string) bool { return string(tag) == strconv.Quote(name) }):
		c.Report("is no variant of %s that has the %s %s", union, member, tag)
	default:
		c.Report("%s %s is no variant of %s, %s", member, truncate(tag, 60), union, has)
	}
	if before < len(c.problems) {
		c.problems[before].Union = union
	}
}

// NoVariant reports a value whose Go type is not that of a variant of a union. It may be that of another
// revision.
func (c *Collector) NoVariant(union string, v Appender) {
	c.Report("a %T is no variant of %s", v, union)
}

// quoteAll lists the first twenty names.
func quoteAll(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == 20 {
			b.WriteString("...")
			break
		}
		b.WriteString(strconv.Quote(truncate(name, 60)))
	}
	return b.String()
}

func (c *Collector) pointer() string {
	var p []byte
	for i := range c.depth {
		s := c.near[min(i, len(c.near)-1)]
		if i >= len(c.near) {
			s = c.far[i-len(c.near)]
		}
		if s.index < 0 {
			p = AppendPointer(p, s.name)
		} else {
			p = strconv.AppendInt(append(p, '/'), int64(s.index), 10)
		}
	}
	return string(p)
}

// Err returns a [*ValidationError] with all problems, or nil if there are none.
func (c *Collector) Err() error {
	if len(c.problems) == 0 {
		return nil
	}
	problems := c.problems
	if c.omitted > 0 {
		problems = append(problems[:len(problems):len(problems)],
			Problem{Message: strconv.Itoa(c.omitted) + " more problems"})
	}
	return &ValidationError{Problems: problems}
}

// Const reports that the value must be want, unless ok.
func (c *Collector) Const(ok bool, want string) {
	if !ok {
		c.Report("must be %s", want)
	}
}

// Closed reports each member of an object that its schema does not have.
func (c *Collector) Closed(extra Members) {
	for _, m := range extra {
		c.Push(m.Name)
		c.Report("unknown member")
		c.Pop()
	}
}

// Minimum reports a number less than bound.
func (c *Collector) Minimum(v, bound float64) {
	if !(v >= bound) {
		c.Report("must be at least %v, is %v", bound, v)
	}
}

// Maximum reports a number greater than bound.
func (c *Collector) Maximum(v, bound float64) {
	if !(v <= bound) {
		c.Report("must be at most %v, is %v", bound, v)
	}
}

// ExclusiveMinimum reports a number that is not greater than bound.
func (c *Collector) ExclusiveMinimum(v, bound float64) {
	if !(v > bound) {
		c.Report("must be greater than %v, is %v", bound, v)
	}
}

// ExclusiveMaximum reports a number that is not less than bound.
func (c *Collector) ExclusiveMaximum(v, bound float64) {
	if !(v < bound) {
		c.Report("must be less than %v, is %v", bound, v)
	}
}

// MinItems reports an array of n elements if n is less than least.
func (c *Collector) MinItems(n, least int) {
	if n < least {
		c.Report("must have at least %d elements, has %d", least, n)
	}
}

// MaxItems reports an array of n elements if n is more than most.
func (c *Collector) MaxItems(n, most int) {
	if n > most {
		c.Report("must have at most %d elements, has %d", most, n)
	}
}

// MinLength reports a string of fewer than n code points.
func (c *Collector) MinLength(s string, n int) {
	if got := utf8.RuneCountInString(s); got < n {
		c.Report("must have at least %d characters, has %d", n, got)
	}
}

// MaxLength reports a string of more than n code points.
func (c *Collector) MaxLength(s string, n int) {
	if len(s) <= n { // no string has more code points than bytes
		return
	}
	if got := utf8.RuneCountInString(s); got > n {
		c.Report("must have at most %d characters, has %d", n, got)
	}
}
