package catalog

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/internal/pace"
	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// method is a method that a catalog handles.
type method struct {
	members    []string // of the params: those that the catalog reads, the required ones first
	required   int      // how many members are required
	strings    bool     // the arguments are strings
	definition string   // of the result; "" if the handler converts it or it is the same in all revisions
	handle     func(*Catalog, context.Context, *request) (wire.Appender, error)
}

// methods are the methods of a catalog. Their params are the same in all revisions, except for the context of
// completion/complete, which 2025-06-18 introduced.
var methods = map[string]*method{
	"tools/list":               {members: []string{"cursor"}, handle: listed(func(c *Catalog) *list { return c.tools })},
	"tools/call":               {members: []string{"name", "arguments"}, required: 1, definition: "CallToolResult", handle: (*Catalog).callTool},
	"prompts/list":             {members: []string{"cursor"}, handle: listed(func(c *Catalog) *list { return c.prompts })},
	"prompts/get":              {members: []string{"name", "arguments"}, required: 1, strings: true, definition: "GetPromptResult", handle: (*Catalog).getPrompt},
	"resources/list":           {members: []string{"cursor"}, handle: listed(func(c *Catalog) *list { return c.resources })},
	"resources/templates/list": {members: []string{"cursor"}, handle: listed(func(c *Catalog) *list { return c.templates })},
	"resources/read":           {members: []string{"uri"}, required: 1, definition: "ReadResourceResult", handle: (*Catalog).readResource},
	"resources/subscribe":      {members: []string{"uri"}, required: 1, handle: (*Catalog).subscribe},
	"resources/unsubscribe":    {members: []string{"uri"}, required: 1, handle: (*Catalog).unsubscribe},
	"completion/complete":      {members: []string{"ref", "argument", "context"}, required: 2, definition: "CompleteResult", handle: (*Catalog).complete},
}

// listed returns the handler of the method that lists the items of a list.
func listed(of func(*Catalog) *list) func(*Catalog, context.Context, *request) (wire.Appender, error) {
	return func(c *Catalog, ctx context.Context, q *request) (wire.Appender, error) { return of(c).answer(ctx, q) }
}

// request is a request for one of the methods. A field is zero if the params do not have its member.
type request struct {
	params.Received
	method    *method
	revision  string            // of the message, or ""
	key       string            // the name or URI of the item
	arguments wire.Object       // of a tool; "{}" when absent
	strings   map[string]string // the arguments of a prompt, or those that a completion can depend on
	cursor    *string
	*completing
}

// completing is what the params of completion/complete say about the argument (definition CompleteRequest).
type completing struct {
	ref             string // refPrompt or refTemplate
	argument, value string
}

// DecodeJSON implements wire.Value.
func (q *request) DecodeJSON(r *wire.Reader) error {
	if q.method.members[0] == "ref" {
		q.completing = &completing{}
	}
	return params.Decode(r, q.method.members, q.method.required, func(member int) {
		switch q.method.members[member] {
		case "cursor":
			q.cursor = r.ReadStringPointer()
		case "name":
			q.key = r.ReadString()
		case "uri":
			q.key = readChecked(r, checkURI)
		case "arguments":
			if q.method.strings {
				q.strings = readStrings(r)
			} else {
				q.arguments = r.ReadObject()
			}
		case "ref":
			q.readRef(r)
		case "argument":
			q.readArgument(r)
		case "context":
			_ = params.Decode(r, []string{"arguments"}, 0, func(int) { q.strings = readStrings(r) })
		}
	})
}

// readStrings reads an object with string members.
func readStrings(r *wire.Reader) map[string]string {
	m := make(map[string]string)
	for r.BeginObject(); r.Member(); {
		name := r.Name() // before the value is read
		m[name] = r.ReadString()
	}
	return m
}

// maxURI limits the length of URIs in requests, in bytes. Subscriptions keep URIs in
// memory, and the time to match a template grows with the length.
const maxURI = 2 << 10

