package emit

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/lower"
)

// hasChecks reports whether a declaration gets a validator.
func hasChecks(d *ir.Decl) bool { return d.Checked && !isAlias(d) }

// checkers renders Check, which checks everything that decoding does not. Every declaration must have
// checks.
func (e *emitter) checkers(f *jen.File, decls []*ir.Decl) {
	for _, d := range decls {
		if u, ok := d.Type.(*ir.Union); ok {
			e.unionChecker(f, d, u)
			continue
		}
		receiver := d.Name
		if _, ok := d.Type.(*ir.Object); ok {
			receiver = "*" + receiver
		}
		var body string
		switch t := d.Type.(type) {
		case *ir.Object:
			body = e.checkObject(t)
		case *ir.Enum:
			body = checkEnum("x")
		case *ir.Scalar:
			body = checkScalar("x."+embeddedName(t), t)
		default:
			body = e.check(declaredValue(d), t, 0)
		}
		if d.Rules != nil {
			body = e.obey(d, "x")
		}
		code.Declare(f, "Check reports each value that "+e.origin+" does not allow.", "func (x $1) Check(c *wire.Collector) {\n$2}", receiver, body)
	}
}

// declaredValue converts the receiver to its underlying type if a check needs that.
func declaredValue(d *ir.Decl) string {
	switch d.Type.(type) {
	case *ir.Array, *ir.Map, *ir.Any, *ir.Open:
		return "x"
	}
	return GoType(d.Type) + "(x)"
}

func (e *emitter) checkObject(o *ir.Object) string {
	var w code.Writer
	for _, field := range o.Fields {
		w.WriteString(e.checkField(field))
	}
	if o.Closed {
		w.P("c.Closed(x.Extra)")
	}
	if o.Additional != nil && lower.Checked(o.Additional) {
		w.WriteString(e.check("x.Additional", &ir.Map{Elem: o.Additional}, 0))
	}
	return w.String()
}

func (e *emitter) checkField(f *ir.Field) string {
	if f.Const == nil && !lower.Checked(f.Type) {
		return ""
	}
	target := "x." + f.Go
	pointer := byPointer(f)
	if isOptional(f) {
		// The condition below declares v.
		pointer, target = true, "v"
	}
	value := target
	if _, isObject := ir.Resolve(f.Base()).(*ir.Object); pointer && !isObject {
		value = "*" + target
	}
	var check string
	if f.Const == nil {
		check = e.check(value, f.Base(), 0)
	} else {
		ok := value + " == " + code.Literal(f.Const)
		switch f.Const.(type) {
		case string:
			if f.Const != "" { // otherwise it is the zero value already
				ok = value + ` == "" || ` + ok
			}
		case int64:
			if f.Const != int64(0) {
				ok = value + " == 0 || " + ok
			}
		}
		check = fmt.Sprintf("c.Const(%s, %q)\n", ok, fmt.Sprintf("%#v", f.Const))
	}
	body := fmt.Sprintf("c.Push(%q)\n%sc.Pop()\n", f.Wire, check)
	if isOptional(f) {
		return fmt.Sprintf("if v := x.%s.Pointer(); v != nil {\n%s}\n", f.Go, body)
	}
	switch t := ir.Resolve(f.Base()).(type) {
	case *ir.Array, *ir.Map:
		if list, ok := t.(*ir.Array); !ok || list.Length.Min == 0 {
			return body // there is nothing to range over if it is absent
		}
	}
	if f.Required && !f.Nullable() {
		return body
	}
	return fmt.Sprintf("if %s {\n%s}\n", present(target, f), body)
}

// check renders the validation of a value. An object may be a struct or a pointer to it.
func (e *emitter) check(value string, t ir.Type, depth int) string {
	switch t := t.(type) {
	case *ir.Ref:
		return e.checkRef(value, t.Decl, depth)
	case *ir.String:
		return e.checkText(value, t)
	case *ir.Integer:
		return checkBounds("float64("+value+")", t.Bounds)
	case *ir.Number:
		return checkBounds(value, t.Bounds)
	case *ir.Scalar:
		return checkScalar(value, t)
	case *ir.Array:
		return e.checkArray(value, t, depth)
	case *ir.Map:
		return eachEntry(value, depth, func(key, item string) string {
			return fmt.Sprintf("c.Push(%s)\n%sc.Pop()\n", key, e.check(item, t.Elem, depth+1))
		})
	case *ir.Nullable:
		_, isObject := ir.Resolve(t.Elem).(*ir.Object)
		item := value
		if needsPointer(t.Elem) && !isObject {
			item = "*" + value
		}
		return fmt.Sprintf("if %s {\n%s}\n", notNull(value, t.Elem), e.check(item, t.Elem, depth))
	}
	return ""
}

