package check

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// on emits a call of a method of the Checker.
func on(g *jen.Group, method string, args ...jen.Code) { g.Id("c").Dot(method).Call(args...) }

// body emits the check of a schema, one pass over the value after the other.
func (e *emitter) body(g *jen.Group, s *jsonschema.Schema, context string) {
	if s.Always != nil {
		if *s.Always {
			on(g, "Pass")
		} else {
			on(g, "Never")
		}
		return
	}
	p := newPlan(s)
	passes := p.passes(s)
	types := typeSet(s.Types)
	switch {
	case passes == 0 && p.types == nil:
		on(g, "Pass")
		return
	case passes == 0:
		on(g, "Value", types)
		return
	case len(p.types) > 0 && (passes > 1 || !p.value && !p.object && !p.array):
		g.If(jen.Op("!").Id("c").Dot("Type").Call(types)).Block(jen.Return())
		types = typeSet(nil)
	}
	again := func(*jen.Group) {}
	if passes > 1 {
		g.Id("start").Op(":=").Id("c").Dot("Mark").Call()
		first := true
		again = func(g *jen.Group) {
			if !first {
				on(g, "Reset", jen.Id("start"))
			}
			first = false
		}
	}
	pass := func(has bool, emit func(*jen.Group)) {
		if has {
			again(g)
			emit(g)
		}
	}
	pass(p.value, func(g *jen.Group) { e.value(g, s, types) })
	pass(p.object, func(g *jen.Group) { e.object(g, s, types, context) })
	pass(p.array, func(g *jen.Group) { e.array(g, s, types, context) })
	pass(p.unique, func(g *jen.Group) { on(g, "Unique") })
	if p.dependent {
		e.dependent(g, s, context, again)
	}
	pass(p.ref, func(g *jen.Group) { e.scoped(g, s.Target, e.targetName(s.Target)) })
	for i, sub := range s.AllOf {
		pass(true, func(g *jen.Group) { e.scoped(g, sub, e.within(context, "all"+strconv.Itoa(i+1))) })
	}
	pass(p.anyOf, func(g *jen.Group) { on(g, "AnyOf", e.branches(s.AnyOf, e.within(context, "any"))...) })
	pass(p.oneOf, func(g *jen.Group) { on(g, "OneOf", e.branches(s.OneOf, e.within(context, "one"))...) })
	pass(p.not, func(g *jen.Group) {
		on(g, "Not", e.reference(s.Not, e.within(context, "not")), text(sourceText(s.Not)))
	})
	pass(p.conditional, func(g *jen.Group) {
		g.If(jen.Id("c").Dot("Holds").Call(e.reference(s.If, e.within(context, "if")))).BlockFunc(func(g *jen.Group) {
			e.call(g, s.Then, e.within(context, "then"))
		}).Else().BlockFunc(func(g *jen.Group) {
			e.call(g, s.Else, e.within(context, "else"))
		})
	})
}

// scoped emits the check of one of several schemas of a value, in a block if it declares
// variables.
func (e *emitter) scoped(g *jen.Group, s *jsonschema.Schema, context string) {
	if declares(follow(s)) {
		g.BlockFunc(func(g *jen.Group) { e.call(g, s, context) })
		return
	}
	e.call(g, s, context)
}

// declares reports whether the code that call emits for a schema declares variables.
func declares(s *jsonschema.Schema) bool {
	return s.Always == nil && simple(s) && newPlan(s).passes(s) > 0
}

// targetName returns the function name of a schema that is the target of a reference.
func (e *emitter) targetName(s *jsonschema.Schema) string {
	return e.within(e.group.Prefix, s.Pointer[strings.LastIndexByte(s.Pointer, '/')+1:])
}

func (e *emitter) branches(all []*jsonschema.Schema, context string) []jen.Code {
	var codes []jen.Code
	for i, s := range all {
		codes = append(codes, jen.Line().Add(e.checker(s, context+strconv.Itoa(i+1))))
	}
	return append(codes, jen.Line())
}

// sourceText returns a schema as text for messages.
func sourceText(s *jsonschema.Schema) string {
	const longest = 200
	text, err := wire.AppendRaw(nil, s.Source)
	if err != nil || len(text) > longest {
		return `the schema of "not"`
	}
	return string(text)
}

// typeSet emits a set of types.
func typeSet(types []string) *jen.Statement {
	var set *jen.Statement
	for _, t := range types {
		one := jen.Qual(schemaPath, strings.ToUpper(t[:1])+t[1:])
		if set == nil {
			set = one
		} else {
			set.Op("|").Add(one)
		}
	}
	if set == nil {
		return jen.Qual(schemaPath, "Any")
	}
	return set
}

