package embedded_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/natsmcp"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/storetest"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

func bus(t testing.TB, nc *nats.Conn) *natsmcp.Bus {
	t.Helper()
	b, err := natsmcp.OpenBus(nc, "")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBus(t *testing.T) {
	storetest.Bus(t, func(t testing.TB, _ int) (one, other share.Bus) {
		s := startNATS(t, t.TempDir())
		return bus(t, connect(t, s)), bus(t, connect(t, s))
	})
}

func events(t testing.TB, s *server.Server, o natsmcp.Options) *natsmcp.Events {
	t.Helper()
	store, err := natsmcp.OpenEvents(t.Context(), connect(t, s), o)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestEvents(t *testing.T) {
	storetest.Events(t, func(t testing.TB, limit int) (one, other streamable.EventStore) {
		s := startNATS(t, t.TempDir())
		o := natsmcp.Options{MaxBytes: int64(limit)}
		return events(t, s, o), events(t, s, o)
	})
}

// after returns the events of stream a of session s after number n.
func after(t testing.TB, s *natsmcp.Events, n uint64) (texts []string, err error) {
	for data, err := range s.After(t.Context(), "s", "a", n) {
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(data))
	}
	return texts, nil
}

// TestEventsGap checks that a stream in which an event is missing is not replayed over the gap, and that an
// event that is stored again replaces itself.
func TestEventsGap(t *testing.T) {
	srv := startNATS(t, t.TempDir())
	s := events(t, srv, natsmcp.Options{})
	for n := range uint64(5) {
		if err := s.Append(t.Context(), "s", "a", n+1, fmt.Append(nil, n+1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Append(t.Context(), "s", "a", 5, []byte("again")); err != nil {
		t.Fatal(err)
	}
	if texts, err := after(t, s, 3); strings.Join(texts, " ") != "4 again" || err != nil {
		t.Errorf("after event 3: %q, %v", texts, err)
	}
	js, err := jetstream.New(connect(t, srv))
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "MCP_EVENTS")
	if err == nil {
		err = stream.DeleteMsg(t.Context(), 3)
	}
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(3) {
		if texts, err := after(t, s, n); !errors.Is(err, streamable.ErrEventsLost) {
			t.Errorf("after event %d: %q, %v, want ErrEventsLost", n, texts, err)
		}
	}
	if texts, err := after(t, s, 3); strings.Join(texts, " ") != "4 again" || err != nil {
		t.Errorf("after the gap: %q, %v", texts, err)
	}
}

// TestEventsAge checks that events are forgotten when they are old.
func TestEventsAge(t *testing.T) {
	s := events(t, startNATS(t, t.TempDir()), natsmcp.Options{MaxAge: time.Second})
	if err := s.Append(t.Context(), "s", "a", 1, []byte("old")); err != nil {
		t.Fatal(err)
	}
	for {
		texts, err := after(t, s, 0)
		if errors.Is(err, streamable.ErrEventsLost) {
			return
		}
		if err != nil || len(texts) != 1 {
			t.Fatalf("%q, %v", texts, err)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestTooLarge checks the errors for what exceeds max_payload of the server.
func TestTooLarge(t *testing.T) {
	srv := startNATS(t, t.TempDir())
	s := events(t, srv, natsmcp.Options{})
	if err := s.Append(t.Context(), "s", "a", 1, make([]byte, 2<<20)); !errors.Is(err, nats.ErrMaxPayload) || !strings.Contains(err.Error(), "event 1 of 2097152 bytes") {
		t.Errorf("an event of 2 MB: %v", err)
	}
	if err := s.Append(t.Context(), "s", "a", 1, []byte("x")); err != nil {
		t.Errorf("the next event: %v", err)
	}
	small := startNATSWith(t, server.Options{MaxPayload: 100_000})
	if _, err := natsmcp.OpenBus(connect(t, small), ""); err == nil || !strings.Contains(err.Error(), "max_payload of the NATS server is 100000 bytes, want 1044480 or more") {
		t.Errorf("a bus with a small max_payload: %v", err)
	}
	if _, err := natsmcp.OpenBus(connect(t, srv), "a.b"); err == nil || !strings.Contains(err.Error(), `the prefix "a.b"`) {
		t.Errorf("a bus with a bad prefix: %v", err)
	}
}

// TestBusReconnects checks that a bus goes on when the server is back.
func TestBusReconnects(t *testing.T) {
	state := t.TempDir()
	srv := startNATS(t, state)
	one, other := bus(t, connect(t, srv)), bus(t, connect(t, srv))
	got := make(chan string, 100)
	back := make(chan struct{}, 1)
	stop, err := other.Subscribe(t.Context(), "a", func(data []byte) { got <- string(data) }, func() { back <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	restartNATS(t, srv, state)
	<-back
	for received := false; !received; {
		if err := one.Publish(t.Context(), "a", []byte("again")); err != nil {
			t.Fatal(err)
		}
		select {
		case text := <-got:
			received = text == "again"
		case <-time.After(time.Millisecond):
		}
	}
}
