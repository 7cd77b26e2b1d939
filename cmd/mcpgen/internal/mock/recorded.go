package mock

import (
	"errors"
	"io"
	"sync"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	runtimetools "github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Recorded holds the answers of a recorded session.
type Recorded struct {
	mu sync.Mutex
	// answers are in the order of the recording, by method and name.
	answers map[subject][]*answer
}

// subject is what requests with the same answers have in common: the method, and the name of
// the tool or prompt or the URI of the resource.
type subject struct{ method, name string }

// answer is the result of a request.
type answer struct {
	arguments wire.Raw
	result    wire.Object
	used      bool
}

// ReadRecording reads the answers of a recording of mcpgen proxy, or of plain messages.
func ReadRecording(r io.Reader) (*Recorded, error) {
	decoded, err := recording.Decode(r)
	if err != nil {
		return nil, err
	}
	entries, err := recording.NewReader(decoded)
	if err != nil {
		return nil, err
	}
	recorded := &Recorded{answers: map[subject][]*answer{}}
	asked := map[string]wire.Object{} // requests without an answer, by session and id
	for {
		e, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return recorded, nil
		}
		if err != nil {
			return nil, err
		}
		var message wire.Raw
		if e.Text == "" || wire.UnmarshalString(e.Text, &message) != nil {
			continue
		}
		for _, m := range messages(message) {
			recorded.message(e, m, asked)
		}
	}
}

// messages returns the messages of a text, which may be a batch.
func messages(text wire.Raw) []wire.Object {
	if text.Kind() == wire.KindObject {
		return []wire.Object{wire.Object(text)}
	}
	var all []wire.Object
	for _, element := range text.Elements() {
		if element.Kind() == wire.KindObject {
			all = append(all, wire.Object(element))
		}
	}
	return all
}

// message adds a request to those without an answer, or an answer to its request.
func (r *Recorded) message(e recording.Entry, m wire.Object, asked map[string]wire.Object) {
	id, ok := m.Get("id")
	if !ok {
		return
	}
	key := e.Session + " " + string(id)
	if _, request := m.Get("method"); request {
		asked[key] = m
		return
	}
	request, ok := asked[key]
	raw, answered := m.Get("result")
	if !ok || !answered || raw.Kind() != wire.KindObject {
		return
	}
	delete(asked, key)
	// These members say which revision the result was sent in, not what the server said.
	result := wire.Object(raw).Without("resultType", "ttlMs", "cacheScope")
	params, _ := request.Get("params")
	method, o := request.GetString("method"), wire.Object(params)
	name := o.GetString("name")
	if method == "resources/read" {
		name = o.GetString("uri")
	}
	arguments, _ := o.Get("arguments")
	s := subject{method, name}
	r.answers[s] = append(r.answers[s], &answer{arguments: arguments, result: result})
}

// answer returns the recorded answer to a request: the first unused one with equal arguments,
// else the last one with equal arguments. It reports false if there is none.
func (r *Recorded) answer(method, name string, arguments wire.Raw) (*answer, bool) {
	if r == nil {
		return nil, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var last *answer
	for _, a := range r.answers[subject{method, name}] {
		if !same(a.arguments, arguments) {
			continue
		}
		if last = a; !a.used {
			a.used = true
			break
		}
	}
	return last, last != nil
}

// same reports whether the arguments of two requests are equal. No arguments are an empty object.
func same(a, b wire.Raw) bool {
	if a == "" {
		a = "{}"
	}
	if b == "" {
		b = "{}"
	}
	return wire.Equal(a, b)
}

// fill sets the rest of a result and returns its content blocks.
func (a *answer) fill(rest *runtimetools.Result) []wire.Raw {
	failed, _ := a.result.Get("isError")
	rest.IsError = failed == "true"
	if meta, ok := a.result.Get("_meta"); ok && meta.Kind() == wire.KindObject {
		rest.Meta = wire.Object(meta)
	}
	content, _ := a.result.Get("content")
	return content.Elements()
}

// Len returns the number of recorded answers.
func (r *Recorded) Len() int {
	n := 0
	for _, all := range r.answers {
		n += len(all)
	}
	return n
}
