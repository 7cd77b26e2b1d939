package tasks

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// session is the part of a session that this process needs for its tasks, which are in the store.
type session struct {
	*Tasks
	call   *runtime.Call   // represents the session and belongs to no message
	name   string          // Record.Session; the same in each process that has the session
	handle runtime.Handler // of the requests of its revision

	creating sync.Mutex              // held while a task is created, so that their number is exact in a process
	states   engine.Backlog[*Record] // that the peer is told
}

// session returns the session of a call, creating it on first use.
func (t *Tasks) session(c *runtime.Call, handle runtime.Handler) *session {
	return c.SessionValue(t, func(ctx context.Context) any {
		s := &session{Tasks: t, call: runtime.CallOf(ctx), name: rand.Text(), handle: handle}
		if id := c.SessionID(); id != "" { // a secret, which is not for the store
			sum := sha256.Sum256([]byte("tasks of a session " + id))
			s.name = hex.EncodeToString(sum[:16])
		}
		s.states.Do = func(r *Record) { s.tell(ctx, s.call, methodStatus, r) }
		context.AfterFunc(ctx, s.end)
		return s
	}).(*session)
}

// end is called when the session ends in this process. Its tasks end with it, unless it may go on elsewhere. The
// contexts of their work have ended already.
func (s *session) end() {
	if s.call.Lasts() {
		return
	}
	ctx := context.Background()
	ids, err := s.store.List(ctx, s.name)
	for _, id := range ids {
		_, failed := s.change(ctx, id, func(r *Record) bool {
			if !r.ended() {
				r.end(cancelled, "The session has ended.")
			}
			r.Expires = time.Now()
			return true
		})
		if !errors.Is(failed, ErrNotFound) {
			err = errors.Join(err, failed)
		}
	}
	if err != nil {
		s.log.Error("the tasks of a session cannot be removed", "error", err)
	}
}

// tellPeer queues a notification of the state of a task for the peer ("Task Notifications"), in place of an earlier one
// that waits. The process with the work calls it, or any other one if no process has the work.
func (s *session) tellPeer(r *Record) {
	told := *r
	told.Params, told.Result, told.Error = "", "", "" // the notification does not have them, and may wait for long
	s.states.Change(func(all []*Record) []*Record {
		return append(slices.DeleteFunc(all, func(earlier *Record) bool { return earlier.ID == r.ID }), &told)
	})
}

// idLength is the length of the id of a session's task.
const idLength = 42

// newID returns the id of a new task of a session. The ids of a process sort in the order of their creation, which
// is that of tasks/list.
func (t *Tasks) newID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastID = max(time.Now().UnixNano(), t.lastID+1)
	return fmt.Sprintf("%016X%s", t.lastID, rand.Text())
}

// startTask creates a task for a request and returns the response ("Creating Tasks").
func (s *session) startTask(ctx context.Context, c *runtime.Call, method string, params wire.Raw, ttl time.Duration) (wire.Appender, error) {
	s.creating.Lock()
	defer s.creating.Unlock()
	ids, err := s.store.List(ctx, s.name)
	if err != nil {
		return nil, err
	}
	if len(ids) >= s.opts.MaxTasks {
		return nil, jsonrpc.Errorf(jsonrpc.CodeServerBusy, "too many tasks: the limit for this session is %d", s.opts.MaxTasks)
	}
	r := &Record{ID: s.newID(), Session: s.name, Method: strings.Clone(method), Params: params.Clone()}
	w, err := s.create(ctx, r, ttl)
	if err != nil {
		return nil, err
	}
	if !s.beginAfterAnswer(ctx, c, r, w) {
		return nil, runtime.ErrClosed
	}
	task, err := wire.MarshalString(state{record: r})
	if err != nil {
		return nil, err
	}
	return withRelated(wire.Object(`{"task":`+task+`}`), related(r.ID))
}

// beginAfterAnswer begins the work of a task after the answer to the request of c, or at once if c is that of the
// session. If the session or the server ends, it leaves the task to another process and returns false.
func (s *session) beginAfterAnswer(ctx context.Context, c *runtime.Call, r *Record, w *run) bool {
	w.session, w.held, w.reached.L = s, runtime.CallOf(ctx).Reply() != nil, &w.mu
	how := runtime.Detached{Around: w.around, Reply: w.stream}
	stopped, stop := context.WithCancelCause(context.Background())
	return w.register(stop, func() bool {
		end, ok := c.Detach(context.WithValue(ctx, runKey{}, w), how, func(ctx context.Context) {
			w.doWork(ctx, func() outcome { return w.callHandler(ctx, r) })
		})
		// The work may be stopped before end is known. A goroutine that waits would take 3 KB.
		context.AfterFunc(stopped, func() { end(context.Cause(stopped)) })
		return ok
	})
}

