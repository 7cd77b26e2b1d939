package lower

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/names"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
)

// place is the position of a schema: its path, and the name for its type, which consists of
// the name of the enclosing type and the words that lead from there.
type place struct {
	path string
	name string
}

func (p place) member(wire, goName string) place {
	return place{p.path + "." + wire, p.name + goName}
}

func (p place) element() place { return place{p.path + "[]", p.name + "Item"} }
func (p place) value() place   { return place{p.path + "{}", p.name + "Value"} }

// declareDefinitions creates a declaration for every definition before any is lowered, so that
// references find them in any order.
func (l *lowerer) declareDefinitions() {
	for _, def := range l.doc.Definitions {
		name := def.Name
		if l.declareShared(def) {
			continue
		}
		if given, _ := l.overlay.name(def.Name); given != "" {
			name = given
		} else if !names.IsExported(name) {
			name = l.names.Exported(strings.ReplaceAll(name, "/", "_"))
		}
		if other, ok := l.decls[name]; ok && l.lenient {
			name = l.free(name)
		} else if ok {
			l.fail(def.Schema, "definition %q has the Go name %s, which %q has too (%s); %s", def.Name, name, other.Path, other.Pointer, l.nameRow(def.Name))
			continue
		}
		decl := &ir.Decl{Name: name, Path: def.Name, Pointer: def.Schema.Pointer, Definition: true}
		l.decls[name] = decl
		l.defined[def.Name] = decl
		l.origin[decl] = def.Schema
	}
}

func (l *lowerer) lowerDefinitions() {
	for _, def := range l.doc.Definitions {
		decl := l.defined[def.Name]
		if decl == nil || decl.Type != nil {
			continue
		}
		l.lowerDecl(decl, def.Schema, place{def.Name, decl.Name})
	}
}

// lowerDecl sets the type of a declaration.
func (l *lowerer) lowerDecl(decl *ir.Decl, s *schema.Schema, at place) {
	switch {
	case s.Ref != "" && s.Source != "":
		// The values have the type of the definition, and their own rules.
		l.lowerDecl(decl, l.doc.Lookup(s.Ref), at)
	case s.AnyOf != nil:
		decl.Type = &ir.Union{} // variants may refer back
		l.union(decl, s, at)
	case s.Enum != nil:
		enum := &ir.Enum{}
		for _, v := range s.Enum {
			enum.Values = append(enum.Values, ir.EnumValue{Wire: v})
		}
		decl.Type = enum
	case len(s.Types) > 1:
		decl.Type = l.scalar(s)
	case s.IsObject() && l.isStruct(s):
		object := &ir.Object{}
		decl.Type = object
		*object = *l.object(s, at)
	default:
		decl.Type = l.lowerType(s, at)
	}
}

// isStruct reports whether an object has declared members, unlike maps and open objects.
func (l *lowerer) isStruct(s *schema.Schema) bool {
	return len(s.Properties) > 0 || len(s.Required) > 0 || s.Closed
}

// lowerType lowers a schema that is not a definition.
func (l *lowerer) lowerType(s *schema.Schema, at place) ir.Type {
	if base, ok := nullable(s); ok {
		return l.nullable(l.lowerType(base, at))
	}
	switch {
	case s.Ref != "":
		return &ir.Ref{Decl: l.defined[s.Ref]}
	case s.AnyOf != nil:
		if decl := l.sameDefinition(s); decl != nil {
			return &ir.Ref{Decl: decl}
		}
		return l.anonymous(s, at)
	case s.Enum != nil:
		return l.anonymous(s, at)
	case s.Types == nil:
		return &ir.Any{}
	case len(s.Types) > 1:
		return l.scalar(s)
	}
	switch s.Types[0] {
	case "string":
		return &ir.String{Format: s.Format, Pattern: s.Pattern, Length: ir.Count{Min: s.MinLength, Max: s.MaxLength}}
	case "integer":
		return &ir.Integer{Bounds: bounds(s)}
	case "number":
		return &ir.Number{Bounds: bounds(s)}
	case "boolean":
		return &ir.Boolean{}
	case "null":
		return &ir.Scalar{Kinds: wire.KindNull}
	case "array":
		array := &ir.Array{Elem: &ir.Any{}, Length: ir.Count{Min: s.MinItems, Max: s.MaxItems}}
		if s.Items != nil {
			array.Elem = l.lowerType(s.Items, at.element())
		}
		return array
	}
	switch {
	case l.isStruct(s):
		return l.anonymous(s, at)
	case !s.Open():
		return &ir.Map{Elem: l.lowerType(s.Additional, at.value())}
	}
	return &ir.Open{Others: s.Additional != nil}
}

