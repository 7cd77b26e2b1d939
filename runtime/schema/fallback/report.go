package fallback

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/dynamic"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// report reports the innermost errors of a value to c, in a deterministic order.
func report(c *schema.Checker, root, value wire.Raw, e *jsonschema.ValidationError) {
	left := 50
	all := reporter{root, value, &left}.problems(e)
	// If a schema fails, its members also count as unevaluated and are reported as not allowed,
	// although nothing is wrong with them.
	if rest := slices.DeleteFunc(slices.Clone(all), notAllowed); len(rest) > 0 {
		all = rest
	}
	slices.SortFunc(all, func(a, b wire.Problem) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Message, b.Message))
	})
	for _, p := range slices.Compact(all) {
		c.Report(p.Pointer, p.Message)
	}
}

const forbidden = "is not allowed"

func notAllowed(p wire.Problem) bool { return p.Message == forbidden }

// reporter puts the errors of a value into the words that generated checks use.
type reporter struct {
	root, value wire.Raw
	left        *int // number of errors that may still be checked again, because each one costs a search of the value
}

// problems returns the innermost errors. The errors of alternatives become one problem.
func (r reporter) problems(e *jsonschema.ValidationError) []wire.Problem {
	at := wire.ChildPointer("", e.InstanceLocation...)
	switch k := e.ErrorKind.(type) {
	case *kind.PropertyNames:
		name, _ := wire.AppendString(nil, k.Property)
		var all []wire.Problem
		for _, cause := range e.Causes {
			for _, p := range (reporter{r.root, wire.Raw(name), r.left}).problems(cause) {
				all = append(all, wire.Problem{Pointer: at, Message: "the name of the member " + strconv.Quote(k.Property) + " " + p.Message})
			}
		}
		return all
	case *kind.DependentRequired:
		return beside(at, k.Prop, k.Missing)
	case *kind.Dependency:
		return beside(at, k.Prop, k.Missing)
	case *kind.Required:
		var all []wire.Problem
		for _, name := range k.Missing {
			all = append(all, wire.Problem{Pointer: at, Message: "missing member " + strconv.Quote(name)})
		}
		return all
	case *kind.AdditionalProperties:
		all := r.unknown(e, at)
		for _, name := range k.Properties {
			if p := wire.ChildPointer(at, name); !slices.ContainsFunc(all, func(other wire.Problem) bool { return other.Pointer == p }) {
				all = append(all, wire.Problem{Pointer: p, Message: "unknown member"})
			}
		}
		return all
	case *kind.AnyOf:
		return []wire.Problem{{Pointer: at, Message: "must match at least one of these alternatives:" + r.alternatives(e.Causes)}}
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return []wire.Problem{{Pointer: at, Message: "must match exactly one of these alternatives:" + r.alternatives(e.Causes)}}
		}
	case *kind.Contains:
		return r.matching(e, at, func(c *schema.Checker, text string) { c.MinContains(0, 1, text) })
	case *kind.MinContains:
		return r.matching(e, at, func(c *schema.Checker, text string) { c.MinContains(len(k.Got), int64(k.Want), text) })
	case *kind.MaxContains:
		return r.matching(e, at, func(c *schema.Checker, text string) { c.MaxContains(len(k.Got), int64(k.Want), text) })
	}
	if len(e.Causes) == 0 {
		return []wire.Problem{{Pointer: at, Message: r.sentence(e, at)}}
	}
	var all []wire.Problem
	for _, cause := range e.Causes {
		if _, ok := cause.ErrorKind.(*kind.PropertyNames); ok {
			cause.InstanceLocation = e.InstanceLocation // package jsonschema overwrites that of the cause
		}
		all = append(all, r.problems(cause)...)
	}
	return all
}

// alternatives describes why a value matches none of several branches.
func (r reporter) alternatives(causes []*jsonschema.ValidationError) string {
	const longest = 1500
	var b strings.Builder
	for i, cause := range causes {
		if b.Len() > longest {
			b.WriteString(" and " + strconv.Itoa(len(causes)-i) + " more")
			break
		}
		b.WriteString(" (" + strconv.Itoa(i+1) + ") ")
		for j, p := range r.problems(cause) {
			if j > 0 {
				b.WriteString("; ")
			}
			b.WriteString(p.String())
		}
	}
	return b.String()
}

