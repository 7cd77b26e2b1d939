package typing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/names"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// typer makes the types of one list.
type typer struct {
	names *names.Namer
	Options
	// taken has the exported identifiers of the package and the items that have them, by their pointers.
	taken map[string]string
	decls []*ir.Decl
	// origins has the origin of each declaration, shared the declarations that several items have, and aliases
	// the declaration that each alias stands for.
	origins map[*ir.Decl]*origin
	shared  map[*ir.Decl]bool
	aliases map[*ir.Decl]ir.Type
	values  []ir.Type // of results that need not be objects
	pkg     *Package
	errs    []error

	// The following fields are for the document whose types are being made.
	// owner is the name of the tool, prompt or template.
	owner    string
	document *document
	// here has the names of the types that have been declared.
	here map[string]bool
	// within has the names of those that are definitions or parts of definitions, without the name of the document.
	within map[string]bool
	// apply means that absent members get their default.
	apply bool
	// declared maps the key of schemas to their type. open holds the arrays and maps that are being
	// made, which get a declaration if they turn out to contain themselves.
	declared map[string]*ir.Decl
	open     map[string]*ir.Decl
	depth    int
	// composed has the definitions that consist of other schemas, by the key of their alternatives. Those of any
	// value have none.
	composed map[string]*jsonschema.Schema
	// fields are the members with the schemas that may have a default.
	fields []defaulted
}

// raw returns the type of a place that has no more specific type.
func (t *typer) raw(at spot, format string, args ...any) ir.Type {
	t.remark(&t.pkg.Untyped, at, format, args...)
	return &ir.Any{}
}

// remark adds a remark about a place to a list: Untyped or Notes of the package.
func (t *typer) remark(list *[]*tools.Error, at spot, format string, args ...any) {
	*list = append(*list, &tools.Error{Tool: t.owner, Pointer: at.pointer, Problem: fmt.Sprintf(format, args...)})
}

// maxTypeDepth limits the nesting of types. Schemas may grow with each level.
const maxTypeDepth = 100

// typeOf returns the type of values that satisfy one of some conjs.
func (t *typer) typeOf(all disj, at spot) ir.Type {
	if t.depth++; t.depth > maxTypeDepth {
		t.depth--
		return t.raw(at, "is nested deeper than %d levels", maxTypeDepth)
	}
	defer func() { t.depth-- }()
	at.pointer = pointerOf(all, at.pointer)
	d := expand(all)
	if len(d) == 0 {
		return t.raw(at, "allows no value")
	}
	if slices.ContainsFunc(d, func(c conj) bool { return len(c) == 0 }) {
		return &ir.Any{}
	}
	if d.has(foreign) && d.kinds() == allKinds {
		return t.raw(at, "refers to what is only known while validating")
	}
	if slices.ContainsFunc(d, func(c conj) bool { return c.kinds() == allKinds }) {
		return t.untyped(d, at)
	}
	kinds := d.kinds()
	if kinds&isNumber != 0 && slices.ContainsFunc(d.of(isNumber), conj.unheld) {
		return t.raw(at, "has numbers that do not fit in a float64")
	}
	nullable := kinds&isNull != 0
	kinds &^= isNull
	switch {
	case kinds == 0:
		return &ir.Scalar{Kinds: wire.KindNull}
	case kinds&(kinds-1) == 0:
		return orNull(t.ofKind(d, kinds, at), nullable)
	case kinds&containers == 0:
		scalar, other := &ir.Scalar{}, wire.KindInteger
		if d.integral() {
			other = wire.KindNumber
		}
		for _, s := range ir.Scalars {
			if d.kinds()&jsonschema.KindsOfType(s.Type) != 0 && s.Kind != other {
				scalar.Kinds |= s.Kind
			}
		}
		return scalar
	case kinds&containers == containers && kinds&scalars != 0 && !d.structured():
		return &ir.Any{} // almost any value is allowed
	}
	return orNull(t.mixed(d, kinds, at), nullable)
}

// foreign reports whether schemas refer to a document other than the list.
func foreign(s *jsonschema.Schema) bool { return s.Meta || s.DynamicRef != "" }

func (d disj) integral() bool {
	return !slices.ContainsFunc(d.of(isNumber), func(c conj) bool { return !c.integral() })
}

