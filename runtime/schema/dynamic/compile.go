// Package dynamic compiles schemas that a program knows only when it runs. It is a package of its own, so that
// generated servers, whose check functions are generated, do not link it.
package dynamic

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ErrNotCovered is the error of [Compile] for a schema that says something which Compile does not check.
var ErrNotCovered = errors.New("not checked by package dynamic, but by runtime/schema/fallback")

// Compile returns the check function of a schema that a program knows only when it runs. It finds the
// same problems, in the same words, as the function that mcpgen generates from the schema.
//
// It reads the dialect 2020-12: booleans, type, enum, const, the bounds of numbers, strings, arrays and
// objects, pattern, format, uniqueItems, items, properties, required, propertyNames, additionalProperties,
// allOf, anyOf, oneOf, and $ref to a place of the schema. A schema with another keyword that restricts
// values, or with a pattern that package regexp cannot match, is an error that wraps [ErrNotCovered];
// package fallback compiles it. Annotations and unknown keywords are ignored.
func Compile(text wire.Raw) (func(*schema.Checker), error) {
	p := &compiler{root: text, targets: map[string]*node{}, refers: map[string][]string{}}
	n, err := p.compile(text)
	if err != nil {
		return nil, fmt.Errorf("dynamic: %w", err)
	}
	return n.check, nil
}

// dialect is the value of $schema that Compile reads.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// notCovered are the keywords that restrict values, or change the meaning of references, and that Compile
// does not read.
var notCovered = []string{
	"$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef", "additionalItems", "contains",
	"dependencies", "dependentRequired", "dependentSchemas", "else", "if", "maxContains", "minContains", "not",
	"patternProperties", "prefixItems", "then", "unevaluatedItems", "unevaluatedProperties",
}

// forms are the kinds of the values of keywords that have one.
var forms = map[string]wire.Kind{
	"allOf": wire.KindArray, "anyOf": wire.KindArray, "enum": wire.KindArray, "exclusiveMaximum": wire.KindNumber, "exclusiveMinimum": wire.KindNumber,
	"format": wire.KindString, "maximum": wire.KindNumber, "minimum": wire.KindNumber, "multipleOf": wire.KindNumber, "oneOf": wire.KindArray,
	"pattern": wire.KindString, "properties": wire.KindObject, "required": wire.KindArray, "uniqueItems": wire.KindBool,
}

// node is the check of a schema: passes over one value.
type node struct {
	types  wire.Kind
	passes []func(c *schema.Checker, types wire.Kind)
	// typed means that the first pass checks the type.
	typed bool
}

func (n *node) check(c *schema.Checker) {
	types := n.types
	switch {
	case len(n.passes) == 0 && types == wire.KindAny:
		c.Pass()
		return
	case len(n.passes) == 0:
		c.Value(types)
		return
	case types != wire.KindAny && (len(n.passes) > 1 || !n.typed):
		if !c.Type(types) {
			return
		}
		types = wire.KindAny
	}
	start := c.Mark()
	for i, pass := range n.passes {
		if i > 0 {
			c.Reset(start)
		}
		pass(c, types)
	}
}

// then adds a pass that runs a check of the same value.
func (n *node) then(check func(*schema.Checker)) {
	n.passes = append(n.passes, func(c *schema.Checker, _ wire.Kind) { check(c) })
}

// compiler compiles the schemas of one document.
type compiler struct {
	root    wire.Raw
	targets map[string]*node    // of references, by their JSON Pointer
	within  []string            // targets that are being compiled and apply to the same value
	refers  map[string][]string // the targets that a target refers to for the same value
}

// keywords are those of one schema.
type keywords struct {
	wire.Object
	p *compiler
}

