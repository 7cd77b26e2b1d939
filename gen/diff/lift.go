package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// The limits of one comparison of two messages.
const (
	mostNodes = 5000
	mostWays  = 4  // edges that are followed from a pair of shapes
	mostLifts = 64 // pairs that are visited for a change
)

// node is a pair of shapes at a place of two messages. The path is a shortest one.
type node struct {
	*pairing
	path  string
	guard string
	up    []edge
}

// edge leads from a pair of shapes to a pair that contains it.
type edge struct {
	parent *node
	child  *child
}

// in returns the change at a place of a message.
func (ch *change) in(n *node) *change {
	at := *ch
	at.path, at.guard = n.path, cmp.Or(ch.guard, n.guard)
	for _, side := range []struct {
		at    *Place
		of    Place
		lacks bool
	}{{&at.old, n.old.Where, ch.lackedByOld}, {&at.new, n.new.Where, ch.lackedByNew}} {
		if side.at.Path == "" {
			if side.at.Path = n.path; !side.lacks {
				side.at.Path += ch.below
			}
		}
		side.at.Pointer = cmp.Or(side.at.Pointer, side.of.Pointer)
	}
	return &at
}

// noExample says that there is no example for no specific reason.
const noExample = "none of the tried values shows the change"

// messages compares two shapes of whole messages. Changes of a pair precede those of the pairs
// that it contains.
func (c *comparer) messages(old, new *Shape, path string) (list []*change, problem string) {
	c.documents = [2]*jsonschema.Schema{c.documentOf(old), c.documentOf(new)}
	root := &node{path: path}
	nodes := map[pair[*set]]*node{{old.set, new.set}: root}
	queue := []*node{root}
	root.pairing = c.pair(old, new)
	words := map[pair[*Shape]]bool{}
	tell := func(old, new *Shape, path string) {
		if words[pair[*Shape]{old, new}] {
			return
		}
		words[pair[*Shape]{old, new}] = true
		for _, ch := range c.told(old, new) {
			list = append(list, ch.in(&node{pairing: &pairing{old: old, new: new}, path: path}))
		}
	}
	tell(old, new, path)
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		for _, below := range n.children {
			tell(below.old, below.new, n.path+below.path)
			key := pair[*set]{below.old.set, below.new.set}
			next, ok := nodes[key]
			switch {
			case !ok && len(queue) >= mostNodes:
				problem = fmt.Sprintf("%s: more than %d pairs of schemas; pairs farther from the root were not compared", path, mostNodes)
				continue
			case !ok:
				next = &node{path: cmp.Or(below.new.Where.Path, below.old.Where.Path, n.path+below.path), guard: cmp.Or(below.guard, n.guard), pairing: c.pair(below.old, below.new)}
				nodes[key] = next
				queue = append(queue, next)
			case below.guard == "" && n.guard == "":
				next.guard = ""
			}
			if len(next.up) < mostWays && next != root {
				next.up = append(next.up, edge{n, below})
			}
		}
	}
	proved := map[string]bool{}
	for _, n := range queue {
		for _, ch := range n.changes {
			at := ch.in(n)
			if proved[at.key()] {
				continue // the same change was found closer to the root
			}
			for way := range at.ways {
				at.ways[way] = c.outcome(ch, n, way)
			}
			proved[at.key()] = at.ways[narrows].is == found || at.ways[widens].is == found
			list = append(list, at)
		}
	}
	for _, v := range root.views(nil, nil) {
		single(list, v.way)
		list = c.settle(list, root, v)
	}
	return list, problem
}

// single keeps one of the undecided changes of conditions that both sides write alike. Such a condition only refers
// to what has changed, and each of several definitions that refer to each other has such a change.
func single(list []*change, way int) {
	var kept *change
	for _, ch := range list {
		if !ch.condition || ch.own || ch.ways[way].is != unknown {
			continue
		}
		if kept == nil || cmp.Or(len(ch.path)-len(kept.path), strings.Compare(ch.path, kept.path)) < 0 {
			kept, ch = ch, kept
		}
		if ch != nil {
			ch.ways[way].is = none
		}
	}
}