// fitsInt64 reports whether the schemas allow only integers that fit in an int64, because they list
// their values or have a lower and an upper limit. A format does not count: JSON Schema does not
// validate int32 and int64.
func (d disj) fitsInt64() bool {
	return !slices.ContainsFunc(d.of(isNumber), func(c conj) bool { return !c.fitsInt64() })
}

func (c conj) fitsInt64() bool {
	if values, finite := c.values(); finite {
		return !slices.ContainsFunc(values, beyondInt64)
	}
	var low, high bool
	for _, s := range c {
		low = low || s.Minimum != "" && wire.CompareNumbers(s.Minimum, least) >= 0 ||
			s.ExclusiveMinimum != "" && wire.CompareNumbers(s.ExclusiveMinimum, least) >= 0
		high = high || s.Maximum != "" && wire.CompareNumbers(s.Maximum, most) <= 0 ||
			s.ExclusiveMaximum != "" && wire.CompareNumbers(s.ExclusiveMaximum, most) <= 0
	}
	return low && high
}

// namesBeyondInt64 reports whether the schemas have a value, a limit, a factor, a default or an example beyond an
// int64.
func (d disj) namesBeyondInt64() bool {
	return slices.ContainsFunc(d.of(isNumber), func(c conj) bool {
		if values, finite := c.values(); finite {
			return slices.ContainsFunc(values, beyondInt64)
		}
		return slices.ContainsFunc(c, func(s *jsonschema.Schema) bool {
			named := append([]wire.Raw{s.Minimum, s.ExclusiveMinimum, s.Maximum, s.ExclusiveMaximum, s.MultipleOf, s.Default}, s.Examples...)
			return slices.ContainsFunc(named, beyondInt64) || wire.Equal(s.ExclusiveMinimum, most) || wire.Equal(s.ExclusiveMaximum, least)
		})
	})
}

// marksBigIntegers reports whether a schema has the mark for integers beyond an int64.
func (d disj) marksBigIntegers() bool {
	return d.has(func(s *jsonschema.Schema) bool { return s.GoBigInteger })
}

// beyondInt64 reports whether a value is a number beyond an int64.
func beyondInt64(v wire.Raw) bool {
	return v.Kind() == wire.KindNumber && (wire.CompareNumbers(v, least) < 0 || wire.CompareNumbers(v, most) > 0)
}

// The limits of an int64.
const (
	least wire.Raw = "-9223372036854775808"
	most  wire.Raw = "9223372036854775807"
)

// unheld reports whether the schemas list numbers, or allow only numbers, that no float64 holds.
func (c conj) unheld() bool {
	if c.integral() {
		return false
	}
	values, _ := c.values()
	if slices.ContainsFunc(values, func(v wire.Raw) bool { return v.Kind() == wire.KindNumber && !exact(v) }) {
		return true
	}
	return slices.ContainsFunc(c, func(s *jsonschema.Schema) bool {
		for _, low := range []wire.Raw{s.Minimum, s.ExclusiveMinimum} {
			if low != "" && low[0] != '-' && !jsonschema.IsHeld(low) {
				return true
			}
		}
		for _, high := range []wire.Raw{s.Maximum, s.ExclusiveMaximum} {
			if high != "" && high[0] == '-' && !jsonschema.IsHeld(high) {
				return true
			}
		}
		return false
	})
}

// exact reports whether a number stays the same when it is read as a float64 and written again.
func exact(number wire.Raw) bool {
	in := wire.NewStringReader(string(number))
	f := in.ReadFloat64()
	return in.Err() == nil && wire.Equal(number, wire.Raw(strconv.FormatFloat(f, 'g', -1, 64)))
}

// structured reports whether schemas describe members or elements.
func (d disj) structured() bool {
	return d.has(func(s *jsonschema.Schema) bool { return hasObjectShape(s) || s.Items != nil || s.PrefixItems != nil })
}

func orNull(base ir.Type, nullable bool) ir.Type {
	if _, isAny := base.(*ir.Any); isAny || !nullable {
		return base
	}
	return &ir.Nullable{Elem: base}
}

