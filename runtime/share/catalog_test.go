package share_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

const initializeRequest = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// replica is a replica of a server with a catalog.
type replica struct {
	*streamable.Handler
	offers *catalog.Catalog
}

// newReplica returns a replica that offers the resources test:1 to test:3. It announces changes to others on a
// bus, unless that is nil.
func newReplica(t *testing.T, sharing share.Sessions, announced share.Bus) *replica {
	read := func(_ context.Context, uri string) (*mcp.ReadResourceResult, error) {
		return nil, catalog.ErrNoResource
	}
	var items []catalog.Item
	for i := range 3 {
		uri := fmt.Sprintf("test:%d", i+1)
		items = append(items, catalog.NewResource(&mcp.Resource{Name: uri, URI: uri}, read))
	}
	offers := catalog.New(catalog.Options{})
	if err := offers.Add(items...); err != nil {
		t.Fatal(err)
	}
	options := mcp.ServerOptions{Name: "s", Version: "1"}
	if announced != nil {
		options.Replicas = share.Announce(announced)
	}
	server, err := mcp.NewServer(options, offers)
	if err != nil {
		t.Fatal(err)
	}
	sharing.Keys = [][]byte{make([]byte, seal.MinKey)}
	h, err := share.NewHandler(server, streamable.Options{StreamAfter: -1}, sharing)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return &replica{h, offers}
}

func (r *replica) serve(ctx context.Context, method, body, session string, header ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(ctx, method, "/", strings.NewReader(body))
	req.Host = "localhost"
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w
}

