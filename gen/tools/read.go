package tools

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Read reads a list. The text is an array of tools, an object with one or more of the members
// tools, prompts, resources and resourceTemplates, such as a ListToolsResult, or a response with
// such an object. Read reports every problem it finds, joined, each as an [*Error].
func Read(text []byte) (*List, error) {
	r := &reader{}
	list := r.list(string(text))
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	return list, nil
}

type reader struct {
	errs  []error
	notes []*Error
	tool  string
}

func (r *reader) fail(pointer, format string, args ...any) {
	r.errs = append(r.errs, &Error{r.tool, pointer, fmt.Sprintf(format, args...)})
}

func (r *reader) list(text string) *List {
	in := wire.NewStringReader(text)
	root := in.ReadRaw()
	in.End()
	if err := in.Err(); err != nil {
		r.syntax(text, err)
		return nil
	}
	pointer := ""
	list := &List{}
	if root.Kind() == wire.KindObject {
		if result, ok := wire.Object(root).Get("result"); ok && result.Kind() == wire.KindObject {
			root, pointer = result, "/result"
		}
		items := r.items(list, pointer, wire.Object(root))
		list.Instructions = r.text(pointer, wire.Object(root), "instructions")
		tools, ok := wire.Object(root).Get("tools")
		if !ok && !items {
			r.fail(pointer, `has no member "tools"`)
			return nil
		}
		if !ok {
			tools = "[]"
		}
		if next, ok := wire.Object(root).Get("nextCursor"); ok && next.Kind() != wire.KindNull {
			r.fail(pointer+"/nextCursor", "the list is incomplete: this is one page of it")
		}
		root, pointer = tools, pointer+"/tools"
	}
	if root.Kind() != wire.KindArray {
		r.fail(pointer, "must be an array of tools, found %s", root.Kind())
		return nil
	}
	taken := map[string]string{}
	for i, raw := range root.Elements() {
		at := pointer + "/" + strconv.Itoa(i)
		r.tool = ""
		t := r.definition(at, raw)
		if t != nil {
			t.Scopes, t.Operation = r.scopes(t.Pointer, t.Source), r.operation(t)
		}
		r.tool = ""
		if t == nil {
			continue
		}
		if other, ok := taken[t.Name]; ok {
			r.fail(at+"/name", "the tool at %[2]s has the same name, %[1]q", t.Name, other)
		}
		taken[t.Name] = at
		list.Tools = append(list.Tools, t)
	}
	list.Notes = r.notes
	return list
}

// syntax reports a syntax error with its line and column.
func (r *reader) syntax(text string, err error) {
	var syntaxErr *wire.Error
	if !errors.As(err, &syntaxErr) {
		r.fail("", "%v", err)
		return
	}
	before := text[:min(max(int(syntaxErr.Offset), 0), len(text))]
	line := strings.Count(before, "\n") + 1
	column := len(before) - strings.LastIndexByte(before, '\n')
	r.fail(syntaxErr.Pointer, "line %d, column %d: %s", line, column, syntaxErr.Problem)
}

func (r *reader) definition(at string, raw wire.Raw) *Tool {
	if raw.Kind() != wire.KindObject {
		r.fail(at, "a tool must be an object, found %s", raw.Kind())
		return nil
	}
	compact, err := raw.AppendJSON(nil)
	if err != nil {
		r.fail(at, "%v", err)
		return nil
	}
	t := &Tool{Definition: wire.Object(compact), Pointer: at}
	problems := len(r.errs)
	t.Name = r.text(at, t.Definition, "name")
	if len(r.errs) == problems && t.Name == "" {
		r.fail(at, `must have a "name"`)
		return nil
	}
	r.tool = t.Name
	t.Title = r.text(at, t.Definition, "title")
	t.Description = r.text(at, t.Definition, "description")
	t.GoName = r.text(at, t.Definition, jsonschema.GoName)
	if _, ok := t.Definition.Get("inputSchema"); ok {
		t.Input = r.root(t, "inputSchema", JudgeInput)
	} else {
		r.fail(at, `must have an "inputSchema"`)
	}
	if _, ok := t.Definition.Get("outputSchema"); ok {
		t.Output = r.root(t, "outputSchema", JudgeOutput)
	}
	t.Source, t.Definition = t.Definition, servedTool(t.Definition)
	return t
}

