package runtime

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The code below answers the requests that the handler of a stateless call sends to the client. The server of a
// stateless revision sends no requests. It answers that it needs input, the client repeats its request with
// the answers, and the handler runs again ("Multi Round-Trip Requests" in basic/patterns/mrtr, 2026-07-28).
// The state that the server needs in the next round travels in requestState.

// ErrInputRequired is the error of a request that the handler of a stateless call sends to the client, as
// long as the client has not answered it. The handler returns it, or an error that wraps it, and runs again
// when the client has the answer. The client is asked even if the handler returns something else.
var ErrInputRequired = errors.New("runtime: the client is asked, and repeats its request with the answer")

// inRounds wraps the Handler of a server's stateless revision. The Handler gets what the client has sent about earlier
// rounds, and its questions are put into the result.
func inRounds(next Handler) Handler {
	return func(ctx context.Context, m *Message) (wire.Appender, error) {
		call := CallOf(ctx)
		if call == nil || call.row == nil {
			return next(ctx, m)
		}
		c := statelessCall{call}
		m, err := c.resumeRound(m)
		if err != nil {
			return nil, err
		}
		result, err := next(ctx, m)
		if err != nil || c.asking.Load() != nil {
			return c.resultOrQuestions(ctx, result, err)
		}
		return result, nil
	}
}

// rounds holds what the handler of a stateless call has asked, and what the client has answered. It is
// safe for concurrent use, because a handler may ask in several goroutines.
type rounds struct {
	mu        sync.Mutex
	over      bool              // the handler has returned
	keys      map[string]int    // how often each name is used by the questions of this round and by Once
	answers   map[string]*given // the answers of the client, by the key of the question
	questions wire.Members      // the questions without an answer
	done      wire.Members      // the values of Once, by key
	failed    error             // an answer that cannot be read
}

// given is an answer.
type given struct {
	answer wire.Raw
	fresh  bool // it came with this request
	used   bool // the handler has got it in this round
}

// rounds returns the rounds of a stateless call, which begin with the first question.
func (c statelessCall) rounds() *rounds {
	if r := c.asking.Load(); r != nil {
		return r
	}
	c.asking.CompareAndSwap(nil, new(rounds))
	return c.asking.Load()
}

// resumeRound reads what the client has sent about earlier rounds, and returns the message for the handler. The
// members of the rounds are removed, unless the handler has made the result by hand; then it gets its own
// state. Without a state, the params do not change, because the client may know the keys of a handler.
func (c statelessCall) resumeRound(m *Message) (*Message, error) {
	o := m.Object()
	// Most params contain neither the names of the members of earlier rounds nor an escape that could hide them, and
	// need not be read. A search for the ends of the names, which begin at a capital letter, is faster.
	text := string(o)
	if !c.row.Asks || !strings.Contains(text, "State") && !strings.Contains(text, "Responses") && !strings.Contains(text, `\u00`) {
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
	r := &rounds{answers: make(map[string]*given)}
	if state != "" {
		content, err := c.openState(state)
		if err != nil {
			return nil, err
		}
		answers, _ := content.Get(stateAnswers)
		for key, answer := range wire.Object(answers).All() {
			r.answers[key] = &given{answer: answer}
		}
		done, _ := content.Get(stateDone)
		r.done = wire.Object(done).Members()
		params := o.Without(memberRequestState)
		switch author, _ := content.Get(stateAuthor); author {
		case "":
			params = params.Without(memberInputResponses)
		case "null":
		default:
			if params, err = o.With(memberRequestState, author); err != nil {
				return nil, err
			}
		}
		m = m.With(params)
	}
	for key, answer := range wire.Object(responses).All() {
		if r.answers[key] == nil {
			r.answers[key] = &given{answer: answer, fresh: true}
		}
	}
	c.asking.Store(r)
	return m, nil
}

// present returns a member of the params, or "" if it is absent or null.
func present(o wire.Object, name string) wire.Raw {
	value, _ := o.Get(name)
	if value == "null" {
		return ""
	}
	return value
}

// input returns the client's answer to a request that the handler of the call sends. If there is none, it
// records the question.
func (c statelessCall) input(ctx context.Context, m *Message) (wire.Raw, error) {
	if c.over.Load() {
		return "", errNoInput(m.Method)
	}
	if !c.row.Asks {
		return "", fmt.Errorf("runtime: %s: revision %s has no way to ask the client during %s", m.Method, c.peer.Revision, c.m.Method)
	}
	if !m.sent.row.Within {
		return "", &MethodError{Method: m.Method, Kind: jsonrpc.Request, To: ToClient, Revision: c.peer.Revision}
	}
	question, err := questionOf(m)
	if err != nil {
		return "", err
	}
	if err := c.peer.refine(m.sent.row, []byte(question)); err != nil {
		return "", err
	}
	r := c.rounds()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return "", errNoInput(m.Method)
	}
	key := r.key(questionName(ctx, m.Method, question))
	m.sent.key = key
	if g := r.answers[key]; g != nil {
		g.used = true
		return g.answer, nil
	}
	r.questions = append(r.questions, wire.Member{Name: key, Value: question})
	return "", ErrInputRequired
}

