package tasks

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/record"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Record is what a [Store] keeps: a task or, without a Method, something else that replicas share for some time, such
// as the state of a session (package runtime/share). Its texts do not share the memory of messages. Stores outside of
// the process keep it as JSON: Record is a wire.Value, whose text has everything except Version. Members that an older
// process does not know are lost when it changes the task.
type Record struct {
	ID      string
	Version uint64 // grows with each change; the store sets it
	Owner   string // the principal that created the task; "" for none
	Session string // the session that the task belongs to; "" for a task of the extension

	// What the work may use when it goes on without a request of its caller, see [runtime.Access].
	Limited bool // only what needs no other scopes than these; otherwise, everything
	Scopes  []string

	Method string
	Params wire.Raw // of the request, with the terms in _meta that it was sent under; "" when the task has ended

	Status                    string // of the definition TaskStatus
	Message                   string // or ""
	Created, Updated, Expires time.Time
	Poll                      time.Duration

	// The lease of the process that does the work. Another process may take the work over when it ends.
	Holder  string    // also when the task has ended
	Leased  time.Time // the end of the lease; zero if no process does the work
	Attempt int       // how often the work has begun
	Lost    int       // how often a process has let its lease end, because it died or hung

	Cancelled bool         // the client wants no outcome
	Awaited   bool         // of a session: a request for the result waits at another process than the holder
	Questions wire.Members // requests to the client without an answer, by key
	Answers   wire.Members // all answers so far, by key
	State     wire.Raw     // the requestState of the last round, or what a record that is no task keeps; "" for none

	Result wire.Object // if Status is completed, and of a session also if it is failed
	Error  wire.Object // if Status is failed and there is no Result
}

// ended reports whether the status of the task is final.
func (r *Record) ended() bool { return r.Status != working && r.Status != inputRequired }

// Due reports whether the work of the task waits for a process.
func (r *Record) Due(now time.Time) bool {
	at, ok := r.DueAt()
	return ok && !now.Before(at) && now.Before(r.Expires)
}

// DueAt returns the time at which the work of the task begins to wait for a process, unless a process
// renews its lease, and false if there is no work. The work of a task of a session goes on while it waits for
// the client.
func (r *Record) DueAt() (at time.Time, ok bool) {
	return r.Leased, r.Status == working || r.Session != "" && r.Status == inputRequired
}

// size returns about how many bytes of memory the record takes.
func (r *Record) size() int {
	const fixed = 512 // the record itself, its holder and status, and its place in a store
	n := fixed + len(r.ID) + len(r.Owner) + len(r.Session) + len(r.Method) + len(r.Params) + len(r.Message) +
		len(r.State) + len(r.Result) + len(r.Error)
	for _, scope := range r.Scopes {
		n += len(scope)
	}
	for _, members := range []wire.Members{r.Questions, r.Answers} {
		for _, m := range members {
			n += len(m.Name) + len(m.Value)
		}
	}
	return n
}

// clone returns a copy that the caller may change.
func (r *Record) clone() *Record {
	c := *r
	c.Scopes, c.Questions, c.Answers = slices.Clone(r.Scopes), slices.Clone(r.Questions), slices.Clone(r.Answers)
	return &c
}

// requiredMembers is how many of the members of a record are always present: the first ones. The others are present
// if they are not zero.
const requiredMembers = 6

func (r *Record) members() []record.Member {
	return []record.Member{
		record.Field("id", &r.ID), record.Field("method", &r.Method), record.Field("status", &r.Status),
		record.Field("created", &r.Created), record.Field("updated", &r.Updated), record.Field("expires", &r.Expires),
		record.Field("owner", &r.Owner), record.Field("session", &r.Session), record.Field("params", &r.Params),
		record.Field("limited", &r.Limited), record.Field("scopes", &r.Scopes),
		record.Field("message", &r.Message), record.Field("poll", &r.Poll),
		record.Field("holder", &r.Holder), record.Field("leased", &r.Leased), record.Field("attempt", &r.Attempt), record.Field("lost", &r.Lost),
		record.Field("cancelled", &r.Cancelled), record.Field("awaited", &r.Awaited),
		record.Field("questions", &r.Questions), record.Field("answers", &r.Answers), record.Field("state", &r.State),
		record.Field("result", &r.Result), record.Field("error", &r.Error),
	}
}

// AppendJSON implements wire.Appender.
func (r *Record) AppendJSON(dst []byte) ([]byte, error) {
	return record.Append(dst, requiredMembers, r.members()...)
}

// DecodeJSON implements wire.Value. It ignores unknown members.
func (r *Record) DecodeJSON(in *wire.Reader) error {
	*r = Record{Version: r.Version}
	return record.Decode(in, requiredMembers, r.members()...)
}

