package schema

import "strconv"

// NoName is a placeholder in a list of names. It is not valid UTF-8, so no member has this
// name.
const NoName = "\xff"

// Missing reports each of the names whose bit is not set, for an object that the Checker
// has left. Bit i%64 of seen[i/64] belongs to names[i]. A bit without a required member has
// the name NoName.
func (c *Checker) Missing(names []string, seen ...uint64) {
	for i, name := range names {
		if name != NoName && seen[i/64]>>(i%64)&1 == 0 && c.wanted() {
			c.report("missing member " + strconv.Quote(name))
		}
	}
}

// Unknown reports a member that is not in allowed, and skips its value.
func (c *Checker) Unknown(allowed ...string) { c.Unmatched(nil, allowed...) }

// MissingBeside is [Checker.Missing] for names that are required because the member named
// beside is present.
func (c *Checker) MissingBeside(beside string, names []string, seen ...uint64) {
	for i, name := range names {
		if name != NoName && seen[i/64]>>(i%64)&1 == 0 && c.wanted() {
			c.report("missing member " + strconv.Quote(name) + ", which " + strconv.Quote(beside) + " requires")
		}
	}
}

// MinProperties reports an object that had n members if n is less than least.
func (c *Checker) MinProperties(n int, least int64) { c.atLeast(n, least, "member") }

// MaxProperties reports an object that had n members if n is more than most.
func (c *Checker) MaxProperties(n int, most int64) { c.atMost(n, most, "member") }

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
	if words == nil {
		c.report("unknown member; no members are allowed here")
		return
	}
	c.report("unknown member; allowed are " + list(words, " and "))
}
