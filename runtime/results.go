package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/form"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Lenience determines which results a client accepts although their schema does not allow them. It
// applies to results that are decoded into generated types. A result that is decoded into a [wire.Raw]
// or [wire.Object] is not changed.
type Lenience uint8

const (
	// LenientLists, the default, treats an optional member that is null as absent, and a list that is
	// null as empty. In results of list methods, such as tools/list, it also leaves out elements that
	// cannot be decoded, so that one bad definition does not hide the others.
	LenientLists Lenience = iota
	// LenientAlways leaves such elements out of all results, such as the content of tools/call, the
	// messages of prompts/get and the contents of resources/read.
	LenientAlways
	// LenientNever accepts only what the schema allows.
	LenientNever
)

// of returns the lenience of package wire for a result. List is true for list methods.
func (l Lenience) of(list bool) wire.Lenience {
	switch {
	case l == LenientNever:
		return 0
	case l == LenientAlways || list:
		return wire.AbsentNulls | wire.LeaveOut
	}
	return wire.AbsentNulls
}

// Deviations lists the deviations from the schema that a client has accepted in one result, see
// [ClientOptions].
type Deviations struct {
	Method string           // of the request
	All    []wire.Deviation // in the order of the text; at most 1,000
	More   int              // number of deviations that are not in All
}

// LeftOut returns how many of the deviations in All are elements that were left out of lists.
func (d *Deviations) LeftOut() int {
	n := 0
	for i := range d.All {
		if d.All[i].LeftOut {
			n++
		}
	}
	return n
}

// String returns the method, the first deviation and how many there are.
func (d *Deviations) String() string {
	if len(d.All) == 0 {
		return fmt.Sprintf("result of %s: no deviations", d.Method)
	}
	return fmt.Sprintf("result of %s: %.300s (%d of %d)", d.Method, d.All[0], 1, len(d.All)+d.More)
}

// Decode decodes the result of a request that this side sends into what Into returns. The sender of the request does that,
// so that a Handler on the way calls Decode only if it needs the value.
func (m *Message) Decode(ctx context.Context, text wire.Raw) error {
	s := m.sent
	lenience := s.lenience()
	if text == s.answer { // whose syntax was checked with the message that it came in
		lenience |= wire.WellFormed
	}
	accepted, more, err := wire.UnmarshalLenient(text, s.into, lenience)
	if err == nil && s.key != "" {
		err = wire.Validate(s.into)
	}
	if err != nil {
		return prefix.Errorf("runtime: result of %s: %w", m.Method, s.badInput(err))
	}
	s.decoded = true
	if len(accepted) > 0 && s.conn != nil {
		s.conn.report(ctx, &Deviations{Method: m.Method, All: accepted, More: more})
	}
	return nil
}

// lenience returns what is accepted in the result.
func (q *sent) lenience() wire.Lenience {
	if q.conn == nil {
		return 0
	}
	return q.conn.lenient.of(q.row.lists)
}

// report logs deviations and passes them to the program.
func (p *conn) report(ctx context.Context, d *Deviations) {
	p.logger().Warn("result deviates from the schema", "method", d.Method, "left out", d.LeftOut(), "deviations", len(d.All)+d.More, "first", fmt.Sprintf("%.300s", d.All[0]))
	if p.deviated != nil {
		p.deviated(ctx, d)
	}
}

// UnknownResult returns the error for a result that has none of the types that the method allows: an
// *[OtherResultError] if it has a resultType, which then belongs to an extension, because a client has
// refused all others before. Generated code calls it with a box of the method's result.
func UnknownResult(method string, result wire.Value) error {
	text, err := wire.Marshal(result)
	if kind := wire.Object(text).GetString("resultType"); kind != "" && kind != resultComplete && kind != resultInputRequired {
		return &OtherResultError{Method: method, Result: result}
	}
	if err == nil {
		err = wire.Validate(result)
	}
	return prefix.Errorf("runtime: result of %s: %w; received %.200q", method, err, text)
}

// PlainResult returns the result of a request as an R, which is one of the types that the result can
// have. If the result has another type, the error is an *[OtherResultError]. Result and err are the
// results of the method that returns all types.
func PlainResult[R, U wire.Appender](method string, result U, err error) (R, error) {
	plain, ok := any(result).(R)
	if err == nil && !ok {
		err = &OtherResultError{Method: method, Result: result}
	}
	return plain, err
}

// FillDefaults wraps a client's binding. In the answer to a form that the user has accepted, it sets the fields that
// the wrapped handler omitted to the defaults of the form ("Requested Schema" in client/elicitation of revisions since
// 2025-06-18). A default that its field does not allow is ignored.
func FillDefaults(below Binding) Binding {
	b := below
	b.Handle = func(ctx context.Context, m *Message) (wire.Appender, error) {
		if below.Handle == nil {
			return nil, MethodNotFound(m.Method)
		}
		result, err := below.Handle(ctx, m)
		if m.Method != methodElicit || err != nil || result == nil {
			return result, err
		}
		text, err := wire.MarshalString(result)
		if err != nil {
			return nil, err
		}
		return form.FillDefaults(m.Object(), wire.Object(text))
	}
	return b
}

// Both sides check that the content of a form which the user has accepted matches the requested schema
// ("Form Mode Security" in client/elicitation, 2026-07-28; "Security Considerations" in the revisions before it):
// the client before it sends the content, the server before its handler gets it.

// checkForm encodes the result of the client's handler for a form, or returns an error if it does not match
// the form.
func checkForm(params wire.Object, result wire.Appender) (wire.Appender, error) {
	if result == nil {
		return nil, nil
	}
	text, err := wire.MarshalString(result)
	if err == nil {
		err = form.CheckResult(params, wire.Object(text))
	}
	if err != nil {
		return nil, fmt.Errorf("runtime: result of %s: %w", methodElicit, err)
	}
	return wire.Raw(text), nil
}

// checkAnswered returns an error if the text answers a form and does not match it.
func (m *Message) checkAnswered(text wire.Raw) error {
	if m.Method != methodElicit || m.Params == nil {
		return nil
	}
	if err := form.CheckResult(m.Object(), wire.Object(text)); err != nil {
		return prefix.Errorf("runtime: result of %s: %w", m.Method, m.sent.badInput(err))
	}
	return nil
}

// checkRoots encodes the result of roots/list. It returns an error if the URI of a root does not begin
// with file:// ("Root" in client/roots of every revision), which no schema requires.
func checkRoots(result wire.Appender) (wire.Appender, error) {
	if result == nil {
		return nil, errors.New("runtime: the handler of roots/list returned no result")
	}
	text, err := wire.MarshalString(result)
	if err != nil {
		return nil, prefix.Errorf("runtime: result of roots/list: %w", err)
	}
	roots, _ := wire.Object(text).Get("roots")
	if roots.Kind() != wire.KindArray {
		return wire.Raw(text), nil // other errors are not checked here
	}
	r := wire.NewStringReader(string(roots))
	i := 0
	for r.BeginArray(); r.Element(); i++ {
		root := wire.Object(r.ReadRaw())
		if uri := root.GetString("uri"); !isFileURI(uri) {
			return nil, fmt.Errorf("runtime: result of roots/list: /roots/%d/uri: expected a URI that begins with file://, found %.200q", i, uri)
		}
	}
	return wire.Raw(text), nil
}

// isFileURI reports whether a URI has the scheme file, in whatever case (RFC 3986, section 3.1).
func isFileURI(uri string) bool {
	const prefix = "file://"
	return len(uri) >= len(prefix) && strings.EqualFold(uri[:len(prefix)], prefix)
}
