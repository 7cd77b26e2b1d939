package share

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

var (
	// ErrNobody is returned by Bus.Request if no process serves the subject.
	ErrNobody = errors.New("share: no process serves the subject")
	// ErrNotFound is returned by KV.Get for a key without a value.
	ErrNotFound = errors.New("share: no such key")
	// ErrConflict is returned by KV.Put if the key has another version.
	ErrConflict = errors.New("share: the value has been changed by another")
	// ErrTooLarge is returned for a message, an answer or a value that is too long.
	ErrTooLarge = errors.New("share: the message is too large")
	// ErrSubject is returned for an invalid subject or key.
	ErrSubject = errors.New(`share: a subject consists of at most 256 letters, digits, "-" and "_", and single dots between them`)
)

const subjectCharacters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_."

// CheckSubject returns ErrSubject if a subject or key is invalid (see [Bus]).
func CheckSubject(subject string) error {
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
	// may follow after stop has returned.
	Subscribe(ctx context.Context, subject string, receive func(data []byte)) (stop func(), err error)
	// Request sends a message to one of the processes that serve the subject and returns its answer. The
	// error is ErrNobody if there is none. After any other error, the message may have been received. There
	// is no answer if the receiver dies, so ctx should have a deadline.
	Request(ctx context.Context, subject string, data []byte) ([]byte, error)
	// Serve calls answer for each request on the subject from now on, until stop is called. Calls may
	// overlap. ctx of a call ends after stop.
	Serve(ctx context.Context, subject string, answer func(ctx context.Context, data []byte) []byte) (stop func(), err error)
}

// Reconnector is a [Bus] that knows when messages may have been lost.
type Reconnector interface {
	Bus
	// Reconnected calls f each time that the connection to the bus has been lost and the subscriptions are
	// in force again, until stop is called. Messages in between may have been lost.
	Reconnected(f func()) (stop func())
}

// MaxMessage is the size of the longest message of a [Bus], in bytes: the default limit of NATS, 1 MiB,
// with room for headers.
const MaxMessage = 1<<20 - 4096

// KV keeps values of up to some kilobytes, at most [MaxMessage]. It must be safe for concurrent use. A key has
// the form of the subjects of a [Bus].
type KV interface {
	// Get returns the value of a key and its version, which is not 0. The error is ErrNotFound if there is
	// no value.
	Get(ctx context.Context, key string) (value []byte, version uint64, err error)
	// Put stores a value and returns its version. The key must have the given version, where 0 means that
	// it must have no value; otherwise the error is ErrConflict. The value is removed after ttl, which
	// each Put starts again; 0 means that it is kept. Put does not keep value.
	Put(ctx context.Context, key string, value []byte, version uint64, ttl time.Duration) (uint64, error)
	// Delete removes the value of a key, if there is one.
	Delete(ctx context.Context, key string) error
}

// UseOnce returns a function for the field Use of runtime.Rounds that allows each state once at all replicas of a
// server. It remembers the states in a store that they share. While the store cannot be used, requests with a state
// fail with an internal error.
func UseOnce(kv KV) func(ctx context.Context, id string, expires time.Time) (bool, error) {
	return func(ctx context.Context, id string, expires time.Time) (bool, error) {
		_, err := kv.Put(ctx, "mcpgen.used."+id, nil, 0, max(time.Until(expires), 0)+waits.ClockSkew)
		if errors.Is(err, ErrConflict) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("share: the store of used states: %w", err)
		}
		return true, nil
	}
}
