package tasks

import (
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
	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// session is the part of a session that this process needs for its tasks, which are in the store.
type session struct {
	*Tasks
	call *runtime.Call // represents the session and belongs to no message
	name string        // Record.Session; the same in each process that has the session

	creating sync.Mutex // held while a task is created, so that their number is exact in a process

	mu      sync.Mutex
	jobs    map[string]*job // the work in this process, by the id of the task
	changed []state         // what the peer must be notified of
	sending bool            // a goroutine is sending it
	over    bool
}

// front is a session with the handler of its requests.
type front struct {
	*session
	handle handler
}

// session returns the session of a call, creating it on first use.
func (t *Tasks) session(c *runtime.Call) *session {
	return c.Kept(t, func(ctx context.Context) any {
		s := &session{Tasks: t, call: runtime.CallOf(ctx), name: rand.Text(), jobs: map[string]*job{}}
		if id := c.SessionID(); id != "" { // a secret, which is not for the store
			sum := sha256.Sum256([]byte("tasks of a session " + id))
			s.name = hex.EncodeToString(sum[:16])
		}
		context.AfterFunc(ctx, s.end)
		return s
	}).(*session)
}

// end is called when the session ends in this process. Its tasks end with it, unless it may go on elsewhere. The
// contexts of their work have ended already.
func (s *session) end() {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
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

// sessionID returns the id of a new task. The ids of a process sort in the order of their creation, which is that
// of tasks/list.
func (t *Tasks) sessionID(now time.Time) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastID = max(now.UnixNano(), t.lastID+1)
	return fmt.Sprintf("%016X%s", t.lastID, rand.Text())
}

// start creates a task for a request and returns the response ("Creating Tasks").
func (f front) start(ctx context.Context, c *runtime.Call, method string, params wire.Raw, ttl time.Duration) (wire.Appender, error) {
	f.creating.Lock()
	defer f.creating.Unlock()
	ids, err := f.store.List(ctx, f.name)
	if err != nil {
		return nil, err
	}
	if len(ids) >= f.opts.MaxTasks {
		return nil, jsonrpc.Errorf(jsonrpc.CodeServerBusy, "too many tasks: the limit for this session is %d", f.opts.MaxTasks)
	}
	now := time.Now()
	r := &Record{
		ID: f.sessionID(now), Owner: strings.Clone(runtime.PrincipalOf(ctx)), Session: f.name, Method: strings.Clone(method), Params: params.Clone(),
		Status: string(working), Created: now, Updated: now, Expires: now.Add(ttl), Poll: f.opts.PollInterval,
	}
	answer := created{state{stateOf(r)}}
	begin := f.claim(r, now)
	if err := f.create(ctx, r); err != nil {
		return nil, err
	}
	if !f.begin(ctx, c, c.Reply() != nil, r, begin) {
		f.settleUnbegun(r, begin)
		return nil, runtime.ErrClosed
	}
	return answer, nil
}

// settleUnbegun leaves a task whose work cannot begin here to another process.
func (s *session) settleUnbegun(r *Record, a *attempt) {
	(&run{t: s.Tasks, id: r.ID, attempt: a, expires: r.Expires, poll: r.Poll}).settle(outcome{lost: true})
}

// job is the work of a task of the session in this process.
type job struct {
	*run
	session *session
	held    bool       // requests to the peer wait for a stream; on a transport with a single one, they do not
	status  sync.Mutex // held while the status is stored

	// Guarded by the mu of the session.
	asking    int             // requests to the peer that wait for their response
	routes    []runtime.Reply // streams of the requests for the result that wait here
	elsewhere bool            // one waits at another process
	opened    chan struct{}   // closed when there is one; nil if no request waits
}

// begin begins the work of a task after the answer to the request of c, or at once if c is that of the session.
// Held means that requests of the task wait for a stream. It returns false if the session or the server ends.
func (f front) begin(ctx context.Context, c *runtime.Call, held bool, r *Record, a *attempt) bool {
	s := f.session
	var cancel context.CancelCauseFunc
	detached := make(chan struct{}) // closed when cancel is set
	stop := func(why error) {
		<-detached
		cancel(why)
	}
	w := s.hold(r, a, stop)
	if w == nil {
		return false
	}
	j := &job{run: w, session: s, held: held}
	w.lasts = func(why error) bool { return errors.Is(why, runtime.ErrClosed) && s.call.Lasts() }
	w.seen = j.see
	w.ended = func(r *Record, out outcome) {
		if !out.lost {
			s.notify(r)
		}
	}
	s.mu.Lock()
	over := s.over
	s.jobs[r.ID] = j
	s.mu.Unlock()
	how := runtime.Detached{
		Params: func(method string, params wire.Appender) wire.Appender { return relate(method, params, r.ID) },
		Reply:  j.route,
		Asking: j.ask,
	}
	ok := false
	cancel, ok = c.Detach(context.WithValue(ctx, attemptKey{}, a), how, func(ctx context.Context) {
		w.watch(ctx)
		out := outcome{err: errInternal}
		defer func() {
			w.end(out)
			s.forget(j)
		}()
		if out = f.outcome(ctx, r); out.cancelled {
			out = w.stopped(context.Cause(ctx))
		}
	})
	close(detached)
	if over || !ok {
		cancel(runtime.ErrClosed)
	}
	if !ok {
		s.forget(j)
		w.leave()
	}
	return ok
}

// forget forgets work that has ended.
func (s *session) forget(j *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.jobs[j.id] == j {
		delete(s.jobs, j.id)
	}
}

// errInternal replaces errors whose details are not for the peer.
var errInternal = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}

