package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/yaml"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// value is the merge of one value. It notes the pointers of the places at which people have changed something.
type value struct {
	known    bool     // as in merger
	kept     []string // the server has not changed the place, or does not have it
	both     []string // the server has changed the place, too; that of people is kept
	lost     []string // the server no longer has the place
	replaced []string // only the server has changed the place, as far as the base tells
}

// place is a place that is merged.
type place struct {
	at string // the pointer in mine
	// names means that the members of the object have names that people choose, such as those of properties, and
	// data that the whole value is data.
	names, data bool
}

// holdsData has the members whose values are data.
var holdsData = map[string]bool{"_meta": true, "default": true, "const": true, "enum": true, "examples": true}

// within returns the place of a member.
func (p place) within(name string) place {
	inner := place{at: wire.ChildPointer(p.at, name), names: p.data, data: p.data}
	if !p.names && !p.data {
		inner.names, inner.data = holdsData[name] || jsonschema.Holds(name, wire.KindObject) == jsonschema.NamedForm, holdsData[name]
	}
	return inner
}

// element returns the place of an element.
func (p place) element(i int) place {
	p.at = fmt.Sprintf("%s/%d", p.at, i)
	return p
}

// headerAnnotation is a member of schemas that begins with x- although the protocol defines it.
const headerAnnotation = "x-mcp-header"

// isOwn reports whether a member is one that servers do not send.
func (p place) isOwn(name string) bool {
	return !p.names && strings.HasPrefix(name, "x-") && name != headerAnnotation && name != tools.MemberOperation
}

// imported returns a value without the members that servers do not send.
func imported(n *yaml.Node, p place) *yaml.Node {
	if members, ok := yaml.Members(n); ok {
		var sent []yaml.Member
		for _, m := range members {
			if !p.isOwn(m.Name) {
				m.Value = imported(m.Value, p.within(m.Name))
				sent = append(sent, m)
			}
		}
		return yaml.Object(n, sent)
	}
	if elements, ok := yaml.Elements(n); ok {
		var sent []*yaml.Node
		for _, element := range elements {
			sent = append(sent, imported(element, p))
		}
		return yaml.List(n, sent)
	}
	return n
}

// edited returns the pointers of the places in which a value differs from what it was: changed, added and deleted.
func edited(at string, now, was *yaml.Node) []string {
	if same(now, was) {
		return nil
	}
	var all []string
	nows, isObject := yaml.Members(now)
	before, wasObject := yaml.Members(was)
	if isObject && wasObject {
		for _, m := range nows {
			if old := member(was, m.Name); old == nothing {
				all = append(all, wire.ChildPointer(at, m.Name))
			} else {
				all = append(all, edited(wire.ChildPointer(at, m.Name), m.Value, old)...)
			}
		}
		for _, m := range before {
			if member(now, m.Name) == nothing {
				all = append(all, wire.ChildPointer(at, m.Name)+deleted)
			}
		}
		return all
	}
	elements, isList := yaml.Elements(now)
	olds, wasList := yaml.Elements(was)
	if isList && wasList && len(elements) == len(olds) && !scalars(elements, olds) {
		for i := range elements {
			all = append(all, edited(fmt.Sprintf("%s/%d", at, i), elements[i], olds[i])...)
		}
		return all
	}
	return []string{at}
}

// deleted is appended to the pointer of a member that people have deleted.
const deleted = " (deleted)"

// scalars reports whether lists have nothing but scalars.
func scalars(lists ...[]*yaml.Node) bool {
	return !slices.ContainsFunc(slices.Concat(lists...), func(n *yaml.Node) bool {
		_, scalar := yaml.Text(n)
		return !scalar
	})
}

// merge returns a merged value. Base is what it was after the last import.
func (v *value) merge(p place, mine, base, theirs *yaml.Node) *yaml.Node {
	if same(mine, theirs) {
		return mine
	}
	if base != nothing && same(base, theirs) {
		v.kept = append(v.kept, edited(p.at, mine, base)...)
		return mine
	}
	_, mineObject := yaml.Members(mine)
	_, theirObject := yaml.Members(theirs)
	if mineObject && theirObject {
		return v.objects(p, mine, base, theirs)
	}
	mines, mineList := yaml.Elements(mine)
	news, theirList := yaml.Elements(theirs)
	if mineList && theirList {
		if !scalars(mines, news) {
			return yaml.List(mine, v.elements(p, mines, base, news))
		}
		return yaml.List(mine, v.set(p, mines, base, news))
	}
	if base != nothing && (!v.known || same(base, mine)) {
		v.drop(p, mine, base)
		return commented(theirs, mine)
	}
	v.both = append(v.both, p.at)
	return mine
}

// commented returns a value with the comments of the one that it replaces.
func commented(n, of *yaml.Node) *yaml.Node {
	c := *n
	c.HeadComment, c.LineComment, c.FootComment = of.HeadComment, of.LineComment, of.FootComment
	return &c
}

