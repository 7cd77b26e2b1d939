package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/lower"
)

// hasChecks reports whether a declaration gets a validator. One without checks has none.
func hasChecks(d *ir.Decl) bool { return d.Checked && !isAlias(d) }

// checkers renders Check, which checks everything that decoding does not. Every declaration must have
// checks.
func (e *emitter) checkers(f *jen.File, decls []*ir.Decl) {
	for _, d := range decls {
		if u, ok := d.Type.(*ir.Union); ok {
			e.unionChecker(f, d, u)
			continue
		}
		receiver := jen.Id("x").Id(d.Name)
		if _, ok := d.Type.(*ir.Object); ok {
			receiver = jen.Id("x").Op("*").Id(d.Name)
		}
		f.Line()
		f.Add(Comment("Check reports each value that " + e.origin + " does not allow."))
		f.Func().Params(receiver).Id("Check").Params(collectorParam()).BlockFunc(func(g *jen.Group) {
			if d.Rules != nil {
				e.obey(g, d, jen.Id("x"))
				return
			}
			switch t := d.Type.(type) {
			case *ir.Object:
				e.checkObject(g, t)
			case *ir.Enum:
				checkEnum(g, jen.Id("x"))
			case *ir.Scalar:
				g.Add(checkScalar(jen.Id("x").Dot(scalarName(t)), t))
			default:
				e.check(g, declaredValue(d), t, 0)
			}
		})
	}
}

// declaredValue converts the receiver to its underlying type if a check needs that.
func declaredValue(d *ir.Decl) *jen.Statement {
	switch d.Type.(type) {
	case *ir.Array, *ir.Map, *ir.Any, *ir.Open:
		return jen.Id("x")
	}
	return jen.Add(goType(d.Type)).Call(jen.Id("x"))
}

func collectorParam() jen.Code { return jen.Id("c").Op("*").Qual(wirePath, "Collector") }

func (e *emitter) checkObject(g *jen.Group, o *ir.Object) {
	for _, field := range o.Fields {
		e.checkField(g, field)
	}
	if o.Closed {
		g.Id("c").Dot("Closed").Call(jen.Id("x").Dot("Extra"))
	}
	if o.Additional != nil && lower.Checked(o.Additional) {
		e.check(g, jen.Id("x").Dot("Additional"), &ir.Map{Elem: o.Additional}, 0)
	}
}

func (e *emitter) checkField(g *jen.Group, f *ir.Field) {
	if f.Const == nil && !lower.Checked(f.Type) {
		return
	}
	target := jen.Id("x").Dot(f.Go)
	pointer := byPointer(f)
	if isOptional(f) {
		// The condition below declares v.
		pointer, target = true, jen.Id("v")
	}
	value := target
	if _, isObject := ir.Resolve(f.Base()).(*ir.Object); pointer && !isObject {
		value = jen.Op("*").Add(target)
	}
	body := func(g *jen.Group) {
		g.Id("c").Dot("Push").Call(jen.Lit(f.Wire))
		if f.Const != nil {
			ok := jen.Add(value).Op("==").Lit(f.Const)
			switch f.Const {
			case "", int64(0): // the zero value already
			default:
				zero := jen.Lit("")
				if _, isNumber := f.Const.(int64); isNumber {
					zero = jen.Lit(0)
				}
				ok = jen.Add(value).Op("==").Add(zero).Op("||").Add(ok)
			}
			g.Id("c").Dot("Const").Call(ok, jen.Lit(fmt.Sprintf("%#v", f.Const)))
		} else {
			e.check(g, value, f.Base(), 0)
		}
		g.Id("c").Dot("Pop").Call()
	}
	if isOptional(f) {
		g.If(jen.Id("v").Op(":=").Id("x").Dot(f.Go).Dot("Pointer").Call(), jen.Id("v").Op("!=").Nil()).BlockFunc(body)
		return
	}
	switch t := ir.Resolve(f.Base()).(type) {
	case *ir.Array, *ir.Map:
		if list, ok := t.(*ir.Array); !ok || list.Length.Min == 0 {
			body(g) // there is nothing to range over if it is absent
			return
		}
	}
	if f.Required && !f.Nullable() {
		body(g)
		return
	}
	g.If(present(target, f)).BlockFunc(body)
}

