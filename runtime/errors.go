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

// VersionError reports that the server speaks no revision that the client has a binding for.
type VersionError struct {
	Answered  string   // the revision the server answered with
	Supported []string // the revisions the client has bindings for, newest first
}

// Error returns the revisions of both sides.
func (e *VersionError) Error() string {
	return fmt.Sprintf("runtime: the server answered protocol version %.50q; the client supports %s", e.Answered, strings.Join(e.Supported, ", "))
}

// EraError reports that the server does not answer server/discover, so that it probably speaks only
// revisions with sessions, and that the client has no binding for one.
type EraError struct {
	Supported []string // the revisions the client has bindings for, newest first
	Err       error    // the answer to server/discover
}

// Error returns the revisions and the answer.
func (e *EraError) Error() string {
	return fmt.Sprintf("runtime: the server does not seem to speak %s, and an older revision needs a binding: server/discover: %s", strings.Join(e.Supported, " or "), prefix.Cut(e.Err))
}

// Unwrap returns Err.
func (e *EraError) Unwrap() error { return e.Err }

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

// AnswerError is the error of Receive when a transport knows that the answer to a request cannot come.
// The call that waits for the answer returns Err.
type AnswerError struct {
	ID  wire.Scalar // of the request
	Err error
}

// Error returns why there is no answer.
func (e *AnswerError) Error() string { return "runtime: no answer: " + prefix.Cut(e.Err) }

// Unwrap returns Err.
func (e *AnswerError) Unwrap() error { return e.Err }

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

// errNotBegunAlone is errNotBegun for a stateless request.
var errNotBegunStateless = jsonrpc.Errorf(jsonrpc.CodeUnavailable, "unavailable: shutting down; the request was not begun, send it again")

// refused returns the error that a request of the peer gets in place of one that was not begun.
func (p *peer) refused(err *jsonrpc.Error) error {
	switch {
	case !p.serving():
		return err
	case err == errNotBegun:
		return errNotBegunStateless
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeUnavailable, Message: err.Message, Data: err.Data}
}

// restated returns the error that a stateless request gets for the error of its handler, which may be
// written for a revision with sessions. Codes of such revisions must not be sent ("Error Codes" in basic,
// 2026-07-28).
func (c *statelessCall) restated(err error) error {
	if missing, ok := errors.AsType[*CapabilityError](err); ok && !missing.Own {
		return jsonrpc.MissingCapability(declare("{}", missing.Capability, "{}"))
	}
	e, ok := asError(err)
	if !ok {
		return err
	}
	switch e.Code {
	case jsonrpc.CodeResourceNotFound:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: e.Message, Data: c.uriData(e.Data)}
	case jsonrpc.CodeServerBusy:
		return &jsonrpc.Error{Code: jsonrpc.CodeUnavailable, Message: e.Message, Data: e.Data}
	case jsonrpc.CodeURLElicitationRequired:
		// If possible, Call.askURLs asks for what the error demands; otherwise the error remains.
		return jsonrpc.MissingCapability(`{"elicitation":{"url":{}}}`)
	}
	if !c.peer.protocol.defines(e.Code) {
		c.conn.logFailure("the handler's error code is reserved and not defined; the client gets an internal error", "method", c.m.Method, "id", c.id, "error", err)
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Message, Data: e.Data}
	}
	return err
}

// uriData returns the data of the error for a resource that does not exist: an object with the URI of the
// request ("Error Handling" in server/resources, 2026-07-28).
func (c *statelessCall) uriData(data wire.Raw) wire.Raw {
	o := wire.Object(data)
	if data != "" && o.Kind() != wire.KindObject {
		return data
	}
	if _, ok := o.Get("uri"); ok {
		return data
	}
	uri, ok := wire.Object(c.params).Get("uri")
	if !ok {
		return data
	}
	with, err := o.With("uri", uri)
	if err != nil {
		return data
	}
	return wire.Raw(with)
}

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
