package check

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/code"
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
func (p *presence) variable(word int) string {
	if p.words() == 1 {
		return "seen"
	}
	return "seen" + strconv.Itoa(word)
}

// variables returns the list of all variables.
func (p *presence) variables() string {
	var all []string
	for i := range p.words() {
		all = append(all, p.variable(i))
	}
	return strings.Join(all, ", ")
}

func mask(word uint64) string {
	switch {
	case word == 1:
		return "1"
	case bits.OnesCount64(word) == 1:
		return "1 << " + strconv.Itoa(bits.TrailingZeros64(word))
	}
	return "0x" + strconv.FormatUint(word, 16)
}

// operand returns a mask as an operand of an expression.
func operand(word uint64) string {
	if bits.OnesCount64(word) == 1 && word > 1 {
		return "(" + mask(word) + ")"
	}
	return mask(word)
}

// note returns code that records the presence of a member, if its presence matters.
func (p *presence) note(name string) string {
	bit, ok := p.bit[name]
	if !ok {
		return ""
	}
	return p.variable(bit/64) + " |= " + mask(1<<(bit%64)) + "\n"
}

// there returns the condition that a member is present.
func (p *presence) there(name string) string {
	bit := p.bit[name]
	return p.variable(bit/64) + "&" + operand(1<<(bit%64)) + " != 0"
}

// absent returns the condition that some of the names are absent, and the list of names by
// their bits.
func (p *presence) absent(names []string) (condition, list string) {
	masks := make([]uint64, p.words())
	var literals []string
	for i, name := range p.names {
		literals = append(literals, "schema.NoName")
		if slices.Contains(names, name) {
			masks[i/64] |= 1 << (i % 64)
			literals[i] = strconv.Quote(name)
		}
	}
	var parts []string
	for i, m := range masks {
		if m != 0 {
			parts = append(parts, p.variable(i)+"&"+operand(m)+" != "+mask(m))
		}
	}
	for len(literals) > 0 && !slices.Contains(names, p.names[len(literals)-1]) {
		literals = literals[:len(literals)-1]
	}
	return strings.Join(parts, " || "), "[]string{" + strings.Join(literals, ", ") + "}"
}

// object returns the loop over an object.
func (e *emitter) object(s *jsonschema.Schema, types, context string) string {
	if tabular(s) {
		return e.table(s, types, context)
	}
	var w code.Writer
	seen := newPresence(s)
	if seen.words() > 0 {
		w.P("var %s uint64", seen.variables())
	}
	w.P("if c.Object(%s) {", types)
	loop := "c.Member()"
	if s.MinProperties != nil || s.MaxProperties != nil {
		w.P("n := 0")
		loop = "; c.Member(); n++"
	}
	w.P("for %s {", loop)
	if !anything(s.PropertyNames) {
		w.P("c.PropertyName(%s)", e.reference(s.PropertyNames, e.within(context, "name")))
	}
	if len(e.matched(s)) > 0 {
		e.matchedMember(&w, s, seen, context)
	} else {
		e.namedMember(&w, s, seen, context)
	}
	w.P("}")
	if len(s.Required) > 0 {
		condition, names := seen.absent(s.Required)
		w.P("if %s {\nc.Missing(%s, %s)\n}", condition, names, seen.variables())
	}
	for _, d := range s.DependentRequired {
		if len(d.Required) > 0 {
			condition, names := seen.absent(d.Required)
			w.P("if %s && (%s) {\nc.MissingBeside(%q, %s, %s)\n}", seen.there(d.Name), condition, d.Name, names, seen.variables())
		}
	}
	count(&w, "Properties", s.MinProperties, s.MaxProperties)
	w.P("}")
	return w.String()
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

// namedMember writes the check of a member whose schema depends on its name only.
func (e *emitter) namedMember(w *code.Writer, s *jsonschema.Schema, seen *presence, context string) {
	cases := ""
	for _, p := range s.Properties {
		if _, noted := seen.bit[p.Name]; !noted && anything(p.Schema) && anything(additional(s)) {
			continue
		}
		cases += fmt.Sprintf("case %q:\n%s%s", p.Name, seen.note(p.Name), e.call(p.Schema, e.within(context, p.Name)))
	}
	for _, name := range seen.names {
		if s.Property(name) == nil {
			cases += fmt.Sprintf("case %q:\n%s%s", name, seen.note(name), e.additional(s, context))
		}
	}
	others := e.additional(s, context)
	if cases == "" {
		w.WriteString(others)
		return
	}
	w.P("switch c.Name() {\n%sdefault:\n%s}", cases, others)
}

// matchedMember writes the check of a member that several schemas may apply to because of
// patterns.
func (e *emitter) matchedMember(w *code.Writer, s *jsonschema.Schema, seen *presence, context string) {
	w.P("name := c.Name()")
	demanding := func(p jsonschema.Property) bool { return !anything(follow(p.Schema)) }
	if slices.ContainsFunc(s.Properties, demanding) || slices.ContainsFunc(e.matched(s), demanding) {
		w.P("member := c.Mark()")
	}
	rest := !anything(additional(s))
	apply := func(sub *jsonschema.Schema, name string) (applied string) {
		if rest {
			applied = "known = true\n"
		}
		if !anything(follow(sub)) {
			applied += e.call(sub, name) + "c.Reset(member)\n"
		}
		return applied
	}
	if rest {
		w.P("known := false")
	}
	cases := ""
	for _, p := range s.Properties {
		cases += fmt.Sprintf("case %q:\n%s%s", p.Name, seen.note(p.Name), apply(p.Schema, e.within(context, p.Name)))
	}
	for _, name := range seen.names {
		if s.Property(name) == nil {
			cases += fmt.Sprintf("case %q:\n%s", name, seen.note(name))
		}
	}
	if cases != "" {
		w.P("switch name {\n%s}", cases)
	}
	for i, p := range e.matched(s) {
		pattern, _ := e.pattern(p.Name)
		w.P("if c.Matches(%s, name) {\n%s}", pattern, apply(p.Schema, e.within(context, "match"+strconv.Itoa(i+1))))
	}
	if !rest {
		w.P("c.Pass()")
		return
	}
	w.P("if known {\nc.Pass()\n} else {\n%s}", e.additional(s, context))
}

// additional returns the check of a member that no other schema applies to.
func (e *emitter) additional(s *jsonschema.Schema, context string) string {
	rest := follow(additional(s))
	if rest == nil || !nothing(rest) {
		return e.call(rest, e.within(context, "other"))
	}
	names := func(all []jsonschema.Property) string {
		list := make([]string, len(all))
		for i, p := range all {
			list[i] = p.Name
		}
		return code.Quoted(list)
	}
	allowed := names(s.Properties)
	matched := e.matched(s)
	if len(matched) == 0 {
		return "c.Unknown(" + allowed + ")\n"
	}
	return "c.Unmatched(" + strings.TrimSuffix("[]string{"+names(matched)+"}, "+allowed, ", ") + ")\n"
}

// dependent returns the schemas that apply if a member is present, each after again.
func (e *emitter) dependent(s *jsonschema.Schema, context, again string) string {
	var w code.Writer
	seen := newPresence(s)
	for _, d := range s.DependentSchemas {
		w.P("if %s {\n%s%s}", seen.there(d.Name), again, e.call(d.Schema, e.within(context, "with "+d.Name)))
	}
	return w.String()
}
