package filestore

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// defaultWait is the default of Options.Wait.
const defaultWait = 10 * time.Second

// Options configure a store. The zero value is ready to use.
type Options struct {
	// MaxTasks limits the tasks in the store. 0 means no limit.
	MaxTasks int
	// Wait is how long Open waits for another process to close the file, as when a server is replaced
	// by a new one. It defaults to 10 seconds.
	Wait time.Duration
}

// Store is a tasks.Store in a file.
type Store struct {
	db      *bbolt.DB
	max     int
	index   tasks.Index             // of what the file has
	changes engine.Backlog[*change] // those that arrive while others are being written share the next transaction

	lists // index
}

type lists = tasks.Lists

// Open opens the store in a file, and creates the file if it does not exist. Only its user may read it.
// The caller closes the store.
func Open(path string, o Options) (*Store, error) {
	wait := o.Wait
	if wait <= 0 {
		wait = defaultWait
	}
	_, missing := os.Stat(path)
	s := &Store{max: o.MaxTasks}
	s.changes.Do = s.commit
	s.lists = &s.index
	if err := s.open(path, wait); err != nil {
		if s.db != nil {
			s.db.Close()
		}
		return nil, fmt.Errorf("filestore: %s: %w", path, err)
	}
	if missing != nil {
		keep(filepath.Dir(path))
	}
	return s, nil
}

// open opens the database and reads it.
func (s *Store) open(path string, wait time.Duration) (err error) {
	// Reading a page beyond the end of a file that was cut faults, which would end the process.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the file is damaged: %v", p)
		}
	}()
	s.db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: wait, FreelistType: bbolt.FreelistMapType})
	if errors.Is(err, berrors.ErrTimeout) {
		return fmt.Errorf("another process has had the file open for %v", wait)
	}
	if err == nil {
		err = s.db.Update(prepare)
	}
	if err == nil {
		err = s.db.View(s.load)
	}
	return err
}

// keep writes the entries of a folder to the disk, so that a new file survives the loss of power. Systems
// on which that is not possible, such as Windows, do it on their own.
func keep(folder string) {
	if f, err := os.Open(folder); err == nil {
		_ = f.Sync()
		f.Close()
	}
}

// Close closes the file. Changes that are not stored yet fail.
func (s *Store) Close() error { return s.db.Close() }

// load fills the index.
func (s *Store) load(tx *bbolt.Tx) error {
	return tx.Bucket(bucketTasks).ForEach(func(id, value []byte) error {
		r, err := read(string(id), value)
		if err == nil {
			s.index.Set(r)
		}
		return err
	})
}

// Create implements tasks.Store. If there is no room, it removes the tasks whose lifetime has ended.
func (s *Store) Create(_ context.Context, r *tasks.Record) error {
	if r.ID == "" || len(r.ID) > bbolt.MaxKeySize {
		return fmt.Errorf("filestore: an id has from 1 to %d bytes: %.100q", bbolt.MaxKeySize, r.ID)
	}
	return s.put(r, 1, func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketTasks)
		if b.Get([]byte(r.ID)) != nil {
			return tasks.ErrConflict
		}
		if s.max > 0 && count(b) >= s.max {
			if err := s.expire(tx, time.Now()); err != nil {
				return err
			}
			if count(b) >= s.max {
				return tasks.ErrFull
			}
		}
		return b.SetSequence(b.Sequence() + 1)
	})
}

// put stores a task as a version, unless check refuses that.
func (s *Store) put(r *tasks.Record, version uint64, check func(tx *bbolt.Tx) error) error {
	stored := *r
	stored.Version = version
	value, err := write(&stored) // before the transaction, which many changes share
	if err != nil {
		return err
	}
	err = s.do(func(tx *bbolt.Tx) error {
		if err := check(tx); err != nil {
			return err
		}
		tx.OnCommit(func() { s.index.Set(&stored) })
		return tx.Bucket(bucketTasks).Put([]byte(stored.ID), value)
	})
	if err == nil {
		r.Version = version
	}
	return err
}

// Get implements tasks.Store.
func (s *Store) Get(_ context.Context, id string) (r *tasks.Record, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		r, err = read(id, tx.Bucket(bucketTasks).Get([]byte(id)))
		return err
	})
	return r, err
}

// Swap implements tasks.Store.
func (s *Store) Swap(_ context.Context, r *tasks.Record) error {
	have := r.Version
	return s.put(r, have+1, func(tx *bbolt.Tx) error {
		switch value := tx.Bucket(bucketTasks).Get([]byte(r.ID)); {
		case value == nil:
			return tasks.ErrNotFound
		case binary.BigEndian.Uint64(value) != have:
			return tasks.ErrConflict
		}
		return nil
	})
}

