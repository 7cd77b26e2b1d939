package audit

import (
	"hash/maphash"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of server/utilities/pagination, and rules that span the pages of a
// list.

// seed is the seed of the hashes that replace values too large to keep.
var seed = maphash.MakeSeed()

func hash(s string) uint64 { return maphash.String(seed, s) }

// listing is the state of a list.
type listing struct {
	given     map[uint64]*chain // maps the cursor of each page to its chain
	last      *chain            // the last complete chain
	scope     string            // the cache scope of the last page
	announced bool              // a change of the list was announced after it
}

// chain is a walk through the pages of a list from the first page.
type chain struct {
	names map[uint64]bool
	pages map[uint64]bool // the pages so far, by cursor
	sum   uint64          // sum of the hashes of all elements, independent of their order
	full  bool            // more names came than are kept
}

// listKeys has, for each list method, the member of its result and the key that is unique in
// the list.
var listKeys = map[string]struct{ member, key string }{
	"tools/list":               {"tools", "name"},
	"prompts/list":             {"prompts", "name"},
	"resources/list":           {"resources", "uri"},
	"resources/templates/list": {"resourceTemplates", ""},
	"tasks/list":               {"tasks", ""},
}

func (s *Session) list(method string) *listing {
	method = s.listOf(method)
	l := s.lists[method]
	if l == nil {
		l = &listing{given: map[uint64]*chain{}}
		s.lists[method] = l
	}
	return l
}

// listOf returns the key of a list. A session has its own lists, as has each revision of the stateless requests
// beside it, in which the same items may have other members.
func (s *Session) listOf(method string) string {
	if s.stateless {
		return method + " of " + s.revision.ID
	}
	return method
}

// absent reports whether a name is missing in a complete list.
func (s *Session) absent(method, name string) bool {
	l := s.lists[s.listOf(method)]
	return l != nil && l.last != nil && !l.announced && !l.last.full && name != "" && !l.last.names[hash(name)]
}

// pageAsked checks the cursor of a request.
func (s *Session) pageAsked(c *check, r *request, params wire.Raw, pointer string) {
	raw := member(params, "cursor")
	if raw.Kind() != wire.KindString {
		return
	}
	r.about.paged, r.about.cursor = true, kept(text(raw))
	if !s.follows() || s.list(r.name).given[hash(text(raw))] != nil {
		return
	}
	if !s.whole {
		c.note("no-initialize", pointer+"/params/cursor", "the recording has no cursor %s", cut(string(raw), 80))
		return
	}
	r.about.unknownCursor = true
	c.breaks("cursor-unknown", pointer+"/params/cursor", "the server has not returned the cursor %s for %s", cut(string(raw), 80), r.name)
}

// pageGiven checks a page of a list.
func (s *Session) pageGiven(c *check, r *request, result wire.Raw, pointer string) {
	if r.about.unknownCursor {
		c.breaks("cursor-accepted", pointer+"/result", "the server accepts a cursor that it never returned")
	}
	l, keys := s.list(r.name), listKeys[r.name]
	page := hash(r.about.cursor)
	way := l.given[page]
	if !r.about.paged || way == nil {
		way = &chain{names: map[uint64]bool{}, pages: map[uint64]bool{}}
		page = 0
	}
	again := way.pages[page]
	if len(way.pages) < maxKept {
		way.pages[page] = true
	}
	at := pointer + "/result/" + keys.member
	for i, element := range member(result, keys.member).Elements() {
		name := text(member(element, keys.key))
		if keys.key != "" && !again {
			if way.names[hash(name)] {
				c.breaks("duplicate-name", ptr(at, i, keys.key), "another entry of %[3]s has the %[2]s %[1]q", cut(name, 80), keys.key, keys.member)
			}
			if len(way.names) < 10*maxKept {
				way.names[hash(name)] = true
			} else {
				way.full = true
			}
		}
		if !again {
			way.sum += hash(string(element))
		}
		switch r.name {
		case "tools/list":
			s.toolListed(c, element, ptr(at, i))
		case "prompts/list":
			s.promptListed(element)
		case "tasks/list":
			s.taskTold(c, element, strings.TrimPrefix(ptr(at, i), pointer), pointer)
		}
	}
	if next := member(result, "nextCursor"); next.Kind() == wire.KindString {
		if len(l.given) < maxKept {
			l.given[hash(text(next))] = way
		}
		return
	}
	s.listed(c, r.name, l, way, pointer)
}

// listed compares a complete list with the previous one. Without a session, a server tells only clients that have
// opened a stream with subscriptions/listen (server/tools, "List Changed Notification", 2026-07-28).
func (s *Session) listed(c *check, method string, l *listing, way *chain, pointer string) {
	name, _, _ := strings.Cut(method, "/")
	told := !s.stateless || s.toldOf(s.listOf(method), "notifications/"+name+"/list_changed")
	if told && l.last != nil && l.last != way && l.last.sum != way.sum && !l.announced && s.declares(Server, name+".listChanged") {
		s.late(c, time.Time{}, "list-changed-unannounced", pointer+"/result", "the list has changed, but no notifications/%s/list_changed has come", name)
	}
	l.last, l.announced = way, false
}

// ptr appends an index and member names to a JSON Pointer.
func ptr(pointer string, index int, names ...string) string {
	pointer += "/" + itoa(index)
	for _, name := range names {
		pointer = wire.ChildPointer(pointer, name)
	}
	return pointer
}