// questionName returns the name of a question.
func questionName(ctx context.Context, method string, question wire.Raw) string {
	if name, ok := ctx.Value(inputKey{}).(string); ok && name != "" {
		return name
	}
	sum, _ := question.Sum()
	return method + ":" + base64.RawURLEncoding.EncodeToString(sum[:12])
}

// questionOf returns the text of a request as it is part of a result.
func questionOf(m *Message) (wire.Raw, error) {
	method, err := wire.MarshalString(wire.ScalarOf(m.Method))
	if err != nil {
		return "", err
	}
	members := wire.Members{{Name: "method", Value: wire.Raw(method)}}
	if m.Params != nil {
		params, err := wire.MarshalString(m.Params)
		if err != nil {
			return "", fmt.Errorf("runtime: request %s: %w", m.Method, err)
		}
		members = append(members, wire.Member{Name: "params", Value: wire.Raw(params)})
	}
	question, err := wire.NewObject(members...)
	return wire.Raw(question), err
}

// key returns a key for a question, or a use of Once, with the given name. Equal names are numbered in the
// order of their use, which is the same in every round.
func (r *rounds) key(name string) string {
	if r.keys == nil {
		r.keys = make(map[string]int)
	}
	key := name
	for r.keys[key] > 0 {
		r.keys[name]++
		key = fmt.Sprintf("%s#%d", name, r.keys[name])
	}
	r.keys[key] = 1
	return key
}

// resultOrQuestions returns the result of the call's handler, unless it has asked. Then the result has the questions
// that are not answered. If the handler has made such a result by hand, the questions are added to it.
func (c statelessCall) resultOrQuestions(ctx context.Context, result wire.Appender, err error) (wire.Appender, error) {
	if e, ok := asError(err); ok && e.Code == jsonrpc.CodeURLElicitationRequired {
		c.askURLs(ctx, e)
	}
	r := c.asking.Load()
	if r == nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	switch {
	case r.failed != nil:
		return nil, r.failed
	case len(r.questions) == 0:
		return result, err
	}
	r.warn(c.Call)
	own := wire.Object(`{"resultType":"` + resultInputRequired + `"}`)
	var asked wire.Object
	if err == nil && result != nil {
		if text, err := wire.MarshalString(result); err == nil && wire.Object(text).GetString("resultType") == resultInputRequired {
			own = wire.Object(text)
			requests, _ := own.Get(memberInputRequests)
			asked = wire.Object(requests)
		}
	}
	for _, q := range r.questions {
		if asked, err = asked.With(q.Name, q.Value); err != nil {
			return nil, err
		}
	}
	return own.With(memberInputRequests, wire.Raw(asked))
}

// maxShown is how often a client can have shown a page that the error of a handler requires. A client with more
// rounds has given the answers by itself.
const maxShown = 100

// askURLs asks the client to show the pages that a handler's error requires ("URL Elicitation Required" in
// client/elicitation of 2025-11-25). If the client has shown them and the error is returned again, it asks
// again.
func (c statelessCall) askURLs(ctx context.Context, required *jsonrpc.Error) {
	pages, _ := wire.Object(required.Data).Get("elicitations")
	for _, page := range pages.Elements() {
		for range maxShown {
			if c.caller().Call(ctx, methodElicit, page, nil) != nil {
				break
			}
		}
	}
}

// warn logs that the client has answered a question that the handler has not asked again, although it asks
// others. Such a handler may never finish.
func (r *rounds) warn(c *Call) {
	for _, key := range slices.Sorted(maps.Keys(r.answers)) {
		method, _, _ := strings.Cut(key, ":")
		if g := r.answers[key]; g.fresh && !g.used && c.peer.row(method).Within {
			c.conn.logger().Warn("the handler asks another question than before; see runtime.Once and runtime.WithInputKey", "method", c.m.Method, "answered", fmt.Sprintf("%.100s", key))
			return
		}
	}
}

