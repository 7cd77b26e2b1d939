package typed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
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
// Arguments that are not valid under the tags of their fields are refused. An optional one for which the empty
// string is not valid is absent if it is empty. Those whose values are listed are completed.
//
// If a type has no such arguments, adding the prompt to a server or a catalog returns the error.
func Prompt[In any, R wire.Appender](definition wire.Appender, get func(ctx context.Context, in *In) (R, error)) catalog.Prompt {
	a, err := argumentsOf(reflect.TypeFor[In](), false)
	if err == nil {
		err = a.define(definition)
	}
	if err = cmp.Or(err, noFunction(get == nil)); err != nil {
		return catalog.Prompt{Definition: failed{definition, err}}
	}
	p := &tools.Item{Kind: "prompt", Definition: a.definition, Input: a.check, Literals: a.literals}
	for _, f := range a.shape.fields {
		if f.required() {
			continue
		}
		blank := schema.Check(wire.Raw(object(wire.Member{Name: f.name, Value: `""`})), a.check)
		isOf := func(problem wire.Problem) bool { return problem.Pointer == wire.ChildPointer("", f.name) }
		if slices.ContainsFunc(wire.ProblemsOf(blank), isOf) {
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
	if err = cmp.Or(err, noFunction(read == nil)); err != nil {
		return catalog.Template{Definition: failed{definition, err}}
	}
	t := &tools.Item{Kind: "template", Definition: a.definition, Input: a.check, Exploded: a.lists, Literals: a.literals}
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
	if a.schema, err = derive(s, dynamic.Compile, false); err == nil {
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

// noFunction returns the error of an item whose function is nil.
func noFunction(empty bool) error {
	if empty {
		return errors.New("the function is nil")
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

// Tool returns a tool with schemas derived from the types of its handler. In and Out are structs or
// maps. The definition is a Tool object, such as a *mcp.Tool or a wire.Object, without schemas. A
// schema in the definition takes precedence over the derived one, unless it only says that the
// value is an object; the type must then fit the schema.
//
// The arguments of the handler are valid under the input schema and include its defaults. An error becomes a result
// with isError, whose text the client's model reads, except for a *jsonrpc.Error, which is the error of the call
// itself. [tools.ResultOf] gives access to the content blocks, _meta and isError of the result.
//
// If a type has no schema, adding the tool to a server or a catalog returns the error.
func Tool[In, Out any](definition wire.Appender, h func(ctx context.Context, in *In) (*Out, error), options ...tools.Options) catalog.Tool {
	t := describe[In](definition, options, h == nil)
	out := t.output(reflect.TypeFor[Out](), true)
	return t.listed(tools.Structured(&t.Item, t.options, t.fresh, func(ctx context.Context, in *value) (*value, error) {
		result, err := h(ctx, of[In](in))
		if result == nil || err != nil {
			return nil, err
		}
		return &value{v: reflect.ValueOf(result).Elem(), shape: out}, nil
	}))
}

// ValueTool is Tool for a handler whose result has any type, such as []Item or string. The result is
// not sent if the handler sets IsError of [tools.ResultOf].
//
// Since revision 2026-07-28, structured results are any values. In sessions of older revisions, a
// result that is not an object is sent as text, and the list has no output schema for it.
func ValueTool[In, Out any](definition wire.Appender, h func(ctx context.Context, in *In) (Out, error), options ...tools.Options) catalog.Tool {
	t := describe[In](definition, options, h == nil)
	out := t.output(reflect.TypeFor[Out](), false)
	run := func(ctx context.Context, in *value) (Out, error) { return h(ctx, of[In](in)) }
	return t.listed(tools.Value(&t.Item, t.options, t.fresh, run, func(result Out) *value {
		return &value{v: reflect.ValueOf(&result).Elem(), shape: out}
	}))
}

// ContentTool is Tool for a handler that returns content blocks, such as
// []mcp.ContentBlock. The tool has no output schema.
func ContentTool[In any, Block wire.Appender](definition wire.Appender, h func(ctx context.Context, in *In) ([]Block, error), options ...tools.Options) catalog.Tool {
	t := describe[In](definition, options, h == nil)
	return t.listed(tools.Content(&t.Item, t.options, t.fresh, func(ctx context.Context, in *value) ([]Block, error) {
		return h(ctx, of[In](in))
	}))
}

// described is a tool whose arguments have a Go type.
type described struct {
	tools.Item
	given    wire.Appender // the definition of the program
	err      error         // why it could not be made
	options  tools.Options
	in       *shape
	defaults wire.Object // the input schema of the definition, if there is one that may have defaults
}

// describe returns a tool with the input schema of its definition or of In.
func describe[In any](definition wire.Appender, options []tools.Options, empty bool) *described {
	t := &described{given: definition}
	if len(options) > 0 {
		t.options = options[0]
	}
	own := false
	t.Definition, t.err = textOf(definition)
	t.err = cmp.Or(t.err, noFunction(empty))
	if t.in, own, t.Input = t.schema(reflect.TypeFor[In](), "inputSchema", "arguments", true); own {
		if schema, _ := t.Definition.Get("inputSchema"); strings.Contains(string(schema), "default") || strings.Contains(string(schema), `\`) {
			t.defaults = wire.Object(schema)
		}
	}
	return t
}

// output sets the output schema of a tool to that of its definition or of a type.
func (t *described) output(of reflect.Type, objects bool) (out *shape) {
	out, _, t.Output = t.schema(of, "outputSchema", "result", objects)
	return out
}

// fresh returns a value for arguments.
func (t *described) fresh() *value {
	return &value{v: reflect.New(t.in.t).Elem(), shape: t.in, given: t.defaults}
}

// listed returns the tool with a definition that is read when the tool is added, because it
// may be invalid.
func (t *described) listed(tool catalog.Tool) catalog.Tool {
	if t.err != nil {
		return catalog.Tool{Definition: t.given, Err: t.err}
	}
	tool.Name = ""
	return tool
}

// schema returns the shape of a type and the function that checks its values against their schema, which
// is a member of the definition. If the definition has no such schema of its own, it gets that of the type,
// whose values must be objects if objects is set. It does nothing after an error.
func (t *described) schema(of reflect.Type, member, what string, objects bool) (s *shape, own bool, check func(*schema.Checker)) {
	if t.err != nil {
		return nil, false, nil
	}
	var text wire.Raw
	s, err := shapeOf(of, what == "result")
	if err == nil {
		text, err = derive(s, t.compile, s.form == pointer && !objects)
	}
	given, ok := t.Definition.Get(member)
	switch own = ok && !bare(given); {
	case err != nil:
	case own:
		text = given
	case objects && !declares(wire.Object(text), "object"):
		err = fmt.Errorf("%s: must be a struct or a map, and neither a union nor a type with its own encoding, so that its values are JSON objects", of)
	default:
		t.Definition, err = t.Definition.With(member, text)
	}
	if err == nil {
		check, err = t.compile(text)
	}
	if err != nil {
		t.err = fmt.Errorf("%s: %w", what, err)
	}
	return s, own, check
}

// compile returns the check of a schema.
func (t *described) compile(text wire.Raw) (func(*schema.Checker), error) {
	check, err := dynamic.Compile(text)
	if !errors.Is(err, dynamic.ErrNotCovered) {
		return check, err
	}
	if t.options.Compile == nil {
		return nil, fmt.Errorf("%w: set Compile of tools.Options to fallback.Compile", err)
	}
	return t.options.Compile(string(text))
}

// bare reports whether a schema only says that values are objects.
func bare(schema wire.Raw) bool {
	return schema.Kind() == wire.KindObject && wire.Object(schema).Len() == 1 && declares(wire.Object(schema), "object")
}

// declares reports whether a schema has a type.
func declares(schema wire.Object, name string) bool { return schema.GetString("type") == name }

// Elicit asks the user of the client to fill in a form whose fields are those of T ("Form Mode" in client/elicitation;
// revisions since 2025-06-18). T is a struct with the tags that arguments have; its fields are strings, numbers,
// booleans, types with a method Enum, or lists of strings.
//
// If the user accepts, Elicit returns the answer, which is valid under the tags. Otherwise the answer is nil, and the
// action is "decline" or "cancel". If T has a field that a form cannot have, Elicit returns an error. A handler must
// return the error of Elicit. In a revision without sessions, the first call returns [runtime.ErrInputRequired], and
// the handler runs again when the client has the answer.
func Elicit[T any](ctx context.Context, message string) (answer *T, action string, err error) {
	c := runtime.CallOf(ctx)
	if c == nil {
		return nil, "", errors.New("typed: Elicit needs the context of a call")
	}
	form, err := argumentsOf(reflect.TypeFor[T](), true)
	if err != nil {
		return nil, "", err
	}
	w := wire.ObjectWriter(nil)
	w.String("message", message)
	w.Value("requestedSchema", wire.Object(form.schema).Without("additionalProperties"))
	params, err := w.Close()
	if err != nil {
		return nil, "", err
	}
	var result wire.Object
	if err := c.Call(ctx, "elicitation/create", wire.Raw(params), &result); err != nil {
		return nil, "", err
	}
	action = result.GetString("action")
	if action != "accept" {
		return nil, action, nil
	}
	content, ok := result.Get("content")
	if !ok {
		content = "{}"
	}
	in := form.fresh()
	if err := schema.Decode(content, form.check, in); err != nil {
		return nil, action, wire.In(err, "content")
	}
	return of[T](in), action, nil
}
