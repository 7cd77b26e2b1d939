package typed

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// form is the form that the values of a type have in JSON.
type form uint8

const (
	anything form = iota // an interface, or a type with a codec of its own
	boolean
	integer
	unsigned
	float
	text
	bytes // in base64
	instant
	list
	array // of a fixed length
	mapping
	structure
	union
	pointer
)

// shape is what the package knows of a Go type. The shape of a type that contains itself does so, too.
type shape struct {
	t        reflect.Type
	form     form
	by       codec    // the methods of the type that take the place of its form
	elem     *shape   // of a pointer, list, array or mapping
	nullElem bool     // a nil pointer in a list, array or mapping is written as null
	key      *shape   // of a mapping
	fields   []*field // of a structure or union
	byName   map[string]*field
	own      wire.Raw   // the schema that the type's method JSONSchema returns, or ""
	enum     []wire.Raw // the values that the type's method Enum returns
	loops    bool       // the type has a name and contains itself
}

// codec are the methods with which a type is read from JSON, or written as JSON if its values are only written.
type codec uint8

const (
	byForm codec = iota
	byWire       // wire.Decoder, wire.Appender
	byJSON       // of encoding/json
	byText       // of encoding
)

// readers and writers report whether a type has the methods of a codec.
var (
	readers = [...]func(reflect.Type) bool{byWire: has[wire.Decoder], byJSON: has[jsonUnmarshaler], byText: has[encoding.TextUnmarshaler]}
	writers = [...]func(reflect.Type) bool{byWire: has[wire.Appender], byJSON: has[jsonMarshaler], byText: has[encoding.TextMarshaler]}
)

// field is a member of an object, or an alternative of a union.
type field struct {
	name   string
	index  []int // of reflect.Value.FieldByIndex
	tagged bool  // the name is from the tag json
	shape  *shape
	facets facets
	// omitEmpty and omitZero are the options of the tag json.
	omitEmpty, omitZero bool
	quoted              bool // a number or boolean is in a string
	null                bool // a nil pointer is written as null
	absent              bool // it is left out of a result if the embedded pointer to its struct is nil
	// fits checks whether a value is one of an alternative.
	fits func(*schema.Checker)
}

// OneOf makes a struct a union: a value is one of the types of its other fields, which are pointers, and
// the field of that type is not nil.
//
//	type Place struct {
//		typed.OneOf
//		City     *City
//		Position *Position
//	}
//
// The schema is an anyOf. If several alternatives fit a value, the first one is set.
type OneOf struct{}

// JSON types with a method, which decide how values are read and written.
type (
	jsonMarshaler   interface{ MarshalJSON() ([]byte, error) }
	jsonUnmarshaler interface{ UnmarshalJSON([]byte) error }
)

// has reports whether a type, or a pointer to it, has the methods of an interface.
func has[I any](t reflect.Type) bool { return reflect.PointerTo(t).Implements(reflect.TypeFor[I]()) }

// shaper makes the shapes of a type and of those that it contains.
type shaper struct {
	known map[reflect.Type]*shape
	// written means that values are only written, so that they may be interfaces with methods.
	written bool
	// later are the steps for which all types must be known.
	later []func() error
}