// objects merges the members of objects, in the order of mine. New members follow those that they follow in theirs.
func (v *value) objects(p place, mine, base, theirs *yaml.Node) *yaml.Node {
	var merged []yaml.Member
	mines, _ := yaml.Members(mine)
	for _, m := range mines {
		inner, now, before := p.within(m.Name), member(theirs, m.Name), member(base, m.Name)
		switch {
		case now != nothing && before == nothing && p.isOwn(m.Name):
			if same(m.Value, now) {
				v.kept = append(v.kept, inner.at)
			} else {
				v.both = append(v.both, inner.at)
			}
		case now != nothing:
			m.Value = v.merge(inner, m.Value, before, now)
		case before == nothing:
			v.kept = append(v.kept, inner.at)
		default:
			v.drop(inner, m.Value, before)
			continue
		}
		merged = append(merged, m)
	}
	after := 0
	news, _ := yaml.Members(theirs)
	for _, m := range news {
		if i := slices.IndexFunc(merged, func(old yaml.Member) bool { return old.Name == m.Name }); i >= 0 {
			after = i + 1
			continue
		}
		if before := member(base, m.Name); before != nothing { // people have deleted it
			if at := wire.ChildPointer(p.at, m.Name) + deleted; same(before, m.Value) {
				v.kept = append(v.kept, at)
			} else {
				v.both = append(v.both, at)
			}
			continue
		}
		merged = slices.Insert(merged, after, yaml.Member{Name: m.Name, Value: m.Value})
		after++
	}
	return yaml.Object(mine, merged)
}

// drop notes what is lost with a value that the server no longer has.
func (v *value) drop(p place, mine, base *yaml.Node) {
	lost := edited(p.at, mine, base)
	if v.lost = append(v.lost, lost...); lost == nil {
		v.replaced = append(v.replaced, p.at)
	}
}

// set merges arrays of scalars.
func (v *value) set(p place, mines []*yaml.Node, base *yaml.Node, news []*yaml.Node) []*yaml.Node {
	bases, _ := yaml.Elements(base)
	inMine, inBase, inNews := texts(mines), texts(bases), texts(news)
	var merged []*yaml.Node
	edits := false
	for _, n := range news {
		if text := yaml.JSON(n); inMine[text] || !inBase[text] {
			merged = append(merged, n)
		} else {
			edits = true // people have deleted it
		}
	}
	for _, n := range mines {
		if text := yaml.JSON(n); !inBase[text] && !inNews[text] {
			merged, edits = append(merged, n), true
		}
	}
	if edits {
		v.kept = append(v.kept, p.at)
	} else {
		v.replaced = append(v.replaced, p.at)
	}
	return merged
}

// texts returns the texts of values.
func texts(all []*yaml.Node) map[wire.Raw]bool {
	set := map[wire.Raw]bool{}
	for _, n := range all {
		set[yaml.JSON(n)] = true
	}
	return set
}

// elements merges other arrays: objects with names by name, and other elements of theirs with equal ones of the base,
// or else with those at the same index.
func (v *value) elements(p place, mines []*yaml.Node, base *yaml.Node, news []*yaml.Node) []*yaml.Node {
	bases, _ := yaml.Elements(base)
	before := func(i int) *yaml.Node {
		if i < len(bases) {
			return bases[i]
		}
		return nothing
	}
	left := map[wire.Raw]int{} // how many elements of the base with a text are not among those of theirs so far
	for _, n := range bases {
		left[yaml.JSON(n)]++
	}
	pairs, taken := pair(mines, bases, news), map[int]bool{}
	var merged []*yaml.Node
	for j, n := range news {
		text := yaml.JSON(n)
		if i := pairs[j]; i >= 0 {
			taken[i] = true
			merged = append(merged, v.merge(p.element(i), mines[i], before(i), n))
		} else if left[text] <= 0 { // otherwise people have deleted it
			merged = append(merged, n)
		}
		left[text]--
	}
	for i, n := range mines {
		switch {
		case taken[i]:
		case before(i) == nothing:
			merged = append(merged, n)
			v.kept = append(v.kept, p.element(i).at)
		default:
			v.drop(p.element(i), n, before(i))
		}
	}
	return merged
}

// pair returns the index of the element of mine for each one of theirs, or -1.
func pair(mines, bases, news []*yaml.Node) []int {
	pairs, used := make([]int, len(news)), map[int]bool{}
	claim := func(j int, fits func(i int) bool) bool {
		for i := range mines {
			if !used[i] && fits(i) {
				pairs[j], used[i] = i, true
				return true
			}
		}
		return false
	}
	var rest []int
	for j, n := range news {
		pairs[j] = -1
		if id := idOf(n, "name"); id != "" {
			claim(j, func(i int) bool { return idOf(mines[i], "name") == id })
		} else if !claim(j, func(i int) bool { return i < len(bases) && same(bases[i], n) || same(mines[i], n) }) {
			rest = append(rest, j)
		}
	}
	for _, j := range rest {
		claim(j, func(i int) bool { return i == j })
	}
	return pairs
}
