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

// follower is a binding that follows what other replicas announce.
type follower struct {
	*runtime.Replicas
	heard  []runtime.Notification
	missed int
}

// follow makes a server whose binding is a follower.
func follow(t *testing.T, o runtime.ServerOptions) *follower {
	t.Helper()
	f := new(follower)
	b := tools.in(rA)
	b.Joined = func(r *runtime.Replicas) {
		f.Replicas = r
		r.Follow(func(n runtime.Notification) { f.heard = append(f.heard, n) }, func() { f.missed++ })
	}
	if err := runtime.NewServer(o, b).Err(); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestReplicas checks which notifications reach the code of other replicas.
func TestReplicas(t *testing.T) {
	long := strings.Repeat("long", 100)
	for _, names := range [][]string{
		{"shop", "shop", "Shop", "shop.a", "shop *>", "c2hvcA"},
		{long, long, long + "er", long[1:]},
		{"héllo wörld", "héllo wörld", "hello world"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var bus share.Memory
			var all []*follower
			for _, name := range names {
				all = append(all, follow(t, runtime.ServerOptions{Name: name, Bus: &bus}))
			}
			sent := []runtime.Notification{
				{Method: "notifications/tools/list_changed"},
				{Method: "notifications/message", Params: wire.Raw(`{"level":"info","data":"x\u0000"}`)},
			}
			for _, n := range sent {
				all[0].Announce(n)
			}
			synctest.Wait()
			for i, f := range all {
				var want []runtime.Notification
				if i == 1 { // the only one with the name, except the sender
					want = sent
				}
				if diff := cmp.Diff(want, f.heard); diff != "" || f.missed > 0 {
					t.Errorf("%.20s, number %d: missed %d (-want +got):\n%s", names[i], i, f.missed, diff)
				}
			}
		})
	}
}

// subjects is a bus that records the subjects.
type subjects struct {
	share.Memory
	all []string
}

func (b *subjects) Subscribe(ctx context.Context, subject string, receive func([]byte)) (func(), error) {
	b.all = append(b.all, subject)
	return b.Memory.Subscribe(ctx, subject, receive)
}

// TestBusMessages checks what is logged of messages that cannot be sent or read, and that subjects have the
// form that a bus requires.
func TestBusMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bus subjects
		var log strings.Builder
		o := runtime.ServerOptions{Name: "shop", Bus: &bus, Logger: slog.New(slog.NewTextHandler(&log, nil))}
		f := follow(t, o)
		for _, name := range []string{"a b", "日本", strings.Repeat("x", 120), strings.Repeat("x", 121), strings.Repeat("é", 1000)} {
			follow(t, runtime.ServerOptions{Name: name, Bus: &bus})
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
		f.Announce(runtime.Notification{Method: "m", Params: wire.Raw(`"` + strings.Repeat("x", share.MaxMessage) + `"`)})
		logged("unlogged=2")
		f.Announce(runtime.Notification{Method: "\xff"})
		logged("cannot be announced")
		if f.heard != nil || f.missed != 0 {
			t.Errorf("heard %v, missed %d", f.heard, f.missed)
		}
	})
}

// TestBusOptions checks the options that a bus needs.
func TestBusOptions(t *testing.T) {
	var none *share.Memory
	for want, o := range map[string]runtime.ServerOptions{
		"needs a Name":                {Bus: new(share.Memory)},
		"Bus in the options is a nil": {Name: "shop", Bus: none},
	} {
		if err := runtime.NewServer(o, tools.in(rA)).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
