package mock

import (
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

// subject identifies the requests that a recorded answer is for: by the method, and the name of the
// tool or prompt or the URI of the resource.
type subject struct{ method, name string }

// answer is the result of a request.
type answer struct {
	arguments wire.Raw
	result    wire.Object
	used      bool
}

// ReadRecording reads the answers of a recording of mcpgen proxy, or of plain messages.
func ReadRecording(r io.Reader) (*Recorded, error) {
	exchanges, err := recording.Exchanges(r)
	if err != nil {
		return nil, err
	}
	recorded := &Recorded{answers: map[subject][]*answer{}}
	for _, x := range exchanges {
		if x.From == recording.Client && x.Result.Kind() == wire.KindObject {
			recorded.add(x)
		}
	}
	return recorded, nil
}

// add adds an answer of the server.
func (r *Recorded) add(x *recording.Exchange) {
	// These members say which revision the result was sent in, not what the server said.
	result := wire.Object(x.Result).Without("resultType", "ttlMs", "cacheScope")
	arguments, _ := wire.Object(x.Params).Get("arguments")
	s := subject{x.Method, x.Subject()}
	r.answers[s] = append(r.answers[s], &answer{arguments: arguments, result: result})
}

// answer returns the recorded answer to a request: the first unused one with equal arguments,
// else the last one with equal arguments. It returns false if there is none.
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
