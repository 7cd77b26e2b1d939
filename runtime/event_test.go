package runtime

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// identified is the transport of a session with an id.
type identified struct{ Outbox }

func (identified) SessionID() string          { return "secret" }
func (identified) Negotiated(Handshake) error { return nil }

// TestEvent checks that an event that the logger leaves out allocates nothing, and that one that it takes has
// the name of the session.
func TestEvent(t *testing.T) {
	var logged bytes.Buffer
	level := new(slog.LevelVar)
	log := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: level}))
	cn := newConn(context.Background(), identified{}, newSettings(log, nil, nil, Limits{}, 0), false)
	method, id, failure := strings.Repeat("m", 3), wire.ScalarOf(1000), errors.New("why")
	event := func() {
		cn.debug("refused", slog.String("method", method), loggedID(id), slog.Any("error", failure))
	}
	if got := testkit.Allocs(100, event); got != 0 {
		t.Errorf("%v allocations", got)
	}
	if logged.Len() > 0 {
		t.Errorf("logged: %s", &logged)
	}
	level.Set(slog.LevelDebug)
	event()
	if got, want := logged.String(), `msg=refused session=`+LogID("secret")+` method=mmm id=1000 error=why`; !strings.Contains(got, want) {
		t.Errorf("logged %q without %q", got, want)
	}
}