// requireInput completes a result that asks the client: it checks the questions and adds the state.
func (c statelessCall) requireInput(result wire.Object) (wire.Object, error) {
	if !c.row.Asks {
		return "", fmt.Errorf("runtime: revision %s has no way to ask the client during %s", c.peer.Revision, c.m.Method)
	}
	requests := present(result, memberInputRequests)
	if requests != "" && requests.Kind() != wire.KindObject {
		return "", errors.New("runtime: invalid result: /inputRequests: expected an object")
	}
	if err := c.checkQuestions(requests); err != nil {
		return "", fmt.Errorf("runtime: invalid result: %w", err)
	}
	content, err := c.stateContent(result, requests)
	if err != nil {
		return "", err
	}
	s := c.peer.server
	text := ""
	if keeper := seal.KeeperOf(&c.context, s); keeper != nil {
		text = keeper.Keep(content)
	} else if text, err = s.ring.Seal(c.purpose(), time.Now().Add(cmp.Or(max(s.opts.Rounds.Lifetime, 0), DefaultStateLifetime)), content); err != nil {
		return "", err
	}
	return result.With(memberRequestState, wire.Raw(`"`+text+`"`))
}

// checkQuestions returns an error if the client must not be asked the inputRequests of a result. The
// handler may have made them by hand.
func (c statelessCall) checkQuestions(requests wire.Raw) error {
	for key, question := range wire.Object(requests).All() {
		method := wire.Object(question).GetString("method")
		params, _ := wire.Object(question).Get("params")
		row, err := c.peer.maySend(jsonrpc.Request, method, params)
		if err == nil && !row.Within {
			err = fmt.Errorf("runtime: revision %s does not allow %.100q", c.peer.Revision, method)
		}
		if err == nil {
			err = c.peer.refine(row, []byte(question))
		}
		if err != nil {
			return fmt.Errorf("inputRequests%.200s: %w", wire.ChildPointer("", key), err)
		}
	}
	return nil
}

type inputKey struct{}

// WithInputKey returns a context for a request to the client that has the given key among the inputRequests
// of a stateless result. Without it, the key is made from the method and the params, so a question whose
// params differ when the handler runs again is another question and is asked too. With it, the answer
// belongs to the key, whatever the params. A client that knows the key can also answer before it is asked.
// In a session the key has no meaning.
func WithInputKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, inputKey{}, key)
}

// Once returns the value of f, which is called once in a request. In a session, that is all it does. The
// handler of a stateless call runs again after each question to the client, and Once then returns the value
// that f returned in an earlier round:
//
//	order, err := runtime.Once(ctx, "order", func(ctx context.Context) (string, error) {
//		return shop.NewOrder(ctx)
//	})
//	...
//	answer, err := client.Elicit(ctx, ...)
//
// The value travels with the client, sealed (see [Rounds]), as JSON, so T must survive encoding and decoding
// as by [wire.RawOf] and [wire.Raw.Decode]. If f fails, nothing is kept. Uses with equal keys are numbered in
// their order. If a client starts over without the state, f runs again.
func Once[T any](ctx context.Context, key string, f func(ctx context.Context) (T, error)) (T, error) {
	kept, keep := onceOf(ctx, key)
	if kept != "" {
		var v T
		err := kept.Decode(&v)
		return v, err
	}
	v, err := f(ctx)
	if err != nil || keep == nil {
		return v, err
	}
	text, err := wire.RawOf(v)
	if err != nil {
		return v, err
	}
	keep(text)
	return v, nil
}

// onceOf returns the value of Once in an earlier round, or a function that keeps the value. In a session it
// returns neither.
func onceOf(ctx context.Context, key string) (kept wire.Raw, keep func(wire.Raw)) {
	c := CallOf(ctx)
	if c == nil || c.row == nil {
		return "", nil
	}
	r := statelessCall{c}.rounds()
	r.mu.Lock()
	defer r.mu.Unlock()
	key = r.key("once:" + key)
	for i := range r.done {
		if r.done[i].Name == key {
			return r.done[i].Value, nil
		}
	}
	return "", func(value wire.Raw) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.done.Set(key, value)
	}
}

// Together calls functions that each ask the client, so that it is asked everything at once: in a session
// the requests are sent at the same time, and the result of a stateless call has all questions, which takes
// one round instead of several. It returns the errors of all functions, joined. If a function fails
// otherwise than with [ErrInputRequired], none of the questions is asked in a stateless call.
func Together(ctx context.Context, ask ...func(ctx context.Context) error) error {
	errs := make([]error, len(ask))
	if c := CallOf(ctx); c != nil && c.row != nil {
		return statelessCall{c}.together(ctx, ask, errs)
	}
	panics := make([]any, len(ask))
	var all sync.WaitGroup
	for i := range ask {
		errs[i] = errors.New("runtime: a function given to Together did not return")
		all.Go(func() {
			defer func() { panics[i] = recover() }()
			errs[i] = ask[i](ctx)
		})
	}
	all.Wait()
	for _, v := range panics {
		if v != nil {
			panic(v)
		}
	}
	return errors.Join(errs...)
}

