package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/yaml"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
)

// Parse reads a schema.json, applies the errata to it, and returns the checked
// document. The error joins an *Error for every problem found.
func Parse(revision string, src []byte, errata []spec.Erratum) (*Document, error) {
	text, err := strict(revision, src)
	if err != nil {
		return nil, err
	}
	if text, err = applyErrata(revision, text, errata); err != nil {
		return nil, err
	}
	schema, problems := jsonschema.Read("", text)
	r := newReader(revision, schema)
	for _, p := range problems {
		r.fail(p.Pointer, "%s", p.Problem)
	}
	r.known(false)
	if len(problems) > 0 {
		return nil, r.err()
	}
	doc, err := r.parse(text)
	if err := errors.Join(r.err(), err); err != nil {
		return nil, err
	}
	return doc, nil
}

func (r *reader) err() error {
	var errs []error
	for _, e := range r.errs {
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}

// parse returns the document of a text, which is that of the reader's root. It returns an error only
// if there are no definitions.
func (r *reader) parse(text wire.Raw) (*Document, error) {
	doc := &Document{Revision: r.revision, Dialect: wire.Object(text).GetString("$schema"), Definitions: r.definitions(), source: text}
	if doc.Container = r.container; r.container == "" {
		return nil, &Error{r.revision, "", `has no definitions: neither "$defs" nor "definitions" holds any`}
	}
	doc.attach(r.more)
	return doc, nil
}

// strict is decode with an error for a duplicate member.
func strict(revision string, src []byte) (wire.Raw, error) {
	text, twice, err := decode(revision, src)
	if err == nil && twice != "" {
		err = &Error{revision, twice, "duplicate member"}
	}
	return text, err
}

// decode returns the text of a schema.json with sorted members. Twice is the pointer of a duplicate member, or "". Of
// duplicate members, the text has the last one.
func decode(revision string, src []byte) (text wire.Raw, twice string, err error) {
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	var root map[string]any
	err = dec.Decode(&root)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return "", "", &Error{revision, "", "is not a JSON object, but of type " + wrong.Value}
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at := yaml.Place(src, int(syntax.Offset)-1)
		err = fmt.Errorf("line %d, column %d: %w", at.Line, at.Column, err)
	}
	if err != nil {
		return "", "", &Error{revision, "", "is not a JSON object: " + err.Error()}
	}
	if _, err := dec.Token(); err != io.EOF {
		return "", "", &Error{revision, "", "there is text after the schema"}
	}
	if !utf8.Valid(src) {
		return "", "", &Error{revision, "", "is not UTF-8"}
	}
	in := wire.NewStringReader(string(src)) // package json accepts duplicate members silently
	in.ReadRaw()
	if e, found := errors.AsType[*wire.Error](in.Err()); found && strings.HasPrefix(e.Problem, "duplicate member") {
		twice = e.Pointer
	}
	sorted, err := json.Marshal(root)
	return wire.Raw(sorted), twice, err
}

// Equal reports whether two schemas have the same keywords, except for titles and descriptions.
// References are equal if they have the same name.
func Equal(a, b *Schema) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Ref == b.Ref && equal(a, b, Equal)
}

// equal reports whether two schemas have the same keywords, except for texts and references. Within
// compares the schemas in them.
func equal(a, b *Schema, within func(a, b *Schema) bool) bool {
	return (a.Source == b.Source || a.Source != "" && b.Source != "" && wire.Equal(a.Source, b.Source)) && slices.Equal(a.Types, b.Types) && slices.Equal(a.Required, b.Required) &&
		a.Const == b.Const && slices.Equal(sorted(a.Enum), sorted(b.Enum)) && a.Format == b.Format && a.Pattern == b.Pattern &&
		a.MinLength == b.MinLength && a.MaxLength == b.MaxLength && a.MinItems == b.MinItems && a.MaxItems == b.MaxItems &&
		equalBound(a.Minimum, b.Minimum) && equalBound(a.Maximum, b.Maximum) && a.MinOpen == b.MinOpen && a.MaxOpen == b.MaxOpen &&
		within(a.Items, b.Items) && a.Closed == b.Closed && a.Loose == b.Loose && a.open() == b.open() && (a.open() || within(a.Additional, b.Additional)) &&
		slices.EqualFunc(a.AnyOf, b.AnyOf, within) && slices.EqualFunc(a.AllOf, b.AllOf, within) &&
		slices.EqualFunc(a.Properties, b.Properties, func(x, y Property) bool { return x.Name == y.Name && within(x.Schema, y.Schema) })
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// Open reports whether undeclared members may have any value: additionalProperties is absent,
// true or {}.
func (s *Schema) Open() bool { return !s.Closed && s.open() }

func (s *Schema) open() bool { return s.Additional == nil || s.Additional.IsAny() }

func equalBound(a, b *float64) bool {
	return (a == nil) == (b == nil) && (a == nil || cmp.Compare(*a, *b) == 0)
}
