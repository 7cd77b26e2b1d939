// Package merge keeps what people have added to a list of tools when the list is imported again.
//
// It compares three texts: the file as people have left it (mine), the result of the last import (base), and
// the list of this import (theirs). A place that only people have changed stays as it is. One that only the
// server has changed gets the value of the server.
package merge

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/yaml"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Imported is a list that is imported into a file. The file may come from an earlier import and may have
// been edited since.
type Imported struct {
	// Name is the name of the file. It says whether the file is JSON or YAML.
	Name string
	// Mine is the text of the file, or nil if there is none.
	Mine []byte
	// Base is the Base that the last import of the file returned, or nil if it is not known. It distinguishes
	// what people have added from what the server no longer has.
	Base []byte
	// Theirs is the list as JSON: an object with some of the members tools, prompts, resources, resourceTemplates,
	// instructions and capabilities. What it does not have stays as it is.
	Theirs []byte
}

// Merged is the result of [Imported.Merge].
type Merged struct {
	// Text is the new text of the file, in the form that its name says.
	Text []byte
	// Base is what the next import of the file needs.
	Base []byte
	// Notes say what was kept, left out and replaced.
	Notes []string
}

// Merge returns the list with what people have added to the file. Where only people have changed something, their
// text stays. Where only the server has, its text replaces the old one. Where both have, the text of the people
// stays, with a note. Without a Base, Merge keeps only members that a server does not send, such as x-mcp-scopes and
// x-go-name.
//
// It returns an error if the file is not a list, and if the server no longer has an item that people have edited.
func (i Imported) Merge() (*Merged, error) {
	theirs, base := yaml.FromJSON(wire.Raw(i.Theirs)), nothing
	if i.Base != nil {
		base = yaml.FromJSON(wire.Raw(i.Base))
	}
	done := &Merged{Base: report.Indented([]byte(yaml.JSON(overlaid(base, theirs))), nil)}
	if len(bytes.TrimSpace(i.Mine)) == 0 {
		var err error
		done.Text, err = i.New()
		return done, err
	}
	mine, around, err := i.read()
	if err != nil {
		return nil, err
	}
	before := yaml.JSON(mine)
	mine = yaml.Expanded(mine) // an edit of a value must not be one of its aliases
	m := &merger{base: base, known: i.Base != nil}
	if !m.known {
		m.base = imported(mine, place{})
	}
	merged := m.list(mine, theirs)
	if len(m.gone) > 0 {
		return nil, &GoneError{i.Name, m.gone}
	}
	done.Notes = m.notes
	if wire.Equal(before, yaml.JSON(merged)) {
		done.Text = i.Mine
		return done, nil
	}
	done.Text, err = i.write(around(merged), mine)
	return done, err
}

// GoneError reports items that the server no longer has, although people have added to them.
type GoneError struct {
	name string
	gone []string // a line for each
}

// Error returns what to do about the items, and a line for each.
func (e *GoneError) Error() string {
	return fmt.Sprintf("the server no longer has items of %[1]s that you have edited, so nothing was written: give each the new name that the server has for it, or delete it from %[1]s, and import again\n\t%[2]s",
		e.name, strings.Join(e.gone, "\n\t"))
}

// Check returns an error if the file is not a list, which an import must not overwrite. It returns nil for an
// empty file.
func (i Imported) Check() error {
	if len(bytes.TrimSpace(i.Mine)) == 0 {
		return nil
	}
	_, _, err := i.read()
	return err
}

// New returns the text of a new file with the list.
func (i Imported) New() ([]byte, error) { return i.write(yaml.FromJSON(wire.Raw(i.Theirs)), nil) }

// read returns the list in the file, and a function that returns the document with another one in its place.
func (i Imported) read() (list *yaml.Node, around func(*yaml.Node) *yaml.Node, err error) {
	value, err := catalog.JSON(i.Name, i.Mine)
	if err != nil {
		return nil, nil, i.refused(err)
	}
	in := wire.NewStringReader(string(value))
	in.ReadRaw()
	in.End()
	if e, ok := errors.AsType[*wire.Error](in.Err()); ok {
		return nil, nil, i.refused(&yaml.Error{Pointer: e.Pointer, Problem: e.Problem})
	}
	root := yaml.FromJSON(wire.Raw(value))
	if catalog.IsYAML(i.Name, i.Mine) && string(value) != string(i.Mine) {
		docs, err := yaml.Parse(i.Mine)
		if err != nil {
			return nil, nil, i.refused(err)
		}
		root = docs[0]
	}
	around = func(n *yaml.Node) *yaml.Node { return n }
	if _, ok := yaml.Elements(root); ok {
		around = func(n *yaml.Node) *yaml.Node {
			if members, _ := yaml.Members(n); len(members) == 1 { // nothing but tools
				return members[0].Value
			}
			return n
		}
		root = yaml.Object(nil, []yaml.Member{{Name: "tools", Value: root}})
	}
	list = root
	if result := member(root, "result"); result != nothing {
		list = result
		around = func(n *yaml.Node) *yaml.Node { return with(root, "result", n) }
	}
	if !slices.ContainsFunc(tools.AllKinds, func(l tools.KindOfItem) bool {
		_, ok := yaml.Elements(member(list, string(l.Kind)))
		return ok
	}) {
		return nil, nil, i.refused(errors.New(`it has no list "tools", "prompts", "resources" or "resourceTemplates"`))
	}
	for _, l := range tools.AllKinds {
		seen := map[string]bool{}
		elements, _ := yaml.Elements(member(list, string(l.Kind)))
		for _, element := range elements {
			id := idOf(element, l.Key)
			if id == "" || seen[id] {
				return nil, nil, i.refused(fmt.Errorf("an element of %q has no %q, or that of another one", string(l.Kind), l.Key))
			}
			seen[id] = true
		}
	}
	return list, around, nil
}