// check renders the validation of a value. An object may be a struct or a pointer to it.
func (e *emitter) check(g *jen.Group, value *jen.Statement, t ir.Type, depth int) {
	switch t := t.(type) {
	case *ir.Ref:
		e.checkRef(g, value, t.Decl, depth)
	case *ir.String:
		e.checkText(g, value, t)
	case *ir.Integer:
		checkBounds(g, jen.Float64().Call(value), t.Bounds)
	case *ir.Number:
		checkBounds(g, value, t.Bounds)
	case *ir.Scalar:
		g.Add(checkScalar(value, t))
	case *ir.Array:
		e.checkArray(g, value, t, depth)
	case *ir.Map:
		eachEntry(g, value, depth, func(g *jen.Group, key, item *jen.Statement) {
			g.Id("c").Dot("Push").Call(key)
			e.check(g, item, t.Elem, depth+1)
			g.Id("c").Dot("Pop").Call()
		})
	case *ir.Nullable:
		_, isObject := ir.Resolve(t.Elem).(*ir.Object)
		item := value
		if needsPointer(t.Elem) && !isObject {
			item = jen.Op("*").Add(value)
		}
		g.If(notNull(value, t.Elem)).BlockFunc(func(g *jen.Group) { e.check(g, item, t.Elem, depth) })
	}
}

func (e *emitter) checkText(g *jen.Group, value *jen.Statement, t *ir.String) {
	if t.Format != "" {
		g.Id("c").Dot("Format").Call(jen.Lit(t.Format), value)
	}
	checkLength(g, "Length", value, t.Length)
	if t.Pattern != "" {
		g.Id(e.rules.patterns[t.Pattern]).Dot("Collect").Call(jen.Id("c"), value)
	}
}

// checkLength renders the check of the length of a string or an array.
func checkLength(g *jen.Group, of string, value jen.Code, l ir.Count) {
	if l.Min > 0 {
		g.Id("c").Dot("Min"+of).Call(value, jen.Lit(l.Min))
	}
	if l.Max > 0 {
		g.Id("c").Dot("Max"+of).Call(value, jen.Lit(l.Max))
	}
}

func (e *emitter) checkArray(g *jen.Group, value *jen.Statement, t *ir.Array, depth int) {
	checkLength(g, "Items", jen.Len(value), t.Length)
	if !lower.Checked(t.Elem) {
		return
	}
	i, element := jen.Id(name("i", depth)), jen.Id(name("e", depth))
	rangeOver := jen.List(i, element).Op(":=").Range().Add(value)
	item := element
	if _, isObject := ir.Resolve(t.Elem).(*ir.Object); isObject {
		rangeOver = jen.Add(i).Op(":=").Range().Add(value)
		item = jen.Add(value).Index(i)
	}
	g.For(rangeOver).BlockFunc(func(g *jen.Group) {
		g.Id("c").Dot("PushIndex").Call(i)
		e.check(g, item, t.Elem, depth+1)
		g.Id("c").Dot("Pop").Call()
	})
}

func (e *emitter) checkRef(g *jen.Group, value *jen.Statement, d *ir.Decl, depth int) {
	if _, isUnion := d.Type.(*ir.Union); isUnion {
		g.Add(newBox(d, jen.Id("V").Op(":").Add(value))).Dot("Check").Call(jen.Id("c"))
		return
	}
	if _, isEnum := d.Type.(*ir.Enum); isEnum && d.Rules == nil {
		checkEnum(g, value)
		return
	}
	if isAlias(d) {
		e.check(g, value, d.Type, depth)
		return
	}
	receiver := value
	if _, isObject := d.Type.(*ir.Object); !isObject {
		receiver = jen.Parens(value)
	}
	g.Add(receiver).Dot("Check").Call(jen.Id("c"))
}

func checkEnum(g *jen.Group, value *jen.Statement) {
	known := jen.Parens(value)
	if len(*value) == 1 {
		known = value
	}
	g.If(jen.Op("!").Add(known).Dot("Known").Call()).Block(
		jen.Id("c").Dot("Report").Call(jen.Lit("unknown value %q"), jen.String().Call(value)),
	)
}

func checkScalar(value *jen.Statement, t *ir.Scalar) jen.Code {
	if t.ID {
		return jen.Add(value).Dot("Check").Call(jen.Id("c"))
	}
	return jen.If(jen.Op("!").Add(value).Dot("Is").Call(scalarSet(t.Kinds))).Block(
		jen.Id("c").Dot("Report").Call(jen.Lit("must be " + t.Kinds.String())),
	)
}