// untyped returns the type of values that no type keyword restricts. Strictly, keywords for members
// do not apply to values without members, so those are allowed.
func (t *typer) untyped(d disj, at spot) ir.Type {
	if d.mayBeLoose() {
		ref := t.structOf(d, at)
		ref.Decl.Type.(*ir.Object).Loose = true
		t.remark(&t.pkg.Notes, at, `has members but no type: values other than objects are allowed, and kept in Other; "type": "object" would refuse it`)
		return ref
	}
	if !d.structured() {
		return &ir.Any{}
	}
	return t.raw(at, "has no type, so all kinds of values are allowed")
}

// mayBeLoose reports whether the alternatives describe objects and allow all other values, which a struct keeps in
// Other.
func (d disj) mayBeLoose() bool {
	return !slices.ContainsFunc(d, func(c conj) bool { return c.kinds() != allKinds || !c.isObjectOnly() })
}

// isObjectOnly reports whether the schemas constrain only objects.
func (c conj) isObjectOnly() bool {
	return !slices.ContainsFunc(c, func(s *jsonschema.Schema) bool { return s.Items != nil || s.PrefixItems != nil || foreign(s) }) &&
		slices.ContainsFunc(c, func(s *jsonschema.Schema) bool { return s.Properties != nil })
}

// ofKind returns the type of the values of one kind.
func (t *typer) ofKind(d disj, kind kindSet, at spot) ir.Type {
	d = d.of(kind)
	switch kind {
	case isBoolean:
		return &ir.Boolean{}
	case isNumber:
		if d.integral() {
			return &ir.Integer{Exact: !d.fitsInt64() && (t.BigIntegers || d.namesBeyondInt64() || d.marksBigIntegers())}
		}
		return &ir.Number{}
	case isString:
		return t.text(d, at)
	case isArray:
		return t.itself(d.key()+"[]", at, func() ir.Type { return t.array(d, at) })
	}
	return t.object(d, at)
}

func (t *typer) text(d disj, at spot) ir.Type {
	values, finite := d.values(isString)
	if !finite {
		format := d.format()
		if !t.Time || format != "date-time" {
			return &ir.String{Format: format}
		}
		if !d.of(isString).takesTimes() {
			t.remark(&t.pkg.Notes, at, "stays a string, because its pattern or its length does not allow %s, as a time.Time is written", plainTime)
			return &ir.String{Format: format}
		}
		return &ir.Time{}
	}
	return t.declare(d.key()+`"`, d, at, func(decl *ir.Decl, _ spot) {
		enum := &ir.Enum{}
		for _, v := range values {
			text, _ := v.Str()
			enum.Values = append(enum.Values, ir.EnumValue{Wire: text, Doc: d.titleOf(v)})
		}
		decl.Type = enum
	})
}

// plainTime is an example of how a time.Time without a fraction of a second is written.
const plainTime = "2026-01-31T12:00:00Z"

// takesTimes reports whether the patterns and limits of schemas allow the text of a time.Time. A
// pattern may require digits that a time.Time leaves out, such as ".000".
func (d disj) takesTimes() bool {
	return !d.has(func(s *jsonschema.Schema) bool {
		return s.Pattern != nil && !jsonschema.Allows(*s.Pattern, plainTime) ||
			s.MinLength != nil && *s.MinLength > int64(len(plainTime)) || s.MaxLength != nil && *s.MaxLength < int64(len(plainTime))
	})
}

// format returns the format that all alternatives have, or "".
func (d disj) format() string {
	format := ""
	for i, c := range d {
		own := ""
		for _, s := range c {
			if s.AssertsFormat() {
				own = s.Format
			}
		}
		if i > 0 && own != format {
			return ""
		}
		format = own
	}
	return format
}

// array returns an array whose element type covers all elements.
func (t *typer) array(d disj, at spot) ir.Type {
	var elements disj
	for _, c := range d {
		own := disj{{}}
		for _, s := range c {
			own = own.both(elementsOf(s))
		}
		elements = append(elements, own...)
	}
	if len(expand(elements)) == 0 {
		return &ir.Array{Elem: &ir.Any{}} // values are always empty
	}
	return &ir.Array{Elem: t.typeOf(elements, at.element())}
}

// elements returns the schemas of an array's elements.
func elementsOf(s *jsonschema.Schema) disj {
	if s.PrefixItems == nil {
		if s.Items == nil {
			return disj{{}}
		}
		return disj{{s.Items}}
	}
	var all disj
	for _, item := range s.PrefixItems {
		all = append(all, conj{item})
	}
	switch {
	case s.Items != nil:
		all = append(all, conj{s.Items})
	case s.MaxItems == nil || *s.MaxItems > int64(len(s.PrefixItems)):
		all = append(all, conj{})
	}
	return all
}

