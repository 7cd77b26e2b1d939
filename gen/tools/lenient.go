package tools

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Lenient reads tools that [Read] refuses, for a comparison: what cannot be
// understood is left out and noted. Its zero value is ready to use.
type Lenient struct {
	// List has the tools so far.
	List List
	// Notes say what was left out or read otherwise than it is written.
	Notes []*Error
	taken map[string]*Tool
}

// ReadSchema reads a schema leniently, with the notes on it.
func ReadSchema(text []byte) (*Schema, []*Error) {
	var l Lenient
	s := l.document("", "", wire.Raw(text))
	return s, l.Notes
}

// At returns the schema at a JSON Pointer of the document that s is part of, or
// nil where none stands there.
func (s *Schema) At(pointer string) *Schema { return s.resource.doc.schemas[pointer] }

func (l *Lenient) note(tool, pointer, format string, args ...any) {
	l.Notes = append(l.Notes, &Error{tool, pointer, fmt.Sprintf(format, args...)})
}

// Note notes something about the list.
func (l *Lenient) Note(pointer, problem string) { l.note("", pointer, "%s", problem) }

// Add adds the tool whose definition stands at a pointer. Name is the tool's name
// where the definition has none, as in an object of tools by name.
func (l *Lenient) Add(at, name string, raw wire.Raw) {
	compact, err := wire.AppendRaw(nil, raw)
	if err != nil || raw.Kind() != wire.KindObject {
		l.note("", at, "a tool must be an object, found %s; it is not compared", raw.Kind())
		return
	}
	t := &Tool{Definition: unwrap(wire.Object(compact)), Pointer: at, Name: name}
	if own, ok := l.text(t, "name"); ok {
		t.Name = own
	}
	if t.Name == "" {
		l.note("", at, `the tool has no "name"; it is not compared`)
		return
	}
	if l.taken == nil {
		l.taken = map[string]*Tool{}
	}
	if other := l.taken[t.Name]; other != nil {
		if other.Definition != t.Definition {
			l.note(t.Name, at, "the tool at %s has the same name; only that one is compared", other.Pointer)
		}
		return
	}
	l.taken[t.Name] = t
	t.Title, _ = l.text(t, "title")
	t.Description, _ = l.text(t, "description")
	keyword, input := "inputSchema", wire.Raw("null")
	for _, name := range []string{"parameters", "input_schema", "inputSchema"} {
		if raw, ok := t.Definition.Get(name); ok {
			keyword, input = name, raw
		}
	}
	t.Input = l.input(t.Name, wire.ChildPointer(at, keyword), input)
	if output, ok := t.Definition.Get("outputSchema"); ok && output.Kind() != wire.KindNull {
		t.Output = l.document(t.Name, at+"/outputSchema", output)
	}
	l.List.Tools = append(l.List.Tools, t)
}

// unwrap returns the definition in the form that chat APIs have for functions.
func unwrap(o wire.Object) wire.Object {
	if inner, ok := o.Get("function"); ok && inner.Kind() == wire.KindObject {
		if _, named := o.Get("name"); !named {
			return wire.Object(inner)
		}
	}
	return o
}

func (l *Lenient) text(t *Tool, member string) (string, bool) {
	raw, ok := t.Definition.Get(member)
	if !ok || raw.Kind() == wire.KindNull {
		return "", false
	}
	s, ok := raw.Str()
	if !ok {
		l.note(t.Name, wire.ChildPointer(t.Pointer, member), "must be a string, found %s; it is not compared", raw.Kind())
	}
	return s, ok
}

