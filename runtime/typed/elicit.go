package typed

import (
	"context"
	"errors"
	"reflect"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Elicit asks the user of the client to fill in a form whose fields are those of T ("Form Mode" in client/elicitation;
// revisions since 2025-06-18). T is a struct with the tags that arguments have; its fields are strings, numbers,
// booleans, types with a method Enum, or lists of strings.
//
// If the user accepts, Elicit returns the answer, which is valid under the tags. Otherwise the answer is nil, and the
// action is "decline" or "cancel". A field that a form cannot have is an error. A handler must return the error of
// Elicit. In a revision without sessions, the first call returns [runtime.ErrInputRequired], and the handler runs again
// when the client has the answer.
func Elicit[T any](ctx context.Context, message string) (answer *T, action string, err error) {
	c := runtime.CallOf(ctx)
	if c == nil {
		return nil, "", errors.New("typed: Elicit needs the context of a call")
	}
	form, err := argumentsOf(reflect.TypeFor[T](), true)
	if err != nil {
		return nil, "", err
	}
	text, err := wire.MarshalString(wire.StringScalar(message))
	if err != nil {
		return nil, "", err
	}
	params, err := wire.NewObject(
		wire.Member{Name: "message", Value: wire.Raw(text)},
		wire.Member{Name: "requestedSchema", Value: wire.Raw(wire.Object(form.schema).Without("additionalProperties"))})
	if err != nil {
		return nil, "", err
	}
	var result wire.Object
	if err := c.Call(ctx, "elicitation/create", params, &result); err != nil {
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
