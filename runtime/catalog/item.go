package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Item is something that a server offers: a [Tool], a [Prompt], a [Resource] or a
// [Template]. In [NewServer], a [*Catalog] is an item too, and so are [Tasks].
type Item interface {
	// entry returns the item as a list keeps it. The list checks its scopes.
	entry(o *Options) (*entry, error)
}

// Tool is a tool that clients can call (server/tools of every revision).
type Tool struct {
	// Definition is the Tool object in the list, such as a *mcp.Tool or a wire.Object. Its
	// name identifies the tool in calls.
	Definition wire.Appender

	// Call runs the tool. Arguments is "{}" if the client sent none. The result is a
	// CallToolResult.
	//
	// An error becomes a result with isError and the error's text, which the client's model reads.
	// An error that is a *jsonrpc.Error becomes the response of the call itself. A panic and an
	// error that is a *Defect are logged. The client does not get the text of a panic.
	Call func(ctx context.Context, arguments wire.Object) (wire.Appender, error)

	// Name, if not empty, asserts that Definition is valid and has this name, as generated
	// code knows. The definition is then not read before tools are listed. A tool with an
	// invalid one is not listed.
	Name string

	// Scopes are those that the access token of a caller must have, see [runtime.Authorize]. They
	// are not part of the definition, so clients do not see them.
	Scopes []string

	// Err, if not nil, is why the tool could not be made. Adding the tool returns it.
	Err error
}

// NewTool returns a tool with a handler whose result has a type, such as
// *mcp.CallToolResult.
func NewTool[R wire.Appender](definition wire.Appender, call func(ctx context.Context, arguments wire.Object) (R, error)) Tool {
	return Tool{Definition: definition, Call: untyped(call)}
}

// Defect is an error that reveals a mistake in a tool, such as a result that violates the
// tool's output schema. The catalog logs it.
type Defect struct{ Err error }

// Error returns the text of Err.
func (d *Defect) Error() string { return d.Err.Error() }

// Unwrap returns Err.
func (d *Defect) Unwrap() error { return d.Err }

func (t Tool) entry(o *Options) (*entry, error) {
	e := &entry{kind: kindTool, key: t.Name, scopes: t.Scopes, unread: t.Definition, call: t.Call}
	if t.Name == "" || t.Err != nil || o.Checker != nil {
		d := e.definition()
		e.key = d.key
		if t.Err != nil {
			return nil, kindTool.error(d.key, t.Err)
		}
		if d.err != nil {
			return nil, d.err
		}
	}
	if t.Call == nil {
		return nil, kindTool.error(e.key, errors.New("no function Call"))
	}
	if o.Checker == nil {
		return e, nil
	}
	check, err := o.Checker(wire.Object(e.definition().text))
	if err != nil {
		return nil, kindTool.error(e.key, err)
	}
	if check != nil {
		e.call = func(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
			if err := check(arguments); err != nil {
				return nil, err
			}
			return t.Call(ctx, arguments)
		}
	}
	return e, nil
}

// Require returns a copy of the tool that callers may use if their access tokens have all of the
// scopes, in addition to those that it requires already.
func (t Tool) Require(scopes ...string) Tool {
	t.Scopes = slices.Concat(t.Scopes, scopes)
	return t
}

// Prompt is a prompt that clients can get (server/prompts of every revision).
type Prompt struct {
	// Definition is the Prompt object in the list, such as a *mcp.Prompt or a wire.Object.
	// Its name identifies the prompt in requests.
	Definition wire.Appender

	// Get returns a GetPromptResult. Arguments that the definition requires are present.
	Get func(ctx context.Context, arguments map[string]string) (wire.Appender, error)

	// Completers propose values for arguments, by name.
	Completers map[string]Completer

	// Scopes are those that the access token of a caller must have, see [runtime.Authorize]. They
	// are not part of the definition, so clients do not see them.
	Scopes []string
}

// NewPrompt returns a prompt with a handler whose result has a type, such as
// *mcp.GetPromptResult.
func NewPrompt[R wire.Appender](definition wire.Appender, get func(ctx context.Context, arguments map[string]string) (R, error)) Prompt {
	return Prompt{Definition: definition, Get: untyped(get)}
}

// Complete returns a copy of the prompt with a Completer for one of its arguments.
func (p Prompt) Complete(argument string, completer Completer) Prompt {
	p.Completers = withCompleter(p.Completers, argument, completer)
	return p
}

