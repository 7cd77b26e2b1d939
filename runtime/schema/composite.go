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
		c.r.ReadRaw()
		return
	}
	places := map[[sha256.Size]byte]int{}
	first, second := -1, -1
	n := 0
	for c.r.BeginArray(); c.r.Element(); n++ {
		element := c.r.ReadRaw()
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
	c.r.ReadRaw()
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

// enumerate reports the problems of each of several alternatives. A problem that all of them have is reported once,
// by itself. The other problems are not reported if one of the alternatives has no others.
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

// Member is a rule for the members of an object that have a name.
type Member struct {
	Name string
	// Required means that the object must have the member.
	Required bool
	// Check checks the value. If it is nil, Types are the types that the value may have, Format is the format of a
	// string, or "" for any, and Items checks the elements of an array, or is nil for any.
	Check  func(*Checker)
	Types  wire.Kind
	Format string
	Items  func(*Checker)
}

// Members checks an object by rules for its members, and reports any other value if its type is not in types. Others
// checks the members without a rule; if it is nil, there must be none. It does not keep the rules, so they are on the
// stack of its caller.
//
// Members often come in the order of their rules, so the search for a rule begins after that of the last member.
func (c *Checker) Members(types wire.Kind, others func(*Checker), rules []Member) {
	if !c.Object(types) {
		return
	}
	var few [2]uint64
	seen := few[:]
	if len(rules) > 64*len(few) {
		seen = make([]uint64, len(rules)/64+1)
	}
	next := 0
	for c.Member() {
		i, name := next, c.Name()
		if i >= len(rules) || rules[i].Name != name {
			if i = find(rules, name, next); i < 0 {
				if others == nil {
					c.unknown(rules)
				} else {
					others(c)
				}
				continue
			}
		}
		seen[i/64] |= 1 << (i % 64)
		next = i + 1
		switch rule := &rules[i]; {
		case rule.Check != nil:
			rule.Check(c)
		case rule.Items != nil:
			if c.Array(rule.Types) {
				for c.Element() {
					rule.Items(c)
				}
			}
		case rule.Format != "":
			c.Format(c.Value(rule.Types), rule.Format)
		default:
			c.Value(rule.Types)
		}
	}
	for i := range rules {
		if rules[i].Required && seen[i/64]>>(i%64)&1 == 0 {
			c.Missing([]string{rules[i].Name}, 0)
		}
	}
}

// find returns the index of the rule with a name, or -1. It begins at an index.
func find(rules []Member, name string, at int) int {
	for i := at; i < len(rules); i++ {
		if rules[i].Name == name {
			return i
		}
	}
	for i := range rules[:at] {
		if rules[i].Name == name {
			return i
		}
	}
	return -1
}

// unknown reports a member without a rule.
func (c *Checker) unknown(rules []Member) {
	names := make([]string, len(rules))
	for i, m := range rules {
		names[i] = m.Name
	}
	c.Unknown(names...)
}

// Nearest returns the known word closest to a word, whatever the case of letters. It returns false if
// more than most changes are needed for each of them: insertions, deletions, replacements and swaps
// of neighbours.
func Nearest(word string, known []string, most int) (string, bool) {
	best, least := "", most+1
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best, least <= most
}

// distance returns the number of bytes to insert, delete or replace, and of neighbours to swap, to turn
// one word into another.
func distance(a, b string) int {
	// The rows hold the distances between the beginnings of a, of three successive lengths, and those
	// of b.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