// checkURI returns an error for a URI that is not valid.
func checkURI(uri string) error {
	if len(uri) > maxURI {
		return fmt.Errorf("must not be longer than %d bytes", maxURI)
	}
	if !wire.InFormat("uri", uri) {
		return fmt.Errorf("must be in the format uri, is %.200q", uri)
	}
	return nil
}

// readChecked reads a string. If check returns an error, r fails at the string.
func readChecked(r *wire.Reader, check func(string) error) string {
	start := r.Mark()
	s := r.ReadString()
	if r.Err() != nil {
		return s
	}
	if err := check(s); err != nil {
		r.Reset(start)
		r.Fail("%s", err)
	}
	return s
}

// handle handles a request whose params are valid. It converts the result and the error to the revision of the
// request.
func (c *Catalog) handle(ctx context.Context, q *request) (wire.Appender, error) {
	call := runtime.CallOf(ctx)
	if call != nil {
		q.revision = call.Revision()
	}
	result, err := q.method.handle(c, ctx, q)
	by, definition := c.opts.Convert, q.method.definition
	switch {
	case by == nil || definition == "" || q.revision == "" || q.revision == by.Native:
		return result, err
	case err != nil && by.Error != nil:
		return nil, by.Error(q.revision, call.Method(), err)
	case err != nil || result == nil:
		return result, err
	}
	return &converted{result, q, ctx, by}, nil
}

// converted is a result in the revision of its request.
type converted struct {
	wire.Appender
	q *request

	// by converts the result when it is encoded. It is nil for a result that is in the revision already.
	ctx context.Context
	by  *convert.Converter
}

// InRevision returns the revision of the result, so that it is not converted again.
func (r *converted) InRevision() string { return r.q.revision }

// AppendJSON implements wire.Appender.
func (r *converted) AppendJSON(dst []byte) ([]byte, error) {
	if r.by == nil {
		return r.Appender.AppendJSON(dst)
	}
	return r.by.Append(r.ctx, dst, r.q.revision, r.q.method.definition, r.Appender)
}

// permit is the Permit of a binding. For an unknown item it returns nil, because the handler reports that.
func (c *Catalog) permit(ctx context.Context, method string, params wire.Raw) error {
	var e *entry
	switch o := wire.Object(params); method {
	case "tools/call":
		e = c.tools.get(o.GetString("name"))
	case "prompts/get":
		e = c.prompts.get(o.GetString("name"))
	case "resources/read":
		e, _ = c.resource(o.GetString("uri"))
	}
	if e == nil {
		return nil
	}
	return runtime.Authorize(ctx, e.scopes)
}

// errPanic is the error that a client gets for a panic.
var errPanic = errors.New("the tool failed unexpectedly")

// callTool handles tools/call. An unknown tool is a protocol error, and a failure of a tool
// is a result ("Error Handling" in server/tools).
func (c *Catalog) callTool(ctx context.Context, q *request) (result wire.Appender, err error) {
	t, err := c.tools.find(ctx, q.key)
	if err != nil {
		return nil, err
	}
	if wait := c.admit(runtime.CallOf(ctx)); wait > 0 {
		return nil, pace.Error(jsonrpc.CodeServerBusy, "tool calls", wait)
	}
	defer func() {
		if v := recover(); v != nil {
			c.logger().Error("a tool panicked", "tool", q.key, "panic", v, "stack", string(debug.Stack()))
			result, err = c.failed(ctx, q, errPanic)
		}
	}()
	result, err = t.call(ctx, q.arguments)
	switch {
	case err != nil:
		return c.failed(ctx, q, err)
	case result == nil:
		return nil, kindTool.error(q.key, errors.New("the tool returned no result"))
	case q.revision != "" && q.revision < revisionValues && t.definition().values:
		return asText{result}, nil
	}
	return result, nil
}

// failed returns the result for the error of a tool, or the error if it is one of the call.
func (c *Catalog) failed(ctx context.Context, q *request, err error) (wire.Appender, error) {
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok || context.Cause(ctx) == runtime.ErrShutdown {
		return nil, err
	}
	// That the client of a stateless request has not declared a capability is a protocol error ("_meta" in basic,
	// 2026-07-28).
	call := runtime.CallOf(ctx)
	if e, ok := errors.AsType[*runtime.CapabilityError](err); ok && !e.Own && call != nil && call.Stateless() {
		return nil, err
	}
	if _, ok := errors.AsType[*Defect](err); ok {
		c.logger().Error("a tool is defective", "tool", q.key, "error", err)
	}
	return failure(textOf(err)), nil
}

