package replay

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Change is a difference between a recorded answer and a new one.
type Change struct {
	Line    int    `json:"line"` // of the request in the recording
	Method  string `json:"method"`
	Subject string `json:"subject,omitzero"` // the name of a tool or prompt, or the URI of a resource
	// Pointer is the place in the answer, an object with a result or an error, as a JSON Pointer.
	Pointer string `json:"pointer"`
	// Old and New are the values there, or "" where there is none.
	Old wire.Raw `json:"old,omitzero"`
	New wire.Raw `json:"new,omitzero"`
}

// Binding returns the binding of a client that answers as the recorded client did.
func (s *Session) Binding() (runtime.Binding, error) {
	r, ok := generated.Lookup(s.Revision)
	if !ok {
		return runtime.Binding{}, fmt.Errorf("the recording is of revision %q, which is not known", s.Revision)
	}
	var mu sync.Mutex
	next := map[string]int{}
	handlers := runtime.Handlers{}
	for method, answers := range s.Answers {
		handlers[method] = func(context.Context, *runtime.Message) (wire.Appender, error) {
			mu.Lock()
			defer mu.Unlock()
			i := next[method]
			if i >= len(answers) {
				return nil, fmt.Errorf("the server asks more often than in the recording: %d times %s", i+1, method)
			}
			next[method]++
			return answers[i], nil
		}
	}
	b := handlers.Bind(r.ID, r.Methods)
	b.Capabilities = func(wire.Appender) (wire.Appender, error) { return s.Capabilities, nil }
	return b, nil
}

// Play sends the requests one after the other and returns how the answers differ from the recorded ones.
// Differences at places that match one of the patterns are ignored; see [Pattern]. The error is that of a
// session that has ended.
func (s *Session) Play(ctx context.Context, session *runtime.Session, ignored []recording.Pattern) ([]Change, error) {
	var changes []Change
	cursors := map[string]wire.Raw{} // new cursors by the recorded ones
	for _, r := range s.Requests {
		var result wire.Raw
		err := session.Call(ctx, r.Method, paramsOf(r, cursors), &result)
		answer, err := answerOf(result, err)
		if err != nil {
			return changes, fmt.Errorf("line %d: %s: %w", r.Line, r.Method, err)
		}
		c := comparison{ignored: ignored, change: Change{Line: r.Line, Method: r.Method, Subject: r.Subject()}}
		was := recorded(r)
		remember(cursors, was, answer)
		c.compare("", wire.Raw(was), wire.Raw(answer))
		changes = append(changes, c.changes...)
	}
	return changes, nil
}

// paramsOf returns the params of a request without what the client of the replay adds by itself.
func paramsOf(r *recording.Exchange, cursors map[string]wire.Raw) wire.Appender {
	if r.Params == "" {
		return nil
	}
	params := object(r.Params).Without("inputResponses", "requestState")
	if meta, ok := params.Get("_meta"); ok {
		if rest := object(meta).Without(metaRevision, metaClient, metaCapabilities, "progressToken"); rest.Len() > 0 {
			params, _ = params.With("_meta", wire.Raw(rest))
		} else {
			params = params.Without("_meta")
		}
	}
	if cursor, ok := params.Get("cursor"); ok && cursors[string(cursor)] != "" {
		params, _ = params.With("cursor", cursors[string(cursor)])
	}
	return params
}

// remember records the cursor that the server has issued in place of a recorded one, because cursors
// are opaque to clients.
func remember(cursors map[string]wire.Raw, was, is wire.Object) {
	old, there := member(was, "result").Get("nextCursor")
	if now, ok := member(is, "result").Get("nextCursor"); ok && there {
		cursors[string(old)] = now
	}
}

// answerOf returns the answer to a call as an object with a result or an error.
func answerOf(result wire.Raw, err error) (wire.Object, error) {
	answer := wire.Object("{}")
	if err == nil {
		return answer.With("result", result)
	}
	refused, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return "", err
	}
	text, err := wire.Marshal(refused)
	if err != nil {
		return "", err
	}
	return answer.With("error", wire.Raw(text))
}

// recorded returns the recorded answer as an object with a result or an error.
func recorded(r *recording.Exchange) wire.Object {
	name, value := "result", r.Result
	if r.Error != "" {
		name, value = "error", r.Error
	}
	answer, _ := wire.Object("{}").With(name, value)
	return answer
}

// comparison collects the differences of one answer.
type comparison struct {
	ignored []recording.Pattern
	change  Change // without its place and values
	changes []Change
}

func (c *comparison) compare(pointer string, old, now wire.Raw) {
	for _, p := range c.ignored {
		if p.Matches(pointer) {
			return
		}
	}
	switch {
	case old != "" && now != "" && wire.Equal(old, now):
	case redacted(old) && now != "":
	case old.Kind() == wire.KindObject && now.Kind() == wire.KindObject:
		for name, value := range wire.Object(old).All() {
			other, _ := wire.Object(now).Get(name)
			c.compare(wire.ChildPointer(pointer, name), value, other)
		}
		for name, value := range wire.Object(now).All() {
			if _, there := wire.Object(old).Get(name); !there {
				c.compare(wire.ChildPointer(pointer, name), "", value)
			}
		}
	case old.Kind() == wire.KindArray && now.Kind() == wire.KindArray:
		was, is := old.Elements(), now.Elements()
		for i := range max(len(was), len(is)) {
			var a, b wire.Raw
			if i < len(was) {
				a = was[i]
			}
			if i < len(is) {
				b = is[i]
			}
			c.compare(pointer+"/"+strconv.Itoa(i), a, b)
		}
	case pointer == "/result/nextCursor" && old != "" && now != "":
	default:
		change := c.change
		change.Pointer, change.Old, change.New = pointer, old, now
		c.changes = append(c.changes, change)
	}
}

// redacted reports whether the recording has something else in place of a value.
func redacted(value wire.Raw) bool {
	text, _ := value.Str()
	return strings.HasPrefix(text, recording.RedactedPrefix)
}
