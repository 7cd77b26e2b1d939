package fallback

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// report reports the innermost errors to c, in a deterministic order.
func report(c *schema.Checker, e *jsonschema.ValidationError) {
	all := problems(e)
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

// problems returns the innermost errors. The errors of alternatives become one problem.
func problems(e *jsonschema.ValidationError) []wire.Problem {
	at := pointer(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		var all []wire.Problem
		for _, name := range k.Missing {
			all = append(all, wire.Problem{Pointer: at, Message: "missing member " + strconv.Quote(name)})
		}
		return all
	case *kind.AdditionalProperties:
		var all []wire.Problem
		for _, name := range k.Properties {
			all = append(all, wire.Problem{Pointer: at + string(wire.AppendPointer(nil, name)), Message: "unknown member"})
		}
		return all
	case *kind.AnyOf:
		return []wire.Problem{{Pointer: at, Message: "must match at least one of these alternatives:" + alternatives(e.Causes)}}
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return []wire.Problem{{Pointer: at, Message: "must match exactly one of these alternatives:" + alternatives(e.Causes)}}
		}
	}
	if len(e.Causes) == 0 {
		return []wire.Problem{{Pointer: at, Message: sentence(e.ErrorKind)}}
	}
	var all []wire.Problem
	for _, cause := range e.Causes {
		all = append(all, problems(cause)...)
	}
	return all
}

// alternatives describes why a value matches none of several branches.
func alternatives(causes []*jsonschema.ValidationError) string {
	const longest = 1500
	var b strings.Builder
	for i, cause := range causes {
		if b.Len() > longest {
			b.WriteString(" and " + strconv.Itoa(len(causes)-i) + " more")
			break
		}
		b.WriteString(" (" + strconv.Itoa(i+1) + ") ")
		for j, p := range problems(cause) {
			if j > 0 {
				b.WriteString("; ")
			}
			b.WriteString(p.String())
		}
	}
	return b.String()
}

// sentence describes an error in words.
func sentence(k jsonschema.ErrorKind) string {
	printer := message.NewPrinter(language.English)
	switch k := k.(type) {
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
	}
	return k.LocalizedString(printer)
}

func pointer(location []string) string {
	var dst []byte
	for _, name := range location {
		dst = wire.AppendPointer(dst, name)
	}
	return string(dst)
}
