package typing

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// conj is a conjunction of schemas. The schemas of a conj from expand have no references,
// allOf, anyOf or oneOf left to resolve.
type conj []*jsonschema.Schema

// disj is a disjunction of conjs.
type disj []conj

// These limits bound the expansion of a schema: maxProduct the alternatives that come from several
// unions, maxBranches those from one, and maxSteps the steps.
const (
	maxProduct  = 128
	maxBranches = 512
	maxSteps    = 20000
)

// expand takes conjs apart into alternatives that only say what a value looks
// like: the schema and those it refers to, with one branch of each anyOf and
// oneOf. Valid values satisfy one of them. An alternative that nothing can
// satisfy is left out; what only narrows the values further is not looked at.
func expand(all disj) disj {
	var alternatives disj
	x := &expansion{open: map[*jsonschema.Schema]bool{}, left: maxSteps}
	for _, c := range all {
		alternatives = append(alternatives, x.conj(c)...)
	}
	return alternatives.distinct()
}

// expansion is the state of one expand. Schemas that are being expanded are open: a schema that
// contains itself allows no additional values.
type expansion struct {
	open map[*jsonschema.Schema]bool
	left int // remaining steps; afterwards schemas are not expanded
}

// bare returns a schema without its alternatives. The result may allow more values, which is harmless.
func bare(s *jsonschema.Schema) disj {
	if hasShape(s) {
		return disj{{s}}
	}
	return disj{{}}
}

// conj expands a conjunction.
func (x *expansion) conj(c conj) disj {
	alternatives := disj{{}}
	for _, s := range c {
		more := x.schema(s)
		if n := len(alternatives); n > 1 && n*len(more) > maxProduct {
			more = bare(s)
		}
		alternatives = alternatives.and(more)
	}
	return alternatives
}

func (x *expansion) schema(s *jsonschema.Schema) disj {
	if s.Always != nil {
		if *s.Always {
			return disj{{}}
		}
		return nil
	}
	if x.open[s] {
		return nil
	}
	if x.left--; x.left < 0 {
		return bare(s)
	}
	x.open[s] = true
	defer delete(x.open, s)
	all := slices.Clone(s.AllOf)
	if s.Target != nil {
		all = append(all, s.Target)
	}
	alternatives := bare(s).and(x.conj(all))
	for _, group := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if group == nil {
			continue
		}
		var branches disj
		for _, branch := range group {
			branches = append(branches, x.schema(branch)...)
		}
		branches = branches.distinct()
		if n := len(alternatives); n > 1 && n*len(branches) > maxProduct || len(branches) > maxBranches {
			continue
		}
		alternatives = alternatives.and(branches)
	}
	return alternatives.distinct()
}

// and returns the conjunctions of each alternative of one disj with each of the other.
func (d disj) and(other disj) disj {
	var all disj
	for _, a := range d {
		for _, b := range other {
			c := slices.Clone(a)
			for _, s := range b {
				if !slices.Contains(c, s) {
					c = append(c, s)
				}
			}
			if len(c) == 0 || c.kinds() != 0 {
				all = append(all, c)
			}
		}
	}
	return all
}

// distinct removes duplicate alternatives.
func (d disj) distinct() disj {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(d), func(c conj) bool {
		key := c.key()
		again := seen[key]
		seen[key] = true
		return again
	})
}

// key returns a string that identifies the schemas of a conj.
func (c conj) key() string {
	pointers := make([]string, len(c))
	for i, s := range c {
		pointers[i] = s.Pointer
	}
	slices.Sort(pointers)
	return strings.Join(pointers, "&")
}

func (d disj) key() string {
	keys := make([]string, len(d))
	for i, c := range d {
		keys[i] = c.key()
	}
	slices.Sort(keys)
	return strings.Join(keys, "|")
}

// hasShape reports whether a schema has keywords of its own that affect the Go type of its
// values.
func hasShape(s *jsonschema.Schema) bool {
	return s.Types != nil || s.Enum != nil || s.Const != "" || s.Properties != nil || s.PatternProperties != nil ||
		s.AdditionalProperties != nil || s.Required != nil || s.PrefixItems != nil || s.Items != nil ||
		s.AssertsFormat() || s.Meta || s.DynamicRef != "" || s.Then != nil || s.Else != nil || s.DependentSchemas != nil
}

