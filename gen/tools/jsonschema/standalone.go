package jsonschema

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// StandaloneURI is the URI of the document that [Schema.Standalone] returns.
const StandaloneURI = "mem:///schema"

// Formats selects the formats of a standalone schema.
type Formats int

const (
	// AssertedFormats keeps the formats of schemas for which AssertsFormat holds.
	AssertedFormats Formats = iota
	// AllFormats keeps every format.
	AllFormats
)

// Standalone returns a schema as a document that has the same meaning for every validator that
// asserts formats. References are relative to its root, and embedded documents have an $id. It
// lacks keywords that the draft does not have, and those without effect that a metaschema refuses.
//
// For a part of a text, the document is the text's root with a reference to the part. It has only
// those definitions of the root that the part needs.
func (s *Schema) Standalone(formats Formats) wire.Raw {
	root := s.Root()
	w := &standalone{root: root, ids: map[*Schema]string{root: StandaloneURI}, formats: formats}
	if root != s {
		w.part, w.needed = s, map[string]bool{}
		w.need(s.Pointer)
	}
	return wire.Raw(w.value(nil, root.Pointer, root.Source))
}

type standalone struct {
	root    *Schema
	ids     map[*Schema]string // of documents and resources
	formats Formats
	// part is the schema that the root refers to, or nil. needed has the pointers of the root's
	// definitions that are written.
	part   *Schema
	needed map[string]bool
}

// need marks the definition that the value at a pointer is in, and those that it refers to.
func (w *standalone) need(at string) {
	segments := strings.SplitN(strings.TrimPrefix(at, w.root.Pointer), "/", 4)
	if len(segments) > 2 {
		definition := w.root.Pointer + "/" + segments[1] + "/" + segments[2]
		if w.needed[definition] {
			return
		}
		w.needed[definition] = true
		at = definition
	}
	for pointer, s := range w.root.resource.doc.schemas {
		if s.Target != nil && (pointer == at || strings.HasPrefix(pointer, at+"/")) {
			w.need(s.Target.Pointer)
		}
	}
}

// unneeded reports whether the value at a pointer is a definition of the root that is left out.
func (w *standalone) unneeded(at string) bool {
	way := strings.Split(strings.TrimPrefix(at, w.root.Pointer), "/")
	return w.part != nil && len(way) == 3 && (way[1] == "$defs" || way[1] == "definitions") && !w.needed[at]
}

func (w *standalone) id(resource *Schema) string {
	id, ok := w.ids[resource]
	if !ok {
		id = StandaloneURI + "/" + strconv.Itoa(len(w.ids))
		w.ids[resource] = id
	}
	return id
}

// value appends the value at a pointer of the text.
func (w *standalone) value(dst []byte, at string, raw wire.Raw) []byte {
	s := w.root.resource.doc.schemas[at]
	switch raw.Kind() {
	case wire.KindObject:
		dst = append(dst, '{')
		if s != nil {
			dst = w.head(dst, s)
		}
		for name, value := range wire.Object(raw).All() {
			switch {
			case w.unneeded(wire.ChildPointer(at, name)):
				continue
			case s == nil:
			case w.replaced(s, name) || isMalformed(name, value) || w.unread(s, name):
				continue
			case isCount(name):
				n, _ := value.Count()
				value = wire.Raw(strconv.FormatInt(n, 10)) // validators differ beyond an int64, and some take no 2.0
			case name == "required", name == "type" && value.Kind() == wire.KindArray, name == "enum" && s.Draft.RefAlone():
				value = wire.ArrayOf(Distinct(value.Elements()))
			}
			dst = w.value(wire.AppendName(dst, name), wire.ChildPointer(at, name), value)
		}
		return append(dst, '}')
	case wire.KindArray:
		dst = append(dst, '[')
		for i, element := range raw.Elements() {
			dst = w.value(wire.AppendComma(dst), at+"/"+strconv.Itoa(i), element)
		}
		return append(dst, ']')
	}
	return append(dst, raw...)
}

