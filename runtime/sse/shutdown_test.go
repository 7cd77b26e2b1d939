package sse

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestShutdown checks that calls in flight are answered while the handler shuts down, even one that
// asks the client, that new calls and sessions are refused, and that a call that does not end gets
// an error.
func TestShutdown(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	held := func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		begun <- struct{}{}
		<-release
		var result wire.Raw
		err := runtime.CallOf(ctx).Call(ctx, "client/echo", params, &result)
		return result, err
	}
	more := mcptest.Handlers{"held": held, "wait": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		begun <- struct{}{}
		return base["wait"](ctx, message)
	}, "echo": base["echo"]}
	server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, more.Bind(revision, runtime.ToServer))
	h := NewHandler(server, Options{})
	ts := httptest.NewServer(h)
	defer ts.Close()
	s, err := connect(t, ts.URL, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	idle, err := connect(t, ts.URL, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	answered, failed := make(chan error, 1), make(chan error, 1)
	go func() {
		var got wire.Raw
		err := s.Call(t.Context(), "held", wire.Raw(`{"a":1}`), &got)
		if err == nil && got != `{"a":1}` {
			err = errors.New(string(got))
		}
		answered <- err
	}()
	go func() { failed <- s.Call(t.Context(), "wait", nil, nil) }()
	for range 2 {
		<-begun
	}
	ctx, expire := context.WithCancel(t.Context())
	defer expire()
	ended := make(chan error, 1)
	go func() { ended <- h.Shutdown(ctx) }()
	if err := idle.Wait(); err != nil {
		t.Errorf("the session without calls: %v", err)
	}
	testkit.Eventually(func() bool { // the sessions shut down one after the other
		err = s.Call(t.Context(), "echo", wire.Raw("{}"), nil)
		return err != nil
	})
	if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.CodeServerBusy {
		t.Errorf("a further call: %v", err)
	}
	var status *StatusError
	if _, err := Dial(t.Context(), ts.URL, ClientOptions{}); !errors.As(err, &status) || status.Status != http.StatusServiceUnavailable {
		t.Errorf("a further session: %v", err)
	}
	close(release)
	if err := <-answered; err != nil {
		t.Errorf("the call in flight: %v", err)
	}
	expire()
	err = <-failed
	if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.CodeInternalError {
		t.Errorf("the call that does not end: %v", err)
	}
	if err := <-ended; err != context.Canceled {
		t.Errorf("Shutdown: %v", err)
	}
	s.Wait()
}
