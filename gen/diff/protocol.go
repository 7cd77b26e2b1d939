package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// messages has the shapes of one revision's messages. They come from its schema.json, and the ir
// says which messages there are and what their parts are called.
type messages struct {
	*schemaBuilder
	rev     *ir.Revision
	methods map[string]*ir.Method
	root    *jsonschema.Schema
	// tree is the schema that root was read from. pointers has the places of declarations by [Key],
	// declared the names of declarations by place.
	tree     map[string]any
	pointers map[string]string
	declared map[string]*ir.Decl
	// implied has the places of the members that the schema requires, but receivers do not.
	implied map[string]bool
	// written makes shapes as asWritten says. It is nil until then.
	written *messages
}

func newMessages(side Revision, e *engine) (*messages, error) {
	m := &messages{rev: side.IR, methods: map[string]*ir.Method{}, declared: map[string]*ir.Decl{}, implied: map[string]bool{}}
	var err error
	if m.tree, m.pointers, err = Definitions(side.Document, side.IR); err != nil {
		return nil, err
	}
	for _, d := range side.IR.Decls {
		m.declare(m.pointers[d.Key()], d)
	}
	for _, d := range side.IR.Decls {
		m.inner(m.pointers[d.Key()], d.Type)
	}
	for _, method := range side.IR.Methods {
		m.methods[method.Wire] = method
	}
	m.read(e)
	return m.changed((*messages).unreserve), nil
}

// read makes the builder of the tree's shapes.
func (s *messages) read(e *engine) {
	s.root, _ = jsonschema.Read("", wire.Raw(render(s.tree))) // generation has reported the problems
	s.schemaBuilder = newSchemaBuilder(e)
	s.names = s
}

// changed returns the messages of a schema that edit has changed.
func (s *messages) changed(edit func(s *messages)) *messages {
	other := *s
	other.tree = parse(string(s.root.Source)).(map[string]any)
	edit(&other)
	other.read(s.engine)
	return &other
}

// asWritten returns the messages with the members that the schema declares, and no others. Requests have no
// other members than params.
func (s *messages) asWritten() *messages {
	if s.written == nil {
		s.written = s.changed((*messages).bare)
	}
	return s.written
}

func (s *messages) bare() {
	for _, d := range s.rev.Decls {
		o, ok := d.Type.(*ir.Object)
		for i := 0; ok && i < len(o.Fields); i++ {
			if properties, name := parent(o.Fields[i].Pointer); o.Fields[i].Injected {
				delete(s.node(properties), name)
			}
		}
	}
	for _, m := range s.methods {
		decl := s.rev.Definition(m.Definition)
		request := map[string]any{"type": "object"}
		node := s.node(decl.Pointer)
		properties, _ := node["properties"].(map[string]any)
		if params, ok := properties["params"]; ok {
			request["properties"] = map[string]any{"params": params}
		}
		if required, ok := node["required"].([]any); ok && slices.Contains(required, any("params")) {
			request["required"] = []any{"params"}
		}
		definitions, name := parent(decl.Pointer)
		s.node(definitions)[name] = request
	}
}

func (s *messages) declare(pointer string, d *ir.Decl) {
	if have := s.declared[pointer]; have == nil || d.Definition && !have.Definition {
		s.declared[pointer] = d
	}
}

// part records the declarations of the schemas at and below a pointer. Schemas at several places can
// have the same one.
func (s *messages) part(pointer string, t ir.Type) {
	if node := s.node(pointer); node == nil || node["$ref"] != nil {
		return
	}
	if ref, ok := t.(*ir.Ref); ok && s.declared[pointer] == nil {
		s.declare(pointer, ref.Decl)
		t = ref.Decl.Type
	}
	s.inner(pointer, t)
}

func (s *messages) inner(pointer string, t ir.Type) {
	switch t := t.(type) {
	case *ir.Union:
		for i, v := range t.Variants {
			s.part(schema.Child(pointer, "anyOf", strconv.Itoa(i)), &ir.Ref{Decl: v.Decl})
		}
	case *ir.Object:
		for _, f := range t.Fields {
			at := schema.Child(pointer, "properties", f.Wire)
			if !f.Nullable() {
				s.part(at, f.Type)
			}
			s.implied[at] = Implied(f)
			if member := s.node(f.Pointer); member != nil && f.Const != nil && member["const"] == nil {
				s.fix(pointer, f)
			}
		}
	case *ir.Array:
		s.part(pointer+"/items", t.Elem)
	case *ir.Map:
		s.part(pointer+"/additionalProperties", t.Elem)
	}
}

