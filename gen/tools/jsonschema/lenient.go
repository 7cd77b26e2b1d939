package jsonschema

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxRepairs limits how often a schema is repaired. A repair may uncover another problem.
const maxRepairs = 20

// ReadLenient reads a schema without the keywords that [Read] refuses. The notes report each
// of them. The Source of the schema lacks these keywords too.
func ReadLenient(at string, raw wire.Raw) (s *Schema, notes []*Error) {
	for range maxRepairs {
		s, errs := Read(at, raw)
		if len(errs) == 0 {
			return s, notes
		}
		value, err := decoded(raw)
		if err != nil {
			break
		}
		repaired := value
		for _, e := range errs {
			notes = append(notes, &Error{e.Pointer, e.Problem + "; it is not compared"})
			if pointer, within := strings.CutPrefix(e.Pointer, at); within {
				repaired = repair(repaired, pointer)
			}
		}
		next := encoded(repaired)
		if next == raw {
			break
		}
		raw = next
	}
	s, _ = Read(at, "{}")
	return s, append(notes, &Error{at, "is not compared: it cannot be read as a schema"})
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
		return "{}" // does not happen: the value comes from a decoder
	}
	return wire.Raw(text)
}

// repair returns a schema without the keyword that a pointer leads to or into. A value that is
// not a schema becomes true, which accepts everything.
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
	case isList && HoldsList(keyword):
		if i, err := strconv.Atoi(inner); err == nil && i >= 0 && i < len(list) {
			list[i] = repair(list[i], slash(below))
			return node
		}
	case isMap && HoldsNamed(keyword):
		name := wire.PointerName(inner)
		if _, there := named[name]; there {
			named[name] = repair(named[name], slash(below))
			return node
		}
	case HoldsSchema(keyword):
		node[keyword] = repair(value, "/"+rest)
		return node
	}
	if HoldsSchema(keyword) && rest == "" && value != nil {
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
