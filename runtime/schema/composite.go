package schema

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// MinItems reports an array that had n elements if n is less than least.
func (c *Checker) MinItems(n int, least int64) { c.atLeast(n, least, "element", "") }

// MaxItems reports an array that had n elements if n is more than most.
func (c *Checker) MaxItems(n int, most int64) { c.atMost(n, most, "element", "") }

// MinContains reports an array of which n elements match the schema in text, if n is less
// than least.
func (c *Checker) MinContains(n int, least int64, text string) { c.atLeast(n, least, "element", text) }

// MaxContains is MinContains for n greater than most.
func (c *Checker) MaxContains(n int, most int64, text string) { c.atMost(n, most, "element", text) }

// Unique reports an array with two equal elements. It moves past the value.
func (c *Checker) Unique() {
	if c.stop {
		return
	}
	if c.r.Kind() != wire.KindArray {
		c.r.Take()
		return
	}
	places := map[[sha256.Size]byte]int{}
	first, second := -1, -1
	n := 0
	for c.r.BeginArray(); c.r.Element(); n++ {
		element := c.r.Take()
		c.spend(len(element))
		sum, _ := element.Sum()
		if at, ok := places[sum]; !ok {
			places[sum] = n
		} else if first < 0 {
			first, second = at, n
		}
	}
	if first >= 0 && c.wanted() {
		c.report("must not have equal elements, but elements " + strconv.Itoa(first) + " and " + strconv.Itoa(second) + " are equal")
	}
}

// NoName is a placeholder in a list of names. It is not valid UTF-8, so no member has this
// name.
const NoName = "\xff"

// Missing reports each of the names whose bit is not set, for an object that the Checker
// has left. Bit i%64 of seen[i/64] belongs to names[i]. A bit without a required member has
// the name NoName.
func (c *Checker) Missing(names []string, seen ...uint64) { c.MissingBeside("", names, seen...) }

// MissingBeside is [Checker.Missing] for names that are required because the member named
// beside is present.
func (c *Checker) MissingBeside(beside string, names []string, seen ...uint64) {
	for i, name := range names {
		if name == NoName || seen[i/64]>>(i%64)&1 != 0 || !c.wanted() {
			continue
		}
		message := "missing member " + strconv.Quote(name)
		if beside != "" {
			message += ", which " + strconv.Quote(beside) + " requires"
		}
		c.report(message)
	}
}

// Unknown reports a member that is not in allowed, and skips its value.
func (c *Checker) Unknown(allowed ...string) { c.Unmatched(nil, allowed...) }

// MinProperties reports an object that had n members if n is less than least.
func (c *Checker) MinProperties(n int, least int64) { c.atLeast(n, least, "member", "") }

// MaxProperties reports an object that had n members if n is more than most.
func (c *Checker) MaxProperties(n int, most int64) { c.atMost(n, most, "member", "") }

// PropertyName checks the name of the current member.
func (c *Checker) PropertyName(check func(*Checker)) {
	if c.stop {
		return
	}
	m := c.r.Mark()
	naming := c.naming
	c.naming = true
	c.r.ResetToName()
	check(c)
	c.naming = naming
	c.r.Reset(m)
}

// Unmatched is [Checker.Unknown] for objects that also allow names that match patterns.
func (c *Checker) Unmatched(patterns []string, allowed ...string) {
	if c.stop {
		return
	}
	c.r.Take()
	if !c.wanted() {
		return
	}
	words := quoted(allowed)
	for _, p := range patterns {
		words = append(words, "names matching "+p)
	}
	message := "unknown member; no members are allowed here"
	if words != nil {
		message = "unknown member" + c.meant(allowed) + "; allowed are " + list(words, " and ")
	}
	c.keep(problem{Problem: wire.Problem{Message: message}, class: wrongName})
}

