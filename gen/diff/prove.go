package diff

import (
	"slices"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
)

// prover proves that one set of values is contained in another one. A claim that it does not
// prove may still be true.
type prover struct {
	proved, failed map[proof]bool
	// busy has the proofs in progress. They count as proved: values are finite, so a proof that
	// depends on itself holds if all its other parts do.
	busy map[proof]int
	// tentative has the proofs that depend on a proof in progress. low is the outermost of
	// these.
	tentative []proof
	low       int
	steps     int
	// finders has a finder for each document of a sender, and that of strict proofs under nil.
	finders map[*jsonschema.Schema]*finder
	// asked counts the steps of finders.
	asked int
	// valid has the validators of documents.
	valid     map[*jsonschema.Schema]*samples.Validator
	languages map[string]*language
}

// finder returns the finder for the values of a sender's document, or of any document for nil.
func (p *prover) finder(sender *jsonschema.Schema) *finder {
	f, ok := p.finders[sender]
	if !ok {
		f = newFinder(p, sender)
		p.finders[sender] = f
	}
	return f
}

// proof is the claim that the values of one set are in another one. A strict proof also
// considers undeclared members.
type proof struct {
	part, whole *set
	strict      bool
}

// mostSteps limits the work for one comparison of two alternatives.
const mostSteps = 100_000

func newProver() *prover {
	return &prover{proved: map[proof]bool{}, failed: map[proof]bool{}, busy: map[proof]int{}, finders: map[*jsonschema.Schema]*finder{}, valid: map[*jsonschema.Schema]*samples.Validator{}, languages: map[string]*language{}}
}

// in reports whether it can prove that x is contained in y.
func (p *prover) in(x, y *Shape, strict bool) bool {
	if x.set == y.set || y.set.everything() || x.set.impossible() {
		return true
	}
	if x.busy || y.busy {
		return false
	}
	claim := proof{x.set, y.set, strict}
	switch at, ok := p.busy[claim]; {
	case ok:
		p.low = min(p.low, at)
		return true
	case p.proved[claim]:
		return true
	case p.failed[claim]:
		return false
	}
	if p.steps++; p.steps > mostSteps {
		return false
	}
	depth := len(p.busy)
	if depth == 0 {
		p.low, p.tentative = 1<<30, nil
	}
	outer, from := p.low, len(p.tentative)
	p.low = 1 << 30
	p.busy[claim] = depth
	ok := p.within(x, y, strict)
	delete(p.busy, claim)
	switch {
	case !ok:
		p.failed[claim] = true
		p.tentative = p.tentative[:from]
	case p.low >= depth:
		p.proved[claim] = true
		for _, other := range p.tentative[from:] {
			p.proved[other] = true
		}
		p.tentative = p.tentative[:from]
		p.low = 1 << 30
	default:
		p.tentative = append(p.tentative, claim)
	}
	p.low = min(outer, p.low)
	return ok
}

func (p *prover) within(x, y *Shape, strict bool) bool {
	for _, a := range x.alts() {
		if !p.altIn(a, y, strict) {
			return false
		}
	}
	return true
}

// altIn reports whether it can prove that an alternative is contained in a shape.
func (p *prover) altIn(a *Alt, y *Shape, strict bool) bool {
	if y.busy {
		return false
	}
	if y.set.everything() {
		return true
	}
	if values, ok := a.few(); ok {
		return !slices.ContainsFunc(values, func(text string) bool { return !y.accepts(parse(text)) })
	}
	for _, b := range y.alts() {
		if p.alt(a, b, strict) {
			return true
		}
	}
	if a.Kind == kindAny && len(a.Also) == 0 {
		for _, k := range allKinds {
			if !p.altIn(free(k), y, strict) {
				return false
			}
		}
		return true
	}
	return p.split(a, y, strict)
}

// free returns an alternative with all values of a kind.
func free(k kind) *Alt {
	a := &Alt{Kind: k}
	switch k {
	case kindNumber:
		a.Number = &number{}
	case kindString:
		a.Text = &text{}
	case kindArray:
		a.Array = &array{}
	case kindObject:
		a.Object = &object{}
	}
	return a
}

