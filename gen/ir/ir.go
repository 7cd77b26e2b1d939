// Package ir is the model between a checked schema and the emitted Go. All decisions on
// names, presence and unions are part of it; rendering comes later. It prints as text, so
// that changes of the lowering can be reviewed as data.
//
// Terms: a declaration is a named Go type of the generated package. A variant is one
// alternative of a union. A decision is how the decoder finds the variant of a value. The
// path of a place is its definition and the members below it, as in
// "CallToolResult.content[]", where "[]" is an array's element, "{}" a map's value and "|2"
// the third branch of an anyOf.
package ir

import (
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Revision is the content of one generated package.
type Revision struct {
	// ID is the revision's date, such as "2025-06-18".
	ID string
	// Schema is the text of the schema.json that the rules of declarations point into.
	Schema string
	// Package is the Go package name, such as "mcp20250618".
	Package string
	// Doc is a paragraph on the revision, or "".
	Doc string
	// Decls are sorted by name.
	Decls []*Decl
	// Methods are sorted by wire name.
	Methods []*Method
	// Headers are the HTTP headers that the overlay has for the revision, because no schema has them.
	Headers []string
	// Extension is set if this is an extension of the revision and not the revision itself.
	Extension *Extension
}

// Extension is what an extension adds to a revision beside methods and types.
type Extension struct {
	// Name is the identifier, which is the key of the capability: "io.modelcontextprotocol/tasks".
	Name string
	// Settings is the type of the value of the capability, or nil if it is any object.
	Settings *Decl
	// Results are further results of requests that the extension does not declare.
	Results []ExtensionResult
}

// ExtensionResult is a result that requests of a method may have if both sides have the extension.
// Type is the value of its member resultType.
type ExtensionResult struct {
	Method, Type string
	Decl         *Decl
}

// Lookup returns the named declaration, or nil.
func (r *Revision) Lookup(name string) *Decl {
	for _, d := range r.Decls {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Results returns the declarations of the results, including the variants of unions.
func (r *Revision) Results() map[*Decl]bool {
	all := make(map[*Decl]bool)
	for _, m := range r.Methods {
		if m.Result == nil {
			continue
		}
		all[m.Result] = true
		if u, ok := Resolve(m.Result.Type).(*Union); ok {
			for _, v := range u.Variants {
				all[v.Decl] = true
			}
		}
	}
	return all
}

// Definition returns the declaration of a definition of the schema, or nil.
func (r *Revision) Definition(name string) *Decl {
	for _, d := range r.Decls {
		if d.Definition && d.Path == name {
			return d
		}
	}
	return nil
}

// Key returns the name under which a generated package's New knows the declaration.
func (d *Decl) Key() string {
	if d.Definition {
		return d.Path
	}
	return d.Name
}

// ErrorCodes returns the definitions of error responses by their codes.
func (r *Revision) ErrorCodes() map[int64]*Decl {
	codes := map[int64]*Decl{}
	for _, d := range r.Decls {
		if !d.Definition {
			continue
		}
		for _, f := range fieldsOf(d.Type) {
			if f.Wire != "error" {
				continue
			}
			for _, inner := range fieldsOf(f.Type) {
				if code, ok := inner.Const.(int64); ok && inner.Wire == "code" {
					codes[code] = d
				}
			}
		}
	}
	return codes
}

func fieldsOf(t Type) []*Field {
	if o, ok := Resolve(t).(*Object); ok {
		return o.Fields
	}
	return nil
}

// Decl is a declared Go type.
type Decl struct {
	Name string
	Doc  string
	// Deprecated says what to use instead of a deprecated type, or is "".
	Deprecated string
	// Path is the origin of the type. Pointer is the same place as a JSON Pointer into the
	// schema.
	Path, Pointer string
	// Import is the path of the package that declares the type, or "" if that is the package of the
	// revision or extension itself.
	Import string
	// Same is the path of the package of a newer revision whose type this one is another name for, or "".
	Same string
	// Definition is set for upstream definitions and for the whole inputs and outputs of
	// tools. It is not set for types named by mcpgen.
	Definition bool
	Type       Type
	// Family is the group of files that the declaration belongs to, such as "tools".
	Family string
	// Unions lists the unions that this declaration is a variant of, sorted by name.
	Unions []*Decl
	// Rules lists the schemas, as JSON Pointers, that all values must satisfy, if the type accepts
	// more values than these.
	Rules []string
	// Checked means that Validate has something to check in values of the type.
	Checked bool
	// Message is set for a whole message, or a union or batch of some, that no other type holds. A generic type of
	// runtime/jsonrpc stands for it, and a row of the table of definitions describes it.
	Message bool
	// Direction says which way values go.
	Direction Direction
	// Strict means that decoding must find missing and repeated members, although the text of other values has
	// been checked before they are decoded. It is set for types of tools only, and decoding of all others is strict.
	Strict bool
	// Constants are the constants of a declaration that is an alias of an enum, under names of its own.
	Constants []EnumValue
}

// HasType reports whether the package has a type of that name, as it has for all but unions and batches of
// messages.
func (d *Decl) HasType() bool {
	_, isObject := d.Type.(*Object)
	return !d.Message || isObject
}

// Type is a sealed sum of the shapes that a value can have.
type Type interface{ isType() }

// Types that occur only as the type of a declaration.
type (
	// Object is a struct.
	Object struct {
		Fields []*Field
		// Additional is the type of the members without a field; nil means any.
		Additional Type
		// Others means that the schema says that other members may have any value.
		Others bool
		// Closed means that there are no members without a field.
		Closed bool
		// Loose means that the value need not be an object.
		Loose bool
	}

	// Enum is a string with known values. Decoding keeps unknown ones.
	Enum struct {
		Values []EnumValue
	}

	// Union is a sealed interface.
	Union struct {
		Variants []*Variant
		Decision Decision
		// Context marks a union whose variant depends on the request's method and not on
		// the value. Its first variant accepts every value.
		Context bool
		// Lenient marks a union that allows values beyond its variants: a value that is not
		// valid for the selected variant decodes to the unknown one.
		Lenient bool
		// Box marks a union whose package has a wire.Box of it, which reads and checks its values.
		Box bool
	}
)

// Types that occur anywhere.
type (
	// String is a JSON string.
	String struct {
		// Format and Pattern are "" if there is none. Length counts code points.
		Format, Pattern string
		Length          Count
	}
	// Integer is a JSON number without a fraction. An Exact one may be beyond an int64.
	Integer struct {
		Bounds
		Exact bool
	}
	// Number is any JSON number.
	Number struct{ Bounds }
	// Boolean is true or false.
	Boolean struct{}
	// Time is a JSON string in the format date-time, as a time.Time.
	Time struct{}
	// Scalar is a value of one of several scalar kinds, kept as its exact token.
	Scalar struct {
		Kinds wire.Kind
		// ID means that it is a wire.ID: a string or an integer.
		ID bool
	}
	// Any is any value, kept as its source text.
	Any struct{}
	// Open is an object without declared members, kept as its source text. Others means what it means
	// in Object.
	Open struct{ Others bool }
	// Array is a JSON array.
	Array struct {
		Elem   Type
		Length Count
	}
	// Map is an object whose values all have one type.
	Map struct{ Elem Type }
	// Nullable is a value of a type, or null. It is not nested, and its element is not an
	// Any or a Scalar, which include null themselves.
	Nullable struct{ Elem Type }
	// Ref refers to a declaration.
	Ref struct{ Decl *Decl }
)

func (*Object) isType()   {}
func (*Enum) isType()     {}
func (*Union) isType()    {}
func (*String) isType()   {}
func (*Integer) isType()  {}
func (*Number) isType()   {}
func (*Boolean) isType()  {}
func (*Time) isType()     {}
func (*Scalar) isType()   {}
func (*Any) isType()      {}
func (*Open) isType()     {}
func (*Array) isType()    {}
func (*Map) isType()      {}
func (*Ref) isType()      {}
func (*Nullable) isType() {}

// Bounds limit a number; nil means no limit. MinOpen and MaxOpen exclude the limit itself.
type Bounds struct {
	Min, Max         *float64
	MinOpen, MaxOpen bool
}

// Count limits a number of characters or elements. A Max of 0 means no limit.
type Count struct{ Min, Max int }

// Has reports whether c allows the number n.
func (c Count) Has(n int) bool { return c.Min <= n && (c.Max == 0 || n <= c.Max) }

// Scalars lists the kinds of scalars with their types in JSON Schema.
var Scalars = []struct {
	Kind wire.Kind
	Type string
}{
	{wire.KindString, "string"}, {wire.KindInteger, "integer"}, {wire.KindNumber, "number"}, {wire.KindBool, "boolean"}, {wire.KindNull, "null"},
}

// Resolve follows references to the underlying type.
func Resolve(t Type) Type {
	for {
		ref, ok := t.(*Ref)
		if !ok {
			return t
		}
		t = ref.Decl.Type
	}
}

// Field returns the named member of the object that a declaration stands for, or nil.
func (d *Decl) Field(member string) *Field {
	o, _ := Resolve(d.Type).(*Object)
	return o.Field(member)
}

// Field returns the named member, or nil. An object that is nil has no members.
func (o *Object) Field(member string) *Field {
	if o == nil {
		return nil
	}
	for _, f := range o.Fields {
		if f.Wire == member {
			return f
		}
	}
	return nil
}

// SortFields puts the required constants, which identify the object, first, and then the other required members.
func (o *Object) SortFields() {
	rank := func(f *Field) int {
		switch {
		case !f.Required:
			return 2
		case f.Const == nil:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(o.Fields, func(a, b *Field) int { return rank(a) - rank(b) })
}

// Walk calls f for a type and the types within it. It does not follow references.
func Walk(t Type, f func(Type)) {
	f(t)
	switch t := t.(type) {
	case *Object:
		for _, field := range t.Fields {
			Walk(field.Type, f)
		}
		if t.Additional != nil {
			Walk(t.Additional, f)
		}
	case *Array:
		Walk(t.Elem, f)
	case *Map:
		Walk(t.Elem, f)
	case *Nullable:
		Walk(t.Elem, f)
	}
}

// Field is a member of an object.
type Field struct {
	// Wire is the member's name in JSON; Go is the name of the struct field.
	Wire, Go string
	Type     Type
	Doc      string
	// Deprecated says what to use instead of a deprecated member, or is "".
	Deprecated string
	Pointer    string
	Required   bool
	// Const is the only allowed value, a string or an int64, or nil.
	Const any
	// Boxed holds a required object by pointer, because the type would otherwise contain
	// itself.
	Boxed bool
	// Injected marks a member that the protocol has and the schema omits.
	Injected bool
	// Soft marks an optional member that has another type in objects of another kind. A
	// value that does not match is kept as if the member had no field.
	Soft bool
	// Default is the JSON text of the value that decoding gives to an absent member, or "". A
	// required field with a default is always present in Go and may be absent in JSON.
	Default string
}

// Nullable reports whether the member may be null and its type does not include null.
func (f *Field) Nullable() bool {
	_, ok := f.Type.(*Nullable)
	return ok
}

// Base returns the type of the member's value when it is not null.
func (f *Field) Base() Type {
	if n, ok := f.Type.(*Nullable); ok {
		return n.Elem
	}
	return f.Type
}

// EnumValue is a known value of an enum.
type EnumValue struct {
	Wire, Go string
	Doc      string
	// Deprecated says what to use instead of a deprecated value, or is "".
	Deprecated string
}

// Variant is an alternative of a union.
type Variant struct {
	Decl *Decl
	// Boxed means that the union holds a pointer, which is so for objects.
	Boxed bool
}

// Decision is a sealed sum: how to find a value's variant without trial and error.
type Decision interface{ isDecision() }

type (
	// Leaf selects a variant.
	Leaf struct{ Variant *Variant }

	// ByKind decides by the JSON kind.
	ByKind struct{ Cases []KindCase }

	// ByConst decides by the value of one member.
	ByConst struct {
		Member string
		Cases  []ConstCase
		// Absent decides if the member is absent; nil means the unknown variant.
		Absent Decision
	}

	// ByPresence decides by the members that are present. The first guard that holds
	// decides. If the value is not valid for its variant, the next guard is tried, so that
	// the verdict is that of anyOf.
	ByPresence struct{ Guards []Guard }
)

// WalkDecision calls f for a decision and the decisions within it.
func WalkDecision(d Decision, f func(Decision)) {
	f(d)
	switch d := d.(type) {
	case *ByKind:
		for _, c := range d.Cases {
			WalkDecision(c.Then, f)
		}
	case *ByConst:
		for _, c := range d.Cases {
			WalkDecision(c.Then, f)
		}
		if d.Absent != nil {
			WalkDecision(d.Absent, f)
		}
	}
}

func (*Leaf) isDecision()       {}
func (*ByKind) isDecision()     {}
func (*ByConst) isDecision()    {}
func (*ByPresence) isDecision() {}

// Kind is a JSON kind.
type Kind string

// The kinds of JSON values.
const (
	KindObject  Kind = "object"
	KindArray   Kind = "array"
	KindString  Kind = "string"
	KindNumber  Kind = "number"
	KindBoolean Kind = "boolean"
	KindNull    Kind = "null"
)

// KindCase is a case of ByKind.
type KindCase struct {
	Kind Kind
	Then Decision
}

// ConstCase is a case of ByConst. Value is a string or an int64.
type ConstCase struct {
	Value any
	Then  Decision
}

// Guard holds if each of its paths leads to a member. A guard without paths always holds.
type Guard struct {
	Paths   [][]string
	Variant *Variant
}

// Method is a request or notification.
type Method struct {
	// Wire is the method's name, such as "tools/call"; Go is its identifier, such as
	// "CallTool".
	Wire, Go string
	Doc      string
	// Deprecated says what to use instead of a deprecated method, or is "".
	Deprecated string
	// Definition is the upstream definition of the whole message.
	Definition   string
	Notification bool
	// ToServer and ToClient report which sides may receive the message.
	ToServer, ToClient bool
	// Within means that the request is not a message of its own: a server puts it into the
	// result of another request, which the client then repeats with the answer.
	Within bool
	// Params and Result are declarations. Result is nil for notifications.
	Params, Result *Decl
	// Plain is the result that is named after the request, if Result is a union and this is
	// one of its variants. It is nil otherwise.
	Plain          *Decl
	ParamsRequired bool
	// Capability is a dotted path in the capabilities of the side that answers the request
	// or sends the notification, or "".
	Capability string
	Paginated  bool
	// Asks means that the result may ask the client for input, which it sends with a repetition
	// of the request. Cacheable means that the result says how long it may be kept.
	Asks, Cacheable bool
	// ResultTypes are the values of resultType that variants of the result have beside "complete" and
	// "input_required", sorted.
	ResultTypes []string
	// NameParam is the string member of the params that HTTP requests repeat in a header, or "".
	NameParam string
	// Filter is the member of the filter of subscriptions that asks for the notification, or "". It lists
	// values of the member FilterParam of the params, or is a boolean if that is "".
	Filter, FilterParam string
	// Items is the member of a paginated result that holds the items of a page, or nil if
	// the result does not have exactly one array. ItemsGo names the iterator over all items.
	Items   *Field
	ItemsGo string
}
