package tasks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// session keeps the tasks of a session.
type session struct {
	*Tasks
	call *runtime.Call // represents the session and belongs to no message

	mu      sync.Mutex
	tasks   []*task // in the order of their creation
	changed []*task // tasks whose status the peer must be notified of
	sending bool    // a goroutine is sending them
	over    bool
}

// session returns the session of a call, creating it on first use.
func (t *Tasks) session(c *runtime.Call) *session {
	return c.Kept(t, func(ctx context.Context) any {
		s := &session{Tasks: t, call: runtime.CallOf(ctx)}
		context.AfterFunc(ctx, s.end)
		return s
	}).(*session)
}

// end drops all tasks. Their contexts end with the session.
func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for len(s.tasks) > 0 {
		s.drop(s.tasks[0])
	}
}

// create creates a task for a request and returns the response ("Creating Tasks").
func (s *session) create(ctx context.Context, c *runtime.Call, w work, ttl time.Duration) (wire.Appender, error) {
	now := time.Now()
	t := &task{id: rand.Text(), created: now, ttl: ttl, done: make(chan struct{}), listed: true}
	// On a transport with a single stream, requests to the peer are sent at once.
	t.held = c.Route() != nil
	t.state = state{id: t.id, status: working, created: now, updated: now, ttl: ttl, poll: s.opts.PollInterval}
	answer := created{t.state}
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return nil, runtime.ErrClosed
	}
	if len(s.tasks) >= s.opts.MaxTasks {
		s.mu.Unlock()
		return nil, jsonrpc.Errorf(jsonrpc.CodeServerBusy, "too many tasks: the limit for this session is %d", s.opts.MaxTasks)
	}
	s.tasks = append(s.tasks, t)
	t.timer = time.AfterFunc(ttl, func() { s.expire(t) }) // a task that is done has no goroutine but is kept for its ttl
	s.mu.Unlock()

	how := runtime.Detached{
		Params: func(method string, params wire.Appender) wire.Appender { return relate(method, params, t.id) },
		Route:  func() runtime.Route { return s.route(t) },
		Asking: func(ctx context.Context) (func(), error) { return s.ask(ctx, t) },
	}
	cancel, ok := c.Detach(ctx, how, func(ctx context.Context) { s.run(ctx, t, w) })
	s.mu.Lock()
	defer s.mu.Unlock()
	if !ok {
		s.drop(t)
		return nil, runtime.ErrClosed
	}
	if !t.listed || t.state.status.terminal() {
		cancel(context.Canceled)
	} else {
		t.cancel = cancel
	}
	return answer, nil
}

// run runs the work of a task.
func (s *session) run(ctx context.Context, t *task, w work) {
	finished := false
	defer func() {
		if !finished { // a panic or runtime.Goexit
			s.log.Error("handler panicked", "method", w.method, "task", t.id, "panic", recover(), "stack", string(debug.Stack()))
			s.finish(t, failed, "", errInternal)
		}
	}()
	result, err := s.outcome(ctx, t, w)
	finished = true
	st := completed
	switch isError, _ := result.Get("isError"); {
	case err != nil && ctx.Err() != nil:
		st = cancelled
	case err != nil || w.method == methodCallTool && isError == "true":
		st = failed
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); err != nil && ok {
		err = e
	} else if err != nil {
		if st == failed {
			s.log.Error("task failed", "method", w.method, "task", t.id, "error", err)
		}
		err = errInternal
	}
	s.finish(t, st, result, err)
}

// errInternal replaces errors whose details are not for the peer.
var errInternal = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}

// outcome calls the handler.
func (s *session) outcome(ctx context.Context, t *task, w work) (wire.Object, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	result, err := w.handle(ctx, w.method, w.params)
	if err != nil {
		return "", err
	}
	if result == nil {
		return "", errors.New("tasks: the handler returned no result")
	}
	text, err := wire.MarshalString(result)
	if err != nil {
		return "", err
	}
	return withRelated(wire.Object(text), related(t.id))
}

// finish stores the outcome of a task that has not ended yet.
func (s *session) finish(t *task, st status, result wire.Object, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.state.status.terminal() || !t.listed {
		return
	}
	t.result, t.err = result, err
	message := ""
	switch {
	case st == cancelled:
		t.result, t.err, message = "", errCancelled(t.id), "The request was cancelled."
	case err != nil:
		message = fmt.Sprintf("%.500s", err.(*jsonrpc.Error).Message)
	}
	s.set(t, st, message)
	t.stopWork(nil)
	close(t.done)
}

// stopWork cancels the work of a task that has ended. It drops the work, because its context
// retains the whole request. The caller holds the session's mu.
func (t *task) stopWork(why error) {
	if t.cancel != nil {
		t.cancel(why)
		t.cancel = nil
	}
}

func errCancelled(id string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "task %.100q was cancelled and has no result", id)
}

