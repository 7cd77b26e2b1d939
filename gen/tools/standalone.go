package tools

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// StandaloneURI is the URI that the document of [Schema.Standalone] has.
const StandaloneURI = "mem:///schema"

// Standalone returns the input or output schema of a tool as a document which
// says the same to any validator that asserts formats: references lead from its
// root, documents in it have an $id, and a format stands only where it is meant.
func (s *Schema) Standalone() wire.Raw {
	w := &standalone{root: s, ids: map[*Schema]string{s: StandaloneURI}}
	return wire.Raw(w.value(nil, s.Pointer, s.Source))
}

type standalone struct {
	root *Schema
	ids  map[*Schema]string // of the documents and resources
}

func (w *standalone) id(resource *Schema) string {
	id, ok := w.ids[resource]
	if !ok {
		id = StandaloneURI + "/" + strconv.Itoa(len(w.ids))
		w.ids[resource] = id
	}
	return id
}

// value appends the value at a pointer of the list.
func (w *standalone) value(dst []byte, at string, raw wire.Raw) []byte {
	s := w.root.resource.doc.schemas[at]
	switch raw.Kind() {
	case wire.KindObject:
		dst = append(dst, '{')
		if s != nil {
			dst = w.head(dst, s)
		}
		for name, value := range wire.Object(raw).All() {
			if s == nil || !w.replaced(s, name) {
				dst = w.value(appendName(dst, name), child(at, name), value)
			}
		}
		return append(dst, '}')
	case wire.KindArray:
		dst = append(dst, '[')
		for i, element := range elements(raw) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = w.value(dst, at+"/"+strconv.Itoa(i), element)
		}
		return append(dst, ']')
	}
	return append(dst, raw...)
}

// replaced reports whether head writes a member, or it is left out.
func (w *standalone) replaced(s *Schema, name string) bool {
	switch name {
	case "$id", "$schema", "$ref", "$dynamicRef":
		return true
	case "format":
		return !s.AssertsFormat()
	}
	return false
}

// head appends the members that say what a schema is and refers to.
func (w *standalone) head(dst []byte, s *Schema) []byte {
	alone := s.Ref != "" && s.Draft == Draft7
	if s == w.root || s.resource.root == s && !alone {
		dst = appendText(dst, "$schema", string(s.Draft)+strings.Repeat("#", strings.Count(string(s.Draft), "draft-07")))
		if !alone {
			dst = appendText(dst, "$id", w.id(s))
		}
	}
	switch {
	case s.Meta:
		uri, _ := s.resource.base.Parse(s.Ref)
		dst = appendText(dst, "$ref", uri.String())
	case s.Target != nil:
		dst = appendText(dst, "$ref", w.uri(s.Target))
	}
	if s.DynamicRef != "" {
		dst = appendText(dst, "$dynamicRef", w.dynamic(s))
	}
	return dst
}

// uri returns the URI of a schema.
func (w *standalone) uri(s *Schema) string {
	fragment := url.URL{Fragment: strings.TrimPrefix(s.Pointer, w.root.Pointer)}
	return w.id(w.root) + "#" + fragment.EscapedFragment()
}

// dynamic returns a $dynamicRef with the $id that is written.
func (w *standalone) dynamic(s *Schema) string {
	target := s.dynamicTarget
	_, name, _ := strings.Cut(s.DynamicRef, "#")
	switch {
	case target == nil:
		return s.DynamicRef
	case target.DynamicAnchor == name && name != "":
		return w.id(target.resource.root) + "#" + name
	}
	return w.uri(target)
}

func appendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst, _ = wire.AppendString(dst, name)
	return append(dst, ':')
}

func appendText(dst []byte, name, value string) []byte {
	dst, _ = wire.AppendString(appendName(dst, name), value)
	return dst
}
