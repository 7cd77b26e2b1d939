package typed

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/dynamic"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Prompt returns a prompt with a handler that gets its arguments in a struct and returns a GetPromptResult.
// The definition is a Prompt object, such as a *mcp.Prompt, without arguments: they are the fields of In,
// with their descriptions. Arguments are strings on the wire; a field may also be a number or a boolean.
// Arguments that are not valid under the tags of their fields are refused. Those whose values are listed
// are completed.
//
// If a type has no such arguments, adding the prompt to a server or a catalog returns the error.
func Prompt[In any, R wire.Appender](definition wire.Appender, get func(ctx context.Context, in *In) (R, error)) catalog.Prompt {
	a, err := argumentsOf(reflect.TypeFor[In](), false)
	if err == nil {
		err = a.define(definition)
	}
	if err != nil {
		return catalog.Prompt{Definition: failed{definition, err}}
	}
	p := &tools.Prompt{Definition: a.definition, Arguments: a.check, Literals: a.literals}
	for _, f := range a.shape.fields {
		if choices := choicesOf(f); choices != nil && !f.required() && !slices.Contains(choices, "") {
			p.Blank = append(p.Blank, f.name)
		}
	}
	return completed(a, tools.ServePrompt(p, a.fresh, func(ctx context.Context, in *value) (R, error) { return get(ctx, of[In](in)) }))
}

// completed returns an item that completes the arguments whose values are listed.
func completed[I interface {
	Complete(name string, c catalog.Completer) I
}](a *arguments, item I) I {
	for _, f := range a.shape.fields {
		if choices := choicesOf(f); choices != nil {
			item = item.Complete(f.name, catalog.OneOf(choices...))
		}
	}
	return item
}

// Template returns a resource template with a handler that gets the variables of a URI in a struct and
// returns a ReadResourceResult, or [catalog.ErrNoResource]. The definition is a ResourceTemplate object,
// such as a *mcp.ResourceTemplate. Each variable of its uriTemplate has a field of In: a string, a number or
// a boolean, or a []string for one that is exploded, as in {/path*}. For a URI whose variables are not valid
// under the tags of their fields, there is no resource. Variables whose values are listed are completed.
//
// If the fields are not the variables, adding the template to a server or a catalog returns the error.
func Template[In any, R wire.Appender](definition wire.Appender, read func(ctx context.Context, uri string, in *In) (R, error)) catalog.Template {
	a, err := argumentsOf(reflect.TypeFor[In](), true)
	if err == nil {
		err = a.match(definition)
	}
	if err != nil {
		return catalog.Template{Definition: failed{definition, err}}
	}
	t := &tools.Template{Definition: a.definition, Variables: a.check, Exploded: a.lists, Literals: a.literals}
	return completed(a, tools.ServeTemplate(t, a.fresh, func(ctx context.Context, uri string, in *value) (R, error) { return read(ctx, uri, of[In](in)) }))
}

// failed is the definition of an item that could not be made. It is not valid, so that the error of adding it names
// the item.
type failed struct {
	wire.Appender
	err error
}

// AppendJSON implements wire.Appender.
func (f failed) AppendJSON(dst []byte) ([]byte, error) {
	if wire.IsNil(f.Appender) {
		return dst, f.err
	}
	return f.Appender.AppendJSON(dst)
}

// Check implements wire.Checker.
func (f failed) Check(c *wire.Collector) { c.Report("%s", f.err) }

// arguments are the arguments of a prompt, or the variables of a template.
type arguments struct {
	definition wire.Object
	shape      *shape
	schema     wire.Raw
	check      func(*schema.Checker)
	literals   []string // numbers and booleans
	lists      []string
}

// argumentsOf returns the arguments that are the fields of a struct.
func argumentsOf(t reflect.Type, lists bool) (*arguments, error) {
	s, err := shapeOf(t, false)
	if err != nil {
		return nil, err
	}
	if s.form != structure {
		return nil, fmt.Errorf("%s: must be a struct", t)
	}
	a := &arguments{shape: s}
	for _, f := range s.fields {
		switch kind := f.shape.named(); {
		case kind == "string", f.quoted:
		case kind == "integer", kind == "number", kind == "boolean":
			a.literals = append(a.literals, f.name)
		case kind == "array" && lists && f.shape.elements() == "string":
			a.lists = append(a.lists, f.name)
		default:
			return nil, fmt.Errorf("%s: the type of %q must be a string, a number or a boolean", t, f.name)
		}
	}
	if a.schema, err = derive(s, dynamic.Compile); err == nil {
		a.check, err = dynamic.Compile(a.schema)
	}
	return a, err
}

func (a *arguments) fresh() *value { return &value{v: reflect.New(a.shape.t).Elem(), shape: a.shape} }

// define adds the arguments to the definition of a prompt.
func (a *arguments) define(definition wire.Appender) error {
	text, err := textOf(definition)
	if err != nil {
		return err
	}
	if _, has := text.Get("arguments"); has {
		return fmt.Errorf("the arguments of the prompt are the fields of %s; the definition must have none", a.shape.t)
	}
	var all []wire.Raw
	for _, f := range a.shape.fields {
		name, err := wire.AppendString(nil, f.name)
		if err != nil {
			return err
		}
		argument := add(object(wire.Member{Name: "name", Value: wire.Raw(name)}), f.facets.texts...)
		if f.required() {
			argument = add(argument, wire.Member{Name: "required", Value: "true"})
		}
		all = append(all, wire.Raw(argument))
	}
	if all != nil {
		text, err = text.With("arguments", wire.ArrayOf(all))
	}
	a.definition = text
	return err
}

// match compares the variables with those in the definition of a template.
func (a *arguments) match(definition wire.Appender) (err error) {
	if a.definition, err = textOf(definition); err != nil {
		return err
	}
	uri := a.definition.GetString("uriTemplate")
	template, err := uritemplate.Parse(uri)
	if err != nil {
		return fmt.Errorf("uriTemplate: %w", err)
	}
	for _, name := range template.Names() {
		f, ok := a.shape.byName[name]
		if !ok {
			return fmt.Errorf("%s has no field for the variable %q of %s", a.shape.t, name, uri)
		}
		if template.IsList(name) != slices.Contains(a.lists, f.name) {
			return fmt.Errorf("%s: the variable %q of %s must be a list exactly if it is exploded, as {%s*} is", a.shape.t, name, uri, name)
		}
	}
	for _, f := range a.shape.fields {
		if !slices.Contains(template.Names(), f.name) {
			return fmt.Errorf("%s: %s has no variable %q; its variables are %s", a.shape.t, uri, f.name, strings.Join(template.Names(), ", "))
		}
	}
	return nil
}

// textOf returns the text of the definition of an item.
func textOf(definition wire.Appender) (wire.Object, error) {
	if wire.IsNil(definition) {
		return "", errors.New("the definition is missing")
	}
	text, err := wire.MarshalString(definition)
	return wire.Object(text), err
}

// choicesOf returns the values that a field may have, or nil if they are not listed.
func choicesOf(f *field) (all []string) {
	listed := f.facets.enum
	if target := f.shape.target(); listed == nil && target.elem == nil {
		listed = target.enum
	}
	for _, choice := range listed {
		s, ok := choice.Str()
		if !ok {
			s = string(choice)
		}
		all = append(all, s)
	}
	return all
}
