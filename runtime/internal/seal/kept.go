package seal

import "context"

// Keeper keeps the states of requests that a server sends to itself, so that they need no sealing. It is an
// interface because most servers have none and should not link one.
type Keeper interface {
	// Keeps reports whether the requests are those of the server.
	Keeps(server any) bool
	// Keep returns a text for a state. No ring opens it.
	Keep(content []byte) string
	// Open opens a text of Keep. It returns false for other texts, such as sealed ones of a client.
	Open(text string) (content []byte, ok bool)
	// Refused returns the error for a text that neither Open nor the server's ring opens.
	Refused() error
}

type keeperKey struct{}

// WithKeeper returns the context of requests whose states are kept. They never leave the server.
func WithKeeper(ctx context.Context, k Keeper) context.Context {
	return context.WithValue(ctx, keeperKey{}, k)
}

// KeeperOf returns the Keeper of a request that the server has sent to itself, or nil.
func KeeperOf(ctx context.Context, server any) Keeper {
	if k, ok := ctx.Value(keeperKey{}).(Keeper); ok && k.Keeps(server) {
		return k
	}
	return nil
}