// The errors of a Store. Other errors are reported to the client as internal errors.
var (
	ErrNotFound = errors.New("tasks: no such task")
	ErrConflict = errors.New("tasks: the task was changed meanwhile")
	ErrFull     = errors.New("tasks: the store is full")
	ErrTooLarge = errors.New("tasks: the task is too large for the store")
)

// Store keeps tasks and other records. What Create and Swap have stored survives as long as the store
// promises: in the store of [NewMemory] as long as the process, in others longer. Processes that serve the
// same clients must share a store that is consistent: all processes find a change before Create or Swap
// returns. A store keeps no memory of the records that it is given, and is safe for concurrent use. Package
// runtime/storetest checks all of this.
//
// An id may be any text, because Get and Watch are called with those that clients send. The ids of records consist of
// letters, digits, "-" and "_".
type Store interface {
	// Create stores a task that does not exist, and sets r.Version. The error is ErrConflict if it exists,
	// ErrFull if there is no room, and ErrTooLarge if there can never be room for it.
	Create(ctx context.Context, r *Record) error
	// Get returns a task, which the caller may change. The error is ErrNotFound for an unknown task.
	Get(ctx context.Context, id string) (*Record, error)
	// Swap replaces a task whose version is still r.Version, and sets r.Version to the new one. The
	// error is ErrConflict for another version, ErrNotFound for an unknown task, and ErrTooLarge for one
	// that cannot be stored. After any other error, the task may have been replaced.
	Swap(ctx context.Context, r *Record) error
	Lists
}

// Lists is the part of a [Store] for which an [Index] suffices.
type Lists interface {
	// Watch makes the store call a function after the task has changed, until stop is called. It may call it
	// once for several changes, or for none. The function returns at once and does not use the store. A store that
	// cannot learn of changes for some time calls the function afterwards.
	Watch(id string, changed func()) (stop func())
	// List returns the ids of the tasks of a session, sorted. It may miss what another process has just
	// created.
	List(ctx context.Context, session string) ([]string, error)
	// Due returns the ids of the tasks for which [Record.Due] returns true. It may miss changes that
	// another process has just made. It removes the tasks whose lifetime has ended, unless the store does that soon by
	// itself.
	Due(ctx context.Context, now time.Time) ([]string, error)
}

// defaultMaxRecords is the default limit of a store in memory.
const defaultMaxRecords = 10_000

// Limits of a store in memory that follow from how many tasks it keeps.
const (
	bytesPerRecord = 16 << 10 // the room for each task, on average
	minBytes       = 16 << 20
	minOwnerBytes  = 4 << 20
	minOwnerCount  = 100
	endBytes       = 1 << 10 // by which a task may grow in a full store when it ends, so that each one can end
)

// memory is a Store in memory.
type memory struct {
	all, owner room // the limits of all tasks and of the tasks of an owner

	mu      sync.Mutex
	records map[string]stored
	used    room
	owners  map[string]room // what each owner uses
	Index
}

// stored is a task in memory, with what removes it when its lifetime has ended.
type stored struct {
	*Record
	expiry *time.Timer
}

// room is a number of tasks and of the bytes in them.
type room struct{ tasks, bytes int }

// within reports whether r exceeds no part of limit.
func (r room) within(limit room) bool { return r.tasks <= limit.tasks && r.bytes <= limit.bytes }

func (r room) plus(tasks, bytes int) room { return room{r.tasks + tasks, r.bytes + bytes} }

// NewMemory returns an empty store in memory for up to limit tasks, which may have 16 KiB each on average; 0 means
// 10,000. An owner has at most a tenth of that, though at least 100 tasks and 4 MiB, so that one
// caller leaves room for the others. A session without a principal counts as an owner, and tasks without either
// share the room of all. The store removes each task when its lifetime has ended.
func NewMemory(limit int) Store {
	if limit <= 0 {
		limit = defaultMaxRecords
	}
	all := room{limit, max(limit*bytesPerRecord, minBytes)}
	return &memory{
		all:     all,
		owner:   room{max(all.tasks/10, minOwnerCount), max(all.bytes/10, minOwnerBytes)},
		records: map[string]stored{},
		owners:  map[string]room{},
	}
}

// Create implements Store.
func (m *memory) Create(_ context.Context, r *Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records[r.ID].Record != nil {
		return ErrConflict
	}
	size := r.size()
	if size > m.limit(r).bytes {
		return ErrTooLarge
	}
	if !m.fits(r, 1, size) {
		return ErrFull
	}
	r.Version = 1
	m.use(r, 1, size)
	id := r.ID
	// A timer takes 160 bytes, where a goroutine that waits would take 3 KB for each task.
	own := stored{r.clone(), time.AfterFunc(time.Until(r.Expires), func() { m.expired(id) })}
	m.records[id] = own
	m.Index.Set(own.Record)
	return nil
}

// limit returns the limits that hold for the tasks of the owner of r.
func (m *memory) limit(r *Record) room {
	if r.payer() == "" {
		return m.all
	}
	return m.owner
}

