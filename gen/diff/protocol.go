package diff

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// builder makes shapes from the ir of one revision.
type builder struct {
	decls map[*ir.Decl]*Shape
	// sources replaces the ir in the places that the ir does not fully describe. It is nil if
	// there are none.
	sources *sources
	// bare leaves out the members that the schema omits although the protocol has them.
	bare bool
}

// decl returns the shape of a declaration.
func (b *builder) decl(d *ir.Decl) *Shape {
	if s, ok := b.decls[d]; ok {
		return s
	}
	where := Place{d.Name, d.Pointer}
	s := newShape(where)
	b.decls[d] = s
	if b.fromSource(d, s) {
		return s
	}
	switch t := d.Type.(type) {
	case *ir.Ref:
		s.fill = func() []*Alt { return b.decl(t.Decl).alts() }
	case *ir.Object:
		a := &Alt{Name: d.Name, Where: where, Kind: kindObject, Object: &object{}}
		s.list = []*Alt{a} // members may refer to this shape
		b.fields(a.Object, t, where)
	case *ir.Union:
		// A variant may be a map or an array of the union, whose alternatives are not known yet.
		s.fill = func() []*Alt {
			var list []*Alt
			for _, v := range t.Variants {
				list = append(list, b.decl(v.Decl).alts()...)
			}
			return join(list)
		}
	default:
		s.list = b.alts(d.Type, where)
		if len(s.list) == 1 && s.list[0].Kind == kindArray {
			s.list[0].Name = d.Name
		}
	}
	return s
}

func (b *builder) fields(o *object, t *ir.Object, where Place) {
	name := where.Path
	for _, f := range t.Fields {
		if !b.bare || !f.Injected {
			o.Members = append(o.Members, b.field(f, name))
		}
	}
	o.sort()
	if t.Additional != nil {
		o.Rest = b.shape(t.Additional, Place{name + "{}", where.Pointer + "/additionalProperties"})
	}
	o.Closed, o.Map = t.Closed, t.Others && !reserved(name)
}

func (b *builder) field(f *ir.Field, of string) *member {
	where := Place{of + "." + f.Wire, f.Pointer}
	m := &member{Name: f.Wire, Required: f.Required && !Implied(f), Implied: Implied(f), Where: where}
	if m.Shape = b.sourceAt(where); m.Shape != nil {
		return m
	}
	m.Shape = b.shape(f.Base(), where)
	switch c := f.Const.(type) {
	case string:
		m.Shape = constant(where, kindString, render(c))
	case int64:
		m.Shape = constant(where, kindNumber, strconv.FormatInt(c, 10))
	}
	if f.Nullable() {
		m.Shape = b.nullable(m.Shape, where)
	}
	return m
}

// reserved reports whether only the protocol may add members to the object at a path: to _meta, as far
// as revisions declare its members, and to capabilities. Peers do not send members that a later
// revision adds there, even if the schema allows others.
func reserved(path string) bool {
	return strings.HasSuffix(path, "._meta") || strings.HasSuffix(path, "MetaObject") || strings.Contains(path, "Capabilities")
}

// Implied reports whether receivers read a message without a member as if it had the member's
// default, although the schema requires the member.
func Implied(f *ir.Field) bool { return f.Required && f.Default != "" }

// nullable adds null to a shape whose alternatives may not have been made yet.
func (b *builder) nullable(s *Shape, where Place) *Shape {
	with := newShape(where)
	with.fill = func() []*Alt { return append([]*Alt{{Kind: kindNull, Where: where}}, s.alts()...) }
	return with
}

func constant(where Place, k kind, value string) *Shape {
	a := &Alt{Kind: k, Where: where, Values: []string{value}}
	if k == kindString {
		a.Text = &text{}
	} else {
		a.Number = &number{}
	}
	return newShape(where, a)
}

// shape returns the shape of a type at a place.
func (b *builder) shape(t ir.Type, where Place) *Shape {
	if shape := b.sourceAt(where); shape != nil {
		return shape
	}
	switch t := t.(type) {
	case *ir.Ref:
		return b.decl(t.Decl)
	case *ir.Nullable:
		return b.nullable(b.shape(t.Elem, where), where)
	}
	return newShape(where, b.alts(t, where)...)
}

func (b *builder) alts(t ir.Type, where Place) []*Alt {
	one := &Alt{Where: where}
	switch t := t.(type) {
	case *ir.Enum:
		one.Kind, one.Text = kindString, &text{}
		one.Values = []string{}
		for _, v := range t.Values {
			one.Values = append(one.Values, render(v.Wire))
		}
	case *ir.String:
		one.Kind, one.Text = kindString, textOfType(t)
	case *ir.Integer:
		one.Kind, one.Number = kindNumber, wholeNumber(span(t.Bounds))
	case *ir.Number:
		one.Kind, one.Number = kindNumber, &number{Range: span(t.Bounds)}
	case *ir.Boolean:
		one.Kind = kindBoolean
	case *ir.Scalar:
		return scalars(t.Kinds, where)
	case *ir.Open:
		one.Kind, one.Object = kindObject, &object{Map: t.Others && !reserved(where.Path)}
	case *ir.Map:
		one.Kind, one.Object = kindObject, &object{Rest: b.shape(t.Elem, Place{where.Path + "{}", where.Pointer + "/additionalProperties"})}
	case *ir.Array:
		one.Kind, one.Array = kindArray, &array{Items: b.shape(t.Elem, Place{where.Path + "[]", where.Pointer + "/items"})}
		one.Array.Length = spanOf(t.Length)
	default:
		one.Kind = kindAny
	}
	return []*Alt{one}
}

