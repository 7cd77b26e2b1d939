package runtime

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// era determines the terms of each message: the revision, and the identity and capabilities of the
// peer. In revisions with sessions, both sides agree on them once, in the initialize handshake
// (era_session.go). In stateless revisions, each request carries its own (era_stateless.go). A connection
// may have messages of both. The rest of the package depends on the terms, not on the era.
//
// The goroutine that reads calls admit, batches and unknownID, in order of arrival. The other
// methods are called concurrently.
type era interface {
	// admit returns how a request or notification is handled. If it returns an error, a request is
	// answered with the error, and a notification is dropped. The headers are those of the HTTP request
	// that brought the message, or nil.
	admit(m jsonrpc.Message, h headers.Header) (admission, error)
	// batches reports whether the peer may send a batch now.
	batches() bool
	// unknownID returns the id for the error answer to a request whose id cannot be read: null, or
	// zero for an answer without an id. It returns false if this side does not answer at all.
	unknownID() (id wire.Scalar, answered bool)
	// silent reports whether this side does not answer requests. A client without a session gets
	// none.
	silent() bool
	// notified is called for each notification that is admitted. If it returns true, the
	// notification is not passed to a handler.
	notified(m jsonrpc.Message) bool
	// appendParams appends the member params of a message, with what the terms add to params, which may be
	// nil.
	appendParams(dst []byte, t *terms, method string, params wire.Appender) ([]byte, error)
	// ask sends a request and decodes its result. A client repeats it where the protocol allows or requires
	// that; servers do not link what that needs.
	ask(ctx context.Context, q *request, result wire.Value) error
	// complete returns the complete result of a request without the parts that this side cannot use, and
	// describes those. The error is a *[QuestionsError] if the server asks instead.
	complete(q *request, text wire.Raw) (wire.Raw, []wire.Deviation, error)
	// logs reports whether the peer wants log messages with a severity.
	logs(t *terms, severity int) bool
	// setLogLevel is called when the peer asks for log messages of at least a severity.
	setLogLevel(ctx context.Context, severity int) error
	// server returns the server's session, or nil if there is none. Stateless requests on the same
	// connection do not belong to it.
	server() *ServerSession
	// ended is called after the end of the session. Err is nil after a normal end.
	ended(err error)
}

// admission is how a message is handled.
type admission struct {
	terms  *terms
	handle Handler
	inline bool // it is handled before the next message is read
}

// terms are the conditions under which a message is handled. They are immutable, because messages
// share them.
type terms struct {
	revision     string
	handle       Handler
	info         wire.Object // the peer's Implementation
	capabilities wire.Object // the peer's
	declared     wire.Object // the capabilities of this side

	bound     *bound // nil before the revision is known
	peer, own grants

	carried *carried // nil in a session
}

// stateless reports whether the message belongs to no session.
func (t *terms) stateless() bool { return t != nil && t.bound != nil && t.bound.stateless }

// serving reports whether this side is the server of a stateless request, which sends no request itself
// ("Requests" in basic, 2026-07-28).
func (t *terms) serving() bool { return t.stateless() && t.bound.Direction == ToServer }

// spoken returns the revision, or "" before it is known.
func (t *terms) spoken() string {
	if t == nil {
		return ""
	}
	return t.revision
}

// asking reports whether this side is the client of a stateless request.
func (t *terms) asking() bool { return t.stateless() && t.bound.Direction == ToClient }

// revisionSent returns the revision if each message carries its own terms, otherwise "".
func (t *terms) revisionSent() string {
	if !t.stateless() {
		return ""
	}
	return t.revision
}

// around reports whether the binding wraps the messages that it sends.
func (t *terms) around() bool { return t != nil && t.bound != nil && t.bound.Around != nil }