// shapeOf returns the shape of a type.
func shapeOf(t reflect.Type, written bool) (*shape, error) {
	b := &shaper{known: map[reflect.Type]*shape{}, written: written}
	s, err := b.shape(t)
	if err != nil {
		return nil, err
	}
	for _, one := range b.known {
		one.loops = one.t.Name() != "" && one.contains(one, map[*shape]bool{})
		for p, n := one, 0; p.form == pointer; p = p.elem {
			if n++; n > len(b.known) {
				return nil, fmt.Errorf("unsupported type %s, a pointer to itself", one.t)
			}
		}
	}
	for _, step := range b.later {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// contains reports whether a value of s can contain a value of another shape.
func (s *shape) contains(other *shape, seen map[*shape]bool) bool {
	inner := []*shape{s.elem}
	for _, f := range s.fields {
		inner = append(inner, f.shape)
	}
	for _, i := range inner {
		if i == nil || seen[i] {
			continue
		}
		seen[i] = true
		if i == other || i.contains(other, seen) {
			return true
		}
	}
	return false
}

func (b *shaper) shape(t reflect.Type) (*shape, error) {
	if s, ok := b.known[t]; ok {
		return s, nil
	}
	s := &shape{t: t}
	b.known[t] = s
	if t == reflect.TypeFor[time.Time]() {
		s.form = instant
		return s, nil
	}
	if t == reflect.TypeFor[json.Number]() {
		s.own = `{"type":"number"}` // wire.RawOf and wire.Raw.Decode do the rest
		return s, nil
	}
	if t == reflect.TypeFor[time.Duration]() {
		return nil, fmt.Errorf("unsupported type %s, which has no standard JSON form: use a number or a string", t)
	}
	if err := b.methods(s); err != nil {
		return nil, err
	}
	if s.by == byForm {
		if err := b.fill(s); err != nil {
			return s, err
		}
	}
	return s, s.enumMethod()
}

// methods sets what the methods of a type say about its values.
func (b *shaper) methods(s *shape) error {
	if s.t.Kind() == reflect.Pointer || s.t.Kind() == reflect.Interface {
		return nil
	}
	codecs := readers
	if b.written {
		codecs = writers
	}
	for by := byText; by > byForm; by-- { // the first one counts
		if codecs[by](s.t) {
			s.by = by
		}
	}
	// The names are constants, so that the linker leaves out all other methods.
	_, extends := s.t.MethodByName("JSONSchemaExtend")
	_, stands := s.t.MethodByName("JSONSchemaAlias")
	_, replaces := s.t.MethodByName("JSONSchemaProperty")
	if extends || stands || replaces {
		return fmt.Errorf("%s: of the methods for schemas, only JSONSchema is used: let it return the whole schema", s.t)
	}
	if err := s.schemaMethod(); err != nil {
		return fmt.Errorf("%s: JSONSchema: %w", s.t, err)
	}
	return nil
}

// schemaMethod calls the method JSONSchema.
func (s *shape) schemaMethod() (err error) {
	method := reflect.New(s.t).MethodByName("JSONSchema")
	if !method.IsValid() {
		return nil
	}
	if method.Type().NumIn() != 0 || method.Type().NumOut() != 1 {
		return fmt.Errorf("must have no parameters and one result, a schema")
	}
	own, err := wire.RawOf(method.Call(nil)[0].Interface())
	if err != nil {
		return err
	}
	switch own.Kind() {
	case wire.KindBool:
		if own == "true" {
			own = "{}" // which more clients support
		}
	case wire.KindObject:
		own = wire.Raw(wire.Object(own).Without("$schema", "$id"))
	default:
		return fmt.Errorf("expected a schema, found %s", own.Kind())
	}
	s.own = own
	return nil
}

// enumMethod calls the method Enum of a type, which returns a slice of all its values.
func (s *shape) enumMethod() error {
	method := reflect.New(s.t).MethodByName("Enum")
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 || method.Type().Out(0).Kind() != reflect.Slice {
		return nil
	}
	if out := method.Type().Out(0); out.Elem() != s.t {
		if s.own != "" || out.Elem().Kind() == reflect.Interface {
			return nil // it is for another package: some take []any
		}
		return fmt.Errorf("%s: the method Enum must return []%[1]s, not %s", s.t, out)
	}
	values := method.Call(nil)[0]
	for i := range values.Len() {
		text, err := s.append(nil, values.Index(i), 0)
		if err != nil {
			return err
		}
		s.enum = append(s.enum, wire.Raw(text))
	}
	return nil
}

// fill sets the form of a shape.
func (b *shaper) fill(s *shape) (err error) {
	switch s.t.Kind() {
	case reflect.Bool:
		s.form = boolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.form = integer
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		s.form = unsigned
	case reflect.Float32, reflect.Float64:
		s.form = float
	case reflect.String:
		s.form = text
	case reflect.Interface:
		if s.t.NumMethod() > 0 && !b.written {
			return fmt.Errorf("unsupported type %s: JSON does not say which type implements the interface; alternatives are a struct with typed.OneOf", s.t)
		}
	case reflect.Pointer:
		s.form = pointer
		s.elem, err = b.shape(s.t.Elem())
	case reflect.Slice, reflect.Array:
		s.form = list
		s.elem, err = b.shape(s.t.Elem())
		if s.t.Kind() == reflect.Array {
			s.form = array
		} else if err == nil && s.t.Elem().Kind() == reflect.Uint8 && s.elem.by == byForm {
			s.form = bytes
		}
	case reflect.Map:
		s.form = mapping
		if s.key, err = b.shape(s.t.Key()); err == nil {
			s.elem, err = b.shape(s.t.Elem())
		}
		k := s.key
		if err == nil && (k.named() != "string" && k.named() != "integer" || k.t.Kind() != reflect.String &&
			k.by != byText && k.form != integer && k.form != unsigned && k.form != instant) {
			return fmt.Errorf("unsupported type %s: keys must be strings or integers", s.t)
		}
	case reflect.Struct:
		err = b.structure(s)
	default:
		return fmt.Errorf("unsupported type %s", s.t)
	}
	s.nullElem = b.written && s.elem != nil && s.elem.form == pointer
	return err
}

// structure sets the fields of a struct.
func (b *shaper) structure(s *shape) error {
	s.form = structure
	if f, ok := s.t.FieldByName("OneOf"); ok && f.Anonymous && f.Type == reflect.TypeFor[OneOf]() && len(f.Index) == 1 {
		s.form = union
	}
	all, err := b.fields(s, s.t, nil)
	if err != nil {
		return err
	}
	if s.form == union {
		if len(all) == 0 {
			return fmt.Errorf("%s: a union needs alternatives", s.t)
		}
		s.fields = all
		return nil
	}
	s.byName = make(map[string]*field, len(all))
	for _, f := range all {
		if other, ok := s.byName[f.name]; !ok || f.weight() < other.weight() {
			s.byName[f.name] = f
		}
	}
	for _, f := range all {
		if other := s.byName[f.name]; other != f && other.weight() == f.weight() {
			return fmt.Errorf("%s: two fields have the name %q", s.t, f.name)
		}
	}
	s.fields = slices.DeleteFunc(all, func(f *field) bool { return s.byName[f.name] != f })
	return nil
}

// weight orders fields with the same name, of which the lightest is a member, as in encoding/json.
func (f *field) weight() int {
	if f.tagged {
		return 2 * len(f.index)
	}
	return 2*len(f.index) + 1
}

// fields returns the fields of a struct within s, and those of its embedded structs.
func (b *shaper) fields(s *shape, t reflect.Type, index []int) ([]*field, error) {
	var all []*field
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clip(index), i)
		inlined, err := b.inlined(f)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s.%s: %w", t, f.Name, err)
		case f.Tag.Get("json") == "-" || f.Type == reflect.TypeFor[OneOf]() || inlined == nil && !f.IsExported():
			continue
		case inlined != nil && s.form != union:
			if len(index) > 10 {
				return nil, fmt.Errorf("%s.%s: embedded too deeply", t, f.Name)
			}
			for _, key := range []string{"jsonschema", "jsonschema_description"} {
				if tag := f.Tag.Get(key); tag != "" && tag != "-" {
					return nil, fmt.Errorf("%s.%s: tag %s: %q is about no member, because the fields of the struct take its place", t, f.Name, key, tag)
				}
			}
			more, err := b.fields(s, inlined, at)
			if err != nil {
				return nil, err
			}
			for _, one := range more {
				one.absent = one.absent || b.written && f.Type.Kind() == reflect.Pointer
			}
			all = append(all, more...)
			continue
		}
		one := &field{index: at}
		if err := b.field(t, one, f); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		if s.form == union && (one.shape.form != pointer || f.Tag.Get("json") != "") {
			return nil, fmt.Errorf("%s.%s: an alternative must be a pointer and have no tag json", t, f.Name)
		}
		all = append(all, one)
	}
	return all, nil
}

