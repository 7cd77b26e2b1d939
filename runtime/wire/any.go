package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// RawOf returns the JSON text of a Go value. Nil and a nil pointer give null. An [Appender] writes itself; any
// other value is encoded by encoding/json, which sorts the keys of maps and keeps the order of
// struct fields. It returns an error for a value that has no JSON text, or whose text a [Reader]
// does not accept, for example because of a duplicate name.
func RawOf(v any) (Raw, error) {
	text, err := appendAny(nil, v)
	if err != nil {
		return "", err
	}
	return Raw(text), nil
}

// ObjectOf is [RawOf] for a value that is a JSON object: a struct, a map, a [Map] or a generated
// type, for example. Any other value is an error.
func ObjectOf(v any) (Object, error) {
	text, err := RawOf(v)
	if err != nil {
		return "", err
	}
	if kind := text.Kind(); kind != KindObject {
		return "", encodingError("expected an object, found " + kind.String())
	}
	return Object(text), nil
}

// MustObject is [ObjectOf] for values that are known to be objects. It panics on an error.
func MustObject(v any) Object {
	o, err := ObjectOf(v)
	if err != nil {
		panic(err)
	}
	return o
}

// Decode decodes x into v, which is a [Value] or a pointer to any Go value. A Value decodes itself,
// strictly. For any other value, encoding/json decodes: it ignores members that have no field, and
// a member also sets a field whose name differs in case only. In both cases x must be well formed
// and have no duplicate names.
func (x Raw) Decode(v any) error {
	if v, ok := v.(Value); ok {
		return UnmarshalString(string(x), v)
	}
	text, err := x.AppendJSON(nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// Decode is [Raw.Decode].
func (o Object) Decode(v any) error { return Raw(o).Decode(v) }

// appendAny appends the text of any Go value.
func appendAny(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case Raw:
		return v.AppendJSON(dst)
	case Object:
		return v.AppendJSON(dst)
	case Appender:
		if IsNil(v) { // as in encoding/json
			return append(dst, "null"...), nil
		}
		text, err := MarshalString(v)
		if err != nil {
			return dst, err
		}
		return Raw(text).AppendJSON(dst) // an Appender of another package may be wrong
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return dst, err
	}
	return Raw(text.String()).AppendJSON(dst)
}

// AppendJSON implements [Appender]. A nil Map is written as {}, and values as by [RawOf].
func (m Map[T]) AppendJSON(dst []byte) ([]byte, error) {
	if err := m.Check(); err != nil {
		return dst, err
	}
	dst = append(dst, '{')
	for i := range m {
		var err error
		if dst, err = AppendKey(dst, m[i].Name); err != nil {
			return dst, err
		}
		if dst, err = appendAny(dst, m[i].Value); err != nil {
			return dst, In(err, m[i].Name)
		}
	}
	return append(dst, '}'), nil
}

// MarshalJSON implements the interface of encoding/json.
func (m Map[T]) MarshalJSON() ([]byte, error) { return Marshal(m) }

// Decode decodes m into v as [Raw.Decode] does, such as the answers to a form into a struct.
func (m Map[T]) Decode(v any) error {
	text, err := m.MarshalJSON()
	if err != nil {
		return err
	}
	return Raw(text).Decode(v)
}

// UnmarshalJSON implements the interface of encoding/json. Values are decoded as by
// [Raw.Decode].
func (m *Map[T]) UnmarshalJSON(data []byte) error {
	*m = Map[T]{}
	r := NewStringReader(string(data))
	for r.BeginObject(); r.Member(); {
		value := m.Entry(r)
		if v, ok := any(value).(Value); ok {
			_ = v.DecodeJSON(r) // r keeps the error
			continue
		}
		text := r.ReadRaw()
		if r.err != nil {
			break
		}
		if err := text.Decode(value); err != nil {
			return In(err, r.Name())
		}
	}
	r.End()
	return r.Err()
}

// EncodeBase64 returns the base64 text (RFC 4648, section 4) of data, as members with the format
// "byte" have it: ImageContent.Data, AudioContent.Data and BlobResourceContents.Blob.
func EncodeBase64(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

// DecodeBase64 returns the bytes that a base64 text stands for. It is the inverse of
// [EncodeBase64]. It ignores line breaks.
func DecodeBase64(text string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	return data, nil
}
