package runtime

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// BindingV1 is true while this package fits code generated against the first version
// of [Binding] and [Method]. Generated code refers to it, so that a mismatch does not
// compile.
const BindingV1 = true

// Direction is the set of sides a message may go to.
type Direction uint8

// The directions; a method that both sides may send has both.
const (
	ToServer Direction = 1 << iota
	ToClient
)

// String names the direction.
func (d Direction) String() string {
	switch d {
	case ToServer:
		return "to server"
	case ToClient:
		return "to client"
	case ToServer | ToClient:
		return "both"
	}
	return "none"
}

// Method is a row of a revision's generated method table.
type Method struct {
	Name           string       // on the wire: "tools/call"
	Kind           jsonrpc.Kind // jsonrpc.Request or jsonrpc.Notification
	Direction      Direction    // the sides it may be sent to
	Definition     string       // upstream definition: "CallToolRequest"
	Params         string       // name of the params for the package's New; "" when there are none
	Result         string       // name of the result for the package's New; "" for notifications
	ParamsRequired bool         // params is a required member
	Capability     string       // dotted path ("resources.subscribe") in the capabilities of the side that answers the request or sends the notification; "" for none
	Paginated      bool         // params have a cursor, the result a nextCursor
}

// Binding connects an implementation of one side of one revision to the runtime.
// Generated BindServer, BindBase and BindClient make them.
type Binding struct {
	Revision  string    // "2025-06-18"
	Direction Direction // ToServer for a server's binding, ToClient for a client's
	Methods   []Method  // the whole table of the revision: no other message is sent; empty: any is

	// Handle answers a request or takes a notification. Params is "" or an object. The
	// result of a notification is nil. For a method it does not know it returns the
	// error of MethodNotFound, which asks the runtime to do what it can by itself. It
	// is called concurrently.
	Handle func(ctx context.Context, method string, params wire.Raw) (wire.Appender, error)

	// Opened, if there is one, is told of each session of a server with the revision,
	// before any of the client's messages but initialize is handled. What it returns, if
	// anything, is called when the session is over. The session reads nothing meanwhile,
	// so both must be quick.
	Opened func(*ServerSession) (closed func())

	// Capabilities, if there is one, makes of the capabilities that the options declare
	// those that a session of the revision declares. Declared may be nil.
	Capabilities func(declared wire.Appender) (wire.Appender, error)

	// Around, if there is one, makes of what sends to the peer the Caller that this side's
	// code sends through. With Handle and Capabilities it lets a binding stand for an
	// implementation of another revision.
	Around func(Caller) Caller
}

// Caller sends to the other side. Generated typed callers are made on top of one.
type Caller interface {
	// Call sends a request and decodes its result; nil params leave the member out, a
	// nil result is read and forgotten. An error that the peer answered is a
	// *jsonrpc.Error. When ctx ends first, the peer is told that the request is
	// cancelled and the error is that of ctx. When the peer has not declared the
	// capability that the request needs, nothing is sent and the error is a
	// *CapabilityError; when the negotiated revision does not have the request, it is a
	// *MethodError. After the session's end it is ErrClosed.
	Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error
	// Notify sends a notification. When this side has not declared the capability that
	// the notification needs, nothing is sent and the error is a *CapabilityError; when
	// the negotiated revision does not have the notification, it is a *MethodError.
	Notify(ctx context.Context, method string, params wire.Appender) error
}
