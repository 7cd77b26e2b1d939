package headers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// annotation is the keyword of JSON Schema that declares a header.
const annotation = "x-mcp-header"

// NewTable returns the table of a tool with an inputSchema, which is nil if the schema has no
// annotations. The error is a *wire.ValidationError with every violation of the constraints in "Schema
// Extension", or a *wire.Error if the schema is not well-formed JSON. Clients must not use such a tool
// over HTTP, and servers must not offer it.
func NewTable(inputSchema wire.Raw) (*Table, error) {
	if !strings.Contains(string(inputSchema), annotation) && !strings.Contains(string(inputSchema), `\`) {
		return nil, nil
	}
	var checked wire.Raw
	if err := wire.UnmarshalString(string(inputSchema), &checked); err != nil {
		return nil, err
	}
	s := scanner{Reader: wire.NewStringReader(string(checked)), names: make(map[string]bool)}
	s.schema(true)
	if err := s.problems.Err(); err != nil {
		return nil, err
	}
	if len(s.params) == 0 {
		return nil, nil
	}
	return &Table{s.params}, nil
}

// scanner reads a well-formed schema once, whatever its depth.
type scanner struct {
	*wire.Reader
	problems wire.Collector
	params   []param
	names    map[string]bool // of headers
	path     []string        // the properties that lead to the current schema
}

// schema reads a schema. If it is reachable, a chain of properties leads to it.
func (s *scanner) schema(reachable bool) {
	if s.Kind() != wire.KindObject { // true and false are schemas too
		s.Skip()
		return
	}
	var name, types wire.Raw
	for s.BeginObject(); s.Member(); {
		keyword := s.Name()
		s.problems.Push(keyword)
		switch keyword {
		case annotation:
			name = s.ReadRaw()
		case "type":
			types = s.ReadRaw()
		case "properties":
			s.schemas(reachable)
		case "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions":
			s.schemas(false)
		case "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains",
			"additionalProperties", "unevaluatedProperties", "propertyNames", "contentSchema",
			"allOf", "anyOf", "oneOf", "not", "if", "then", "else":
			s.oneOrMore()
		default: // what looks like an annotation in there is data, such as a default
			s.Skip()
		}
		s.problems.Pop()
	}
	if name != "" {
		s.problems.Push(annotation)
		s.annotated(name, types, reachable)
		s.problems.Pop()
	}
}

// schemas reads an object of schemas.
func (s *scanner) schemas(reachable bool) {
	if s.Kind() != wire.KindObject {
		s.Skip()
		return
	}
	for s.BeginObject(); s.Member(); {
		name := s.Name()
		s.problems.Push(name)
		s.path = append(s.path, name)
		s.schema(reachable)
		s.path = s.path[:len(s.path)-1]
		s.problems.Pop()
	}
}

// oneOrMore reads a schema or an array of schemas.
func (s *scanner) oneOrMore() {
	if s.Kind() != wire.KindArray {
		s.schema(false)
		return
	}
	i := 0
	for s.BeginArray(); s.Element(); i++ {
		s.problems.PushIndex(i)
		s.schema(false)
		s.problems.Pop()
	}
}

// annotated checks the annotation of a schema and adds it to the table.
func (s *scanner) annotated(value, types wire.Raw, reachable bool) {
	name, ok := value.Str()
	switch {
	case !reachable || len(s.path) == 0:
		s.problems.Report("only a property that a chain of \"properties\" leads to can be repeated in a header")
	case !ok || name == "":
		s.problems.Report("must be a non-empty string, not %.50s", value)
	case !isToken(name):
		s.problems.Report("%.50q is not a token of RFC 9110, so it cannot be a part of a header's name", name)
	case s.names[canonical(name)]:
		s.problems.Report("another property has the header %.50q, without regard to case", name)
	case !arePrimitive(types):
		s.problems.Report("the type of the property must be %s, not %s", primitives, describe(types))
	default:
		s.params = append(s.params, param{header: canonical(prefixParam + name), path: cloned(s.path)})
	}
	if ok {
		s.names[canonical(name)] = true
	}
}

// cloned returns names that do not share the memory of the schema.
func cloned(names []string) []string {
	names = slices.Clone(names)
	for i, name := range names {
		names[i] = strings.Clone(name)
	}
	return names
}

const primitives = `"string", "integer" or "boolean"`

// arePrimitive reports whether the value of the keyword "type" allows only values that a header can
// repeat, or null, which has no header.
func arePrimitive(types wire.Raw) bool {
	all := types.Elements()
	if types.Kind() != wire.KindArray {
		all = []wire.Raw{types}
	}
	found := false
	for _, raw := range all {
		switch name, _ := raw.Str(); name {
		case "string", "integer", "boolean":
			found = true
		case "null":
		default:
			return false
		}
	}
	return found
}

func describe(types wire.Raw) string {
	if types == "" {
		return "absent"
	}
	return fmt.Sprintf("%.100s", types)
}

// isToken reports whether a text is a token (RFC 9110, section 5.6.2).
func isToken(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9', 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return text != ""
}

// canonical returns the form of a token under which net/http keeps a header: a capital at the beginning
// and after each hyphen.
func canonical(token string) string {
	name := []byte(strings.ToLower(token))
	start := true
	for i, c := range name {
		if start && 'a' <= c && c <= 'z' {
			name[i] = c - 'a' + 'A'
		}
		start = c == '-'
	}
	return string(name)
}
