package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// replica is a server with a catalog of its own, and what a client of each revision hears from it.
type replica struct {
	*catalog.Catalog
	ears []*ear
}

// ear is a client that listens to everything.
type ear struct {
	name string
	told chan string // closed when the sequence has ended
	over func()
}

// everywhere is the filter of what an ear listens to.
const everywhere = wire.Object(`{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["test://a"]}`)

// replicate starts replicas that share a bus. Each has a client in a session and one of 2026-07-28.
func replicate(t *testing.T, n int, bus share.Bus, name string, connect func(*testing.T, *runtime.Server) (runtime.Transport, func())) []*replica {
	t.Helper()
	all := make([]*replica, n)
	for i := range all {
		c := filled(t, catalog.Options{})
		server, err := mcp.NewServer(runtime.ServerOptions{
			Name: name, Version: "1", Replicas: share.Announce(bus), Capabilities: wire.Object(everything),
			Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
		}, c)
		must(t, err)
		all[i] = &replica{Catalog: c}
		for _, binding := range []runtime.Binding{mcp20251125.BindClient(mcp20251125.UnimplementedClient{}), mcp20260728.BindClient(mcp20260728.UnimplementedClient{})} {
			transport, done := connect(t, server)
			all[i].ears = append(all[i].ears, hear(t, fmt.Sprintf("replica %d, %s", i, binding.Revision), binding, transport, done))
		}
	}
	return all
}

// hear connects a client, and returns when it is subscribed.
func hear(t *testing.T, name string, binding runtime.Binding, transport runtime.Transport, done func()) *ear {
	t.Helper()
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, binding).Connect(t.Context(), transport)
	must(t, err)
	e := &ear{name: name, told: make(chan string, 1000)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for n, err := range session.Listen(ctx, everywhere) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			e.told <- strings.TrimSpace(strings.TrimPrefix(n.Method, "notifications/") + " " + wire.Object(n.Params).GetString("uri"))
		}
	}()
	e.over = func() {
		cancel()
		<-ended
		must(t, session.Close())
		done()
	}
	if got := <-e.told; got != "subscriptions/acknowledged" {
		t.Fatalf("%s: told %s first", name, got)
	}
	return e
}

// over ends the clients of replicas.
func over(all []*replica) {
	for _, r := range all {
		for _, e := range r.ears {
			e.over()
		}
	}
}

// inProcess connects a client to a server in the same process.
func inProcess(t *testing.T, server *runtime.Server) (runtime.Transport, func()) {
	near, far := inproc.Pair()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(context.Background(), far) }()
	return near, func() { must(t, <-ended) }
}

// overHTTP connects a client to a server over Streamable HTTP.
func overHTTP(t *testing.T, server *runtime.Server) (runtime.Transport, func()) {
	handler := streamable.NewHandler(server, streamable.Options{})
	web := httptest.NewServer(handler)
	transport, err := streamable.NewTransport(web.URL, streamable.ClientOptions{})
	must(t, err)
	return transport, func() {
		handler.Close()
		web.Close()
	}
}

// heard checks what all clients have been told by now, in any order.
func heard(t *testing.T, all []*replica, want ...string) {
	t.Helper()
	synctest.Wait()
	slices.Sort(want)
	for _, r := range all {
		for _, e := range r.ears {
			var got []string
			for len(e.told) > 0 {
				got = append(got, <-e.told)
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: told (-want +got):\n%s", e.name, diff)
			}
		}
	}
}

// TestReplicas checks that the clients of all replicas hear of a change at one of them, once.
func TestReplicas(t *testing.T) {
	for _, n := range []int{2, 3} {
		synctest.Test(t, func(t *testing.T) {
			var bus share.Memory
			all := replicate(t, n, &bus, "shop", inProcess)
			other := replicate(t, 1, &bus, "shop.2", inProcess) // another server on the bus
			settle := func() { time.Sleep(time.Second) }

			for i, r := range all {
				must(t, r.Add(echo(fmt.Sprint("t", i)), echo(fmt.Sprint("u", i))))
				settle()
				heard(t, all, "tools/list_changed")

				r.ResourceUpdated("test://a")
				settle()
				heard(t, all, "resources/updated test://a")

				r.RemovePrompts("ask")
				r.RemoveResources("test://gone")
				r.ResourceUpdated("test://other")
				settle()
				heard(t, all, "prompts/list_changed", "resources/list_changed")
			}
			for _, r := range all { // the same change everywhere, as after a change of a common database
				r.RemoveTools("echo")
			}
			settle()
			heard(t, all, "tools/list_changed")
			heard(t, other)
			over(all)
			over(other)
		})
	}
}