// outcome calls the handler.
func (f front) outcome(ctx context.Context, r *Record) (out outcome) {
	returned := false
	defer func() {
		if !returned { // a panic or runtime.Goexit
			f.log.Error("handler panicked", "method", r.Method, "task", r.ID, "panic", recover(), "stack", string(debug.Stack()))
			out = outcome{err: errInternal}
		}
	}()
	if ctx.Err() != nil {
		returned = true
		return outcome{cancelled: true}
	}
	result, err := f.handle(ctx, r.Method, r.Params)
	var text wire.Object
	if err == nil {
		text, err = resultOf(result, r.ID)
	}
	returned = true
	if err == nil {
		isError, _ := text.Get("isError")
		return outcome{result: text, failed: r.Method == methodCallTool && isError == "true"}
	}
	if ctx.Err() != nil {
		return outcome{cancelled: true}
	}
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		f.log.Error("task failed", "method", r.Method, "task", r.ID, "error", err)
		e = errInternal
	}
	return outcome{err: e}
}

// resultOf returns the text of a result that belongs to a task.
func resultOf(result wire.Appender, id string) (wire.Object, error) {
	if result == nil {
		return "", errors.New("tasks: the handler returned no result")
	}
	text, err := wire.MarshalString(result)
	if err != nil {
		return "", err
	}
	return withRelated(wire.Object(text), related(id))
}

func errCancelled(id string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "task %.100q was cancelled and has no result", id)
}

// ask must be called before the task sends a request to its requester, and the returned
// function after the response. On a transport with several streams, it waits until the
// requester asks for the result and so opens a stream that the request can use: a client
// need not have any other stream open ("Input Required Status").
func (j *job) ask(ctx context.Context) (answered func(), err error) {
	s := j.session
	j.asks(ctx, 1)
	answered = func() { j.asks(context.WithoutCancel(ctx), -1) }
	s.mu.Lock()
	for j.held && len(j.routes) == 0 && !j.elsewhere && err == nil {
		if j.opened == nil {
			j.opened = make(chan struct{})
		}
		opened := j.opened
		s.mu.Unlock()
		select {
		case <-opened:
		case <-ctx.Done():
			err = ctx.Err()
		}
		s.mu.Lock()
	}
	s.mu.Unlock()
	if err != nil {
		answered()
	}
	return answered, err
}

// asks counts the requests that wait for their response, and updates the status accordingly.
func (j *job) asks(ctx context.Context, more int) {
	s := j.session
	j.status.Lock()
	defer j.status.Unlock()
	s.mu.Lock()
	j.asking += more
	st := working
	if j.asking > 0 {
		st = inputRequired
	}
	s.mu.Unlock()
	changed := false
	r, err := s.change(ctx, j.id, func(r *Record) bool {
		if changed = j.holds(r) && status(r.Status) != st; changed {
			r.Status, r.Message = string(st), ""
		}
		return changed
	})
	switch {
	case err == nil && changed:
		s.notify(r)
	case err != nil && ctx.Err() == nil && !errors.Is(err, ErrNotFound):
		s.log.Error("the status of a task cannot be stored", "task", j.id, "error", err)
	}
}

// see is called with each state of the task that the run reads.
func (j *job) see(r *Record) {
	s := j.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if j.elsewhere = r.Awaited; j.elsewhere {
		j.open()
	}
}

// open wakes the requests that wait for a stream. The caller holds the mu of the session.
func (j *job) open() {
	if j.opened != nil {
		close(j.opened)
		j.opened = nil
	}
}

// route returns the stream of a requester that waits here for the result of the task. It is nil if one waits at
// another process: the request then goes to the stream of the session, which reaches every process.
func (j *job) route() runtime.Reply {
	j.session.mu.Lock()
	defer j.session.mu.Unlock()
	if len(j.routes) == 0 {
		return nil
	}
	return j.routes[len(j.routes)-1]
}

// listen makes a stream available to the messages of a task whose work is in this process, until over is called.
// It returns false if the work is not here.
func (s *session) listen(id string, route runtime.Reply) (over func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.job(id)
	if j == nil {
		return func() {}, false
	}
	j.routes = append(j.routes, route)
	j.open()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		i := slices.Index(j.routes, route)
		j.routes = slices.Delete(j.routes, i, i+1)
	}, true
}

