package filestore

import (
	"errors"
	"sync"

	"go.etcd.io/bbolt"

	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// queue makes changes one after the other. Changes that arrive while others are being written to the disk
// share the next transaction.
type queue struct {
	db *bbolt.DB

	mu      sync.Mutex
	waiting []change
	busy    bool // a goroutine makes changes
}

// change is a part of a transaction.
type change struct {
	make func(*bbolt.Tx) error
	done chan error
}

// do makes a change and waits until it is on the disk. The function returns one of the errors of package
// tasks if it refuses the change; then it has changed nothing that must not be stored. Any other error
// undoes the transaction, and all changes in it have that error.
func (q *queue) do(f func(*bbolt.Tx) error) error {
	c := change{f, make(chan error, 1)}
	q.mu.Lock()
	q.waiting = append(q.waiting, c)
	if !q.busy {
		q.busy = true
		go q.run()
	}
	q.mu.Unlock()
	return <-c.done
}

func (q *queue) run() {
	for {
		q.mu.Lock()
		changes := q.waiting
		q.waiting = nil
		if len(changes) == 0 {
			q.busy = false
			q.mu.Unlock()
			return
		}
		q.mu.Unlock()
		q.commit(changes)
	}
}

// commit makes changes in a transaction.
func (q *queue) commit(changes []change) {
	refused := make([]error, len(changes))
	err := q.db.Update(func(tx *bbolt.Tx) error {
		for i, c := range changes {
			if err := c.make(tx); refusal(err) {
				refused[i] = err
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	for i, c := range changes {
		if err != nil {
			c.done <- err
		} else {
			c.done <- refused[i]
		}
	}
}

// refusal reports whether an error concerns the change alone.
func refusal(err error) bool {
	return errors.Is(err, tasks.ErrConflict) || errors.Is(err, tasks.ErrNotFound) || errors.Is(err, tasks.ErrFull)
}