// payer returns whose room the task takes. Without a principal, it is that of the session.
func (r *Record) payer() string {
	if r.Owner == "" && r.Session != "" {
		return "session " + r.Session
	}
	return r.Owner
}

// fits reports whether there is room for more of the owner of r.
func (m *memory) fits(r *Record, tasks, bytes int) bool {
	return m.used.plus(tasks, bytes).within(m.all) && m.owners[r.payer()].plus(tasks, bytes).within(m.limit(r))
}

// use adds tasks and bytes to what the owner of r uses.
func (m *memory) use(r *Record, tasks, bytes int) {
	m.used = m.used.plus(tasks, bytes)
	owner := r.payer()
	if used := m.owners[owner].plus(tasks, bytes); used.tasks > 0 {
		m.owners[owner] = used
	} else {
		delete(m.owners, owner)
	}
}

// Get implements Store.
func (m *memory) Get(_ context.Context, id string) (*Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[id]
	if r.Record == nil {
		return nil, ErrNotFound
	}
	return r.clone(), nil
}

// Swap implements Store.
func (m *memory) Swap(_ context.Context, r *Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	have := m.records[r.ID]
	switch {
	case have.Record == nil:
		return ErrNotFound
	case have.Version != r.Version:
		return ErrConflict
	}
	more := r.size() - have.size()
	ends := r.ended() && !have.ended() && more <= endBytes
	if more > 0 && !ends && !m.fits(have.Record, 0, more) {
		return ErrTooLarge
	}
	r.Version++
	m.use(have.Record, 0, more)
	own := stored{r.clone(), have.expiry}
	m.records[r.ID] = own
	if !r.Expires.Equal(have.Expires) {
		have.expiry.Reset(time.Until(r.Expires))
	}
	m.Index.Set(own.Record)
	return nil
}

// expired is called when the lifetime of a task has ended, unless it has become longer meanwhile.
func (m *memory) expired(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.records[id]; r.Record != nil && !time.Now().Before(r.Expires) {
		delete(m.records, id)
		m.use(r.Record, -1, -r.size())
		m.Index.Remove(id)
	}
}

// Index implements [Lists] for implementations of [Store]. The zero value has no task. It is safe for concurrent use.
type Index struct {
	mu       sync.Mutex
	watchers map[string][]*func()       // by the id of the task
	tasks    map[string]*Record         // those with work or a session, by id
	sessions map[string]map[string]bool // the ids of the tasks of each session
}

// Set notes the state of a task, unless that of a newer version is known, and calls the functions that watch the
// task. It needs the id, the version, the session, the status, and the ends of lease and lifetime, and does not
// keep the record.
func (x *Index) Set(r *Record) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if known := x.tasks[r.ID]; known != nil && r.Version < known.Version {
		return
	}
	for _, changed := range x.watchers[r.ID] {
		(*changed)()
	}
	if _, works := r.DueAt(); !works && r.Session == "" {
		delete(x.tasks, r.ID)
		return
	}
	if x.tasks == nil {
		x.tasks, x.sessions = map[string]*Record{}, map[string]map[string]bool{}
	}
	own := &Record{Version: r.Version, Leased: r.Leased, Expires: r.Expires}
	own.ID, own.Session, own.Status = strings.Clone(r.ID), strings.Clone(r.Session), strings.Clone(r.Status)
	x.tasks[own.ID] = own
	if r.Session != "" {
		if x.sessions[own.Session] == nil {
			x.sessions[own.Session] = map[string]bool{}
		}
		x.sessions[own.Session][own.ID] = true
	}
}

// Remove forgets a task.
func (x *Index) Remove(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if r := x.tasks[id]; r != nil {
		x.remove(r)
	}
}

func (x *Index) remove(r *Record) {
	delete(x.tasks, r.ID)
	if delete(x.sessions[r.Session], r.ID); len(x.sessions[r.Session]) == 0 {
		delete(x.sessions, r.Session)
	}
}

// Watch implements Lists.
func (x *Index) Watch(id string, changed func()) (stop func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.watchers == nil {
		x.watchers = map[string][]*func(){}
	}
	own := &changed
	x.watchers[id] = append(x.watchers[id], own)
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.watchers[id] = slices.DeleteFunc(x.watchers[id], func(other *func()) bool { return other == own })
		if len(x.watchers[id]) == 0 {
			delete(x.watchers, id)
		}
	}
}

// List implements Lists.
func (x *Index) List(_ context.Context, session string) (ids []string, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id := range x.sessions[session] {
		if time.Now().Before(x.tasks[id].Expires) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Due implements Lists. The ids are sorted.
func (x *Index) Due(_ context.Context, now time.Time) (ids []string, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, r := range x.tasks {
		if !now.Before(r.Expires) {
			x.remove(r)
		} else if r.Due(now) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}