// both is and for conjs that have not been expanded.
func (d disj) both(other disj) disj {
	var all disj
	for _, a := range d {
		for _, b := range other {
			all = append(all, slices.Concat(a, b))
		}
	}
	return all
}

// itself makes an array or a map. If it contains itself, it gets a declaration, because Go cannot
// express it otherwise.
func (t *typer) itself(key string, at spot, build func() ir.Type) ir.Type {
	if decl := t.declared[key]; decl != nil {
		return &ir.Ref{Decl: decl}
	}
	if decl, isOpen := t.open[key]; isOpen {
		if decl == nil {
			decl, _ = t.newDecl(at)
			t.open[key] = decl
		}
		return &ir.Ref{Decl: decl}
	}
	t.open[key] = nil
	built := build()
	decl := t.open[key]
	delete(t.open, key)
	if decl == nil {
		return built
	}
	decl.Type = built
	t.declared[key] = decl
	return &ir.Ref{Decl: decl}
}

// declare returns the declaration for a key. The first time, it calls build to set the type. The name comes from the
// definition, else from the title if no other type of the document has it, else from the place.
func (t *typer) declare(key string, d disj, at spot, build func(*ir.Decl, spot)) *ir.Ref {
	decl := t.declared[key]
	if decl == nil {
		from := t.originOf(d)
		switch title := t.titleOf(d); {
		case from.goName != "":
			at.base, at.trail, at.given = from.goName, nil, from
		case from.definition != "":
			at.base, at.trail, at.given, at.within = t.document.name, []string{from.definition}, nil, true
		case title != "" && !t.declaredHere(typeName(at.base, []string{title})):
			at.trail = []string{title}
		}
		decl, at = t.newDecl(at)
		t.origins[decl].definition = from.definition
		if decl.Doc = t.description(d); len(at.trail) > 0 && decl.Doc != "" && t.identifier(strings.TrimSuffix(decl.Doc, ".")) == at.trail[len(at.trail)-1] {
			decl.Doc = "" // its name says the same
		}
		t.declared[key] = decl
		open := t.open
		t.open = map[string]*ir.Decl{} // a type that contains itself by way of this one needs no declaration
		build(decl, at)
		t.open = open
	}
	return &ir.Ref{Decl: decl}
}

// longestTitle is the length of the longest title that makes a name. Longer ones are sentences.
const longestTitle = 40

// titleOf returns the identifier of the title of some schemas, or "".
func (t *typer) titleOf(d disj) string {
	if len(d) != 1 || len(d[0]) != 1 {
		return ""
	}
	title := strings.TrimSpace(d[0][0].Title)
	if title == "" || len(title) > longestTitle {
		return ""
	}
	return t.identifier(title)
}

// originOf returns the origin of the type of some schemas.
func (t *typer) originOf(d disj) *origin {
	o := &origin{document: t.document}
	if s := t.definitionOf(d); s != nil {
		name, _ := s.Definition()
		o.definition, o.goName, o.pointer = t.identifier(name), s.GoName, s.Pointer
	}
	return o
}

// definitionOf returns the definition that some schemas are or come from, or nil.
func (t *typer) definitionOf(d disj) *jsonschema.Schema {
	if len(d) == 1 && len(d[0]) == 1 {
		if _, ok := d[0][0].Definition(); ok {
			return d[0][0]
		}
	}
	return t.composed[d.withoutNull().key()]
}

func (t *typer) identifier(wire string) string {
	identifiers, _ := t.names.Distinct([]string{wire}, nil, "")
	return identifiers[0]
}

// constant returns the only value that the member has, if there is one that a
// struct's zero value can stand for.
func (d disj) constant() any {
	kinds := d.kinds()
	if kinds != isString && kinds != isNumber {
		return nil
	}
	values, finite := d.values(kinds)
	if !finite || len(values) != 1 {
		return nil
	}
	if text, ok := values[0].Str(); ok {
		return text
	}
	in := wire.NewStringReader(string(values[0]))
	if i := in.ReadInt64(); in.Err() == nil {
		return i
	}
	return nil
}
