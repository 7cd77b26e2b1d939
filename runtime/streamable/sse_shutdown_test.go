package streamable_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestSSEShutdown checks that calls in flight are answered while the handler shuts down, even one that
// asks the client, that new calls and sessions are refused, and that a call that does not end gets
// an error.
func TestSSEShutdown(t *testing.T) {
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
	h := streamable.NewSSEHandler(server, streamable.Options{})
	ts := httptest.NewServer(h)
	defer ts.Close()
	s, err := connect(t, ts.URL, streamable.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	idle, err := connect(t, ts.URL, streamable.ClientOptions{})
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
	var status *streamable.StatusError
	if _, err := streamable.DialSSE(t.Context(), ts.URL, streamable.ClientOptions{}); !errors.As(err, &status) || status.Status != http.StatusServiceUnavailable {
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

// TestSSEShutdownAbandons checks that a shutdown answers all calls whose handlers do not return.
func TestSSEShutdownAbandons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		stubborn := mcptest.Handlers{"stubborn": func(context.Context, *runtime.Message) (wire.Appender, error) {
			<-release
			return wire.Raw("{}"), nil
		}}
		server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, stubborn.Bind(revision, runtime.ToServer))
		h := streamable.NewSSEHandler(server, streamable.Options{})
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

// TestSSEDrain checks that a handler serves everything for the DrainDelay of its options after it has said that it is no
// longer ready.
func TestSSEDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts, h := newServerOn(t, streamable.Options{DrainDelay: time.Minute}, testkit.NewServer)
		opts := streamable.ClientOptions{HTTPClient: ts.Client()}
		start := time.Now()
		ended := make(chan error, 1)
		go func() { ended <- h.Shutdown(t.Context()) }()
		synctest.Wait()
		if h.Ready() {
			t.Error("ready during a shutdown")
		}
		s, err := connect(t, ts.URL+"/api/sse", opts)
		if err != nil {
			t.Fatalf("a session before the end of the delay: %v", err)
		}
		if err := s.Call(t.Context(), "echo", wire.Raw("{}"), nil); err != nil {
			t.Errorf("a call before the end of the delay: %v", err)
		}
		if err := <-ended; err != nil || time.Since(start) < time.Minute {
			t.Errorf("ended after %v: %v", time.Since(start), err)
		}
		s.Wait()
		if _, err := connect(t, ts.URL+"/api/sse", opts); err == nil {
			t.Error("a session after the end of the delay")
		}
	})
}

// TestSSELoad checks that the requests of a caller are limited, and that one which is refused has the answer of its POST.
func TestSSELoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts, _ := newServerOn(t, streamable.Options{Load: streamable.Load{MaxInFlightPerCaller: 1}, User: func(*http.Request) (string, error) { return "u", nil }}, testkit.NewServer)
		s, err := connect(t, ts.URL+"/api/sse", streamable.ClientOptions{HTTPClient: ts.Client()})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan error, 1)
		go func() { first <- s.Call(ctx, "wait", nil, nil) }()
		synctest.Wait()
		echo := func() error { return s.Call(t.Context(), "echo", wire.Raw("{}"), nil) }
		if refused, ok := errors.AsType[*streamable.StatusError](echo()); !ok || refused.Status != http.StatusTooManyRequests {
			t.Errorf("a second request in flight: %v", refused)
		}
		if err := s.Notify(t.Context(), "notifications/n", nil); err != nil {
			t.Errorf("a notification: %v", err)
		}
		cancel()
		<-first
		synctest.Wait()
		if err := echo(); err != nil {
			t.Errorf("after the end of the first: %v", err)
		}
		s.Close()
	})
}
