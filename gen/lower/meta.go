package lower

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/schema"
)

// injectMeta adds `_meta` to the params and results that lack it. The protocol allows it on
// all of them, but schemas omit it where they repeat the members of a base type.
func (l *lowerer) injectMeta() {
	open := &schema.Schema{Types: []string{"object"}, Additional: &schema.Schema{}}
	requestMeta := l.requestMeta()
	for _, def := range l.doc.Definitions {
		params := def.Schema.Property("params")
		if def.Schema.Property("method") == nil || l.methodConst(def.Schema) == "" && (params == nil || !l.isStruct(params)) {
			continue
		}
		meta := open
		if strings.HasSuffix(def.Name, "Request") && requestMeta != nil {
			meta = requestMeta
		}
		if params == nil {
			params = l.addProperty(def.Schema, "params", &schema.Schema{Types: []string{"object"}})
		}
		l.addMeta(params, meta)
		if result := l.doc.Lookup(strings.TrimSuffix(def.Name, "Request") + "Result"); result != nil {
			l.addMeta(result, open)
		}
	}
}

// requestMeta returns the schema that the revision has for the `_meta` of requests. It returns
// nil if there is none, or if it has required members, which params that omit `_meta` do not
// have.
func (l *lowerer) requestMeta() *schema.Schema {
	for _, path := range [][]string{{"RequestParams"}, {"JSONRPCRequest", "params"}, {"Request", "params"}} {
		s := l.doc.Lookup(path[0])
		for _, name := range path[1:] {
			if s != nil {
				s = s.Property(name)
			}
		}
		if s != nil {
			meta := s.Property("_meta")
			for named := meta; named != nil; named = l.doc.Lookup(named.Ref) {
				if len(named.Required) > 0 {
					return nil
				}
				if named.Ref == "" {
					return meta
				}
			}
		}
	}
	return nil
}

func (l *lowerer) addMeta(s *schema.Schema, meta *schema.Schema) {
	for s != nil && s.Ref != "" {
		s = l.doc.Lookup(s.Ref)
	}
	if s == nil {
		return
	}
	for _, branch := range s.AnyOf {
		l.addMeta(branch, meta)
	}
	if s.IsObject() && s.Open() && s.Property("_meta") == nil {
		l.addProperty(s, "_meta", meta)
	}
}

// addProperty adds a member with a copy of a schema, and returns the copy.
func (l *lowerer) addProperty(s *schema.Schema, name string, like *schema.Schema) *schema.Schema {
	property := *like
	property.Pointer = schema.Child(s.Pointer, "properties", name)
	l.injected[&property] = true
	l.doc.Inject(&property, like.Pointer)
	i, _ := slices.BinarySearchFunc(s.Properties, name, func(p schema.Property, name string) int {
		return strings.Compare(p.Name, name)
	})
	s.Properties = slices.Insert(s.Properties, i, schema.Property{Name: name, Schema: &property})
	return &property
}

// methodConst returns the method of a message, or "" if the schema does not fix it.
func (l *lowerer) methodConst(s *schema.Schema) string {
	if method := s.Property("method"); method != nil {
		name, _ := method.Const.(string)
		return name
	}
	return ""
}
