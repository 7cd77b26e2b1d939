package share

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

var (
	// ErrNobody is returned by Bus.Request if no process serves the subject.
	ErrNobody = errors.New("share: no process serves the subject")
	// ErrTooLarge is returned for a message or an answer that is too long.
	ErrTooLarge = errors.New("share: the message is too large")
	// ErrSubject is returned for an invalid subject.
	ErrSubject = errors.New(`share: a subject consists of at most 256 letters, digits, "-" and "_", and single dots between them`)
)

const subjectCharacters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_."

// Check returns ErrTooLarge or ErrSubject if a bus does not take a message on a subject (see [Bus]).
func Check(subject string, data []byte) error {
	if len(data) > MaxMessage {
		return ErrTooLarge
	}
	if len(subject) > 256 || strings.Trim(subject, subjectCharacters) != "" || strings.Contains("."+subject+".", "..") {
		return ErrSubject
	}
	return nil
}

// Bus carries messages between the replicas of a server. It must be safe for concurrent use. A subject
// consists of one or more words of letters, digits, "-" and "_", joined by ".", and has at most 256 bytes.
// A message or answer has at most [MaxMessage] bytes. Delivery is not guaranteed: a replica that is not connected
// misses what is published.
type Bus interface {
	// Publish sends a message to all that subscribe to the subject, this process included. It does not
	// wait for them and does not keep data.
	Publish(ctx context.Context, subject string, data []byte) error
	// Subscribe calls receive for each message that is published on the subject from now on, in the order
	// in which a publisher has sent them, until stop is called. Calls do not overlap. One call of receive
	// may follow after stop has returned. A bus that can lose its connection calls missed, unless it is nil, each
	// time that the subscription is in force again, because messages in between may have been lost.
	Subscribe(ctx context.Context, subject string, receive func(data []byte), missed func()) (stop func(), err error)
	// Request sends a message to one of the processes that serve the subject and returns its answer. The
	// error is ErrNobody if there is none. After any other error, the message may have been received. There
	// is no answer if the receiver dies, so ctx should have a deadline.
	Request(ctx context.Context, subject string, data []byte) ([]byte, error)
	// Serve calls answer for each request on the subject from now on, until stop is called. Calls may
	// overlap. ctx of a call ends after stop.
	Serve(ctx context.Context, subject string, answer func(ctx context.Context, data []byte) []byte) (stop func(), err error)
}

// MaxMessage is the size of the longest message of a [Bus], in bytes: the default limit of NATS, 1 MiB,
// with room for headers.
const MaxMessage = 1<<20 - 4096

// UseOnce returns a function for the field Use of runtime.Rounds that allows each state once at all replicas of a
// server. It remembers the states in a store that they share. While the store cannot be used, requests with a state
// fail with an internal error. A store that removes records only in [tasks.Store.Due] keeps the states until Due is
// called, which a [tasks.Tasks] that uses the store does.
func UseOnce(store tasks.Store) func(ctx context.Context, id string, expires time.Time) (bool, error) {
	return func(ctx context.Context, id string, expires time.Time) (bool, error) {
		now := time.Now()
		if expires.Before(now) {
			expires = now
		}
		err := store.Create(ctx, &tasks.Record{ID: "used-" + id, Created: now, Updated: now, Expires: expires.Add(waits.ClockSkew)})
		if errors.Is(err, tasks.ErrConflict) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("share: the store of used states: %w", err)
		}
		return true, nil
	}
}
