package seal

import (
	"context"
	"encoding/base64"
	"strings"
)

// keptVersion begins a text that is not sealed. No ring opens it.
const keptVersion = 0

// Keep returns a text like that of [Ring.Seal] for a server that keeps it itself. It protects nothing, and
// does not expire.
func Keep(content []byte) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte{keptVersion}, content...))
}

// OpenKept opens a text of [Keep]. It returns false for other texts.
func OpenKept(text string) (content []byte, ok bool) {
	kept, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(kept) == 0 || kept[0] != keptVersion || strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	return kept[1:], true
}

type keeperKey struct{}

// WithKeeper returns the context of requests that a server sends to itself. The states of such a request
// never leave the server, so it accepts and returns those of [Keep].
func WithKeeper(ctx context.Context, server any) context.Context {
	return context.WithValue(ctx, keeperKey{}, server)
}

// Keeps reports whether ctx is that of a request that the server has sent to itself.
func Keeps(ctx context.Context, server any) bool { return ctx.Value(keeperKey{}) == server }