// meant returns a hint at the allowed name that the name of the current member resembles, or "". It compares few names,
// and short ones, because a peer controls how many it sends. Those in each alternative of a union count.
func (c *Checker) meant(allowed []string) string {
	const most, longest = 50, 64
	name := c.r.NameFrom(c.path[c.r.Depth()-1])
	if c.hints >= most || len(name) > longest {
		return ""
	}
	c.hints++
	near, ok := Nearest(name, allowed[:min(len(allowed), mostListed)], len(name)/3)
	if !ok {
		return ""
	}
	return " (did you mean " + strconv.Quote(near) + "?)"
}

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
	var tags []string
	for _, check := range checks {
		problems := c.gather(check)
		all = append(all, problems)
		if p := decisive(problems, depth, nil); p != nil && p.depth > depth {
			tags = append(tags, p.Pointer)
		}
	}
	for _, problems := range all {
		if decisive(problems, depth, tags) == nil {
			meant = append(meant, problems)
		}
	}
	foreign := func(problems []problem) bool {
		return slices.ContainsFunc(problems, func(p problem) bool { return p.class == wrongName && p.depth == depth+1 })
	}
	if named := slices.DeleteFunc(slices.Clone(meant), foreign); len(named) > 0 {
		meant = named // some of the alternatives have all the names of the value
	}
	switch {
	case c.stop:
	case len(checks) == 1:
		c.problems = append(c.problems, all[0]...)
	case len(meant) == 1:
		c.problems = append(c.problems, meant[0]...)
	case len(meant) == 0 && c.choice(all, depth, tags):
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
// has another type, or a member differs from its constant. The tags are the members that have a
// constant in other alternatives; for these, a list of allowed values counts like a constant.
func decisive(problems []problem, depth int, tags []string) *problem {
	for i := range problems {
		p := &problems[i]
		if p.class != other && p.depth == depth ||
			p.depth == depth+1 && (p.class == wrongConst || p.class == wrongEnum && slices.Contains(tags, p.Pointer)) {
			return p
		}
	}
	return nil
}

// choice reports a single problem if all alternatives have a problem with the same value: a
// tag that none of them has.
func (c *Checker) choice(all [][]problem, depth int, tags []string) bool {
	const most = 100
	var first *problem
	var wants []string
	more := 0
	want := func(text string) {
		switch {
		case slices.Contains(wants, text):
		case len(wants) == most:
			more++
		default:
			wants = append(wants, text)
		}
	}
	for _, problems := range all {
		p := decisive(problems, depth, tags)
		if first == nil {
			first = p
		}
		if p == nil || p.Pointer != first.Pointer {
			return false
		}
		if p.allowed == nil {
			want(p.want)
		}
		for _, value := range p.allowed {
			want(shown(string(value), 500))
		}
	}
	if more > 0 {
		wants = append(wants, strconv.Itoa(more)+" more")
	}
	p := *first
	p.want, p.allowed = list(wants, " or "), nil
	p.Message = "must be " + p.want + ", found " + p.found
	p.class = wrongEnum
	c.problems = append(c.problems, p)
	return true
}

// enumerate reports the problems of each of several alternatives. A problem that all of them have is reported once, by
// itself, and what then remains only if it does so for each.
func (c *Checker) enumerate(how string, all [][]problem) {
	const mostAlternatives, mostProblems, mostText = 10, 5, 1500
	shared, all := common(all)
	c.problems = append(c.problems, shared...)
	if len(shared) > 0 && slices.ContainsFunc(all, func(rest []problem) bool { return len(rest) == 0 }) {
		return
	}
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
				b.WriteString("; and " + count(int64(len(problems)-j), "problem", "") + " more")
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

// common returns the problems that all alternatives have, and the other ones of each.
func common(all [][]problem) (shared []problem, rest [][]problem) {
	const most = 20 // each is compared with those of all alternatives
	has := func(problems []problem, p problem) bool {
		return slices.ContainsFunc(problems, func(other problem) bool { return other.Problem == p.Problem })
	}
	for _, p := range all[0][:min(len(all[0]), most)] {
		if !slices.ContainsFunc(all, func(problems []problem) bool { return !has(problems, p) }) {
			shared = append(shared, p)
		}
	}
	for _, problems := range all {
		rest = append(rest, slices.DeleteFunc(slices.Clone(problems), func(p problem) bool { return has(shared, p) }))
	}
	return shared, rest
}
