package audit

import (
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The limits of what a session keeps, so that a recording of any length needs bounded memory.
// Beyond a limit the oldest value is forgotten, and findings that need it are not reported.
const (
	maxOpen       = 10_000   // unanswered requests
	maxOpenBytes  = 32 << 20 // memory of the unanswered requests
	maxKept       = 10_000   // names, cursors, subscriptions and tasks, each
	maxKeptString = 4 << 10  // the length of a string
	maxReported   = 20       // unanswered requests that are reported one by one
)

// request is an unanswered request. It keeps copies of what the check of its answer needs, not
// the message.
type request struct {
	id        wire.Scalar
	name      string
	revision  generated.Revision // the revision it is checked against
	method    *runtime.Method    // nil if the revision does not have the method
	by        Side
	line      int
	number    int
	heard     bool // the other side has sent something since
	cancelled bool
	broken    bool // it is not a valid message
	cancel    time.Time
	exchange  int
	since     time.Time
	about     about
}

// about holds the parts of a request's params that later checks need.
type about struct {
	token         wire.Scalar
	subject       string // the name of a tool or prompt, the URI of a resource, or the id of a task
	level         string
	cursor        string
	paged         bool
	unknownCursor bool
	form          string // the requested schema
	mode          string
	task          bool
	arguments     bool // the arguments do not match the input schema
	missing       bool // a required argument of a prompt is missing
	undeclared    bool // the receiver lacks a needed capability
	choice        string
	tools         []string
	version       string      // the version that a stateless request names
	capabilities  wire.Object // those that it declares
	logs          bool        // it asks for log messages of the level
	hash          uint64      // of the request without what a retry changes
	listen        *subscription
	offersTools   bool
}

func (r *request) size() int {
	n := 300 + len(r.about.capabilities) + len(r.about.subject) + len(r.about.form) + len(r.about.cursor)
	if r.about.listen != nil {
		n += 2*len(r.about.listen.asked) + maxKeptString
	}
	for _, name := range r.about.tools {
		n += len(name)
	}
	return n
}

// requests are the open requests by id.
type requests struct {
	byID    map[wire.Scalar][]*request
	queue   []*request // oldest first, including answered ones
	open    int
	bytes   int
	evicted int // requests that were forgotten before their answer
	told    bool
}

func newRequests() *requests { return &requests{byID: map[wire.Scalar][]*request{}} }

// add adds a request. It returns the requests that it had to forget, and whether that happened
// for the first time.
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

// all returns the open requests, oldest first.
func (q *requests) all() []*request {
	return slices.DeleteFunc(slices.Clone(q.queue), func(r *request) bool { return r == nil || !q.has(r) })
}

// kept returns a copy of a string, or "" if it is too long to keep.
func kept(s string) string {
	if len(s) > maxKeptString {
		return ""
	}
	return strings.Clone(s)
}

// keptID returns a copy of an id that does not share the memory of its message.
func keptID(id wire.Scalar) wire.Scalar {
	id = id.Canonical()
	if s, ok := id.Str(); ok {
		return wire.ScalarOf(strings.Clone(s))
	}
	if n, ok := id.Int64(); ok {
		return wire.ScalarOf(n)
	}
	return scalar(wire.Raw(strings.Clone(id.String())))
}
