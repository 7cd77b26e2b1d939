package sse

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestShutdownAbandons checks that a shutdown answers all calls whose handlers do not return.
func TestShutdownAbandons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		stubborn := mcptest.Handlers{"stubborn": func(context.Context, *runtime.Message) (wire.Appender, error) {
			<-release
			return wire.Raw("{}"), nil
		}}
		server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, stubborn.Bind(revision, runtime.ToServer))
		h := NewHandler(server, streamable.Options{})
		ts := testkit.NewServer(h)
		defer ts.Close()
		s, err := connect(t, ts.URL, streamable.ClientOptions{HTTPClient: ts.Client()})
		if err != nil {
			t.Fatal(err)
		}
		answers := make(chan error)
		for range 3 {
			go func() { answers <- s.Call(t.Context(), "stubborn", nil, nil) }()
		}
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		ended := make(chan error, 1)
		go func() { ended <- h.Shutdown(ctx) }()
		for range 3 {
			err := <-answers
			if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.CodeInternalError {
				t.Errorf("a call was answered with %v", err)
			}
		}
		close(release)
		if err := <-ended; err != context.Canceled {
			t.Errorf("Shutdown: %v", err)
		}
		s.Wait()
	})
}
