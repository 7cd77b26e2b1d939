package runtime_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestResumedLogLevel checks that the log level a client has set with one replica of a
// server is that of the replica that goes on with the session.
func TestResumedLogLevel(t *testing.T) {
	sharing := share.Sessions{Keys: [][]byte{make([]byte, 32)}, Store: tasks.NewMemory(0)}
	replica := func() *streamable.Handler {
		server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(`{"tools":{},"logging":{}}`)},
			tools.with(side{"log": logTool}).bindGated(r11, runtime.ToServer))
		h, err := share.NewHandler(server, streamable.Options{}, sharing)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Close)
		return h
	}
	session := ""
	post := func(h http.Handler, body string) string {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body)).WithContext(t.Context())
		r.Host = "localhost"
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if session == "" {
			session = w.Header().Get("Mcp-Session-Id")
		}
		return w.Body.String()
	}
	first := replica()
	post(first, fmt.Sprintf(initialize, r11))
	post(first, initialized)
	for i, level := range allLevels {
		for range 2 {
			post(first, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"`+string(level)+`"}}`)
		}
		// The strange level is always sent; each message is sent in two ways.
		if got, want := strings.Count(post(replica(), toolCall("2", "log", "{}")), "notifications/message"), 2*(len(allLevels)-i+1); got != want {
			t.Errorf("%s: %d messages, want %d", level, got, want)
		}
	}
}

// lastingEnd is a transport that knows the name of its session, "" for none.
type lastingEnd struct {
	runtime.Transport
	id string
}

func (l lastingEnd) SessionID() string                  { return l.id }
func (l lastingEnd) Negotiated(runtime.Handshake) error { return nil }

// TestResumedKeepAlive checks that a peer of a resumed session is pinged, unless there is
// none, with ids that no other server of the session has used.
func TestResumedKeepAlive(t *testing.T) {
	for _, row := range []struct {
		id    string
		pings int
	}{{"s", 6}, {"", 0}} {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, tools, runtime.ServerOptions{Limits: runtime.Limits{KeepAlive: time.Minute}}, r11)
			ids := map[string]bool{}
			pings := 0
			for range 2 {
				near, far := mcptest.Pair()
				ended := make(chan error, 1)
				go func() {
					ended <- server.Resume(t.Context(), lastingEnd{far, row.id}, runtime.Handshake{Revision: r11, PeerInfo: `{"name":"c"}`, PeerCapabilities: `{}`})
				}()
				go func() {
					for {
						in, err := near.Receive(context.Background())
						if err != nil {
							return
						}
						id, _ := wire.Object(in.Text).Get("id")
						ids[string(id)] = true
						pings++
						near.Send(context.Background(), runtime.Outgoing{Text: []byte(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":{}}`)})
					}
				}()
				time.Sleep(6*time.Minute + time.Second)
				near.Close()
				if err := <-ended; err != nil {
					t.Error(err)
				}
				synctest.Wait()
			}
			if diff := cmp.Diff([2]int{2 * row.pings, 2 * row.pings}, [2]int{pings, len(ids)}); diff != "" {
				t.Errorf("session %q: pings and their ids (-want +got):\n%s", row.id, diff)
			}
		})
	}
}

// slowStart is a transport that starts late.
type slowStart struct {
	runtime.Transport
	started bool
	early   int // messages before it has started
}

func (s *slowStart) Start(in runtime.Inbox, max int) {
	time.Sleep(time.Minute)
	s.started = true
	s.Transport.Start(in, max)
}

func (s *slowStart) Send(ctx context.Context, m runtime.Outgoing) error {
	if !s.started {
		s.early++
	}
	return s.Transport.Send(ctx, m)
}

// TestResumedStart checks that nothing is sent to the client of a resumed session before its transport has started, and
// that the client gets what is published from then on.
func TestResumedStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1", Capabilities: everyChange}, withResources(tools.bind(r06, runtime.ToServer)))
		near, far := mcptest.Pair()
		late, ended := &slowStart{Transport: far}, make(chan error, 1)
		go func() {
			ended <- server.Resume(t.Context(), late, runtime.Handshake{Revision: r06, Subscriptions: []string{"a:b"}})
		}()
		change := func() {
			publish(t, server, updated, `{"uri":"a:b"}`)
			publish(t, server, toolsChanged, "")
			time.Sleep(time.Second)
		}
		synctest.Wait()
		change()
		time.Sleep(time.Minute)
		change()
		for range 2 {
			if in, err := near.Receive(t.Context()); err != nil {
				t.Errorf("received %s, %v", in.Text, err)
			}
		}
		if late.early > 0 {
			t.Errorf("%d messages were sent before the transport was started", late.early)
		}
		near.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// slowReturn is a transport whose Start returns long after it has started.
type slowReturn struct{ runtime.Transport }

func (s slowReturn) Start(in runtime.Inbox, max int) {
	s.Transport.Start(in, max)
	time.Sleep(time.Minute)
}

// TestResumedSubscriptions checks that what the client of a resumed session does at once is kept.
func TestResumedSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1", Capabilities: everyChange}, withResources(tools.bind(r06, runtime.ToServer)))
		near, far := mcptest.Pair()
		ended := make(chan error, 1)
		go func() {
			ended <- server.Resume(t.Context(), slowReturn{far}, runtime.Handshake{Revision: r06, Subscriptions: []string{"a:b", "a:c"}})
		}()
		for i, change := range []string{`"resources/unsubscribe","params":{"uri":"a:b"}`, `"resources/subscribe","params":{"uri":"a:d"}`} {
			near.Send(t.Context(), runtime.Outgoing{Text: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%s}`, i, change)})
			if in, err := near.Receive(t.Context()); err != nil || !strings.Contains(in.Text, `"result":{}`) {
				t.Errorf("received %s, %v", in.Text, err)
			}
		}
		time.Sleep(2 * time.Minute)
		for _, uri := range []string{"b", "c", "d"} {
			publish(t, server, updated, `{"uri":"a:`+uri+`"}`)
		}
		for _, uri := range []string{"c", "d"} {
			if in, err := near.Receive(t.Context()); err != nil || !strings.Contains(in.Text, `"a:`+uri+`"`) {
				t.Errorf("received %s, %v, want the update of %s", in.Text, err, uri)
			}
		}
		near.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
