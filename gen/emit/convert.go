package emit

import (
	"fmt"
	"path"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/convert"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
)

const convertPath = runtimePath + "/convert"

// packagePath returns the import path of a generated package in a folder.
func packagePath(dir string) string { return path.Join(module, "generated", dir) }

// Converters renders the package of a step as files below dir.
func Converters(s *convert.Step, dir string) ([]files.File, error) {
	e := &stepEmitter{
		emitter: emitter{pkg: s.Package, header: s.Older.ID + "+" + s.Newer.ID, prefix: dir + "/", suffix: ".go"},
		step:    s,
	}
	e.render("doc.go", e.packageDoc)
	for _, family := range families(s.Newer) {
		funcs := slices.DeleteFunc(slices.Clone(s.Funcs), func(f *convert.Func) bool { return f.Named().Family != family })
		if len(funcs) > 0 {
			e.render("convert_"+family+".go", func(f *jen.File) { e.converters(f, funcs) })
		}
	}
	e.render("definitions.go", e.definitions)
	e.render("methods.go", e.methods)
	return e.out, e.err
}

// stepEmitter renders one step.
type stepEmitter struct {
	emitter
	step *convert.Step
}

// render is emitter.render with the imports that converters need.
func (e *stepEmitter) render(name string, fill func(*jen.File)) {
	e.emitter.render(name, func(f *jen.File) {
		f.ImportName(convertPath, "convert")
		f.ImportName(packagePath(e.step.Older.Package), e.step.Older.Package)
		f.ImportName(packagePath(e.step.Newer.Package), e.step.Newer.Package)
		fill(f)
	})
}

func (e *stepEmitter) packageDoc(f *jen.File) {
	older, newer := e.step.Older.ID, e.step.Newer.ID
	f.PackageComment(commentText(fmt.Sprintf("Package %s converts between the adjacent revisions %s and %s.", e.step.Package, older, newer)))
	f.PackageComment("//")
	f.PackageComment(commentText("Functions whose names begin with Up convert a value to the newer revision, those with Down to the older one. They report to the Conversion what is lost, and why a value cannot be converted at all; the returned value must not be used in that case. Members that neither revision defines are kept. The result shares memory with the argument."))
	f.Comment("This code does not compile with other versions of the runtime.")
	f.Const().Id("_").Op("=").Qual(convertPath, "V1")
	f.Line()
	f.Comment("Reasons for losses.")
	f.Const().Defs(
		jen.Id("notInOlder").Op("=").Lit(older+" does not have it"),
		jen.Id("notInNewer").Op("=").Lit(newer+" does not have it"),
	)
	f.Line()
	f.Add(doc("Step looks up converters by the name of a definition or a method."))
	f.Var().Id("Step").Op("=").Qual(convertPath, "Step").Values(jen.Dict{
		jen.Id("Older"):      jen.Lit(older),
		jen.Id("Newer"):      jen.Lit(newer),
		jen.Id("Definition"): jen.Id("definition"),
		jen.Id("Method"):     jen.Id("method"),
	})
}

// from and to return the revisions that a converter converts from and to.
func (e *stepEmitter) from(f *convert.Func) *ir.Revision {
	if f.Up {
		return e.step.Older
	}
	return e.step.Newer
}

func (e *stepEmitter) to(f *convert.Func) *ir.Revision {
	if f.Up {
		return e.step.Newer
	}
	return e.step.Older
}

// typeOf renders the type that a converter takes or returns: objects are passed by pointer.
func typeOf(t ir.Type, rev *ir.Revision) jen.Code {
	ref, ok := t.(*ir.Ref)
	if !ok {
		return goType(t)
	}
	q := jen.Qual(packagePath(rev.Package), ref.Decl.Name)
	if _, ok := ref.Decl.Type.(*ir.Object); ok {
		return jen.Op("*").Add(q)
	}
	return q
}

func compatCall(name string, args ...jen.Code) *jen.Statement {
	return jen.Qual(convertPath, name).Call(append([]jen.Code{jen.Id("c")}, args...)...)
}

func (e *stepEmitter) converters(f *jen.File, funcs []*convert.Func) {
	for _, fn := range funcs {
		from, to := e.from(fn), e.to(fn)
		f.Line()
		f.Add(doc(fmt.Sprintf("%s converts %s revision %s.", fn.Name, described(fn), to.ID)))
		f.Func().Id(fn.Name).
			Params(jen.Id("c").Op("*").Qual(convertPath, "Conversion"), jen.Id("x").Add(typeOf(fn.From, from))).
			Add(typeOf(fn.To, to)).
			BlockFunc(func(g *jen.Group) { e.body(g, fn) })
	}
}