// settle decides what the changes in list leave open in one direction, by a value of the whole message.
// A proof that there is none refutes the changes without an example. A value is the example of one of
// these, or of a change whose other values the receiver accepts as another variant, or else of a change that is named
// by the keyword that refuses it.
func (c *comparer) settle(list []*change, root *node, v view) []*change {
	var open *change
	for _, ch := range list {
		switch state := ch.ways[v.way].is; {
		case state == found:
			return list
		case state == unknown, state == lost && open == nil:
			open = ch
		}
	}
	a := c.find(v.sends, v.accepts)
	switch {
	case a.is == none:
		for _, ch := range list {
			if o := &ch.ways[v.way]; o.is == unknown && !o.sure {
				o.is = none
			}
		}
	case a.is == found && open != nil:
		open.ways[v.way] = a
	case a.is == found:
		one := c.unnamed(root, v, a.value)
		if i := slices.IndexFunc(list, func(ch *change) bool { return ch.key() == one.key() }); i >= 0 {
			list[i].ways[v.way] = one.ways[v.way] // the same change in the other direction
			return list
		}
		list = append(list, one)
	}
	return list
}

// unnamed returns a change of the keyword that refuses a value.
func (c *comparer) unnamed(root *node, v view, value any) *change {
	f := c.finder(nil)
	refuses := v.accepts.from[slices.IndexFunc(v.accepts.from, func(s *jsonschema.Schema) bool { return f.refuses(value, s) })]
	at, keyword, path := f.culprit(refuses, value, root.path)
	ch := &change{rule: "constraint-changed", args: []string{strconv.Quote(keyword)}, old: Place{Path: path}, new: Place{Path: path}}
	ch.place(v.way, nil, &Alt{Where: Place{path, at.Pointer}})
	ch.ways[v.way] = answer{is: found, value: value}
	return ch.in(root)
}

// key identifies a change by the places of the definitions that it is between. A member that one
// side lacks is identified by its place on the other side, wherever the lacking side uses the
// definition.
func (ch *change) key() string {
	old, new := ch.old, ch.new
	switch {
	case ch.lackedByOld && new.Path != "":
		old = Place{}
	case ch.lackedByNew && old.Path != "":
		new = Place{}
	}
	return strings.Join(append([]string{ch.rule, old.Pointer, new.Pointer, ch.below}, ch.args...), separator)
}

// effect returns the effect of a change, seen in one direction.
func (ch *change) effect(way int) Effect { return ruleOf(toward(ch.rule, way)).Effect }

// outcome determines the effect of a direction of a change on whole messages.
func (c *comparer) outcome(ch *change, n *node, way int) answer {
	o := ch.ways[way]
	switch {
	case !ch.effect(way).Narrows() || o.is == another:
		return answer{}
	case o.is == found:
		return c.lift(n, o, way, map[*node]bool{})
	case o.is == unknown:
		o.why = cmp.Or(o.why, noExample)
	}
	return o
}

// lift puts the examples of an answer into values that contain them, up to whole messages. seen has the pairs that were
// visited.
func (c *comparer) lift(n *node, inner answer, way int, seen map[*node]bool) answer {
	if n.up == nil {
		return inner
	}
	best := answer{is: -1}
	for _, e := range n.up {
		if seen[e.parent] || len(seen) > mostLifts || c.exhausted() {
			continue
		}
		seen[e.parent] = true
		o := c.liftBy(e, inner, way, seen)
		if o.is > best.is || best.why == "" && o.is == best.is {
			best = o
		}
		if best.is == found {
			break
		}
	}
	if best.is < none {
		return answer{is: unknown, why: "no containing value was found"}
	}
	return best
}

