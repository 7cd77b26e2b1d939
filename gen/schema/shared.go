package schema

import "slices"

// Sharing says which schemas in the document of an extension are equal to definitions of the
// revision that it extends. Schemas are compared by structure, so the names need not be the same.
type Sharing struct {
	// Definitions has the definition of the revision by the name of that of the extension.
	Definitions map[string]string

	places map[string]shared
}

// shared is a schema that is not a definition, as the file has it, and the definition of the
// revision that it equals.
type shared struct {
	schema     *Schema
	definition string
}

// At returns the definition of the revision that an anonymous schema equals, or "". The schema may
// have been changed since the comparison.
func (s *Sharing) At(at *Schema) string {
	if s == nil {
		return ""
	}
	found, ok := s.places[at.Pointer]
	if !ok || !Equal(found.schema, at) {
		return ""
	}
	return found.definition
}

// Share compares the document of an extension with that of the revision that it extends. Neither may
// be changed afterwards. A definition that is a variant of a union which the revision does not have is
// not shared: a variant must be declared beside its union.
func Share(extension, core *Document) *Sharing {
	c := &comparison{a: extension, b: core, same: map[[2]string]bool{}}
	c.run()
	out := &Sharing{map[string]string{}, map[string]shared{}}
	for _, def := range extension.Definitions {
		if name := c.match(def.Schema, def.Name, func(other string) bool { return c.same[[2]string{def.Name, other}] }); name != "" {
			out.Definitions[def.Name] = name
		}
	}
	for _, def := range extension.Definitions {
		walk(def.Schema, func(s *Schema) {
			if s == def.Schema || s.Ref != "" {
				return
			}
			if name := c.match(s, "", func(other string) bool { return c.equal(s, core.Lookup(other), 0) }); name != "" {
				out.places[s.Pointer] = shared{s, name}
			}
		})
	}
	out.keepVariants(extension)
	return out
}

// match returns the definition of the revision that equals a schema: the one with the name, else the
// first one. Schemas without members, values or variants match only by name, because their structure
// says too little.
func (c *comparison) match(s *Schema, name string, equal func(other string) bool) string {
	if name != "" && c.b.Lookup(name) != nil && equal(name) {
		return name
	}
	if len(s.Properties) == 0 && s.AnyOf == nil && s.AllOf == nil && s.Enum == nil {
		return ""
	}
	for _, def := range c.b.Definitions {
		if equal(def.Name) {
			return def.Name
		}
	}
	return ""
}

// keepVariants removes the variants of unions that are not shared.
func (s *Sharing) keepVariants(doc *Document) {
	var variants func(branch *Schema) bool
	variants = func(branch *Schema) (changed bool) {
		delete(s.places, branch.Pointer)
		for branch != nil && branch.Ref != "" {
			if _, ok := s.Definitions[branch.Ref]; ok {
				delete(s.Definitions, branch.Ref)
				changed = true
			}
			branch = doc.Lookup(branch.Ref)
		}
		if branch != nil {
			for _, nested := range branch.AnyOf {
				changed = variants(nested) || changed
			}
		}
		return changed
	}
	for changed := true; changed; {
		changed = false
		for _, def := range doc.Definitions {
			if _, ok := s.Definitions[def.Name]; ok {
				continue
			}
			s.walkOwn(def.Schema, func(union *Schema) {
				for _, branch := range union.AnyOf {
					changed = variants(branch) || changed
				}
			})
		}
	}
}

// walkOwn calls f for the unions in a schema that are not shared.
func (s *Sharing) walkOwn(in *Schema, f func(union *Schema)) {
	if in == nil {
		return
	}
	if _, ok := s.places[in.Pointer]; ok {
		return
	}
	optional := len(in.AnyOf) == 2 && slices.ContainsFunc(in.AnyOf, func(b *Schema) bool { return slices.Equal(b.Types, []string{"null"}) })
	if in.AnyOf != nil && !optional {
		f(in)
	}
	for _, p := range in.Properties {
		s.walkOwn(p.Schema, f)
	}
	s.walkOwn(in.Additional, f)
	s.walkOwn(in.Items, f)
	for _, branch := range slices.Concat(in.AnyOf, in.AllOf) {
		s.walkOwn(branch, f)
	}
}

// comparison finds the pairs of definitions of two documents that say the same.
type comparison struct {
	a, b *Document
	same map[[2]string]bool
}

// run assumes that all pairs are the same, and removes pairs until no assumption is wrong. So
// definitions that refer to themselves and each other are compared as well.
func (c *comparison) run() {
	for _, a := range c.a.Definitions {
		for _, b := range c.b.Definitions {
			c.same[[2]string{a.Name, b.Name}] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for _, a := range c.a.Definitions {
			for _, b := range c.b.Definitions {
				pair := [2]string{a.Name, b.Name}
				if c.same[pair] && !c.equal(a.Schema, b.Schema, 0) {
					delete(c.same, pair)
					changed = true
				}
			}
		}
	}
}

// equal is like [Equal], but a reference equals the definition that it leads to.
func (c *comparison) equal(a, b *Schema, depth int) bool {
	if a == nil || b == nil || depth > maxDepth {
		return a == b
	}
	switch {
	case a.Ref != "" && b.Ref != "" && a.Source == "" && b.Source == "":
		return c.same[[2]string{a.Ref, b.Ref}]
	case a.Ref != "" && b.Ref == "" && a.Source == "":
		return c.equal(c.a.Lookup(a.Ref), b, depth+1)
	case b.Ref != "" && a.Ref == "" && b.Source == "":
		return c.equal(a, c.b.Lookup(b.Ref), depth+1)
	}
	return equal(a, b, func(x, y *Schema) bool { return c.equal(x, y, depth+1) })
}
