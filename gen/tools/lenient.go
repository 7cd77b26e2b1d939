package tools

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Lenient reads tools that [Read] refuses, for comparisons. It leaves out what it cannot
// read, with a note. The zero value is ready to use.
type Lenient struct {
	// List has the tools so far.
	List List
	// Notes report what was left out and what was not read as written.
	Notes []*Error
	taken map[string]*Tool
}

func (l *Lenient) note(tool, pointer, format string, args ...any) {
	l.Notes = append(l.Notes, &Error{tool, pointer, fmt.Sprintf(format, args...)})
}

// Note adds a note about the list.
func (l *Lenient) Note(pointer, problem string) { l.note("", pointer, "%s", problem) }

// Add adds the tool whose definition is at a pointer. Name is the name of a tool whose
// definition has none, as in an object of tools by name.
func (l *Lenient) Add(at, name string, raw wire.Raw) {
	compact, err := raw.AppendJSON(nil)
	if err != nil || raw.Kind() != wire.KindObject {
		l.note("", at, "a tool must be an object, found %s; it is not compared", raw.Kind())
		return
	}
	definition := unwrap(wire.Object(compact))
	t := &Tool{Definition: servedTool(definition), Pointer: at, Name: name, Scopes: ScopesOf(definition)}
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

// unwrap returns the definition within {"type": "function", "function": {...}}, the form of
// chat APIs.
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

// input reads an input schema. Arguments are always objects, so a schema that does not say
// so is read as if it did.
func (l *Lenient) input(tool, at string, raw wire.Raw) *jsonschema.Schema {
	const object, nothing = `{"type":"object"}`, `{"type":"object","not":{}}`
	if raw.Kind() == wire.KindNull {
		l.note(tool, at, "the tool has no input schema; it is compared as one that accepts any object")
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
	case s.Ref != "" && s.Draft.RefAlone():
		return s // these drafts ignore the keywords beside a reference
	}
	if s.Types != nil && !slices.Contains(s.Types, "object") {
		l.note(tool, at+"/type", `must be "object", as arguments are objects; the schema is compared as one that accepts no arguments`)
		return l.document(tool, at, nothing)
	}
	if s.Types == nil {
		l.note(tool, at, `has no "type": "object"; it is compared as if it had`)
	}
	return l.document(tool, at, jsonschema.With(s.Source, "type", `"object"`))
}

// document reads a schema without the keywords that have no meaning, with a note for each.
func (l *Lenient) document(tool, at string, raw wire.Raw) *jsonschema.Schema {
	s, notes := jsonschema.ReadLenient(at, raw)
	for _, note := range notes {
		l.note(tool, note.Pointer, "%s", note.Problem)
	}
	return s
}
