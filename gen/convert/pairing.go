package convert

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/names"
	"github.com/mcpgen/mcpgen/spec"
)

// pairing is the state of pairing two revisions.
type pairing struct {
	older, newer *ir.Revision
	tables       *tables
	byKey        map[shapeKey]*Shape
	shapes       []*Shape
	names        map[string]bool // of shapes
	defined      []defined
	effects      map[*Shape]bool // the shapes with an effect
	gaps         []gap
}

// shapeKey identifies a shape: by the declarations it converts, where nil stands for a type that is
// not a declaration, by the shape of its elements, or by its effect.
type shapeKey struct {
	from, to *ir.Decl
	each     *Shape
	leaveOut bool
	length   ir.Count
	does     string
}

// defined is a pair of declarations that values are converted between.
type defined struct {
	older, newer *ir.Decl
	up, down     *Shape
}

// gap is a place where values are refused, in terms of the newer revision.
type gap struct {
	place, problem string
	row            string // of convert.yaml, which would refuse the values on purpose
	up             bool
}

// place is a place in terms of the newer revision.
type place struct {
	path string
	row  string // the row of convert.yaml for the place: its table and its columns
	is   *spec.DefinitionRow
}

// below returns the place of a part.
func (at place) below(part string) place {
	at.path += part
	return at
}

// reason returns the reason for refusing a value: that of the row for the place, or else another one.
func (at place) reason(otherwise string) string {
	if at.is != nil {
		return at.is.Reason
	}
	return otherwise
}

// definition returns the place of a declaration, for which there may be a row.
func (p *pairing) definition(name string) place {
	return place{name, p.rowFor("definitions", "definition", name), p.tables.definition(p.newer.ID, name)}
}

// rowFor describes a row of the step, by its table and the names and values of its columns.
func (p *pairing) rowFor(table string, columns ...string) string {
	all := []string{"step: " + strconv.Quote(p.newer.ID)}
	for i := 0; i < len(columns); i += 2 {
		value := columns[i+1]
		if !plain.MatchString(value) {
			value = strconv.Quote(value)
		}
		all = append(all, columns[i]+": "+value)
	}
	return table + ": {" + strings.Join(all, ", ") + "}"
}

// plain matches the values that YAML reads as strings without quotes.
var plain = regexp.MustCompile(`^[A-Za-z$][A-Za-z0-9_./$-]*$`)

func newPairing(older, newer *ir.Revision, t *tables) *pairing {
	return &pairing{older: older, newer: newer, tables: t, byKey: map[shapeKey]*Shape{}, names: map[string]bool{}}
}

// to returns the revision that values are converted to.
func (p *pairing) to(up bool) *ir.Revision {
	if up {
		return p.newer
	}
	return p.older
}

// counterpart returns the declaration's counterpart in the other revision, or nil.
func (p *pairing) counterpart(d *ir.Decl, up bool) *ir.Decl {
	if name, r := p.tables.rename(p.newer.ID, d.Name, up); r != nil {
		other := p.to(up).Lookup(name)
		if other != nil {
			p.tables.use(&r.StepRow)
		}
		return other
	}
	if p.tables.claimed(p.newer.ID, d.Name, up) {
		return nil
	}
	return p.to(up).Lookup(d.Name)
}

// define decides how the values of two declarations are converted.
func (p *pairing) define(older, newer *ir.Decl) {
	if slices.ContainsFunc(p.defined, func(d defined) bool { return d.older == older && d.newer == newer }) {
		return
	}
	up := p.value(&ir.Ref{Decl: older}, &ir.Ref{Decl: newer}, true, p.definition(newer.Name))
	down := p.value(&ir.Ref{Decl: newer}, &ir.Ref{Decl: older}, false, p.definition(newer.Name))
	p.defined = append(p.defined, defined{older, newer, up, down})
}

