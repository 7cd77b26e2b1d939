package tools

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// resource is what the references of some schemas are relative to.
type resource struct {
	base *url.URL
	root *Schema
	// anchors are the schemas with a name in the resource.
	anchors map[string]*Schema
	// outer is the resource around a document that is embedded in another.
	outer *resource
	// named are the resources with a URI that are in the same document, seen from
	// the innermost document with a $schema of its own to the outermost.
	named []map[string]*resource
	doc   *document
}

// document is one tree of schemas with all that can be referred to in it.
type document struct {
	resources map[string]*resource // by URI, as seen from the root
	schemas   map[string]*Schema   // by pointer
	refs      []*Schema
	dynamic   []*Schema // those with a $dynamicRef
	// tuples is set when a schema has an array in items, which draft 2020-12 has not.
	tuples bool
}

// document reads a schema with all its subschemas and resolves the references. One
// that names no draft is of draft 2020-12, unless it has what only draft 07 has: there
// are generators which write draft 07 and leave out the $schema.
func (r *reader) document(at string, raw wire.Raw) *Schema {
	problems := len(r.errs)
	s := r.documentOf(at, raw, Draft202012)
	if !s.resource.doc.tuples {
		return s
	}
	if _, named := wire.Object(raw).Get("$schema"); named {
		return s
	}
	r.errs = r.errs[:problems]
	return r.documentOf(at, raw, Draft7)
}

func (r *reader) documentOf(at string, raw wire.Raw, draft Draft) *Schema {
	d := &document{resources: map[string]*resource{}, schemas: map[string]*Schema{}}
	res := &resource{base: &url.URL{}, anchors: map[string]*Schema{}, doc: d}
	d.resources[""] = res
	res.named = []map[string]*resource{d.resources}
	s := r.schema(at, raw, res, draft)
	res.root = s
	// Resolving may read schemas that stand where no keyword has one.
	for i := 0; i < len(d.refs); i++ {
		r.resolve(d.refs[i])
	}
	for _, s := range d.dynamic {
		r.resolveDynamic(s)
	}
	return s
}

// schema reads a schema and those in it.
func (r *reader) schema(at string, raw wire.Raw, res *resource, draft Draft) *Schema {
	s := &Schema{Pointer: at, Source: raw, Draft: draft, resource: res}
	res.doc.schemas[at] = s
	switch raw.Kind() {
	case wire.KindBool:
		s.Always = new(raw == "true")
		return s
	case wire.KindObject:
	default:
		r.fail(at, "a schema must be an object or a boolean, found %s", raw.Kind())
		return s
	}
	p := parser{reader: r, at: at, members: map[string]wire.Raw{}}
	for name, value := range wire.Object(raw).All() {
		p.members[name] = value
	}
	if dialect, ok := p.string("$schema"); ok {
		s.Draft = r.draft(at, dialect)
		if res.root != nil {
			named := append([]map[string]*resource{{}}, res.named...)
			s.resource = &resource{base: res.base, anchors: map[string]*Schema{}, outer: res, named: named, doc: res.doc}
		}
	}
	p.draft = s.Draft
	ref, isRef := p.string("$ref")
	alone := isRef && s.Draft == Draft7
	if !alone {
		p.identify(s)
	}
	if s.resource.root == nil {
		s.resource.root = s
	}
	if isRef {
		s.Ref = ref
		res.doc.refs = append(res.doc.refs, s)
	}
	p.s, p.res = s, s.resource
	if alone {
		p.definitions()
		return s
	}
	p.keywords()
	return s
}

// draft returns the draft that a $schema names.
func (r *reader) draft(at, dialect string) Draft {
	switch d := Draft(strings.TrimSuffix(dialect, "#")); d {
	case Draft7, Draft202012:
		return d
	case "https://json-schema.org/draft-07/schema", "http://json-schema.org/draft-06/schema":
		return Draft7 // of which draft 06 is a part
	case "http://json-schema.org/draft/2020-12/schema":
		return Draft202012
	}
	r.fail(at+"/$schema", "%q is not one of the drafts that are understood: %s and %s", dialect, Draft7, Draft202012)
	return Draft202012
}