// scalar returns the type of a declaration or value of several kinds. It has no constraints.
func (l *lowerer) scalar(s *schema.Schema) *ir.Scalar {
	bare := schema.Schema{Types: s.Types, Source: s.Source}
	if !schema.Equal(s, &bare) {
		l.doc.Keep(s)
	}
	kinds := scalarKinds(s.Types)
	return &ir.Scalar{Kinds: kinds, ID: kinds == wire.KindString|wire.KindInteger}
}

func bounds(s *schema.Schema) ir.Bounds {
	return ir.Bounds{Min: s.Minimum, Max: s.Maximum, MinOpen: s.MinOpen, MaxOpen: s.MaxOpen}
}

// sameDefinition returns the definition that has the same branches as an inline union, or nil.
func (l *lowerer) sameDefinition(s *schema.Schema) *ir.Decl {
	for _, def := range l.doc.Definitions {
		if s.Source != "" || def.Schema.Source != "" {
			continue // there is more to compare than the branches
		}
		if def.Schema != s && def.Schema.AnyOf != nil && sameBranches(s.AnyOf, def.Schema.AnyOf) {
			return l.defined[def.Name]
		}
	}
	return nil
}

// sameBranches compares the branches of two anyOf, in any order.
func sameBranches(a, b []*schema.Schema) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y *schema.Schema) bool { return schema.Equal(x, y) }) {
			return false
		}
	}
	return true
}

// anonymous declares the type of an inline schema. Its name is that of an overlay row, else
// that of its place. Equal schemas may share a name, and then share the declaration.
func (l *lowerer) anonymous(s *schema.Schema, at place) ir.Type {
	if decl := l.ext.at(s); decl != nil {
		return &ir.Ref{Decl: decl}
	}
	name, star := l.overlay.name(at.path)
	if name == "" {
		name = at.name
	}
	if other, ok := l.decls[name]; ok {
		if same(l.origin[other], s) {
			return &ir.Ref{Decl: other}
		}
		switch {
		case star:
			name = at.name
		case !l.lenient:
			l.fail(s, "the type at %s has the Go name %s, which the different type at %s has too (%s); %s", at.path, name, other.Path, other.Pointer, l.nameRow(at.path))
			return &ir.Ref{Decl: other}
		}
		if l.lenient {
			name = l.free(at.path)
		}
	}
	decl := &ir.Decl{Name: name, Path: at.path, Pointer: s.Pointer}
	l.decls[name] = decl
	l.origin[decl] = s
	l.lowerDecl(decl, s, place{at.path, name})
	return &ir.Ref{Decl: decl}
}

func same(a, b *schema.Schema) bool {
	if a.AnyOf != nil && b.AnyOf != nil && a.Source == "" && b.Source == "" {
		return sameBranches(a.AnyOf, b.AnyOf)
	}
	return schema.Equal(a, b)
}

func (l *lowerer) object(s *schema.Schema, at place) *ir.Object {
	object := &ir.Object{Closed: s.Closed, Loose: s.Loose, Others: s.Additional != nil && s.Open()}
	if !s.Closed && !s.Open() {
		object.Additional = l.lowerType(s.Additional, at.value())
	}
	members := slices.Clone(s.Properties)
	for _, name := range s.Required {
		if s.Property(name) == nil {
			members = append(members, schema.Property{Name: name, Schema: &schema.Schema{Pointer: schema.Child(s.Pointer, "required")}})
		}
	}
	names := l.fieldNames(members, object)
	for i, p := range members {
		object.Fields = append(object.Fields, l.field(s, p, names[i], at))
	}
	object.SortFields()
	return object
}

