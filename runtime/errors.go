package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ErrClosed is the error of a call whose answer cannot come because the session has ended. Errors may
// wrap it together with the reason.
var ErrClosed = errors.New("runtime: session closed")

// errUnread is the error of a session whose peer sends requests but does not read.
var errUnread = errors.New("runtime: the peer reads no answers, and sends more requests than may wait")

// ErrShutdown is the cause (context.Cause) with which the context of a handler ends when its session
// shuts down and the request has not been answered within the grace period.
var ErrShutdown = errors.New("runtime: the session is shutting down")

// The answers of a session that shuts down.
var (
	errNotBegun = jsonrpc.Errorf(jsonrpc.CodeServerBusy, "unavailable: shutting down; the request was not begun, send it again in a new session")
	errCutShort = jsonrpc.Errorf(jsonrpc.CodeInternalError, "cancelled: shutting down before the request was done")
)

// errNotBegunStateless is errNotBegun for a stateless request.
var errNotBegunStateless = jsonrpc.Errorf(jsonrpc.CodeUnavailable, "unavailable: shutting down; the request was not begun, send it again")

// ErrUnresponsive is the error of a session that has ended because the peer did not answer pings,
// see KeepAlive in [Limits].
var ErrUnresponsive = errors.New("runtime: the peer does not answer pings")

// ErrNotRequested is the error of a notification that a handler sends in a stateless call although it does
// not belong to the request. Such notifications go to the clients that listen for them.
var ErrNotRequested = errors.New("runtime: the notification does not belong to the request")

// errAnswered is the error of a notification that is sent after the answer or the cancellation.
var errAnswered = fmt.Errorf("%w: the request is answered or cancelled", ErrNotRequested)

func errNoInput(method string) error {
	return fmt.Errorf("runtime: %s: without a session, only the handler of a request can ask the client, and only until it returns", method)
}

// VersionError reports that client and server have no revision in common, as far as the client can tell.
type VersionError struct {
	Answered  string   // the revision the server answered with
	Supported []string // the revisions the client has bindings for, newest first

	// Err is the answer to server/discover of a server that does not know it, so that it probably speaks only revisions
	// with sessions. The client has no binding for one. It is nil if the server has answered with a revision.
	Err error
}

// Error returns the revisions of both sides, or the answer.
func (e *VersionError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("runtime: the server does not seem to speak %s, and an older revision needs a binding: server/discover: %s", strings.Join(e.Supported, " or "), prefix.Cut(e.Err))
	}
	return fmt.Sprintf("runtime: the server answered protocol version %.50q; the client supports %s", e.Answered, strings.Join(e.Supported, ", "))
}

// Unwrap returns Err.
func (e *VersionError) Unwrap() error { return e.Err }

// CapabilityError reports that a message was not sent because a capability was not declared when the
// session was opened.
type CapabilityError struct {
	Method     string // of the message
	Capability string // dotted path in a side's capabilities: "tools", "resources.subscribe"
	Own        bool   // this side has not declared it; otherwise the peer has not
}

// Error returns the method and the capability.
func (e *CapabilityError) Error() string {
	side := "the peer"
	if e.Own {
		side = "this side"
	}
	return fmt.Sprintf("runtime: %s needs the capability %s, which %s has not declared", e.Method, e.Capability, side)
}

// MethodError reports that a message was not sent because the negotiated revision does not have it: the
// method is not in the table, has another kind, or is for the other direction. Methods of an extension
// are added to Binding.Methods.
type MethodError struct {
	Method   string       // of the message
	Kind     jsonrpc.Kind // of the message
	To       Direction    // the side that it would have gone to
	Revision string       // the negotiated one
}

// Error returns all fields in one line.
func (e *MethodError) Error() string {
	return fmt.Sprintf("runtime: revision %s has no %s %.100q that is sent %s", e.Revision, e.Kind, e.Method, e.To)
}

// OtherResultError reports that a request was answered with a valid result of another type
// than the one that the method of the generated caller returns: a task, for example. The
// caller has a second method for the request, which returns results of all types of the revision.
// [DecodeResult] decodes one of an extension.
type OtherResultError struct {
	Method string        // of the request
	Result wire.Appender // the result, of a generated type or of an extension
}

