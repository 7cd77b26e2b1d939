package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/faults"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// deepSchema is the depth from which a schema is deep. It is the limit of strict functions of
// OpenAI.
const deepSchema = 10

// schema checks a schema in two passes: over the text, for what is written, and over the schema
// that was read, for what it means.
func (l *linter) schema(at string, raw wire.Raw, input bool) {
	s, errs := jsonschema.Read(at, raw)
	if len(errs) == 0 {
		errs = s.Endless()
	}
	for _, e := range errs {
		if strings.Contains(e.Problem, "reference") && remote.MatchString(e.Problem) {
			l.add("schema-reference-remote", e.Pointer, "%s", e.Problem)
		} else {
			l.add("schema-invalid", e.Pointer, "%s", e.Problem)
		}
	}
	d := &document{linter: l, input: input, seen: map[string]bool{}}
	if len(errs) == 0 {
		d.validator = samples.NewValidator(s)
	}
	d.strings(at, raw)
	d.visit(s, place{root: true, described: true})
	if input {
		l.hosts(at, raw, s)
	}
}

// remote matches the reader's error for references that lead out of the document.
var remote = regexp.MustCompile(`https?://|file:`)

// document is the check of one schema with the schemas in it.
type document struct {
	*linter
	input     bool
	validator *samples.Validator // nil if the schema cannot be read
	seen      map[string]bool
	deep      bool
}

// place is the location of a schema in its document.
type place struct {
	root bool
	// property is the name of the property that the schema describes, or "".
	property string
	// described means that the schema needs no description.
	described bool
	depth     int
}

// visit checks a schema and the schemas in it.
func (d *document) visit(s *jsonschema.Schema, p place) {
	if s == nil || d.seen[s.Pointer] {
		return
	}
	d.seen[s.Pointer] = true
	if s.Source.Kind() != wire.KindObject {
		return
	}
	if p.depth > deepSchema && !d.deep {
		d.deep = true
		d.add("schema-deep", s.Pointer, "the schema is nested more than %d levels deep", deepSchema)
	}
	if p.property != "" && !p.described && isMissing(s.Description) && (s.Target == nil || s.Target.Description == "") {
		d.add("parameter-description-missing", s.Pointer, "the parameter %q has no description", p.property)
	}
	d.keywords(s)
	for _, fault := range faults.Of(s, d.validator) {
		d.add(faultRules[fault.Kind], fault.Pointer, "%s", fault.Problem)
	}
	d.repeated(s)
	d.required(s)
	next := place{depth: p.depth + 1, described: true}
	for _, property := range s.Properties {
		// Only what a model fills in needs a description, and alternatives may repeat what is
		// described elsewhere.
		d.visit(property.Schema, place{property: property.Name, described: !d.input || !p.root, depth: p.depth + 1})
	}
	same := place{depth: p.depth, described: true}
	for _, part := range slices.Concat([]*jsonschema.Schema{s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf) {
		d.visit(part, same)
	}
	for _, part := range slices.Concat([]*jsonschema.Schema{s.Items, s.Contains, s.AdditionalProperties, s.PropertyNames, s.UnevaluatedItems, s.UnevaluatedProperties}, s.PrefixItems) {
		d.visit(part, next)
	}
	for _, named := range slices.Concat(s.PatternProperties, s.DependentSchemas, s.Defs) {
		d.visit(named.Schema, next)
	}
}

// dialects are keywords of other dialects, which readers of JSON Schema ignore.
var dialects = []string{"nullable", "example", "discriminator", "xml", "externalDocs", "enumNames", "markdownDescription", "id"}

// known are the names of keywords.
var known = func() []string {
	all := slices.Clone(dialects)
	for _, k := range jsonschema.Keywords {
		all = append(all, k.Name)
	}
	slices.Sort(all)
	return all
}()

// effectOn returns the only type that a keyword has an effect on, or "".
func effectOn(keyword string) string {
	if k := jsonschema.KeywordOf(keyword); k != nil && k.Kinds != 0 && k.Kinds != jsonschema.AllKinds {
		return k.Kinds.String()
	}
	return ""
}

// keywords checks the names of the keywords of a schema.
func (d *document) keywords(s *jsonschema.Schema) {
	for keyword := range wire.Object(s.Source).All() {
		at := wire.ChildPointer(s.Pointer, keyword)
		if near, ok := nearest(keyword, known); ok {
			d.add("keyword-misspelled", at, "unknown keyword %q (did you mean %q?)", keyword, near)
			continue
		}
		if t := effectOn(keyword); t != "" && !d.affects(s, t) {
			d.add("keyword-ineffective", at, "%q has no effect on values of type %s", keyword, strings.Join(s.Types, ", "))
		}
	}
}

// affects reports whether a schema allows values of a type.
func (d *document) affects(s *jsonschema.Schema, t string) bool {
	return s.Types == nil || slices.Contains(s.Types, t) || t == "number" && slices.Contains(s.Types, "integer")
}

// faultRules are the rules of the faults that package faults finds.
var faultRules = map[faults.Kind]string{
	faults.Pattern: "pattern-unreadable", faults.Bounds: "bounds-contradict", faults.Listed: "enum-contradicts", faults.Value: "default-invalid",
}

// repeated checks that an enum has each value once.
func (d *document) repeated(s *jsonschema.Schema) {
	for i, value := range s.Enum {
		if slices.ContainsFunc(s.Enum[:i], func(other wire.Raw) bool { return wire.Equal(value, other) }) {
			d.add("enum-duplicate", fmt.Sprintf("%s/enum/%d", s.Pointer, i), "%s occurs twice", short(string(value)))
		}
	}
}

// required checks the names of required properties.
func (d *document) required(s *jsonschema.Schema) {
	_, properties := wire.Object(s.Source).Get("properties") // without them, the schema only adds to another
	for i, name := range s.Required {
		at := fmt.Sprintf("%s/required/%d", s.Pointer, i)
		if slices.Contains(s.Required[:i], name) {
			d.add("required-duplicate", at, "%q occurs twice", name)
			continue
		}
		if properties && !declares(s, name) {
			d.add("required-undeclared", at, "%q is required, but has no schema in properties", name)
		}
	}
}

// declares reports whether a schema has properties with a name, also by a pattern or in a part
// that applies to the same object.
func declares(s *jsonschema.Schema, name string) bool {
	return slices.ContainsFunc(s.Properties, func(p jsonschema.Property) bool { return p.Name == name }) ||
		slices.ContainsFunc(s.PatternProperties, func(p jsonschema.Property) bool { return jsonschema.Matches(p.Name, name) }) ||
		slices.ContainsFunc(s.AllOf, func(part *jsonschema.Schema) bool { return declares(part, name) }) ||
		s.Target != nil && s.Target != s && len(s.Target.AllOf) == 0 && declares(s.Target, name)
}