// hasObjectShape reports whether a schema has keywords of its own for members.
func hasObjectShape(s *jsonschema.Schema) bool {
	return s.Properties != nil || s.PatternProperties != nil || s.AdditionalProperties != nil || s.Required != nil
}

// kindSet is a set of kinds of JSON values.
type kindSet = jsonschema.Kinds

const (
	isNull    = jsonschema.Null
	isBoolean = jsonschema.Boolean
	isNumber  = jsonschema.Number
	isString  = jsonschema.String
	isArray   = jsonschema.Array
	isObject  = jsonschema.Object

	allKinds   = jsonschema.AllKinds
	scalars    = isBoolean | isNumber | isString
	containers = isArray | isObject
)

// typeKinds returns the kinds that the type keywords allow.
func (c conj) typeKinds() kindSet {
	kinds := allKinds
	for _, s := range c {
		if s.Types == nil {
			continue
		}
		var own kindSet
		for _, t := range s.Types {
			own |= jsonschema.KindsOfType(t)
		}
		kinds &= own
	}
	return kinds
}

// kinds returns the kinds that values can have.
func (c conj) kinds() kindSet {
	values, finite := c.values()
	if !finite {
		return c.typeKinds()
	}
	var kinds kindSet
	for _, v := range values {
		kinds |= jsonschema.KindsOfValue(v)
	}
	return kinds
}

// values returns the values that const or enum list. ok is false if they do not restrict the
// values.
func (c conj) values() (values []wire.Raw, finite bool) {
	for _, s := range c {
		own := s.Enum
		switch {
		case s.Const != "" && own != nil:
			own = intersect(own, []wire.Raw{s.Const})
		case s.Const != "":
			own = []wire.Raw{s.Const}
		case own == nil:
			continue
		}
		if finite {
			own = intersect(values, own)
		}
		values, finite = own, true
	}
	if !finite {
		return nil, false
	}
	kinds := c.typeKinds()
	integral := c.integerType()
	return slices.DeleteFunc(slices.Clone(values), func(v wire.Raw) bool {
		kind := jsonschema.KindsOfValue(v)
		return kinds&kind == 0 || integral && kind == isNumber && !v.IsInteger()
	}), true
}

func intersect(a, b []wire.Raw) []wire.Raw {
	both := []wire.Raw{}
	for _, v := range a {
		if slices.ContainsFunc(b, func(w wire.Raw) bool { return wire.Equal(v, w) }) {
			both = append(both, v)
		}
	}
	return both
}

// integerType reports whether a type keyword requires numbers to be integers.
func (c conj) integerType() bool {
	return slices.ContainsFunc(c, func(s *jsonschema.Schema) bool {
		return slices.Contains(s.Types, "integer") && !slices.Contains(s.Types, "number")
	})
}

// integral reports whether numbers are integers.
func (c conj) integral() bool {
	if c.integerType() {
		return true
	}
	values, finite := c.values()
	return finite && !slices.ContainsFunc(values, func(v wire.Raw) bool { return v.Kind() == wire.KindNumber && !v.IsInteger() })
}

// kinds returns the kinds of all alternatives.
func (d disj) kinds() kindSet {
	var kinds kindSet
	for _, c := range d {
		kinds |= c.kinds()
	}
	return kinds
}

// has reports whether a schema of one of the alternatives satisfies a condition.
func (d disj) has(is func(*jsonschema.Schema) bool) bool {
	return slices.ContainsFunc(d, func(c conj) bool { return slices.ContainsFunc(c, is) })
}

// of returns the alternatives that allow a kind.
func (d disj) of(kind kindSet) disj {
	var all disj
	for _, c := range d {
		if c.kinds()&kind != 0 {
			all = append(all, c)
		}
	}
	return all
}

// withoutNull returns the alternatives that allow other values than null.
func (d disj) withoutNull() disj { return d.of(allKinds &^ isNull) }

// values returns the values of a kind, if all alternatives list their values.
func (d disj) values(kind kindSet) (values []wire.Raw, finite bool) {
	seen := map[string]bool{}
	for _, c := range d.of(kind) {
		own, finite := c.values()
		if !finite {
			return nil, false
		}
		for _, v := range own {
			key := string(v)
			if text, ok := v.Str(); ok {
				key = text // the values have one kind, so keys are unique
			}
			if jsonschema.KindsOfValue(v) == kind && !seen[key] {
				seen[key] = true
				values = append(values, v)
			}
		}
	}
	return values, len(values) > 0
}