func checkBounds(g *jen.Group, value jen.Code, b ir.Bounds) {
	limit := func(at *float64, open bool, method string) {
		if open {
			method = "Exclusive" + method
		}
		if at != nil {
			g.Id("c").Dot(method).Call(value, jen.Lit(*at))
		}
	}
	limit(b.Min, b.MinOpen, "Minimum")
	limit(b.Max, b.MaxOpen, "Maximum")
}

// checkerOf renders the declaration of the method that checks a union.
func checkerOf(f *jen.File, d *ir.Decl) *jen.Statement {
	return f.Func().Params(jen.Id(codecName(d))).Id("Check").Params(collectorParam(), jen.Id("v").Id(d.Name))
}

func (e *emitter) unionChecker(f *jen.File, d *ir.Decl, u *ir.Union) {
	if d.Rules != nil {
		f.Line()
		checkerOf(f, d).BlockFunc(func(g *jen.Group) {
			e.obey(g, d, jen.Id("v"))
		})
		return
	}
	checkerOf(f, d).Block(
		jen.Switch(jen.Id("v").Op(":=").Id("v").Assert(jen.Type())).BlockFunc(func(g *jen.Group) {
			var unchecked []jen.Code
			for _, v := range u.Variants {
				variant := jen.Id(v.Decl.Name)
				if v.Boxed {
					variant = jen.Op("*").Add(variant)
				}
				if !hasChecks(v.Decl) {
					unchecked = append(unchecked, variant)
					continue
				}
				g.Case(variant).BlockFunc(func(g *jen.Group) { checkVariant(g, u, v) })
			}
			if unchecked != nil {
				g.Case(unchecked...)
			}
			if !u.Context {
				member, known := discriminator(u.Decision)
				args := append([]jen.Code{jen.Lit(d.Name), jen.Id("v").Dot("Raw"), jen.Lit(member)}, check.Literals(known)...)
				g.Case(jen.Op("*").Id("Unknown" + d.Name)).Block(jen.Id("c").Dot("UnknownVariant").Call(args...))
			}
			g.Default().Block(jen.Id("c").Dot("NoVariant").Call(jen.Lit(d.Name), jen.Id("v")))
		}),
	)
}

// checkVariant renders the check of the value v of a variant. If it fails, the value may be one of another
// variant.
func checkVariant(g *jen.Group, u *ir.Union, v *ir.Variant) {
	check := jen.Id("v").Dot("Check").Call(jen.Id("c"))
	rivals := rivals(u.Decision, v)
	if len(rivals) == 0 {
		g.Add(check)
		return
	}
	args := []jen.Code{jen.Id("n"), jen.Id("v")}
	for _, rival := range rivals {
		args = append(args, jen.New(jen.Id(rival.Decl.Name)))
	}
	count := jen.Id("c").Dot("Count").Call()
	g.Id("n").Op(":=").Add(count)
	g.If(jen.Add(check), jen.Add(count).Op(">").Id("n")).Block(jen.Id("c").Dot("Reconsider").Call(args...))
}

// rivals returns the other variants that a value which was read as v may satisfy: those that differ
// from v only in the members that are present.
func rivals(d ir.Decision, v *ir.Variant) []*ir.Variant {
	var all []*ir.Variant
	ir.WalkDecision(d, func(d ir.Decision) {
		presence, ok := d.(*ir.ByPresence)
		if !ok || !slices.ContainsFunc(presence.Guards, func(g ir.Guard) bool { return g.Variant == v }) {
			return
		}
		for _, g := range presence.Guards {
			all = append(all, g.Variant)
		}
	})
	slices.SortFunc(all, func(a, b *ir.Variant) int { return strings.Compare(a.Decl.Name, b.Decl.Name) })
	return slices.DeleteFunc(slices.Compact(all), func(r *ir.Variant) bool { return r == v })
}

// discriminator returns the member that a decision uses to select the variant of an object,
// and the strings that it knows there. The member is "" if the decision uses none.
func discriminator(d ir.Decision) (member string, known []string) {
	switch d := d.(type) {
	case *ir.ByKind:
		for _, c := range d.Cases {
			if c.Kind == ir.KindObject {
				return discriminator(c.Then)
			}
		}
	case *ir.ByConst:
		for _, c := range d.Cases {
			if value, ok := c.Value.(string); ok {
				known = append(known, value)
			}
		}
		return d.Member, known
	}
	return "", nil
}
