package jsonschema

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Read reads a schema and the schemas within it, and resolves their references. At is the
// pointer of the schema in its text. If there are errors, the schema is incomplete.
//
// A schema without $schema is read as draft 2020-12. One with an array in items is read as
// draft 07, because some generators write draft 07 without a $schema. One in which
// exclusiveMinimum or exclusiveMaximum is a boolean is read as draft 04.
func Read(at string, raw wire.Raw) (*Schema, []*Error) {
	r := &reader{}
	s := r.document(at, raw, Draft202012)
	draft := s.resource.doc.older
	if _, named := wire.Object(raw).Get("$schema"); named || draft == "" {
		return s, r.errs
	}
	r = &reader{}
	return r.document(at, raw, draft), r.errs
}

type reader struct {
	errs []*Error
	// limits and rare are allocated for a schema that turned out not to need them, or nil.
	limits *Limits
	rare   *Rare
}

// noLimits and noRare are shared by the schemas that have none of their keywords.
var (
	noLimits = &Limits{}
	noRare   = &Rare{}
)

// open gives a schema keywords that can be set, and close shares those that have not been set.
func (r *reader) open(s *Schema) {
	if s.Limits, r.limits = r.limits, nil; s.Limits == nil {
		s.Limits = &Limits{}
	}
	if s.Rare, r.rare = r.rare, nil; s.Rare == nil {
		s.Rare = &Rare{}
	}
}

func (r *reader) close(s *Schema) {
	if *s.Limits == *noLimits {
		r.limits, s.Limits = s.Limits, noLimits
	}
	if reflect.ValueOf(s.Rare).Elem().IsZero() {
		r.rare, s.Rare = s.Rare, noRare
	}
}

func (r *reader) fail(pointer, format string, args ...any) {
	r.errs = append(r.errs, &Error{pointer, fmt.Sprintf(format, args...)})
}

func (r *reader) document(at string, raw wire.Raw, draft Draft) *Schema {
	d := &document{resources: map[string]*resource{}, schemas: map[string]*Schema{}}
	res := &resource{base: &url.URL{}, anchors: map[string]*Schema{}, doc: d}
	d.resources[""] = res
	res.named = []map[string]*resource{d.resources}
	s := r.schema(at, raw, res, draft)
	res.root = s
	// A reference may lead to a schema under an unknown keyword. Resolving it reads that
	// schema, which may add references.
	for i := 0; i < len(d.refs); i++ {
		r.resolve(d.refs[i])
	}
	for _, s := range d.dynamic {
		r.resolveDynamic(s)
	}
	return s
}

// schema reads a schema and the schemas within it.
func (r *reader) schema(at string, raw wire.Raw, res *resource, draft Draft) *Schema {
	s := &Schema{Pointer: at, Source: raw, Draft: draft, Limits: noLimits, Rare: noRare, resource: res}
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
	r.open(s)
	defer r.close(s)
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
	maps.DeleteFunc(p.members, func(name string, _ wire.Raw) bool { return !p.draft.has(name) })
	ref, isRef := p.string("$ref")
	alone := isRef && s.Draft.RefAlone()
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

// identify registers the URI and the anchors of a schema.
func (p *parser) identify(s *Schema) {
	id, _ := p.string(s.Draft.idKeyword())
	anchor, _ := p.string("$anchor")
	s.DynamicAnchor, _ = p.string("$dynamicAnchor")
	if p.members["$recursiveAnchor"] == "true" {
		s.DynamicAnchor = recursiveAnchor
	}
	if s.Draft.RefAlone() {
		if i := strings.IndexByte(id, '#'); i >= 0 {
			id, anchor = id[:i], id[i+1:]
		}
	}
	if id != "" {
		uri, err := s.resource.base.Parse(id)
		if err != nil {
			p.fail(s.Draft.idKeyword(), "%q is not a URI reference", id)
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