// shape returns the shape for a key. On first use, it creates one with a name and calls
// fill.
func (p *pairing) shape(key shapeKey, name string, fill func(*Shape)) *Shape {
	if s, ok := p.byKey[key]; ok {
		return s
	}
	unique := names.Unique(name, func(s string) bool { return p.names[s] })
	p.names[unique] = true
	s := &Shape{Name: unique}
	p.byKey[key] = s // before it is filled, because it may refer to itself
	p.shapes = append(p.shapes, s)
	fill(s)
	return s
}

func direction(up bool) string {
	if up {
		return "up"
	}
	return "down"
}

// value decides how a value is converted: by a shape, or not at all if it is nil. The place is
// that of the member or variant that has the value; values of the same definition in both
// revisions are converted alike everywhere.
func (p *pairing) value(from, to ir.Type, up bool, at place) *Shape {
	if a, b := declOf(from), declOf(to); a != nil && b != nil && p.counterpart(a, up) == b {
		at = p.definition(p.newerDecl(from, to, up).Name)
	}
	return p.obey(p.typed(from, to, up, at), from, to, up, at)
}

// typed is value by the types alone.
func (p *pairing) typed(from, to ir.Type, up bool, at place) *Shape {
	f, t := ir.Resolve(from), ir.Resolve(to)
	if n, ok := t.(*ir.Nullable); ok {
		if m, ok := f.(*ir.Nullable); ok {
			from = m.Elem
		}
		if _, ok := f.(*ir.Any); !ok {
			return p.value(from, n.Elem, up, at)
		}
	} else if n, ok := f.(*ir.Nullable); ok {
		below := p.typed(n.Elem, to, up, at)
		if slices.Contains(ir.Kinds(to), ir.KindNull) {
			return below
		}
		return p.notNull(below, up, at)
	}
	if _, ok := t.(*ir.Any); ok {
		return nil
	}
	switch f := f.(type) {
	case *ir.Union:
		return p.union(from, to, f, up)
	case *ir.Any:
		p.gap(up, at, "any to "+typeName(to)+": other values are refused")
		return p.check(to, up)
	case *ir.Array:
		if t, ok := t.(*ir.Array); ok {
			return p.array(from, to, f, t, up, at)
		}
	}
	if _, ok := t.(*ir.Union); ok {
		if target := p.match(from, targets(to), up, true); target != nil {
			return p.value(from, target, up, at)
		}
		return p.unbridgeable(from, to, up, at)
	}
	if isLeaf(f) && isLeaf(t) {
		return p.leaf(from, to, up, at)
	}
	if s, ok := p.objects(from, to, up, at); ok {
		return s
	}
	return p.unbridgeable(from, to, up, at)
}

// unbridged is the reason for refusing a value whose type another revision does not have.
const unbridged = "not bridged, because the types differ and no row of convert.yaml says how"

// unbridgeable decides how values are converted between types that cannot be paired. If the types
// have kinds of values in common, values that are valid for the other type are kept.
func (p *pairing) unbridgeable(from, to ir.Type, up bool, at place) *Shape {
	if slices.ContainsFunc(ir.Kinds(from), func(k ir.Kind) bool { return slices.Contains(ir.Kinds(to), k) }) {
		p.gap(up, at, fromTo(from, to)+": other values are refused")
		return p.check(to, up)
	}
	p.gap(up, at, fromTo(from, to)+": every value is refused")
	return p.refuse(at.reason(unbridged), up)
}

// refuse returns the shape that refuses every value.
func (p *pairing) refuse(reason string, up bool) *Shape {
	return p.shape(shapeKey{does: direction(up) + " refuse " + reason}, direction(up)+"Unbridged", func(s *Shape) {
		s.Cases = []Case{{Refuse: reason}}
	})
}

