package typed

import (
	"encoding"
	stdjson "encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// derive returns the schema of a type. It is of draft 2020-12, the default of the protocol, so it does
// not name its dialect. Objects means that the values of the type must be objects.
func derive[T any](objects bool) (schema wire.Raw, err error) {
	t := reflect.TypeFor[T]()
	defer func() {
		// The deriver panics for types that have no JSON form.
		if v := recover(); v != nil {
			schema, err = "", fmt.Errorf("%s: %v", t, v)
		}
	}()
	if err := checkTags(t, map[reflect.Type]bool{}); err != nil {
		return "", err
	}
	d := &deriver{loops: map[reflect.Type]bool{}, names: map[string]reflect.Type{}}
	root, err := d.root(t)
	if err != nil {
		return "", err
	}
	text, err := stdjson.Marshal(root)
	if err != nil {
		return "", fmt.Errorf("%s: %w", t, err)
	}
	schema = plain(wire.Raw(text))
	if err := checkDefaults(schema); err != nil {
		return "", fmt.Errorf("%s: %w", t, err)
	}
	if of, _ := wire.Object(schema).Get("type"); objects && of != `"object"` {
		return "", fmt.Errorf("%s: must be a struct or a map, whose values are JSON objects", t)
	}
	return schema, nil
}

// deriver derives the schema of one type.
type deriver struct {
	// loops records for each type whether it contains a recursive type.
	loops map[reflect.Type]bool
	// names holds the types in $defs by their name.
	names map[string]reflect.Type
}

func (d *deriver) root(t reflect.Type) (*jsonschema.Schema, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !d.loop(t) {
		return d.inline(t), nil
	}
	r := &jsonschema.Reflector{Anonymous: true, LookupComment: describing, Namer: d.name, Mapper: func(t reflect.Type) *jsonschema.Schema {
		if s := special(t); s != nil || d.loop(t) {
			return s
		}
		return d.inline(t)
	}}
	s := r.ReflectFromType(t)
	s.Version = ""
	if s.Ref == "" {
		return s, nil
	}
	// The root must have the type object itself.
	name := d.name(t)
	definition := s.Definitions[name]
	if definition == nil {
		return nil, fmt.Errorf("%s: no schema", t)
	}
	root := *definition
	root.Definitions = s.Definitions
	text, err := stdjson.Marshal(s.Definitions)
	if err == nil && !strings.Contains(string(text), strconv.Quote("#/$defs/"+name)) {
		delete(root.Definitions, name)
	}
	return &root, err
}

// inline returns the schema of a type that does not contain itself.
func (d *deriver) inline(t reflect.Type) *jsonschema.Schema {
	r := &jsonschema.Reflector{Anonymous: true, DoNotReference: true, LookupComment: describing, Mapper: special}
	s := r.ReflectFromType(t)
	s.Version = ""
	return s
}

// describing returns the tag jsonschema of a field if it is a description.
func describing(t reflect.Type, field string) string {
	if t.Kind() != reflect.Struct || field == "" {
		return ""
	}
	f, _ := t.FieldByName(field)
	return description(f.Tag.Get("jsonschema"))
}

// name returns the name of a type in $defs.
func (d *deriver) name(t reflect.Type) string {
	base := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_' // in type parameters
	}, t.Name())
	if base == "" {
		return ""
	}
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name += strconv.Itoa(n)
		}
		if other, ok := d.names[name]; !ok || other == t {
			d.names[name] = t
			return name
		}
	}
}

// loop reports whether a type contains itself, or contains a type that does.
func (d *deriver) loop(t reflect.Type) bool {
	if known, ok := d.loops[t]; ok {
		return known
	}
	found := looping(t, map[reflect.Type]bool{})
	d.loops[t] = found
	return found
}

func looping(t reflect.Type, within map[reflect.Type]bool) bool {
	if special(t) != nil || t == reflect.TypeFor[time.Time]() {
		return false
	}
	if within[t] {
		return true
	}
	within[t] = true
	defer delete(within, t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return looping(t.Elem(), within)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-" && looping(f.Type, within) {
				return true
			}
		}
	}
	return false
}

// special returns the schema of a type that is not encoded according to its kind.
func special(t reflect.Type) *jsonschema.Schema {
	if t == reflect.TypeFor[time.Time]() || tellsSchema(t) || t.Kind() == reflect.Interface {
		return nil
	}
	switch t {
	case reflect.TypeFor[wire.Object]():
		return &jsonschema.Schema{Type: "object"}
	case reflect.TypeFor[time.Duration]():
		panic("unsupported type time.Duration, which has no standard JSON form: use a number or a string")
	case reflect.TypeFor[wire.Raw](), reflect.TypeFor[stdjson.RawMessage]():
		return &jsonschema.Schema{}
	}
	if implements[stdjson.Marshaler](t) || implements[json.MarshalerTo](t) {
		return &jsonschema.Schema{}
	}
	if implements[encoding.TextMarshaler](t) {
		return &jsonschema.Schema{Type: "string"}
	}
	integer := func(low, high string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "integer", Minimum: stdjson.Number(low), Maximum: stdjson.Number(high)}
	}
	switch t.Kind() {
	case reflect.Int8:
		return integer("-128", "127")
	case reflect.Int16:
		return integer("-32768", "32767")
	case reflect.Int32:
		return integer(strconv.Itoa(math.MinInt32), strconv.Itoa(math.MaxInt32))
	case reflect.Uint8:
		return integer("0", "255")
	case reflect.Uint16:
		return integer("0", "65535")
	case reflect.Uint32:
		return integer("0", strconv.FormatUint(math.MaxUint32, 10))
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return integer("0", "")
	}
	return nil
}

func implements[I any](t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[I]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// tellsSchema reports whether a type has a method that returns its own schema.
func tellsSchema(t reflect.Type) bool {
	for _, name := range []string{"JSONSchema", "JSONSchemaAlias"} {
		if _, ok := t.MethodByName(name); ok {
			return true
		}
	}
	return false
}

// plain replaces the schema true by the equivalent {}, which more clients support. It
// panics if a pattern is invalid.
func plain(schema wire.Raw) wire.Raw {
	if schema == "true" {
		return "{}"
	}
	return rewrite(schema, func(keyword string, v wire.Raw) wire.Raw {
		switch keyword {
		case "items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "contentSchema":
			return plain(v)
		case "properties", "patternProperties", "$defs", "dependentSchemas":
			return rewrite(v, func(_ string, v wire.Raw) wire.Raw { return plain(v) })
		case "allOf", "anyOf", "oneOf", "prefixItems":
			text := []byte{'['}
			r := wire.NewStringReader(string(v))
			for r.BeginArray(); r.Element(); {
				text = append(wire.AppendComma(text), plain(r.ReadRaw())...)
			}
			return wire.Raw(append(text, ']'))
		case "pattern":
			var source string
			if err := json.Unmarshal([]byte(v), &source); err != nil {
				panic(err)
			}
			if _, err := ecma.Compile(source); err != nil {
				panic(fmt.Sprintf("pattern %s: %v", v, err)) // a validator would ignore it
			}
		}
		return v
	})
}

// rewrite replaces the values of an object's members.
func rewrite(o wire.Raw, change func(name string, v wire.Raw) wire.Raw) wire.Raw {
	if o.Kind() != wire.KindObject {
		return o
	}
	text := []byte{'{'}
	for name, v := range wire.Object(o).All() {
		text = append(wire.AppendName(text, name), change(name, v)...)
	}
	return wire.Raw(append(text, '}'))
}