func (p *compiler) compile(text wire.Raw) (*node, error) {
	switch text.Kind() {
	case wire.KindBool:
		n := &node{types: wire.KindAny}
		if text == "false" {
			n.then((*schema.Checker).Never)
		}
		return n, nil
	case wire.KindObject:
	default:
		return nil, fmt.Errorf("expected a schema, found %s", text.Kind())
	}
	k := keywords{wire.Object(text), p}
	n := &node{types: wire.KindAny}
	for _, step := range []func(*node) error{k.readable, k.types, k.value, k.object, k.array, k.unique, k.reference, k.combined} {
		if err := step(n); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// inner compiles a schema that applies to a part of the value.
func (k keywords) inner(name string, text wire.Raw) (func(*schema.Checker), error) {
	outer := k.p.within
	k.p.within = nil
	defer func() { k.p.within = outer }()
	n, err := k.p.compile(text)
	if err != nil {
		return nil, wrap(name, err)
	}
	return n.check, nil
}

func wrap(name string, err error) error { return fmt.Errorf("%s: %w", name, err) }

// readable returns an error for a keyword that Compile does not read, or whose value has another form than it must
// have.
func (k keywords) readable(*node) error {
	for name, value := range k.All() {
		if slices.Contains(notCovered, name) {
			return fmt.Errorf("the keyword %s is %w", name, ErrNotCovered)
		}
		if want, ok := forms[name]; ok && value.Kind() != want {
			return fmt.Errorf("%s: expected %s, found %s", name, want, value.Kind())
		}
		if name == "$schema" {
			// A part with a dialect of its own is a document of its own, to which references are relative.
			if s, _ := value.Str(); strings.TrimSuffix(s, "#") != dialect || wire.Raw(k.Object) != k.p.root {
				return fmt.Errorf("the dialect %s is %w", value, ErrNotCovered)
			}
		}
	}
	return nil
}

// typeNames are the types by their names in schemas.
var typeNames = map[string]wire.Kind{
	"null": wire.KindNull, "boolean": wire.KindBool, "object": wire.KindObject, "array": wire.KindArray, "number": wire.KindNumber, "string": wire.KindString, "integer": wire.KindInteger,
}

func (k keywords) types(n *node) error {
	value, ok := k.Get("type")
	if !ok {
		return nil
	}
	list := []wire.Raw{value}
	if value.Kind() == wire.KindArray {
		list = value.Elements()
	}
	n.types = 0
	for _, name := range list {
		s, _ := name.Str()
		one, ok := typeNames[s]
		if !ok {
			return fmt.Errorf("type: %s is not a type", name)
		}
		n.types |= one
	}
	return nil
}

// rule is a rule for a value as a whole.
type rule = func(c *schema.Checker, v schema.Value)

// value adds the rules that apply to a value as a whole.
func (k keywords) value(n *node) error {
	var rules []rule
	if want, ok := k.Get("const"); ok {
		rules = append(rules, func(c *schema.Checker, v schema.Value) { c.Const(v, want) })
	}
	if list, ok := k.Get("enum"); ok {
		allowed := list.Elements()
		rules = append(rules, func(c *schema.Checker, v schema.Value) { c.Enum(v, allowed...) })
	}
	for _, bound := range []struct {
		name   string
		method func(*schema.Checker, schema.Value, wire.Raw)
	}{
		{"minimum", (*schema.Checker).Minimum}, {"maximum", (*schema.Checker).Maximum}, {"exclusiveMinimum", (*schema.Checker).ExclusiveMinimum},
		{"exclusiveMaximum", (*schema.Checker).ExclusiveMaximum}, {"multipleOf", (*schema.Checker).MultipleOf},
	} {
		value, ok := k.Get(bound.name)
		if !ok {
			continue
		}
		if bound.name == "multipleOf" && wire.CompareNumbers(value, "0") <= 0 {
			return fmt.Errorf("%s: %s is not greater than 0", bound.name, value)
		}
		rules = append(rules, func(c *schema.Checker, v schema.Value) { bound.method(c, v, value) })
	}
	lengths, err := limits(k, limit[schema.Value]{"minLength", (*schema.Checker).MinLength}, limit[schema.Value]{"maxLength", (*schema.Checker).MaxLength})
	if err != nil {
		return err
	}
	texts, err := k.texts(n)
	if err != nil {
		return err
	}
	if rules = slices.Concat(rules, lengths, texts); len(rules) == 0 {
		return nil
	}
	n.typed = true
	n.passes = append(n.passes, func(c *schema.Checker, types wire.Kind) {
		v := c.Value(types)
		for _, rule := range rules {
			rule(c, v)
		}
	})
	return nil
}

// texts returns the rules for the text of strings. A format by itself is an annotation. Beside the type
// "string" it counts, which is how tools use it.
func (k keywords) texts(n *node) (rules []rule, err error) {
	if value, ok := k.Get("pattern"); ok {
		source, _ := value.Str()
		pattern, err := patternOf(source)
		if err != nil {
			return nil, err
		}
		rules = append(rules, func(c *schema.Checker, v schema.Value) { c.Pattern(v, pattern) })
	}
	if value, ok := k.Get("format"); ok {
		name, _ := value.Str()
		if n.types != wire.KindAny && n.types&wire.KindString != 0 {
			rules = append(rules, func(c *schema.Checker, v schema.Value) { c.Format(v, name) })
		}
	}
	return rules, nil
}

// patternOf returns a pattern of package regexp.
func patternOf(source string) (*schema.Pattern, error) {
	re2, ok := Translate(source)
	switch {
	case ok:
		return schema.MustPattern(source, re2), nil
	case misshapen(source) != "":
		return nil, fmt.Errorf("the pattern %s is not a regular expression: %s", source, misshapen(source))
	}
	return nil, fmt.Errorf("the pattern %s is %w", source, ErrNotCovered)
}

// misshapen returns why a pattern is not a regular expression in any dialect, or "" if it may be one in some
// dialect.
func misshapen(source string) syntax.ErrorCode {
	_, err := syntax.Parse(source, syntax.Perl)
	wrong, ok := errors.AsType[*syntax.Error](err)
	if !ok || strings.Contains(source, "[]") || strings.Contains(source, "[^]") { // a class that only ECMAScript has
		return ""
	}
	switch wrong.Code {
	case syntax.ErrInvalidCharRange:
		if strings.HasPrefix(strings.ToLower(wrong.Expr), `\p`) {
			return "" // a property that package regexp does not know
		}
		return wrong.Code
	case syntax.ErrMissingBracket, syntax.ErrMissingParen, syntax.ErrMissingRepeatArgument,
		syntax.ErrTrailingBackslash, syntax.ErrUnexpectedParen:
		return wrong.Code
	}
	return ""
}

// limit is a keyword for the least or the most of something that a T has, with the method that reports it.
type limit[T any] struct {
	keyword string
	report  func(*schema.Checker, T, int64)
}

// limits returns the rules of the limits that a schema has.
func limits[T any](k keywords, all ...limit[T]) (rules []func(*schema.Checker, T), err error) {
	for _, l := range all {
		value, ok := k.Get(l.keyword)
		if !ok {
			continue
		}
		n, ok := value.Count()
		if !ok {
			return nil, fmt.Errorf("%s: %s is not an integer of at least 0", l.keyword, value)
		}
		rules = append(rules, func(c *schema.Checker, of T) { l.report(c, of, n) })
	}
	return rules, nil
}

func (k keywords) object(n *node) error {
	sizes, err := limits(k, limit[int]{"minProperties", (*schema.Checker).MinProperties}, limit[int]{"maxProperties", (*schema.Checker).MaxProperties})
	if err != nil {
		return err
	}
	required, err := k.names("required")
	if err != nil {
		return err
	}
	properties, has := k.Get("properties")
	var rules []schema.Member
	var allowed []string
	for name, text := range wire.Object(properties).All() {
		check, err := k.inner(name, text)
		if err != nil {
			return err
		}
		rules = append(rules, schema.Member{Name: name, Required: slices.Contains(required, name), Check: check})
		allowed = append(allowed, name)
	}
	var names func(*schema.Checker)
	if text, ok := k.Get("propertyNames"); ok {
		if names, err = k.inner("propertyNames", text); err != nil {
			return err
		}
	}
	others := (*schema.Checker).Pass
	if text, ok := k.Get("additionalProperties"); ok {
		if others, err = k.inner("additionalProperties", text); err != nil {
			return err
		}
		if text == "false" {
			others = func(c *schema.Checker) { c.Unknown(allowed...) }
		}
		has = true
	}
	for _, name := range required {
		if !slices.Contains(allowed, name) {
			rules = append(rules, schema.Member{Name: name, Required: true, Check: others})
		}
	}
	if n.types&wire.KindObject == 0 {
		return nil
	}
	if has || required != nil {
		n.typed = true
		n.passes = append(n.passes, func(c *schema.Checker, types wire.Kind) { c.Members(types, others, rules) })
	}
	if names != nil || sizes != nil {
		n.then(func(c *schema.Checker) {
			if !c.Object(wire.KindAny) {
				return
			}
			count := 0
			for ; c.Member(); count++ {
				if names != nil {
					c.PropertyName(names)
				}
				c.Pass()
			}
			for _, rule := range sizes {
				rule(c, count)
			}
		})
	}
	return nil
}

// names returns the value of a keyword that is a list of names.
func (k keywords) names(name string) (all []string, err error) {
	list, _ := k.Get(name)
	for _, e := range list.Elements() {
		s, ok := e.Str()
		if !ok {
			return nil, fmt.Errorf("%s: %s is not a string", name, e)
		}
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all, nil
}

func (k keywords) array(n *node) error {
	sizes, err := limits(k, limit[int]{"minItems", (*schema.Checker).MinItems}, limit[int]{"maxItems", (*schema.Checker).MaxItems})
	if err != nil {
		return err
	}
	each := (*schema.Checker).Pass
	items, has := k.Get("items")
	if has {
		if each, err = k.inner("items", items); err != nil {
			return err
		}
	}
	if n.types&wire.KindArray == 0 || !has && sizes == nil {
		return nil
	}
	n.typed = true
	n.passes = append(n.passes, func(c *schema.Checker, types wire.Kind) {
		if !c.Array(types) {
			return
		}
		count := 0
		for ; c.Element(); count++ {
			each(c)
		}
		for _, rule := range sizes {
			rule(c, count)
		}
	})
	return nil
}

func (k keywords) unique(n *node) error {
	if value, _ := k.Get("uniqueItems"); value == "true" && n.types&wire.KindArray != 0 {
		n.then((*schema.Checker).Unique)
	}
	return nil
}

// reference adds the check of the schema that $ref refers to.
func (k keywords) reference(n *node) error {
	value, ok := k.Get("$ref")
	if !ok {
		return nil
	}
	ref, _ := value.Str()
	pointer, local := strings.CutPrefix(ref, "#")
	if !local || pointer != "" && pointer[0] != '/' || strings.Contains(pointer, "%") {
		return fmt.Errorf("the $ref %s is %w", value, ErrNotCovered)
	}
	if n := len(k.p.within); n > 0 {
		from := k.p.within[n-1]
		k.p.refers[from] = append(k.p.refers[from], pointer)
	}
	for i, all := 0, []string{pointer}; i < len(all); i++ {
		if slices.Contains(k.p.within, all[i]) {
			return fmt.Errorf("$ref: the schema at %s refers to itself for the same value", ref)
		}
		for _, next := range k.p.refers[all[i]] {
			if !slices.Contains(all, next) {
				all = append(all, next)
			}
		}
	}
	target, ok := k.p.targets[pointer]
	if !ok {
		text, ok := k.p.root.At(pointer)
		if !ok {
			return fmt.Errorf("$ref: there is nothing at %s", ref)
		}
		target = new(node)
		k.p.targets[pointer], k.p.within = target, append(k.p.within, pointer)
		compiled, err := k.p.compile(text)
		k.p.within = k.p.within[:len(k.p.within)-1]
		if err != nil {
			return wrap(ref, err)
		}
		*target = *compiled
	}
	n.then(target.check)
	return nil
}

// combined adds the checks of allOf, anyOf and oneOf.
func (k keywords) combined(n *node) error {
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, ok := k.Get(keyword)
		if !ok {
			continue
		}
		var checks []func(*schema.Checker)
		for _, text := range list.Elements() {
			one, err := k.p.compile(text)
			if err != nil {
				return wrap(keyword, err)
			}
			checks = append(checks, one.check)
		}
		if checks == nil {
			return fmt.Errorf("%s: expected an array of schemas", keyword)
		}
		switch keyword {
		case "allOf":
			for _, check := range checks {
				n.then(check)
			}
		case "anyOf":
			n.then(func(c *schema.Checker) { c.AnyOf(checks...) })
		case "oneOf":
			n.then(func(c *schema.Checker) { c.OneOf(checks...) })
		}
	}
	return nil
}