// together is Together for a stateless call.
func (c statelessCall) together(ctx context.Context, ask []func(ctx context.Context) error, errs []error) error {
	r := c.rounds()
	r.mu.Lock()
	before := len(r.questions)
	r.mu.Unlock()
	failed := false
	for i := range ask {
		errs[i] = ask[i](ctx)
		failed = failed || errs[i] != nil && !errors.Is(errs[i], ErrInputRequired)
	}
	if failed {
		r.mu.Lock()
		r.questions = r.questions[:before]
		r.mu.Unlock()
	}
	return errors.Join(errs...)
}

// UseOnce returns a function for Rounds.Use that allows each state once. It remembers the states in memory,
// at most limit at a time, and allows no further ones until some of them expire. The replicas of a server
// need share.UseOnce instead.
func UseOnce(limit int) func(ctx context.Context, id string, expires time.Time) (bool, error) {
	used := seal.NewUsed(limit, limit)
	return func(_ context.Context, id string, expires time.Time) (bool, error) {
		added, full := used.Add("", id, expires, time.Now())
		if full {
			return false, fmt.Errorf("runtime: the limit of %d used states is reached", limit)
		}
		return added, nil
	}
}

// errState is the error for a state that is not accepted. It does not tell the client why.
var errState = jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /requestState: not valid for this request, or no longer; send the request without it to start over")

// errUsed is the reason to refuse a state that Rounds.Use does not allow.
var errUsed = errors.New("used before")

// purpose returns what the states of the call are sealed for.
func (c statelessCall) purpose() seal.Purpose {
	principal := c.peer.server.opts.Rounds.Principal
	if principal == nil {
		principal = PrincipalOf
	}
	return seal.Purpose{
		Principal: principal(&c.context),
		Request:   seal.Request(c.peer.Revision, c.m.Method, wire.Object(c.params), "_meta", memberRequestState, memberInputResponses),
	}
}

// The members of the content of a requestState.
const (
	stateAnswers = "answers" // by the key of the question
	stateDone    = "done"    // the values of Once, by key
	stateAuthor  = "author"  // of a result made by hand: its state, or null; absent for other results
)

// openState returns the content of the state of a request.
func (c statelessCall) openState(sealed wire.Raw) (content wire.Object, err error) {
	text, _ := sealed.Str()
	s := c.peer.server
	keeper := seal.KeeperOf(&c.context, s)
	if keeper != nil {
		if content, ok := keeper.Open(text); ok {
			return wire.Object(content), nil
		}
	}
	o, err := s.ring.Open(text, c.purpose(), time.Now())
	if err == nil && s.opts.Rounds.Use != nil && keeper == nil { // the client's own request has used it
		var ok bool
		if ok, err = s.opts.Rounds.Use(&c.context, hex.EncodeToString(o.ID[:]), o.Expires); err != nil {
			return "", err
		} else if !ok {
			err = errUsed
		}
	}
	if err != nil {
		c.conn.logger().Warn("requestState refused", "method", c.m.Method, "id", c.id, "reason", err)
		if keeper != nil {
			return "", keeper.Refused
		}
		return "", errState
	}
	return wire.Object(o.Content), nil
}

// stateContent returns the content of the state of a result.
func (c statelessCall) stateContent(result wire.Object, requests wire.Raw) ([]byte, error) {
	r := c.rounds()
	r.mu.Lock()
	defer r.mu.Unlock()
	author := present(result, memberRequestState)
	if author == "" && wire.Object(requests).Len() > len(r.questions) {
		author = "null" // the handler asks by hand, without a state
	}
	if kind := author.Kind(); author != "" && author != "null" && kind != wire.KindString {
		return nil, fmt.Errorf("runtime: invalid result: /requestState: expected a string, found %v", kind)
	}
	var answers wire.Members
	for key, g := range r.answers {
		if g.used {
			answers = append(answers, wire.Member{Name: key, Value: g.answer})
		}
	}
	w := wire.ObjectWriter(nil)
	w.Name(stateAnswers)
	w.BeginObject()
	w.Members(answers)
	w.EndObject()
	w.Name(stateDone)
	w.BeginObject()
	w.Members(r.done)
	w.EndObject()
	if author != "" {
		w.Value(stateAuthor, author)
	}
	return w.Close()
}