// errInternal replaces errors whose details are not for the peer.
var errInternal = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}

// callHandler calls the handler for the request of the task.
func (w *run) callHandler(ctx context.Context, r *Record) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			w.t.log.Error("handler panicked", "method", r.Method, "task", r.ID, "panic", p, "stack", string(debug.Stack()))
			out = outcome{err: errInternal}
		}
	}()
	result, err := w.session.handle(ctx, &runtime.Message{Kind: jsonrpc.Request, Method: r.Method, Params: runtime.ParamsOf(r.Params)})
	var text wire.Object
	if err == nil {
		text, err = resultOf(result, related(r.ID))
	}
	if err == nil {
		err = checkForm(r.Method, wire.Object(r.Params), text)
	}
	e, is := errors.AsType[*jsonrpc.Error](err)
	switch {
	case err == nil:
		isError, _ := text.Get("isError")
		return outcome{result: text, failed: r.Method == methodCallTool && isError == "true"}
	case !is && ctx.Err() == nil:
		w.t.log.Error("task failed", "method", r.Method, "task", r.ID, "error", err)
	}
	return outcome{err: cmp.Or(e, errInternal)}
}

// around relates the messages of the work to its task. While a request waits for its response, the status says so.
func (w *run) around(next runtime.Handler) runtime.Handler {
	return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		m = m.With(relate(m.Method, m.Params, w.id))
		if m.Kind == jsonrpc.Notification {
			return next(ctx, m)
		}
		w.count(ctx, 1)
		defer w.count(context.WithoutCancel(ctx), -1)
		if err := w.awaitStream(ctx); err != nil {
			return nil, err
		}
		return next(ctx, m)
	}
}

// awaitStream waits, on a transport with several streams, until the requester asks for the result and so opens a stream
// that a request can use: a client need not have any other stream open ("Input Required Status").
func (w *run) awaitStream(ctx context.Context) error {
	// The end of a context does not wake a Cond. A goroutine that waits for it would take 3 KB.
	defer context.AfterFunc(ctx, func() { w.reach(func() {}) })()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.held && len(w.streams) == 0 && !w.elsewhere && ctx.Err() == nil {
		w.reached.Wait()
	}
	return ctx.Err()
}

// reach changes how the requester can be reached.
func (w *run) reach(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	w.reached.Broadcast()
}

// count counts the requests that wait for their response, and updates the status accordingly.
func (w *run) count(ctx context.Context, more int) {
	w.storing.Lock()
	defer w.storing.Unlock()
	w.asking += more
	status := working
	if w.asking > 0 {
		status = inputRequired
	}
	changed := false
	r, err := w.t.change(ctx, w.id, func(r *Record) bool {
		if changed = w.holds(r) && r.Status != status; changed {
			r.Status, r.Message = status, ""
		}
		return changed
	})
	switch {
	case err == nil && changed:
		w.tell(r)
	case err != nil && ctx.Err() == nil && !errors.Is(err, ErrNotFound):
		w.t.log.Error("the status of a task cannot be stored", "task", w.id, "error", err)
	}
}

// tell queues a notification of a state of the task, unless the peer was told a later one.
func (w *run) tell(r *Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.Version > w.told {
		w.told = r.Version
		w.session.tellPeer(r)
	}
}

// stream returns the stream of a requester that waits here for the result of the task. It is nil if one waits at
// another process: the request then goes to the stream of the session, which reaches every process.
func (w *run) stream() runtime.Reply {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.streams) == 0 {
		return nil
	}
	return w.streams[len(w.streams)-1]
}

// find returns a task of the session. It takes its work over if the process that did it has died.
func (s *session) find(ctx context.Context, id string) (*Record, error) {
	r, err := s.lookup(ctx, id, s.name)
	if err != nil || !r.Due(time.Now()) || s.closed.Load() || s.running(id) != nil {
		return r, err
	}
	select {
	case s.seats <- struct{}{}:
	default:
		return r, nil
	}
	taken, err := s.takeOver(ctx, id, s.name, func(r *Record, w *run) { s.beginAfterAnswer(ctx, s.call, r, w) })
	switch {
	case err == errNoRoom || err == nil && taken == nil:
		return r, nil
	case err == nil && taken.ended():
		s.tellPeer(taken)
	}
	return taken, err
}

// running returns the work on a task of the session in this process, or nil.
func (s *session) running(id string) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.runs[id]; w != nil && w.session == s && !w.over.Load() {
		return w
	}
	return nil
}

// get handles tasks/get.
func (s *session) get(ctx context.Context, p *taskParams) (state, error) {
	r, err := s.find(ctx, p.id)
	return state{record: r}, err
}

