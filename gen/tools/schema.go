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
	doc   *document
}

// document is one tree of schemas with all that can be referred to in it.
type document struct {
	resources map[string]*resource // by URI
	schemas   map[string]*Schema   // by pointer
	refs      []*Schema
}

// document reads a schema with all its subschemas and resolves the references.
func (r *reader) document(at string, raw wire.Raw) *Schema {
	d := &document{resources: map[string]*resource{}, schemas: map[string]*Schema{}}
	res := &resource{base: &url.URL{}, anchors: map[string]*Schema{}, doc: d}
	d.resources[""] = res
	s := r.schema(at, raw, res, Draft202012)
	res.root = s
	// Resolving may read schemas that stand where no keyword has one.
	for i := 0; i < len(d.refs); i++ {
		r.resolve(d.refs[i])
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
			s.resource = &resource{base: res.base, anchors: map[string]*Schema{}, outer: res, doc: res.doc}
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
		s.resource = &resource{base: uri, root: s, anchors: map[string]*Schema{}, doc: s.resource.doc}
		s.resource.doc.resources[uri.String()] = s.resource
	}
	for _, name := range []string{anchor, s.DynamicAnchor} {
		if name != "" {
			s.resource.anchors[name] = s
		}
	}
}

// resolve finds the schema that a reference leads to.
func (r *reader) resolve(s *Schema) {
	at := s.Pointer + "/$ref"
	uri, err := s.resource.base.Parse(s.Ref)
	if err != nil {
		r.fail(at, "%q is not a URI reference", s.Ref)
		return
	}
	fragment := uri.Fragment
	uri.Fragment, uri.RawFragment = "", ""
	res := s.resource
	if !strings.HasPrefix(s.Ref, "#") {
		res = res.doc.resources[uri.String()]
	}
	if res == nil {
		if isMeta(uri.String()) {
			s.Meta = true
			return
		}
		r.fail(at, "%q is not in this list, and nothing is fetched", s.Ref)
		return
	}
	for ; res != nil; res = res.outer {
		if s.Target = r.lookup(res, fragment); s.Target != nil {
			return
		}
	}
	r.fail(at, "%q leads to nothing", s.Ref)
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
	// A schema in between may be a resource of its own, or have a draft of its own.
	raw, at := res.root.Source, res.root.Pointer
	nearest := res.root
	for segment := range strings.SplitSeq(fragment[1:], "/") {
		segment = strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)
		next, ok := step(raw, segment)
		if !ok {
			return nil
		}
		raw, at = next, child(at, segment)
		if s := res.doc.schemas[at]; s != nil {
			nearest = s
		}
	}
	if s := res.doc.schemas[at]; s != nil {
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
		all := elements(raw)
		i, err := strconv.Atoi(segment)
		if err != nil || i < 0 || i >= len(all) {
			return "", false
		}
		return all[i], true
	}
	return "", false
}

// child extends a pointer by a segment.
func child(pointer, segment string) string {
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(segment)
}

// isType reports whether the type keyword knows a value.
func isType(name string) bool {
	switch name {
	case "null", "boolean", "object", "array", "number", "string", "integer":
		return true
	}
	return false
}
