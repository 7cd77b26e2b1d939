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

// told is a reported change of a message.
type told struct {
	*change
	node *node
	ways [2]outcome
	// subject is the path of the change, if it is not a place in the schemas.
	subject string
}

// outcome is the effect of a change on whole messages in one direction.
type outcome struct {
	state certainty
	// values are messages that the sender may send and the receiver refuses.
	values []any
	// why says why there is no such message although there is a change.
	why string
	// sure means that the change affects messages, even without an example.
	sure bool
}

// noExample says that there is no example for no specific reason.
const noExample = "none of the tried values shows the change"

// certainty says what is known about a direction, in increasing order.
type certainty int

const (
	refuted  certainty = iota // the change affects no value
	lost                      // the receiver accepts the values as another variant
	unproven                  // no value was found
	noted                     // the change is reported whatever the values are
	shown
)

// messages compares two shapes of whole messages. Changes of a pair precede those of the pairs
// that it contains.
func (c *comparer) messages(old, new *Shape, path string) (list []*told, problem string) {
	c.documents = [2]*jsonschema.Schema{c.documentOf(old), c.documentOf(new)}
	root := &node{path: path}
	nodes := map[setPair]*node{{old.set, new.set}: root}
	queue := []*node{root}
	root.pairing = c.pair(old, new)
	words := map[shapePair]bool{}
	tell := func(old, new *Shape, path string) {
		if words[shapePair{old, new}] {
			return
		}
		words[shapePair{old, new}] = true
		for _, ch := range c.told(old, new) {
			at := &node{pairing: &pairing{old: old, new: new}, path: path}
			list = append(list, &told{change: ch, node: at})
		}
	}
	tell(old, new, path)
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		for _, below := range n.children {
			tell(below.old, below.new, n.path+below.path)
			key := setPair{below.old.set, below.new.set}
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
			t := &told{change: ch, node: n}
			if proved[t.key()] {
				continue // the same change was found closer to the root
			}
			for way := range t.ways {
				t.ways[way] = c.outcome(ch, n, way, root)
			}
			proved[t.key()] = t.ways[narrows].state == shown || t.ways[widens].state == shown
			list = append(list, t)
		}
	}
	for _, v := range root.views(nil, nil) {
		single(list, v.way)
		list = c.settle(list, root, v)
	}
	return list, problem
}

// single keeps one of the undecided changes of conditions that both sides write alike. Such a condition only refers to
// what has changed, and among definitions that refer to each other, each of them has one.
func single(list []*told, way int) {
	var kept *told
	for _, t := range list {
		if !t.condition || t.own || t.ways[way].state != unproven {
			continue
		}
		if kept == nil || cmp.Or(len(t.node.path)-len(kept.node.path), strings.Compare(t.node.path, kept.node.path)) < 0 {
			kept, t = t, kept
		}
		if t != nil {
			t.ways[way].state = refuted
		}
	}
}

// settle decides what the changes in list leave open in one direction, by a value of the whole message.
// A proof that there is none refutes the changes without an example. A value is the example of one of
// these, or of a change whose other values the receiver accepts as another variant, or else of a change that is named
// by the keyword that refuses it.
func (c *comparer) settle(list []*told, root *node, v view) []*told {
	var open *told
	for _, t := range list {
		switch state := t.ways[v.way].state; {
		case state == shown:
			return list
		case state == unproven, state == lost && open == nil:
			open = t
		}
	}
	a := c.find(v.sends, v.accepts)
	switch {
	case a.is == none:
		for _, t := range list {
			if o := &t.ways[v.way]; o.state == unproven && !o.sure {
				o.state = refuted
			}
		}
	case a.is == found && open != nil:
		open.ways[v.way] = outcome{state: shown, values: []any{a.value}}
	case a.is == found:
		list = append(list, c.unnamed(root, v, a.value))
	}
	return list
}

// unnamed returns a change of the keyword that refuses a value.
func (c *comparer) unnamed(root *node, v view, value any) *told {
	f := c.finder(nil)
	refuses := v.accepts.from[slices.IndexFunc(v.accepts.from, func(s *jsonschema.Schema) bool { ok, _ := f.accepts(s, value); return !ok })]
	at, keyword, path := f.culprit(refuses, value, root.path)
	ch := &change{rule: "constraint-changed", args: []string{strconv.Quote(keyword)}, old: Place{Path: path}, new: Place{Path: path}}
	ch.place(v.way, nil, &Alt{Where: Place{path, at.Pointer}})
	one := &told{change: ch, node: root}
	one.ways[v.way] = outcome{state: shown, values: []any{value}}
	return one
}

