package streamable

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/runtime"
)

// ErrSessionUnknown tells that a store holds no session of an id.
var ErrSessionUnknown = errors.New("streamable: unknown session")

// SessionStore keeps what another process needs to take over a session, so that any
// replica of a server can serve any client (section Session Management). It is safe for
// concurrent use. The id of a session is the one that its client knows, and before that, if
// the options tell users apart, the user and a colon; so it is for an EventStore.
//
// A replica that gets a request of a session it does not hold loads the session and goes on
// with it. It lets go of a session that has been idle, but leaves it in the store, which
// forgets sessions by a rule of its own. What a server asks of a client is answered to
// the replica that the client's next POST reaches, so servers that ask need requests of one
// session to reach one replica.
type SessionStore interface {
	// Save keeps a new session.
	Save(ctx context.Context, id string, h runtime.Handshake) error
	// Load returns a session; ErrSessionUnknown when there is none.
	Load(ctx context.Context, id string) (runtime.Handshake, error)
	// Delete forgets a session that its client has ended.
	Delete(ctx context.Context, id string) error
}