// liftBy puts examples into the values of one containing pair.
func (c *comparer) liftBy(e edge, inner answer, way int, seen map[*node]bool) answer {
	v := e.parent.views(e.child.oldAlt, e.child.newAlt)[way]
	var o answer
	for _, value := range inner.values() {
		if o.join(c.around(v, e.child, value)); o.is == found {
			return c.lift(e.parent, o, way, seen)
		}
	}
	switch {
	case o.sure, o.is == lost:
		return o
	case o.is == another, c.find(v.sends, v.accepts).is == none:
		return answer{}
	}
	switch o := c.ask(v, c.about(v, e.child)...); o.is { // another value may show it
	case none, another:
		return answer{}
	case lost:
		return o
	case found:
		return c.lift(e.parent, o, way, seen)
	}
	return answer{is: unknown, why: fmt.Sprintf("mcpgen cannot make a value that contains the example; at %s%s this value shows it: %s", e.parent.path, e.child.path, render(inner.value))}
}

// about returns the branches in which the receiver's alternative refuses values by a member or an element.
func (c *comparer) about(v view, at *child) []*branch {
	switch {
	case at.element:
		return slices.DeleteFunc(breaking(v.to, "prefixItems", "items", "unevaluatedItems"), func(b *branch) bool {
			return b.keyword == "prefixItems" && b.breaks[0].item != at.index
		})
	case at.path == "."+at.name: // a member with this name, whichever keywords its schemas are from
		accepts, _ := inOrder(v.way, at.new, at.old)
		return branches(accepts.from, func(_ int, s *jsonschema.Schema) *branch {
			of := &jsonschema.Schema{Properties: []jsonschema.Property{{Name: at.name, Schema: s}}, Rare: &jsonschema.Rare{}}
			return &branch{keyword: "properties", kinds: kindObject, breaks: []breach{{of: of, keyword: "properties"}}}
		})
	}
	pattern := strings.TrimSuffix(strings.TrimPrefix(at.path, "{"), "}")
	if v.to.Object.pattern(pattern) != nil {
		return slices.DeleteFunc(breaking(v.to, "patternProperties"), func(b *branch) bool { return b.member() != pattern })
	}
	return slices.DeleteFunc(breaking(v.to, "patternProperties", "additionalProperties", "unevaluatedProperties"), func(b *branch) bool {
		return b.keyword == "patternProperties" && !jsonschema.Matches(b.member(), at.name)
	})
}

// around looks for a value of the sender's alternative that contains a value and that the receiver
// refuses.
func (c *comparer) around(v view, at *child, value any) answer {
	if !at.element && at.name == "" && at.path != "." {
		return answer{is: unknown} // no known name matches the pattern
	}
	kinds := kindObject
	if at.element {
		kinds = kindArray
	}
	return c.show(v, at.guard == guardUndeclared, &branch{kinds: kinds, holds: &holding{at, value}})
}

// hold is show for a member or the first element with a value, if no other one depends on it: only the required members
// need values. If it finds nothing, a search may. A member that the sender does not declare is sent only to a receiver
// that accepts the rest.
func (c *comparer) hold(v view, h *holding, sends *finder) (o answer) {
	simple := func(a *Alt) bool {
		return !a.conditional && len(a.dependent)+len(a.counts)+len(a.naming) == 0 && a.Low.Reach() <= 1
	}
	if h.index > 0 || !simple(v.from) || !simple(v.to) {
		return o
	}
	tries := [][]*jsonschema.Schema{slices.Concat(v.from.all, v.to.all)}
	if h.element || sends.declares(&v.from.way, h.name) {
		tries = append(tries, v.from.all)
	}
	for _, all := range tries {
		whole, is := c.whole(&way{all: all}, h)
		if is == found && c.satisfies(whole, v.from.accept...) && c.refuses(whole, v.accepts.from...) {
			return answer{is: found, value: whole}
		}
		if is != none {
			break
		}
	}
	return o
}

// whole returns an object with a member and those that a way requires, or an array with an element.
func (c *comparer) whole(w *way, h *holding) (whole any, is verdict) {
	if h.element {
		return []any{h.value}, found
	}
	if slices.ContainsFunc(w.members(h.name, ""), never) {
		return nil, none
	}
	object := map[string]any{h.name: h.value}
	is = found
	for _, s := range w.all {
		for _, name := range s.Required {
			if _, ok := object[name]; !ok {
				one := c.finder(nil).find(w.members(name, ""), nil, nil)
				object[name], is = one.value, min(is, one.is)
			}
		}
	}
	return object, is
}
