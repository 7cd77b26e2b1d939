// Package fallback validates by github.com/santhosh-tekuri/jsonschema what
// generated check functions do not cover. Only code generated from a schema that
// needs it imports this package.
package fallback

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// location is what a schema without an $id is called.
const location = "mem:///schema"

// Compile returns the check of a schema, a document that refers to nothing
// outside but metaschemas. Of draft 2020-12 it is unless its $schema says otherwise.
// All its formats are asserted that [wire.InFormat] knows.
func Compile(text string) (func(*schema.Checker), error) {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("fallback: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(compilePattern)
	for _, name := range formats {
		compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			if s, ok := v.(string); ok && !wire.InFormat(name, s) {
				return errors.New("")
			}
			return nil
		}})
	}
	if err := compiler.AddResource(location, document); err != nil {
		return nil, fmt.Errorf("fallback: %w", err)
	}
	compiled, err := compiler.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("fallback: %w", err)
	}
	return func(c *schema.Checker) { check(c, compiled) }, nil
}

// MustCompile is [Compile] for a schema that is known to be good. It is compiled when it
// is used first; with a schema that is not good, that panics.
func MustCompile(text string) func(*schema.Checker) {
	compiled := sync.OnceValue(func() func(*schema.Checker) {
		check, err := Compile(text)
		if err != nil {
			panic(err)
		}
		return check
	})
	return func(c *schema.Checker) { compiled()(c) }
}

// formats are those about which packages might have other opinions than wire.
var formats = []string{
	"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "iri", "iri-reference",
	"json-pointer", "period", "regex", "relative-json-pointer", "semver", "time", "uri", "uri-reference",
	"uri-template", "uuid",
}

// noLoader loads nothing.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("nothing is fetched: " + url)
}

// pattern is a pattern as package jsonschema wants it.
type pattern struct {
	source  string
	pattern *schema.Pattern // nil where the source is no pattern
}

func compilePattern(source string) (jsonschema.Regexp, error) {
	p, err := ecma.Compile(source)
	if err != nil {
		return pattern{source, nil}, nil // which is no rule
	}
	return pattern{source, p}, nil
}

func (p pattern) String() string { return p.source }

// MatchString takes a string for one that does not match when matching is given up.
func (p pattern) MatchString(s string) bool {
	if p.pattern == nil {
		return true
	}
	matched, err := p.pattern.MatchString(s)
	return matched && err == nil
}

func check(c *schema.Checker, compiled *jsonschema.Schema) {
	text, ok := c.Text()
	if !ok {
		return
	}
	if number, ok := extreme(text); ok {
		c.Report("", "has the number "+number+", which is too large or too small to be checked")
		return
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		c.Report("", "is no JSON")
		return
	}
	var invalid *jsonschema.ValidationError
	switch err := compiled.Validate(value); {
	case err == nil:
	case errors.As(err, &invalid):
		report(c, invalid)
	default:
		c.Report("", err.Error())
	}
}

// extreme returns a number in a text with an exponent past three digits. Package
// jsonschema would write all of its digits out.
func extreme(text wire.Raw) (number string, ok bool) {
	in := wire.NewStringReader(string(text))
	return find(in)
}

func find(in *wire.Reader) (number string, ok bool) {
	switch in.Kind() {
	case wire.KindObject:
		for in.BeginObject(); in.Member(); {
			if number, ok = find(in); ok {
				return number, ok
			}
		}
	case wire.KindArray:
		for in.BeginArray(); in.Element(); {
			if number, ok = find(in); ok {
				return number, ok
			}
		}
	case wire.KindNumber:
		number := string(in.Take())
		_, exponent, _ := strings.Cut(strings.ToLower(number), "e")
		exponent = strings.TrimLeft(strings.TrimLeft(exponent, "+-"), "0")
		return number, len(exponent) > 3
	default:
		in.Take()
	}
	return "", false
}
