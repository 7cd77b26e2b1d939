package ir

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Kinds returns the kinds of JSON values that a type has.
func Kinds(t Type) []Kind {
	switch t := Resolve(t).(type) {
	case *Object, *Map, *Open:
		return []Kind{KindObject}
	case *Array:
		return []Kind{KindArray}
	case *String, *Enum, *Time:
		return []Kind{KindString}
	case *Integer, *Number:
		return []Kind{KindNumber}
	case *Boolean:
		return []Kind{KindBoolean}
	case *Scalar:
		var all []Kind
		for _, s := range Scalars {
			if t.Kinds&s.Kind == 0 {
				continue
			}
			kind := Kind(s.Type)
			if s.Kind == wire.KindInteger {
				kind = KindNumber
			}
			all = append(all, kind)
		}
		return slices.Compact(all)
	case *Nullable:
		return append(Kinds(t.Elem), KindNull)
	case *Union:
		var all []Kind
		for _, v := range t.Variants {
			all = append(all, Kinds(v.Decl.Type)...)
		}
		return all
	}
	return []Kind{KindObject, KindArray, KindString, KindNumber, KindBoolean, KindNull}
}

// Misfit says why a JSON value cannot be decoded into a type, or returns "" if it can. With limits, the value must also
// be within the bounds, lengths and formats of the type, and have its constants.
func Misfit(t Type, v wire.Raw, limits bool) string {
	kind := v.Kind()
	expect := func(want wire.Kind) string {
		if kind == want {
			return ""
		}
		return "it is " + kind.String() + " in place of " + want.String()
	}
	switch t := Resolve(t).(type) {
	case *Nullable:
		if kind != wire.KindNull {
			return Misfit(t.Elem, v, limits)
		}
	case *String:
		text, ok := v.Str()
		switch {
		case !ok:
			return expect(wire.KindString)
		case limits && t.Format != "" && !wire.InFormat(t.Format, text):
			return "it is not in the format " + t.Format
		case limits && !t.Length.Has(utf8.RuneCountInString(text)):
			return "its length is not within " + t.Length.String()
		}
	case *Time:
		text, ok := v.Str()
		if !ok {
			return expect(wire.KindString)
		}
		if _, err := wire.ParseTime(text); err != nil {
			return err.Error()
		}
	case *Enum:
		text, ok := v.Str()
		if !ok || !slices.ContainsFunc(t.Values, func(e EnumValue) bool { return e.Wire == text }) {
			return "it is not one of the values of the enum"
		}
	case *Boolean:
		return expect(wire.KindBool)
	case *Open:
		return expect(wire.KindObject)
	case *Integer:
		in := wire.NewStringReader(string(v))
		if n := in.ReadInteger(); in.Err() != nil {
			return "it is not an integer"
		} else if _, ok := n.Int64(); !ok && !t.Exact {
			return "it is not an integer that fits in an int64"
		}
		return beyond(t.Bounds, v, limits)
	case *Number:
		in := wire.NewStringReader(string(v))
		if in.ReadFloat64(); in.Err() != nil {
			return "it is not a number that fits in a float64"
		}
		return beyond(t.Bounds, v, limits)
	case *Scalar:
		if kind == wire.KindArray || kind == wire.KindObject {
			return "it is " + kind.String() + " in place of a scalar"
		}
		in := wire.NewStringReader(string(v))
		if !in.ReadScalar(wire.KindString | wire.KindNumber | wire.KindBool | wire.KindNull).Is(t.Kinds) {
			return "it is " + kind.String() + ", which the schema does not allow"
		}
	case *Array:
		if problem := expect(wire.KindArray); problem != "" {
			return problem
		}
		for _, e := range v.Elements() {
			if problem := Misfit(t.Elem, e, limits); problem != "" {
				return "in an element, " + problem
			}
		}
		if limits && !t.Length.Has(len(v.Elements())) {
			return "its number of elements is not within " + t.Length.String()
		}
	case *Map:
		if problem := expect(wire.KindObject); problem != "" {
			return problem
		}
		for _, e := range wire.Object(v).All() {
			if problem := Misfit(t.Elem, e, limits); problem != "" {
				return "in a member, " + problem
			}
		}
	case *Union:
		fits := func(variant *Variant) bool { return Misfit(variant.Decl.Type, v, limits) == "" }
		if !slices.ContainsFunc(t.Variants, fits) && !(t.Lenient && kind == wire.KindObject) {
			return "it matches none of the alternatives"
		}
	case *Object:
		if kind == wire.KindObject {
			return t.misfit(wire.Object(v), limits)
		}
		if !t.Loose {
			return expect(wire.KindObject)
		}
	}
	return ""
}

func (o *Object) misfit(v wire.Object, limits bool) string {
	for _, f := range o.Fields {
		member, ok := v.Get(f.Wire)
		switch {
		case !ok && f.Required && f.Default == "":
			return "its member \"" + f.Wire + "\" is missing"
		case !ok || f.Soft:
			continue
		}
		problem := Misfit(f.Type, member, limits)
		if text, err := json.Marshal(f.Const); limits && problem == "" && f.Const != nil && (err != nil || !wire.Equal(member, wire.Raw(text))) {
			problem = "it is not " + string(text)
		}
		if problem != "" {
			return "in its member \"" + f.Wire + "\", " + problem
		}
	}
	return ""
}

// beyond says that a number is not within bounds, or returns "".
func beyond(b Bounds, v wire.Raw, limits bool) string {
	f := wire.NewStringReader(string(v)).ReadFloat64()
	low := b.Min == nil || f > *b.Min || f == *b.Min && !b.MinOpen
	high := b.Max == nil || f < *b.Max || f == *b.Max && !b.MaxOpen
	if !limits || low && high {
		return ""
	}
	return "it is not within " + b.String()
}
