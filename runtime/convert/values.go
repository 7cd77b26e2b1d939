package convert

import (
	"errors"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file is what generated converters are made of.

// Object converts the object in the member called name; nil stays nil.
func Object[A, B any](c *Conversion, name string, x *A, f func(*Conversion, *A) *B) *B {
	if x == nil {
		return nil
	}
	c.path = append(c.path, token{name, -1})
	y := f(c, x)
	c.path = c.path[:len(c.path)-1]
	return y
}

// Value converts what is held by value in the member called name, as a union is.
func Value[A, B any](c *Conversion, name string, x A, f func(*Conversion, A) B) B {
	c.path = append(c.path, token{name, -1})
	y := f(c, x)
	c.path = c.path[:len(c.path)-1]
	return y
}

// Text converts an object that is kept as its text, in one of the revisions, in the
// member called name; one that is absent stays so.
func Text[A, B comparable](c *Conversion, name string, x A, f func(*Conversion, A) B) B {
	var absent A
	if x == absent {
		var none B
		return none
	}
	return Value(c, name, x, f)
}

// Objects converts the array of objects in the member called name; nil stays nil.
func Objects[A, B any](c *Conversion, name string, list []A, f func(*Conversion, *A) *B) []B {
	if list == nil {
		return nil
	}
	c.path = append(c.path, token{name, -1}, token{})
	out := make([]B, len(list))
	for i := range list {
		c.path[len(c.path)-1].index = i
		out[i] = *f(c, &list[i])
	}
	c.path = c.path[:len(c.path)-2]
	return out
}

// Offers is Objects for what is on offer in a list: an element that cannot be converted
// is left out, which is a loss.
func Offers[A, B any](c *Conversion, name string, list []A, f func(*Conversion, *A) *B) []B {
	if list == nil || c.err != nil {
		return nil
	}
	c.path = append(c.path, token{name, -1}, token{})
	out := make([]B, 0, len(list))
	for i := range list {
		c.path[len(c.path)-1].index = i
		before := len(c.losses)
		y := f(c, &list[i])
		if c.err != nil {
			c.losses = c.losses[:before]
			c.Lose("left out: " + c.err.Reason)
			c.err = nil
			continue
		}
		out = append(out, *y)
	}
	c.path = c.path[:len(c.path)-2]
	return out
}

// Values converts the array of what is held by value in the member called name; nil
// stays nil.
func Values[A, B any](c *Conversion, name string, list []A, f func(*Conversion, A) B) []B {
	if list == nil {
		return nil
	}
	c.path = append(c.path, token{name, -1})
	out := Elements(c, list, f)
	c.path = c.path[:len(c.path)-1]
	return out
}

// Elements converts the elements of the array at hand; nil stays nil.
func Elements[A, B any](c *Conversion, list []A, f func(*Conversion, A) B) []B {
	if list == nil {
		return nil
	}
	c.path = append(c.path, token{})
	out := make([]B, len(list))
	for i, x := range list {
		c.path[len(c.path)-1].index = i
		out[i] = f(c, x)
	}
	c.path = c.path[:len(c.path)-1]
	return out
}

// ValueMap converts the map of values in the member called name; nil stays nil.
func ValueMap[A, B any](c *Conversion, name string, m wire.Map[A], f func(*Conversion, A) B) wire.Map[B] {
	if m == nil {
		return nil
	}
	c.path = append(c.path, token{name, -1}, token{index: -1})
	out := make(wire.Map[B], len(m))
	for i := range m {
		c.path[len(c.path)-1].name = m[i].Name
		out[i] = wire.Entry[B]{Name: m[i].Name, Value: f(c, m[i].Value)}
	}
	c.path = c.path[:len(c.path)-2]
	return out
}

// Strings converts an array of enum values; nil stays nil.
func Strings[B, A ~string](list []A) []B {
	if list == nil {
		return nil
	}
	out := make([]B, len(list))
	for i, x := range list {
		out[i] = B(x)
	}
	return out
}

// Members are those of an object that is kept as its text.
func Members(o wire.Object) wire.Members {
	var members wire.Members
	for name, value := range o.All() {
		members = append(members, wire.Member{Name: name, Value: value})
	}
	return members
}

// Open is an object of these members, kept as its text.
func Open(c *Conversion, members wire.Members) wire.Object {
	o, err := wire.NewObject(members...)
	if err != nil {
		c.Refuse(err.Error())
	}
	return o
}

// Marshal makes an object that is kept as its text of one with fields.
func Marshal(c *Conversion, x wire.Appender) wire.Object {
	text, err := wire.Marshal(x)
	if err != nil {
		c.Refuse(err.Error())
	}
	return wire.Object(text)
}

// Read decodes and validates an object that is kept as its text. Members that do not fit
// are lost, which may make it an empty object.
func Read[T wire.Value](c *Conversion, o wire.Object, into T) T {
	left := Members(o)
	for {
		err := wire.UnmarshalString(string(Open(c, left)), into)
		if err == nil {
			err = wire.Validate(into)
		}
		if err == nil {
			return into
		}
		name, problem := culprit(err)
		if _, ok := left.Get(name); !ok {
			c.Refuse(problem)
			return into
		}
		c.Lose("it is not what the other revision says it is: "+problem, name)
		left.Delete(name)
	}
}

// culprit is the member that an error is about, and what is wrong with it.
func culprit(err error) (name, problem string) {
	pointer := ""
	if e, ok := errors.AsType[*wire.Error](err); ok {
		pointer, problem = e.Pointer, e.Problem
	}
	if e, ok := errors.AsType[*wire.ValidationError](err); ok {
		pointer, problem = e.Problems[0].Pointer, e.Problems[0].Message
	}
	name, _, _ = strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	return wire.PointerName(name), problem
}

// Carry puts a member that the other revision has no field for, though it has the
// member, among those it has no field for.
func Carry(c *Conversion, extra wire.Members, name string, value wire.Appender) wire.Members {
	text, err := wire.Marshal(value)
	if err != nil {
		c.Refuse(err.Error(), name)
		return extra
	}
	return append(wire.Members{{Name: name, Value: wire.Raw(text)}}, extra...)
}

// String is a JSON string.
type String string

// AppendJSON implements wire.Appender.
func (s String) AppendJSON(dst []byte) ([]byte, error) { return wire.AppendString(dst, string(s)) }

// Adopt is the inverse of Carry: it takes the member called name, if there is one, out
// of the ones without a field.
func Adopt(extra wire.Members, name string) (wire.Raw, wire.Members) {
	value, ok := extra.Get(name)
	if !ok {
		return "", extra
	}
	rest := slices.Clone(extra)
	rest.Delete(name)
	return value, rest
}

// AdoptedString is an adopted member that should be a string; if it is none, it is lost.
func AdoptedString(c *Conversion, name string, value wire.Raw) *string {
	if value == "" {
		return nil
	}
	r := wire.NewStringReader(string(value))
	s := r.ReadString()
	if r.Err() != nil {
		c.Lose("it is not a string, as the other revision says it is", name)
		return nil
	}
	return &s
}

// AdoptedConst is an adopted member that should have one value; if it has another, it is
// lost.
func AdoptedConst(c *Conversion, name string, value wire.Raw, want string) {
	if value == "" {
		return
	}
	if s := AdoptedString(c, name, value); s != nil && *s != want {
		c.Lose("it can only be "+want, name)
	}
}

// AdoptedID is an adopted member that must be there as a string or an integer.
func AdoptedID(c *Conversion, name string, value wire.Raw, reason string) wire.Scalar {
	var id wire.Scalar
	if value == "" || wire.UnmarshalString(string(value), &id) != nil || !id.Is(wire.ScalarString|wire.ScalarInteger) {
		c.Refuse(reason, name)
	}
	return id
}

// Restate says x in other words of its revision, as the policy has it, into a value of
// the type that those words have.
func Restate[T wire.Value](c *Conversion, x wire.Appender, policy func(*Conversion, wire.Raw) wire.Raw, into T) T {
	text, err := wire.Marshal(x)
	if err == nil && c.err == nil {
		if restated := policy(c, wire.Raw(text)); c.err == nil {
			err = wire.UnmarshalString(string(restated), into)
		}
	}
	if err != nil {
		c.Refuse(err.Error())
	}
	return into
}

// Box is the value of one made by a generated New, which boxes unions.
func Box[T any](v wire.Value, _ bool) *wire.Box[T] { return v.(*wire.Box[T]) }
