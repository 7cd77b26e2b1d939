package runtime

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// DefaultStateLifetime is the default of Rounds.Lifetime. Users have that long to answer.
const DefaultStateLifetime = 15 * time.Minute

// Rounds configures the requests of stateless revisions whose handlers ask the client ("Multi Round-Trip
// Requests" in basic/patterns/mrtr, 2026-07-28). The progress of such a request goes to the client as
// requestState, and comes back with the answers. It consists of the answers so far, the values of [Once],
// and the state of a handler that makes its results by hand. It is sealed, so that a client can neither
// read nor change it, and is accepted only from the same principal, for the same method with the same
// params, until it expires. Otherwise, the client gets an error with CodeInvalidParams, and the logger
// gets the reason.
type Rounds struct {
	// Keys seal states: the first seals, and all of them open, so that keys can be replaced. Each has
	// at least 32 random bytes. All replicas of a server need the same keys. Without keys, the server
	// makes one that lives as long as the Server. The states of tasks stay in their store and are not
	// sealed.
	Keys [][]byte
	// Lifetime is how long a state is accepted. 0 means DefaultStateLifetime.
	Lifetime time.Duration
	// Principal returns the authenticated user that a request comes from, given the context of its
	// handler; "" if there is none. If Principal is nil, it is that of [WithPrincipal], which the
	// transports over HTTP and the middleware of runtime/auth set.
	Principal func(ctx context.Context) string
	// Use, if not nil, is called with the id of each state before its request is handled, and reports whether
	// the state may be used. [UseOnce] and [UseOnceIn] allow each state once. A client whose connection
	// breaks during a retry then has to start over. The id is remembered at least until expires. An error
	// fails the request.
	Use func(ctx context.Context, id string, expires time.Time) (bool, error)
}

// UseOnce returns a function for Rounds.Use that allows each state once. It remembers the states in memory,
// at most limit at a time, and allows no further ones until some of them expire. The replicas of a server
// need [UseOnceIn] instead.
func UseOnce(limit int) func(ctx context.Context, id string, expires time.Time) (bool, error) {
	used := seal.NewUsed(limit)
	return func(_ context.Context, id string, expires time.Time) (bool, error) {
		added, full := used.Add(id, expires, time.Now())
		if full {
			return false, fmt.Errorf("runtime: the limit of %d used states is reached", limit)
		}
		return added, nil
	}
}

// UseOnceIn returns a function for Rounds.Use that allows each state once at all replicas of a server. It
// remembers the states in a store that they share. While the store cannot be used, requests with a state
// fail with an internal error.
func UseOnceIn(kv share.KV) func(ctx context.Context, id string, expires time.Time) (bool, error) {
	return func(ctx context.Context, id string, expires time.Time) (bool, error) {
		_, err := kv.Put(ctx, "mcpgen.used."+id, nil, 0, max(time.Until(expires), 0)+waits.ClockSkew)
		if errors.Is(err, share.ErrConflict) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("runtime: the store of used states: %w", err)
		}
		return true, nil
	}
}

type principalKey struct{}

// WithPrincipal returns a context of a request that comes from an authenticated user.
func WithPrincipal(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, principalKey{}, user)
}

// PrincipalOf returns the user of [WithPrincipal], or "".
func PrincipalOf(ctx context.Context) string {
	user, _ := ctx.Value(principalKey{}).(string)
	return user
}

// errState is the error for a state that is not accepted. It does not tell the client why.
var errState = jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /requestState: not valid for this request, or no longer; send the request without it to start over")

// errUsed is the reason to refuse a state that Rounds.Use does not allow.
var errUsed = errors.New("used before")

// purpose returns what the states of the call are sealed for.
func (c *statelessCall) purpose() seal.Purpose {
	principal := c.server().opts.Rounds.Principal
	if principal == nil {
		principal = PrincipalOf
	}
	return seal.Purpose{
		Principal: principal(&c.context),
		Request:   seal.Request(c.terms.revision, c.m.Method, wire.Object(c.params), "_meta", memberRequestState, memberInputResponses),
	}
}

// server returns the server of a stateless call.
func (c *statelessCall) server() *Server { return c.terms.bound.offered.server }

// resume reads what the client has sent about earlier rounds, and returns the message for the handler. The
// members of the rounds are removed, unless the handler has made the result by hand; then it gets its own
// state. Without a state, the params do not change, because the client may know the keys of a handler.
func (c *statelessCall) resume(m *Message) (*Message, error) {
	o := m.Object()
	if !c.mayResume(o) || !c.terms.bound.row(c.m.Method).asks {
		return m, nil
	}
	responses := present(o, memberInputResponses)
	state := present(o, memberRequestState)
	if responses == "" && state == "" {
		return m, nil
	}
	if responses != "" && responses.Kind() != wire.KindObject {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /inputResponses: expected an object")
	}
	r := &rounds{given: make(map[string]*given)}
	if state != "" {
		by, err := c.open(state)
		if err != nil {
			return nil, err
		}
		for key, answer := range wire.Object(by.answers).All() {
			r.given[key] = &given{answer: answer}
		}
		r.done = by.done.Members()
		params, err := by.params(o)
		if err != nil {
			return nil, err
		}
		m = m.With(params)
	}
	for key, answer := range wire.Object(responses).All() {
		if r.given[key] == nil {
			r.given[key] = &given{answer: answer, fresh: true}
		}
	}
	c.asking.Store(r)
	return m, nil
}

