package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		server := newServer(t, tools.with(side{"ask": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			c := runtime.CallOf(ctx)
			if c.PeerInfo() != `{"name":"test","version":"1"}` || c.Meta() != "" {
				t.Errorf("call: %s %s", c.PeerInfo(), c.Meta())
			}
			var roots wire.Raw
			err := errors.Join(c.Call(ctx, "ping", nil, nil), c.Call(ctx, "roots/list", wire.Raw(`{}`), &roots))
			return roots, err
		}}), runtime.ServerOptions{Instructions: "go", Capabilities: wire.Raw(`{"tools":{}}`)}, r06, r2024)
		client := newClient(side{"roots/list": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			asked++
			if got := runtime.CallOf(ctx).Revision(); got != r06 {
				t.Errorf("revision %s", got)
			}
			return wire.Raw(`{"roots":[{"uri":"file:///a"}]}`), nil
		}}, r11, r06)
		session, end := connect(t, server, client)
		said := []string{session.Revision(), string(session.ServerInfo()), string(session.ServerCapabilities()), session.Instructions()}
		if diff := cmp.Diff([]string{r06, `{"name":"probe","version":"0.1"}`, `{"tools":{}}`, "go"}, said); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := session.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		var result wire.Raw
		if err := session.Call(t.Context(), "tools/call", &toolParams{Name: "ask"}, &result); err != nil || result != `{"roots":[{"uri":"file:///a"}]}` || asked != 1 {
			t.Errorf("%s, %v", result, err)
		}
		var wrong toolParams
		if err := session.Call(t.Context(), "tools/call", &toolParams{Name: "echo"}, &wrong); err == nil {
			t.Error("a result that does not fit was taken")
		}
		if err := session.Call(t.Context(), "tools/call", &toolParams{Name: "boom"}, nil); code(err) != -32603 {
			t.Error(err)
		}
		if err := session.Notify(t.Context(), "notifications/roots/list_changed", nil); err != nil {
			t.Error(err)
		}
		end()
		if err := session.Ping(t.Context()); !errors.Is(err, runtime.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

// TestCallAfterClose checks that nothing is logged about calls of a closed session, which has not to be opened again.
func TestCallAfterClose(t *testing.T) {
	var log bytes.Buffer
	client := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1", Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))}, side{}.bind(r06, runtime.ToClient))
	session, end := connect(t, newServer(t, tools, runtime.ServerOptions{}, r06), client)
	end()
	if err := session.Ping(t.Context()); !errors.Is(err, runtime.ErrClosed) || log.Len() > 0 {
		t.Errorf("%v, logged %s", err, &log)
	}
}

// TestReportPanics checks that the answer to a request whose caller has panicked does not reach another request.
func TestReportPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, proceed := make(chan struct{}), make(chan struct{})
		server := newServer(t, tools.with(side{
			"late": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
				err := runtime.CallOf(ctx).Progress(ctx, 1, nil, "")
				<-release
				return wire.Raw(`{"of":"late"}`), err
			},
			"next": func(context.Context, *runtime.Message) (wire.Appender, error) {
				close(release)
				<-proceed
				return wire.Raw(`{"of":"next"}`), nil
			},
		}), runtime.ServerOptions{Capabilities: wire.Raw(`{"tools":{}}`)}, r06)
		session, end := connect(t, server, newClient(side{}, r06))
		func() {
			defer func() { _ = recover() }()
			ctx := runtime.WithProgress(t.Context(), func(runtime.Progress) { panic("report") })
			t.Error(session.Call(ctx, "tools/call", &toolParams{Name: "late"}, nil))
		}()
		var result wire.Raw
		answered := make(chan error, 1)
		go func() { answered <- session.Call(t.Context(), "tools/call", &toolParams{Name: "next"}, &result) }()
		synctest.Wait()
		close(proceed)
		if err := <-answered; err != nil || result != `{"of":"next"}` {
			t.Errorf("%s, %v", result, err)
		}
		end()
	})
}

