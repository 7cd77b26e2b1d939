package runtime

import (
	"errors"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// errNotBegunAlone is errNotBegun for a stateless request.
var errNotBegunAlone = jsonrpc.Errorf(jsonrpc.CodeUnavailable, "unavailable: shutting down; the request was not begun, send it again")

// refused returns the error that a request under the terms gets in place of one that was not begun.
func (t *terms) refused(err *jsonrpc.Error) error {
	switch {
	case !t.serving():
		return err
	case err == errNotBegun:
		return errNotBegunAlone
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeUnavailable, Message: err.Message, Data: err.Data}
}

// restated returns the error that a stateless request gets for the error of its handler, which may be
// written for a revision with sessions. Codes of such revisions must not be sent ("Error Codes" in basic,
// 2026-07-28).
func (c *Call) restated(err error) error {
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
	if !c.terms.bound.defines(e.Code) {
		c.peer.logFailure("the handler's error code is reserved and not defined; the client gets an internal error", "method", c.method, "id", c.id, "error", err)
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Message, Data: e.Data}
	}
	return err
}

// uriData returns the data of the error for a resource that does not exist: an object with the URI of the
// request ("Error Handling" in server/resources, 2026-07-28).
func (c *Call) uriData(data wire.Raw) wire.Raw {
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
