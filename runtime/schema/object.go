package schema

import "strconv"

// NoName keeps the place of a name in a list. It is not UTF-8, so that no member is
// called like this.
const NoName = "\xff"

// Missing reports each of the names whose bit is not set, about an object that
// has been left: bit i%64 of seen[i/64] is that of names[i]. A name "" has no
// member that must be there.
func (c *Checker) Missing(names []string, seen ...uint64) {
	for i, name := range names {
		if name != NoName && seen[i/64]>>(i%64)&1 == 0 && c.wanted() {
			c.report("missing member " + strconv.Quote(name))
		}
	}
}

// Unknown reports a member that is none of those allowed, and moves behind it.
func (c *Checker) Unknown(allowed ...string) {
	if c.stop {
		return
	}
	c.r.Take()
	if !c.wanted() {
		return
	}
	if len(allowed) == 0 {
		c.report("unknown member, no members are allowed here")
		return
	}
	c.report("unknown member, allowed are " + list(quoted(allowed), " and "))
}

// MissingBeside is [Checker.Missing] for names that must be there because the
// member called beside is.
func (c *Checker) MissingBeside(beside string, names []string, seen ...uint64) {
	for i, name := range names {
		if name != NoName && seen[i/64]>>(i%64)&1 == 0 && c.wanted() {
			c.report("missing member " + strconv.Quote(name) + ", which must be there beside " + strconv.Quote(beside))
		}
	}
}

// MinProperties reports an object that had n members when that is less than least.
func (c *Checker) MinProperties(n int, least int64) {
	if int64(n) < least && c.wanted() {
		c.report("must have at least " + count(least, "member") + ", has " + strconv.Itoa(n))
	}
}

// MaxProperties reports an object that had n members when that is more than most.
func (c *Checker) MaxProperties(n int, most int64) {
	if int64(n) > most && c.wanted() {
		c.report("must have at most " + count(most, "member") + ", has " + strconv.Itoa(n))
	}
}

// PropertyName checks the name of the member that Member moved to.
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

// Unmatched is [Checker.Unknown] where names that match patterns are allowed too.
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
	c.report("unknown member, allowed are " + list(words, " and "))
}
