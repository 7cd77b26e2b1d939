package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

//go:embed flights.json
var flights []byte

// arguments are the arguments of a typical call of search_flights.
const arguments = `{"from":"VIE","to":"LIS","date":"2026-05-17","passengers":2,"cabin":"economy",` +
	`"budget":{"amount":350.5,"currency":"EUR"},"tags":["sun","beach"]}`

// broken are invalid arguments.
var broken = strings.Replace(arguments, "350.5", "0", 1)

// The other validators.
const (
	google = "google/jsonschema-go"
	tekuri = "santhosh-tekuri"
)

// validator checks arguments as text, or as decoded values.
type validator struct {
	name  string
	text  func(text string) error
	value func(value any) error
}

// argumentRows check arguments against a schema.
func argumentRows() []*Row {
	text := &Row{Name: "arguments/text", Title: "checking the arguments of a call, as they come", Targets: []Target{faster(5, google)}}
	value := &Row{Name: "arguments/value", Title: "checking the arguments of a call, where the others get them decoded", Targets: []Target{faster(5, google)}}
	for _, name := range []string{mcpgen, google, tekuri} {
		text.Subjects = append(text.Subjects, Subject{name, func(context.Context, *Lab) (*Work, error) {
			v, err := newValidator(name)
			if err != nil {
				return nil, err
			}
			return checks(v.text, arguments, broken)
		}})
		value.Subjects = append(value.Subjects, Subject{name, func(context.Context, *Lab) (*Work, error) {
			v, err := newValidator(name)
			if err != nil {
				return nil, err
			}
			if v.value == nil {
				return checks(v.text, arguments, broken)
			}
			var good, bad any
			if err := errors.Join(json.Unmarshal([]byte(arguments), &good), json.Unmarshal([]byte(broken), &bad)); err != nil {
				return nil, err
			}
			return checks(v.value, good, bad)
		}})
	}
	return []*Row{text, value}
}

// checks returns the work of checking valid arguments. It first checks that invalid arguments
// are refused.
func checks[T any](check func(T) error, good, bad T) (*Work, error) {
	if check(bad) == nil {
		return nil, fmt.Errorf("negative control: not refused: %v", bad)
	}
	return &Work{Do: func(n int) error {
		for range n {
			if err := check(good); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

// newValidator returns a validator for the input schema of search_flights.
func newValidator(name string) (validator, error) {
	var list struct {
		Tools []struct{ InputSchema json.RawMessage }
	}
	if err := json.Unmarshal(flights, &list); err != nil {
		return validator{}, err
	}
	source := list.Tools[0].InputSchema
	v := validator{name: name}
	switch name {
	case mcpgen:
		v.text = func(text string) error { return schema.Check(wire.Raw(text), checkSearchFlightsInput) }
		return v, nil
	case google:
		var s jsonschema.Schema
		if err := json.Unmarshal(source, &s); err != nil {
			return v, err
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			return v, err
		}
		v.value = func(value any) error { return resolved.Validate(value) }
	case tekuri:
		document, err := santhosh.UnmarshalJSON(strings.NewReader(string(source)))
		if err != nil {
			return v, err
		}
		c := santhosh.NewCompiler()
		if err := c.AddResource("mem:///tools.json", document); err != nil {
			return v, err
		}
		compiled, err := c.Compile("mem:///tools.json")
		if err != nil {
			return v, err
		}
		v.value = compiled.Validate
	}
	v.text = func(text string) error {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			return err
		}
		return v.value(value)
	}
	return v, nil
}
