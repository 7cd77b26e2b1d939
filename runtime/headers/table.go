package headers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Table has the headers of a tool's calls: for each property of its inputSchema with the annotation
// x-mcp-header, a header that repeats the argument ("Custom Headers from Tool Parameters"). A nil
// Table has none. It is immutable.
type Table struct {
	params []param
}

// param is an argument that a header repeats.
type param struct {
	header string   // the canonical name
	path   []string // the names of the properties that lead to the argument
}

// Len returns the number of headers.
func (t *Table) Len() int {
	if t == nil {
		return 0
	}
	return len(t.params)
}

// Set sets the headers for the arguments of a call, which may be "". Arguments that are absent or null
// have no header. An argument that no header can repeat, because it is not a string, a boolean or an
// integer within ±(2^53-1), is an error.
func (t *Table) Set(h Header, arguments wire.Object) error {
	if t == nil {
		return nil
	}
	for i := range t.params {
		p := &t.params[i]
		value, ok := p.argument(arguments)
		if !ok {
			continue
		}
		text, err := repeat(value)
		if err != nil {
			return fmt.Errorf("headers: argument %.200q: %w", p.pointer(), err)
		}
		h[p.header] = []string{Encode(text)}
	}
	return nil
}

// Check compares the headers with the arguments of a call, which may be "". A header must be present
// if and only if the argument is present and not null. Integers are compared by value ("Server
// Validation"). Other headers are ignored. The error is a *MismatchError.
func (t *Table) Check(h Header, arguments wire.Object) error {
	if t == nil {
		return nil
	}
	for i := range t.params {
		if err := t.params[i].check(h, arguments); err != nil {
			return err
		}
	}
	return nil
}

// CheckCase returns a *MismatchError if a member of the arguments of a call differs in case alone from a name that
// leads to an argument with a header: a server that ignores case would read it in place of the argument that the
// header repeats. A relay calls it, because it does not know how the server compares names. A server need not,
// because it knows the names of its own arguments.
func (t *Table) CheckCase(arguments wire.Object) error {
	if t == nil {
		return nil
	}
	for _, p := range t.params {
		value := wire.Raw(arguments)
		for i, name := range p.path {
			if value.Kind() != wire.KindObject {
				break
			}
			for other := range wire.Object(value).All() {
				if other != name && strings.EqualFold(other, name) && !t.leads(p.path[:i], other) {
					return &MismatchError{p.header, fmt.Sprintf("the argument %.100q differs from %.100q in case alone", other, name)}
				}
			}
			value, _ = wire.Object(value).Get(name)
		}
	}
	return nil
}

// leads reports whether a name within the members of a path leads to an argument with a header, too.
func (t *Table) leads(path []string, name string) bool {
	return slices.ContainsFunc(t.params, func(p param) bool {
		n := len(path)
		return len(p.path) > n && slices.Equal(p.path[:n], path) && p.path[n] == name
	})
}

func (p *param) check(h Header, arguments wire.Object) error {
	value, given := p.argument(arguments)
	text, sent, err := single(h, p.header)
	switch {
	case err != nil:
		return err
	case !given && !sent:
		return nil
	case !sent:
		return &MismatchError{p.header, fmt.Sprintf("the header is missing, but the message has the argument %.200q", p.pointer())}
	case !given:
		return &MismatchError{p.header, fmt.Sprintf("the message has no argument %.200q", p.pointer())}
	}
	if text, err = Decode(text); err != nil {
		return &MismatchError{p.header, err.Error()}
	}
	want, err := repeat(value)
	if err != nil {
		return &MismatchError{p.header, fmt.Sprintf("argument %.200q: %s", p.pointer(), err)}
	}
	if value.Kind() == wire.KindNumber {
		if v, ok := integer(text); ok {
			text = decimal(v)
		}
	}
	if text != want {
		return mismatch(p.header, text, want)
	}
	return nil
}

// argument returns the value at the path, or false if it is absent or null.
func (p *param) argument(arguments wire.Object) (wire.Raw, bool) {
	value := wire.Raw(arguments)
	for _, name := range p.path {
		if value.Kind() != wire.KindObject {
			return "", false
		}
		var ok bool
		if value, ok = wire.Object(value).Get(name); !ok {
			return "", false
		}
	}
	return value, value.Kind() != wire.KindNull
}

func (p *param) pointer() string { return wire.ChildPointer("", p.path...) }

// repeat returns the text by which a header repeats a value, before it is encoded ("Value Encoding").
func repeat(value wire.Raw) (string, error) {
	switch value.Kind() {
	case wire.KindString:
		text, _ := value.Str()
		return text, nil
	case wire.KindBool:
		return string(value), nil
	case wire.KindNumber:
		v, ok := integer(string(value))
		if !ok {
			return "", fmt.Errorf("%.50s is not an integer within ±(2^53-1)", value)
		}
		return decimal(v), nil
	}
	return "", fmt.Errorf("no header can repeat a value of kind %s", value.Kind())
}

// maxInteger is the largest integer that every program reads exactly.
const maxInteger = 1<<53 - 1

// integer returns the value of a JSON number if it is an integer within ±maxInteger. 42.0 is one.
func integer(token string) (int64, bool) {
	var number wire.Scalar
	if wire.UnmarshalString(token, &number) != nil || number.String() != token {
		return 0, false
	}
	v, ok := number.Int64()
	return v, ok && -maxInteger <= v && v <= maxInteger
}

func decimal(v int64) string { return strconv.FormatInt(v, 10) }

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
	checked, err := wire.Parse(string(inputSchema))
	if err != nil {
		return nil, err
	}
	s := scanner{Reader: checked.Reader(), names: make(map[string]bool)}
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

// maxTools limits the tools whose tables are kept. Beyond it, all are forgotten, and a client learns them again when
// the server refuses a call.
const maxTools = 10_000

// Tools has the tables of a server's tools by their names, as far as their definitions were read. The zero value has
// none. It is safe for concurrent use.
type Tools struct {
	mu     sync.RWMutex
	tables map[string]*Table // of those with headers
}

// Read reads the definition of a tool. The error is that of NewTable; the tool then has no table.
func (t *Tools) Read(definition wire.Object) error {
	schema, _ := definition.Get("inputSchema")
	name := strings.Clone(definition.GetString("name"))
	table, err := NewTable(schema.Clone()) // a table must not keep the whole list
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err != nil || table.Len() == 0:
		delete(t.tables, name)
		return err
	case t.tables == nil || len(t.tables) >= maxTools:
		t.tables = make(map[string]*Table)
	}
	t.tables[name] = table
	return nil
}

// Table returns the table of a tool, or nil.
func (t *Tools) Table(name string) *Table {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.tables[name]
}
