package check

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// body returns the check of a schema, one pass over the value after the other.
func (e *emitter) body(s *jsonschema.Schema, context string) string {
	if s.Always != nil {
		if *s.Always {
			return "c.Pass()\n"
		}
		return "c.Never()\n"
	}
	var w code.Writer
	p := newPlan(s)
	types := typeSet(s.Types)
	switch {
	case p.passes == 0 && s.Types == nil:
		return "c.Pass()\n"
	case p.passes == 0:
		return "c.Value(" + types + ")\n"
	case len(s.Types) > 0 && (p.passes > 1 || !p.value && !p.object && !p.array):
		w.P("if !c.Type(%s) {\nreturn\n}", types)
		types = typeSet(nil)
	}
	again := ""
	if p.passes > 1 {
		w.P("start := c.Mark()")
	}
	// pass writes a pass, which begins with again if it is not the first of several.
	pass := func(has bool, emit func() string) {
		if !has {
			return
		}
		w.WriteString(again + emit())
		if p.passes > 1 {
			again = "c.Reset(start)\n"
		}
	}
	pass(p.value, func() string { return e.value(s, types) })
	pass(p.object, func() string { return e.object(s, types, context) })
	pass(p.array, func() string { return e.array(s, types, context) })
	pass(p.unique, func() string { return "c.Unique()\n" })
	if p.dependent {
		w.WriteString(e.dependent(s, context, again))
	}
	pass(s.Target != nil, func() string { return e.scoped(s.Target, e.targetName(s.Target)) })
	for i, sub := range s.AllOf {
		pass(true, func() string { return e.scoped(sub, e.within(context, "all"+strconv.Itoa(i+1))) })
	}
	pass(len(s.AnyOf) > 0, func() string { return "c.AnyOf(" + e.branches(s.AnyOf, e.within(context, "any")) + ")\n" })
	pass(len(s.OneOf) > 0, func() string { return "c.OneOf(" + e.branches(s.OneOf, e.within(context, "one")) + ")\n" })
	pass(s.Not != nil, func() string {
		return fmt.Sprintf("c.Not(%s, %s)\n", e.reference(s.Not, e.within(context, "not")), code.String(sourceText(s.Not)))
	})
	pass(p.conditional, func() string {
		condition := e.reference(s.If, e.within(context, "if"))
		return fmt.Sprintf("if c.Holds(%s) {\n%s} else {\n%s}\n", condition, e.call(s.Then, e.within(context, "then")), e.call(s.Else, e.within(context, "else")))
	})
	return w.String()
}

// scoped returns the check of one of several schemas of a value, in a block if it declares
// variables.
func (e *emitter) scoped(s *jsonschema.Schema, context string) string {
	text := e.call(s, context)
	if strings.Contains(text, " := ") {
		return "{\n" + text + "}\n"
	}
	return text
}

// targetName returns the function name of a schema that is the target of a reference.
func (e *emitter) targetName(s *jsonschema.Schema) string {
	return e.within(e.group.Prefix, s.Pointer[strings.LastIndexByte(s.Pointer, '/')+1:])
}

func (e *emitter) branches(all []*jsonschema.Schema, context string) string {
	branches := "\n"
	for i, s := range all {
		branches += e.checker(s, context+strconv.Itoa(i+1)) + ",\n"
	}
	return branches
}

// sourceText returns a schema as text for messages.
func sourceText(s *jsonschema.Schema) string {
	const longest = 200
	text, err := s.Source.AppendJSON(nil)
	if err != nil || len(text) > longest {
		return `the schema of "not"`
	}
	return string(text)
}

// typeSet returns a set of types.
func typeSet(types []string) string {
	var set []string
	for _, t := range types {
		set = append(set, code.Kind(t))
	}
	return cmp.Or(strings.Join(set, " | "), "wire.KindAny")
}

// value returns the rules that apply to a value as a whole.
func (e *emitter) value(s *jsonschema.Schema, types string) string {
	var rules [][2]string // methods and the arguments after the value
	add := func(method string, args ...string) {
		rules = append(rules, [2]string{method, strings.Join(args, ", ")})
	}
	if s.Const != "" {
		add("Const", code.String(s.Const))
	}
	if s.Enum != nil {
		allowed := make([]string, len(s.Enum))
		for i, value := range s.Enum {
			allowed[i] = code.String(value)
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
			add(bound.method, code.String(bound.text))
		}
	}
	if s.MinLength != nil {
		add("MinLength", strconv.FormatInt(*s.MinLength, 10))
	}
	if s.MaxLength != nil {
		add("MaxLength", strconv.FormatInt(*s.MaxLength, 10))
	}
	if s.Pattern != nil {
		if pattern, ok := e.pattern(*s.Pattern); ok {
			add("Pattern", pattern)
		}
	}
	if assertsFormat(s) {
		add("Format", strconv.Quote(s.Format))
	}
	value := "c.Value(" + types + ")"
	var w code.Writer
	switch len(rules) {
	case 0:
		w.P("%s", value)
	case 1:
	default:
		w.P("v := %s", value)
		value = "v"
	}
	for _, r := range rules {
		w.P("c.%s(%s, %s)", r[0], value, r[1])
	}
	return w.String()
}

// count writes the check of the number of elements or members.
func count(w *code.Writer, of string, least, most *int64) {
	if least != nil {
		w.P("c.Min%s(n, %d)", of, *least)
	}
	if most != nil {
		w.P("c.Max%s(n, %d)", of, *most)
	}
}

// array returns the loop over an array.
func (e *emitter) array(s *jsonschema.Schema, types, context string) string {
	counted := len(s.PrefixItems) > 0 || s.MinItems != nil || s.MaxItems != nil
	rest := func() string { return e.call(items(s), e.within(context, "item")) }
	var w code.Writer
	w.P("if c.Array(%s) {", types)
	loop := "c.Element()"
	if counted {
		w.P("n := 0")
		loop = "; c.Element(); n++"
	}
	if contains(s) {
		w.P("found := 0")
	}
	w.P("for %s {", loop)
	if contains(s) {
		w.P("if c.Holds(%s) {\nfound++\n}", e.reference(s.Contains, e.within(context, "contains")))
	}
	if len(s.PrefixItems) == 0 {
		w.P("%s}", rest())
	} else {
		w.P("switch n {")
		for i, sub := range s.PrefixItems {
			w.Case(strconv.Itoa(i), e.call(sub, e.within(context, "item"+strconv.Itoa(i+1))))
		}
		w.P("default:\n%s}\n}", rest())
	}
	count(&w, "Items", s.MinItems, s.MaxItems)
	if contains(s) {
		described := code.String(sourceText(s.Contains))
		least := int64(1)
		if s.MinContains != nil {
			least = *s.MinContains
		}
		if least > 0 {
			w.P("c.MinContains(found, %d, %s)", least, described)
		}
		if s.MaxContains != nil {
			w.P("c.MaxContains(found, %d, %s)", *s.MaxContains, described)
		}
	}
	w.P("}")
	return w.String()
}