// fix adds the constant of a member that only the ir knows to the object at a pointer, which may have the member from a
// branch of its allOf.
func (s *messages) fix(pointer string, f *ir.Field) {
	object := s.node(pointer)
	if object == nil {
		return
	}
	properties, ok := object["properties"].(map[string]any)
	if !ok {
		properties = map[string]any{}
		object["properties"] = properties
	}
	member, ok := properties[f.Wire].(map[string]any)
	if !ok {
		member = map[string]any{}
		properties[f.Wire] = member
	}
	member["const"] = f.Const
}

// node returns the object at a pointer of the tree, or nil.
func (s *messages) node(pointer string) map[string]any {
	var value any = s.tree
	for segment := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch parent := value.(type) {
		case map[string]any:
			value = parent[wire.PointerName(segment)]
		case []any:
			i, err := strconv.Atoi(segment)
			if err != nil || i < 0 || i >= len(parent) {
				return nil
			}
			value = parent[i]
		default:
			return nil
		}
	}
	object, _ := value.(map[string]any)
	return object
}

// Definitions returns the schema that a revision was lowered from, as a decoded JSON value, and the
// JSON Pointers of the declarations in it by [Key]. The schema has the unions in addition that
// only the revision declares, and requires no members that receivers imply.
func Definitions(document *schema.Document, rev *ir.Revision) (schemas map[string]any, pointers map[string]string, err error) {
	src, err := document.JSON()
	if err != nil {
		return nil, nil, err
	}
	root := parse(string(src)).(map[string]any)
	defs := root[document.Container].(map[string]any)
	pointers = map[string]string{}
	for _, d := range rev.Decls {
		pointers[d.Key()] = d.Pointer
		if o, ok := d.Type.(*ir.Object); ok && d.Definition {
			imply(defs[d.Name], o)
		}
		union, ok := d.Type.(*ir.Union)
		if d.Definition || !ok || document.Lookup(d.Name) != nil {
			continue
		}
		// The schema does not define this union, which is added as anyOf of its variants, if all of
		// these are definitions.
		var branches []any
		for _, v := range union.Variants {
			if v.Decl.Definition {
				branches = append(branches, map[string]any{"$ref": "#" + v.Decl.Pointer})
			}
		}
		if len(branches) == len(union.Variants) {
			defs[d.Name] = map[string]any{"anyOf": branches}
			pointers[d.Name] = schema.Child("", document.Container, d.Name)
		}
	}
	return root, pointers, nil
}

// imply removes the members that receivers do not need from the required ones of a definition.
func imply(definition any, o *ir.Object) {
	schema, ok := definition.(map[string]any)
	if !ok {
		return
	}
	if required, ok := schema["required"].([]any); ok {
		schema["required"] = slices.DeleteFunc(required, func(name any) bool {
			return slices.ContainsFunc(o.Fields, func(f *ir.Field) bool { return f.Wire == name && Implied(f) })
		})
	}
}

// Implied reports whether receivers read a message without a member as if it had the member's
// default, although the schema requires the member.
func Implied(f *ir.Field) bool { return f.Required && f.Default != "" }

// unreserve removes additionalProperties that allow any member from the objects that only the
// protocol may add members to.
func (s *messages) unreserve() {
	for pointer, one := range s.root.All() {
		if one.AdditionalProperties != nil && always(one.AdditionalProperties) && s.reserved(pointer) {
			delete(s.node(pointer), "additionalProperties")
		}
	}
}

// reserved reports whether only the protocol may add members to the object at a pointer: to _meta, as far
// as revisions declare its members, and to capabilities. Peers do not send members that a later
// revision adds there, even if the schema allows others. The envelope leaves the params to each method.
func (s *messages) reserved(pointer string) bool {
	at, _ := s.place(pointer)
	path := at.Path
	return strings.HasPrefix(path, "JSONRPC") || path == "RequestParams" || path == "NotificationParams" || strings.HasSuffix(path, "._meta") || strings.HasSuffix(path, "MetaObject") || strings.Contains(path, "Capabilities")
}

