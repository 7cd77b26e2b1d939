package runtime_test

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// replica is a server on a bus, with a client that has subscribed to a resource.
type replica struct {
	*runtime.Server
	*conn
}

// join makes a replica.
func join(t *testing.T, o runtime.ServerOptions) *replica {
	t.Helper()
	o.Version, o.Capabilities = "1", everyChange
	server := runtime.NewServer(o, withResources(tools.bind(r06, runtime.ToServer)))
	c := open(t.Context(), t, server, r06)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a:b"}}`)
	c.replies()
	return &replica{server, c}
}

// TestReplicas checks which notifications reach the clients of other replicas.
func TestReplicas(t *testing.T) {
	long := strings.Repeat("long", 100)
	for _, names := range [][]string{
		{"shop", "shop", "Shop", "shop.a", "shop *>", "c2hvcA"},
		{long, long, long + "er", long[1:]},
		{"héllo wörld", "héllo wörld", "hello world"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var bus share.Memory
			var all []*replica
			for _, name := range names {
				all = append(all, join(t, runtime.ServerOptions{Name: name, Replicas: share.Announce(&bus)}))
			}
			for range 2 {
				if err := all[0].Publish(toolsChanged, nil); err != nil {
					t.Error(err)
				}
				if err := all[0].Publish(updated, wire.Raw(`{"uri":"a:b","_meta":{"x":"\u0000"}}`)); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(time.Second)
			for i, r := range all {
				var want []string
				if i < 2 { // those with the name
					want = []string{
						`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b","_meta":{"x":"\u0000"}}}`,
						`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
					}
				}
				got := r.replies()
				slices.Sort(got)
				if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
					t.Errorf("%.20s, number %d (-want +got):\n%s", names[i], i, diff)
				}
				r.hangUp()
			}
		})
	}
}

// subjects is a bus that records the subjects.
type subjects struct {
	share.Memory
	all []string
}

func (b *subjects) Subscribe(ctx context.Context, subject string, receive func([]byte), missed func()) (func(), error) {
	b.all = append(b.all, subject)
	return b.Memory.Subscribe(ctx, subject, receive, missed)
}

// TestBusMessages checks what is logged of messages that cannot be sent or read, and that subjects have the
// form that a bus requires.
func TestBusMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bus subjects
		var log strings.Builder
		o := runtime.ServerOptions{Name: "shop", Replicas: share.Announce(&bus), Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))}
		f := join(t, o)
		defer f.hangUp()
		for _, name := range []string{"a b", "日本", strings.Repeat("x", 120), strings.Repeat("x", 121), strings.Repeat("é", 1000)} {
			defer join(t, runtime.ServerOptions{Name: name, Replicas: share.Announce(&bus)}).hangUp()
		}
		form := regexp.MustCompile(`^[\w-]+(\.[\w-]+)*$`)
		for i, s := range bus.all {
			if !form.MatchString(s) || len(s) > 256 || slices.Contains(bus.all[:i], s) {
				t.Errorf("subject %s", s)
			}
		}

		logged := func(want string) {
			t.Helper()
			synctest.Wait()
			if !strings.Contains(log.String(), want) || strings.Count(log.String(), "\n") != 1 {
				t.Errorf("logged %q, want one line with %q", log.String(), want)
			}
			log.Reset()
			time.Sleep(time.Minute)
		}
		for range 3 {
			if err := bus.Publish(t.Context(), bus.all[0], []byte(`{"method":`)); err != nil {
				t.Fatal(err)
			}
		}
		logged("cannot be read")
		if err := f.Publish(updated, wire.Raw(`{"uri":"`+strings.Repeat("x", share.MaxMessage)+`"}`)); err != nil {
			t.Error(err)
		}
		logged("unlogged=2")
		if got := f.replies(); len(got) > 0 {
			t.Errorf("the client was sent %s", got)
		}
	})
}

// TestBusOptions checks the options that a bus needs.
func TestBusOptions(t *testing.T) {
	var none *share.Memory
	for want, o := range map[string]runtime.ServerOptions{
		"needs a Name": {Replicas: share.Announce(new(share.Memory))},
		"the bus of Announce is a nil *share.Memory": {Name: "shop", Replicas: share.Announce(none)},
	} {
		if err := runtime.NewServer(o, tools.in(rA)).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