// TestReplicasOverHTTP does the same over Streamable HTTP.
func TestReplicasOverHTTP(t *testing.T) {
	var bus share.Memory
	all := replicate(t, 3, &bus, "shop", overHTTP)
	wait := func(want string) {
		t.Helper()
		for _, r := range all {
			for _, e := range r.ears {
				if got := <-e.told; got != want {
					t.Errorf("%s: told %s, want %s", e.name, got, want)
				}
			}
		}
	}
	all[0].RemoveTools("echo")
	wait("tools/list_changed")
	all[1].ResourceUpdated("test://a")
	wait("resources/updated test://a")
	all[2].RemovePrompts("ask")
	wait("prompts/list_changed")
	over(all)
	for _, r := range all {
		for _, e := range r.ears {
			for len(e.told) > 0 {
				t.Errorf("%s: also told %s", e.name, <-e.told)
			}
		}
	}
}

// TestReplicaAlone checks that a change is announced although its replica has no client, and that one
// catalog behind two servers tells each client once.
func TestReplicaAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bus share.Memory
		options := runtime.ServerOptions{Name: "shop", Version: "1", Replicas: share.Announce(&bus), Capabilities: wire.Object(everything)}
		alone := filled(t, catalog.Options{})
		_, err := mcp.NewServer(options, alone)
		must(t, err)
		both := filled(t, catalog.Options{})
		var pair []*replica
		for _, name := range []string{"shop", "second"} {
			o := options
			o.Name = name
			server, err := mcp.NewServer(o, both)
			must(t, err)
			transport, done := inProcess(t, server)
			pair = append(pair, &replica{both, []*ear{hear(t, name, mcp20260728.BindClient(mcp20260728.UnimplementedClient{}), transport, done)}})
		}
		alone.RemoveTools("echo")
		alone.ResourceUpdated("test://a")
		time.Sleep(time.Second)
		heard(t, pair[:1], "tools/list_changed", "resources/updated test://a")
		heard(t, pair[1:]) // a server with another name
		both.RemoveTools("echo")
		both.ResourceUpdated("test://a")
		time.Sleep(time.Second)
		heard(t, pair, "tools/list_changed", "resources/updated test://a")
		over(pair)
	})
}

// brokenBus is a bus that can fail. Lost messages are those of subscribers.
type brokenBus struct {
	share.Memory
	mu    sync.Mutex
	err   error
	tries int
	back  []func()
}

func (b *brokenBus) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err, b.tries = err, 0
}

func (b *brokenBus) failing() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		b.tries++
	}
	return b.err
}

func (b *brokenBus) Publish(ctx context.Context, subject string, data []byte) error {
	if err := b.failing(); err != nil {
		return err
	}
	return b.Memory.Publish(ctx, subject, data)
}

func (b *brokenBus) Subscribe(ctx context.Context, subject string, receive func([]byte), missed func()) (func(), error) {
	if err := b.failing(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.back = append(b.back, missed)
	b.mu.Unlock()
	return b.Memory.Subscribe(ctx, subject, receive, missed)
}

// TestBrokenBus checks that a bus that fails delays nobody, and what happens when it is back.
func TestBrokenBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bus brokenBus
		all := replicate(t, 2, &bus, "shop", inProcess)
		near, far := all[:1], all[1:]
		down := errors.New("no connection")

		bus.fail(down)
		for range 100 {
			near[0].RemoveTools("echo")
			must(t, near[0].Add(echo("echo")))
			near[0].ResourceUpdated("test://a")
			time.Sleep(time.Second)
		}
		heard(t, near, slices.Concat(slices.Repeat([]string{"tools/list_changed"}, 100), slices.Repeat([]string{"resources/updated test://a"}, 100))...)
		heard(t, far)
		if bus.tries < 5 || bus.tries > 20 {
			t.Errorf("%d attempts in 100 seconds, want pauses that grow to 30 seconds", bus.tries)
		}
		bus.fail(nil)
		time.Sleep(time.Minute)
		heard(t, near)
		heard(t, far, "tools/list_changed", "resources/updated test://a")

		bus.fail(down)
		for i := range 2000 { // more than wait
			near[0].ResourceUpdated(fmt.Sprint("test://", i))
		}
		bus.fail(nil)
		time.Sleep(time.Minute)
		missed := []string{"tools/list_changed", "prompts/list_changed", "resources/list_changed", "resources/updated test://a"}
		heard(t, near)
		heard(t, far, missed...)

		for _, f := range bus.back {
			f()
		}
		time.Sleep(time.Second)
		heard(t, all, missed...)
		over(all)
	})
}

// TestLateBus has a bus that cannot be reached when the servers start.
func TestLateBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bus brokenBus
		bus.fail(errors.New("no connection"))
		all := replicate(t, 2, &bus, "shop", inProcess)
		time.Sleep(10 * time.Minute)
		heard(t, all)
		bus.fail(nil)
		time.Sleep(time.Minute)
		heard(t, all, "tools/list_changed", "prompts/list_changed", "resources/list_changed", "resources/updated test://a")
		all[0].RemoveTools("echo")
		time.Sleep(time.Second)
		heard(t, all, "tools/list_changed")
		over(all)
	})
}