func (l *lowerer) field(parent *schema.Schema, p schema.Property, name string, at place) *ir.Field {
	s := p.Schema
	f := &ir.Field{
		Wire:     p.Name,
		Go:       name,
		Pointer:  s.Pointer,
		Doc:      s.Description,
		Required: slices.Contains(parent.Required, p.Name),
		Const:    s.Const,
		Injected: l.injected[s],
		Default:  l.implied[s],
	}
	if s.Default != "" {
		f.Doc = strings.TrimSpace(f.Doc + "\n\nDefault: " + s.Default + ".")
	}
	if s.Deprecated {
		f.Deprecated = deprecated
	}
	f.Type = l.lowerType(s, at.member(p.Name, f.Go))
	return f
}

// deprecated is the note of what a schema marks as deprecated.
const deprecated = "the schema says so."

// nullable returns the schema without null if it allows one other type and null.
func nullable(s *schema.Schema) (*schema.Schema, bool) {
	null := []string{"null"}
	if len(s.Types) == 2 && slices.Contains(s.Types, "null") {
		base := *s
		base.Types = slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })
		return &base, true
	}
	if len(s.AnyOf) != 2 {
		return nil, false
	}
	i := slices.IndexFunc(s.AnyOf, func(b *schema.Schema) bool { return slices.Equal(b.Types, null) })
	if i < 0 || slices.Equal(s.AnyOf[1-i].Types, null) {
		return nil, false
	}
	return s.AnyOf[1-i], true
}

// nullable returns the type of values that have a type or are null.
func (l *lowerer) nullable(t ir.Type) ir.Type {
	switch ir.Resolve(t).(type) {
	case *ir.Any, *ir.Scalar, *ir.Nullable:
		return t
	}
	return &ir.Nullable{Elem: t}
}

// fieldNames returns the Go names of the members of an object, which differ from each other and
// from the other fields and methods of its struct.
func (l *lowerer) fieldNames(members []schema.Property, object *ir.Object) []string {
	wires := make([]string, len(members))
	for i, p := range members {
		wires[i] = p.Name
	}
	reserved := func(name string) bool {
		return slices.Contains(structNames, name) || object.Additional != nil && name == "Additional" || object.Loose && name == "Other"
	}
	found, clash := l.names.DistinctShort(wires, reserved, "Member")
	if clash != nil {
		a, b := members[clash[0]], members[clash[1]]
		l.failName(b.Schema.Pointer, "member %q has the Go name %s, which member %q has too", b.Name, found[clash[1]], a.Name)
	}
	return found
}

// structNames lists the fields and methods that generated structs may have.
var structNames = []string{"Extra", "AppendJSON", "DecodeJSON", "MarshalJSON", "UnmarshalJSON", "String", "Validate", "WithCacheHint"}

// orderEnums sorts the values of enums as the overlay says.
func (l *lowerer) orderEnums() {
	for _, r := range rowsOf[spec.EnumRow](l.overlay) {
		decl := l.decls[r.it.Enum]
		if decl == nil || first(l.overlay, func(it spec.EnumRow) bool { return it.Enum == r.it.Enum }).mark != r.mark {
			continue
		}
		enum, ok := decl.Type.(*ir.Enum)
		if !ok {
			continue
		}
		sorted := func(values []string) []string { return slices.Sorted(slices.Values(values)) }
		if have := l.origin[decl].Enum; !slices.Equal(sorted(have), sorted(r.it.Order)) {
			order := slices.DeleteFunc(slices.Clone(r.it.Order), func(v string) bool { return !slices.Contains(have, v) })
			order = append(order, slices.DeleteFunc(slices.Clone(have), func(v string) bool { return slices.Contains(order, v) })...)
			l.failAt(decl.Pointer, "%s: the row orders other values of %s than the schema has; end it, and add one to enums of overlay.yaml: {enum: %s, order: [%s], since: %q}",
				r.where, decl.Name, decl.Name, strings.Join(order, ", "), l.doc.Revision)
			r.use()
			continue
		}
		r.use()
		slices.SortFunc(enum.Values, func(a, b ir.EnumValue) int {
			return slices.Index(r.it.Order, a.Wire) - slices.Index(r.it.Order, b.Wire)
		})
	}
}

// scalarKinds returns the kinds of scalars of some types.
func scalarKinds(types []string) (kinds wire.Kind) {
	for _, s := range ir.Scalars {
		if slices.Contains(types, s.Type) {
			kinds |= s.Kind
		}
	}
	return kinds
}
