package tools

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Read reads a tool list. The text is a ListToolsResult, a response with one, or its array of
// tools. Read reports every problem it finds, joined, each as an [*Error].
func Read(text []byte) (*List, error) {
	r := &reader{}
	list := r.list(string(text))
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	return list, nil
}

type reader struct {
	errs []error
	tool string
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
	if root.Kind() == wire.KindObject {
		if result, ok := wire.Object(root).Get("result"); ok && result.Kind() == wire.KindObject {
			root, pointer = result, "/result"
		}
		tools, ok := wire.Object(root).Get("tools")
		if !ok {
			r.fail(pointer, `has no member "tools"`)
			return nil
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
	list := &List{}
	taken := map[string]string{}
	for i, raw := range root.Elements() {
		at := pointer + "/" + strconv.Itoa(i)
		r.tool = ""
		t := r.definition(at, raw)
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
	compact, err := wire.AppendRaw(nil, raw)
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
	if input, ok := t.Definition.Get("inputSchema"); ok {
		t.Input = r.schema(at+"/inputSchema", input)
	} else {
		r.fail(at, `must have an "inputSchema"`)
	}
	if output, ok := t.Definition.Get("outputSchema"); ok {
		t.Output = r.schema(at+"/outputSchema", output)
	}
	for _, s := range []*jsonschema.Schema{t.Input, t.Output} {
		if s == nil {
			continue
		}
		// The protocol wants the string, not an array that contains only it.
		if kind, _ := wire.Object(s.Source).Get("type"); kind != `"object"` {
			r.fail(s.Pointer, `must have the type "object", as the arguments and the structured result of a tool are objects`)
		}
	}
	return t
}

func (r *reader) schema(at string, raw wire.Raw) *jsonschema.Schema {
	s, problems := jsonschema.Read(at, raw)
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
