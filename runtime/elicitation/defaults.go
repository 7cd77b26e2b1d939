// Package elicitation helps clients to answer elicitation requests (client/elicitation of
// revisions since 2025-06-18).
package elicitation

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const methodCreate = "elicitation/create"

// FillDefaults wraps a client's binding. In the answer to a form that the user has
// accepted, it sets the fields that the wrapped handler omitted to the defaults of the form
// ("Requested Schema" in client/elicitation). A default with a type other than its field's
// is ignored.
func FillDefaults(below runtime.Binding) runtime.Binding {
	b := below
	b.Handle = func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		if below.Handle == nil {
			return nil, runtime.MethodNotFound(m.Method)
		}
		result, err := below.Handle(ctx, m)
		if m.Method != methodCreate || err != nil || result == nil {
			return result, err
		}
		text, err := wire.MarshalString(result)
		if err != nil {
			return nil, fmt.Errorf("elicitation: %w", err)
		}
		return fill(m.Object(), wire.Object(text))
	}
	return b
}

// fill adds the defaults of the form in params to a result.
func fill(params, result wire.Object) (wire.Object, error) {
	schema, _ := params.Get("requestedSchema")
	properties, ok := wire.Object(schema).Get("properties")
	if action, _ := result.Get("action"); !ok || action != `"accept"` {
		return result, nil
	}
	given, _ := result.Get("content")
	members := wire.Object(given).Members()
	answered := len(members)
	for name, field := range wire.Object(properties).All() {
		value, ok := wire.Object(field).Get("default")
		if _, answered := members.Get(name); ok && !answered && fits(wire.Object(field), value) {
			members = append(members, wire.Member{Name: name, Value: value})
		}
	}
	if len(members) == answered {
		return result, nil
	}
	content, err := wire.NewObject(members...)
	if err != nil {
		return "", fmt.Errorf("elicitation: %w", err)
	}
	return result.With("content", wire.Raw(content))
}

// fits reports whether a value has the type of a field.
func fits(field wire.Object, value wire.Raw) bool {
	of, _ := field.Get("type")
	switch of {
	case `"string"`:
		return value.Kind() == wire.KindString
	case `"boolean"`:
		return value.Kind() == wire.KindBool
	case `"number"`:
		return value.Kind() == wire.KindNumber
	case `"integer"`:
		r := wire.NewStringReader(string(value))
		r.ReadScalar(wire.ScalarInteger)
		return r.Err() == nil
	case `"array"`:
		r := wire.NewStringReader(string(value))
		for r.BeginArray(); r.Element(); {
			r.ReadString()
		}
		return r.Err() == nil
	}
	return false
}