func (p Prompt) entry(*Options) (*entry, error) {
	e, err := kindPrompt.entry(p.Definition, p.Scopes)
	if err != nil {
		return nil, err
	}
	if e.get = p.Get; e.get == nil {
		return nil, kindPrompt.error(e.key, errors.New("no function Get"))
	}
	var names []string
	for _, a := range e.definition().arguments {
		names = append(names, a.name)
	}
	if err := e.complete(names, p.Completers); err != nil {
		return nil, kindPrompt.error(e.key, err)
	}
	return e, nil
}

// Require returns a copy of the prompt that callers may use if their access tokens have all of the
// scopes, in addition to those that it requires already.
func (p Prompt) Require(scopes ...string) Prompt {
	p.Scopes = slices.Concat(p.Scopes, scopes)
	return p
}

// Resource is a resource that clients can read (server/resources of every revision).
type Resource struct {
	// Definition is the Resource object in the list, such as a *mcp.Resource or a
	// wire.Object. Its uri identifies the resource in requests, which are compared with it
	// byte by byte.
	Definition wire.Appender

	// Read returns a ReadResourceResult. It returns ErrNoResource if the resource no longer
	// exists.
	Read func(ctx context.Context, uri string) (wire.Appender, error)

	// Scopes are those that the access token of a caller must have, see [runtime.Authorize]. They
	// are not part of the definition, so clients do not see them.
	Scopes []string
}

// NewResource returns a resource with a handler whose result has a type, such as
// *mcp.ReadResourceResult.
func NewResource[R wire.Appender](definition wire.Appender, read func(ctx context.Context, uri string) (R, error)) Resource {
	return Resource{Definition: definition, Read: untyped(read)}
}

// ErrNoResource reports that a resource does not exist. Read may wrap it. The client gets
// the error that its revision defines for this case.
var ErrNoResource = errors.New("catalog: no such resource")

func (r Resource) entry(*Options) (*entry, error) {
	e, err := kindResource.entry(r.Definition, r.Scopes)
	if err != nil {
		return nil, err
	}
	if err := checkURI(e.key); err != nil {
		return nil, kindResource.error(e.key, wire.In(err, "uri"))
	}
	if r.Read == nil {
		return nil, kindResource.error(e.key, errors.New("no function Read"))
	}
	e.read = func(ctx context.Context, uri string, _ Variables) (wire.Appender, error) {
		return r.Read(ctx, uri)
	}
	return e, nil
}

// Require returns a copy of the resource that callers may use if their access tokens have all of
// the scopes, in addition to those that it requires already.
func (r Resource) Require(scopes ...string) Resource {
	r.Scopes = slices.Concat(r.Scopes, scopes)
	return r
}

// Template is a URI template (RFC 6570) that stands for many resources ("Resource Templates"
// in server/resources of every revision).
type Template struct {
	// Definition is the ResourceTemplate object in the list, such as a
	// *mcp.ResourceTemplate or a wire.Object. Its uriTemplate identifies the template.
	Definition wire.Appender

	// Read returns a ReadResourceResult for a URI that matches the template, or
	// ErrNoResource if there is no such resource.
	Read func(ctx context.Context, uri string, variables Variables) (wire.Appender, error)

	// Completers propose values for variables, by name. That of a list proposes values for one
	// element, and gets the text typed so far of that element.
	Completers map[string]Completer

	// Scopes are those that the access token of a caller must have, see [runtime.Authorize]. They
	// are not part of the definition, so clients do not see them.
	Scopes []string
}

// Variables holds the values of the variables in a URI, by name, percent-decoded. Clients choose them freely: they may
// contain ".." and "/". A list, which is an exploded variable such as {/path*} or {?tag*} (RFC 6570, section 2.4.2), has
// its elements, and each other variable has one value. A variable that the URI does not have is not in the map, and
// neither is an empty list. Associative arrays, the other values that RFC 6570 has for exploded variables, are not
// supported.
type Variables map[string][]string

// Get returns the value of a variable, with commas between the elements of a list, or "" if the URI does not have it.
func (v Variables) Get(name string) string { return strings.Join(v[name], ",") }

// NewTemplate returns a template with a handler whose result has a type, such as
// *mcp.ReadResourceResult.
func NewTemplate[R wire.Appender](definition wire.Appender, read func(ctx context.Context, uri string, variables Variables) (R, error)) Template {
	t := Template{Definition: definition}
	if read != nil {
		t.Read = func(ctx context.Context, uri string, variables Variables) (wire.Appender, error) {
			return given(read(ctx, uri, variables))
		}
	}
	return t
}

// Complete returns a copy of the template with a Completer for one of its variables.
func (t Template) Complete(variable string, completer Completer) Template {
	t.Completers = withCompleter(t.Completers, variable, completer)
	return t
}