// Due implements tasks.Store. It removes the tasks whose lifetime has ended.
func (s *Store) Due(ctx context.Context, now time.Time) ([]string, error) {
	some := false
	err := s.db.View(func(tx *bbolt.Tx) error {
		some = len(expired(tx, now)) > 0
		return nil
	})
	if err == nil && some {
		err = s.do(func(tx *bbolt.Tx) error { return s.expire(tx, now) })
	}
	if err != nil {
		return nil, err
	}
	return s.index.Due(ctx, now)
}

// expire removes the tasks whose lifetime has ended.
func (s *Store) expire(tx *bbolt.Tx, now time.Time) error {
	b := tx.Bucket(bucketTasks)
	for _, id := range expired(tx, now) {
		if err := b.Delete([]byte(id)); err != nil {
			return err
		}
		if err := b.SetSequence(b.Sequence() - 1); err != nil {
			return err
		}
		tx.OnCommit(func() { s.index.Remove(id) })
	}
	return nil
}

// change is a part of a transaction.
type change struct {
	make func(*bbolt.Tx) error
	err  error // valid when done is closed
	done chan struct{}
}

// do makes a change and waits until it is on the disk. The function returns one of the errors of package
// tasks if it refuses the change; then it has changed nothing that must not be stored. Any other error
// undoes the transaction, and all changes in it have that error.
func (s *Store) do(f func(*bbolt.Tx) error) error {
	c := &change{make: f, done: make(chan struct{})}
	s.changes.Add(c)
	<-c.done
	return c.err
}

// commit makes a change, and those that have arrived since the last transaction, in one.
func (s *Store) commit(first *change) {
	changes := []*change{first}
	err := errors.New("filestore: the transaction has ended its goroutine")
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("filestore: the database has panicked: %v", p)
		}
		for _, c := range changes {
			c.err = cmp.Or(err, c.err)
			close(c.done)
		}
	}()
	err = s.db.Update(func(tx *bbolt.Tx) error {
		s.changes.Change(func(waiting []*change) []*change {
			changes = append(changes, waiting...)
			return nil
		})
		for _, c := range changes {
			if c.err = c.make(tx); c.err != nil && !refusal(c.err) {
				return c.err
			}
		}
		return nil
	})
}

// refusal reports whether an error concerns the change alone.
func refusal(err error) bool {
	return errors.Is(err, tasks.ErrConflict) || errors.Is(err, tasks.ErrNotFound) || errors.Is(err, tasks.ErrFull)
}

// The buckets of the database.
var (
	// The tasks, by id: the version, the nanoseconds since 1970 at which the lifetime ends, and the text. The sequence
	// of the bucket is their number.
	bucketTasks = []byte("tasks")
	// The format of the database.
	bucketMeta = []byte("meta")
	keyFormat  = []byte("format")
)

// format is the only format that a database may have.
const format = "mcpgen tasks 2"

// stamp is the length of a version or a time, and header that of what precedes the text of a task.
const (
	stamp  = 8
	header = 2 * stamp
)

// prepare makes the buckets of a new database, and checks the format of an old one.
func prepare(tx *bbolt.Tx) error {
	if meta := tx.Bucket(bucketMeta); meta != nil {
		if found := meta.Get(keyFormat); string(found) != format {
			return fmt.Errorf("the format is %.50q, want %q", found, format)
		}
		return nil
	}
	if name, _ := tx.Cursor().First(); name != nil {
		return fmt.Errorf("the file is another database: it has the bucket %.50q", name)
	}
	if _, err := tx.CreateBucket(bucketTasks); err != nil {
		return err
	}
	meta, err := tx.CreateBucket(bucketMeta)
	if err != nil {
		return err
	}
	return meta.Put(keyFormat, []byte(format))
}

// count returns the number of tasks.
func count(tasks *bbolt.Bucket) int { return int(tasks.Sequence()) }

// write returns a task as it is stored.
func write(r *tasks.Record) ([]byte, error) {
	value := binary.BigEndian.AppendUint64(nil, r.Version)
	return r.AppendJSON(binary.BigEndian.AppendUint64(value, uint64(r.Expires.UnixNano())))
}

// read returns a task, given what is stored. Its memory is not that of the database.
func read(id string, value []byte) (*tasks.Record, error) {
	if value == nil {
		return nil, tasks.ErrNotFound
	}
	if len(value) < header {
		return nil, fmt.Errorf("filestore: task %.100q has %d bytes", id, len(value))
	}
	r := &tasks.Record{Version: binary.BigEndian.Uint64(value)}
	if err := wire.UnmarshalString(string(value[header:]), r); err != nil {
		return nil, fmt.Errorf("filestore: task %.100q: %w", id, err)
	}
	return r, nil
}

// expired returns the ids of the tasks whose lifetime has ended.
func expired(tx *bbolt.Tx, now time.Time) (ids []string) {
	c := tx.Bucket(bucketTasks).Cursor()
	for id, value := c.First(); id != nil; id, value = c.Next() {
		if int64(binary.BigEndian.Uint64(value[stamp:])) <= now.UnixNano() {
			ids = append(ids, string(id))
		}
	}
	return ids
}
