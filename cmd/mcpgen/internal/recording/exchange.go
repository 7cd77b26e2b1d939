package recording

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Exchange is a request with its answer.
type Exchange struct {
	// Line and Session are those of the entry with the request.
	Line    int
	Session string
	// From is the side that asks.
	From   Side
	Method string
	Params wire.Raw
	// Result is the answer, or Error the error object. Both are "" if the recording has no answer.
	Result, Error wire.Raw
}

// Subject returns what the request is about: the URI of a resource, or the name of a tool or prompt.
func (x *Exchange) Subject() string {
	if x.Params.Kind() != wire.KindObject {
		return ""
	}
	params := wire.Object(x.Params)
	return cmp.Or(params.GetString("uri"), params.GetString("name"))
}

// question names a request that waits for its answer. Both sides may use the same ids.
type question struct {
	session string
	from    Side
	id      string
}

// Exchanges reads the requests of a recording in any form. They are in the order of their answers; those
// without an answer follow, in the order of the recording. Text that is not JSON is ignored.
func Exchanges(r io.Reader) ([]*Exchange, error) {
	decoded, err := Decode(r)
	if err != nil {
		return nil, err
	}
	entries, err := NewReader(decoded)
	if err != nil {
		return nil, err
	}
	var all []*Exchange
	open := map[question]*Exchange{}
	for {
		e, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		var text wire.Raw
		if e.Text == "" || wire.UnmarshalString(e.Text, &text) != nil {
			continue
		}
		messages := []wire.Raw{text}
		if text.Kind() == wire.KindArray {
			messages = text.Elements()
		}
		for _, m := range messages {
			if m.Kind() != wire.KindObject {
				continue
			}
			if done := pair(open, e, wire.Object(m)); done != nil {
				all = append(all, done)
			}
		}
	}
	var unanswered []*Exchange
	for _, x := range open {
		unanswered = append(unanswered, x)
	}
	slices.SortFunc(unanswered, func(a, b *Exchange) int { return cmp.Compare(a.Line, b.Line) })
	return append(all, unanswered...), nil
}

// pair keeps a request until its answer comes, and then returns both.
func pair(open map[question]*Exchange, e Entry, m wire.Object) *Exchange {
	id, ok := m.Get("id")
	if !ok {
		return nil
	}
	if method := m.GetString("method"); method != "" {
		from := e.From
		if from == Unknown {
			from = sender(method)
		}
		params, _ := m.Get("params")
		open[question{e.Session, from, string(id)}] = &Exchange{Line: e.Line, Session: e.Session, From: from, Method: method, Params: params}
		return nil
	}
	for _, asker := range []Side{Client, Server} {
		q := question{e.Session, asker, string(id)}
		x := open[q]
		if x == nil || e.From == asker {
			continue
		}
		delete(open, q)
		x.Result, _ = m.Get("result")
		x.Error, _ = m.Get("error")
		return x
	}
	return nil
}

// sender returns the side that sends a request, in a recording that does not say it.
func sender(method string) Side {
	switch method {
	case "elicitation/create", "sampling/createMessage", "roots/list":
		return Server
	}
	return Client
}