func textOfType(t *ir.String) *text {
	out := &text{Length: spanOf(t.Length)}
	if t.Format != "" {
		out.Formats = []string{t.Format}
	}
	if t.Pattern != "" {
		out.Patterns = []string{t.Pattern}
	}
	return out
}

func spanOf(c ir.Count) (s span) {
	if c.Min > 0 {
		s.Min = new(float64(c.Min))
	}
	if c.Max > 0 {
		s.Max = new(float64(c.Max))
	}
	return s
}

func wholeNumber(s span) *number {
	step := big.NewRat(1, 1)
	return &number{Step: step, Range: s.steps(step)}
}

func scalars(k ir.ScalarKinds, where Place) []*Alt {
	var list []*Alt
	add := func(in bool, a Alt) {
		if in {
			a.Where = where
			list = append(list, &a)
		}
	}
	add(k.Text, Alt{Kind: kindString, Text: &text{}})
	if k.Number {
		add(true, Alt{Kind: kindNumber, Number: &number{}})
	} else {
		add(k.Integer, Alt{Kind: kindNumber, Number: wholeNumber(span{})})
	}
	add(k.Boolean, Alt{Kind: kindBoolean})
	add(k.Null, Alt{Kind: kindNull})
	return list
}

// messages has the shapes of one revision's messages.
type messages struct {
	*builder
	rev     *ir.Revision
	methods map[string]*ir.Method
}

func newMessages(side Revision) *messages {
	rev := side.IR
	m := &messages{&builder{decls: map[*ir.Decl]*Shape{}}, rev, map[string]*ir.Method{}}
	m.sources = newSources(side, m.builder)
	for _, method := range rev.Methods {
		m.methods[method.Wire] = method
	}
	return m
}

// envelopeOf returns the name of the definition with the members that all messages of a kind
// have.
func envelopeOf(m *ir.Method) string {
	if m.Notification {
		return "JSONRPCNotification"
	}
	return "JSONRPCRequest"
}

// message returns the shape of a request or notification on the wire: its own definition and
// the members that the envelope adds.
func (s *messages) message(m *ir.Method) (*Shape, []string, error) {
	decl := s.rev.Definition(m.Definition)
	if decl == nil {
		return nil, nil, fmt.Errorf("%s: %s is no definition", s.rev.ID, m.Definition)
	}
	judged := []string{Key(decl)}
	var envelope *ir.Decl
	if !m.Within {
		envelope = s.rev.Definition(envelopeOf(m))
	}
	if envelope != nil {
		judged = append(judged, Key(envelope))
	}
	shape := newShape(Place{decl.Name, decl.Pointer})
	for _, a := range s.decl(decl).alts() {
		if a.Kind != kindObject {
			continue // a message is an object, even if its definition allows other values
		}
		one, o := *a, *a.Object
		o.Members = slices.Clone(o.Members)
		if envelope != nil {
			if fields, ok := envelope.Type.(*ir.Object); ok {
				s.enclose(&o, fields, envelope.Name)
			}
		}
		one.Object = &o
		if own := a.exact; own != nil {
			one.exact = func(v any) bool {
				members, ok := v.(map[string]any)
				return ok && own(v) && o.accepts(members)
			}
		}
		shape.list = append(shape.list, &one)
	}
	return shape, judged, nil
}

// enclose adds the members that the envelope requires of a message.
func (s *messages) enclose(o *object, envelope *ir.Object, name string) {
	meet := newMeeter()
	for _, f := range envelope.Fields {
		outer := s.field(f, name)
		own := o.member(f.Wire)
		if own == nil {
			o.Members = append(o.Members, outer)
			o.sort()
			continue
		}
		both := *own
		both.Required = own.Required || outer.Required
		both.Shape = meet.shapes(own.Shape, outer.Shape)
		o.Members[slices.Index(o.Members, own)] = &both
	}
}

// envelope returns the union of all JSON-RPC messages, or nil if the revision has none. Params
// and results are open, because they are compared for each method.
func (s *messages) envelope() *Shape {
	decl := s.rev.Definition("JSONRPCMessage")
	if decl == nil {
		return nil
	}
	return s.withoutPayload(s.decl(decl), map[*Alt]*Alt{})
}

func (s *messages) withoutPayload(shape *Shape, done map[*Alt]*Alt) *Shape {
	out := newShape(shape.Where)
	for _, a := range shape.alts() {
		if bare, ok := done[a]; ok {
			out.list = append(out.list, bare)
			continue
		}
		bare := *a
		done[a] = &bare
		switch a.Kind {
		case kindObject:
			o := *a.Object
			o.Members = nil
			for _, m := range a.Object.Members {
				if m.Name == "params" || m.Name == "result" {
					open := *m
					open.Shape = openObject(m.Where)
					m = &open
				}
				o.Members = append(o.Members, m)
			}
			bare.Object = &o
		case kindArray:
			list := *a.Array
			list.Items = s.withoutPayload(list.Items, done)
			bare.Array = &list
		}
		out.list = append(out.list, &bare)
	}
	return out
}

// Key returns the name of a declaration in generated packages and for a [Judge].
func Key(d *ir.Decl) string {
	if d.Definition {
		return d.Path
	}
	return d.Name
}
