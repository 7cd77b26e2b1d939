package audit

import (
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What is kept of a session is bounded, so that a recording of any length needs the same
// memory. Past a bound the oldest is forgotten, and nothing is reported that would need it.
const (
	maxOpen       = 10_000   // requests that are not answered
	maxOpenBytes  = 32 << 20 // what is kept of them
	maxKept       = 10_000   // names, cursors, subscriptions, tasks of each kind
	maxKeptString = 4 << 10  // a string that is kept
	maxReported   = 20       // unanswered requests that are reported one by one
)

// request is one that has not been answered. It holds copies of what its answer is judged
// by, and not the message.
type request struct {
	id        wire.Scalar
	name      string
	revision  generated.Revision // by which it is judged
	method    *runtime.Method    // nil for one the revision does not have
	by        Side
	line      int
	number    int
	heard     bool // the other side has sent something since
	cancelled bool
	broken    bool // it was no message
	cancel    time.Time
	exchange  int
	since     time.Time
	about     about
}

// about is what the params of a request say.
type about struct {
	token         wire.Scalar
	subject       string // name of a tool or prompt, URI of a resource, id of a task
	level         string
	cursor        string
	paged         bool
	unknownCursor bool
	form          string // requested schema
	mode          string
	task          bool
	arguments     bool // they break the input schema
	missing       bool // a prompt's required argument
	undeclared    bool // the receiver has not declared what it takes
	choice        string
	tools         []string
	offersTools   bool
}

func (r *request) size() int {
	n := 300 + len(r.about.subject) + len(r.about.form) + len(r.about.cursor)
	for _, name := range r.about.tools {
		n += len(name)
	}
	return n
}

// requests are those that are open, by their ids.
type requests struct {
	byID    map[wire.Scalar][]*request
	queue   []*request // the oldest first; those that are answered too
	open    int
	bytes   int
	evicted int // requests that were forgotten and not answered since
	told    bool
}

func newRequests() *requests { return &requests{byID: map[wire.Scalar][]*request{}} }

// add adds a request, and reports whether an older one had to be forgotten for the first
// time.
func (q *requests) add(r *request) (full bool, forgotten []*request) {
	q.byID[r.id] = append(q.byID[r.id], r)
	q.queue = append(q.queue, r)
	q.open++
	q.bytes += r.size()
	for q.open > maxOpen || q.bytes > maxOpenBytes && q.open > 1 {
		oldest := q.queue[0]
		q.queue[0] = nil
		q.queue = q.queue[1:]
		if q.remove(oldest) {
			q.evicted++
			forgotten = append(forgotten, oldest)
			full, q.told = full || !q.told, true
		}
	}
	if len(q.queue) > 2*q.open+64 {
		q.queue = slices.DeleteFunc(slices.Clone(q.queue), func(r *request) bool { return !q.has(r) })
	}
	return full, forgotten
}

func (q *requests) has(r *request) bool { return slices.Contains(q.byID[r.id], r) }

// remove removes a request and reports whether it was open.
func (q *requests) remove(r *request) bool {
	open := q.byID[r.id]
	i := slices.Index(open, r)
	if i < 0 {
		return false
	}
	if open = slices.Delete(open, i, i+1); len(open) == 0 {
		delete(q.byID, r.id)
	} else {
		q.byID[r.id] = open
	}
	q.open--
	q.bytes -= r.size()
	return true
}

// all returns the open requests, the oldest first.
func (q *requests) all() []*request {
	return slices.DeleteFunc(slices.Clone(q.queue), func(r *request) bool { return r == nil || !q.has(r) })
}

// kept returns a copy of a string to be kept, or "" where it is too long for that.
func kept(s string) string {
	if len(s) > maxKeptString {
		return ""
	}
	return strings.Clone(s)
}

// keptID returns a copy of an id, which does not share the memory of its message.
func keptID(id wire.Scalar) wire.Scalar {
	id = id.Canonical()
	if s, ok := id.Str(); ok {
		return wire.StringScalar(strings.Clone(s))
	}
	if n, ok := id.Int64(); ok {
		return wire.IntScalar(n)
	}
	return scalar(wire.Raw(strings.Clone(id.String())))
}
