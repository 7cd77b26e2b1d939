package typed

import (
	"encoding"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// append appends a value as JSON. Depth is the number of values around it.
func (s *shape) append(dst []byte, v reflect.Value, depth int) (_ []byte, err error) {
	if depth > wire.MaxDepth {
		return dst, fmt.Errorf("%s is nested too deeply, or contains itself", s.t)
	}
	if s.by != byForm {
		return s.appendBy(dst, v)
	}
	switch s.form {
	case anything:
		value, err := wire.RawOf(v.Interface())
		return append(dst, value...), err
	case boolean:
		return strconv.AppendBool(dst, v.Bool()), nil
	case integer:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case unsigned:
		return strconv.AppendUint(dst, v.Uint(), 10), nil
	case float:
		return appendFloat(dst, v.Float(), s.t.Bits())
	case text:
		return wire.AppendString(dst, v.String())
	case bytes:
		return wire.AppendString(dst, wire.EncodeBase64(v.Bytes()))
	case instant:
		w := wire.NewWriter(dst)
		w.PutTime(v.Interface().(time.Time))
		return w.End()
	case pointer:
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return s.elem.append(dst, v.Elem(), depth+1)
	case list, array:
		dst = append(dst, '[')
		for i := range v.Len() {
			if dst, err = s.elem.append(wire.AppendComma(dst), v.Index(i), depth+1); err != nil {
				return dst, wire.In(err, strconv.Itoa(i))
			}
		}
		return append(dst, ']'), nil
	case mapping:
		return s.appendMap(dst, v, depth)
	case union:
		return s.appendUnion(dst, v, depth)
	}
	dst = append(dst, '{')
	for _, f := range s.fields {
		if dst, err = f.append(dst, v, depth+1); err != nil {
			return dst, wire.In(err, f.name)
		}
	}
	return append(dst, '}'), nil
}

// appendBy appends a value with the method of its type.
func (s *shape) appendBy(dst []byte, v reflect.Value) ([]byte, error) {
	if !v.CanAddr() { // the method may be that of a pointer
		at := reflect.New(s.t).Elem()
		at.Set(v)
		v = at
	}
	switch method := v.Addr().Interface().(type) {
	case wire.Appender:
		value, err := wire.RawOf(method) // the method may be wrong
		return append(dst, value...), err
	case jsonMarshaler:
		value, err := method.MarshalJSON()
		if err != nil {
			return dst, err
		}
		return wire.Raw(value).AppendJSON(dst)
	case encoding.TextMarshaler:
		value, err := method.MarshalText()
		if err != nil {
			return dst, err
		}
		return wire.AppendString(dst, string(value))
	}
	return dst, fmt.Errorf("%s cannot be encoded", s.t)
}

func appendFloat(dst []byte, f float64, bits int) ([]byte, error) {
	if bits == 64 || math.IsNaN(f) || math.IsInf(f, 0) {
		return wire.AppendFloat64(dst, f)
	}
	// The shortest digits of 32 bits, which the longer type would not have.
	short, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', -1, 32), 64)
	if err != nil {
		return dst, err
	}
	return wire.AppendFloat64(dst, short)
}

// appendMap appends the members in the order of their names.
func (s *shape) appendMap(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	members := make(map[string]reflect.Value, v.Len())
	for i := v.MapRange(); i.Next(); {
		name, err := s.nameOf(i.Key())
		if err != nil {
			return dst, err
		}
		members[name] = i.Value()
	}
	dst = append(dst, '{')
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var err error
		if dst, err = wire.AppendKey(dst, name); err != nil {
			return dst, err
		}
		if dst, err = s.elem.append(dst, members[name], depth+1); err != nil {
			return dst, wire.In(err, name)
		}
	}
	return append(dst, '}'), nil
}

// nameOf returns the name of a member for a key of a map.
func (s *shape) nameOf(key reflect.Value) (string, error) {
	if s.key.form == text && s.key.by == byForm {
		return key.String(), nil
	}
	text, err := s.key.append(nil, key, 0)
	if name, ok := wire.Raw(text).Str(); ok {
		return name, err
	}
	return string(text), err
}

// appendUnion appends the alternative that is set.
func (s *shape) appendUnion(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	var set *field
	for _, f := range s.fields {
		if v.FieldByIndex(f.index).IsNil() {
			continue
		}
		if set != nil {
			return dst, fmt.Errorf("%s: both %s and %s are set", s.t, set.name, f.name)
		}
		set = f
	}
	if set == nil {
		return dst, fmt.Errorf("%s: no alternative is set", s.t)
	}
	return set.shape.append(dst, v.FieldByIndex(set.index), depth+1)
}

// append appends a field as a member, unless its tags leave it out.
func (f *field) append(dst []byte, of reflect.Value, depth int) ([]byte, error) {
	v, err := of.FieldByIndexErr(f.index)
	if err != nil { // an embedded pointer is nil
		return dst, nil
	}
	if !f.facets.required && (f.omitEmpty && empty(v) || f.omitZero && zero(v)) {
		return dst, nil
	}
	dst = wire.AppendName(dst, f.name)
	if !f.quoted || v.Kind() == reflect.Pointer && v.IsNil() {
		return f.shape.append(dst, v, depth)
	}
	dst, err = f.shape.append(append(dst, '"'), v, depth)
	return append(dst, '"'), err
}

// empty reports whether omitempty leaves a value out, as in encoding/json.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// zero reports whether omitzero leaves a value out.
func zero(v reflect.Value) bool {
	at := v
	if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface { // the method may be that of a pointer
		at = reflect.New(v.Type())
		at.Elem().Set(v)
	}
	if method, ok := at.Interface().(interface{ IsZero() bool }); ok && !at.IsNil() {
		return method.IsZero()
	}
	return v.IsZero()
}
