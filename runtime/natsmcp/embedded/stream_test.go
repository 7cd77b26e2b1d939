package embedded_test

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/natsmcp"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// TestForeignStream checks that a stream which would lose tasks is refused, with everything that is wrong.
func TestForeignStream(t *testing.T) {
	nc := connect(t, startNATS(t, t.TempDir()))
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "OTHER", Subjects: []string{"other.>"}, AllowDirect: true, MaxAge: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	_, err = natsmcp.OpenStore(t.Context(), nc, natsmcp.Options{Stream: "OTHER"})
	if err == nil {
		t.Fatal("the stream is used")
	}
	for _, want := range []string{"stream OTHER", "subjects is [other.>], want [OTHER.*]", "max_msgs_per_subject is -1, want 1", "allow_msg_ttl", "discard", "max_age is 1h0m0s", "allow_direct"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %q, want %q in it", err, want)
		}
	}
}

// TestOpenRepeats checks that each request with which a store is opened is repeated when it reaches no server that
// answers, as in a cluster without a leader, and that a repeated request leaves nothing behind.
func TestOpenRepeats(t *testing.T) {
	for _, request := range []string{"STREAM.INFO", "STREAM.CREATE", "CONSUMER.CREATE"} {
		t.Run(request, func(t *testing.T) {
			t.Parallel()
			server := startNATS(t, t.TempDir())
			lost := &changing{from: []byte("$JS.API." + request), to: []byte("$NO")}
			nc, err := nats.Connect(server.ClientURL(), nats.SetCustomDialer(lost))
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			store, err := natsmcp.OpenStore(t.Context(), nc, natsmcp.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			if !lost.done.Load() {
				t.Error("no request was lost")
			}
			js, err := jetstream.New(nc)
			if err != nil {
				t.Fatal(err)
			}
			stream, err := js.Stream(t.Context(), "MCP_STORE")
			if err != nil {
				t.Fatal(err)
			}
			if n := stream.CachedInfo().State.Consumers; n != 1 {
				t.Errorf("the stream has %d consumers, want 1", n)
			}
		})
	}
}

// TestWriteOnItsWay checks that a write is repeated when the servers say that the subject has changed, and it has
// not: in a cluster, an earlier try is then on its way.
func TestWriteOnItsWay(t *testing.T) {
	const header = "Nats-Expected-Last-Subject-Sequence: "
	changed := &changing{from: []byte(header + "1"), to: []byte(header + "9")}
	nc, err := nats.Connect(startNATS(t, t.TempDir()).ClientURL(), nats.SetCustomDialer(changed))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	store, err := natsmcp.OpenStore(t.Context(), nc, natsmcp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	r := task("k")
	if err := store.Create(t.Context(), r); err != nil || r.Version != 1 {
		t.Fatal(r.Version, err)
	}
	if err := store.Swap(t.Context(), r); err != nil || r.Version != 2 || !changed.done.Load() {
		t.Errorf("version %d, %v", r.Version, err)
	}
	r.Version = 1
	if err := store.Swap(t.Context(), r); !errors.Is(err, tasks.ErrConflict) {
		t.Errorf("a write upon an old version: %v", err)
	}
}

// changing dials connections of which the first one that sends a text sends another text in its place.
type changing struct {
	from, to []byte // to is at most as long, and replaces the beginning
	done     atomic.Bool
}

// Dial implements nats.CustomDialer.
func (c *changing) Dial(network, address string) (net.Conn, error) {
	conn, err := net.Dial(network, address)
	return changingConn{conn, c}, err
}

type changingConn struct {
	net.Conn
	of *changing
}

// Write implements net.Conn.
func (c changingConn) Write(p []byte) (int, error) {
	if i := bytes.Index(p, c.of.from); i >= 0 && c.of.done.CompareAndSwap(false, true) {
		p = bytes.Clone(p)
		copy(p[i:], c.of.to)
	}
	return c.Conn.Write(p)
}

// TestServerRestart checks that tasks survive the end of the NATS server, and that a store goes on when it
// is back: it finds the tasks and tells watchers of changes.
func TestServerRestart(t *testing.T) {
	state := t.TempDir()
	server := startNATS(t, state)
	nc := connect(t, server)
	store, err := natsmcp.OpenStore(t.Context(), nc, natsmcp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	r := task("A")
	if err := store.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	changes := make(chan struct{}, 1)
	stop := store.Watch("A", func() {
		select {
		case changes <- struct{}{}:
		default:
		}
	})
	defer stop()
	restartNATS(t, server, state)
	got, err := store.Get(t.Context(), "A")
	for err != nil { // as long as the connection is being made
		got, err = store.Get(t.Context(), "A")
	}
	if got.Version != r.Version || got.Method != r.Method {
		t.Errorf("after the restart, the task is %+v", got)
	}
	got.Message = "after the restart"
	if err := store.Swap(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	for range changes {
		if now, err := store.Get(t.Context(), "A"); err != nil {
			t.Fatal(err)
		} else if now.Message == got.Message {
			break
		}
	}
	due, err := store.Due(t.Context(), r.Leased)
	for ; err == nil && len(due) == 0; due, err = store.Due(t.Context(), r.Leased) {
		time.Sleep(time.Millisecond)
	}
	if err != nil || due[0] != "A" {
		t.Errorf("due are %q, %v", due, err)
	}
}
