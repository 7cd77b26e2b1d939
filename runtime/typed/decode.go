package typed

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// decode reads a value into v, which can be set and is zero. The reader keeps the error.
func (s *shape) decode(r *wire.Reader, v reflect.Value) {
	if r.Kind() == wire.KindNull && (s.form == pointer || s.form == list || s.form == mapping) && s.by == byForm {
		r.ReadNull()
		return
	}
	if s.by != byForm {
		s.decodeBy(r, v)
		return
	}
	switch s.form {
	case anything:
		attempt(r, func(text wire.Raw) error { return text.Decode(v.Addr().Interface()) })
	case boolean:
		v.SetBool(r.ReadBool())
	case integer:
		start := r.Mark()
		n := r.ReadInt64()
		if v.SetInt(n); v.OverflowInt(n) {
			r.Reset(start)
			r.Fail("must be an integer of %d bits, found %d", s.t.Bits(), n)
		}
	case unsigned:
		start := r.Mark()
		n := r.ReadInteger()
		u, err := strconv.ParseUint(n.String(), 10, s.t.Bits())
		if v.SetUint(u); err != nil && r.Err() == nil {
			r.Reset(start)
			if strings.HasPrefix(n.String(), "-") {
				r.Fail("must be an integer of %d bits without a sign, found %s", s.t.Bits(), n)
			}
			r.Fail("must be at most %d, found %s", uint64(math.MaxUint64)>>(64-s.t.Bits()), n) // unless it has failed
		}
	case float:
		start := r.Mark()
		f := r.ReadFloat64()
		if v.SetFloat(f); v.OverflowFloat(f) {
			r.Reset(start)
			r.Fail("number out of range: %g", f)
		}
	case text:
		v.SetString(r.ReadString())
	case bytes:
		attempt(r, func(text wire.Raw) error {
			encoded, _ := text.Str()
			data, err := wire.DecodeBase64(encoded)
			if v.SetBytes(data); err != nil {
				return fmt.Errorf("must be bytes in base64: %s", explain(err))
			}
			return nil
		})
	case instant:
		v.Set(reflect.ValueOf(r.ReadTime()))
	case pointer:
		v.Set(reflect.New(s.elem.t))
		s.elem.decode(r, v.Elem())
	case list, array:
		s.decodeList(r, v)
	case mapping:
		v.Set(reflect.MakeMap(s.t))
		for r.BeginObject(); r.Member(); {
			key, value := reflect.New(s.key.t).Elem(), reflect.New(s.elem.t).Elem()
			s.decodeKey(r, key)
			s.elem.decode(r, value)
			v.SetMapIndex(key, value)
		}
	case structure:
		s.decodeFields(r, v)
	case union:
		s.decodeUnion(r, v)
	}
}

// attempt reads a value and passes its text to read. If read returns an error, r fails at the
// beginning of the value.
func attempt(r *wire.Reader, read func(text wire.Raw) error) {
	start := r.Mark()
	value := r.ReadRaw()
	if r.Err() != nil {
		return
	}
	if err := read(value); err != nil {
		r.Reset(start)
		r.Fail("%s", explain(err))
	}
}

// explain returns the text about an error of a method or of encoding/json, without the names of Go types: a model
// that reads it knows the schema alone.
func explain(err error) string {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok || wrong.Type == nil {
		return strings.TrimPrefix(strings.TrimPrefix(wire.ProblemsOf(err)[0].String(), "wire: "), "json: ")
	}
	kind, number, _ := strings.Cut(wrong.Value, " ") // "string", "number" or "number 1.5"
	found := map[string]wire.Kind{
		"string": wire.KindString, "number": wire.KindNumber, "bool": wire.KindBool, "array": wire.KindArray, "object": wire.KindObject,
	}[kind].String()
	whole := number != "" && wire.Raw(number).IsInteger()
	found = cmp.Or(number[:min(len(number), 60)], found)
	member := ""
	if wrong.Field != "" {
		member = fmt.Sprintf("the member %q ", wrong.Field)
	}
	wanted, err := shapeOf(wrong.Type, true)
	switch {
	case err != nil || wanted.named() == "":
		return member + "cannot be " + found
	case wanted.form == float && number != "":
		return member + "must be a number in range, found " + found
	case wanted.form == integer && whole:
		return fmt.Sprintf("%smust be an integer of %d bits in digits, found %s", member, wrong.Type.Bits(), found)
	case wanted.form == unsigned && whole:
		return fmt.Sprintf("%smust be an integer of %d bits in digits without a sign, found %s", member, wrong.Type.Bits(), found)
	}
	return fmt.Sprintf("%smust be %s, found %s", member, article(wanted.named()), found)
}

