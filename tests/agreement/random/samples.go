package random

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The ir does not say everything about some values. Those are samples of their schemas.

// sampleBudget is the number of values that the search for a sample tries.
const sampleBudget = 300

// sampler finds and keeps samples.
type sampler struct {
	rev   *ir.Revision
	root  *jsonschema.Schema
	valid *samples.Validator
	decls map[*ir.Decl][]any
	texts map[ir.String][]string
}

func newSampler(rev *ir.Revision) *sampler {
	return &sampler{rev: rev, decls: map[*ir.Decl][]any{}, texts: map[ir.String][]string{}}
}

// decl returns values that satisfy the rules of a declaration.
func (s *sampler) decl(d *ir.Decl) []any {
	if all, ok := s.decls[d]; ok {
		return all
	}
	if s.root == nil {
		s.root, _ = jsonschema.Read("", wire.Raw(s.rev.Schema))
		s.valid = samples.NewValidator(s.root)
	}
	var rules []*jsonschema.Schema
	for _, pointer := range d.Rules {
		rules = append(rules, s.root.At(pointer))
	}
	s.decls[d] = s.valid.Samples(rules, sampleBudget)
	return s.decls[d]
}

// text returns strings of a type.
func (s *sampler) text(t ir.String) []string {
	if all, ok := s.texts[t]; ok {
		return all
	}
	keywords := map[string]any{"type": "string", "minLength": t.Length.Min}
	if t.Format != "" {
		keywords["format"] = t.Format
	}
	if t.Pattern != "" {
		keywords["pattern"] = t.Pattern
	}
	if t.Length.Max > 0 {
		keywords["maxLength"] = t.Length.Max
	}
	raw, _ := json.Marshal(keywords)
	schema, _ := jsonschema.Read("", wire.Raw(raw))
	for _, sample := range samples.Of(schema) {
		text, _ := sample.Str()
		s.texts[t] = append(s.texts[t], text)
	}
	return s.texts[t]
}

// typed returns a sample as the value of a type.
func typed(sample any, t ir.Type) *Value {
	v := &Value{Type: t}
	switch sample := sample.(type) {
	case nil:
		v.Kind, v.Text, v.Type = ir.KindNull, "null", nil
	case bool:
		v.Kind, v.Text = ir.KindBoolean, map[bool]string{true: "true", false: "false"}[sample]
	case json.Number:
		v.Kind, v.Text = ir.KindNumber, string(sample)
	case string:
		v.Kind, v.Text = ir.KindString, sample
	case []any:
		v.Kind = ir.KindArray
		for _, element := range sample {
			v.Elements = append(v.Elements, typed(element, within(t, "")))
		}
	case map[string]any:
		v.Kind = ir.KindObject
		for _, name := range slices.Sorted(maps.Keys(sample)) {
			v.Members = append(v.Members, Member{name, typed(sample[name], within(t, name))})
		}
	}
	if v.Type != nil && !slices.Contains(kinds(t), v.Kind) {
		v.Type = nil
	}
	return v
}

// within returns the type of a member or of the elements, or nil if it is not known.
func within(t ir.Type, member string) ir.Type {
	if t == nil {
		return nil
	}
	switch t := ir.Resolve(t).(type) {
	case *ir.Array:
		return t.Elem
	case *ir.Map:
		return t.Elem
	case *ir.Object:
		if f := field(t, member); f != nil && f.Const == nil {
			return f.Base()
		}
	}
	return nil
}

// kinds returns the kinds of the values of a type that has one.
func kinds(t ir.Type) []ir.Kind {
	switch ir.Resolve(t).(type) {
	case *ir.Object, *ir.Map, *ir.Open:
		return []ir.Kind{ir.KindObject}
	case *ir.Array:
		return []ir.Kind{ir.KindArray}
	case *ir.String, *ir.Enum:
		return []ir.Kind{ir.KindString}
	case *ir.Integer, *ir.Number:
		return []ir.Kind{ir.KindNumber}
	}
	return nil
}
