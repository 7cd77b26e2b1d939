package tasks

import (
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Record is a task as a [Store] keeps it. Its texts do not share the memory of messages.
// Stores outside of the process keep it as JSON: Record is a wire.Value, whose text has everything except
// Version. Members that an older process does not know are lost when it changes the task.
type Record struct {
	ID      string
	Version uint64 // grows with each change; the store sets it
	Owner   string // the principal that created the task; "" for none
	Session string // the session that the task belongs to; "" for a task of the extension

	Method string
	Params wire.Raw // of the request, with the terms in _meta that it was sent under; "" when the task has ended

	Status                    string // of the definition TaskStatus
	Message                   string // or ""
	Created, Updated, Expires time.Time
	Poll                      time.Duration

	// The lease of the process that does the work. Another process may take the work over when it ends.
	Holder  string
	Leased  time.Time // the end of the lease; zero if no process does the work
	Attempt int       // how often the work has begun
	Lost    int       // how often a process has let its lease end, because it died or hung

	Cancelled bool         // the client wants no outcome
	Awaited   bool         // of a session: a request for the result waits at another process than the holder
	Questions wire.Members // requests to the client without an answer, by key
	Answers   wire.Members // all answers so far, by key
	State     wire.Raw     // the requestState of the last round; "" for none

	Result wire.Object // if Status is completed, and of a session also if it is failed
	Error  wire.Object // if Status is failed and there is no Result
}

// ended reports whether the status of the task is final.
func (r *Record) ended() bool { return status(r.Status).terminal() }

// Due reports whether the work of the task waits for a process.
func (r *Record) Due(now time.Time) bool {
	at, ok := r.DueAt()
	return ok && !now.Before(at) && now.Before(r.Expires)
}

// DueAt returns the time at which the work of the task begins to wait for a process, unless a process
// renews its lease, and false if there is no work. The work of a task of a session goes on while it waits for
// the client.
func (r *Record) DueAt() (at time.Time, ok bool) {
	return r.Leased, status(r.Status) == working || r.Session != "" && status(r.Status) == inputRequired
}

// size returns about how many bytes of memory the record takes.
func (r *Record) size() int {
	const fixed = 512 // the record itself, its holder and status, and its place in a store
	n := fixed + len(r.ID) + len(r.Owner) + len(r.Session) + len(r.Method) + len(r.Params) + len(r.Message) +
		len(r.State) + len(r.Result) + len(r.Error)
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
	c.Questions, c.Answers = slices.Clone(r.Questions), slices.Clone(r.Answers)
	return &c
}

// The members of a record. The first ones are always present.
var recordMembers = []string{
	"id", "method", "status", "created", "updated", "expires",
	"owner", "params", "message", "poll", "holder", "leased", "attempt", "cancelled",
	"questions", "answers", "state", "result", "error", "lost", "session", "awaited",
}

// AppendJSON implements wire.Appender.
func (r *Record) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.NewWriter(dst)
	text := func(name, s string) {
		if s != "" {
			w.String(name, s)
		}
	}
	raw := func(name string, v wire.Raw) {
		if v != "" {
			w.Value(name, v)
		}
	}
	members := func(name string, m wire.Members) {
		if len(m) > 0 {
			w.Name(name)
			w.BeginObject()
			w.Members(m)
			w.EndObject()
		}
	}
	w.BeginObject()
	w.String("id", r.ID)
	w.String("method", r.Method)
	w.String("status", r.Status)
	w.Int64("created", r.Created.UnixNano())
	w.Int64("updated", r.Updated.UnixNano())
	w.Int64("expires", r.Expires.UnixNano())
	text("owner", r.Owner)
	raw("params", r.Params)
	text("message", r.Message)
	w.Int64("poll", int64(r.Poll))
	text("holder", r.Holder)
	if !r.Leased.IsZero() {
		w.Int64("leased", r.Leased.UnixNano())
	}
	w.Int64("attempt", int64(r.Attempt))
	if r.Cancelled {
		w.Bool("cancelled", true)
	}
	members("questions", r.Questions)
	members("answers", r.Answers)
	raw("state", r.State)
	raw("result", wire.Raw(r.Result))
	raw("error", wire.Raw(r.Error))
	if r.Lost > 0 {
		w.Int64("lost", int64(r.Lost))
	}
	text("session", r.Session)
	if r.Awaited {
		w.Bool("awaited", true)
	}
	w.EndObject()
	return w.End()
}

// DecodeJSON implements wire.Value. It ignores unknown members.
func (r *Record) DecodeJSON(in *wire.Reader) error {
	*r = Record{Version: r.Version}
	instant := func() time.Time { return time.Unix(0, in.ReadInt64()) }
	return params.Decode(in, recordMembers, 6, func(member int) {
		switch recordMembers[member] {
		case "id":
			r.ID = in.ReadString()
		case "method":
			r.Method = in.ReadString()
		case "status":
			r.Status = in.ReadString()
		case "created":
			r.Created = instant()
		case "updated":
			r.Updated = instant()
		case "expires":
			r.Expires = instant()
		case "owner":
			r.Owner = in.ReadString()
		case "params":
			r.Params = in.ReadRaw()
		case "message":
			r.Message = in.ReadString()
		case "poll":
			r.Poll = time.Duration(in.ReadInt64())
		case "holder":
			r.Holder = in.ReadString()
		case "leased":
			r.Leased = instant()
		case "attempt":
			r.Attempt = int(in.ReadInt64())
		case "cancelled":
			r.Cancelled = in.ReadBool()
		case "questions":
			r.Questions = in.ReadObject().Members()
		case "answers":
			r.Answers = in.ReadObject().Members()
		case "state":
			r.State = in.ReadRaw()
		case "result":
			r.Result = in.ReadObject()
		case "error":
			r.Error = in.ReadObject()
		case "lost":
			r.Lost = int(in.ReadInt64())
		case "session":
			r.Session = in.ReadString()
		case "awaited":
			r.Awaited = in.ReadBool()
		}
	})
}