// notify schedules a notification of the peer with the state of a task.
func (s *session) notify(r *Record) {
	st := state{stateOf(r)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	if i := slices.IndexFunc(s.changed, func(other state) bool { return other.id == st.id }); i >= 0 {
		s.changed[i] = st
	} else {
		s.changed = append(s.changed, st)
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
		st := s.changed[0]
		s.changed = slices.Delete(s.changed, 0, 1)
		return st, true
	}
	s.changed, s.sending = nil, false
	return state{}, false
}

func errUnknown(id string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "task %.100q is unknown or has expired", id)
}

// look returns a task of the session. It takes its work over if the process that did it has died.
func (f front) look(ctx context.Context, id string) (*Record, error) {
	r, err := f.lookup(ctx, id, f.name)
	if err != nil || !r.Due(time.Now()) || f.isClosed() || f.works(id) {
		return r, err
	}
	slot, ok := f.takeSlot()
	if !ok {
		return r, nil
	}
	taken, begin, err := f.retake(ctx, id, time.Now(), f.name, slot)
	switch {
	case err != nil:
		return nil, err
	case taken == nil:
		return r, nil
	case begin != nil && !f.begin(ctx, f.call, runtime.CallOf(ctx).Reply() != nil, taken, begin):
		f.settleUnbegun(taken, begin)
	case taken.ended():
		f.notify(taken)
	}
	return taken, nil
}

// works reports whether this process works on a task.
func (s *session) works(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.job(id) != nil
}

// job returns the work on a task in this process, or nil. The caller holds s.mu.
func (s *session) job(id string) *job {
	if j := s.jobs[id]; j != nil && !j.over.Load() {
		return j
	}
	return nil
}

// get handles tasks/get.
func (f front) get(ctx context.Context, p *taskParams) (state, error) {
	r, err := f.look(ctx, p.id)
	if err != nil {
		return state{}, err
	}
	return state{stateOf(r)}, nil
}

// await handles tasks/result. It returns when the task has ended ("Result Retrieval").
func (f front) await(ctx context.Context, p *taskParams) (wire.Object, error) {
	changes, stop, err := f.watch(ctx, p.id)
	if err != nil {
		return "", err
	}
	defer stop()
	for {
		r, err := f.look(ctx, p.id)
		if err != nil {
			return "", err
		}
		if r.ended() {
			return resultOrError(r)
		}
		over, here := f.listen(p.id, runtime.CallOf(ctx).Reply())
		if !here && !r.Awaited {
			_, err = f.change(ctx, p.id, func(r *Record) bool {
				if r.ended() || r.Awaited {
					return false
				}
				r.Awaited = true
				return true
			})
		}
		if err == nil {
			err = f.wait(ctx, r, changes)
		}
		over()
		if err != nil && !errors.Is(err, ErrNotFound) {
			return "", err
		}
	}
}

// wait waits until a task has changed, has expired, or its work waits for a process.
func (s *session) wait(ctx context.Context, r *Record, changes <-chan struct{}) error {
	next := time.Until(r.Expires)
	if at, ok := r.DueAt(); ok && !s.works(r.ID) {
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
	case status(r.Status) == cancelled:
		return "", errCancelled(r.ID)
	}
	e := new(jsonrpc.Error)
	if err := wire.UnmarshalString(string(r.Error), e); err != nil {
		return "", wire.In(err, "error")
	}
	return "", e
}

// list handles tasks/list ("Task Listing").
func (s *session) list(ctx context.Context, p *params.List) (page, error) {
	ids, err := s.store.List(ctx, s.name)
	if err != nil {
		return page{}, err
	}
	ids, next, err := runtime.Page(ids, p.Cursor, s.opts.PageSize)
	if err != nil {
		return page{}, err
	}
	pg := page{next: next}
	for _, id := range ids {
		r, err := s.store.Get(ctx, id)
		if errors.Is(err, ErrNotFound) || err == nil && !time.Now().Before(r.Expires) {
			continue
		}
		if err != nil {
			return page{}, err
		}
		pg.tasks = append(pg.tasks, state{stateOf(r)})
	}
	return pg, nil
}

// cancel handles tasks/cancel ("Task Cancellation"). Work that runs in another process is stopped there.
func (s *session) cancel(ctx context.Context, p *taskParams) (state, error) {
	if _, err := s.lookup(ctx, p.id, s.name); err != nil {
		return state{}, err
	}
	late := false
	r, err := s.change(ctx, p.id, func(r *Record) bool {
		if late = r.ended(); !late {
			r.Cancelled = true
			r.end(cancelled, byRequest)
		}
		return !late
	})
	switch {
	case errors.Is(err, ErrNotFound):
		return state{}, errUnknown(p.id)
	case err != nil:
		return state{}, err
	case late:
		return state{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "task %.100q is already %s", p.id, r.Status)
	}
	s.notify(r)
	return state{stateOf(r)}, nil
}