// root reads a schema of a tool and notes what the server lists differently, see [Root].
func (r *reader) root(t *Tool, keyword string, judge func(*jsonschema.Schema) Root) *jsonschema.Schema {
	at := t.Pointer + "/" + keyword
	raw, _ := t.Definition.Get(keyword)
	problems := len(r.errs)
	s := r.schema(at, raw)
	if len(r.errs) > problems {
		return s
	}
	root := judge(s)
	if root.Refused != "" {
		r.fail(at, "%s", root.Refused)
		return s
	}
	if t.Values = root.Values; t.Values {
		r.notes = append(r.notes, &Error{t.Name, at, "results need not be objects; sessions of revisions before 2026-07-28 get them as text and no outputSchema"})
	}
	if root.Served == raw {
		return s
	}
	t.Definition = jsonschema.With(t.Definition, keyword, root.Served)
	as := `"object"`
	if root.Values {
		as = string(root.Served)
	}
	r.notes = append(r.notes, &Error{t.Name, at, root.Lacks + "; it is taken as " + as})
	return r.schema(at, root.Served)
}

// servedTool returns the definition of a tool as a server sends it: without the members that this project adds.
func servedTool(source wire.Object) wire.Object {
	definition := source.Without(jsonschema.GoName, MemberScopes, MemberOperation)
	if !strings.Contains(string(definition), "x-go-") {
		return definition
	}
	for _, member := range []string{"inputSchema", "outputSchema"} {
		if schema, ok := definition.Get(member); ok {
			definition = jsonschema.With(definition, member, jsonschema.WithoutGo(schema))
		}
	}
	return definition
}

func (r *reader) schema(at string, raw wire.Raw) *jsonschema.Schema {
	s, problems := jsonschema.Read(at, raw)
	if len(problems) == 0 {
		problems = s.Endless()
	}
	for _, p := range problems {
		r.fail(p.Pointer, "%s", p.Problem)
	}
	return s
}

func (r *reader) text(at string, o wire.Object, name string) string {
	raw, ok := o.Get(name)
	if !ok {
		return ""
	}
	s, ok := raw.Str()
	if !ok {
		r.fail(at+"/"+name, "must be a string, found %s", raw.Kind())
	}
	return s
}

// scopes returns the scopes of a definition (RFC 6749, section 3.3).
func (r *reader) scopes(at string, definition wire.Object) []string {
	raw, ok := definition.Get(MemberScopes)
	if !ok {
		return nil
	}
	at += "/" + MemberScopes
	if raw.Kind() != wire.KindArray {
		r.fail(at, "must be an array of scopes, found %s", raw.Kind())
		return nil
	}
	var scopes []string
	for i, item := range raw.Elements() {
		s, ok := item.Str()
		if !ok || s == "" || strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '"' || c == '\\' }) {
			r.fail(at+"/"+strconv.Itoa(i), "must be a scope: a string without spaces and quotes, found %.50s", item)
			continue
		}
		scopes = append(scopes, s)
	}
	return scopes
}

// ScopesOf returns the scopes of a definition, unchecked and without values that are not strings.
func ScopesOf(definition wire.Object) []string {
	raw, _ := definition.Get(MemberScopes)
	if raw.Kind() != wire.KindArray {
		return nil
	}
	var scopes []string
	for _, item := range raw.Elements() {
		if s, ok := item.Str(); ok {
			scopes = append(scopes, s)
		}
	}
	return scopes
}
