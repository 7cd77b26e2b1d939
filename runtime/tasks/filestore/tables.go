package filestore

import (
	"encoding/binary"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

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
