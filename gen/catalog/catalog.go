// Package catalog reads the description of a server: its tools, prompts, resources and
// resource templates, its instructions and its capabilities.
//
// It is used for comparisons, so it accepts the forms in which such lists are stored and
// sent: an array of tools; an object with some of the members tools, prompts, resources,
// resourceTemplates, instructions and capabilities; responses that contain these, alone, in
// pages or among other messages; as JSON, JSON lines, JSON with comments, YAML or an event
// stream. It adds a note for anything in them that it cannot read. Package tools parses the
// tools themselves.
//
// Terms: a part is one of those members. A piece is an object that has some of them. A
// catalog is the sum of all pieces of a text.
package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Part names one kind of content of a catalog. It is that of items, or one of the others below.
type Part = tools.ItemKind

// The parts. Their values are the names of the members in results.
const (
	Tools        Part = "tools"
	Prompts      Part = "prompts"
	Resources    Part = "resources"
	Templates    Part = "resourceTemplates"
	Instructions Part = "instructions"
	Capabilities Part = "capabilities"
)

// Catalog describes what a server offers.
type Catalog struct {
	// Tools is never nil.
	Tools *tools.List
	// Prompts, Resources and Templates are in the order of the text. Keys are unique within
	// each list.
	Prompts, Resources, Templates []*Entry
	Instructions                  string
	Capabilities                  wire.Object
	// Has records which parts the text contains.
	Has map[Part]bool
	// Whole means that the text is a single object with parts, so that the server has no
	// list that the text does not contain.
	Whole bool
	// Definitions are all entries of the lists as they are written, also those that the fields
	// above leave out.
	Definitions []Definition
	// Notes report what was left out and what was not read as written.
	Notes []*tools.Error
}

// Entry is a prompt, a resource or a resource template.
type Entry struct {
	// Key is the prompt's name, the resource's URI or the URI template.
	Key string
	// Definition is the text of the entry as a server sends it, without white space. Source also
	// has the members that only generators read, see [tools.Served].
	Definition, Source wire.Object
	// Pointer is the place of the entry in the text.
	Pointer string
}

// Definition is one entry of a list, before anything in it is checked.
type Definition struct {
	Part Part
	// Name is the name of a tool whose list is an object of tools by name, or "".
	Name string
	Text wire.Raw
	// Pointer is the place of the definition in the text.
	Pointer string
}

// ErrNone reports that a text is JSON or YAML without any part of a catalog.
var ErrNone = errors.New(`expected a list of tools (an array of them, or "tools", "prompts", "resources" or "resourceTemplates" in an object), found none`)

// Read parses a catalog. Name is the name of the file, see [IsYAML]. An error with a place
// in the text is a [*SyntaxError].
func Read(name string, text []byte) (*Catalog, error) {
	docs, notes, err := documents(name, text)
	if err != nil {
		return nil, err
	}
	r := &reader{catalog: &Catalog{Has: map[Part]bool{}}, keys: map[Part]map[string]*Entry{}, next: map[Part]string{}}
	for _, note := range notes {
		r.tools.Note("", note)
	}
	for _, doc := range docs {
		r.find(doc.at, doc.text, 0)
	}
	c := r.catalog
	if !r.found {
		return nil, ErrNone
	}
	for part, at := range r.next {
		r.tools.Note(at, fmt.Sprintf("the list of %s goes on, and its other pages are not here: they are not compared", part))
	}
	c.Whole = len(docs) == 1 && r.pieces == 1 && r.whole
	c.Tools, c.Notes = &r.tools.List, r.tools.Notes
	return c, nil
}

type reader struct {
	catalog *Catalog
	tools   tools.Lenient
	keys    map[Part]map[string]*Entry
	// next holds the places of cursors whose page has not been read.
	next map[Part]string
	// pieces counts the pieces. whole means that the last one was the whole text.
	pieces       int
	whole, found bool
}

// mostLevels is the maximum depth at which pieces are searched for.
const mostLevels = 8

// find reads the pieces in a value.
func (r *reader) find(at string, raw wire.Raw, level int) {
	if level > mostLevels {
		return
	}
	switch raw.Kind() {
	case wire.KindArray:
		all := raw.Elements()
		if level == 0 && isTools(all) {
			r.pieces++
			r.add(at, all)
			return
		}
		for i, element := range all {
			r.find(at+"/"+strconv.Itoa(i), element, level+1)
		}
	case wire.KindObject:
		o := wire.Object(raw)
		if isPiece(o, level) {
			r.piece(at, o, level)
			return
		}
		_, message := o.Get("method")
		for name, value := range o.All() {
			if !message || name != "params" { // the params of a request do not describe the server
				r.find(wire.ChildPointer(at, name), value, level+1)
			}
		}
	}
}

// isTools distinguishes an array of tools from one of messages or pages.
func isTools(all []wire.Raw) bool {
	for _, element := range all {
		if element.Kind() != wire.KindObject {
			continue
		}
		o := wire.Object(element)
		for _, name := range []string{"jsonrpc", "result", string(Tools), string(Prompts), string(Resources), string(Templates), "message"} {
			if _, ok := o.Get(name); ok {
				return false
			}
		}
	}
	return len(all) == 0 || slices.ContainsFunc(all, func(raw wire.Raw) bool {
		if raw.Kind() != wire.KindObject {
			return false
		}
		_, named := wire.Object(raw).Get("name")
		_, function := wire.Object(raw).Get("function")
		return named || function
	})
}

