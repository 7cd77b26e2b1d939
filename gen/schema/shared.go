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
	c := &comparison{a: extension, b: core}
	out := &Sharing{map[string]string{}, map[string]shared{}}
	for _, def := range extension.Definitions {
		if name := c.match(def.Schema, def.Name); name != "" {
			out.Definitions[def.Name] = name
		}
		walk(def.Schema, func(s *Schema) bool {
			if s != def.Schema && s.Ref == "" {
				if name := c.match(s, ""); name != "" {
					out.places[s.Pointer] = shared{s, name}
				}
			}
			return true
		})
	}
	out.keepVariants(extension)
	return out
}

// match returns the definition of the revision that equals a schema: the one with the name, else the
// first one. Schemas without members, values or variants match only by name, because their structure
// says too little.
func (c *comparison) match(s *Schema, name string) string {
	if other := c.b.Lookup(name); other != nil && c.equal(s, other) {
		return name
	}
	if len(s.Properties) == 0 && s.AnyOf == nil && s.AllOf == nil && s.Enum == nil {
		return ""
	}
	for _, def := range c.b.Definitions {
		if c.equal(s, def.Schema) {
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
			walk(def.Schema, func(in *Schema) bool {
				if _, ok := s.places[in.Pointer]; ok {
					return false
				}
				for _, branch := range in.AnyOf {
					changed = !isOptional(in) && variants(branch) || changed
				}
				return true
			})
		}
	}
}

// isOptional reports whether a choice is one between values and null, which is no union.
func isOptional(s *Schema) bool {
	return len(s.AnyOf) == 2 && slices.ContainsFunc(s.AnyOf, func(b *Schema) bool { return slices.Equal(b.Types, []string{"null"}) })
}

// comparison finds the definitions of two documents that say the same.
type comparison struct {
	a, b *Document
	// assumed has the pairs that are being compared.
	assumed map[[2]*Schema]bool
}

// equal is like [Equal], but a reference equals the definition that it leads to. Schemas that refer to themselves
// and each other are equal if nothing distinguishes them, so a pair within itself is assumed to be.
func (c *comparison) equal(a, b *Schema) bool {
	c.assumed = map[[2]*Schema]bool{}
	return c.same(a, b)
}

func (c *comparison) same(a, b *Schema) bool {
	a, b = c.a.behind(a), c.b.behind(b)
	pair := [2]*Schema{a, b}
	if a == nil || b == nil || c.assumed[pair] {
		return a == b || c.assumed[pair]
	}
	c.assumed[pair] = true
	return equal(a, b, c.same)
}

// behind returns the definition that the references of a schema lead to, or the schema itself.
func (d *Document) behind(s *Schema) *Schema {
	for seen := 0; s != nil && s.Ref != "" && s.Source == "" && seen < len(d.Definitions); seen++ {
		s = d.Lookup(s.Ref)
	}
	return s
}
