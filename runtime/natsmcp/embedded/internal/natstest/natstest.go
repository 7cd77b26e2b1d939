// Package natstest runs NATS servers in tests.
package natstest

import (
	"cmp"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Start starts a server with JetStream, whose state is in a folder, and returns it when it is ready. It ends
// with the test.
func Start(t testing.TB, state string) *server.Server {
	t.Helper()
	return StartWith(t, server.Options{JetStream: true, StoreDir: state})
}

// Restart ends a server and starts another one in its place.
func Restart(t testing.TB, s *server.Server, state string) *server.Server {
	t.Helper()
	port := s.Addr().(*net.TCPAddr).Port
	s.Shutdown()
	s.WaitForShutdown()
	return StartWith(t, server.Options{Port: port, JetStream: true, StoreDir: state})
}

// StartWith starts a server with options.
func StartWith(t testing.TB, o server.Options) *server.Server {
	t.Helper()
	s := start(t, o)
	await(t, s)
	return s
}

func start(t testing.TB, o server.Options) *server.Server {
	t.Helper()
	o.Host, o.Port, o.NoSigs, o.NoLog = "127.0.0.1", cmp.Or(o.Port, server.RANDOM_PORT), true, true
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

// await waits until a server takes connections.
func await(t testing.TB, s *server.Server) {
	t.Helper()
	for !s.ReadyForConnections(time.Second) {
		if !s.Running() {
			t.Fatal("the NATS server has ended")
		}
	}
}

// Connect returns a connection of its own.
func Connect(t testing.TB, s *server.Server) *nats.Conn {
	t.Helper()
	return connect(t, s.ClientURL())
}

func connect(t testing.TB, url string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}