// input reads the schema of arguments, which are always objects.
func (l *Lenient) input(tool, at string, raw wire.Raw) *Schema {
	const object, nothing = `{"type":"object"}`, `{"type":"object","not":{}}`
	if raw.Kind() == wire.KindNull {
		l.note(tool, at, "the tool has no input schema; it is compared as one that takes any object")
		raw = object
	}
	s := l.document(tool, at, raw)
	switch {
	case s.Always != nil && *s.Always:
		return l.document(tool, at, object)
	case s.Always != nil:
		return l.document(tool, at, nothing)
	case len(s.Types) == 1 && s.Types[0] == "object":
		return s
	case s.Ref != "" && s.Draft == Draft7:
		return s // beside which nothing counts
	}
	isObject := s.Types == nil
	for _, name := range s.Types {
		isObject = isObject || name == "object"
	}
	if !isObject {
		l.note(tool, at+"/type", `must be "object", as arguments are; the schema is compared as one that takes no arguments at all`)
		return l.document(tool, at, nothing)
	}
	if s.Types == nil {
		l.note(tool, at, `has no "type": "object"; it is compared as if it had`)
	}
	value, err := decoded(s.Source)
	node, ok := value.(map[string]any)
	if err != nil || !ok {
		return s
	}
	node["type"] = "object"
	return l.document(tool, at, encoded(node))
}

// document reads a schema without the keywords that have no meaning, each of which
// is noted. The Source of the schema is without them too.
func (l *Lenient) document(tool, at string, raw wire.Raw) *Schema {
	const rounds = 20 // a repair may show what was hidden; in the end nothing is left to repair
	for range rounds {
		r := &reader{tool: tool}
		s := r.document(at, raw)
		if len(r.errs) == 0 {
			return s
		}
		value, err := decoded(raw)
		if err != nil {
			break
		}
		repaired := value
		for _, e := range r.errs {
			problem, ok := e.(*Error)
			if !ok {
				continue
			}
			l.note(tool, problem.Pointer, "%s; it is not compared", problem.Problem)
			if pointer, within := strings.CutPrefix(problem.Pointer, at); within {
				repaired = repair(repaired, pointer)
			}
		}
		next := encoded(repaired)
		if next == raw {
			break
		}
		raw = next
	}
	l.note(tool, at, "is not compared: it is no schema that can be read")
	return (&reader{}).document(at, "{}")
}

func decoded(raw wire.Raw) (any, error) {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

func encoded(v any) wire.Raw {
	text, err := json.Marshal(v)
	if err != nil {
		return "{}" // values of a decoder can be encoded
	}
	return wire.Raw(text)
}

// Keywords by what they hold.
var (
	holdsSchemas = map[string]bool{"properties": true, "patternProperties": true, "$defs": true, "definitions": true, "dependentSchemas": true, "dependencies": true}
	holdsList    = map[string]bool{"allOf": true, "anyOf": true, "oneOf": true, "prefixItems": true}
	holdsSchema  = map[string]bool{
		"not": true, "if": true, "then": true, "else": true, "items": true, "additionalItems": true, "contains": true, "additionalProperties": true,
		"propertyNames": true, "unevaluatedItems": true, "unevaluatedProperties": true,
	}
)

// repair returns a schema without the keyword that a pointer leads to or into. A
// schema that is none becomes one that accepts all.
func repair(schema any, pointer string) any {
	node, ok := schema.(map[string]any)
	segment, rest, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	if !ok || pointer == "" {
		return true
	}
	keyword := wire.PointerName(segment)
	value := node[keyword]
	list, isList := value.([]any)
	named, isMap := value.(map[string]any)
	inner, below, _ := strings.Cut(rest, "/")
	switch {
	case rest == "":
	case isList && (holdsList[keyword] || keyword == "items"):
		if i, err := strconv.Atoi(inner); err == nil && i >= 0 && i < len(list) {
			list[i] = repair(list[i], slash(below))
			return node
		}
	case isMap && holdsSchemas[keyword]:
		name := wire.PointerName(inner)
		if _, there := named[name]; there {
			named[name] = repair(named[name], slash(below))
			return node
		}
	case holdsSchema[keyword]:
		node[keyword] = repair(value, "/"+rest)
		return node
	}
	if holdsSchema[keyword] && rest == "" && value != nil {
		node[keyword] = true
		return node
	}
	delete(node, keyword)
	return node
}

func slash(pointer string) string {
	if pointer == "" {
		return ""
	}
	return "/" + pointer
}