// described returns the types that a converter converts between, in words.
func described(f *convert.Func) string {
	from, to := typeLabel(f.From), typeLabel(f.To)
	if from == to {
		return from + " to"
	}
	return from + " to " + to + " of"
}

func typeLabel(t ir.Type) string {
	switch t := t.(type) {
	case *ir.Ref:
		return t.Decl.Name
	case *ir.Open:
		return "an open object"
	}
	return "a scalar"
}

func (e *stepEmitter) body(g *jen.Group, f *convert.Func) {
	x, c := jen.Id("x"), jen.Id("c")
	switch b := f.Body.(type) {
	case *convert.Object:
		e.object(g, f, b)
	case *convert.Union:
		e.union(g, f, b)
	case *convert.Plain:
		g.Return(e.qualified(f, f.To).Call(x))
	case *convert.Elements:
		g.Return(compatCall("Elements", x, e.element(f, b.Elem)))
	case *convert.Wrap:
		if b.Func != nil {
			g.Return(jen.Id(b.Func.Name).Call(c, x))
			return
		}
		g.Return(jen.Qual(packagePath(e.to(f).Package), b.Variant.Decl.Name).Values(jen.Dict{jen.Id("Scalar"): x}))
	case *convert.ToOpen:
		if f.Up {
			g.Return(compatCall("Marshal", x))
			return
		}
		for _, field := range b.Drops {
			e.drop(g, f, field)
		}
		g.Return(compatCall("Open", jen.Id("x").Dot("Extra")))
	case *convert.FromOpen:
		to := e.qualified(f, f.To)
		if f.Up {
			args := []jen.Code{jen.Qual(convertPath, "Members").Call(x)}
			for _, name := range b.Reserved {
				args = append(args, jen.Lit(name))
			}
			g.Return(jen.Op("&").Add(to).Values(jen.Dict{jen.Id("Extra"): jen.Id("c").Dot("Extra").Call(args...)}))
			return
		}
		g.Return(compatCall("Read", x, jen.New(to)))
	}
}

// qualified renders the type that a converter returns, without a pointer.
func (e *stepEmitter) qualified(f *convert.Func, t ir.Type) *jen.Statement {
	return jen.Qual(packagePath(e.to(f).Package), t.(*ir.Ref).Decl.Name)
}

func (e *stepEmitter) object(g *jen.Group, f *convert.Func, b *convert.Object) {
	x, y := jen.Id("x"), jen.Id("y")
	from := jen.Qual(packagePath(e.from(f).Package), f.From.(*ir.Ref).Decl.Name)
	for _, r := range b.Restates {
		g.If(there(r.Field)).Block(
			x.Clone().Op("=").Add(compatCall("Restate", x, jen.Qual(convertPath, r.Policy), jen.New(from))),
		)
	}
	g.Id("y").Op(":=").New(e.qualified(f, f.To))
	extra := x.Clone().Dot("Extra")
	if slices.ContainsFunc(b.Fields, func(f convert.Field) bool { return f.Carry }) {
		g.Id("extra").Op(":=").Add(extra)
		extra = jen.Id("extra")
	}
	for _, field := range b.Fields {
		switch {
		case field.From == nil && field.Carry:
			e.adopt(g, field)
		case field.From == nil:
			g.Add(y.Clone().Dot(field.To.Go).Op("=").Lit("{}"))
		case field.Carry:
			e.carry(g, field)
		case field.To == nil:
			e.drop(g, f, field.From)
		default:
			if field.Reason != "" {
				g.Id("c").Dot("Require").Call(jen.Lit(field.From.Wire), there(field.From), jen.Lit(field.Reason))
			}
			g.Add(y.Clone().Dot(field.To.Go).Op("=").Add(e.field(f, field)))
		}
	}
	if len(b.Reserved) > 0 {
		args := []jen.Code{extra}
		for _, name := range b.Reserved {
			args = append(args, jen.Lit(name))
		}
		extra = jen.Id("c").Dot("Extra").Call(args...)
	}
	g.Add(y.Clone().Dot("Extra").Op("=").Add(extra))
	g.Return(y)
}

