// Package ir is the model between a checked schema and the Go that is emitted
// from it: every naming, presence and union decision is made here and only
// rendered later. It prints as text, so that a change of the lowering is
// reviewed as data.
//
// The words: a declaration is a named Go type of the generated package; a
// variant is one alternative of a union; a decision is how the decoder finds
// the variant of a value; the path of a place is its definition and the
// members below it, as in "CallToolResult.content[]" ("[]" is an array's
// element, "{}" a map's value, "|2" the third branch of an anyOf).
package ir

// Revision is all that is emitted for one revision.
type Revision struct {
	// ID is the revision's date, "2025-06-18".
	ID string
	// Package is the Go package name, "mcp20250618".
	Package string
	// Decls are sorted by name.
	Decls []*Decl
	// Methods are sorted by wire name.
	Methods []*Method
}

// Lookup returns the declaration of that name, or nil.
func (r *Revision) Lookup(name string) *Decl {
	for _, d := range r.Decls {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Decl is a declared Go type.
type Decl struct {
	Name string
	Doc  string
	// Path is where the type comes from; Pointer is the same place in the schema.
	Path, Pointer string
	// Definition tells upstream definitions, and the whole inputs and outputs of
	// tools, from types named here.
	Definition bool
	Type       Type
	// Family is the file the declaration goes to, such as "tools".
	Family string
	// Unions are the unions this declaration is a variant of, sorted by name.
	Unions []*Decl
	// Checked says that the type has something Validate must look at.
	Checked bool
	// Defaults says that the type, or something in it, has members with a default.
	Defaults bool
}

// Type is a sealed sum of the shapes a value can have.
type Type interface{ isType() }

// The types that only stand in a declaration.
type (
	// Object is a struct.
	Object struct {
		Fields []*Field
		// Additional is the type of the members without a field; nil: any.
		Additional Type
		// Loose says that the value need not be an object at all.
		Loose bool
	}

	// Enum is a string with known values. Decoding keeps others.
	Enum struct {
		Values []EnumValue
	}

	// Union is a sealed interface.
	Union struct {
		Variants []*Variant
		Decision Decision
		// Context marks a union of which the value itself tells nothing: a result
		// is decoded by the method of its request. Its first variant accepts all.
		Context bool
		// Lenient marks a union that allows more than its variants: a value that
		// does not fit the variant it seems to be is an unknown one.
		Lenient bool
	}
)

// The types that stand anywhere.
type (
	// String is a JSON string.
	String struct{ Format string }
	// Integer is a JSON number without a fraction.
	Integer struct{ Bounds }
	// Number is any JSON number.
	Number struct{ Bounds }
	// Boolean is true or false.
	Boolean struct{}
	// Scalar is one of several scalar kinds, kept as its exact token.
	Scalar struct{ Kinds ScalarKinds }
	// Any is any value, kept as its source text.
	Any struct{}
	// Open is an object without declared members, kept as its source text.
	Open struct{}
	// Array is a JSON array. MaxItems 0 is no limit.
	Array struct {
		Elem     Type
		MaxItems int
	}
	// Map is an object whose values all have one type.
	Map struct{ Elem Type }
	// Nullable is a value of a type or null. It is not nested, and not made of
	// an Any or a Scalar, which have null themselves.
	Nullable struct{ Elem Type }
	// Ref names a declaration.
	Ref struct{ Decl *Decl }
)

func (*Object) isType()   {}
func (*Enum) isType()     {}
func (*Union) isType()    {}
func (*String) isType()   {}
func (*Integer) isType()  {}
func (*Number) isType()   {}
func (*Boolean) isType()  {}
func (*Scalar) isType()   {}
func (*Any) isType()      {}
func (*Open) isType()     {}
func (*Array) isType()    {}
func (*Map) isType()      {}
func (*Ref) isType()      {}
func (*Nullable) isType() {}

// Bounds limit a number; nil is no limit.
type Bounds struct{ Min, Max *float64 }

// ScalarKinds is the set of kinds a Scalar may have.
type ScalarKinds struct{ Text, Integer, Number, Boolean, Null bool }

// Resolve follows references to the type behind them.
func Resolve(t Type) Type {
	for {
		ref, ok := t.(*Ref)
		if !ok {
			return t
		}
		t = ref.Decl.Type
	}
}

// Field is a member of an object.
type Field struct {
	// Wire is the member's name in JSON, Go the struct field's.
	Wire, Go string
	Type     Type
	Doc      string
	Pointer  string
	Required bool
	// Const is the only value the member may have, a string or an int64.
	Const any
	// Boxed holds a required object by pointer, because by value the type would
	// contain itself.
	Boxed bool
	// Injected marks a member the protocol has and the schema forgot.
	Injected bool
	// Soft is an optional member whose value may be of another type in objects of
	// another kind: one that does not fit is kept as if the member had no field.
	Soft bool
	// Default is the JSON text of the value that an absent member stands for, ""
	// for none.
	Default string
}

// Nullable reports whether the member may be null and has a type that cannot
// say so itself.
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
}

// Variant is an alternative of a union.
type Variant struct {
	Decl *Decl
	// Boxed tells that the interface holds a pointer: so it is for objects.
	Boxed bool
}

// Decision is a sealed sum: how to find a value's variant without trying.
type Decision interface{ isDecision() }

type (
	// Leaf is the answer.
	Leaf struct{ Variant *Variant }

	// ByKind looks at the JSON kind.
	ByKind struct{ Cases []KindCase }

	// ByConst looks at the value of one member.
	ByConst struct {
		Member string
		Cases  []ConstCase
		// Absent decides when the member is not there; nil: unknown variant.
		Absent Decision
	}

	// ByPresence looks which members are there. The first guard that holds
	// decides; where its variant does not fit after all the next one is asked, so
	// that the verdict is that of anyOf.
	ByPresence struct{ Guards []Guard }
)

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

// KindCase is one case of ByKind.
type KindCase struct {
	Kind Kind
	Then Decision
}

// ConstCase is one case of ByConst; Value is a string or an int64.
type ConstCase struct {
	Value any
	Then  Decision
}

// Guard holds when all of its paths lead to a member. Without a path it holds
// always.
type Guard struct {
	Paths   [][]string
	Variant *Variant
}

// Method is a request or notification.
type Method struct {
	// Wire is the method's name, "tools/call"; Go its function's, "CallTool".
	Wire, Go string
	Doc      string
	// Definition is the upstream definition of the whole message.
	Definition   string
	Notification bool
	// ToServer and ToClient say who may receive it.
	ToServer, ToClient bool
	// Params and Result are declarations; Result is nil for notifications.
	Params, Result *Decl
	ParamsRequired bool
	// Capability is a dotted path in the capabilities of the side that answers
	// the request or sends the notification; "" is none.
	Capability string
	Paginated  bool
}
