package streamable

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/runtime"
)

// ErrSessionUnknown is returned by SessionStore.Load for an unknown session.
var ErrSessionUnknown = errors.New("streamable: unknown session")

// SessionStore keeps what another process needs to take over a session, so that every replica of a
// server can serve every client (section Session Management). It must be safe for concurrent use.
// Its session ids, like those of an [EventStore], are the ids that clients know; with Options.User
// the user and a colon come first.
//
// A replica that receives a request for a session that it does not have loads the session. It drops
// an idle session but leaves it in the store, which decides itself when to forget sessions. An answer
// of the client reaches the replica that gets its POST, so a server that asks its clients needs all
// requests of a session to reach one replica.
type SessionStore interface {
	// Save stores a new session.
	Save(ctx context.Context, id string, h runtime.Handshake) error
	// Load returns a session, or ErrSessionUnknown.
	Load(ctx context.Context, id string) (runtime.Handshake, error)
	// Delete removes a session that its client has ended.
	Delete(ctx context.Context, id string) error
}
