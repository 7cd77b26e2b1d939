package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/atombender/go-jsonschema/pkg/schemas"

	"github.com/mcpgen/mcpgen/spec"
)

// Parse reads a schema.json, applies the errata to it, and returns the checked
// document. The error joins an *Error for every problem found.
func Parse(revision string, src []byte, errata []spec.Erratum) (*Document, error) {
	root, err := Tree(revision, src)
	if err != nil {
		return nil, err
	}
	if err := applyErrata(revision, root, errata); err != nil {
		return nil, err
	}
	a := &audit{revision: revision}
	container := a.document(root)
	if err := a.err(); err != nil {
		return nil, err
	}
	return parse(revision, root, container)
}

// parse returns the document of a tree that passed the audit.
func parse(revision string, root map[string]any, container string) (*Document, error) {
	patched, err := json.Marshal(root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", revision, err)
	}
	parsed, err := schemas.FromJSONReader(bytes.NewReader(patched))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", revision, err)
	}
	doc := &Document{Revision: revision, Container: container}
	doc.Dialect, _ = root["$schema"].(string)
	c := converter{prefix: "#/" + container + "/"}
	for _, name := range slices.Sorted(maps.Keys(parsed.Definitions)) {
		doc.Definitions = append(doc.Definitions, Definition{name, c.schema(Child("", container, name), parsed.Definitions[name])})
	}
	return doc, nil
}

// Tree decodes a schema.json as plain JSON objects with exact numbers.
func Tree(revision string, src []byte) (map[string]any, error) {
	root, err := decode(revision, src)
	if err != nil {
		return nil, err
	}
	if pointer, ok := repeated(json.NewDecoder(bytes.NewReader(src)), ""); ok {
		return nil, &Error{revision, pointer, "duplicate member"}
	}
	return root, nil
}

func decode(revision string, src []byte) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	var root map[string]any
	if err := dec.Decode(&root); err != nil {
		return nil, &Error{revision, "", "is not a JSON object: " + err.Error()}
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, &Error{revision, "", "there is text after the schema"}
	}
	if !utf8.Valid(src) {
		return nil, &Error{revision, "", "is not UTF-8"}
	}
	return root, nil
}

// repeated returns the location of a duplicate member, which package json accepts silently. The
// text must be valid JSON.
func repeated(dec *json.Decoder, pointer string) (at string, found bool) {
	start, _ := dec.Token()
	seen := map[string]bool{}
	for i := 0; (start == json.Delim('{') || start == json.Delim('[')) && dec.More(); i++ {
		segment := strconv.Itoa(i)
		if start == json.Delim('{') {
			name, _ := dec.Token()
			segment, _ = name.(string)
			if seen[segment] {
				return Child(pointer, segment), true
			}
			seen[segment] = true
		}
		if at, found = repeated(dec, Child(pointer, segment)); found {
			return at, true
		}
	}
	if _, isDelim := start.(json.Delim); isDelim {
		dec.Token() // the closing bracket
	}
	return "", false
}

// converter converts the parser's nodes to Schemas, which have pointers.
type converter struct{ prefix string }

func (c converter) schema(pointer string, t *schemas.Type) *Schema {
	s := &Schema{
		Pointer:     pointer,
		Title:       t.Title,
		Description: t.Description,
		Required:    slices.Sorted(slices.Values(t.Required)),
		Format:      t.Format,
		Minimum:     t.Minimum,
		Maximum:     t.Maximum,
		MaxItems:    t.MaxItems,
		Const:       constant(t.Const),
	}
	if name, ok := strings.CutPrefix(t.Ref, c.prefix); ok {
		s.Ref = unescape(name)
	}
	s.Types = t.Type
	for _, name := range slices.Sorted(maps.Keys(t.Properties)) {
		s.Properties = append(s.Properties, Property{name, c.schema(Child(pointer, "properties", name), t.Properties[name])})
	}
	if t.AdditionalProperties != nil {
		s.Additional = c.schema(Child(pointer, "additionalProperties"), t.AdditionalProperties)
	}
	if t.Items != nil {
		s.Items = c.schema(Child(pointer, "items"), t.Items)
	}
	for _, v := range t.Enum {
		s.Enum = append(s.Enum, v.(string))
	}
	s.AnyOf = c.list(Child(pointer, "anyOf"), t.AnyOf)
	s.AllOf = c.list(Child(pointer, "allOf"), t.AllOf)
	return s
}

func (c converter) list(pointer string, types []*schemas.Type) []*Schema {
	var list []*Schema
	for i, t := range types {
		list = append(list, c.schema(Child(pointer, strconv.Itoa(i)), t))
	}
	return list
}

// constant returns a const as a string or an int64. The audit accepts no others.
func constant(v any) any {
	if f, ok := v.(float64); ok {
		return int64(f)
	}
	return v
}

// Equal reports whether two schemas have the same keywords, except for titles and descriptions.
// References are equal if they have the same name.
func Equal(a, b *Schema) bool {
	if a == nil || b == nil {
		return a == b
	}
	return equalSource(a, b) && a.Ref == b.Ref && slices.Equal(a.Types, b.Types) && slices.Equal(a.Required, b.Required) &&
		a.Const == b.Const && slices.Equal(a.Enum, b.Enum) && a.Format == b.Format && a.MaxItems == b.MaxItems &&
		equalBound(a.Minimum, b.Minimum) && equalBound(a.Maximum, b.Maximum) &&
		Equal(a.Items, b.Items) && a.Open() == b.Open() && (a.Open() || Equal(a.Additional, b.Additional)) &&
		slices.EqualFunc(a.AnyOf, b.AnyOf, Equal) && slices.EqualFunc(a.AllOf, b.AllOf, Equal) &&
		slices.EqualFunc(a.Properties, b.Properties, func(x, y Property) bool {
			return x.Name == y.Name && Equal(x.Schema, y.Schema)
		})
}

// Open reports whether undeclared members may have any value: additionalProperties is absent,
// true or {}.
func (s *Schema) Open() bool { return s.Additional == nil || s.Additional.IsAny() }

func equalBound(a, b *float64) bool {
	return (a == nil) == (b == nil) && (a == nil || cmp.Compare(*a, *b) == 0)
}
