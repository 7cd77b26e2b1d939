package typed

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// compiler returns the check of a schema.
type compiler = func(text wire.Raw) (func(*schema.Checker), error)

// derive returns the schema of a shape. If nullable is true, the schema allows null, too. It is of draft 2020-12, the
// default of the protocol, so it does not name its dialect.
func derive(s *shape, compile compiler, nullable bool) (wire.Raw, error) {
	d := &deriver{compile: compile}
	root := d.body(s.target(), facets{})
	if nullable {
		root = orNull(root)
	}
	definitions := object()
	for i := 0; i < len(d.queue); i++ { // grows
		definitions = add(definitions, wire.Member{Name: d.names[i], Value: wire.Raw(d.body(d.queue[i], facets{}))})
	}
	defs := func(of []byte) []byte {
		if len(d.queue) == 0 {
			return of
		}
		return add(of, wire.Member{Name: "$defs", Value: wire.Raw(definitions)})
	}
	for _, a := range d.alternatives {
		var err error
		if a.field.fits, err = compile(wire.Raw(defs(a.schema))); err != nil {
			d.fail(a.field.shape.t, err)
		}
	}
	return wire.Raw(defs(root)), d.err
}

// deriver writes the schema of one type.
type deriver struct {
	compile compiler
	queue   []*shape // the types in $defs
	names   []string // of them
	// alternatives are those of the unions.
	alternatives []alternative
	err          error // the first one
}

// alternative is one of a union, with its schema.
type alternative struct {
	field  *field
	schema []byte
}

// fail records an error about a type.
func (d *deriver) fail(of reflect.Type, err error) {
	if d.err == nil && err != nil {
		d.err = fmt.Errorf("%s: %w", of, err)
	}
}

// schema returns the schema of the values of a shape in a field, whose tags may say more.
func (d *deriver) schema(s *shape, f facets) []byte {
	s = s.target()
	inner := f
	if f.nullable {
		inner.texts, inner.presets = nil, nil
	}
	var of []byte
	if s.loops {
		ref, _ := wire.AppendString(nil, "#/$defs/"+d.reference(s))
		of = object(wire.Member{Name: "$ref", Value: wire.Raw(ref)})
		of = add(add(of, inner.texts...), inner.rules...)
	} else {
		of = d.body(s, inner)
	}
	if !f.nullable {
		return of
	}
	return add(add(orNull(of), f.texts...), f.presets...)
}

// orNull returns a schema that allows null, too.
func orNull(of []byte) []byte {
	restricts := func(keyword string) bool { _, has := wire.Object(of).Get(keyword); return has }
	others := slices.ContainsFunc([]string{"const", "not", "allOf", "anyOf", "oneOf", "if", "$ref"}, restricts)
	if rest, ok := strings.CutPrefix(string(of), `{"type":"`); ok && !others && !strings.Contains(rest, `"enum":`) {
		name, rest, _ := strings.Cut(rest, `"`)
		return []byte(`{"type":["` + name + `","null"]` + rest)
	}
	if string(of) == "{}" {
		return of
	}
	return []byte(`{"anyOf":[` + string(of) + `,{"type":"null"}]}`)
}

// body returns the schema of a shape that is not a reference.
func (d *deriver) body(s *shape, f facets) []byte {
	switch {
	case s.own.Kind() == wire.KindBool:
		return []byte(s.own)
	case s.own != "":
		more := slices.Concat(f.texts, f.rules, f.presets)
		if f.enum != nil {
			more = append(more, wire.Member{Name: "enum", Value: wire.ArrayOf(f.enum)})
		}
		own := wire.Object(s.own)
		for _, m := range more { // a tag says more of the field than the type does
			own = own.Without(m.Name)
		}
		return add([]byte(own), more...)
	}
	of := object()
	if name := s.named(); name != "" {
		of = object(wire.Member{Name: "type", Value: wire.Raw(strconv.Quote(name))})
	}
	of = add(of, f.texts...)
	enum := s.enum
	if f.enum != nil && s.form != list && s.form != array { // whose elements a tag is for
		enum = f.enum
	}
	if enum != nil {
		of = add(of, wire.Member{Name: "enum", Value: wire.ArrayOf(enum)})
	}
	of = add(of, bounds(s, f.rules)...)
	of = add(of, f.rules...)
	if s.by == byForm {
		of = d.inside(of, s, f)
	}
	return add(of, f.presets...)
}