// replaced reports whether a member is left out, or written by head instead.
func (w *standalone) replaced(s *Schema, name string) bool {
	switch name {
	case s.Draft.idKeyword(), "$schema", "$ref", s.Draft.dynamicRef():
		return true
	case "format":
		return w.formats == AssertedFormats && !s.AssertsFormat()
	}
	return false
}

// unread reports whether the draft of a schema does not have a keyword, which some validators apply nevertheless, and
// no reference leads into it.
func (w *standalone) unread(s *Schema, name string) bool {
	if s.Draft.has(name) {
		return false
	}
	at := wire.ChildPointer(s.Pointer, name)
	for pointer := range w.root.resource.doc.schemas {
		if inSchema(at, pointer) {
			return false
		}
	}
	return true
}

// isCount reports whether the value of a keyword is an integer of at least 0.
func isCount(name string) bool {
	k := KeywordOf(name)
	return k != nil && k.Form == CountForm
}

// isMalformed reports whether a keyword has a value that the reader ignores and the
// metaschemas refuse.
func isMalformed(name string, value wire.Raw) bool {
	switch name {
	case "examples":
		return value.Kind() != wire.KindArray
	case "type", "allOf", "anyOf", "oneOf":
		return value.Kind() == wire.KindArray && len(value.Elements()) == 0
	case "deprecated", "readOnly", "writeOnly", "uniqueItems":
		return value.Kind() != wire.KindBool
	case "$comment", "contentEncoding", "contentMediaType":
		return value.Kind() != wire.KindString
	}
	return false
}

// Distinct returns values without repetitions. Long lists consist of strings, so only these are found by a map.
func Distinct(list []wire.Raw) []wire.Raw {
	texts, others, kept := map[string]bool{}, []wire.Raw{}, []wire.Raw{}
	for _, value := range list {
		if text, ok := value.Str(); ok {
			if texts[text] {
				continue
			}
			texts[text] = true
		} else {
			if slices.ContainsFunc(others, func(other wire.Raw) bool { return wire.Equal(value, other) }) {
				continue
			}
			others = append(others, value)
		}
		kept = append(kept, value)
	}
	return kept
}

// head appends $schema, $id, $ref and $dynamicRef.
func (w *standalone) head(dst []byte, s *Schema) []byte {
	alone := s.Ref != "" && s.Draft.RefAlone()
	if s == w.root || s.resource.root == s && !alone {
		dst = appendText(dst, "$schema", s.Draft.uri())
		if !alone {
			dst = appendText(dst, s.Draft.idKeyword(), w.id(s))
		}
	}
	switch {
	case s == w.root && w.part != nil:
		dst = appendText(dst, "$ref", w.uri(w.part))
	case s.Meta:
		uri, _ := s.resource.base.Parse(s.Ref)
		dst = appendText(dst, "$ref", uri.String())
	case s.Target != nil:
		dst = appendText(dst, "$ref", w.uri(s.Target))
	}
	if s.DynamicRef != "" {
		dst = appendText(dst, s.Draft.dynamicRef(), w.dynamic(s))
	}
	return dst
}

// uri returns the URI of a schema.
func (w *standalone) uri(s *Schema) string {
	fragment := url.URL{Fragment: strings.TrimPrefix(s.Pointer, w.root.Pointer)}
	return w.id(w.root) + "#" + fragment.EscapedFragment()
}

// dynamic returns the value of a $dynamicRef, which depends on the $id of its target.
func (w *standalone) dynamic(s *Schema) string {
	target := s.dynamicTarget
	_, name, _ := strings.Cut(s.DynamicRef, "#")
	switch {
	case target == nil || s.Draft == Draft201909:
		return s.DynamicRef // the only $recursiveRef is "#"
	case target.DynamicAnchor == name && name != "":
		return w.id(target.resource.root) + "#" + name
	}
	return w.uri(target)
}

func appendText(dst []byte, name, value string) []byte {
	dst, _ = wire.AppendString(wire.AppendName(dst, name), value)
	return dst
}
