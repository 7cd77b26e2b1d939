package convert

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file converts most messages without reading them: results that lack all members that differ, and
// params whose _meta a message before had, since clients without a session repeat it with each request.
// Without it, a call in process takes a third longer.

// escaped is the beginning of every escape sequence that can stand for a character of a member's name.
const escaped = `\u00`

// plain reports whether the values of a shape can only differ in the members that it names.
func (s *Shape) plain() bool {
	return s.Limits == nil && s.Known == nil && s.Each == Keep && s.Cases == nil && s.Checks == nil &&
		!slices.ContainsFunc(s.Members, func(m Member) bool { return m.Always })
}

// lackedBy reports whether text is certain to be an object without the members that the shape names.
func (s *Shape) lackedBy(text []byte) bool {
	if !s.plain() || !readable(text) {
		return false
	}
	return !slices.ContainsFunc(s.Members, func(m Member) bool { return bytes.Contains(text, []byte(m.Name)) })
}

// readable reports whether text is an object in which no name of a member is escaped.
func readable(text []byte) bool {
	return len(text) >= 2 && text[0] == '{' && !bytes.Contains(text, []byte(escaped))
}

// maxRepeated is the length of the longest _meta whose conversion is kept.
const maxRepeated = 4 << 10

// repeated is a _meta of the params of a method and its conversion. If the rest of the params has none
// of the names in others, nothing else differs.
type repeated struct {
	method            string
	others            []string
	front, back       string // how params begin or end with the _meta
	newFront, newBack string // how they do after the conversion
}

// convert returns converted params if they have the _meta. It cannot be part of a string or of a nested
// object, because of the bracket that opens front or closes back, and because of the comma before the
// quote in back, which cannot end a string.
func (k *repeated) convert(method string, params wire.Raw) (wire.Raw, bool) {
	if k == nil || k.method != method {
		return "", false
	}
	text, found := string(params), false
	front, back := "", ""
	if text, found = strings.CutSuffix(text, k.back); found {
		back = k.newBack
	} else if text, found = strings.CutPrefix(text, k.front); found {
		front = k.newFront
	}
	if !found || strings.Contains(text, escaped) || slices.ContainsFunc(k.others, func(name string) bool { return strings.Contains(text, name) }) {
		return "", false
	}
	return wire.Raw(front + text + back), true
}

// repeat keeps the conversion of the _meta of params unless it depends on more than the _meta, or
// belongs to one request, as a progress token does.
func (b *bridge) repeat(c *Conversion, method string, params, converted wire.Raw) {
	meta, _ := wire.Object(params).Get("_meta")
	if len(meta) > maxRepeated || meta.Kind() != wire.KindObject || c.told || len(c.losses) > 0 || has(meta, "progressToken") {
		return
	}
	others, ok := b.differing(method)
	if !ok {
		return
	}
	now, ok := wire.Object(converted).Get("_meta")
	if !ok {
		return
	}
	b.repeated.Store(&repeated{
		method: method, others: others,
		front: `{"_meta":` + string(meta), back: `,"_meta":` + string(meta) + "}",
		newFront: `{"_meta":` + string(now), newBack: `,"_meta":` + string(now) + "}",
	})
}

// differing returns the names of the members other than _meta in which the params of a method differ
// between the revision of the session and the native one. It returns false if they may differ in
// something else, such as a member that is absent.
func (b *bridge) differing(method string) (names []string, ok bool) {
	name := b.definition(method, paramsOf)
	for from := b.session; from != b.native; from = toward(from, b.native) {
		step, d, err := b.table.step(from, b.native, name)
		if err != nil {
			return nil, false
		}
		var c Conversion
		s := &Shape{}
		if rule := step.begin(&c, d, from < b.native); rule != Keep {
			s = &c.shapes[rule]
		}
		if !s.plain() {
			return nil, false
		}
		for i := range s.Members {
			switch m := &s.Members[i]; {
			case m.Name == "_meta":
			case m.Default != "" || m.Fact != "" || m.Require != "":
				return nil, false
			default:
				names = append(names, m.Name)
			}
		}
	}
	return names, true
}
