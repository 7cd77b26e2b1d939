package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Holds reports whether a check has no problem with the next value. It discards the
// problems, and the value remains next.
func (c *Checker) Holds(check func(*Checker)) bool {
	if c.stop {
		return false
	}
	m, trial := c.r.Mark(), c.trial
	c.trial = true
	check(c)
	holds := !c.stop
	c.trial, c.stop = trial, c.fatal != ""
	c.Reset(m)
	return holds
}

// AllOf runs several checks on one value.
func (c *Checker) AllOf(checks ...func(*Checker)) {
	m := c.Mark()
	for i, check := range checks {
		if i > 0 {
			c.Reset(m)
		}
		check(c)
	}
}

// AnyOf reports a value with which every check has a problem. If one alternative seems to
// be intended, it reports the problems of that alternative, and otherwise those of each.
func (c *Checker) AnyOf(checks ...func(*Checker)) {
	for _, check := range checks {
		if c.Holds(check) {
			c.Pass()
			return
		}
	}
	if c.wanted() {
		c.alternatives("at least one", checks)
	}
	c.Pass()
}

// OneOf reports a value unless exactly one of the checks has no problem with it.
func (c *Checker) OneOf(checks ...func(*Checker)) {
	first, matches := 0, 0
	for i, check := range checks {
		if !c.Holds(check) {
			continue
		}
		if matches++; matches == 1 {
			first = i
			continue
		}
		if c.wanted() {
			c.report("must match exactly one of " + strconv.Itoa(len(checks)) + " alternatives, matches both number " +
				strconv.Itoa(first+1) + " and number " + strconv.Itoa(i+1))
		}
		break
	}
	if matches == 0 && c.wanted() {
		c.alternatives("exactly one", checks)
	}
	c.Pass()
}

// Not reports a value with which check has no problem. The text is the source of the
// check's schema.
func (c *Checker) Not(check func(*Checker), text string) {
	if c.Holds(check) && c.wanted() {
		c.report("must not match " + text)
	}
	c.Pass()
}

// alternatives reports that the next value matches none of several alternatives.
func (c *Checker) alternatives(how string, checks []func(*Checker)) {
	depth := c.r.Depth()
	var all, meant [][]problem
	for _, check := range checks {
		problems := c.gather(check)
		all = append(all, problems)
		if decisive(problems, depth) == nil {
			meant = append(meant, problems)
		}
	}
	switch {
	case c.stop:
	case len(checks) == 1:
		c.problems = append(c.problems, all[0]...)
	case len(meant) == 1:
		c.problems = append(c.problems, meant[0]...)
	case len(meant) == 0 && c.choice(all, depth):
	case len(meant) == 0:
		c.enumerate(how, all)
	default:
		c.enumerate(how, meant)
	}
}

// gather returns the problems that a check has with the next value.
func (c *Checker) gather(check func(*Checker)) []problem {
	kept, omitted := c.problems, c.omitted
	m := c.r.Mark()
	c.problems = nil
	check(c)
	c.Reset(m)
	gathered := c.problems
	c.problems, c.omitted = kept, omitted
	return gathered
}

// decisive returns the problem that shows that an alternative was not intended: the value
// has another type, or a member differs from its constant.
func decisive(problems []problem, depth int) *problem {
	for i := range problems {
		p := &problems[i]
		if p.class != other && p.depth == depth || p.class == wrongConst && p.depth == depth+1 {
			return p
		}
	}
	return nil
}

// choice reports a single problem if all alternatives have a problem with the same value: a
// tag that none of them has.
func (c *Checker) choice(all [][]problem, depth int) bool {
	var first *problem
	var wants []string
	for _, problems := range all {
		p := decisive(problems, depth)
		if first == nil {
			first = p
		}
		if p == nil || p.Pointer != first.Pointer {
			return false
		}
		if !slices.Contains(wants, p.want) {
			wants = append(wants, p.want)
		}
	}
	p := *first
	p.want = list(wants, " or ")
	p.Message = "must be " + p.want + ", found " + p.found
	p.class = wrongEnum
	c.problems = append(c.problems, p)
	return true
}

// enumerate reports the problems of each of several alternatives.
func (c *Checker) enumerate(how string, all [][]problem) {
	const mostAlternatives, mostProblems, mostText = 10, 5, 1500
	var b strings.Builder
	b.WriteString("must match " + how + " of these alternatives:")
	for i, problems := range all {
		if i == mostAlternatives || b.Len() > mostText {
			b.WriteString(" and " + strconv.Itoa(len(all)-i) + " more")
			break
		}
		b.WriteString(" (" + strconv.Itoa(i+1) + ") ")
		for j, p := range problems {
			if j == mostProblems {
				b.WriteString("; and " + count(int64(len(problems)-j), "problem") + " more")
				break
			}
			if j > 0 {
				b.WriteString("; ")
			}
			b.WriteString(shown(p.String(), mostText))
		}
	}
	c.keep(problem{Problem: wire.Problem{Message: b.String()}})
}
