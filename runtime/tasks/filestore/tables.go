package filestore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The buckets of the database.
var (
	// The version of each task, 8 bytes, and its text, by id. The sequence of the bucket is their number.
	bucketTasks = []byte("tasks")
	// The times at which the work of tasks is due, and at which tasks expire: keys of 8 bytes that sort like
	// the time, and the id. The values are empty.
	bucketDue    = []byte("due")
	bucketExpiry = []byte("expiry")
	// The tasks of sessions: keys of the session, a zero and the id. The values are empty.
	bucketSessions = []byte("sessions")
	// The format of the database.
	bucketMeta = []byte("meta")
	keyFormat  = []byte("format")
)

// format is the only format of the database so far.
const format = "mcpgen tasks 1"

// stamp is the length of a version or a time.
const stamp = 8

// maxID is the length of the longest id, with which the keys are within the limits of bbolt.
const maxID = 1 << 10

// prepare makes the buckets of a new database, and checks the format of an old one.
func prepare(tx *bbolt.Tx) error {
	if meta := tx.Bucket(bucketMeta); meta != nil {
		if found := meta.Get(keyFormat); string(found) != format {
			return fmt.Errorf("the format is %.50q, want %q", found, format)
		}
		_, err := tx.CreateBucketIfNotExists(bucketSessions) // which the first databases did not have
		return err
	}
	if name, _ := tx.Cursor().First(); name != nil {
		return fmt.Errorf("the file is another database: it has the bucket %.50q", name)
	}
	for _, name := range [][]byte{bucketTasks, bucketDue, bucketExpiry, bucketSessions} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	meta, err := tx.CreateBucket(bucketMeta)
	if err != nil {
		return err
	}
	return meta.Put(keyFormat, []byte(format))
}

// tables are the buckets in a transaction.
type tables struct{ tasks, due, expiry, sessions *bbolt.Bucket }

func tablesOf(tx *bbolt.Tx) tables {
	return tables{tx.Bucket(bucketTasks), tx.Bucket(bucketDue), tx.Bucket(bucketExpiry), tx.Bucket(bucketSessions)}
}

// entry is a task as it is stored. It is made before the transaction, which many changes share.
type entry struct {
	id      string
	version uint64
	value   []byte
	due     []byte // nil if there is no work
	expiry  []byte
	session []byte // nil for a task of no session
}

func newEntry(r *tasks.Record, version uint64) (entry, error) {
	value, err := r.AppendJSON(binary.BigEndian.AppendUint64(nil, version))
	e := entry{id: r.ID, version: version, value: value}
	e.due, e.expiry = times(r)
	e.session = inSession(r)
	return e, err
}

// times returns the keys of a task in the buckets of times.
func times(r *tasks.Record) (due, expiry []byte) {
	if at, ok := r.DueAt(); ok {
		due = append(since(at), r.ID...)
	}
	return due, append(since(r.Expires), r.ID...)
}

// inSession returns the key of a task in the bucket of sessions, or nil for a task of no session.
func inSession(r *tasks.Record) []byte {
	if r.Session == "" {
		return nil
	}
	return []byte(r.Session + "\x00" + r.ID)
}

// since returns the key of a time. Times before 1970, such as the zero time, have the same.
func since(t time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(t.Unix(), 0))*uint64(time.Second)+uint64(t.Nanosecond()))
}

// until yields the ids in a bucket of times, up to a time. The bucket must not be changed meanwhile.
func until(b *bbolt.Bucket, t time.Time) iter.Seq[string] {
	return func(yield func(string) bool) {
		c := b.Cursor()
		for key, _ := c.First(); key != nil && string(key[:stamp]) <= string(since(t)); key, _ = c.Next() {
			if !yield(string(key[stamp:])) {
				return
			}
		}
	}
}

// of yields the ids of the tasks of a session.
func of(b *bbolt.Bucket, session string) iter.Seq[string] {
	return func(yield func(string) bool) {
		c, prefix := b.Cursor(), []byte(session+"\x00")
		for key, _ := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = c.Next() {
			if !yield(string(key[len(prefix):])) {
				return
			}
		}
	}
}

// count returns the number of tasks.
func (t tables) count() int { return int(t.tasks.Sequence()) }

// get returns a task. Its memory is not that of the database.
func (t tables) get(id string) (*tasks.Record, error) {
	value := t.tasks.Get([]byte(id))
	if value == nil {
		return nil, tasks.ErrNotFound
	}
	if len(value) < stamp {
		return nil, fmt.Errorf("filestore: task %.100q has %d bytes", id, len(value))
	}
	r := &tasks.Record{Version: binary.BigEndian.Uint64(value)}
	if err := wire.UnmarshalString(string(value[stamp:]), r); err != nil {
		return nil, fmt.Errorf("filestore: task %.100q: %w", id, err)
	}
	return r, nil
}

// add stores a new task.
func (t tables) add(e entry) error {
	if err := t.tasks.Put([]byte(e.id), e.value); err != nil {
		return err
	}
	if e.due != nil {
		if err := t.due.Put(e.due, nil); err != nil {
			return err
		}
	}
	if err := t.expiry.Put(e.expiry, nil); err != nil {
		return err
	}
	if e.session != nil {
		if err := t.sessions.Put(e.session, nil); err != nil {
			return err
		}
	}
	return t.tasks.SetSequence(t.tasks.Sequence() + 1)
}

// remove removes a stored task.
func (t tables) remove(r *tasks.Record) error {
	due, expiry := times(r)
	if due != nil {
		if err := t.due.Delete(due); err != nil {
			return err
		}
	}
	if err := t.expiry.Delete(expiry); err != nil {
		return err
	}
	if key := inSession(r); key != nil {
		if err := t.sessions.Delete(key); err != nil {
			return err
		}
	}
	if err := t.tasks.Delete([]byte(r.ID)); err != nil {
		return err
	}
	return t.tasks.SetSequence(t.tasks.Sequence() - 1)
}

// expire removes the tasks whose lifetime has ended.
func (t tables) expire(now time.Time) error {
	var ended []string
	for id := range until(t.expiry, now) {
		ended = append(ended, id)
	}
	for _, id := range ended {
		r, err := t.get(id)
		if err != nil {
			return err
		}
		if err := t.remove(r); err != nil {
			return err
		}
	}
	return nil
}