// ask must be called before the task sends a request to its requester, and the returned
// function after the response. On a transport with several streams, it waits until the
// requester asks for the result and so opens a stream that the request can use: a client
// need not have any other stream open ("Input Required Status").
func (s *session) ask(ctx context.Context, t *task) (answered func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.asking++
	s.require(t)
	for t.held && len(t.routes) == 0 && err == nil {
		if t.opened == nil {
			t.opened = make(chan struct{})
		}
		opened := t.opened
		s.mu.Unlock()
		select {
		case <-opened:
		case <-ctx.Done():
			err = ctx.Err()
		}
		s.mu.Lock()
	}
	answered = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		t.asking--
		s.require(t)
	}
	if err != nil {
		t.asking--
		s.require(t)
	}
	return answered, err
}

// require updates the status according to whether the task waits for its requester. The
// caller holds s.mu.
func (s *session) require(t *task) {
	st := working
	if t.asking > 0 {
		st = inputRequired
	}
	if !t.state.status.terminal() && t.state.status != st {
		s.set(t, st, "")
	}
}

// route returns the stream of a requester that waits for the result of the task, or nil.
func (s *session) route(t *task) runtime.Route {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(t.routes) == 0 {
		return nil
	}
	return t.routes[len(t.routes)-1]
}

// listen makes a stream available to the messages of a task until over is called.
func (s *session) listen(t *task, route runtime.Route) (over func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.routes = append(t.routes, route)
	if t.opened != nil {
		close(t.opened)
		t.opened = nil
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		i := slices.Index(t.routes, route)
		t.routes = slices.Delete(t.routes, i, i+1)
	}
}

// set changes the status and schedules a notification of the peer. The caller holds s.mu.
func (s *session) set(t *task, st status, message string) {
	t.state.status, t.state.message, t.state.updated = st, message, time.Now()
	if s.over || !t.listed {
		return
	}
	if !t.news {
		t.news = true
		s.changed = append(s.changed, t)
	}
	if !s.sending {
		_, s.sending = s.call.Detach(context.Background(), runtime.Detached{}, s.send)
	}
}

// send runs in a goroutine that notifies the peer of changed tasks, each once with its
// current status. It ends when there are none ("Task Notifications").
func (s *session) send(ctx context.Context) {
	for {
		st, ok := s.next(ctx)
		if !ok {
			return
		}
		// The session is over if there is an error, so it is ignored.
		_ = runtime.CallOf(ctx).Notify(ctx, methodStatus, st)
	}
}

// next returns the next state that the peer must be notified of.
func (s *session) next(ctx context.Context) (state, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() == nil && len(s.changed) > 0 {
		t := s.changed[0]
		s.changed[0] = nil
		s.changed = s.changed[1:]
		t.news = false
		return t.state, true
	}
	s.changed, s.sending = nil, false
	return state{}, false
}

// expire drops a task whose lifetime has ended.
func (s *session) expire(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(t)
}

// drop removes a task and stops its work. The caller holds s.mu.
func (s *session) drop(t *task) {
	if !t.listed {
		return
	}
	t.listed = false
	t.timer.Stop()
	s.tasks = slices.DeleteFunc(s.tasks, func(other *task) bool { return other == t })
	t.stopWork(context.Canceled)
	if !t.state.status.terminal() {
		close(t.done)
	}
}

// find returns a task by its ID. The caller holds s.mu.
func (s *session) find(id string) (*task, error) {
	for _, t := range s.tasks {
		if t.id == id {
			return t, nil
		}
	}
	return nil, errUnknown(id)
}

func errUnknown(id string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "task %.100q is unknown or has expired", id)
}

// get handles tasks/get.
func (s *session) get(_ context.Context, p *taskParams) (state, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.find(p.id)
	if err != nil {
		return state{}, err
	}
	return t.state, nil
}

// await handles tasks/result. It returns when the task has ended ("Result Retrieval").
func (s *session) await(ctx context.Context, p *taskParams) (wire.Object, error) {
	s.mu.Lock()
	t, err := s.find(p.id)
	s.mu.Unlock()
	if err != nil {
		return "", err
	}
	over := s.listen(t, runtime.CallOf(ctx).Route())
	select {
	case <-t.done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	over()
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !t.state.status.terminal() { // expired meanwhile
		return "", errUnknown(p.id)
	}
	return t.result, t.err
}

// list handles tasks/list ("Task Listing").
func (s *session) list(_ context.Context, p *params.List) (page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tasks, next, err := runtime.Page(s.tasks, p.Cursor, s.opts.PageSize)
	if err != nil {
		return page{}, err
	}
	pg := page{next: next}
	for _, t := range tasks {
		pg.tasks = append(pg.tasks, t.state)
	}
	return pg, nil
}

// stop handles tasks/cancel ("Task Cancellation").
func (s *session) stop(_ context.Context, p *taskParams) (state, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.find(p.id)
	if err != nil {
		return state{}, err
	}
	if st := t.state.status; st.terminal() {
		return state{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "task %.100q is already %s", p.id, st)
	}
	t.err = errCancelled(t.id)
	s.set(t, cancelled, "The task was cancelled by request.")
	close(t.done)
	t.stopWork(&runtime.CancelledError{Reason: t.state.message})
	return t.state, nil
}