// matching reports how many elements of an array match a schema. Why others do not match it is no problem of the array.
func (r reporter) matching(e *jsonschema.ValidationError, at string, report func(c *schema.Checker, text string)) []wire.Problem {
	of, _ := r.schema(e).Get("contains")
	err := schema.Check("[]", func(c *schema.Checker) {
		c.Pass()
		report(c, cmp.Or(string(of), "the schema of contains"))
	})
	all := wire.ProblemsOf(err)
	for i := range all {
		all[i].Pointer = at
	}
	return all
}

// beside reports the members that are required because another one is present.
func beside(at, name string, missing []string) []wire.Problem {
	var all []wire.Problem
	for _, m := range missing {
		all = append(all, wire.Problem{Pointer: at, Message: "missing member " + strconv.Quote(m) + ", which " + strconv.Quote(name) + " requires"})
	}
	return all
}

// unknown reports the members that are none of the properties of the schema of an error, unless patterns allow others.
func (r reporter) unknown(e *jsonschema.ValidationError, at string) []wire.Problem {
	rules := wire.Members{{Name: "additionalProperties", Value: "false"}}
	of := r.schema(e)
	if _, patterns := of.Get("patternProperties"); patterns {
		return nil
	}
	if properties, ok := of.Get("properties"); ok {
		var names wire.Members
		for name := range wire.Object(properties).All() {
			names = append(names, wire.Member{Name: name, Value: "{}"})
		}
		text, err := wire.NewObject(names...)
		if err != nil {
			return nil
		}
		rules = append(rules, wire.Member{Name: "properties", Value: wire.Raw(text)})
	}
	return r.check(at, rules...)
}

// schema returns the schema of an error, or "" if it is in another document.
func (r reporter) schema(e *jsonschema.ValidationError) wire.Object {
	fragment, ok := strings.CutPrefix(e.SchemaURL, location+"#")
	at, err := url.PathUnescape(fragment)
	if !ok || err != nil {
		return ""
	}
	of, _ := r.root.At(at)
	return wire.Object(of)
}

// check returns the problems that package dynamic finds in the value at a pointer, or none if it does not check that.
func (r reporter) check(at string, rules ...wire.Member) []wire.Problem {
	if *r.left--; *r.left < 0 {
		return nil
	}
	value, ok := r.value.At(at)
	text, err := wire.NewObject(rules...)
	if !ok || err != nil {
		return nil
	}
	check, err := dynamic.Compile(wire.Raw(text))
	if err == nil {
		err = schema.Check(value, check)
	}
	invalid, ok := errors.AsType[*wire.ValidationError](err)
	if !ok {
		return nil
	}
	for i := range invalid.Problems {
		invalid.Problems[i].Pointer = at + invalid.Problems[i].Pointer
	}
	return invalid.Problems
}

// sentence describes an error in words.
func (r reporter) sentence(e *jsonschema.ValidationError, at string) string {
	keyword := strings.Join(e.ErrorKind.KeywordPath(), "/")
	if rule, ok := r.schema(e).Get(keyword); ok {
		rules := wire.Members{{Name: keyword, Value: rule}}
		if keyword == "format" { // which is an annotation without the type
			rules = append(rules, wire.Member{Name: "type", Value: `"string"`})
		}
		if found := r.check(at, rules...); len(found) > 0 {
			return found[0].Message
		}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.FalseSchema:
		return forbidden
	case *kind.Type:
		return "must be " + strings.Join(k.Want, " or ") + ", found " + k.Got
	case *kind.Format:
		return "must be in the format " + k.Want
	case *kind.Pattern:
		return "must match the pattern " + k.Want
	case *kind.Not:
		return "must not match what its schema excludes"
	case *kind.OneOf:
		return fmt.Sprintf("must match exactly one of the alternatives, matches both number %d and number %d", k.Subschemas[0]+1, k.Subschemas[1]+1)
	}
	return e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
}