func (e *emitter) checkText(value string, t *ir.String) string {
	var w code.Writer
	if t.Format != "" {
		w.P("c.Format(%q, %s)", t.Format, value)
	}
	checkLength(&w, "Length", value, t.Length)
	if t.Pattern != "" {
		w.P("%s.Collect(c, %s)", e.rules.patterns[t.Pattern], value)
	}
	return w.String()
}

// checkLength writes the check of the length of a string or an array.
func checkLength(w *code.Writer, of, value string, l ir.Count) {
	if l.Min > 0 {
		w.P("c.Min%s(%s, %d)", of, value, l.Min)
	}
	if l.Max > 0 {
		w.P("c.Max%s(%s, %d)", of, value, l.Max)
	}
}

func (e *emitter) checkArray(value string, t *ir.Array, depth int) string {
	var w code.Writer
	checkLength(&w, "Items", "len("+value+")", t.Length)
	if lower.Checked(t.Elem) {
		i, element := name("i", depth), name("e", depth)
		variables := i + ", " + element
		if _, isObject := ir.Resolve(t.Elem).(*ir.Object); isObject {
			variables, element = i, value+"["+i+"]"
		}
		w.P("for %s := range %s {\nc.PushIndex(%s)\n%sc.Pop()\n}", variables, value, i, e.check(element, t.Elem, depth+1))
	}
	return w.String()
}

func (e *emitter) checkRef(value string, d *ir.Decl, depth int) string {
	if _, isUnion := d.Type.(*ir.Union); isUnion {
		return newBox(d, "V: "+value) + ".Check(c)\n"
	}
	if _, isEnum := d.Type.(*ir.Enum); isEnum && d.Rules == nil {
		return checkEnum(value)
	}
	if isAlias(d) {
		return e.check(value, d.Type, depth)
	}
	if _, isObject := d.Type.(*ir.Object); !isObject {
		value = "(" + value + ")"
	}
	return value + ".Check(c)\n"
}

func checkEnum(value string) string {
	known := "(" + value + ")"
	if token.IsIdentifier(value) {
		known = value
	}
	return fmt.Sprintf("if !%s.Known() {\nc.Report(\"unknown value %%q\", string(%s))\n}\n", known, value)
}

func checkScalar(value string, t *ir.Scalar) string {
	if t.ID {
		return value + ".Check(c)\n"
	}
	return fmt.Sprintf("if !%s.Is(%s) {\nc.Report(%q)\n}\n", value, kindSet(t.Kinds), "must be "+t.Kinds.String())
}

func checkBounds(value string, b ir.Bounds) string {
	var w code.Writer
	limit := func(at *float64, open bool, method string) {
		if open {
			method = "Exclusive" + method
		}
		if at != nil {
			w.P("c.%s(%s, %s)", method, value, code.Literal(*at))
		}
	}
	limit(b.Min, b.MinOpen, "Minimum")
	limit(b.Max, b.MaxOpen, "Maximum")
	return w.String()
}

// checkerOf renders the head of the method that checks a union.
func checkerOf(d *ir.Decl) string {
	return fmt.Sprintf("func (%s) Check(c *wire.Collector, v %s)", codecName(d), d.Name)
}

func (e *emitter) unionChecker(f *jen.File, d *ir.Decl, u *ir.Union) {
	if d.Rules != nil {
		f.Line().Add(code.Go(checkerOf(d) + " {\n" + e.obey(d, "v") + "}"))
		return
	}
	var w code.Writer
	w.P("%s {\nswitch v := v.(type) {", checkerOf(d))
	var unchecked []string
	for _, v := range u.Variants {
		variant := v.Decl.Name
		if v.Boxed {
			variant = "*" + variant
		}
		if !hasChecks(v.Decl) {
			unchecked = append(unchecked, variant)
			continue
		}
		w.Case(variant, checkVariant(u, v))
	}
	if unchecked != nil {
		w.Case(strings.Join(unchecked, ", "), "")
	}
	if !u.Context {
		member, known := discriminator(u.Decision)
		w.P("case *Unknown%s:\nc.UnknownVariant(%q, v.Raw, %s)", d.Name, d.Name, code.Quoted(append([]string{member}, known...)))
	}
	w.P("default:\nc.NoVariant(%q, v)\n}\n}", d.Name)
	f.Add(code.Go(w.String()))
}

// checkVariant renders the check of the value v of a variant. If it fails, the value may be one of another
// variant.
func checkVariant(u *ir.Union, v *ir.Variant) string {
	args := ""
	for _, rival := range rivals(u.Decision, v) {
		args += ", new(" + rival.Decl.Name + ")"
	}
	if args == "" {
		return "v.Check(c)\n"
	}
	return "n := c.Count()\nif v.Check(c); c.Count() > n {\nc.Reconsider(n, v" + args + ")\n}\n"
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