// notNull returns the shape that refuses null and converts other values by a shape.
func (p *pairing) notNull(below *Shape, up bool, at place) *Shape {
	p.gap(up, at, "null is refused")
	name := direction(up) + "NotNull"
	if below != nil {
		name = below.Name + "NotNull"
	}
	reason := at.reason("the other revision does not allow null here")
	return p.shape(shapeKey{each: below, does: direction(up) + " refuse null " + reason}, name, func(s *Shape) {
		s.Cases = []Case{{Kind: ir.KindNull, Refuse: reason}, {Shape: below}}
	})
}

// gap records that values are refused at a place, unless there is a row for its definition.
func (p *pairing) gap(up bool, at place, problem string) {
	if at.is != nil {
		p.tables.use(&at.is.StepRow)
		return
	}
	if g := (gap{at.path, problem, at.row, up}); !slices.Contains(p.gaps, g) {
		p.gaps = append(p.gaps, g)
	}
}

// cover removes the gaps at a place and below it, because a row covers them.
func (p *pairing) cover(up bool, at place) {
	p.gaps = slices.DeleteFunc(p.gaps, func(g gap) bool {
		rest, below := strings.CutPrefix(g.place, at.path)
		return g.up == up && below && (rest == "" || strings.ContainsAny(rest[:1], ".[{"))
	})
}

// unbridged describes the gaps and the rows for them, sorted.
func (p *pairing) unbridged() []string {
	var all []string
	for _, g := range p.gaps {
		all = append(all, fmt.Sprintf("%s, %s: %s; %s", g.place, direction(g.up), g.problem, g.row))
	}
	slices.Sort(all)
	return all
}

// leaf decides about values without parts.
func (p *pairing) leaf(from, to ir.Type, up bool, at place) *Shape {
	f, t := ir.Resolve(from), ir.Resolve(to)
	if e, ok := t.(*ir.Enum); ok {
		if f, ok := f.(*ir.Enum); ok {
			return p.enum(from, to, f, e, up)
		}
	}
	limits, common := leafOf(t).within(leafOf(f))
	switch {
	case limits == nil:
		return nil
	case !common:
		return p.unbridgeable(from, to, up, at)
	}
	p.gap(up, at, fromTo(from, to)+": a value that is not "+limits.String()+" is refused")
	return p.limited(limits, up, at)
}

// limited returns the shape that refuses values that exceed the limits.
func (p *pairing) limited(l *Limits, up bool, at place) *Shape {
	reason := at.reason("")
	return p.shape(shapeKey{does: direction(up) + " limit " + l.String() + " " + reason}, direction(up)+"Limit", func(s *Shape) {
		s.Limits, s.Reason = l, reason
	})
}

// enum decides how the values of an enum are converted. Values that neither revision defines are kept.
func (p *pairing) enum(from, to ir.Type, f, t *ir.Enum, up bool) *Shape {
	newer := p.newerDecl(from, to, up)
	return p.shape(shapeKey{from: declOf(from), to: declOf(to)}, direction(up)+newer.Name, func(s *Shape) {
		for _, v := range f.Values {
			if slices.ContainsFunc(t.Values, func(w ir.EnumValue) bool { return w.Wire == v.Wire }) {
				continue
			}
			c := Case{Kind: ir.KindString, When: []Condition{{Is: jsonOf(v.Wire)}}}
			r := p.tables.value(p.newer.ID, newer.Name, v.Wire)
			switch {
			case r == nil:
				p.gap(up, place{path: newer.Name, row: p.rowFor("values", "enum", newer.Name, "value", v.Wire)}, fmt.Sprintf("the value %q is refused", v.Wire))
				c.Refuse = fmt.Sprintf("not bridged, because the other revision does not have the value %q and no row of convert.yaml says how", v.Wire)
			case r.As == "":
				c.Refuse = r.Reason
			case !slices.ContainsFunc(t.Values, func(w ir.EnumValue) bool { return w.Wire == r.As }):
				p.tables.fail(&r.StepRow, "%q is not a value of %s in the other revision", r.As, newer.Name)
			default:
				c.Replace, c.Lose = jsonOf(r.As), fmt.Sprintf("sent as %q: %s", r.As, r.Reason)
			}
			s.Cases = append(s.Cases, c)
		}
	})
}

