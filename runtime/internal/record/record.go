// Package record writes and reads objects whose members are variables of Go: what replicas of a server tell each
// other, and what stores keep.
package record

import (
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Member is a member of an object, with where its value is: a pointer to a string, a bool, an int, an int64, a
// uint64, a time.Time, a time.Duration, a []string, a wire.Raw, a wire.Object or a wire.Members. A time is
// written as nanoseconds since 1970, and a duration as nanoseconds.
type Member struct {
	name  string
	value any
}

// Field returns a member.
func Field(name string, value any) Member { return Member{name, value} }

// Append appends an object. The first required members are always present, the others if they are not zero.
func Append(dst []byte, required int, members ...Member) ([]byte, error) {
	w := wire.ObjectWriter(dst)
	integer := func(name string, n int64, present bool) {
		if present {
			w.Int64(name, n)
		}
	}
	for i, m := range members {
		always := i < required
		switch v := m.value.(type) {
		case *string:
			if always || *v != "" {
				w.String(m.name, *v)
			}
		case *time.Time:
			integer(m.name, v.UnixNano(), always || !v.IsZero())
		case *time.Duration:
			integer(m.name, int64(*v), always || *v != 0)
		case *int:
			integer(m.name, int64(*v), always || *v != 0)
		case *int64:
			integer(m.name, *v, always || *v != 0)
		case *uint64:
			integer(m.name, int64(*v), always || *v != 0)
		case *bool:
			if always || *v {
				w.Bool(m.name, *v)
			}
		case *[]string:
			if always || len(*v) > 0 {
				w.Name(m.name)
				w.BeginArray()
				for _, s := range *v {
					w.Element()
					w.PutString(s)
				}
				w.EndArray()
			}
		case *wire.Raw:
			if always || *v != "" {
				w.Value(m.name, *v)
			}
		case *wire.Object:
			if always || *v != "" {
				w.Value(m.name, *v)
			}
		case *wire.Members:
			if always || len(*v) > 0 {
				w.Name(m.name)
				w.BeginObject()
				w.Members(*v)
				w.EndObject()
			}
		default:
			return dst, fmt.Errorf("record: a member cannot be a %T", v)
		}
	}
	return w.Close()
}

// Decode reads an object. It ignores members that are not named, and fails if one of the first required members is
// missing. The values share the memory of the reader's text.
func Decode(r *wire.Reader, required int, members ...Member) error {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.name
	}
	return params.Decode(r, names, required, func(i int) {
		switch v := members[i].value.(type) {
		case *string:
			*v = r.ReadString()
		case *time.Time:
			*v = time.Unix(0, r.ReadInt64())
		case *time.Duration:
			*v = time.Duration(r.ReadInt64())
		case *int:
			*v = int(r.ReadInt64())
		case *int64:
			*v = r.ReadInt64()
		case *uint64:
			*v = uint64(r.ReadInt64())
		case *bool:
			*v = r.ReadBool()
		case *[]string:
			*v = r.ReadStrings()
		case *wire.Raw:
			*v = r.ReadRaw()
		case *wire.Object:
			*v = r.ReadObject()
		case *wire.Members:
			*v = r.ReadObject().Members()
		default:
			r.Fail("record: a member cannot be a %T", v)
		}
	})
}

// Read reads an object that is the whole text. The values have memory of their own.
func Read(text []byte, required int, members ...Member) error {
	r := wire.NewStringReader(string(text))
	if Decode(r, required, members...) == nil {
		r.End()
	}
	return r.Err()
}
