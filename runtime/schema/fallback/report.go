package fallback

import (
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// report tells c of the innermost errors, those of alternatives as one.
func report(c *schema.Checker, e *jsonschema.ValidationError) {
	at := pointer(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			c.Report(at, "missing member "+strconv.Quote(name))
		}
		return
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			c.Report(at+string(wire.AppendPointer(nil, name)), "unknown member")
		}
		return
	case *kind.FalseSchema:
		c.Report(at, "is not allowed")
		return
	case *kind.AnyOf:
		c.Report(at, "must match at least one of these alternatives:"+alternatives(e.Causes))
		return
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			c.Report(at, "must match exactly one of these alternatives:"+alternatives(e.Causes))
			return
		}
	}
	if len(e.Causes) == 0 {
		c.Report(at, sentence(e.ErrorKind))
		return
	}
	for _, cause := range e.Causes {
		report(c, cause)
	}
}

func alternatives(causes []*jsonschema.ValidationError) string {
	var b strings.Builder
	for i, cause := range causes {
		b.WriteString(" (" + strconv.Itoa(i+1) + ") ")
		for j, leaf := range leaves(cause) {
			if j > 0 {
				b.WriteString("; ")
			}
			if at := pointer(leaf.InstanceLocation); at != "" {
				b.WriteString("at " + at + ": ")
			}
			b.WriteString(sentence(leaf.ErrorKind))
		}
	}
	return b.String()
}

func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// sentence returns what is wrong in words.
func sentence(k jsonschema.ErrorKind) string {
	return k.LocalizedString(message.NewPrinter(language.English))
}

func pointer(location []string) string {
	var dst []byte
	for _, name := range location {
		dst = wire.AppendPointer(dst, name)
	}
	return string(dst)
}
