package runtime

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Access decides what the sender of a request may use. Package runtime/auth adds one to the
// context of each HTTP request that it admits. If it has the method Scopes() []string, the work of a task may use
// these scopes after another process has taken it over.
type Access interface {
	// Allow returns nil if the sender may use an operation that requires all of the scopes.
	// Otherwise it returns the error for the sender, which names all scopes of the operation.
	Allow(scopes []string) *DeniedError
}

type accessKey struct{}

type principalKey struct{}

// WithPrincipal returns a context of a request that comes from an authenticated user.
func WithPrincipal(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, principalKey{}, user)
}

// PrincipalOf returns the user of [WithPrincipal], or "".
func PrincipalOf(ctx context.Context) string {
	user, _ := ctx.Value(principalKey{}).(string)
	return user
}

// WithAccess returns a context of a request whose sender may use what a allows.
func WithAccess(ctx context.Context, a Access) context.Context {
	return context.WithValue(ctx, accessKey{}, a)
}

// AccessOf returns the Access of [WithAccess], or nil.
func AccessOf(ctx context.Context) Access {
	a, _ := ctx.Value(accessKey{}).(Access)
	return a
}

// DeniedError is the error of a request that its sender may not make. A transport over HTTP answers the
// request with the status and the challenges, unless its response has begun or carries other answers. In
// that case, and with other transports, the client gets a JSON-RPC error with both in its data.
type DeniedError struct {
	Status     int      // of HTTP: 401 or 403
	Challenges []string // the values of WWW-Authenticate headers
	Message    string
}

// Error returns the message.
func (e *DeniedError) Error() string { return e.Message }

// Unwrap returns the JSON-RPC error, a *jsonrpc.Error. Its code is the HTTP status. Its data are an object
// with the members httpStatus and wwwAuthenticate, a list of challenges.
func (e *DeniedError) Unwrap() error {
	data := strconv.AppendInt([]byte(`{"httpStatus":`), int64(e.Status), 10)
	data = append(data, `,"wwwAuthenticate":[`...)
	for _, c := range e.Challenges {
		data, _ = wire.AppendString(wire.AppendComma(data), strings.ToValidUTF8(c, "\uFFFD")) // so it cannot fail
	}
	return &jsonrpc.Error{Code: int64(e.Status), Message: e.Message, Data: wire.Raw(append(data, "]}"...))}
}

// Authorize returns nil if the sender of the handler's request may use an operation that requires all of
// the scopes. The error is the one of [Access]. A handler returns it, so that the client can ask for the
// scopes; [errors.AsType] finds a *DeniedError in it.
//
// A request without an Access is allowed if it has not come over HTTP: a server over standard input runs
// with the rights of the user who started it. Over HTTP it is refused, because the middleware is missing.
func Authorize(ctx context.Context, scopes []string) error {
	a := AccessOf(ctx)
	call := CallOf(ctx)
	switch {
	case a == nil && call != nil && call.remote && len(scopes) > 0:
		return fmt.Errorf("runtime: the request requires the scopes %q, but no middleware of runtime/auth is in front of the handler", scopes)
	case a == nil:
		return nil
	case len(scopes) > 0:
		if denied := a.Allow(scopes); denied != nil {
			return denied
		}
	}
	return nil
}

// gatherScopes returns a context for the parts of an operation, and a function that returns the error that
// names the scopes of all parts that were asked about, or nil if the sender may use them all.
func gatherScopes(ctx context.Context) (context.Context, func() *DeniedError) {
	access := AccessOf(ctx)
	if access == nil {
		return ctx, func() *DeniedError { return nil }
	}
	g := &gathering{Access: access}
	return WithAccess(ctx, g), func() *DeniedError { return access.Allow(g.scopes) }
}

// gathering is an Access that remembers the scopes that it was asked about.
type gathering struct {
	Access
	scopes []string
}

// Allow implements Access.
func (g *gathering) Allow(scopes []string) *DeniedError {
	g.scopes = append(g.scopes, scopes...)
	return g.Access.Allow(scopes)
}