// identify gives a schema the resource it is, and the names it has.
func (p *parser) identify(s *Schema) {
	id, _ := p.string("$id")
	anchor, _ := p.string("$anchor")
	s.DynamicAnchor, _ = p.string("$dynamicAnchor")
	if s.Draft == Draft7 {
		s.DynamicAnchor, anchor = "", ""
		if i := strings.IndexByte(id, '#'); i >= 0 {
			id, anchor = id[:i], id[i+1:]
		}
	}
	if id != "" {
		uri, err := s.resource.base.Parse(id)
		if err != nil {
			p.fail("$id", "%q is not a URI reference", id)
			uri = &url.URL{}
		}
		uri.Fragment = ""
		s.resource = &resource{base: uri, root: s, anchors: map[string]*Schema{}, named: s.resource.named, doc: s.resource.doc}
		s.resource.register(uri.String())
	}
	for _, name := range []string{anchor, s.DynamicAnchor} {
		if name != "" {
			s.resource.anchors[name] = s
		}
	}
}

// register makes a resource known by its URI. Documents that are embedded in one
// may have the same; each sees its own.
func (res *resource) register(uri string) {
	for i, named := range res.named {
		if i == 0 || named[uri] == nil {
			named[uri] = res
		}
	}
}

// get returns the resource with a URI, as seen from another.
func (res *resource) get(uri string) *resource {
	for _, named := range res.named {
		if found := named[uri]; found != nil {
			return found
		}
	}
	return nil
}

// resolve finds the schema that a $ref leads to.
func (r *reader) resolve(s *Schema) { s.Target, s.Meta = r.find(s, "$ref", s.Ref) }

// resolveDynamic finds the schema that a $dynamicRef leads to where no other has
// the $dynamicAnchor. When no other has it at all, the reference is one like a $ref.
func (r *reader) resolveDynamic(s *Schema) {
	target, meta := r.find(s, "$dynamicRef", s.DynamicRef)
	s.dynamicTarget = target
	if target == nil || meta || s.Ref != "" {
		return
	}
	_, name, _ := strings.Cut(s.DynamicRef, "#")
	if target.DynamicAnchor == name && name != "" {
		for _, other := range s.resource.doc.schemas {
			if other != target && other.DynamicAnchor == name {
				return
			}
		}
	}
	s.Ref, s.Target, s.DynamicRef = s.DynamicRef, target, ""
}

// find returns the schema that a reference leads to from s; meta says that it is
// a metaschema.
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
		r.fail(at, "%q is not in this list, and nothing is fetched", ref)
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

// misplaced returns the schema that a reference into the root of its document
// leads to from the nearest schema around it that has such a place. Lists have
// such references, which lead to nothing as they stand, where a schema was made
// part of another with its definitions.
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

// isMeta tells the metaschemas, which every validator has, from other schemas.
func isMeta(uri string) bool {
	for _, prefix := range []string{"http://json-schema.org/draft-07/", "https://json-schema.org/draft/2020-12/"} {
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

// follow returns the schema to which a JSON Pointer leads from another, or nil.
func (r *reader) follow(root *Schema, fragment string) *Schema {
	// A schema in between may be a resource of its own, or have a draft of its own.
	doc := root.resource.doc
	raw, at := root.Source, root.Pointer
	nearest := root
	for segment := range strings.SplitSeq(fragment[1:], "/") {
		segment = wire.PointerName(segment)
		next, ok := step(raw, segment)
		if !ok {
			return nil
		}
		raw, at = next, wire.ChildPointer(at, segment)
		if s := doc.schemas[at]; s != nil {
			nearest = s
		}
	}
	if s := doc.schemas[at]; s != nil {
		return s
	}
	return r.schema(at, raw, nearest.resource, nearest.Draft)
}

// step returns the member or element of a value that a segment names.
func step(raw wire.Raw, segment string) (wire.Raw, bool) {
	switch raw.Kind() {
	case wire.KindObject:
		return wire.Object(raw).Get(segment)
	case wire.KindArray:
		all := raw.Elements()
		i, err := strconv.Atoi(segment)
		if err != nil || i < 0 || i >= len(all) {
			return "", false
		}
		return all[i], true
	}
	return "", false
}

// isType reports whether the type keyword knows a value.
func isType(name string) bool {
	switch name {
	case "null", "boolean", "object", "array", "number", "string", "integer":
		return true
	}
	return false
}