// refused is the error about a file that is not a list.
func (i Imported) refused(why error) error {
	return fmt.Errorf("%s: is not a list of tools, so it is not overwritten: %w", i.Name, why)
}

// write returns a list in the form that the name of the file says. Like is a list with the indentation, or nil.
func (i Imported) write(list, like *yaml.Node) ([]byte, error) {
	if catalog.IsYAML(i.Name, nil) {
		return yaml.Write(list, like)
	}
	return report.Indented([]byte(yaml.JSON(list)), i.Mine), nil
}

// overlaid returns an object in which the members of another one are added or replace those with
// the same names.
func overlaid(base, theirs *yaml.Node) *yaml.Node {
	if base == nothing {
		return theirs
	}
	members, _ := yaml.Members(theirs)
	for _, m := range members {
		base = with(base, m.Name, m.Value)
	}
	return base
}

// nothing stands for a value that is absent.
var nothing = &yaml.Node{}

// member returns the value of a member of a mapping, or nothing.
func member(n *yaml.Node, name string) *yaml.Node {
	members, _ := yaml.Members(n)
	for _, m := range members {
		if m.Name == name {
			return m.Value
		}
	}
	return nothing
}

// with returns a mapping with another value of a member, which is added if there is none.
func with(n *yaml.Node, name string, value *yaml.Node) *yaml.Node {
	members, _ := yaml.Members(n)
	members = slices.Clone(members)
	if i := slices.IndexFunc(members, func(m yaml.Member) bool { return m.Name == name }); i >= 0 {
		members[i].Value = value
	} else {
		members = append(members, yaml.Member{Name: name, Value: value})
	}
	return yaml.Object(n, members)
}

func same(a, b *yaml.Node) bool { return wire.Equal(yaml.JSON(a), yaml.JSON(b)) }

// merger merges the lists of one import.
type merger struct {
	// base is the result of the last import. If that is not known, base is the file without what servers do not send,
	// so that the members of people stay and everything else follows the server.
	base  *yaml.Node
	known bool
	notes []string
	gone  []string
}

