package proxy

import (
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// request is a message of the client with one request, or a batch with several, until all
// of them are answered.
type request struct {
	reply    runtime.Reply // nil if all messages go to the client in one way
	ids      []wire.Scalar // canonical, of the requests that have no answer
	tokens   []wire.Scalar // canonical, of their progress
	finished chan struct{} // closed when all of them are answered
	revision string        // of a request without a session; otherwise ""
	lists    bool          // it lists tools
}

// maxToken limits the progress tokens that are remembered, in bytes. Package runtime refuses longer ones.
const maxToken = 1 << 10

// newRequest returns the request that a message is, or nil if it has none. It shares no memory with the message,
// because it may last as long as its client likes.
func newRequest(reply runtime.Reply, messages []jsonrpc.Message) *request {
	var r *request
	for _, m := range messages {
		if m.Kind != jsonrpc.Request {
			continue
		}
		if r == nil {
			r = &request{reply: reply, finished: make(chan struct{})}
		}
		r.ids = append(r.ids, m.ID.Canonical().Clone())
		r.revision, r.lists = strings.Clone(revisionOf(m)), m.Method == "tools/list"
		if reply != nil {
			meta, _ := wire.Object(m.Params).Get("_meta")
			if token := nameIn(wire.Object(meta), "progressToken"); !token.IsZero() && len(token.String()) <= maxToken {
				r.tokens = append(r.tokens, token.Clone())
			}
		}
	}
	return r
}

// requests holds the requests of the client that have no answer. The zero value is ready to
// use.
type requests struct {
	mu     sync.Mutex
	byID   map[wire.Scalar][]*request // by canonical id, in the order in which they came
	inTurn []*request                 // in the order in which they came
	active int                        // requests that are not finished
	idle   []func()                   // called once, when active is 0
	closed bool
}

// add adds a request, which must be finished later. It returns false after close.
func (q *requests) add(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	if q.byID == nil {
		q.byID = make(map[wire.Scalar][]*request)
	}
	for _, id := range r.ids {
		q.byID[id] = append(q.byID[id], r)
	}
	q.inTurn = append(q.inTurn, r)
	q.active++
	return true
}

// find returns the message with the request that has an id, or nil.
func (q *requests) find(id wire.Scalar) *request {
	q.mu.Lock()
	defer q.mu.Unlock()
	if found := q.byID[id.Canonical()]; len(found) > 0 {
		return found[0]
	}
	return nil
}

// answer removes the request with an id. It returns the message that the request was in, to
// be finished, if no other request in it waits for an answer.
func (q *requests) answer(id wire.Scalar) *request {
	id = id.Canonical()
	q.mu.Lock()
	defer q.mu.Unlock()
	found := q.byID[id]
	if len(found) == 0 {
		return nil
	}
	r := found[0]
	if q.byID[id] = found[1:]; len(found) == 1 {
		delete(q.byID, id)
	}
	i := slices.Index(r.ids, id)
	if r.ids = slices.Delete(r.ids, i, i+1); len(r.ids) > 0 {
		return nil
	}
	q.inTurn = slices.DeleteFunc(q.inTurn, func(other *request) bool { return other == r })
	return r
}

// finish counts a request that is finished.
func (q *requests) finish() {
	q.mu.Lock()
	var idle []func()
	if q.active--; q.active == 0 {
		idle, q.idle = q.idle, nil
	}
	q.mu.Unlock()
	for _, f := range idle {
		f()
	}
}

// whenIdle calls f as soon as all requests are finished.
func (q *requests) whenIdle(f func()) {
	q.mu.Lock()
	if q.active > 0 {
		q.idle = append(q.idle, f)
		q.mu.Unlock()
		return
	}
	q.mu.Unlock()
	f()
}

// reply returns where a message of the server goes that is not an answer, or nil.
func (q *requests) reply(m jsonrpc.Message) runtime.Reply {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.inTurn) == 0 {
		return nil
	}
	if m.Method == "notifications/progress" {
		token := nameIn(wire.Object(m.Params), "progressToken")
		for _, r := range q.inTurn {
			if slices.Contains(r.tokens, token) {
				return r.reply
			}
		}
	}
	return q.inTurn[len(q.inTurn)-1].reply
}

// close removes and returns all requests, to be finished. No more are added.
func (q *requests) close() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.inTurn
	q.byID, q.inTurn, q.closed = nil, nil, true
	return all
}