// value emits the rules that apply to a value as a whole.
func (e *emitter) value(g *jen.Group, s *jsonschema.Schema, types jen.Code) {
	type rule struct {
		method string
		args   []jen.Code
	}
	var rules []rule
	add := func(method string, args ...jen.Code) { rules = append(rules, rule{method, args}) }
	if s.Const != "" {
		add("Const", text(s.Const))
	}
	if s.Enum != nil {
		var allowed []jen.Code
		for _, value := range s.Enum {
			allowed = append(allowed, text(value))
		}
		add("Enum", allowed...)
	}
	for _, bound := range []struct {
		method string
		text   wire.Raw
	}{
		{"Minimum", s.Minimum}, {"Maximum", s.Maximum}, {"ExclusiveMinimum", s.ExclusiveMinimum},
		{"ExclusiveMaximum", s.ExclusiveMaximum}, {"MultipleOf", s.MultipleOf},
	} {
		if bound.text != "" {
			add(bound.method, text(bound.text))
		}
	}
	if s.MinLength != nil {
		add("MinLength", number(*s.MinLength))
	}
	if s.MaxLength != nil {
		add("MaxLength", number(*s.MaxLength))
	}
	if s.Pattern != nil {
		if pattern, ok := e.pattern(*s.Pattern); ok {
			add("Pattern", pattern)
		}
	}
	if assertsFormat(s) {
		add("Format", jen.Lit(s.Format))
	}
	value := jen.Id("c").Dot("Value").Call(types)
	switch len(rules) {
	case 0:
		g.Add(value)
	case 1:
	default:
		g.Id("v").Op(":=").Add(value)
		value = jen.Id("v")
	}
	for _, r := range rules {
		on(g, r.method, append([]jen.Code{value}, r.args...)...)
	}
}

// text emits a string literal, raw if possible.
func text[S ~string](s S) jen.Code {
	if strings.ContainsAny(string(s), "\"\\") && strconv.CanBackquote(string(s)) {
		return jen.Id("`" + string(s) + "`")
	}
	return jen.Lit(string(s))
}

// Literals emits strings as literals.
func Literals(all []string) []jen.Code {
	literals := make([]jen.Code, len(all))
	for i, s := range all {
		literals[i] = jen.Lit(s)
	}
	return literals
}

// number emits an untyped constant.
func number(n int64) jen.Code { return jen.Id(strconv.FormatInt(n, 10)) }

// count emits the check of the number of elements or members.
func count(g *jen.Group, of string, least, most *int64) {
	if least != nil {
		on(g, "Min"+of, jen.Id("n"), number(*least))
	}
	if most != nil {
		on(g, "Max"+of, jen.Id("n"), number(*most))
	}
}

// array emits the loop over an array.
func (e *emitter) array(g *jen.Group, s *jsonschema.Schema, types jen.Code, context string) {
	counted := len(s.PrefixItems) > 0 || s.MinItems != nil || s.MaxItems != nil
	rest := func(g *jen.Group) { e.call(g, items(s), e.within(context, "item")) }
	g.If(jen.Id("c").Dot("Array").Call(types)).BlockFunc(func(g *jen.Group) {
		loop := []jen.Code{jen.Id("c").Dot("Element").Call()}
		if counted {
			g.Id("n").Op(":=").Lit(0)
			loop = []jen.Code{jen.Empty(), jen.Id("c").Dot("Element").Call(), jen.Id("n").Op("++")}
		}
		if contains(s) {
			g.Id("found").Op(":=").Lit(0)
		}
		g.For(loop...).BlockFunc(func(g *jen.Group) {
			if contains(s) {
				g.If(jen.Id("c").Dot("Holds").Call(e.reference(s.Contains, e.within(context, "contains")))).Block(jen.Id("found").Op("++"))
			}
			if len(s.PrefixItems) == 0 {
				rest(g)
				return
			}
			g.Switch(jen.Id("n")).BlockFunc(func(g *jen.Group) {
				for i, sub := range s.PrefixItems {
					g.Case(jen.Lit(i)).BlockFunc(func(g *jen.Group) { e.call(g, sub, e.within(context, "item"+strconv.Itoa(i+1))) })
				}
				g.Default().BlockFunc(rest)
			})
		})
		count(g, "Items", s.MinItems, s.MaxItems)
		if contains(s) {
			described := text(sourceText(s.Contains))
			least := int64(1)
			if s.MinContains != nil {
				least = *s.MinContains
			}
			if least > 0 {
				on(g, "MinContains", jen.Id("found"), number(least), described)
			}
			if s.MaxContains != nil {
				on(g, "MaxContains", jen.Id("found"), number(*s.MaxContains), described)
			}
		}
	})
}
