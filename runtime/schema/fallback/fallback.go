// Package fallback validates, with github.com/santhosh-tekuri/jsonschema, the schemas that
// generated check functions do not cover. Code generated from such a schema imports this package, and
// programs that validate schemas which they read when they run.
package fallback

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// location is the URL of a schema without an $id.
const location = "mem:///schema"

// Compile returns the check function of a schema. The schema must be self-contained: it may
// refer only to itself and to metaschemas. The draft is 2020-12 unless $schema names
// another one. All formats that [wire.InFormat] knows are asserted.
func Compile(text string) (func(*schema.Checker), error) {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("fallback: %w", err)
	}
	checked, err := wire.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("fallback: %w", err)
	}
	if number, ok := extreme(checked); ok {
		return nil, fmt.Errorf("fallback: the number %s is too large or too small to be compared", number)
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
	compiled, err := given(func() (*jsonschema.Schema, error) { return compiler.Compile(location) })
	if err != nil {
		return nil, fmt.Errorf("fallback: %w", err)
	}
	return func(c *schema.Checker) { check(c, wire.Raw(text), compiled) }, nil
}

// Validator returns a function that validates values against a schema, for the field CheckOutput of
// runtime.ClientOptions. Its error is a *[wire.ValidationError].
func Validator(text wire.Raw) (func(value wire.Raw) error, error) {
	check, err := Compile(string(text))
	if err != nil {
		return nil, err
	}
	return func(value wire.Raw) error { return schema.Check(value, check) }, nil
}

// MustCompile is [Compile] for a schema that is known to be valid. The schema is compiled
// on first use, which panics if it is invalid.
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

// formats lists the formats that package jsonschema would check differently than wire does.
var formats = []string{
	"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "iri", "iri-reference",
	"json-pointer", "period", "regex", "relative-json-pointer", "semver", "time", "uri", "uri-reference",
	"uri-template", "uuid",
}

// noLoader refuses to load remote schemas.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("remote schemas are not fetched: " + url)
}

// pattern implements the regular expressions of package jsonschema.
type pattern struct {
	source  string
	pattern *schema.Pattern // nil if the source is not a valid pattern
}

func compilePattern(source string) (jsonschema.Regexp, error) {
	p, err := ecma.Compile(source)
	if err != nil {
		return pattern{source, nil}, nil // an invalid pattern is ignored
	}
	return pattern{source, p}, nil
}

func (p pattern) String() string { return p.source }

// MatchString panics with a givenUp if matching is given up: a schema may ask for what does not match, and a value may
// have many strings like that.
func (p pattern) MatchString(s string) bool {
	if p.pattern == nil {
		return true
	}
	matched, err := p.pattern.MatchString(s)
	if err != nil {
		panic(givenUp{schema.NewPattern(p.source, func(string) (bool, error) { return false, err }), err})
	}
	return matched
}

// givenUp is the error of a match, with a pattern that returns it.
type givenUp struct {
	*schema.Pattern
	error
}

// given returns the result of a function, or the givenUp that it panics with.
func given[T any](do func() (T, error)) (result T, err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case givenUp:
			err = v
		default:
			panic(v)
		}
	}()
	return do()
}

func check(c *schema.Checker, root wire.Raw, compiled *jsonschema.Schema) {
	text, ok := c.Text()
	if !ok {
		return
	}
	if number, ok := extreme(text); ok {
		c.Report("", "contains the number "+number+", which is too large or too small to be checked")
		return
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		c.Report("", "is not valid JSON")
		return
	}
	_, err = given(func() (any, error) { return nil, compiled.Validate(value) })
	switch err := err.(type) {
	case nil:
	case *jsonschema.ValidationError:
		report(c, root, text, err)
	case givenUp:
		c.Matches(err.Pattern, "")
	default:
		c.Report("", err.Error())
	}
}

// stringsAndExtremes matches strings, which may look like numbers within, and numbers whose exponent has more than three
// digits.
var stringsAndExtremes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[-0-9.]+[eE][-+]?0*[1-9][0-9]{3,}`)
})

// extreme returns a number in the text whose exponent has more than three digits. Package
// jsonschema would expand it to all its digits.
func extreme(text wire.Raw) (number string, ok bool) {
	for _, at := range stringsAndExtremes().FindAllStringIndex(string(text), -1) {
		if found := text[at[0]:at[1]]; found.Kind() == wire.KindNumber {
			return string(found), true
		}
	}
	return "", false
}