// inlined returns the struct whose fields take the place of a field, or nil.
func (b *shaper) inlined(f reflect.StructField) (reflect.Type, error) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	inline := slices.Contains(strings.Split(options, ","), "inline")
	if name != "" || !f.Anonymous && !inline {
		return nil, nil
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	fits := t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]() && !has[jsonMarshaler](t) && !has[wire.Appender](t) && !has[encoding.TextMarshaler](t)
	switch {
	case fits && f.Type.Kind() == reflect.Pointer && !f.IsExported():
		return nil, fmt.Errorf("a pointer to an unexported struct cannot be set")
	case fits:
		return t, nil
	case inline:
		return nil, fmt.Errorf("tag json: inline is for structs")
	}
	return nil, nil
}

// field sets the name, the options and the shape of a field.
func (b *shaper) field(of reflect.Type, one *field, f reflect.StructField) (err error) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if one.name, one.tagged = name, name != ""; name == "" {
		one.name = f.Name
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "":
		case "omitempty":
			one.omitEmpty = true
		case "omitzero":
			one.omitZero = true
		case "string":
			one.quoted = true
		default:
			return fmt.Errorf("tag json: unknown option %q", option)
		}
	}
	if one.shape, err = b.shape(f.Type); err != nil {
		return err
	}
	one.null = b.written && one.shape.form == pointer && !one.omitEmpty && !one.omitZero
	b.later = append(b.later, func() error {
		if err := one.readTags(f.Tag); err != nil {
			return fmt.Errorf("%s.%s: %w", of, f.Name, err)
		}
		return nil
	})
	return nil
}