// split reports whether it can prove that an alternative of objects is contained in a shape, by
// considering each of the few values of one member.
func (p *prover) split(a *Alt, y *Shape, strict bool) bool {
	if a.Kind != kindObject || len(y.alts()) < 2 {
		return false
	}
	for i, m := range a.Object.Members {
		if m.Shape.busy || !m.Required || len(m.Shape.alts()) != 1 {
			continue
		}
		values, ok := m.Shape.alts()[0].few()
		if !ok || len(values) < 2 || len(values) > 32 {
			continue
		}
		all := true
		for _, v := range values {
			one, o := *a, *a.Object
			o.Members = slices.Clone(o.Members)
			only := *m
			only.Shape = newShape(m.Where, &Alt{Kind: kindOf(parse(v)), Values: []string{v}})
			o.Members[i] = &only
			one.Object = &o
			if !slices.ContainsFunc(y.alts(), func(b *Alt) bool { return p.alt(&one, b, strict) }) {
				all = false
				break
			}
		}
		if all {
			return true
		}
	}
	return false
}

// few returns the values of an alternative that has only a few.
func (a *Alt) few() ([]string, bool) {
	switch {
	case a.Values != nil:
		return a.Values, true
	case a.Kind == kindNull:
		return []string{"null"}, true
	case a.Kind == kindBoolean:
		return []string{"false", "true"}, true
	case a.Kind == kindNumber && a.Number.Step != nil && a.Number.Range.Min != nil && a.Number.Range.Max != nil:
		by, _ := a.Number.Step.Float64()
		if by <= 0 || (*a.Number.Range.Max-*a.Number.Range.Min)/by > 300 {
			return nil, false
		}
		var values []string
		for f := *a.Number.Range.Min; f <= *a.Number.Range.Max; f += by {
			if v := num(f); a.accepts(v) {
				values = append(values, exactly(v))
			}
		}
		return values, true
	}
	return nil, false
}

// alt reports whether it can prove that an alternative is contained in another one.
func (p *prover) alt(a, b *Alt, strict bool) bool {
	if a == b {
		return true
	}
	if b.Kind == kindAny && len(b.Also) == 0 {
		return true
	}
	if values, ok := a.few(); ok && (b.Kind == a.Kind || b.Kind == kindAny) {
		return !slices.ContainsFunc(values, func(text string) bool { return !b.accepts(parse(text)) })
	}
	if a.Kind != b.Kind && b.Kind != kindAny || b.Values != nil {
		return false
	}
	for _, c := range b.Also {
		if !p.implies(a, c, strict) {
			return false
		}
	}
	switch {
	case b.Kind == kindAny || a.Kind == kindAny:
		return b.Kind == a.Kind
	case a.Kind == kindNumber:
		return b.Number.Range.covers(a.Number.Range) && divides(b.Number.Step, a.Number.Step)
	case a.Kind == kindString:
		return p.textIn(a.Text, b.Text)
	case a.Kind == kindArray:
		return p.arrayIn(a, b, strict)
	case a.Kind == kindObject:
		return p.objectIn(a, b, strict)
	}
	return true
}

func (p *prover) arrayIn(a, b *Alt, strict bool) bool {
	x, y := a.Array, b.Array
	length := a.length()
	if !y.Length.covers(length) || y.Unique && !x.Unique && (length.Max == nil || *length.Max > 1) {
		return false
	}
	prefix := max(len(x.Prefix), len(y.Prefix))
	for i := range prefix + 1 {
		if length.Max != nil && float64(i) >= *length.Max {
			break
		}
		if !p.in(x.at(i, a.Where), y.at(i, b.Where), strict) {
			return false
		}
	}
	for _, c := range y.Contains {
		if !p.contained(x, c) {
			return false
		}
	}
	return true
}

// contained reports whether it can prove that arrays satisfy a contains constraint.
func (p *prover) contained(x *array, c *contains) bool {
	for _, have := range x.Contains {
		least := c.Count.Min == nil || have.Count.Min != nil && *have.Count.Min >= *c.Count.Min && p.in(have.Shape, c.Shape, true)
		most := c.Count.Max == nil || have.Count.Max != nil && *have.Count.Max <= *c.Count.Max && p.in(c.Shape, have.Shape, true)
		if least && most {
			return true
		}
	}
	least, most := lowest(x.Length), x.Length.Max
	all := p.in(x.at(len(x.Prefix), Place{}), c.Shape, true)
	for _, s := range x.Prefix {
		all = all && p.in(s, c.Shape, true)
	}
	return (c.Count.Min == nil || all && float64(least) >= *c.Count.Min) && (c.Count.Max == nil || most != nil && *most <= *c.Count.Max)
}

