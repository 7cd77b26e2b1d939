package stdio_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// tapped is a transport with an inbox of its own in front of that of the session.
type tapped struct {
	*stdio.Transport
	heard func(*runtime.Incoming) bool
}

func (w tapped) Start(in runtime.Inbox, max int) {
	w.Transport.Start(mcptest.Tap{Inbox: in, Heard: w.heard}, max)
}

// TestWrapped checks that the Start of a transport around another one is called, and that a line that is too long is
// refused as without it: by a server with an answer, by a client without one.
func TestWrapped(t *testing.T) {
	const most = 1000
	long := wire.Raw(`{"a":"` + strings.Repeat("x", most) + `"}`)
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		atServer, atClient := 0, 0 // heard messages
		limits := runtime.Limits{MaxMessage: most}
		server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Limits: limits}, mcptest.Server.With(mcptest.Handlers{
			"long": func(context.Context, *runtime.Message) (wire.Appender, error) { return long, nil },
		}).Bind("2025-11-25", runtime.ToServer))
		ended := make(chan error, 1)
		go func() {
			ended <- server.Serve(t.Context(), tapped{&stdio.Transport{In: inR, Out: outW}, func(*runtime.Incoming) bool { atServer++; return true }})
		}()
		client := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1", Limits: limits}, mcptest.Client.Bind("2025-11-25", runtime.ToClient))
		session, err := client.Connect(t.Context(), tapped{&stdio.Transport{In: outR, Out: inW}, func(*runtime.Incoming) bool { atClient++; return true }})
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []struct {
			method string
			params wire.Raw
		}{{"echo", long}, {"long", "{}"}} {
			if _, timeout := errors.AsType[*runtime.TimeoutError](session.Call(t.Context(), call.method, call.params, nil)); !timeout {
				t.Errorf("%s: not a timeout", call.method)
			}
		}
		if err := session.Call(t.Context(), "echo", wire.Raw(`{}`), nil); err != nil {
			t.Error(err)
		}
		// initialize and initialized, the three calls, and two cancellations; three answers, one of them too long, and a
		// refusal.
		synctest.Wait()
		if atServer != 7 || atClient != 4 {
			t.Errorf("heard %d messages at the server and %d at the client", atServer, atClient)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
