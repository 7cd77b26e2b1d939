package bridge

import (
	"errors"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// failure returns the error that one side gets for the error of a request to the other side, "server" or
// "client". An error that the other side has answered with stays as it is.
func failure(method, side string, err error) error {
	if err == nil || errors.Is(err, runtime.ErrInputRequired) {
		return err
	}
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return err
	}
	if e, ok := errors.AsType[*convert.RevisionError](err); ok {
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "bridge: " + e.Error()}
	}
	_, unknown := errors.AsType[*runtime.MethodError](err)
	missing, lacks := errors.AsType[*runtime.CapabilityError](err)
	switch {
	case unknown || lacks && missing.Own:
		return runtime.MethodNotFound(method)
	case lacks:
		return jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method not found: %.100s: the %s has not declared the capability %s", method, side, missing.Capability)
	case errors.Is(err, runtime.ErrClosed):
		return jsonrpc.Errorf(jsonrpc.CodeInternalError, "bridge: the %s has ended the session before its answer to %.100s: %.500s", side, method, err)
	}
	return jsonrpc.Errorf(jsonrpc.CodeInternalError, "bridge: no answer of the %s to %.100s: %.500s", side, method, err)
}
