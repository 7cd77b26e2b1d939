package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// kind describes the items of a list.
type kind struct {
	noun       string
	definition string   // name of the definition
	required   []string // members that every revision requires; the first one is the key
	list       string   // member of the list's result that holds the definitions
	cursor     byte     // tag of the list's cursors
	changed    string   // notification of changes ("List Changed Notification" in server/tools, server/prompts and server/resources)
}

var (
	kindTool     = &kind{"tool", "Tool", []string{"name", "inputSchema"}, "tools", 't', "notifications/tools/list_changed"}
	kindPrompt   = &kind{"prompt", "Prompt", []string{"name"}, "prompts", 'p', "notifications/prompts/list_changed"}
	kindResource = &kind{"resource", "Resource", []string{"uri", "name"}, "resources", 'r', "notifications/resources/list_changed"}
	kindTemplate = &kind{"resource template", "ResourceTemplate", []string{"uriTemplate", "name"}, "resourceTemplates", 'u', "notifications/resources/list_changed"}
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

	call func(ctx context.Context, arguments wire.Object) (wire.Appender, error)                     // of a tool
	get  func(ctx context.Context, arguments map[string]string) (wire.Appender, error)               // of a prompt
	read func(ctx context.Context, uri string, variables map[string][]string) (wire.Appender, error) // of a resource or template

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
		err = wire.In(errors.New("must not be empty"), k.required[0])
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
	var seen [1]uint64
	var wrong error // about a schema
	for r.BeginObject(); r.Member(); {
		name := r.Name()
		for i, n := range k.required {
			if n == name {
				seen[0] |= 1 << i
			}
		}
		switch {
		case name == k.required[0]:
			d.key = r.ReadString()
		case name == "name" || name == "title" || name == "description" || name == "mimeType":
			r.ReadString()
		case name == "annotations" || name == "_meta":
			r.ReadObject()
		case k == kindTool && name == "outputSchema":
			d.values = r.ReadObject().GetString("type") != "object"
		case k == kindTool && name == "inputSchema":
			_ = params.Decode(r, []string{"type"}, 1, func(int) {
				if of := r.ReadString(); of != "object" {
					wrong = wire.In(fmt.Errorf(`the schema's type must be "object", not %.50q`, of), name)
				}
			})
		case k == kindTool && name == "execution":
			_ = params.Decode(r, []string{"taskSupport"}, 0, func(int) { d.tasks = r.ReadString() })
		case k == kindPrompt && name == "arguments":
			d.readArguments(r)
		default:
			r.Skip()
		}
	}
	if seen[0] != 1<<len(k.required)-1 {
		r.Missing(seen[:], k.required...)
	}
	if err := r.Err(); err != nil {
		return err
	}
	if wrong != nil {
		return wrong
	}
	if k == kindTool {
		schema, _ := wire.Object(d.text).Get("inputSchema")
		var err error
		if d.headers, err = headers.NewTable(schema); err != nil {
			return wire.In(err, "inputSchema")
		}
	}
	switch d.tasks {
	case "", "forbidden", "optional", "required":
		return nil
	}
	err := fmt.Errorf(`must be "forbidden", "optional" or "required", not %.50q`, d.tasks)
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