// Error returns the method and the type of the result.
func (e *OtherResultError) Error() string {
	return fmt.Sprintf("runtime: the result of %s is a %T", e.Method, e.Result)
}

// QuestionsError is the error of a request that the server answers with an InputRequiredResult: it asks
// for input, with which the client repeats the request. A client does so automatically, as often as
// [ClientOptions].MaxRounds allows. Middleware sees each of the requests and this error.
type QuestionsError struct {
	Method    string      // of the request
	Questions wire.Object // requests by the keys of their answers; "" for none
	State     wire.Raw    // what the server wants back; "" for nothing
}

// Error returns the method and the number of questions.
func (e *QuestionsError) Error() string {
	return fmt.Sprintf("runtime: the server asks for input to %s: %d questions", e.Method, e.Questions.Len())
}

// TimeoutError reports that the peer did not answer a request in time. errors.Is reports it as
// context.DeadlineExceeded.
type TimeoutError struct {
	Method string        // of the request
	Quiet  time.Duration // limit without progress
	Total  time.Duration // limit with progress; 0 means none
}

// Error returns the method and the shorter time.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("runtime: no answer to %s within %v", e.Method, e.Quiet)
}

// Is reports whether target is context.DeadlineExceeded.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// LostError reports that the answer to a request was lost with its connection. The server may have handled
// the request. A client repeats requests that only read, such as tools/list, and calls of tools that the server has
// listed with the annotation readOnlyHint or idempotentHint, automatically.
type LostError struct{ Err error }

// Error returns the reason.
func (e *LostError) Error() string { return "runtime: the answer was lost: " + prefix.Cut(e.Err) }

// Unwrap returns Err.
func (e *LostError) Unwrap() error { return e.Err }

// CancelledError is the cause (context.Cause) with which the context of a handler ends when the peer has
// cancelled the request.
type CancelledError struct {
	Reason string // as the peer has given it, or ""
}

// Error returns the reason.
func (e *CancelledError) Error() string {
	if e.Reason == "" {
		return "runtime: cancelled by the peer"
	}
	return "runtime: cancelled by the peer: " + e.Reason
}

// Is reports whether target is context.Canceled.
func (e *CancelledError) Is(target error) bool { return target == context.Canceled }

// unsentError is the error of a request that was not sent, because the connection was over.
type unsentError struct{ error }

func (e unsentError) Unwrap() error { return e.error }

// asError returns the *jsonrpc.Error that err is or wraps.
func asError(err error) (*jsonrpc.Error, bool) { return errors.AsType[*jsonrpc.Error](err) }

// unwrapped converts an error of this side's parser to an ordinary error. Callers interpret a
// *jsonrpc.Error as the answer of the peer.
func unwrapped(err error) error {
	if e, ok := asError(err); ok {
		return errors.New(e.Message)
	}
	return err
}

// errInternal is the answer in place of an error that is not meant for the peer.
var errInternal = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}

// peerError returns the error that the peer gets for err.
func peerError(err error) *jsonrpc.Error {
	if e, ok := asError(err); ok {
		return e
	}
	return errInternal
}

// MethodNotFound returns the *jsonrpc.Error for a method that a side does not know or offer.
func MethodNotFound(method string) error {
	return jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method not found: %.100q", method)
}

func isMethodNotFound(err error) bool {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && e.Code == jsonrpc.CodeMethodNotFound
}

// maxProblems limits the length of an error message, as the widths in the formats do. A request with a
// million invalid items must not be answered with a million problems.
const maxProblems = 50

func invalidParams(err error) error {
	var text strings.Builder
	text.WriteString("invalid params: ")
	problems := wire.ProblemsOf(err)
	for i, p := range problems {
		if i == maxProblems {
			fmt.Fprintf(&text, "; and %d more", len(problems)-i)
			break
		}
		if i > 0 {
			text.WriteString("; ")
		}
		if p.Pointer != "" {
			fmt.Fprintf(&text, "%.200s: ", p.Pointer)
		}
		fmt.Fprintf(&text, "%.500s", p.Message)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text.String()}
}