// awaitResult handles tasks/result. It returns when the task has ended ("Result Retrieval").
func (s *session) awaitResult(ctx context.Context, p *taskParams) (wire.Object, error) {
	changes, stop := s.watch(p.id)
	defer stop()
	stream := runtime.CallOf(ctx).Reply()
	var sends *run // the work that sends its messages on the stream
	// Between two looks at the task, the work keeps the stream: a message without one could not reach the client.
	use := func(w *run) {
		if w == sends {
			return
		}
		if sends != nil {
			sends.dropStream(stream)
		}
		if sends = w; w != nil {
			w.reach(func() { w.streams = append(w.streams, stream) })
		}
	}
	defer use(nil)
	for {
		r, err := s.find(ctx, p.id)
		if err != nil {
			return "", err
		}
		if r.ended() {
			return resultOrError(r)
		}
		w := s.running(p.id)
		use(w)
		if w == nil && !r.Awaited {
			_, err = s.change(ctx, p.id, func(r *Record) bool {
				if r.ended() || r.Awaited {
					return false
				}
				r.Awaited = true
				return true
			})
		}
		if err == nil {
			err = s.awaitChange(ctx, r, w, changes)
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return "", err
		}
	}
}

// dropStream ends the use of a stream.
func (w *run) dropStream(stream runtime.Reply) {
	w.reach(func() {
		i := slices.Index(w.streams, stream)
		w.streams = slices.Delete(w.streams, i, i+1)
	})
}

// awaitChange waits until a task has changed, has expired, or its work w, which is nil if it is not here, waits for a
// process.
func (s *session) awaitChange(ctx context.Context, r *Record, w *run, changes <-chan struct{}) error {
	next := time.Until(r.Expires)
	if at, ok := r.DueAt(); ok && w == nil {
		next = min(next, max(time.Until(at.Add(s.backOff(r.Lost))), s.opts.PollInterval))
	}
	timer := time.NewTimer(next)
	defer timer.Stop()
	select {
	case <-changes:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// resultOrError returns what the request of a task that has ended is answered with.
func resultOrError(r *Record) (wire.Object, error) {
	switch {
	case r.Result != "":
		return r.Result, nil
	case r.Status == cancelled:
		return "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "task %.100q was cancelled and has no result", r.ID)
	}
	return "", errorOf(r.Error)
}

// errorOf returns the error that a task ended with.
func errorOf(text wire.Object) error {
	e := new(jsonrpc.Error)
	if err := wire.UnmarshalString(string(text), e); err != nil {
		return wire.In(err, "error")
	}
	return e
}

// pageSize is the maximum number of tasks in a page of tasks/list.
const pageSize = 50

// list handles tasks/list ("Task Listing"). A cursor is the id of the last task of a page, so that no task is left out if
// others expire before the next page is requested.
func (s *session) list(ctx context.Context, p *params.List) (wire.Object, error) {
	ids, err := s.store.List(ctx, s.name)
	if err != nil {
		return "", err
	}
	if p.Cursor != nil {
		if len(*p.Cursor) != idLength {
			return "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /cursor: not a cursor of this list: %.50q", *p.Cursor)
		}
		from, found := slices.BinarySearch(ids, *p.Cursor)
		if found {
			from++
		}
		ids = ids[from:]
	}
	next := ""
	if len(ids) > pageSize {
		ids, next = ids[:pageSize], `,"nextCursor":"`+ids[pageSize-1]+`"`
	}
	var tasks []wire.Raw
	for _, id := range ids {
		r, err := s.store.Get(ctx, id)
		if errors.Is(err, ErrNotFound) || err == nil && !time.Now().Before(r.Expires) {
			continue
		}
		if err != nil {
			return "", err
		}
		task, err := wire.MarshalString(state{record: r})
		if err != nil {
			return "", err
		}
		tasks = append(tasks, wire.Raw(task))
	}
	return wire.Object(`{"tasks":` + wire.ArrayOf(tasks) + wire.Raw(next) + `}`), nil
}

// cancel handles tasks/cancel ("Task Cancellation"). Work that runs in another process is stopped there.
func (s *session) cancel(ctx context.Context, p *taskParams) (state, error) {
	late, idle := false, false
	r, err := s.edit(ctx, p.id, s.name, func(r *Record) bool {
		if late, idle = r.ended(), r.Due(time.Now()); !late {
			r.Cancelled = true
			r.end(cancelled, byRequest)
		}
		if idle {
			r.Holder = ""
		}
		return !late
	})
	switch {
	case err == nil && idle: // otherwise the process with the work tells the peer
		s.tellPeer(r)
	case err == nil && late:
		err = jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "task %.100q is already %s", p.id, r.Status)
	}
	return state{record: r}, err
}