// there renders the condition that a member is present.
func there(f *ir.Field) jen.Code {
	x := jen.Id("x").Dot(f.Go)
	if byPointer(f) {
		return x.Op("!=").Nil()
	}
	switch ir.Resolve(f.Type).(type) {
	case *ir.Union, *ir.Array, *ir.Map:
		return x.Op("!=").Nil()
	case *ir.Any, *ir.Open:
		return x.Op("!=").Lit("")
	case *ir.Scalar:
		return jen.Op("!").Add(x).Dot("IsZero").Call()
	}
	return jen.True()
}

func (e *stepEmitter) drop(g *jen.Group, f *convert.Func, field *ir.Field) {
	reason := "notInOlder"
	if f.Up {
		reason = "notInNewer"
	}
	g.Id("c").Dot("Drop").Call(jen.Lit(field.Wire), there(field), jen.Id(reason))
}

// carry renders code that stores a member in the Extra of the older revision, which has no
// field for it.
func (e *stepEmitter) carry(g *jen.Group, field convert.Field) {
	x := jen.Id("x").Dot(field.From.Go)
	put := func(value jen.Code) jen.Code {
		return jen.Id("extra").Op("=").Add(compatCall("Carry", jen.Id("extra"), jen.Lit(field.From.Wire), value))
	}
	text := func(v jen.Code) jen.Code { return jen.Qual(convertPath, "String").Call(v) }
	switch {
	case field.From.Const != nil:
		g.Add(put(text(jen.Lit(field.From.Const))))
	case byPointer(field.From):
		g.If(there(field.From)).Block(put(text(jen.Op("*").Add(x))))
	default:
		g.Add(put(x))
	}
}

// adopt renders code that takes a member from the Extra of the older revision, which has no
// field for it.
func (e *stepEmitter) adopt(g *jen.Group, field convert.Field) {
	name, raw := jen.Lit(field.To.Wire), jen.Id("raw"+field.To.Go)
	g.List(raw, jen.Id("extra")).Op(":=").Qual(convertPath, "Adopt").Call(jen.Id("extra"), name)
	y := jen.Id("y").Dot(field.To.Go)
	switch {
	case field.To.Const != nil:
		g.Add(compatCall("AdoptedConst", name, raw, jen.Lit(field.To.Const)))
	case byPointer(field.To):
		g.Add(y.Op("=").Add(compatCall("AdoptedString", name, raw)))
	default:
		g.Add(y.Op("=").Add(compatCall("AdoptedID", name, raw, jen.Lit(field.Reason))))
	}
}

// field renders the expression that converts a member.
func (e *stepEmitter) field(f *convert.Func, field convert.Field) jen.Code {
	x := jen.Id("x").Dot(field.From.Go)
	name := jen.Lit(field.From.Wire)
	was, is := byPointer(field.From), byPointer(field.To)
	switch v := field.Value.(type) {
	case convert.Same:
		return pointed(x, was, is)
	case convert.Cast:
		to := jen.Qual(packagePath(e.to(f).Package), v.To.Name)
		if is {
			return jen.Parens(jen.Op("*").Add(to)).Call(pointed(x, was, is))
		}
		return to.Call(pointed(x, was, is))
	case convert.Call:
		return e.call(v.Func, name, x, was, is)
	case convert.List:
		return e.list(f, field, v, name, x)
	case convert.Map:
		return compatCall("ValueMap", name, x, e.element(f, v.Elem))
	}
	panic(fmt.Sprintf("emit: cannot convert with %T", field.Value))
}

// call renders the call of a converter for a member.
func (e *stepEmitter) call(f *convert.Func, name jen.Code, x *jen.Statement, was, is bool) jen.Code {
	_, fromObject := ir.Resolve(f.From).(*ir.Object)
	_, toObject := ir.Resolve(f.To).(*ir.Object)
	if fromObject && !was {
		x = jen.Op("&").Add(x)
	}
	helper := "Value"
	switch {
	case fromObject && toObject:
		helper = "Object"
	case isOpen(f.From) || isOpen(f.To):
		helper = "Text"
	}
	call := compatCall(helper, name, x, jen.Id(f.Name))
	if toObject && !is {
		return jen.Op("*").Add(call)
	}
	return call
}

func isOpen(t ir.Type) bool {
	_, open := t.(*ir.Open)
	return open
}

// pointed renders a value as its field holds it, by pointer or by value.
func pointed(x *jen.Statement, was, is bool) jen.Code {
	switch {
	case was && !is:
		return jen.Op("*").Add(x)
	case is && !was:
		return jen.Op("&").Add(x)
	}
	return x
}