// readTags reads the tags about the values of a field.
func (f *field) readTags(tags reflect.StructTag) (err error) {
	kind, element := f.shape.named(), f.shape.elements()
	if f.quoted {
		switch kind {
		case "integer", "number", "boolean":
		default:
			return fmt.Errorf("tag json: string is for numbers and booleans")
		}
		kind, element = "string", ""
	}
	f.facets, err = facetsOf(tags, kind, element)
	if err == nil && kind == "array" && f.shape.target().own != "" && (f.facets.items != nil || f.facets.enum != nil) {
		return fmt.Errorf("tag jsonschema: the elements have the schema that the method JSONSchema returns")
	}
	return err
}

// target returns the shape of the values that pointers lead to.
func (s *shape) target() *shape {
	for s.form == pointer {
		s = s.elem
	}
	return s
}

// named returns the type in JSON Schema of the values of a shape, or "" if it is not known.
func (s *shape) named() string {
	s = s.target()
	switch {
	case s.own != "":
		return wire.Object(s.own).GetString("type")
	case s.t == reflect.TypeFor[wire.Object]():
		return "object"
	case s.by == byWire || s.by == byJSON:
		return ""
	case s.by == byText:
		return "string"
	}
	return [...]string{
		boolean: "boolean", integer: "integer", unsigned: "integer", float: "number", text: "string", bytes: "string",
		instant: "string", list: "array", array: "array", mapping: "object", structure: "object", union: "", pointer: "",
	}[s.form]
}

// elements returns the type in JSON Schema of the elements of an array.
func (s *shape) elements() string {
	if s = s.target(); s.named() != "array" || s.elem == nil {
		return ""
	}
	return s.elem.named()
}

// value gives a value of any Go type the codec of its shape.
type value struct {
	v     reflect.Value // can be set
	shape *shape
	given wire.Object // the schema of the definition, if there is one that may have defaults
}

// AppendJSON implements wire.Appender.
func (x *value) AppendJSON(dst []byte) ([]byte, error) { return x.shape.append(dst, x.v, 0) }

// DecodeJSON implements wire.Value.
func (x *value) DecodeJSON(r *wire.Reader) error {
	x.v.SetZero()
	if x.given == "" {
		x.shape.decode(r, x.v)
		return r.Err()
	}
	text := r.ReadRaw()
	if err := r.Err(); err != nil {
		return err
	}
	inner := wire.NewStringReader(string(fill(text, x.given, x.given)))
	x.shape.decode(inner, x.v)
	return inner.Err()
}

// of returns the value of x, which has the type T.
func of[T any](x *value) *T { return x.v.Addr().Interface().(*T) }
