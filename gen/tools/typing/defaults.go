package typing

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// defaulted is a member of a declaration, with the schemas that may have its default.
type defaulted struct {
	field *ir.Field
	decl  *ir.Decl
	at    spot
	all   disj
}

// applyDefaults gives the members of a document their defaults. Such a member is always
// present in a decoded value, so it is required in Go, unless its type depends on other
// members.
func (t *typer) applyDefaults() {
	for _, d := range t.fields {
		text := d.all.defaultOf()
		if text == "" {
			continue
		}
		problem := misfit(d.field.Type, text)
		if problem == "" && strings.Contains(string(text), "{") && reaches(d.field.Type, d.decl, map[*ir.Decl]bool{}) {
			problem = "it would contain itself"
		}
		if problem != "" {
			t.remark(d.at, false, "the default %s is left out: %s", text, problem)
			d.field.Doc = strings.TrimSpace(strings.Replace(d.field.Doc, defaultSentence(text), "", 1))
			continue
		}
		compact, err := wire.AppendRaw(nil, text)
		if err != nil {
			continue // cannot happen: the list was read
		}
		d.field.Default = string(compact)
		d.field.Required = !d.field.Soft
	}
	t.fields = nil
}

// reaches reports whether a value of a type may contain values of a declaration.
func reaches(t ir.Type, d *ir.Decl, seen map[*ir.Decl]bool) bool {
	switch t := t.(type) {
	case *ir.Array:
		return reaches(t.Elem, d, seen)
	case *ir.Map:
		return reaches(t.Elem, d, seen)
	case *ir.Nullable:
		return reaches(t.Elem, d, seen)
	case *ir.Union:
		return slices.ContainsFunc(t.Variants, func(v *ir.Variant) bool { return reaches(&ir.Ref{Decl: v.Decl}, d, seen) })
	case *ir.Object:
		return t.Additional != nil && reaches(t.Additional, d, seen) ||
			slices.ContainsFunc(t.Fields, func(f *ir.Field) bool { return reaches(f.Type, d, seen) })
	case *ir.Ref:
		if t.Decl == d {
			return true
		}
		if seen[t.Decl] {
			return false
		}
		seen[t.Decl] = true
		return reaches(t.Decl.Type, d, seen)
	}
	return false
}

// defaultOf returns the default of a member: that of its schemas, else that of
// those they refer to.
func (d disj) defaultOf() wire.Raw {
	for _, c := range d {
		for _, s := range c {
			for seen := 0; s != nil && seen < 10; s, seen = s.Target, seen+1 {
				if s.Default != "" {
					return s.Default
				}
			}
		}
	}
	return ""
}

// misfit says why a value cannot be decoded into a type, or returns "" if it can.
func misfit(t ir.Type, v wire.Raw) string {
	kind := v.Kind()
	expect := func(want wire.Kind) string {
		if kind == want {
			return ""
		}
		return "it is " + kind.String() + " in place of " + want.String()
	}
	switch t := t.(type) {
	case *ir.Any:
		return ""
	case *ir.Nullable:
		if kind == wire.KindNull {
			return ""
		}
		return misfit(t.Elem, v)
	case *ir.Ref:
		return misfitDecl(t.Decl, v)
	case *ir.String:
		return expect(wire.KindString)
	case *ir.Boolean:
		return expect(wire.KindBool)
	case *ir.Time:
		if problem := expect(wire.KindString); problem != "" {
			return problem
		}
		text, _ := v.Str()
		if _, err := wire.ParseTime(text); err != nil {
			return err.Error()
		}
	case *ir.Open:
		return expect(wire.KindObject)
	case *ir.Integer:
		in := wire.NewStringReader(string(v))
		if n := in.ReadInteger(); in.Err() != nil {
			return "it is not an integer"
		} else if _, ok := n.Int64(); !ok && !t.Exact {
			return "it is not an integer that fits in an int64"
		}
	case *ir.Number:
		in := wire.NewStringReader(string(v))
		if in.ReadFloat64(); in.Err() != nil {
			return "it is not a number that fits in a float64"
		}
	case *ir.Scalar:
		if kind == wire.KindArray || kind == wire.KindObject {
			return "it is " + kind.String() + " in place of a scalar"
		}
		in := wire.NewStringReader(string(v))
		if !in.ReadScalar(allScalars).Is(scalarSetOf(t.Kinds)) {
			return "it is " + kind.String() + ", which the schema does not allow"
		}
	case *ir.Array:
		if problem := expect(wire.KindArray); problem != "" {
			return problem
		}
		for _, e := range v.Elements() {
			if problem := misfit(t.Elem, e); problem != "" {
				return "in an element, " + problem
			}
		}
	case *ir.Map:
		if problem := expect(wire.KindObject); problem != "" {
			return problem
		}
		for _, e := range wire.Object(v).All() {
			if problem := misfit(t.Elem, e); problem != "" {
				return "in a member, " + problem
			}
		}
	}
	return ""
}

func misfitDecl(d *ir.Decl, v wire.Raw) string {
	switch t := d.Type.(type) {
	case *ir.Enum:
		text, ok := v.Str()
		if !ok || !slices.ContainsFunc(t.Values, func(e ir.EnumValue) bool { return e.Wire == text }) {
			return "it is not one of the values of the enum"
		}
	case *ir.Union:
		for _, variant := range t.Variants {
			if misfitDecl(variant.Decl, v) == "" {
				return ""
			}
		}
		if t.Lenient && v.Kind() == wire.KindObject {
			return ""
		}
		return "it matches none of the alternatives"
	case *ir.Object:
		return misfitObject(t, v)
	default:
		return misfit(t, v)
	}
	return ""
}

func misfitObject(o *ir.Object, v wire.Raw) string {
	if v.Kind() != wire.KindObject {
		if o.Loose {
			return ""
		}
		return "it is " + v.Kind().String() + " in place of an object"
	}
	for _, f := range o.Fields {
		member, ok := wire.Object(v).Get(f.Wire)
		switch {
		case !ok && f.Required && f.Default == "":
			return "its member \"" + f.Wire + "\" is missing"
		case !ok || f.Soft:
			continue
		}
		if problem := misfit(f.Type, member); problem != "" {
			return "in its member \"" + f.Wire + "\", " + problem
		}
	}
	return ""
}

const allScalars = wire.ScalarString | wire.ScalarNumber | wire.ScalarBool | wire.ScalarNull

func scalarSetOf(k ir.ScalarKinds) (set wire.ScalarSet) {
	for _, kind := range []struct {
		in  bool
		set wire.ScalarSet
	}{
		{k.Text, wire.ScalarString}, {k.Integer, wire.ScalarInteger}, {k.Number, wire.ScalarNumber},
		{k.Boolean, wire.ScalarBool}, {k.Null, wire.ScalarNull},
	} {
		if kind.in {
			set |= kind.set
		}
	}
	return set
}
