package jsonschema

import (
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// resource is the base of the references in some schemas.
type resource struct {
	base *url.URL
	root *Schema
	// anchors holds the schemas of the resource that have a name.
	anchors map[string]*Schema
	// outer is the resource around an embedded document.
	outer *resource
	// named holds the resources by URI: those of the innermost document with its own
	// $schema first, those of the outermost one last.
	named []map[string]*resource
	doc   *document
}

// document is one text with everything in it that a reference can lead to.
type document struct {
	resources map[string]*resource // by URI, as seen from the root
	schemas   map[string]*Schema   // by pointer
	refs      []*Schema
	dynamic   []*Schema // the schemas with a $dynamicRef
	// older is the draft of a schema without $schema that uses what draft 2020-12 does not allow.
	older Draft
}

// register adds a resource under its URI. Two embedded documents may use the same URI; each
// refers to its own resource.
func (res *resource) register(uri string) {
	for i, named := range res.named {
		if i == 0 || named[uri] == nil {
			named[uri] = res
		}
	}
}

// get returns the resource that a URI means within res, or nil.
func (res *resource) get(uri string) *resource {
	for _, named := range res.named {
		if found := named[uri]; found != nil {
			return found
		}
	}
	return nil
}

// resolve sets the target of a $ref.
func (r *reader) resolve(s *Schema) { s.Target, s.Meta = r.find(s, "$ref", s.Ref) }

// resolveDynamic sets the static target of a $dynamicRef. If no other schema has the same
// $dynamicAnchor, the reference always leads there, and becomes a $ref.
func (r *reader) resolveDynamic(s *Schema) {
	target, meta := r.find(s, s.Draft.dynamicRef(), s.DynamicRef)
	s.dynamicTarget = target
	if target == nil || meta || s.Ref != "" {
		return
	}
	_, name, _ := strings.Cut(s.DynamicRef, "#")
	if s.Draft == Draft201909 {
		name = recursiveAnchor
	}
	if target.DynamicAnchor == name && name != "" {
		for _, other := range s.resource.doc.schemas {
			if other != target && other.DynamicAnchor == name {
				return
			}
		}
	}
	s.Ref, s.Target, s.DynamicRef = s.DynamicRef, target, ""
}

// find returns the schema that a reference in s leads to. Meta means that it leads to a
// metaschema.
func (r *reader) find(s *Schema, keyword, ref string) (target *Schema, meta bool) {
	at := wire.ChildPointer(s.Pointer, keyword)
	uri, err := s.resource.base.Parse(ref)
	if err != nil {
		r.fail(at, "%q is not a URI reference", ref)
		return nil, false
	}
	fragment := uri.Fragment
	uri.Fragment, uri.RawFragment = "", ""
	res := s.resource
	if !strings.HasPrefix(ref, "#") {
		res = res.get(uri.String())
	}
	if res == nil {
		if isMeta(uri.String()) {
			return nil, true
		}
		r.fail(at, "%q is not in this list, and references are not fetched", ref)
		return nil, false
	}
	for ; res != nil; res = res.outer {
		if target = r.lookup(res, fragment); target != nil {
			return target, false
		}
	}
	if target = r.misplaced(s, ref, fragment); target != nil {
		return target, false
	}
	r.fail(at, "%q leads to nothing", ref)
	return nil, false
}

// misplaced resolves a reference of the form "#/..." relative to the nearest enclosing schema
// in which it leads somewhere. Such references occur in lists whose author embedded a schema
// in another one together with its definitions.
func (r *reader) misplaced(s *Schema, ref, fragment string) *Schema {
	if !strings.HasPrefix(ref, "#/") {
		return nil
	}
	doc := s.resource.doc
	for at := s.Pointer; at != ""; at = at[:strings.LastIndexByte(at, '/')] {
		if around := doc.schemas[at]; around != nil {
			if target := r.follow(around, fragment); target != nil {
				return target
			}
		}
	}
	return nil
}

// isMeta reports whether a URI is that of a metaschema, which every validator knows.
func isMeta(uri string) bool {
	for _, prefix := range []string{"http://json-schema.org/draft-04/", "http://json-schema.org/draft-06/", "http://json-schema.org/draft-07/",
		"https://json-schema.org/draft/2019-09/", "https://json-schema.org/draft/2020-12/"} {
		if strings.HasPrefix(uri, prefix) {
			return true
		}
	}
	return false
}

// lookup returns the schema that a fragment names in a resource, or nil.
func (r *reader) lookup(res *resource, fragment string) *Schema {
	if fragment == "" {
		return res.root
	}
	if !strings.HasPrefix(fragment, "/") {
		return res.anchors[fragment]
	}
	return r.follow(res.root, fragment)
}

// follow returns the schema that a pointer leads to from root, or nil. It reads a schema that
// is not under a keyword.
func (r *reader) follow(root *Schema, fragment string) *Schema {
	doc := root.resource.doc
	to := root.Pointer
	for segment := range strings.SplitSeq(fragment[1:], "/") {
		to = wire.ChildPointer(to, wire.PointerName(segment))
	}
	if s := doc.schemas[to]; s != nil {
		return s // without reading all the text before it once more
	}
	raw, at := root.Source, root.Pointer
	nearest := root // the innermost schema on the way, which may be a resource or have a $schema
	for segment := range strings.SplitSeq(fragment[1:], "/") {
		segment = wire.PointerName(segment)
		next, ok := raw.Child(segment)
		if !ok {
			return nil
		}
		raw, at = next, wire.ChildPointer(at, segment)
		if s := doc.schemas[at]; s != nil {
			nearest = s
		}
	}
	return r.schema(at, raw, nearest.resource, nearest.Draft)
}

// Endless returns the references of a document that lead back to themselves without a member or
// an element in between, and those by which a schema applies too many others to one value. Validating a value by
// such a schema does not end, or not in the time that anybody waits.
func (s *Schema) Endless() []*Error {
	r := &reader{}
	r.endless(s.resource.doc)
	return r.errs
}

// mostApplied limits how many schemas apply to one value. A schema that several references lead to counts each time,
// so 30 definitions that refer to the next one twice count as a billion. The schemas of real APIs stay below a
// thousand.
const mostApplied = 10_000

func (r *reader) endless(d *document) {
	const within = -1
	applied := map[*Schema]int{} // how many schemas apply with one, once it has been visited
	var way []*Schema
	var visit func(s *Schema) int
	visit = func(s *Schema) int {
		switch n := applied[s]; n {
		default:
			return n
		case within:
			for i := len(way) - 1; i >= 0; i-- {
				if way[i].Target != nil {
					r.fail(wire.ChildPointer(way[i].Pointer, "$ref"), "%q leads back to itself without a member or an element in between", way[i].Ref)
					break
				}
			}
			return 1
		case 0:
		}
		applied[s] = within
		way = append(way, s)
		n, most := 1, 0
		for _, next := range present(append(s.SameValue(), s.Target)) {
			more := visit(next)
			n, most = n+more, max(most, more)
		}
		way = way[:len(way)-1]
		if n > mostApplied {
			if most < mostApplied { // otherwise, it has been reported before
				r.fail(s.Pointer, "more than %d schemas apply to one value, because several references lead to the same schema", mostApplied)
			}
			n = mostApplied
		}
		applied[s] = n
		return n
	}
	for _, s := range d.refs {
		visit(s)
	}
}