// newerDecl returns the declaration of the newer revision, by which rows name an object.
func (p *pairing) newerDecl(from, to ir.Type, up bool) *ir.Decl {
	d, other := declOf(to), declOf(from)
	if !up {
		d, other = other, d
	}
	if d == nil {
		return other
	}
	return d
}

// array decides how the elements of an array are converted.
func (p *pairing) array(from, to ir.Type, f, t *ir.Array, up bool, at place) *Shape {
	limit := t.Length
	if limit.Min <= f.Length.Min && (limit.Max == 0 || f.Length.Max != 0 && f.Length.Max <= limit.Max) {
		limit = ir.Count{}
	} else {
		p.gap(up, at, fmt.Sprintf("a length that is not within %v is refused", limit))
	}
	return p.each(from, to, f.Elem, t.Elem, limit, up, at.below("[]"))
}

// each decides how the elements of an array or the values of a map are converted.
func (p *pairing) each(from, to, elem, toElem ir.Type, limit ir.Count, up bool, at place) *Shape {
	if a, b := declOf(from), declOf(to); a != nil && b != nil {
		// It may contain itself.
		return p.shape(shapeKey{from: a, to: b}, direction(up)+p.newerDecl(from, to, up).Name, func(s *Shape) {
			s.Each = p.value(elem, toElem, up, at)
			s.Limits = ofLength(limit)
		})
	}
	return p.elements(p.value(elem, toElem, up, at), limit, false, up)
}

// elements returns the shape of an array or a map whose elements have a shape, or nil if
// there is nothing to do.
func (p *pairing) elements(elem *Shape, limit ir.Count, leaveOut, up bool) *Shape {
	if elem == nil && limit == (ir.Count{}) {
		return nil
	}
	name := direction(up) + "List"
	if elem != nil {
		name = elem.Name + "Each"
	}
	if leaveOut {
		name += "OrNone"
	}
	return p.shape(shapeKey{each: elem, leaveOut: leaveOut, length: limit, does: direction(up)}, name, func(s *Shape) {
		s.Each, s.LeaveOut, s.Limits = elem, leaveOut, ofLength(limit)
	})
}

// leaveOut returns the shape of an array that is like s and leaves out the elements that are refused.
func (p *pairing) leaveOut(s *Shape, up bool) *Shape {
	switch {
	case s.Rules == nil:
		return p.elements(s.Each, ir.Count{}, true, up)
	case s.Cases == nil:
		return s
	}
	below := p.leaveOut(s.Cases[0].Shape, up)
	return p.shape(shapeKey{each: below, does: "check as " + s.Name}, s.Name+"OrNone", func(checked *Shape) {
		checked.Rules, checked.Reason, checked.Cases = s.Rules, s.Reason, []Case{{Shape: below}}
	})
}

// ofLength returns the limits of an array, or nil if there are none.
func ofLength(c ir.Count) *Limits {
	if c == (ir.Count{}) {
		return nil
	}
	return &Limits{Kinds: []ir.Kind{ir.KindArray}, Length: c}
}

// fromTo describes two types, by their structures if they have the same name.
func fromTo(from, to ir.Type) string {
	a, b := typeName(from), typeName(to)
	if a == b {
		a, b = ir.TypeString(ir.Resolve(from)), ir.TypeString(ir.Resolve(to))
	}
	return a + " to " + b
}

func typeName(t ir.Type) string {
	if d := declOf(t); d != nil {
		return d.Name
	}
	return ir.TypeString(t)
}

// jsonOf returns the JSON of a constant.
func jsonOf(constant any) string {
	text, err := json.Marshal(constant)
	if err != nil {
		panic(err)
	}
	return string(text)
}
