package client

import (
	"errors"
	"fmt"
)

// Errors that callers may want to tell apart.
var (
	// ErrNoClient reports that the program has no id at the authorization server, and no way to get
	// one.
	ErrNoClient = errors.New("no client id for the authorization server")
	// ErrRefused reports that the server refuses tokens although the authorization server has just
	// issued them.
	ErrRefused = errors.New("the server refuses the access token that was issued for it")
	// ErrDenied reports that the user, or the authorization server, denied the authorization.
	ErrDenied = errors.New("the authorization was denied")
	// ErrNoGrant reports that the store has no token for the server.
	ErrNoGrant = errors.New("not logged in")
)

// unhandled is the error of a request that the server has refused for its token. Package streamable asks it, so
// that it does not report that the answer was lost.
type unhandled struct{ error }

// Unhandled reports that the server has not handled the request.
func (unhandled) Unhandled() bool { return true }

// Unwrap returns the reason.
func (e unhandled) Unwrap() error { return e.error }

// OAuthError is an error that an authorization server reports (RFC 6749, sections 4.1.2.1 and 5.2, and
// RFC 7591, section 3.2.2).
type OAuthError struct {
	// Endpoint is the URL of the endpoint, without its query.
	Endpoint string
	// Status is the HTTP status of the response; 0 for the response to an authorization request.
	Status int
	// Code is the value of error, such as "invalid_grant". It is "" if the response has none.
	Code string
	// Description is the value of error_description, shortened and without control characters.
	Description string
}

// Error implements error.
func (e *OAuthError) Error() string {
	text := "the authorization server reports " + e.Code
	if e.Code == "" {
		text = "the authorization server responds without an error code"
	}
	if e.Description != "" {
		text += fmt.Sprintf(" (%s)", e.Description)
	}
	if e.Status != 0 {
		text += fmt.Sprintf(" with status %d", e.Status)
	}
	return text + " at " + e.Endpoint
}

// Is reports that access_denied is ErrDenied.
func (e *OAuthError) Is(target error) bool { return target == ErrDenied && e.Code == "access_denied" }

// code returns the code of an OAuthError in the chain of err, or "".
func code(err error) string {
	if e, ok := errors.AsType[*OAuthError](err); ok {
		return e.Code
	}
	return ""
}
