package tasks

import (
	"context"
	"net/http"
	"slices"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// permit is the Permit of a binding, which may be nil. It is called before a task is created, because a task has no
// response in which it could be refused.
type permit func(ctx context.Context, method string, params wire.Raw) error

// check returns an error if the sender of a request may not use what is in its params.
func (p permit) check(ctx context.Context, method string, params wire.Raw) error {
	if p == nil {
		return nil
	}
	return p(ctx, method, params)
}

// limit checks the request of a new task, and notes in the record what its work may use.
func (p permit) limit(ctx context.Context, r *Record) error {
	access := runtime.AccessOf(ctx)
	if access == nil {
		return p.check(ctx, r.Method, r.Params)
	}
	noted := &noting{Access: access}
	err := p.check(runtime.WithAccess(ctx, noted), r.Method, r.Params)
	r.Limited, r.Scopes = true, noted.scopes
	// The handler may ask for scopes that depend on its arguments, which are not known yet.
	if of, ok := access.(interface{ Scopes() []string }); ok {
		r.Scopes = append(r.Scopes, of.Scopes()...)
	}
	slices.Sort(r.Scopes)
	r.Scopes = slices.Compact(r.Scopes) // the store keeps them
	return err
}

// noting is an Access that notes which scopes it has allowed.
type noting struct {
	runtime.Access
	scopes []string
}

// Allow implements runtime.Access.
func (n *noting) Allow(scopes []string) *runtime.DeniedError {
	denied := n.Access.Allow(scopes)
	if denied == nil {
		n.scopes = append(n.scopes, scopes...)
	}
	return denied
}

// withAccess returns a context for work that goes on without a request of its caller. It may use what the caller was
// allowed to use when the task was created: what the item needs and, if the Access can tell them, all scopes that the
// caller had, with those that they include.
func (t *Tasks) withAccess(ctx context.Context, r *Record) context.Context {
	if !r.Limited {
		return ctx
	}
	return runtime.WithAccess(ctx, allowed{r.Scopes, t.opts.Implies})
}

// allowed is an Access that allows the scopes in it, and those which they include.
type allowed struct {
	scopes  []string
	implies func(has, needed string) bool // nil if none includes another one
}

// Allow implements runtime.Access.
func (a allowed) Allow(scopes []string) *runtime.DeniedError {
	for _, needed := range scopes {
		if !slices.ContainsFunc(a.scopes, func(has string) bool { return has == needed || a.implies != nil && a.implies(has, needed) }) {
			return &runtime.DeniedError{Status: http.StatusForbidden, Message: "forbidden: the work of the task needs a scope that its caller was not known to have when the task was created"}
		}
	}
	return nil
}