func (t Template) entry(*Options) (*entry, error) {
	e, err := kindTemplate.entry(t.Definition, t.Scopes)
	if err != nil {
		return nil, err
	}
	if e.read = t.Read; e.read == nil {
		err = errors.New("no function Read")
	} else {
		err = e.setTemplate(t)
	}
	if err != nil {
		return nil, kindTemplate.error(e.key, err)
	}
	return e, nil
}

// setTemplate sets what an entry has of a template.
func (e *entry) setTemplate(t Template) error {
	parsed, err := uritemplate.Parse(e.key)
	if err != nil {
		return wire.In(err, "uriTemplate")
	}
	e.match = parsed.Match
	return e.complete(parsed.Names(), t.Completers)
}

// Require returns a copy of the template that callers may use if their access tokens have all of
// the scopes, in addition to those that it requires already.
func (t Template) Require(scopes ...string) Template {
	t.Scopes = slices.Concat(t.Scopes, scopes)
	return t
}

// entry implements Item.
func (c *Catalog) entry(*Options) (*entry, error) {
	return nil, errors.New("catalog: a catalog cannot be added to a catalog")
}

// TaskKeeper lets clients call tools as tasks. A *tasks.Tasks is one.
type TaskKeeper interface {
	// Wrap wraps the binding of a revision. Support returns the execution.taskSupport of a tool.
	Wrap(below runtime.Binding, support func(tool string) string) runtime.Binding
}

// Tasks returns an item of [NewServer]: clients can call as tasks the tools whose definitions say so in
// execution.taskSupport. If there are several such items, the last one counts, so that a program can replace
// that of a generated server.
func Tasks(k TaskKeeper) Item { return tasksItem{k} }

type tasksItem struct{ TaskKeeper }

// entry implements Item.
func (tasksItem) entry(*Options) (*entry, error) {
	return nil, errors.New("catalog: tasks can only be an item of NewServer")
}

// untyped returns a handler whose result is any value, or nil for nil.
func untyped[A any, R wire.Appender](handler func(context.Context, A) (R, error)) func(context.Context, A) (wire.Appender, error) {
	if handler == nil {
		return nil
	}
	return func(ctx context.Context, arguments A) (wire.Appender, error) { return given(handler(ctx, arguments)) }
}

// given returns the result of a handler, or nil if it is a nil pointer or an absent object.
func given[R wire.Appender](result R, err error) (wire.Appender, error) {
	if err != nil || wire.IsNil(result) || wire.Appender(result) == wire.Appender(wire.Object("")) {
		return nil, err
	}
	return result, nil
}

// kind describes the items of a list.
type kind struct {
	noun       string
	definition string   // name of the definition
	members    []string // of the definition: those that the catalog reads, the required ones first; the first one is the key
	required   int      // how many members every revision requires
	list       string   // member of the list's result that holds the definitions
	cursor     byte     // tag of the list's cursors
	changed    string   // notification of changes ("List Changed Notification" in server/tools and others)
}

var (
	kindTool = &kind{"tool", "Tool", []string{"name", "inputSchema", "title", "description", "annotations", "_meta", "outputSchema", "execution"}, 2,
		"tools", 't', "notifications/tools/list_changed"}
	kindPrompt = &kind{"prompt", "Prompt", []string{"name", "title", "description", "annotations", "_meta", "arguments"}, 1,
		"prompts", 'p', "notifications/prompts/list_changed"}
	kindResource = &kind{"resource", "Resource", []string{"uri", "name", "title", "description", "mimeType", "annotations", "_meta"}, 2,
		"resources", 'r', "notifications/resources/list_changed"}
	kindTemplate = &kind{"resource template", "ResourceTemplate", []string{"uriTemplate", "name", "title", "description", "mimeType", "annotations", "_meta"}, 2,
		"resourceTemplates", 'u', "notifications/resources/list_changed"}
)

// error returns an error about the item with a key.
func (k *kind) error(key string, err error) error {
	return fmt.Errorf("catalog: %s %.100q: %w", k.noun, key, err)
}

// entry is an item in a list. It does not change, except that the definition of a tool is read on first use.
type entry struct {
	*kind
	key    string
	number uint64 // grows with each new key; an entry that replaces another has its number
	scopes []string

	unread wire.Appender              // the definition, until parsed is set
	parsed atomic.Pointer[definition] // nil until the definition is read

	// The handler of a tool, of a prompt, and of a resource or template.
	call func(ctx context.Context, arguments wire.Object) (wire.Appender, error)
	get  func(ctx context.Context, arguments map[string]string) (wire.Appender, error)
	read func(ctx context.Context, uri string, variables Variables) (wire.Appender, error)

	// match returns the variables of a URI that matches a template. It is a function value, so that a server
	// without templates does not link the code for matching.
	match func(uri string) (map[string][]string, bool)
	// completers has an element for each argument of a prompt or template, nil for one without a Completer.
	completers map[string]Completer
}

