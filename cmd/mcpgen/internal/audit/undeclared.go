package audit

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// undeclared notes the members of a value that its revision does not define. Generated types
// keep them in the field Extra.
func (c *check) undeclared(v wire.Value, src, pointer string) {
	if c.envelope && wire.Raw(src).Kind() == wire.KindArray {
		return // the messages of a batch are checked one by one
	}
	c.extras(reflect.ValueOf(v), pointer)
}

var membersType = reflect.TypeFor[wire.Members]()

func (c *check) extras(v reflect.Value, at string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			c.extras(v.Elem(), at)
		}
	case reflect.Slice:
		for i := range v.Len() {
			c.extras(v.Index(i), at+"/"+itoa(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if key.Kind() == reflect.String {
				c.extras(v.MapIndex(key), wire.ChildPointer(at, key.String()))
			}
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[jsonrpc.DefinedMessage]() {
			m := v.Addr().Interface().(*jsonrpc.DefinedMessage)
			c.extraMembers(m.Extra, m.Definition.Name, at)
			if m.Payload != nil && !c.envelope {
				c.extras(reflect.ValueOf(m.Payload), at+"/"+m.Definition.PayloadName())
			}
			return
		}
		c.extraFields(v, at)
	}
}

func (c *check) extraFields(v reflect.Value, at string) {
	// The schema of a tool has the members of JSON Schema, and the result of a task those of
	// the request that runs as the task.
	if name := v.Type().Name(); strings.HasSuffix(name, "InputSchema") || strings.HasSuffix(name, "OutputSchema") || name == "GetTaskPayloadResult" {
		return
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case !field.IsExported(), name == "_meta": // an open object
		case field.Type == membersType:
			c.extraMembers(v.Field(i).Interface().(wire.Members), v.Type().Name(), at)
		case name == "" || name == "-":
			c.extras(v.Field(i), at)
		default:
			c.extras(v.Field(i), wire.ChildPointer(at, name))
		}
	}
}

func (c *check) extraMembers(extra wire.Members, definition, at string) {
	for _, m := range extra {
		c.note("undeclared", wire.ChildPointer(at, m.Name), "revision %[3]s does not define %[1]s.%[2]s%[4]s",
			definition, m.Name, c.s.revision.ID, firstWith(c.s.revision.ID, definition, m.Name))
	}
}

// firstWith names the first revision that defines a member of a definition.
func firstWith(revision, definition, name string) string {
	for _, r := range generated.Revisions() {
		v, ok := r.New(definition)
		if !ok || r.ID == revision {
			continue
		}
		t := reflect.TypeOf(v)
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			continue
		}
		for i := range t.NumField() {
			if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name {
				return ": it exists since " + r.ID
			}
		}
	}
	return ""
}

// elsewhere names the revisions that have a variant which this one lacks.
func (c *check) elsewhere(src string, p wire.Problem) string {
	if p.Union == "" {
		return ""
	}
	value, _ := wire.Raw(src).At(p.Pointer)
	var have []string
	for _, r := range generated.Revisions() {
		v, ok := r.New(p.Union)
		if !ok || r.ID == c.s.revision.ID {
			continue
		}
		if err := wire.UnmarshalString(string(value), v); err == nil && known(v, p.Union) {
			have = append(have, r.ID)
		}
	}
	switch {
	case len(have) == 0:
		return ""
	case have[0] > c.s.revision.ID:
		return "; it exists since " + have[0]
	}
	return "; it exists in " + strings.Join(have, ", ")
}

// known reports whether a union has recognized the variant of its value, valid or not.
func known(v wire.Value, union string) bool {
	err := wire.Validate(v)
	var bad *wire.ValidationError
	return err == nil || errors.As(err, &bad) && !slices.ContainsFunc(bad.Problems, func(p wire.Problem) bool { return p.Pointer == "" && p.Union == union })
}
