package typed

import (
	"errors"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// value adapts a Go type that does not implement wire.Value.
type value[T any] struct {
	v    T
	text wire.Raw // source text of v
	err  error    // why the defaults cannot be decoded
}

// times reads and writes a time.Time as [wire.ParseTime] and [wire.AppendTime] do. The codec itself refuses
// small letters, drops digits below a nanosecond, and cuts offsets to minutes.
var times = json.JoinOptions(
	json.WithMarshalers(json.MarshalToFunc(func(e *jsontext.Encoder, t time.Time) error {
		text, err := wire.AppendTime(nil, t)
		if err != nil {
			return err
		}
		return e.WriteValue(text)
	})),
	json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, t *time.Time) error {
		if d.PeekKind() != '"' {
			return errors.ErrUnsupported // the codec reads null, and refuses other values
		}
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		*t, err = wire.ParseTime(token.String())
		return err
	})),
)

// AppendJSON implements wire.Appender.
func (x *value[T]) AppendJSON(dst []byte) ([]byte, error) {
	// As in encoding/json, omitempty leaves out zeros, even those that are below the minimum of the
	// member.
	text, err := json.Marshal(&x.v, times, json.Deterministic(true), jsonv1.OmitEmptyWithLegacySemantics(true))
	if err != nil {
		return dst, err
	}
	return wire.AppendRaw(dst, wire.Raw(text))
}

// DecodeJSON implements wire.Value.
func (x *value[T]) DecodeJSON(r *wire.Reader) error {
	x.text = r.ReadRaw()
	if err := r.Err(); err != nil {
		return err
	}
	return x.decode(x.text)
}

func (x *value[T]) decode(text wire.Raw) error {
	err := json.Unmarshal([]byte(text), &x.v, times)
	if err != nil {
		// JSON Schema treats 3.0 and 3e0 as integers, the decoder only 3.
		plain := jsontext.Value(text)
		if plain.Format(jsontext.CanonicalizeRawFloats(true)) == nil && string(plain) != string(text) {
			x.v = *new(T)
			err = json.Unmarshal(plain, &x.v, times)
		}
	}
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		as := e.GoType
		if as.Kind() == reflect.Pointer {
			as = as.Elem()
		}
		problem := "cannot be decoded as " + as.String()
		if e.Err != nil {
			problem += ": " + e.Err.Error()
		}
		return &wire.Error{Offset: e.ByteOffset, Pointer: string(e.JSONPointer), Problem: problem}
	}
	return err
}

// complete sets missing members to their defaults.
func (x *value[T]) complete(defaults *defaults) {
	if text := defaults.fill(x.text); text != x.text {
		var zero T
		x.v = zero
		x.err = invalid(x.decode(text))
	}
}

// invalid returns the error for arguments that cannot be decoded with their defaults. A model reads it, to which
// places in the text mean nothing.
func invalid(err error) error {
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return errors.New("invalid arguments: " + wire.Problem{Pointer: e.Pointer, Message: e.Problem}.String())
	}
	return err
}
