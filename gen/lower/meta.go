package lower

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/schema"
)

// injectMeta adds `_meta` to the params and results that lack it. The protocol allows it on
// all of them, but schemas omit it where they repeat the members of a base type.
func (l *lowerer) injectMeta() {
	open := func(pointer string) *schema.Schema {
		return &schema.Schema{Pointer: pointer, Types: []string{"object"}, Additional: &schema.Schema{}}
	}
	requestMeta := l.requestMeta()
	for _, def := range l.doc.Definitions {
		params := l.member(def.Schema, "params")
		if l.member(def.Schema, "method") == nil || l.methodConst(def.Schema) == "" && (params == nil || !l.isStruct(params)) {
			continue
		}
		meta := open
		if strings.HasSuffix(def.Name, "Request") && requestMeta != nil {
			meta = func(pointer string) *schema.Schema {
				copied := *requestMeta
				copied.Pointer = pointer
				return &copied
			}
		}
		if params == nil {
			params = &schema.Schema{Pointer: schema.Child(def.Schema.Pointer, "properties", "params"), Types: []string{"object"}}
			l.addProperty(def.Schema, "params", params)
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

func (l *lowerer) addMeta(s *schema.Schema, meta func(pointer string) *schema.Schema) {
	for s != nil && s.Ref != "" {
		s = l.doc.Lookup(s.Ref)
	}
	if s == nil {
		return
	}
	for _, branch := range s.AnyOf {
		l.addMeta(branch, meta)
	}
	if (s.AllOf != nil || s.IsObject() && s.Open()) && l.member(s, "_meta") == nil {
		l.addProperty(s, "_meta", meta(schema.Child(s.Pointer, "properties", "_meta")))
	}
}

func (l *lowerer) addProperty(s *schema.Schema, name string, property *schema.Schema) {
	if s.AllOf != nil {
		branch := &schema.Schema{Pointer: s.Pointer, Types: []string{"object"}}
		s.AllOf = append(s.AllOf, branch)
		s = branch
	}
	l.injected[property] = true
	l.doc.Inject(property)
	i, _ := slices.BinarySearchFunc(s.Properties, name, func(p schema.Property, name string) int {
		return strings.Compare(p.Name, name)
	})
	s.Properties = slices.Insert(s.Properties, i, schema.Property{Name: name, Schema: property})
}

// methodConst returns the method of a message, or "" if the schema does not fix it.
func (l *lowerer) methodConst(s *schema.Schema) string {
	if method := l.member(s, "method"); method != nil {
		name, _ := method.Const.(string)
		return name
	}
	return ""
}

// member returns the schema of an object's member, or nil. In an allOf the last branch with the
// member takes precedence, because a definition puts its own members after those of its base.
func (l *lowerer) member(s *schema.Schema, name string) *schema.Schema {
	for _, branch := range slices.Backward(s.AllOf) {
		for branch.Ref != "" {
			branch = l.doc.Lookup(branch.Ref)
		}
		if found := l.member(branch, name); found != nil {
			return found
		}
	}
	return s.Property(name)
}