// textOf returns the text of the error of a tool. It leaves out the offsets in an error of package wire,
// because a model reads the text.
func textOf(err error) string {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		switch inner.(type) {
		case *wire.Error, *wire.ValidationError:
			problems := wire.ValidationError{Problems: wire.ProblemsOf(inner)}
			return strings.Replace(err.Error(), inner.Error(), strings.TrimPrefix(problems.Error(), "wire: "), 1)
		}
	}
	return err.Error()
}

// failure is a CallToolResult with isError and a text.
type failure string

// AppendJSON implements wire.Appender.
func (f failure) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"content":[{"type":"text","text":`...)
	dst, err := wire.AppendString(dst, strings.ToValidUTF8(string(f), "\uFFFD"))
	return append(dst, `}],"isError":true}`...), err
}

// revisionValues is the revision since which structured results are any JSON values. Before it, they and
// their schemas are objects. A definition may have a schema of other values whatever the revision of the
// server's types, because it may be a text.
const revisionValues = "2026-07-28"

// asText is a result in a revision whose structured results are objects.
type asText struct{ wire.Appender }

// AppendJSON implements wire.Appender. A structured result that is not an object is sent as text.
func (a asText) AppendJSON(dst []byte) ([]byte, error) {
	start := len(dst)
	dst, err := a.Appender.AppendJSON(dst)
	if err != nil {
		return dst, err
	}
	result := wire.Raw(dst[start:])
	if _, ok := wire.Object(result).Get("structuredContent"); !ok {
		return dst, nil
	}
	var c convert.Conversion
	return append(dst[:start], convert.StructuredValueAsText(&c, result)...), c.Err()
}

// getPrompt handles prompts/get ("Error Handling" in server/prompts).
func (c *Catalog) getPrompt(ctx context.Context, q *request) (wire.Appender, error) {
	p, err := c.prompts.find(ctx, q.key)
	if err != nil {
		return nil, err
	}
	for _, a := range p.definition().arguments {
		if _, given := q.strings[a.name]; a.required && !given {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /arguments: missing argument %.100q", a.name)
		}
	}
	return p.get(ctx, q.strings)
}

// resource returns the resource or template that a URI belongs to, or nil, with the variables of the template. A
// resource takes precedence over templates, and the template that was added first over later ones.
func (c *Catalog) resource(uri string) (*entry, map[string][]string) {
	if e := c.resources.get(uri); e != nil {
		return e, nil
	}
	for _, e := range c.templates.view().ordered {
		if variables, ok := e.match(uri); ok {
			return e, variables
		}
	}
	return nil, nil
}

// findResource is resource for a request. It returns an error if there is none, or if the sender of the request
// may not read it.
func (c *Catalog) findResource(ctx context.Context, uri string) (*entry, map[string][]string, error) {
	e, variables := c.resource(uri)
	if e == nil {
		return nil, nil, noResource(uri)
	}
	return e, variables, runtime.Authorize(ctx, e.scopes)
}

// readResource handles resources/read.
func (c *Catalog) readResource(ctx context.Context, q *request) (wire.Appender, error) {
	r, variables, err := c.findResource(ctx, q.key)
	if err != nil {
		return nil, err
	}
	result, err := r.read(ctx, q.key, variables)
	if errors.Is(err, ErrNoResource) {
		return nil, noResource(q.key)
	}
	return result, err
}

// noResource returns the error for a resource that does not exist ("Error Handling" in
// server/resources).
func noResource(uri string) error {
	data, _ := wire.MarshalString(updatedParams(uri)) // "" for a URI that is not valid UTF-8
	return &jsonrpc.Error{Code: jsonrpc.CodeResourceNotFound, Message: "resource not found", Data: wire.Raw(data)}
}
