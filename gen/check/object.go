package check

import (
	"math/bits"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// presence assigns a bit to each member whose presence the check of an object must record.
type presence struct {
	names []string
	bit   map[string]int
}

func newPresence(s *jsonschema.Schema) *presence {
	p := &presence{bit: map[string]int{}}
	p.add(s.Required...)
	for _, d := range s.DependentRequired {
		if len(d.Required) > 0 {
			p.add(d.Name)
			p.add(d.Required...)
		}
	}
	for _, d := range s.DependentSchemas {
		p.add(d.Name)
	}
	return p
}

func (p *presence) add(names ...string) {
	for _, name := range names {
		if _, ok := p.bit[name]; !ok {
			p.bit[name] = len(p.names)
			p.names = append(p.names, name)
		}
	}
}

// words returns the number of variables that hold the bits.
func (p *presence) words() int { return (len(p.names) + 63) / 64 }

// variable returns the variable that holds the bits from 64*word on.
func (p *presence) variable(word int) *jen.Statement {
	if p.words() == 1 {
		return jen.Id("seen")
	}
	return jen.Id("seen" + strconv.Itoa(word))
}

func (p *presence) variables() []jen.Code {
	var all []jen.Code
	for i := range p.words() {
		all = append(all, p.variable(i))
	}
	return all
}

func mask(word uint64) jen.Code {
	if bits.OnesCount64(word) == 1 && word > 1 {
		return jen.Lit(1).Op("<<").Lit(bits.TrailingZeros64(word))
	}
	if word == 1 {
		return jen.Lit(1)
	}
	return jen.Id("0x" + strconv.FormatUint(word, 16))
}

// operand returns a mask as an operand of an expression.
func operand(word uint64) jen.Code {
	if bits.OnesCount64(word) == 1 && word > 1 {
		return jen.Parens(mask(word))
	}
	return mask(word)
}

// note emits code that records the presence of a member, if its presence matters.
func (p *presence) note(g *jen.Group, name string) {
	if bit, ok := p.bit[name]; ok {
		g.Add(p.variable(bit / 64)).Op("|=").Add(mask(1 << (bit % 64)))
	}
}

// there returns the condition that a member is present.
func (p *presence) there(name string) *jen.Statement {
	bit := p.bit[name]
	return jen.Add(p.variable(bit / 64)).Op("&").Add(operand(1 << (bit % 64))).Op("!=").Lit(0)
}

// absent returns the condition that some of the names are absent, and the list of names by
// their bits.
func (p *presence) absent(names []string) (condition *jen.Statement, list jen.Code) {
	masks := make([]uint64, p.words())
	var literals []jen.Code
	for i, name := range p.names {
		if slices.Contains(names, name) {
			masks[i/64] |= 1 << (i % 64)
			literals = append(literals, jen.Lit(name))
		} else {
			literals = append(literals, jen.Qual(schemaPath, "NoName"))
		}
	}
	for i, m := range masks {
		if m == 0 {
			continue
		}
		part := jen.Add(p.variable(i)).Op("&").Add(operand(m)).Op("!=").Add(mask(m))
		if condition == nil {
			condition = part
		} else {
			condition.Op("||").Add(part)
		}
	}
	for len(literals) > 0 && !slices.Contains(names, p.names[len(literals)-1]) {
		literals = literals[:len(literals)-1]
	}
	return condition, jen.Index().String().Values(literals...)
}

// object emits the loop over an object.
func (e *emitter) object(g *jen.Group, s *jsonschema.Schema, types jen.Code, context string) {
	if tabular(s) {
		e.table(g, s, types, context)
		return
	}
	seen := newPresence(s)
	if seen.words() > 0 {
		g.Var().List(seen.variables()...).Uint64()
	}
	counted := s.MinProperties != nil || s.MaxProperties != nil
	g.If(jen.Id("c").Dot("Object").Call(types)).BlockFunc(func(g *jen.Group) {
		loop := []jen.Code{jen.Id("c").Dot("Member").Call()}
		if counted {
			g.Id("n").Op(":=").Lit(0)
			loop = []jen.Code{jen.Empty(), jen.Id("c").Dot("Member").Call(), jen.Id("n").Op("++")}
		}
		g.For(loop...).BlockFunc(func(g *jen.Group) {
			if !anything(s.PropertyNames) {
				on(g, "PropertyName", e.reference(s.PropertyNames, e.within(context, "name")))
			}
			if len(e.matched(s)) > 0 {
				e.matchedMember(g, s, seen, context)
			} else {
				e.namedMember(g, s, seen, context)
			}
		})
		if len(s.Required) > 0 {
			condition, names := seen.absent(s.Required)
			g.If(condition).Block(jen.Id("c").Dot("Missing").Call(append([]jen.Code{names}, seen.variables()...)...))
		}
		for _, d := range s.DependentRequired {
			if len(d.Required) > 0 {
				condition, names := seen.absent(d.Required)
				args := append([]jen.Code{jen.Lit(d.Name), names}, seen.variables()...)
				g.If(seen.there(d.Name).Op("&&").Parens(condition)).Block(jen.Id("c").Dot("MissingBeside").Call(args...))
			}
		}
		count(g, "Properties", s.MinProperties, s.MaxProperties)
	})
}

// matched returns the patternProperties that have a valid pattern.
func (e *emitter) matched(s *jsonschema.Schema) []jsonschema.Property {
	var all []jsonschema.Property
	for _, p := range s.PatternProperties {
		if _, ok := e.pattern(p.Name); ok {
			all = append(all, p)
		}
	}
	return all
}

// namedMember emits the check of a member whose schema depends on its name only.
func (e *emitter) namedMember(g *jen.Group, s *jsonschema.Schema, seen *presence, context string) {
	others := func(g *jen.Group) { e.additional(g, s, context) }
	var cases []jen.Code
	for _, p := range s.Properties {
		if _, noted := seen.bit[p.Name]; !noted && anything(p.Schema) && anything(additional(s)) {
			continue
		}
		cases = append(cases, jen.Case(jen.Lit(p.Name)).BlockFunc(func(g *jen.Group) {
			seen.note(g, p.Name)
			e.call(g, p.Schema, e.within(context, p.Name))
		}))
	}
	for _, name := range seen.names {
		if s.Property(name) == nil {
			cases = append(cases, jen.Case(jen.Lit(name)).BlockFunc(func(g *jen.Group) {
				seen.note(g, name)
				others(g)
			}))
		}
	}
	if len(cases) == 0 {
		others(g)
		return
	}
	g.Switch(jen.Id("c").Dot("Name").Call()).Block(append(cases, jen.Default().BlockFunc(others))...)
}

// matchedMember emits the check of a member that several schemas may apply to because of
// patterns.
func (e *emitter) matchedMember(g *jen.Group, s *jsonschema.Schema, seen *presence, context string) {
	g.Id("name").Op(":=").Id("c").Dot("Name").Call()
	demanding := func(p jsonschema.Property) bool { return !anything(follow(p.Schema)) }
	if slices.ContainsFunc(s.Properties, demanding) || slices.ContainsFunc(e.matched(s), demanding) {
		g.Id("member").Op(":=").Id("c").Dot("Mark").Call()
	}
	rest := !anything(additional(s))
	apply := func(g *jen.Group, sub *jsonschema.Schema, name string) {
		if rest {
			g.Id("known").Op("=").True()
		}
		if !anything(follow(sub)) {
			e.call(g, sub, name)
			on(g, "Reset", jen.Id("member"))
		}
	}
	if rest {
		g.Id("known").Op(":=").False()
	}
	var cases []jen.Code
	for _, p := range s.Properties {
		cases = append(cases, jen.Case(jen.Lit(p.Name)).BlockFunc(func(g *jen.Group) {
			seen.note(g, p.Name)
			apply(g, p.Schema, e.within(context, p.Name))
		}))
	}
	for _, name := range seen.names {
		if s.Property(name) == nil {
			cases = append(cases, jen.Case(jen.Lit(name)).BlockFunc(func(g *jen.Group) { seen.note(g, name) }))
		}
	}
	if len(cases) > 0 {
		g.Switch(jen.Id("name")).Block(cases...)
	}
	for i, p := range e.matched(s) {
		pattern, _ := e.pattern(p.Name)
		g.If(jen.Id("c").Dot("Matches").Call(pattern, jen.Id("name"))).BlockFunc(func(g *jen.Group) {
			apply(g, p.Schema, e.within(context, "match"+strconv.Itoa(i+1)))
		})
	}
	if !rest {
		on(g, "Pass")
		return
	}
	g.If(jen.Id("known")).Block(jen.Id("c").Dot("Pass").Call()).Else().BlockFunc(func(g *jen.Group) {
		e.additional(g, s, context)
	})
}

// additional emits the check of a member that no other schema applies to.
func (e *emitter) additional(g *jen.Group, s *jsonschema.Schema, context string) {
	rest := follow(additional(s))
	if rest == nil || !nothing(rest) {
		e.call(g, rest, e.within(context, "other"))
		return
	}
	names := func(all []jsonschema.Property) []jen.Code {
		list := make([]string, len(all))
		for i, p := range all {
			list[i] = p.Name
		}
		return Literals(list)
	}
	allowed := names(s.Properties)
	if matched := e.matched(s); len(matched) > 0 {
		on(g, "Unmatched", append([]jen.Code{jen.Index().String().Values(names(matched)...)}, allowed...)...)
		return
	}
	on(g, "Unknown", allowed...)
}

// dependent emits the schemas that apply if a member is present.
func (e *emitter) dependent(g *jen.Group, s *jsonschema.Schema, context string, again func(*jen.Group)) {
	seen := newPresence(s)
	for _, d := range s.DependentSchemas {
		g.If(seen.there(d.Name)).BlockFunc(func(g *jen.Group) {
			again(g)
			e.call(g, d.Schema, e.within(context, "with "+d.Name))
		})
	}
}