// mayResume reports whether params may have members of earlier rounds. Most contain neither their names
// nor an escape that could hide them, and need not be read. It searches for the ends of the names, because
// a search that begins at a capital letter, which is rare, is faster.
func (c *statelessCall) mayResume(params wire.Object) bool {
	text := string(params)
	return strings.Contains(text, "State") || strings.Contains(text, "Responses") || strings.Contains(text, escapedLetter)
}

// present returns a member of the params, or "" if it is absent or null.
func present(o wire.Object, name string) wire.Raw {
	value, _ := o.Get(name)
	if value == "null" {
		return ""
	}
	return value
}

// state is the content of a requestState.
type state struct {
	answers wire.Object // by the key of the question
	done    wire.Object // the values of Once, by key
	author  wire.Raw    // of a result made by hand: its state, or null; "" for other results
}

// params returns the params for the handler of a request with the state.
func (s *state) params(o wire.Object) (wire.Raw, error) {
	switch s.author {
	case "":
		return wire.Raw(o.Without(memberRequestState, memberInputResponses)), nil
	case "null":
		return wire.Raw(o.Without(memberRequestState)), nil
	}
	o, err := o.With(memberRequestState, s.author)
	return wire.Raw(o), err
}

// open opens the state of a request.
func (c *statelessCall) open(sealed wire.Raw) (*state, error) {
	text, _ := sealed.Str()
	s := c.server()
	keeper := seal.KeeperOf(&c.context, s)
	if keeper != nil {
		if content, ok := keeper.Open(text); ok {
			return stateOf(wire.Object(content)), nil
		}
	}
	o, err := s.ring.Open(text, c.purpose(), time.Now())
	if err == nil && s.opts.Rounds.Use != nil && keeper == nil { // the client's own request has used it
		var ok bool
		if ok, err = s.opts.Rounds.Use(&c.context, hex.EncodeToString(o.ID[:]), o.Expires); err != nil {
			return nil, err
		} else if !ok {
			err = errUsed
		}
	}
	if err != nil {
		c.conn.logger().Warn("requestState refused", "method", c.m.Method, "id", c.id, "reason", err)
		if keeper != nil {
			return nil, keeper.Refused()
		}
		return nil, errState
	}
	return stateOf(wire.Object(o.Content)), nil
}

// stateOf returns the state whose content is an object of the method content.
func stateOf(content wire.Object) *state {
	answers, _ := content.Get("answers")
	done, _ := content.Get("done")
	author, _ := content.Get("author")
	return &state{wire.Object(answers), wire.Object(done), author}
}

// requireInput completes a result that asks the client: it checks the questions and adds the state.
func (c *statelessCall) requireInput(result wire.Object) (wire.Object, error) {
	if !c.terms.bound.row(c.m.Method).asks {
		return "", fmt.Errorf("runtime: revision %s has no way to ask the client during %s", c.terms.revision, c.m.Method)
	}
	requests := present(result, memberInputRequests)
	if requests != "" && requests.Kind() != wire.KindObject {
		return "", errors.New("runtime: invalid result: /inputRequests: expected an object")
	}
	if err := c.checkQuestions(requests); err != nil {
		return "", fmt.Errorf("runtime: invalid result: %w", err)
	}
	content, err := c.content(result, requests)
	if err != nil {
		return "", err
	}
	s := c.server()
	text := ""
	if keeper := seal.KeeperOf(&c.context, s); keeper != nil {
		text = keeper.Keep(content)
	} else if text, err = s.ring.Seal(c.purpose(), time.Now().Add(cmp.Or(max(s.opts.Rounds.Lifetime, 0), DefaultStateLifetime)), content); err != nil {
		return "", err
	}
	return result.With(memberRequestState, wire.Raw(`"`+text+`"`))
}

// content returns the content of the state of a result.
func (c *statelessCall) content(result wire.Object, requests wire.Raw) ([]byte, error) {
	r := c.rounds()
	r.mu.Lock()
	defer r.mu.Unlock()
	author := present(result, memberRequestState)
	if author == "" && wire.Object(requests).Len() > len(r.asked) {
		author = "null" // the handler asks by hand, without a state
	}
	if kind := author.Kind(); author != "" && author != "null" && kind != wire.KindString {
		return nil, fmt.Errorf("runtime: invalid result: /requestState: expected a string, found %v", kind)
	}
	w := wire.NewWriter(nil)
	w.BeginObject()
	w.Name("answers")
	w.BeginObject()
	for key, g := range r.given {
		if g.used {
			w.Key(key)
			w.Put(g.answer)
		}
	}
	w.EndObject()
	w.Name("done")
	w.BeginObject()
	w.Members(r.done)
	w.EndObject()
	if author != "" {
		w.Value("author", author)
	}
	w.EndObject()
	return w.End()
}