// key identifies a change by the places of the definitions that it is between. A member that one
// side lacks is identified by its place on the other side, wherever the lacking side uses the
// definition.
func (t *told) key() string {
	old, new := t.places()
	switch {
	case t.lackedByOld && new.Path != "":
		old = Place{}
	case t.lackedByNew && old.Path != "":
		new = Place{}
	}
	return strings.Join(append([]string{t.rule, old.Pointer, new.Pointer, t.below}, t.args...), separator)
}

// outcome determines the effect of a direction of a change on whole messages.
func (c *comparer) outcome(ch *change, n *node, way int, root *node) outcome {
	w := ch.ways[way]
	effect := c.rules.rule(ch.rule).Effect
	if way == widens {
		effect = effect.Mirror()
	}
	if ch.noted && effect.Narrows() {
		return outcome{state: noted}
	}
	if !effect.Narrows() || w.refuted() {
		return outcome{state: refuted}
	}
	if len(w.values) > 0 {
		return c.lift(n, w.values, &climb{way, root, map[*node]bool{}})
	}
	switch {
	case w.sure:
		return outcome{state: unproven, sure: true, why: w.why}
	case !w.open && w.lost:
		return outcome{state: lost}
	case !w.open:
		return outcome{state: refuted}
	}
	for at := n; ; at = at.up[0].parent { // a value that is refused here may be accepted further up
		if v := at.views(nil, nil)[way]; c.find(v.sends, v.accepts).is == none {
			return outcome{state: refuted}
		}
		if at == root || len(at.up) == 0 {
			break
		}
	}
	return outcome{state: unproven, why: cmp.Or(w.why, noExample)}
}

// climb holds the state of lifting values to whole messages.
type climb struct {
	way  int
	root *node
	// seen has the pairs that were visited.
	seen map[*node]bool
}

// lift puts values into the values that contain them, up to whole messages.
func (c *comparer) lift(n *node, values []any, up *climb) outcome {
	if n == up.root {
		return outcome{state: shown, values: values}
	}
	best := outcome{state: refuted}
	tried := false
	for _, e := range n.up {
		if up.seen[e.parent] || len(up.seen) > mostLifts || c.exhausted() {
			continue
		}
		up.seen[e.parent] = true
		o := c.liftBy(e, values, up)
		if o.state > best.state || best.why == "" && o.state == best.state {
			best = o
		}
		tried = true
		if best.state == shown {
			break
		}
	}
	if !tried {
		return outcome{state: unproven, why: "no containing value was found"}
	}
	return best
}

// liftBy puts values into the values of one containing pair.
func (c *comparer) liftBy(e edge, values []any, up *climb) outcome {
	v := e.parent.views(e.child.oldAlt, e.child.newAlt)[up.way]
	if !c.affords(v) {
		return outcome{state: unproven, sure: true, why: tooLarge}
	}
	result := oneWay{}
	for _, value := range values {
		result.join(c.around(v, e.child, value))
		if len(result.values) > 0 {
			return c.lift(e.parent, result.values, up)
		}
	}
	switch {
	case result.lost:
		return outcome{state: lost}
	case result.known, c.find(v.sends, v.accepts).is == none:
		return outcome{state: refuted}
	}
	return outcome{state: unproven, why: fmt.Sprintf("mcpgen cannot make a value that contains the example; at %s%s this value shows it: %s", e.parent.path, e.child.path, render(values[0]))}
}

// around looks for a value of the sender's alternative that contains a value and that the receiver
// refuses.
func (c *comparer) around(v view, at *child, value any) oneWay {
	if !at.element && at.name == "" && at.path != "." {
		return oneWay{open: true} // no known name matches the pattern
	}
	b := &branch{kinds: kindArray}
	if !at.element {
		b = &branch{kinds: kindObject}
	}
	f := func(preferring bool) *finder {
		if preferring || at.guard == guardUndeclared {
			return c.finder(nil)
		}
		return c.finder(c.documents[v.way])
	}
	for _, preferring := range []bool{true, false} {
		w := v.start(preferring, b).with(b)
		if at.element {
			w.pinned, w.at, w.element = true, at.index, value
		} else {
			w.fixed = map[string]any{at.name: value}
		}
		a := f(preferring).search(w, v.from.all, v.from.refused, nil)
		switch {
		case a.is == found:
			return oneWay{values: []any{a.value}}
		case preferring:
			continue
		case a.is == none:
			return oneWay{open: true}
		}
		w.test = nil
		if a := f(preferring).search(w, v.from.all, v.from.refused, nil); a.is == found {
			knows := v.accepts.knows(a.value)
			return oneWay{known: knows, lost: !knows}
		}
	}
	return oneWay{open: true}
}
