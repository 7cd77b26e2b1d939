package jsonschema

import (
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
		repaired := raw
		for _, e := range errs {
			notes = append(notes, &Error{e.Pointer, e.Problem + "; it is not compared"})
			if inSchema(at, e.Pointer) {
				repaired = repair(at, repaired, e.Pointer)
			}
		}
		if repaired == raw {
			break
		}
		raw = repaired
	}
	s, _ = Read(at, "{}")
	return s, append(notes, &Error{at, "is not compared: it cannot be read as a schema"})
}

// inSchema reports whether a pointer is that of a schema or leads into it.
func inSchema(at, pointer string) bool { return pointer == at || strings.HasPrefix(pointer, at+"/") }

// repair returns the schema at a pointer without the keyword that another pointer leads to or into. A value that is
// not a schema becomes true, which accepts everything.
func repair(at string, schema wire.Raw, pointer string) wire.Raw {
	if schema.Kind() != wire.KindObject || pointer == at {
		return "true"
	}
	deeper := false
	repaired := Within(at, schema, func(at string, inner wire.Raw) wire.Raw {
		if !inSchema(at, pointer) {
			return inner
		}
		deeper = true
		return repair(at, inner, pointer)
	})
	if deeper {
		return repaired
	}
	keyword, _, _ := strings.Cut(pointer[len(at)+1:], "/")
	return wire.Raw(wire.Object(schema).Without(wire.PointerName(keyword)))
}