// place implements names. The path of a place consists of the declaration around it and the members below that. A map
// has no name.
func (s *messages) place(pointer string) (place Place, name string) {
	if d := s.declared[pointer]; d != nil {
		switch d.Type.(type) {
		case *ir.Map, *ir.Open:
		default:
			name = d.Name
		}
	}
	var below []string
	for at := pointer; at != ""; {
		if d := s.declared[at]; d != nil {
			slices.Reverse(below)
			return Place{d.Name + strings.Join(below, ""), s.pointers[d.Key()] + pointer[len(at):]}, name
		}
		up, last := parent(at)
		above, keyword := parent(up)
		switch {
		case keyword == "properties":
			below, up = append(below, "."+last), above
		case keyword == "prefixItems":
			below, up = append(below, "["+last+"]"), above
		case last == "items":
			below = append(below, "[]")
		case last == "additionalProperties":
			below = append(below, "{}")
		}
		at = up
	}
	return Place{Pointer: pointer}, name
}

func (s *messages) member(object, pointer, name string) (Place, bool) {
	at, _ := s.place(object)
	return Place{at.Path + "." + name, at.Pointer + strings.TrimPrefix(pointer, object)}, s.implied[pointer]
}

// field returns the member of a declared object.
func (s *messages) field(f *ir.Field, of string) *member {
	return &member{Name: f.Wire, Required: f.Required && !Implied(f), Implied: Implied(f), Where: Place{of + "." + f.Wire, f.Pointer}, Shape: s.shape(s.root.At(f.Pointer))}
}

// parent cuts the last segment off a pointer.
func parent(pointer string) (rest, last string) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", ""
	}
	return pointer[:i], wire.PointerName(pointer[i+1:])
}

// decl returns the shape of a declaration.
func (s *messages) decl(d *ir.Decl) *Shape { return s.shape(s.at(d)) }

func (s *messages) at(d *ir.Decl) *jsonschema.Schema { return s.root.At(s.pointers[d.Key()]) }

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
func (s *messages) message(m *ir.Method) (*Shape, []string) {
	decl := s.rev.Definition(m.Definition)
	judged := []string{decl.Key()}
	list := []*jsonschema.Schema{s.at(decl)}
	if envelope := s.rev.Definition(envelopeOf(m)); envelope != nil && !m.Within {
		list, judged = append(list, s.at(envelope)), append(judged, envelope.Key())
	}
	shape := s.shape(list...)
	if slices.ContainsFunc(shape.alts(), func(a *Alt) bool { return a.kinds != kindObject }) {
		// A message is an object, even if its definition allows other values.
		only := *shape.set
		only.list = slices.DeleteFunc(slices.Clone(only.list), func(a *Alt) bool { return a.kinds != kindObject })
		shape = &Shape{Where: shape.Where, About: shape.About, from: shape.from, set: &only}
	}
	return shape, judged
}

// envelope returns the union of all JSON-RPC messages, or nil if the revision has none. Params
// and results are open, because they are compared for each method.
func (s *messages) envelope() *Shape {
	decl := s.rev.Definition("JSONRPCMessage")
	if decl == nil {
		return nil
	}
	bare := s.changed(func(bare *messages) { bare.dropPayload(s.root.At(decl.Pointer), map[string]bool{}) })
	return bare.shape(bare.root.At(decl.Pointer))
}

// dropPayload makes the params and results of a message open, or of the messages that it is a union or a list of.
func (s *messages) dropPayload(message *jsonschema.Schema, done map[string]bool) {
	if message == nil || done[message.Pointer] {
		return
	}
	done[message.Pointer] = true
	for _, name := range []string{"params", "result"} {
		if message.Property(name) != nil {
			s.node(message.Pointer + "/properties")[name] = map[string]any{"type": "object"}
		}
	}
	for _, below := range slices.Concat([]*jsonschema.Schema{message.Target, message.Items}, message.AnyOf, message.OneOf, message.AllOf) {
		s.dropPayload(below, done)
	}
}
