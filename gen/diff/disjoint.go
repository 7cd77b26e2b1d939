package diff

import "slices"

// disjoint reports whether it can prove that an alternative and a shape have no value in
// common.
func (p *prover) disjoint(a *Alt, y *Shape, depth int) bool {
	if y.busy || depth > 6 {
		return false
	}
	if values, ok := a.few(); ok {
		return !slices.ContainsFunc(values, func(text string) bool { return y.accepts(parse(text)) })
	}
	for _, b := range y.alts() {
		if !p.apart(a, b, depth) {
			return false
		}
	}
	return true
}

// apart reports whether it can prove that two alternatives have no value in common.
func (p *prover) apart(a, b *Alt, depth int) bool {
	if b.Kind == kindAny || a.Kind == kindAny {
		return false
	}
	if a.Kind != b.Kind {
		return true
	}
	if values, ok := b.few(); ok {
		return !slices.ContainsFunc(values, func(text string) bool { return a.accepts(parse(text)) })
	}
	switch a.Kind {
	case kindNumber:
		return narrower(a.Number.Range, b.Number.Range).empty()
	case kindString:
		if narrower(a.Text.Length, b.Text.Length).empty() {
			return true
		}
		_, found, known := p.search(a.Text, b.Text, nil)
		return known && !found
	case kindArray:
		if narrower(a.Array.Length, b.Array.Length).empty() {
			return true
		}
		least := max(lowest(a.Array.Length), lowest(b.Array.Length))
		for i := range min(least, 8) {
			if p.shapesApart(a.Array.at(i, a.Where), b.Array.at(i, b.Where), depth+1) {
				return true
			}
		}
	case kindObject:
		for _, m := range slices.Concat(a.Object.Members, b.Object.Members) {
			if m.Required && p.shapesApart(a.Object.at(m.Name, a.Where), b.Object.at(m.Name, b.Where), depth+1) {
				return true
			}
		}
	}
	return false
}

func (p *prover) shapesApart(x, y *Shape, depth int) bool {
	if p.steps++; p.steps > mostSteps {
		return false
	}
	if x.busy || y.busy {
		return false
	}
	for _, a := range x.alts() {
		if !p.disjoint(a, y, depth) {
			return false
		}
	}
	return true
}