// article returns the name of a type in JSON Schema with its article.
func article(name string) string {
	if strings.ContainsRune("aio", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// decodeBy reads a value with the method of its type.
func (s *shape) decodeBy(r *wire.Reader, v reflect.Value) {
	switch method := v.Addr().Interface().(type) {
	case wire.Decoder:
		_ = method.DecodeJSON(r) // r keeps the error
	case jsonUnmarshaler:
		attempt(r, func(text wire.Raw) error { return method.UnmarshalJSON([]byte(text)) })
	case encoding.TextUnmarshaler:
		attempt(r, func(text wire.Raw) error {
			decoded, ok := text.Str()
			if !ok {
				return fmt.Errorf("expected a string, found %s", text.Kind())
			}
			return method.UnmarshalText([]byte(decoded))
		})
	}
}

func (s *shape) decodeList(r *wire.Reader, v reflect.Value) {
	if s.form == list {
		v.Set(reflect.MakeSlice(s.t, 0, 0))
	}
	n := 0
	for r.BeginArray(); r.Element(); n++ {
		if s.form == list {
			v.Grow(1)
			v.SetLen(n + 1)
		} else if n == v.Len() {
			r.Fail("expected %d elements, found more", n)
			return
		}
		s.elem.decode(r, v.Index(n))
	}
	if s.form == array && n < v.Len() {
		r.Fail("expected %d elements, found %d", v.Len(), n)
	}
}

// decodeKey reads the name of a member as a key of a map.
func (s *shape) decodeKey(r *wire.Reader, key reflect.Value) {
	text := []byte(r.Name())
	if s.key.by == byText || s.key.named() != "integer" {
		text, _ = wire.AppendString(nil, r.Name()) // a name is valid UTF-8
	}
	name := wire.NewStringReader(string(text))
	s.key.decode(name, key)
	if name.End(); name.Err() != nil {
		r.Fail("the name %q of a member is not valid: %s", r.Name(), explain(name.Err()))
	}
}

// decodeFields sets the fields of a struct to their defaults, and then reads its members.
func (s *shape) decodeFields(r *wire.Reader, v reflect.Value) {
	for _, f := range s.fields {
		if f.facets.preset == "" {
			continue
		}
		if err := f.decode(within(v, f.index), wire.NewStringReader(string(f.facets.preset))); err != nil {
			r.Fail("the default of %q: %s", f.name, err)
		}
	}
	for r.BeginObject(); r.Member(); {
		f, ok := s.byName[r.Name()]
		if !ok {
			r.ReadRaw()
			continue
		}
		at := within(v, f.index)
		at.SetZero()
		f.read(r, at)
	}
}

// within returns a field of a struct. It allocates the embedded structs on the way.
func within(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// decode reads the value of a field from a text of its own.
func (f *field) decode(v reflect.Value, r *wire.Reader) error {
	f.read(r, v)
	r.End()
	return r.Err()
}

// read reads the value of a field.
func (f *field) read(r *wire.Reader, v reflect.Value) {
	if !f.quoted || r.Kind() == wire.KindNull {
		f.shape.decode(r, v)
		return
	}
	attempt(r, func(text wire.Raw) error {
		number, _ := text.Str()
		inner := wire.NewStringReader(number)
		f.shape.decode(inner, v)
		if inner.End(); inner.Err() != nil {
			return fmt.Errorf("must be %s in a string", article(f.shape.named()))
		}
		return nil
	})
}

// decodeUnion sets the first alternative that fits.
func (s *shape) decodeUnion(r *wire.Reader, v reflect.Value) {
	start := r.Mark()
	value := r.ReadRaw()
	for _, f := range s.fields {
		if r.Err() == nil && schema.Check(value, f.fits) == nil {
			r.Reset(start)
			f.shape.decode(r, v.FieldByIndex(f.index))
			return
		}
	}
	r.Reset(start)
	r.Fail("must match one of the alternatives of its schema")
}

// fill returns a value in which missing members have the defaults of a schema. Root is the document that the schema
// is a part of.
func fill(v wire.Raw, schema, root wire.Object) wire.Raw {
	schema = referred(schema, root)
	switch v.Kind() {
	case wire.KindObject:
		named, others := memberOf(schema, "properties"), memberOf(schema, "additionalProperties")
		text := []byte{'{'}
		for name, member := range wire.Object(v).All() {
			inner := others
			if own, ok := named.Get(name); ok {
				inner = wire.Object(own)
			}
			text = append(wire.AppendName(text, name), fill(member, inner, root)...)
		}
		for name, property := range named.All() {
			preset, ok := wire.Object(property).Get("default")
			if _, given := wire.Object(v).Get(name); ok && !given {
				text = append(wire.AppendName(text, name), preset...)
			}
		}
		return wire.Raw(append(text, '}'))
	case wire.KindArray:
		items, all := memberOf(schema, "items"), v.Elements()
		for i, element := range all {
			all[i] = fill(element, items, root)
		}
		return wire.ArrayOf(all)
	}
	return v
}

// maxReferences limits the references that lead from one schema to another for the same value.
const maxReferences = 100

// referred returns the schema to which a reference to a member of $defs leads.
func referred(schema, root wire.Object) wire.Object {
	for range maxReferences {
		ref := schema.GetString("$ref")
		if ref == "" {
			break
		}
		schema = memberOf(memberOf(root, "$defs"), strings.TrimPrefix(ref, "#/$defs/"))
	}
	return schema
}

// memberOf returns a member that is an object, or an empty one.
func memberOf(o wire.Object, name string) wire.Object {
	if value, _ := o.Get(name); value.Kind() == wire.KindObject {
		return wire.Object(value)
	}
	return "{}"
}