func (e *stepEmitter) list(f *convert.Func, field convert.Field, v convert.List, name, x jen.Code) jen.Code {
	switch elem := v.Elem.(type) {
	case convert.Cast:
		return jen.Qual(convertPath, "Strings").Types(jen.Qual(packagePath(e.to(f).Package), elem.To.Name)).Call(x)
	case convert.Call:
		if _, object := ir.Resolve(elem.Func.From).(*ir.Object); !object {
			break
		}
		if field.Offers {
			return compatCall("Offers", name, x, jen.Id(elem.Func.Name))
		}
		return compatCall("Objects", name, x, jen.Id(elem.Func.Name))
	}
	return compatCall("Values", name, x, e.element(f, v.Elem))
}

// element renders the function that converts elements that are held by value.
func (e *stepEmitter) element(f *convert.Func, v convert.Value) jen.Code {
	call, ok := v.(convert.Call)
	if !ok {
		panic(fmt.Sprintf("emit: cannot convert elements of %s with %T", f.Name, v))
	}
	return jen.Id(call.Func.Name)
}

func (e *stepEmitter) union(g *jen.Group, f *convert.Func, b *convert.Union) {
	d := f.From.(*ir.Ref).Decl
	_, toUnion := ir.Resolve(f.To).(*ir.Union)
	pkg := packagePath(e.from(f).Package)
	held := func(v *ir.Variant) *jen.Statement {
		if v.Boxed {
			return jen.Op("*").Qual(pkg, v.Decl.Name)
		}
		return jen.Qual(pkg, v.Decl.Name)
	}
	g.Switch(jen.Id("x").Op(":=").Id("x").Assert(jen.Type())).BlockFunc(func(g *jen.Group) {
		for _, c := range b.Cases {
			if c.Func == nil && !c.Scalar {
				continue
			}
			g.Case(held(c.Variant)).Block(e.variant(f, c))
		}
		for _, group := range refusals(b.Cases) {
			g.CaseFunc(func(g *jen.Group) {
				for _, c := range group {
					g.Add(held(c.Variant))
				}
			}).Block(jen.Id("c").Dot("Refuse").Call(jen.Lit(group[0].Reason)))
		}
		if d.Type.(*ir.Union).Context {
			return
		}
		unknown := "Unknown" + d.Name
		if toUnion {
			other := "Unknown" + f.To.(*ir.Ref).Decl.Name
			g.Case(jen.Op("*").Qual(pkg, unknown)).Block(
				jen.Return(jen.Op("&").Qual(packagePath(e.to(f).Package), other).Values(jen.Dict{jen.Id("Raw"): jen.Id("x").Dot("Raw")})),
			)
			return
		}
		g.Case(jen.Op("*").Qual(pkg, unknown)).Block(jen.Id("c").Dot("Refuse").Call(jen.Lit("the revision does not define this variant")))
	})
	switch ir.Resolve(f.To).(type) {
	case *ir.Union:
		g.Return(jen.Nil())
	case *ir.Object:
		g.Return(jen.New(e.qualified(f, f.To)))
	default:
		g.Return(jen.Add(typeOf(f.To, e.to(f))).Values())
	}
}

// refusals returns the refused cases, grouped by reason.
func refusals(cases []convert.Case) [][]convert.Case {
	var groups [][]convert.Case
	for _, c := range cases {
		if c.Func != nil || c.Scalar {
			continue
		}
		i := slices.IndexFunc(groups, func(g []convert.Case) bool { return g[0].Reason == c.Reason })
		if i < 0 {
			groups = append(groups, nil)
			i = len(groups) - 1
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

func (e *stepEmitter) variant(f *convert.Func, c convert.Case) jen.Code {
	x := jen.Id("x")
	if c.Scalar {
		return jen.Return(x.Dot("Scalar"))
	}
	if c.Restated != nil {
		pkg := packagePath(e.from(f).Package)
		policy := jen.Qual(convertPath, c.Policy)
		if _, union := c.Restated.Type.(*ir.Union); union {
			box := jen.Qual(convertPath, "Box").Types(jen.Qual(pkg, c.Restated.Name)).Call(jen.Qual(pkg, "New").Call(jen.Lit(c.Restated.Name)))
			x = compatCall("Restate", x, policy, box).Dot("V")
		} else {
			x = compatCall("Restate", x, policy, jen.New(jen.Qual(pkg, c.Restated.Name)))
		}
	}
	return jen.Return(jen.Id(c.Func.Name).Call(jen.Id("c"), x))
}