// inside adds what the schema of a shape says about the inside of values.
func (d *deriver) inside(of []byte, s *shape, f facets) []byte {
	put := func(name string, value []byte) { of = add(of, wire.Member{Name: name, Value: wire.Raw(value)}) }
	switch s.form {
	case instant:
		if !strings.Contains(string(of), `"format":`) {
			put("format", []byte(`"date-time"`))
		}
	case bytes:
		put("contentEncoding", []byte(`"base64"`))
	case array:
		length := strconv.AppendInt(nil, int64(s.t.Len()), 10)
		put("minItems", length)
		put("maxItems", length)
		fallthrough
	case list:
		put("items", d.schema(s.elem, facets{rules: f.items, enum: f.enum, nullable: s.nullElem}))
	case mapping:
		if names := d.keys(s.key); names != nil {
			put("propertyNames", names)
		}
		if inner := d.schema(s.elem, facets{nullable: s.nullElem}); string(inner) != "{}" {
			put("additionalProperties", inner)
		}
	case union:
		var all []wire.Raw
		for _, f := range s.fields {
			one := alternative{f, d.schema(f.shape, f.facets)}
			d.alternatives = append(d.alternatives, one)
			all = append(all, wire.Raw(one.schema))
		}
		put("anyOf", []byte(wire.ArrayOf(all)))
	case structure:
		var required []wire.Raw
		properties := object()
		for _, f := range s.fields {
			properties = add(properties, wire.Member{Name: f.name, Value: wire.Raw(d.member(s, f))})
			if f.required() {
				name, err := wire.AppendString(nil, f.name)
				d.fail(s.t, err)
				required = append(required, wire.Raw(name))
			}
		}
		put("properties", properties)
		if required != nil {
			put("required", []byte(wire.ArrayOf(required)))
		}
		put("additionalProperties", []byte("false"))
	}
	return of
}

// keys returns the schema of the names of members that are keys of a map, or nil if they are any texts.
func (d *deriver) keys(key *shape) []byte {
	if key.enum != nil {
		return object(wire.Member{Name: "enum", Value: wire.ArrayOf(quoted(key.enum))})
	}
	if key.named() == "integer" {
		return []byte(`{"pattern":"^(0|-?[1-9][0-9]*)$"}`)
	}
	if of := d.schema(key, facets{}); string(of) != `{"type":"string"}` {
		return of
	}
	return nil
}

// quoted returns scalars as strings.
func quoted(values []wire.Raw) (all []wire.Raw) {
	for _, value := range values {
		if value.Kind() != wire.KindString {
			value = wire.Raw(strconv.Quote(string(value)))
		}
		all = append(all, value)
	}
	return all
}

// member returns the schema of a field, and checks its default.
func (d *deriver) member(s *shape, f *field) []byte {
	facets := f.facets
	facets.nullable = facets.nullable || f.null
	inside := f.shape
	if f.quoted {
		inside = &shape{t: reflect.TypeFor[string](), form: text, enum: quoted(f.shape.target().enum)}
	}
	of := d.schema(inside, facets)
	if f.facets.preset == "" || d.err != nil {
		return of
	}
	check, err := d.compile(wire.Raw(of))
	if err == nil {
		err = schema.Check(f.facets.preset, check)
	}
	if err == nil {
		err = f.decode(reflect.New(f.shape.t).Elem(), wire.NewStringReader(string(f.facets.preset)))
	}
	if err != nil {
		d.fail(s.t, fmt.Errorf("the default %s of %q is not valid: %s", f.facets.preset, f.name, wire.ProblemsOf(err)[0]))
	}
	return of
}

// required reports whether a member must be present.
func (f *field) required() bool {
	return f.facets.required || !f.omitEmpty && !f.omitZero && !f.absent && f.facets.preset == ""
}

// bounds returns the bounds of the smaller integer types, unless the rules of a field have their own.
func bounds(s *shape, rules []wire.Member) (all []wire.Member) {
	var low, high string
	switch s.form {
	case integer:
		if bits := s.t.Bits(); bits < 64 && s.t.Kind() != reflect.Int {
			low, high = strconv.FormatInt(-1<<(bits-1), 10), strconv.FormatInt(1<<(bits-1)-1, 10)
		}
	case unsigned:
		low = "0"
		if bits := s.t.Bits(); bits < 64 && s.t.Kind() != reflect.Uint && s.t.Kind() != reflect.Uintptr {
			high = strconv.FormatUint(math.MaxUint64>>(64-bits), 10)
		}
	}
	for _, bound := range []wire.Member{{Name: "minimum", Value: wire.Raw(low)}, {Name: "maximum", Value: wire.Raw(high)}} {
		if _, has := wire.Members(rules).Get(bound.Name); bound.Value != "" && !has {
			all = append(all, bound)
		}
	}
	return all
}

// reference returns the name in $defs of a shape.
func (d *deriver) reference(s *shape) string {
	if i := slices.Index(d.queue, s); i >= 0 {
		return d.names[i]
	}
	base := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_' // in type parameters
	}, s.t.Name())
	name := base
	for n := 2; slices.Contains(d.names, name); n++ {
		name = base + strconv.Itoa(n)
	}
	d.queue, d.names = append(d.queue, s), append(d.names, name)
	return name
}

// object returns the text of an object.
func object(members ...wire.Member) []byte { return add([]byte("{}"), members...) }

// add adds members to the text of an object.
func add(object []byte, members ...wire.Member) []byte {
	object = object[:len(object)-1]
	for _, m := range members {
		object = append(wire.AppendName(object, m.Name), m.Value...)
	}
	return append(object, '}')
}
