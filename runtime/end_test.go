package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestEnd checks what becomes of requests when a session ends.
func TestEnd(t *testing.T) {
	sleep := tools.with(side{"sleep": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		args := wire.Raw(message.Object())
		select {
		case <-time.After(3 * time.Second):
			return args, nil
		case <-ctx.Done():
			time.Sleep(time.Second / 2)
			return nil, ctx.Err()
		}
	}})
	for _, c := range []struct {
		name   string
		grace  time.Duration
		cancel bool
		lasts  time.Duration
		want   []string
		err    error
	}{
		{name: "default grace", lasts: 3 * time.Second, want: []string{answered("1", `\{\}`)}},
		{name: "short grace", grace: time.Second, lasts: time.Second * 3 / 2, want: []string{cutShort}},
		{name: "no grace", grace: -1, lasts: time.Second / 2, want: []string{cutShort}},
		{name: "cancelled", cancel: true, lasts: 3 * time.Second, want: []string{answered("1", `\{\}`)}, err: context.Canceled},
		{name: "cancelled, short grace", grace: time.Second, cancel: true, lasts: time.Second * 3 / 2, want: []string{cutShort}, err: context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				conn := open(ctx, t, newServer(t, sleep, runtime.ServerOptions{Grace: c.grace}, r06), r06)
				conn.send(toolCall("1", "sleep", "{}"))
				conn.replies()
				start := time.Now()
				var err error
				if c.cancel {
					cancel()
					err = <-conn.ended
				} else {
					err = conn.hangUp()
				}
				if err != c.err {
					t.Errorf("Serve: %v, want %v", err, c.err)
				}
				if lasted := time.Since(start); !about(lasted, c.lasts) {
					t.Errorf("lasted %v, want %v", lasted, c.lasts)
				}
				match(t, conn.replies(), c.want)
			})
		})
	}
}

// cutShort is the answer to request 1 when a shutdown ends it.
const cutShort = `"id":1,"error":\{"code":-32603,"message":"cancelled: shutting down`

// TestPipedInput is what `printf ... | server` does: all lines at once, the last
// without a newline, then the end.
func TestPipedInput(t *testing.T) {
	in := strings.NewReader(fmt.Sprintf(initialize, r06) + "\n" + initialized + "\r\n\n" + toolCall("1", "echo", `{"a":1}`))
	var out strings.Builder
	if err := newServer(t, tools, runtime.ServerOptions{}, r06).Serve(t.Context(), &stdio.Transport{In: in, Out: &out}); err != nil {
		t.Fatal(err)
	}
	match(t, strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), []string{`"id":"i"`, answered("1", `\{"a":1\}`)})
}

// TestTransportError checks that a broken transport ends the session with its error.
func TestTransportError(t *testing.T) {
	broken := errors.New("broken")
	in := io.MultiReader(strings.NewReader(fmt.Sprintf(initialize, r06)+"\n"+toolCall("1", "wait", "{}")+"\n"), failing{broken})
	err := newServer(t, tools, runtime.ServerOptions{}, r06).Serve(t.Context(), &stdio.Transport{In: in, Out: io.Discard})
	if !errors.Is(err, broken) {
		t.Errorf("Serve: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestStuckRead checks that a source that nothing interrupts does not keep Serve.
func TestStuckRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		server := newServer(t, tools, runtime.ServerOptions{}, r06)
		go func() { ended <- server.Serve(ctx, &stdio.Transport{In: io.MultiReader(r), Out: io.Discard}) }()
		synctest.Wait()
		cancel()
		if err := <-ended; err != context.Canceled {
			t.Errorf("Serve: %v", err)
		}
		w.Close()
	})
}
