package runtime

import (
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// era decides what the messages of a connection are handled under: the revision, the capabilities
// of the other side, and who it is. The revisions up to 2025-11-25 agree on that once, by the
// initialize handshake (era_session.go); a revision in which each message says so itself is
// another era. The rest of the package asks the era and assumes nothing about it.
//
// The goroutine that reads calls admit, batches and unknownID, in order of arrival. The other
// methods are called concurrently.
type era interface {
	// admit returns how a request or notification is handled. A request that is not is answered
	// with the error; a notification is dropped.
	admit(m jsonrpc.Message) (admission, error)
	// batches reports whether a batch of messages may come now.
	batches() bool
	// unknownID returns the id for the error answer to a request whose id is not known: null, or
	// zero if the answer has none. It returns false if there is no such answer.
	unknownID() (id wire.Scalar, answered bool)
	// outgoing returns the params of a message to the peer as the era sends them. Params may be
	// nil.
	outgoing(t *terms, method string, params wire.Appender) wire.Appender
	// logs reports whether the peer wants log messages of a severity.
	logs(t *terms, severity int) bool
	// setLogLevel is called when the peer has asked for that severity and above.
	setLogLevel(t *terms, severity int)
	// server returns the server's session that a message belongs to; nil for none.
	server() *ServerSession
	// ended is called when the session is over; err is nil if that was in order.
	ended(err error)
}

// admission is how a message is handled.
type admission struct {
	terms  *terms
	handle Handler
	inline bool // before the next message is read
}

// terms are what a message is handled under. Messages may share them, so nothing in them changes.
type terms struct {
	revision     string
	handle       Handler
	info         wire.Object // the peer's Implementation
	capabilities wire.Object // the peer's
	declared     wire.Object // the capabilities of this side

	bound     *bound // nil before the revision is known
	peer, own grants
}

// spoken returns the revision, "" before it is known.
func (t *terms) spoken() string {
	if t == nil {
		return ""
	}
	return t.revision
}

// around reports whether the binding wraps what it sends.
func (t *terms) around() bool { return t != nil && t.bound != nil && t.bound.Around != nil }
