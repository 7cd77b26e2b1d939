package schema

// Member is a rule for the members of an object that have a name.
type Member struct {
	Name string
	// Required means that the object must have the member.
	Required bool
	// Check checks the value. If it is nil, Types are the types that the value may have, Format is the format of a
	// string, or "" for any, and Items checks the elements of an array, or is nil for any.
	Check  func(*Checker)
	Types  Types
	Format string
	Items  func(*Checker)
}

// Members checks an object by rules for its members, and reports any other value if its type is not in types. Others
// checks the members without a rule; if it is nil, there must be none. It does not keep the rules, so they are on the
// stack of its caller.
//
// Members often come in the order of their rules, so the search for a rule begins after that of the last member.
func (c *Checker) Members(types Types, others func(*Checker), rules []Member) {
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
