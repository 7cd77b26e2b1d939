package diff

import (
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// sources make shapes from those schemas of a revision that the ir does not fully describe.
// References lead back to the ir if it describes their target.
type sources struct {
	root    *jsonschema.Schema
	schemas *schemaBuilder
	// own has the pointers of those schemas, decls the declarations by pointer.
	own   map[string]bool
	decls map[string]*ir.Decl
	// busy has the declarations whose shapes are being made from their schemas.
	busy map[*ir.Decl]bool
}

func newSources(side Revision, b *builder) *sources {
	if side.Schema == nil || len(side.Sources) == 0 {
		return nil
	}
	s := &sources{root: side.Schema, schemas: newSchemaBuilder(side.Schema, newProver()), own: map[string]bool{}, decls: map[string]*ir.Decl{}, busy: map[*ir.Decl]bool{}}
	for _, pointer := range side.Sources {
		s.own[pointer] = true
	}
	for _, d := range side.IR.Decls {
		if have := s.decls[d.Pointer]; have == nil || d.Definition && !have.Definition {
			s.decls[d.Pointer] = d
		}
	}
	s.schemas.known = func(schema *jsonschema.Schema) (*Shape, bool) {
		d := s.decls[schema.Pointer]
		if d == nil || s.own[d.Pointer] && !d.Definition {
			return nil, false
		}
		shape := b.decl(d)
		return shape, !s.busy[d]
	}
	s.schemas.name = func(schema *jsonschema.Schema) string {
		if d := s.decls[alias(schema).Pointer]; d != nil {
			return d.Name
		}
		return ""
	}
	return s
}

// fromSource fills the shape of a declaration from its schema. It returns false if the ir
// describes the declaration.
func (b *builder) fromSource(d *ir.Decl, into *Shape) bool {
	if b.sources == nil || !b.sources.own[d.Pointer] || b.sources.decls[d.Pointer] != d {
		return false
	}
	schema := b.sources.root.At(d.Pointer)
	if schema == nil {
		return false
	}
	b.sources.busy[d] = true // until its alternatives have been made
	into.set = b.sources.schemas.set([]*jsonschema.Schema{schema})
	into.About = about{Default: canonical(schema.Default)}
	fill := into.set.fill
	if fill == nil {
		delete(b.sources.busy, d)
		return true
	}
	own := *into.set
	own.fill = func() []*Alt {
		list := fill()
		if len(list) == 1 && list[0].Name == "" && (list[0].Kind == kindObject || list[0].Kind == kindArray) {
			named := *list[0]
			named.Name = d.Name
			list = []*Alt{&named}
		}
		delete(b.sources.busy, d)
		return list
	}
	into.set = &own
	return true
}

// sourceAt returns the shape of a place that is not a declaration and whose schema the ir does
// not fully describe, or nil.
func (b *builder) sourceAt(where Place) *Shape {
	if b.sources == nil || !b.sources.own[where.Pointer] {
		return nil
	}
	schema := b.sources.root.At(where.Pointer)
	if schema == nil {
		return nil
	}
	if d := b.sources.decls[where.Pointer]; d != nil {
		return b.decl(d)
	}
	made := *b.sources.schemas.shape(schema)
	made.Where = where
	return &made
}

// alias returns the schema that a reference without other keywords leads to, or the schema
// itself.
func alias(s *jsonschema.Schema) *jsonschema.Schema {
	for range 100 { // references may form a cycle
		if s.Target == nil || !s.Draft.RefAlone() && wire.Object(s.Source).Len() > 1 {
			break
		}
		s = s.Target
	}
	return s
}