func (m *merger) note(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

// list merges what a server offers.
func (m *merger) list(mine, theirs *yaml.Node) *yaml.Node {
	offers, _ := yaml.Members(theirs)
	for _, offer := range offers {
		old, base := member(mine, offer.Name), member(m.base, offer.Name)
		if old == nothing && base != nothing {
			m.note("left out: the member %s, which you have deleted", offer.Name)
			continue
		}
		i := slices.IndexFunc(tools.AllKinds, func(l tools.KindOfItem) bool { return string(l.Kind) == offer.Name })
		switch {
		case old == nothing:
			mine = with(mine, offer.Name, offer.Value)
		case i >= 0:
			mine = with(mine, offer.Name, m.items(tools.AllKinds[i].Key, tools.AllKinds[i].Noun, old, base, offer.Value))
		default:
			v := &value{known: m.known}
			mine = with(mine, offer.Name, v.merge(place{at: "/" + offer.Name}, old, base, offer.Value))
			m.report("the list", v)
		}
	}
	return mine
}

// items merges a list of items, in the order of the server. An item that people have added comes after the item that
// it follows in mine.
func (m *merger) items(key, noun string, mine, base, theirs *yaml.Node) *yaml.Node {
	mines, bases, news := keyed(mine, key), keyed(base, key), keyed(theirs, key)
	var merged []*yaml.Node
	for _, name := range news.names {
		now, old, was := news.get(name), mines.get(name), bases.get(name)
		switch {
		case old != nothing:
			if was == nothing {
				was = renamedBy(old, key, mines, bases, news)
			}
			v := &value{known: m.known}
			merged = append(merged, v.merge(place{}, old, was, now))
			m.report(noun+" "+name, v)
		case was != nothing:
			m.note("left out: %s %s, which you have deleted", noun, name)
		default:
			merged = append(merged, now)
		}
	}
	for i, name := range mines.names {
		if news.get(name) != nothing {
			continue
		}
		old, was := mines.get(name), bases.get(name)
		edits, others := edited("", old, was), []string(nil)
		if !m.known {
			edits, others = ofMcpgen(edits)
		}
		switch {
		case was == nothing: // people have added it
			after := 0
			if i > 0 {
				after = 1 + slices.IndexFunc(merged, func(n *yaml.Node) bool { return idOf(n, key) == mines.names[i-1] })
			}
			merged = slices.Insert(merged, after, old)
			m.note("kept: %s %s, which you have added", noun, name)
		case len(edits) > 0:
			line := fmt.Sprintf("%s %s, with %s", noun, name, some(edits))
			if now := renamed(old, name, mines, news); now != "" {
				line += fmt.Sprintf(" (is it %s now?)", now)
			}
			m.gone = append(m.gone, line)
		case len(others) > 0:
			m.note("removed: %s %s, which the server no longer has, with %s", noun, name, some(others))
		default:
			m.note("removed: %s %s, which the server no longer has", noun, name)
		}
	}
	return yaml.List(mine, merged)
}

// ofMcpgen divides pointers into those of members that only mcpgen reads, which people have written, and others, which
// the server may have sent.
func ofMcpgen(pointers []string) (own, others []string) {
	for _, pointer := range pointers {
		name := pointer[strings.LastIndexByte(pointer, '/')+1:]
		if strings.HasPrefix(name, "x-mcp-") || jsonschema.ForGo(name) {
			own = append(own, pointer)
		} else {
			others = append(others, pointer)
		}
	}
	return own, others
}

// renamed returns the name of a new item that is probably an old one under another name, or "".
func renamed(old *yaml.Node, name string, mines, news keyedItems) string {
	var fresh []string
	for _, candidate := range news.names {
		if mines.get(candidate) == nothing {
			fresh = append(fresh, candidate)
		}
	}
	for _, part := range []string{"inputSchema", "description", "title"} {
		value := member(old, part)
		if value == nothing {
			continue
		}
		var like []string
		for _, candidate := range fresh {
			if now := member(news.get(candidate), part); now != nothing {
				if _, others := ofMcpgen(edited("", value, now)); len(others) == 0 {
					like = append(like, candidate)
				}
			}
		}
		if len(like) == 1 {
			return like[0]
		}
	}
	near, _ := schema.Nearest(name, fresh, len(name)/2)
	return near
}

// report notes what has become of the edits in a value.
func (m *merger) report(what string, v *value) {
	for _, outcome := range []struct {
		format   string
		pointers []string
	}{
		{"kept: %s: %s", v.kept},
		{"kept as you have it, although the server has changed it, too: %s: %s", v.both},
		{"not kept: %s: %s, which the server has changed or no longer has", v.lost},
	} {
		if len(outcome.pointers) > 0 {
			m.note(outcome.format, what, some(outcome.pointers))
		}
	}
	if len(v.replaced) > 0 && !m.known { // people may have changed it
		m.note("replaced: %s: %s, which the server sends otherwise or not at all; from now on, mcpgen keeps what you change", what, some(v.replaced))
	}
}

// renamedBy returns the base of an item that people have renamed as the server has, or nothing.
func renamedBy(old *yaml.Node, key string, mines, bases, news keyedItems) *yaml.Node {
	base, fewest := nothing, len(edited("", old, yaml.Object(nil, nil)))
	for _, name := range bases.names {
		if mines.get(name) == nothing && news.get(name) == nothing {
			if edits := edited("", old, bases.get(name)); len(edits) < fewest && slices.Contains(edits, "/"+key) {
				base, fewest = with(bases.get(name), key, member(old, key)), len(edits)
			}
		}
	}
	return base
}

// mostNamed is how many places a note names.
const mostNamed = 8

// some returns pointers for a note.
func some(pointers []string) string {
	text := strings.Join(pointers[:min(len(pointers), mostNamed)], ", ")
	if more := len(pointers) - mostNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// keyedItems are the items of a list by the member that identifies them.
type keyedItems struct {
	names []string
	items map[string]*yaml.Node
}

// get returns the item with a name, or nothing.
func (k keyedItems) get(name string) *yaml.Node { return cmp.Or(k.items[name], nothing) }

func keyed(list *yaml.Node, key string) keyedItems {
	k := keyedItems{items: map[string]*yaml.Node{}}
	elements, _ := yaml.Elements(list)
	for _, element := range elements {
		if name := idOf(element, key); name != "" && k.get(name) == nothing {
			k.names = append(k.names, name)
			k.items[name] = element
		}
	}
	return k
}

// idOf returns the value of the member that identifies an item.
func idOf(item *yaml.Node, key string) string {
	text, _ := yaml.Text(member(item, key))
	return text
}