// P37, P45, P48
func TestCallerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		server := newServer(t, tools.with(side{"block": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return wire.Raw(`{}`), nil
		}}), runtime.ServerOptions{}, r06)
		session, end := connect(t, server, newClient(nil, r06))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := session.Call(ctx, "tools/call", &toolParams{Name: "block"}, nil); err != context.DeadlineExceeded {
			t.Errorf("call: %v", err)
		}
		if err := <-ended; err.Error() != "runtime: cancelled by the peer: no answer in time" {
			t.Errorf("handler: %v", err)
		}
		if err := session.Call(ctx, "ping", nil, nil); err != context.DeadlineExceeded {
			t.Errorf("call with an ended context: %v", err)
		}
		end()
	})
}

func TestVersionRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := inproc.Pair()
		ended := make(chan error, 1)
		go func() { ended <- newServer(t, tools, runtime.ServerOptions{}, r2024).Serve(t.Context(), a) }()
		_, err := newClient(nil, r06, r11).Connect(t.Context(), b)
		want := &runtime.VersionError{Answered: r2024, Supported: []string{r11, r06}}
		got, _ := errors.AsType[*runtime.VersionError](err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestConnectFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The server does not answer: nothing but initialize is sent.
		a, b := mcptest.Pair()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := newClient(nil, r06).Connect(ctx, b); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("silent server: %v", err)
		}
		if in, err := a.Receive(t.Context()); err != nil || in.Text != `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` {
			t.Errorf("%s, %v", in.Text, err)
		}
		if in, err := a.Receive(t.Context()); err != runtime.ErrClosed {
			t.Errorf("%s, %v", in.Text, err)
		}
		for _, answer := range []string{
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unsupported protocol version"}}`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":1}}`,
			``,
		} {
			a, b := inproc.Pair()
			if answer == "" {
				a.Close()
			} else {
				a.Send(t.Context(), runtime.Outgoing{Text: []byte(answer)})
				go func() {
					time.Sleep(time.Second)
					a.Send(t.Context(), runtime.Outgoing{Text: []byte(answer)})
				}()
			}
			if s, err := newClient(nil, r06).Connect(t.Context(), b); err == nil {
				t.Errorf("%s: connected to %s", answer, s.ServerInfo())
			}
			time.Sleep(2 * time.Second)
		}
		if _, err := newClient(nil).Connect(t.Context(), b); err == nil {
			t.Error("connected without a binding")
		}
	})
}

// TestServerSpeaksFirst checks that a client handles what comes right behind the answer
// to initialize under the answered revision, and before it only pings.
func TestServerSpeaksFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := mcptest.Pair()
		sent := make(chan string, 10)
		go func() {
			for {
				in, err := a.Receive(t.Context())
				if err != nil {
					close(sent)
					return
				}
				sent <- in.Text
			}
		}()
		session := make(chan *runtime.Session)
		go func() {
			s, err := newClient(side{"roots/list": func(context.Context, *runtime.Message) (wire.Appender, error) {
				return wire.Raw(`{"roots":[]}`), nil
			}}, r06).Connect(t.Context(), b)
			if err != nil {
				t.Error(err)
			}
			session <- s
		}()
		<-sent
		for _, text := range []string{
			`{"jsonrpc":"2.0","id":"a","method":"ping"}`,
			`{"jsonrpc":"2.0","id":"b","method":"roots/list"}`,
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`,
			`{"jsonrpc":"2.0","id":"c","method":"roots/list"}`,
		} {
			a.Send(t.Context(), runtime.Outgoing{Text: []byte(text)})
		}
		match(t, []string{<-sent, <-sent}, []string{answered(`"a"`, `\{\}`), refused(`"b"`, "-32600", ".*")})
		last := []string{<-sent, <-sent}
		if last[0] != initialized {
			last[0], last[1] = last[1], last[0]
		}
		match(t, last, []string{"notifications/initialized", answered(`"c"`, `\{"roots":\[\]\}`)})
		s := <-session
		waiting := make(chan error)
		go func() { waiting <- s.Ping(t.Context()) }()
		<-sent
		a.Close()
		if err := <-waiting; err != runtime.ErrClosed {
			t.Errorf("call at the end: %v", err)
		}
		if err := s.Wait(); err != nil {
			t.Error(err)
		}
	})
}