// isPiece reports whether an object itself has parts.
func isPiece(o wire.Object, level int) bool {
	if _, message := o.Get("method"); message {
		return false
	}
	for _, k := range tools.AllKinds {
		if raw, ok := o.Get(string(k.Kind)); ok && raw.Kind() == wire.KindArray {
			return true
		}
	}
	if byName, ok := o.Get(string(Tools)); ok && level <= 1 && isByName(byName) {
		return true
	}
	_, declared := o.Get(string(Capabilities))
	_, revision := o.Get("protocolVersion")
	_, server := o.Get("serverInfo")
	return declared && (revision || server)
}

// isByName distinguishes an object of tools by name from the capability with the same name.
func isByName(raw wire.Raw) bool {
	if raw.Kind() != wire.KindObject || wire.Object(raw).Len() == 0 {
		return false
	}
	for _, value := range wire.Object(raw).All() {
		if value.Kind() != wire.KindObject {
			return false
		}
	}
	return true
}

func (r *reader) piece(at string, o wire.Object, level int) {
	c := r.catalog
	r.pieces++
	r.found = true
	_, message := o.Get("jsonrpc")
	r.whole = level == 0 && !message
	if raw, ok := o.Get(string(Tools)); ok {
		here := at + "/tools"
		if raw.Kind() == wire.KindArray {
			r.add(here, raw.Elements())
		} else if isByName(raw) {
			c.Has[Tools] = true
			for name, definition := range wire.Object(raw).All() {
				r.tool(wire.ChildPointer(here, name), name, definition)
			}
		}
	}
	for _, k := range tools.ItemKinds {
		if raw, ok := o.Get(string(k.Kind)); ok && raw.Kind() == wire.KindArray {
			r.entries(k.Kind, k.Key, at+"/"+string(k.Kind), raw)
		}
	}
	if raw, ok := o.Get(string(Instructions)); ok {
		if text, isText := raw.Str(); isText {
			c.Has[Instructions], c.Instructions = true, text
		}
	}
	if raw, ok := o.Get(string(Capabilities)); ok && raw.Kind() == wire.KindObject {
		c.Has[Capabilities], c.Capabilities = true, wire.Object(raw)
		c.Has[Instructions] = c.Has[Instructions] || isHandshake(o)
	}
	r.cursor(at, o)
}

// isHandshake reports whether a piece is the result of initialize. It contains the
// instructions, if the server has any.
func isHandshake(o wire.Object) bool {
	_, revision := o.Get("protocolVersion")
	_, server := o.Get("serverInfo")
	return revision && server
}

// cursor records that a list has another page, and forgets it when that page is read.
func (r *reader) cursor(at string, o wire.Object) {
	next, ok := o.Get("nextCursor")
	text, isText := next.Str()
	goes := ok && next.Kind() != wire.KindNull && !(isText && text == "")
	for _, k := range tools.AllKinds {
		if _, has := o.Get(string(k.Kind)); !has {
			continue
		}
		delete(r.next, k.Kind)
		if goes {
			r.next[k.Kind] = at + "/nextCursor"
		}
	}
}

func (r *reader) add(at string, all []wire.Raw) {
	r.found, r.catalog.Has[Tools] = true, true
	for i, raw := range all {
		r.tool(at+"/"+strconv.Itoa(i), "", raw)
	}
}

func (r *reader) tool(at, name string, raw wire.Raw) {
	r.catalog.Definitions = append(r.catalog.Definitions, Definition{Tools, name, raw, at})
	r.tools.Add(at, name, raw)
}

func (r *reader) entries(part Part, key, at string, raw wire.Raw) {
	c := r.catalog
	c.Has[part] = true
	if r.keys[part] == nil {
		r.keys[part] = map[string]*Entry{}
	}
	for i, element := range raw.Elements() {
		here := at + "/" + strconv.Itoa(i)
		c.Definitions = append(c.Definitions, Definition{Part: part, Text: element, Pointer: here})
		compact, err := element.AppendJSON(nil)
		o := wire.Object(compact)
		name, _ := o.Get(key)
		text, ok := name.Str()
		if err != nil || element.Kind() != wire.KindObject || !ok {
			r.tools.Note(here, fmt.Sprintf("has no %q that is a string; it is not compared", key))
			continue
		}
		if other := r.keys[part][text]; other != nil {
			if other.Source != o {
				r.tools.Note(here, fmt.Sprintf("%q is at %s too; only that one is compared", text, other.Pointer))
			}
			continue
		}
		e := &Entry{text, tools.Served(o), o, here}
		r.keys[part][text] = e
		switch part {
		case Prompts:
			c.Prompts = append(c.Prompts, e)
		case Resources:
			c.Resources = append(c.Resources, e)
		default:
			c.Templates = append(c.Templates, e)
		}
	}
}

// Count returns the number of items of a part.
func (c *Catalog) Count(part Part) int {
	switch part {
	case Tools:
		return len(c.Tools.Tools)
	case Prompts:
		return len(c.Prompts)
	case Resources:
		return len(c.Resources)
	case Templates:
		return len(c.Templates)
	case Instructions:
		return min(len(c.Instructions), 1)
	}
	return c.Capabilities.Len()
}

// Counted returns how many items of each kind there are, for people, such as "2 tools, 1 prompt". Kinds without items
// are left out.
func Counted(count func(Part) int) string {
	var all []string
	for _, k := range tools.AllKinds {
		if n := count(k.Kind); n > 0 {
			all = append(all, report.Plural(n, k.Noun))
		}
	}
	return strings.Join(all, ", ")
}