func (r *replica) ask(t *testing.T, session, method, params string) {
	t.Helper()
	w := r.serve(t.Context(), "POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params), session)
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"result":{}`) {
		t.Errorf("%s: %d: %s", method, w.Code, w.Body)
	}
}

// updates returns the resources whose updates a session gets from a replica.
func (r *replica) updates(t *testing.T, session string) (uris []string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	got := make(chan string)
	go func() { got <- r.serve(ctx, "GET", "", session).Body.String() }()
	synctest.Wait()
	for i := range 3 {
		r.offers.ResourceUpdated(fmt.Sprintf("test:%d", i+1))
	}
	text := <-got
	for i := range 3 {
		uri := fmt.Sprintf("test:%d", i+1)
		if strings.Contains(text, `"params":{"uri":"`+uri+`"}`) {
			uris = append(uris, uri)
		}
	}
	return uris
}

// TestSubscriptionsElsewhere checks that the subscriptions of a client hold at each replica: at one that
// takes the session over, and at those that have it already.
func TestSubscriptionsElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var state share.Memory
		sharing := share.Sessions{Bus: &state, Store: tasks.NewMemory(0)}
		a, b := newReplica(t, sharing, nil), newReplica(t, sharing, nil)
		session := a.serve(t.Context(), "POST", initializeRequest, "").Header().Get("Mcp-Session-Id")
		a.ask(t, session, "resources/subscribe", `{"uri":"test:1"}`)
		a.ask(t, session, "resources/subscribe", `{"uri":"test:2"}`)
		check := func(want string) {
			t.Helper()
			synctest.Wait()
			for i, r := range []*replica{a, b} {
				if got := fmt.Sprint(r.updates(t, session)); got != want {
					t.Errorf("replica %d: updates of %s, want %s", i, got, want)
				}
			}
		}
		check("[test:1 test:2]") // b takes the session over
		b.ask(t, session, "resources/unsubscribe", `{"uri":"test:1"}`)
		a.ask(t, session, "resources/subscribe", `{"uri":"test:3"}`)
		check("[test:2 test:3]") // b has it
		var c *replica
		a.ask(t, session, "resources/unsubscribe", `{"uri":"test:2"}`)
		a.ask(t, session, "resources/unsubscribe", `{"uri":"test:3"}`)
		check("[]")
		c = newReplica(t, sharing, nil)
		if got := c.updates(t, session); len(got) != 0 {
			t.Errorf("a new replica: %s", got)
		}
	})
}

// announcing returns what the replicas of a test share: sessions, and for announced a bus for the changes of what they
// offer. Otherwise the bus is nil.
func announcing(announced bool) (sharing share.Sessions, bus share.Bus) {
	var state share.Memory
	if announced {
		bus = &state
	}
	return share.Sessions{Bus: &state, Store: tasks.NewMemory(0)}, bus
}

// TestAnnouncedOnce checks that a client hears once of a change that all replicas of its session know, and that
// it hears of what has changed while it had no GET when it opens one at any replica.
func TestAnnouncedOnce(t *testing.T) {
	const updated, changed = `"method":"notifications/resources/updated","params":{"uri":"test:1"}`, `"method":"notifications/resources/list_changed"`
	for _, announced := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			sharing, bus := announcing(announced)
			rs := []*replica{newReplica(t, sharing, bus), newReplica(t, sharing, bus), newReplica(t, sharing, bus)}
			session := rs[0].serve(t.Context(), "POST", initializeRequest, "").Header().Get("Mcp-Session-Id")
			for _, r := range rs {
				r.ask(t, session, "ping", "{}")
			}
			rs[2].ask(t, session, "resources/subscribe", `{"uri":"test:1"}`)
			get := func(at int) (end func() string) {
				ctx, cancel := context.WithCancel(t.Context())
				text := make(chan string)
				go func() { text <- rs[at].serve(ctx, "GET", "", session).Body.String() }()
				time.Sleep(time.Second)
				return func() string { time.Sleep(time.Second); cancel(); return <-text }
			}
			change := func(at int) {
				rs[at].offers.ResourceUpdated("test:1")
				rs[at].offers.RemoveResources("test:2")
				time.Sleep(time.Second)
			}
			get(1)() // it has taken the session over, and tells that everything may have changed
			end := get(1)
			change(0)
			if text := end(); strings.Count(text, updated) != 1 || strings.Count(text, changed) != 1 {
				t.Errorf("announced %t: a change at another replica:\n%s", announced, text)
			}
			change(2)
			for _, at := range []int{0, 1} {
				text := get(at)()
				if heard := strings.Contains(text, updated) && strings.Contains(text, changed); !heard && (at == 0 || announced) {
					t.Errorf("announced %t: changes without a GET, at replica %d:\n%s", announced, at, text)
				}
			}
		})
	}
}

// TestListeningOnly checks that a client hears of a change at the replica that has its GET, which has got no message of
// the client after initialize.
func TestListeningOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var state share.Memory
		sharing := share.Sessions{Bus: &state, Store: tasks.NewMemory(0)}
		a, b := newReplica(t, sharing, &state), newReplica(t, sharing, &state)
		session := a.serve(t.Context(), "POST", initializeRequest, "").Header().Get("Mcp-Session-Id")
		b.ask(t, session, "ping", "{}")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		got := make(chan string)
		go func() { got <- a.serve(ctx, "GET", "", session).Body.String() }()
		synctest.Wait()
		b.offers.RemoveResources("test:2")
		if text := <-got; strings.Count(text, "notifications/resources/list_changed") != 1 {
			t.Errorf("got %q", text)
		}
	})
}

// TestAnsweringOnly checks that a client hears once of a change at a replica that it has sent only the answer to a
// request of the server, or that it has cancelled a request at.
func TestAnsweringOnly(t *testing.T) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":7,"result":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`,
	} {
		for _, announced := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				sharing, bus := announcing(announced)
				a, b := newReplica(t, sharing, bus), newReplica(t, sharing, bus)
				session := a.serve(t.Context(), "POST", initializeRequest, "").Header().Get("Mcp-Session-Id")
				a.ask(t, session, "resources/subscribe", `{"uri":"test:1"}`)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				got := make(chan string)
				go func() { got <- a.serve(ctx, "GET", "", session).Body.String() }()
				synctest.Wait()
				b.serve(t.Context(), "POST", text, session)
				b.offers.RemoveResources("test:2")
				b.offers.ResourceUpdated("test:1")
				if heard := <-got; strings.Count(heard, "list_changed") != 1 || strings.Count(heard, "resources/updated") != 1 {
					t.Errorf("announced %t, after %s: got %q", announced, text, heard)
				}
			})
		}
	}
}