// entry returns an entry with a definition that it reads.
func (k *kind) entry(v wire.Appender, scopes []string) (*entry, error) {
	d := k.define(v)
	if d.err != nil {
		return nil, d.err
	}
	e := &entry{kind: k, key: d.key, scopes: scopes}
	e.parsed.Store(d)
	return e, nil
}

// definition returns the definition, reading it on first use. Concurrent first uses may each
// read it.
func (e *entry) definition() *definition {
	d := e.parsed.Load()
	if d == nil {
		d = e.define(e.unread)
		e.parsed.Store(d)
	}
	return d
}

// checkScopes returns the scopes of an item without duplicates, or an error for one that is not a
// scope (RFC 6749, section 3.3).
func checkScopes(scopes []string) ([]string, error) {
	var all []string
	for _, s := range scopes {
		if s == "" || strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '"' || c == '\\' }) {
			return nil, wire.In(fmt.Errorf("%q is not a scope", s), "Scopes")
		}
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all, nil
}

// definition is what the catalog reads in the definition of an item.
type definition struct {
	text      string // without white space between tokens
	key       string
	arguments []argument     // only of a prompt
	tasks     string         // only of a tool
	headers   *headers.Table // only of a tool
	values    bool           // only of a tool: its structured results need not be objects
	err       error          // why the definition is not valid
}

// argument is a PromptArgument.
type argument struct {
	name     string
	required bool
}

// define reads a definition. It returns an error if a member is missing that every revision
// requires, if a member that means the same in every revision has the wrong type, if the
// definition is of a generated type and not valid in its revision, or if an inputSchema has an
// x-mcp-header that servers must not use, which clients answer by ignoring the tool.
//
// What is read before an error is in the definition as well.
func (k *kind) define(v wire.Appender) *definition {
	d := &definition{}
	err := d.encode(v)
	if err == nil {
		err = d.read(k)
	}
	if err == nil && d.key == "" {
		err = wire.In(errors.New("must not be empty"), k.members[0])
	}
	if err == nil {
		err = wire.Validate(v)
	}
	if err != nil {
		d.err = k.error(d.key, err)
	}
	return d
}

// encode sets d.text.
func (d *definition) encode(v wire.Appender) error {
	if wire.IsNil(v) {
		return errors.New("the definition is missing")
	}
	text, err := wire.MarshalString(v)
	if err != nil {
		return err
	}
	// An object without white space needs no second copy.
	if o, ok := v.(wire.Object); ok && string(o) == text {
		text = string(o)
	}
	d.text = text
	return nil
}

func (d *definition) read(k *kind) error {
	r := wire.NewStringReader(d.text)
	var wrong error // about a schema
	err := params.Decode(r, k.members, k.required, func(member int) {
		switch name := k.members[member]; name {
		case k.members[0]:
			d.key = r.ReadString()
		case "annotations", "_meta":
			r.ReadObject()
		case "outputSchema":
			d.values = r.ReadObject().GetString("type") != "object"
		case "inputSchema":
			_ = params.Decode(r, []string{"type"}, 1, func(int) {
				if of := r.ReadString(); of != "object" {
					wrong = wire.In(fmt.Errorf(`the schema's type must be "object", not %.50q`, of), name)
				}
			})
		case "execution":
			_ = params.Decode(r, []string{"taskSupport"}, 0, func(int) { d.tasks = r.ReadString() })
		case "arguments":
			d.readArguments(r)
		default:
			r.ReadString()
		}
	})
	if err != nil {
		return err
	}
	if wrong != nil {
		return wrong
	}
	if k == kindTool {
		schema, _ := wire.Object(d.text).Get("inputSchema")
		if d.headers, err = headers.NewTable(schema); err != nil {
			return wire.In(err, "inputSchema")
		}
	}
	switch d.tasks {
	case "", "forbidden", "optional", "required":
		return nil
	}
	err = fmt.Errorf(`must be "forbidden", "optional" or "required", not %.50q`, d.tasks)
	return wire.In(wire.In(err, "taskSupport"), "execution")
}

func (d *definition) readArguments(r *wire.Reader) {
	for r.BeginArray(); r.Element(); {
		var a argument
		_ = params.Decode(r, []string{"name", "required", "title", "description"}, 1, func(member int) {
			switch member {
			case 0:
				a.name = r.ReadString()
			case 1:
				a.required = r.ReadBool()
			default:
				r.ReadString()
			}
		})
		d.arguments = append(d.arguments, a)
	}
}