func (p *prover) objectIn(a, b *Alt, strict bool) bool {
	x, y := a.Object, b.Object
	if !y.Size.covers(x.size()) {
		return false
	}
	for _, m := range x.Members {
		if !p.in(m.Shape, y.at(m.Name, b.Where), strict) {
			return false
		}
	}
	for _, m := range y.Members {
		if m.Required && !x.requires(m.Name) {
			return false
		}
		if x.member(m.Name) != nil {
			continue
		}
		if other := x.at(m.Name, a.Where); (strict || x.Map || !other.any()) && !p.in(other, m.Shape, strict) {
			return false
		}
	}
	for _, n := range y.Needs {
		if !x.needs(n) {
			return false
		}
	}
	for _, names := range y.Names {
		if !p.namesIn(x, names) {
			return false
		}
	}
	return p.restIn(a, b, strict)
}

// restIn is objectIn for members that neither side declares.
func (p *prover) restIn(a, b *Alt, strict bool) bool {
	x, y := a.Object, b.Object
	for _, m := range y.Patterns {
		if own := x.pattern(m.Name); own != nil {
			if !p.in(own.Shape, m.Shape, strict) {
				return false
			}
		} else if !p.in(x.rest(a.Where), m.Shape, strict) {
			return false // a pattern declares members, so a sender may send them
		}
	}
	rest := y.rest(b.Where)
	for _, m := range x.Patterns {
		if y.pattern(m.Name) == nil && !p.in(m.Shape, rest, strict) {
			return false
		}
	}
	own := x.rest(a.Where)
	return !strict && !x.Map && own.any() || p.in(own, rest, strict)
}

func (o *object) pattern(name string) *member {
	for _, m := range o.Patterns {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// rest returns the shape of undeclared members.
func (o *object) rest(where Place) *Shape {
	switch {
	case o.Closed:
		return nothing(where)
	case o.Rest == nil:
		return anything(where)
	}
	return o.Rest
}

// size returns the possible numbers of members, including limits that follow from other
// constraints.
func (o *object) size() span {
	s := o.Size
	least := 0
	for _, m := range o.Members {
		if m.Required {
			least++
		}
	}
	s = narrower(s, span{Min: new(float64(least))})
	if o.Closed && len(o.Patterns) == 0 {
		s = narrower(s, span{Max: new(float64(len(o.Members)))})
	}
	if *s.Min == 0 {
		s.Min = nil
	}
	return s
}

// requires reports whether a member is always present.
func (o *object) requires(name string) bool {
	for range len(o.Needs) + 1 {
		if m := o.member(name); m != nil && m.Required {
			return true
		}
		i := slices.IndexFunc(o.Needs, func(n need) bool { return n.Then == name && n.If != name })
		if i < 0 {
			break
		}
		if m := o.member(o.Needs[i].If); m != nil && m.Required {
			return true
		}
		name = o.Needs[i].If
	}
	return o.member(name) != nil && o.Closed && len(o.Patterns) == 0 && lowest(o.Size) >= len(o.Members)
}

// needs reports whether a member is always present if another one is.
func (o *object) needs(n need) bool {
	if o.requires(n.Then) || slices.Contains(o.Needs, n) {
		return true
	}
	if o.at(n.If, Place{}).set.impossible() {
		return true
	}
	for _, have := range o.Needs {
		if have.If == n.If && slices.Contains(o.Needs, need{have.Then, n.Then}) {
			return true
		}
	}
	return false
}

// length returns the possible lengths of arrays, including limits that follow from other
// constraints.
func (a *Alt) length() span {
	t := a.Array
	length := t.Length
	if !t.Unique || t.Items == nil || t.Items.busy || len(t.Prefix) > 0 {
		return length
	}
	n := 0
	for _, item := range t.Items.alts() {
		values, ok := item.few()
		if !ok {
			return length
		}
		n += len(values)
	}
	return narrower(length, span{Max: new(float64(n))})
}

// namesIn reports whether it can prove that the names of all members satisfy a shape of
// strings.
func (p *prover) namesIn(x *object, names *Shape) bool {
	for _, have := range x.Names {
		if p.in(have, names, true) {
			return true
		}
	}
	for _, m := range x.Members {
		if !names.accepts(m.Name) {
			return false
		}
	}
	for _, m := range x.Patterns {
		if !p.altIn(&Alt{Kind: kindString, Text: &text{Patterns: []string{m.Name}}}, names, true) {
			return false
		}
	}
	return x.Closed
}
