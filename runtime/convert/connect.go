package convert

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime"
)

// ClientOptions are the generated ClientOptions of a revision. S is the type of the
// revision's sessions.
type ClientOptions[S any] interface {
	// NewClient returns a client that speaks all revisions of the table.
	NewClient(*Table) *runtime.Client
	// NewSession returns the typed session on top of a session of that client.
	NewSession(*runtime.Session) S
}

// Connect opens a session with a server in the newest revision that both sides speak. It owns the
// transport, even if it fails. Ctx applies to the opening only.
func Connect[S any](ctx context.Context, table *Table, t runtime.Transport, o ClientOptions[S]) (S, error) {
	session, err := o.NewClient(table).Connect(ctx, t)
	if err != nil {
		var none S
		return none, err
	}
	return o.NewSession(session), nil
}
