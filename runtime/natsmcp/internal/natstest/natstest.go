// Package natstest runs NATS servers in tests.
package natstest

import (
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
	return start(t, state, server.RANDOM_PORT)
}

// Restart ends a server and starts another one in its place.
func Restart(t testing.TB, s *server.Server, state string) *server.Server {
	t.Helper()
	port := s.Addr().(*net.TCPAddr).Port
	s.Shutdown()
	s.WaitForShutdown()
	return start(t, state, port)
}

func start(t testing.TB, state string, port int) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: state, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	for !s.ReadyForConnections(time.Second) {
		if !s.Running() {
			t.Fatal("the NATS server has ended")
		}
	}
	return s
}

// Connect returns a connection of its own.
func Connect(t testing.TB, s *server.Server) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(s.ClientURL(), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}
